"""Says what a price is for, in the words of a locale: from, at the market price, for 100 g; may import babel, for its
CLDR data."""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache

from babel.units import format_unit
from msgspec.structs import replace

from player.domain.documents.manifest import Location, PriceKind, PriceUnit
from player.domain.menu.price import PLAIN, PriceStyle, board_price
from player.domain.view import PriceText
from player.domain.words.wording import by_language, cldr_locale, native_digits

_TEXTS_CACHED = 4096
_PRICE = "{}"
_FROM = {
    "ar": "من {}",
    "bg": "от {}",
    "ca": "des de {}",
    "cs": "od {}",
    "da": "fra {}",
    "de": "ab {}",
    "el": "από {}",
    "en": "from {}",
    "es": "desde {}",
    "et": "alates {}",
    "fa": "از {}",
    "fi": "{} alkaen",
    "fr": "dès {}",
    "he": "החל מ־ {}",
    "hi": "{} से",
    "hr": "od {}",
    "hu": "min. {}",
    "id": "mulai {}",
    "it": "da {}",
    "ja": "{} から",
    "ko": "{} 부터",
    "lt": "nuo {}",
    "lv": "no {}",
    "nb": "fra {}",
    "nl": "vanaf {}",
    "nn": "frå {}",
    "no": "fra {}",
    "pl": "od {}",
    "pt": "desde {}",
    "ro": "de la {}",
    "ru": "от {}",
    "sk": "od {}",
    "sl": "od {}",
    "sr": "од {}",
    "sr_Latn": "od {}",
    "sv": "från {}",
    "th": "เริ่มต้น {}",
    "tr": "en az {}",
    "uk": "від {}",
    "vi": "từ {}",
    "zh": "{} 起",
}
_MARKET = {
    "ar": "سعر السوق",
    "bg": "дневна цена",
    "ca": "preu de mercat",
    "cs": "denní cena",
    "da": "dagspris",
    "de": "Tagespreis",
    "el": "τιμή ημέρας",
    "en": "market price",
    "es": "precio de mercado",
    "et": "päevahind",
    "fa": "قیمت روز",
    "fi": "päivän hinta",
    "fr": "prix du jour",
    "he": "מחיר שוק",
    "hi": "बाज़ार भाव",
    "hr": "dnevna cijena",
    "hu": "napi ár",
    "id": "harga pasar",
    "it": "prezzo di mercato",
    "ja": "時価",
    "ko": "시가",
    "lt": "dienos kaina",
    "lv": "dienas cena",
    "nb": "dagspris",
    "nl": "dagprijs",
    "nn": "dagspris",
    "no": "dagspris",
    "pl": "cena dnia",
    "pt": "preço de mercado",
    "ro": "prețul zilei",
    "ru": "рыночная цена",
    "sk": "denná cena",
    "sl": "dnevna cena",
    "sr": "дневна цена",
    "sr_Latn": "dnevna cena",
    "sv": "dagspris",
    "th": "ราคาตลาด",
    "tr": "günün fiyatı",
    "uk": "ринкова ціна",
    "vi": "thời giá",
    "zh": "时价",
    "zh_Hant": "時價",
}
_PIECE = {
    "ar": "/ قطعة",
    "bg": "/ бр.",
    "ca": "/ u.",
    "cs": "/ ks",
    "da": "/ stk.",
    "de": "/ Stück",
    "el": "/ τεμ.",
    "en": "each",
    "es": "/ ud.",
    "et": "/ tk",
    "fa": "/ عدد",
    "fi": "/ kpl",
    "fr": "/ pièce",
    "he": "/ יחידה",
    "hi": "/ नग",
    "hr": "/ kom.",
    "hu": "/ db",
    "id": "/ buah",
    "it": "/ pezzo",
    "ja": "/ 個",
    "ko": "/ 개",
    "lt": "/ vnt.",
    "lv": "/ gab.",
    "nb": "/ stk.",
    "nl": "/ stuk",
    "nn": "/ stk.",
    "no": "/ stk.",
    "pl": "/ szt.",
    "pt": "/ un.",
    "ro": "/ buc.",
    "ru": "/ шт.",
    "sk": "/ ks",
    "sl": "/ kos",
    "sr": "/ ком.",
    "sr_Latn": "/ kom.",
    "sv": "/ st",
    "th": "/ ชิ้น",
    "tr": "/ adet",
    "uk": "/ шт.",
    "vi": "/ cái",
    "zh": "/ 个",
    "zh_Hant": "/ 個",
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
    """The price of an item with what it is for: `from`, and the unit; in the words of `language`, or of the location.
    At the market price there is no amount."""
    language = language or location.locale
    per = unit_text(unit, language, location.locale) if unit is not None else ""
    if kind is PriceKind.MARKET:
        return PriceText(text=by_language(_MARKET, language), decimal_at=0, in_words=True, after=per)
    text = board_price(amount, location=location, style=style)
    if kind is PriceKind.EXACT:
        return replace(text, after=per) if per else text
    before, _, after = by_language(_FROM, language).partition(_PRICE)
    return replace(text, before=before.strip(), after=" ".join(filter(None, (after.strip(), per))))


@lru_cache(maxsize=_TEXTS_CACHED)
def unit_text(unit: PriceUnit, language: str, locale: str) -> str:
    """Formats the unit after a price: `/ 100 g`, `/ kg`, `each`; one run without breaks. The figures
    are the locale's."""
    if unit is PriceUnit.PIECE:
        return _unbroken(by_language(_PIECE, language))
    number, measure = _MEASURES[unit]
    told = format_unit(number, measure, length="short", locale=cldr_locale(language))
    if number == 1:
        told = told.replace("1", "").strip()
    return _unbroken(f"/ {native_digits(told, cldr_locale(locale))}")


def _unbroken(text: str) -> str:
    return text.replace(" ", "\N{NO-BREAK SPACE}")
