"""Formats the words of a price in a locale: from, at the market price, free, for 100 g; may import babel, for CLDR."""

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

NO_PRICE = PriceText(text="", decimal_at=0)
_PRICE = "{}"


class _Words(Struct, frozen=True):
    starting_at: str
    market: str
    piece: str
    free: str


_WORDS = {
    "ar": _Words("من {}", "سعر السوق", "/ قطعة", "مجاناً"),
    "bg": _Words("от {}", "дневна цена", "/ бр.", "безплатно"),
    "ca": _Words("des de {}", "preu de mercat", "/ u.", "gratis"),
    "cs": _Words("od {}", "denní cena", "/ ks", "zdarma"),
    "da": _Words("fra {}", "dagspris", "/ stk.", "gratis"),
    "de": _Words("ab {}", "Tagespreis", "/ Stück", "kostenlos"),
    "el": _Words("από {}", "τιμή ημέρας", "/ τεμ.", "δωρεάν"),
    "en": _Words("from {}", "market price", "each", "free"),
    "es": _Words("desde {}", "precio de mercado", "/ ud.", "gratis"),
    "et": _Words("alates {}", "päevahind", "/ tk", "tasuta"),
    "fa": _Words("از {}", "قیمت روز", "/ عدد", "رایگان"),
    "fi": _Words("{} alkaen", "päivän hinta", "/ kpl", "ilmainen"),
    "fr": _Words("dès {}", "prix du jour", "/ pièce", "gratuit"),
    "ga": _Words("ó {}", "praghas an mhargaidh", "/ píosa", "saor in aisce"),
    "he": _Words("החל מ־ {}", "מחיר שוק", "/ יחידה", "חינם"),
    "hi": _Words("{} से", "बाज़ार भाव", "/ नग", "मुफ़्त"),
    "hr": _Words("od {}", "dnevna cijena", "/ kom.", "besplatno"),
    "hu": _Words("min. {}", "napi ár", "/ db", "ingyenes"),
    "id": _Words("mulai {}", "harga pasar", "/ buah", "gratis"),
    "it": _Words("da {}", "prezzo di mercato", "/ pezzo", "gratis"),
    "ja": _Words("{} から", "時価", "/ 個", "無料"),
    "ko": _Words("{} 부터", "시가", "/ 개", "무료"),
    "lt": _Words("nuo {}", "dienos kaina", "/ vnt.", "nemokamai"),
    "lv": _Words("no {}", "dienas cena", "/ gab.", "bez maksas"),
    "mt": _Words("minn {}", "prezz tas-suq", "/ biċċa", "b’xejn"),
    "nb": _Words("fra {}", "dagspris", "/ stk.", "gratis"),
    "nl": _Words("vanaf {}", "dagprijs", "/ stuk", "gratis"),
    "nn": _Words("frå {}", "dagspris", "/ stk.", "gratis"),
    "no": _Words("fra {}", "dagspris", "/ stk.", "gratis"),
    "pl": _Words("od {}", "cena dnia", "/ szt.", "gratis"),
    "pt": _Words("desde {}", "preço de mercado", "/ un.", "grátis"),
    "ro": _Words("de la {}", "prețul zilei", "/ buc.", "gratuit"),
    "ru": _Words("от {}", "рыночная цена", "/ шт.", "бесплатно"),
    "sk": _Words("od {}", "denná cena", "/ ks", "zadarmo"),
    "sl": _Words("od {}", "dnevna cena", "/ kos", "brezplačno"),
    "sr": _Words("од {}", "дневна цена", "/ ком.", "бесплатно"),
    "sr_Latn": _Words("od {}", "dnevna cena", "/ kom.", "besplatno"),
    "sv": _Words("från {}", "dagspris", "/ st", "gratis"),
    "th": _Words("เริ่มต้น {}", "ราคาตลาด", "/ ชิ้น", "ฟรี"),
    "tr": _Words("en az {}", "günün fiyatı", "/ adet", "ücretsiz"),
    "uk": _Words("від {}", "ринкова ціна", "/ шт.", "безкоштовно"),
    "vi": _Words("từ {}", "thời giá", "/ cái", "miễn phí"),
    "zh": _Words("{} 起", "时价", "/ 个", "免费"),
    "zh_Hant": _Words("{} 起", "時價", "/ 個", "免費"),
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
    market price, or where it costs nothing, there is no amount."""
    language = language or location.locale
    if kind is PriceKind.NONE:
        return NO_PRICE
    if kind is PriceKind.EXACT and not amount:
        return PriceText(text=by_language(_WORDS, language).free, decimal_at=0, in_words=True)
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
