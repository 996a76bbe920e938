"""Formats the words beside a price in a locale: from, at the market price, for 100 g; may import babel, for its CLDR
data."""

from __future__ import annotations

import unicodedata
from decimal import Decimal
from functools import lru_cache

from babel.units import format_unit
from msgspec import Struct
from msgspec.structs import replace

from menu.documents.manifest import Location, PriceKind, PriceUnit
from menu.text.price import PLAIN, PriceStyle, PriceText, board_price
from menu.text.wording import by_language, cldr_locale, native_digits

_PRICE = "{}"


class _Words(Struct, frozen=True):
    starting_at: str
    market: str
    piece: str


_WORDS = {
    "ar": _Words("من {}", "سعر السوق", "/ قطعة"),
    "bg": _Words("от {}", "дневна цена", "/ бр."),
    "ca": _Words("des de {}", "preu de mercat", "/ u."),
    "cs": _Words("od {}", "denní cena", "/ ks"),
    "da": _Words("fra {}", "dagspris", "/ stk."),
    "de": _Words("ab {}", "Tagespreis", "/ Stück"),
    "el": _Words("από {}", "τιμή ημέρας", "/ τεμ."),
    "en": _Words("from {}", "market price", "each"),
    "es": _Words("desde {}", "precio de mercado", "/ ud."),
    "et": _Words("alates {}", "päevahind", "/ tk"),
    "fa": _Words("از {}", "قیمت روز", "/ عدد"),
    "fi": _Words("{} alkaen", "päivän hinta", "/ kpl"),
    "fr": _Words("dès {}", "prix du jour", "/ pièce"),
    "ga": _Words("ó {}", "praghas an mhargaidh", "/ píosa"),
    "he": _Words("החל מ־ {}", "מחיר שוק", "/ יחידה"),
    "hi": _Words("{} से", "बाज़ार भाव", "/ नग"),
    "hr": _Words("od {}", "dnevna cijena", "/ kom."),
    "hu": _Words("min. {}", "napi ár", "/ db"),
    "id": _Words("mulai {}", "harga pasar", "/ buah"),
    "it": _Words("da {}", "prezzo di mercato", "/ pezzo"),
    "ja": _Words("{} から", "時価", "/ 個"),
    "ko": _Words("{} 부터", "시가", "/ 개"),
    "lt": _Words("nuo {}", "dienos kaina", "/ vnt."),
    "lv": _Words("no {}", "dienas cena", "/ gab."),
    "mt": _Words("minn {}", "prezz tas-suq", "/ biċċa"),
    "nb": _Words("fra {}", "dagspris", "/ stk."),
    "nl": _Words("vanaf {}", "dagprijs", "/ stuk"),
    "nn": _Words("frå {}", "dagspris", "/ stk."),
    "no": _Words("fra {}", "dagspris", "/ stk."),
    "pl": _Words("od {}", "cena dnia", "/ szt."),
    "pt": _Words("desde {}", "preço de mercado", "/ un."),
    "ro": _Words("de la {}", "prețul zilei", "/ buc."),
    "ru": _Words("от {}", "рыночная цена", "/ шт."),
    "sk": _Words("od {}", "denná cena", "/ ks"),
    "sl": _Words("od {}", "dnevna cena", "/ kos"),
    "sr": _Words("од {}", "дневна цена", "/ ком."),
    "sr_Latn": _Words("od {}", "dnevna cena", "/ kom."),
    "sv": _Words("från {}", "dagspris", "/ st"),
    "th": _Words("เริ่มต้น {}", "ราคาตลาด", "/ ชิ้น"),
    "tr": _Words("en az {}", "günün fiyatı", "/ adet"),
    "uk": _Words("від {}", "ринкова ціна", "/ шт."),
    "vi": _Words("từ {}", "thời giá", "/ cái"),
    "zh": _Words("{} 起", "时价", "/ 个"),
    "zh_Hant": _Words("{} 起", "時價", "/ 個"),
}
_MEASURES = {
    PriceUnit.HUNDRED_GRAMS: (100, "mass-gram"),
    PriceUnit.KILOGRAM: (1, "mass-kilogram"),
    PriceUnit.POUND: (1, "mass-pound"),
    PriceUnit.HUNDRED_MILLILITRES: (100, "volume-milliliter"),
    PriceUnit.LITRE: (1, "volume-liter"),
}


def worded_price(
    amount: Decimal,
    *,
    kind: PriceKind,
    unit: PriceUnit | None,
    location: Location,
    language: str = "",
    style: PriceStyle = PLAIN,
) -> PriceText:
    """Formats the price of an item with `from` and the unit; in the words of `language`, or of the location. At the
    market price there is no amount."""
    language = language or location.locale
    per = measure = ""
    if unit is not None:
        per, measure = (write(unit, language, location.locale) for write in (unit_text, measure_text))
    if kind is PriceKind.MARKET:
        words = by_language(_WORDS, language).market
        return PriceText(text=words, decimal_at=0, in_words=True, per=per, measure=measure)
    text = board_price(amount, location=location, style=style)
    if kind is PriceKind.EXACT:
        return replace(text, per=per, measure=measure) if per else text
    before, _, after = by_language(_WORDS, language).starting_at.partition(_PRICE)
    return replace(text, before=before.strip(), after=after.strip(), per=per, measure=measure)


@lru_cache(maxsize=4096)
def unit_text(unit: PriceUnit, language: str, locale: str) -> str:
    """Formats the unit after a price: `/ 100 g`, `/ kg`, `each`; one run without breaks. The figures
    are the locale's."""
    if unit is PriceUnit.PIECE:
        return _unbroken(by_language(_WORDS, language).piece)
    number, measure = _MEASURES[unit]
    told = format_unit(number, measure, length="short", locale=cldr_locale(language))
    if number == 1:
        told = told.replace("1", "").strip()
    return _unbroken(f"/ {native_digits(told, cldr_locale(locale))}")


@lru_cache(maxsize=4096)
def measure_text(unit: PriceUnit, language: str, locale: str) -> str:
    """Formats the unit before a price: `100 g`, `1 kg`, `each`; one run without breaks."""
    if unit is PriceUnit.PIECE:
        counter = by_language(_WORDS, language).piece.removeprefix("/ ")
        # 1個, 1개: a counter does not stand alone.
        return _unbroken(f"1{counter}" if unicodedata.east_asian_width(counter[0]) == "W" else counter)
    number, measure = _MEASURES[unit]
    told = format_unit(number, measure, length="short", locale=cldr_locale(language))
    return _unbroken(native_digits(told, cldr_locale(locale)))


def _unbroken(text: str) -> str:
    return text.replace(" ", "\N{NO-BREAK SPACE}")
