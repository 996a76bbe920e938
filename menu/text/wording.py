"""Formats everything but prices for a locale: clocks, numbers, a few phrases; may import babel, for its CLDR data.

Every function accepts any locale and any pattern that a document can have, and returns something readable.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import TypeVar

from babel import Locale, UnknownLocaleError
from babel.dates import format_date, format_skeleton, format_time, format_timedelta, get_day_names, parse_pattern
from babel.numbers import format_decimal
from msgspec import Struct
from msgspec.structs import replace

from menu.documents.manifest import Location
from menu.documents.schedule import zone_named

FALLBACK_LOCALE = "en"
FALLBACK_PATTERN = "HH:mm"
BOTH = " / "
"""Between a word in one language and in the next."""
_FIRST_STRONG_ISOLATE, _POP_ISOLATE = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"

# The zeros of decimal numbering systems that are the default of a language with books and newspapers; the nine digits
# follow in Unicode. Others are written in ASCII digits.
_ZEROS = {
    "arab": 0x0660,
    "arabext": 0x06F0,
    "beng": 0x09E6,
    "deva": 0x0966,
    "mymr": 0x1040,
    "tibt": 0x0F20,
}


class Locality(Struct, frozen=True, kw_only=True):
    """IANA zone of the location, BCP 47 locale of what is read there, and its script direction. `home` is the locale of
    the location, where another language shows."""

    timezone: str = "UTC"
    locale: str = "en"
    right_to_left: bool = False
    home: str = ""

    @property
    def law(self) -> str:
        """Locale whose territory's law decides what has to be shown, and how large."""
        return self.home or self.locale


class _Phrases(Struct, frozen=True):
    back_at: str
    back_on: str
    sold_out: str
    saved: str


_PHRASES = {
    "ar": _Phrases("نعود الساعة {time}", "نعود {day}، {time}", "نفد", "وفر {amount}"),
    "bg": _Phrases("Отново тук в {time}", "Отново тук: {day}, {time}", "Изчерпано", "Спестявате {amount}"),
    "cs": _Phrases("Zpátky v {time}", "Zpátky: {day}, {time}", "Vyprodáno", "Ušetříte {amount}"),
    "da": _Phrases("Tilbage kl. {time}", "Tilbage: {day}, {time}", "Udsolgt", "Spar {amount}"),
    "de": _Phrases("Wieder da um {time}", "Wieder da: {day}, {time}", "Ausverkauft", "Sie sparen {amount}"),
    "el": _Phrases("Επιστρέφουμε στις {time}", "Επιστρέφουμε: {day}, {time}", "Εξαντλήθηκε", "Κερδίζετε {amount}"),
    "en": _Phrases("Back at {time}", "Back {day}, {time}", "Sold out", "Save {amount}"),
    "es": _Phrases("Volvemos a las {time}", "Volvemos: {day}, {time}", "Agotado", "Ahorras {amount}"),
    "et": _Phrases("Tagasi kell {time}", "Tagasi: {day}, {time}", "Läbi müüdud", "Säästad {amount}"),
    "fi": _Phrases("Palaamme klo {time}", "Palaamme: {day}, {time}", "Loppuunmyyty", "Säästä {amount}"),
    "fr": _Phrases("De retour à {time}", "De retour : {day}, {time}", "Épuisé", "Économisez {amount}"),
    "ga": _Phrases("Ar ais ag {time}", "Ar ais: {day}, {time}", "Díolta amach", "Sábháil {amount}"),
    "he": _Phrases("נחזור בשעה {time}", "נחזור: {day}, {time}", "אזל", "חוסכים {amount}"),
    "hi": _Phrases("वापसी: {time}", "वापसी: {day}, {time}", "समाप्त", "{amount} की बचत"),
    "hr": _Phrases("Vraćamo se u {time}", "Vraćamo se: {day}, {time}", "Rasprodano", "Ušteda {amount}"),
    "hu": _Phrases("Újra itt: {time}", "Újra itt: {day}, {time}", "Elfogyott", "Megtakarítás: {amount}"),
    "it": _Phrases("Torniamo alle {time}", "Torniamo: {day}, {time}", "Esaurito", "Risparmi {amount}"),
    "ja": _Phrases("{time} に再開します", "{day} {time} に再開します", "売り切れ", "{amount}お得"),
    "ko": _Phrases("{time}에 다시 만나요", "{day} {time}에 다시 만나요", "품절", "{amount} 할인"),
    "lt": _Phrases("Grįšime {time}", "Grįšime: {day}, {time}", "Išparduota", "Sutaupote {amount}"),
    "lv": _Phrases("Atgriezīsimies plkst. {time}", "Atgriezīsimies: {day}, {time}", "Izpārdots", "Ietaupiet {amount}"),
    "mt": _Phrases("Nerġgħu lura fi {time}", "Nerġgħu lura: {day}, {time}", "Spiċċa", "Iffranka {amount}"),
    "nl": _Phrases("Weer terug om {time}", "Weer terug: {day}, {time}", "Uitverkocht", "U bespaart {amount}"),
    "pl": _Phrases("Wracamy o {time}", "Wracamy: {day}, {time}", "Wyprzedane", "Oszczędzasz {amount}"),
    "pt": _Phrases("Voltamos às {time}", "Voltamos: {day}, {time}", "Esgotado", "Poupe {amount}"),
    "ro": _Phrases("Revenim la {time}", "Revenim: {day}, {time}", "Epuizat", "Economisiți {amount}"),
    "ru": _Phrases("Снова с вами в {time}", "Снова с вами: {day}, {time}", "Нет в наличии", "Выгода {amount}"),
    "sk": _Phrases("Späť o {time}", "Späť: {day}, {time}", "Vypredané", "Ušetríte {amount}"),
    "sl": _Phrases("Spet tu ob {time}", "Spet tu: {day}, {time}", "Razprodano", "Prihranite {amount}"),
    "sv": _Phrases("Tillbaka kl. {time}", "Tillbaka: {day}, {time}", "Slutsåld", "Spara {amount}"),
    "th": _Phrases("เปิดอีกครั้งเวลา {time}", "เปิดอีกครั้ง: {day} {time}", "หมด", "ประหยัด {amount}"),
    "tr": _Phrases(
        "Saat {time} itibarıyla buradayız", "Yeniden buradayız: {day}, {time}", "Tükendi", "{amount} tasarruf"
    ),
    "uk": _Phrases("Знову з вами о {time}", "Знову з вами: {day}, {time}", "Немає", "Вигода {amount}"),
    "zh": _Phrases("{time} 恢复供应", "{day} {time} 恢复供应", "已售完", "省{amount}"),
    "zh_Hant": _Phrases("{time} 恢復供應", "{day} {time} 恢復供應", "已售完", "省{amount}"),
}

T = TypeVar("T")


def by_language(texts: Mapping[str, T], locale: str) -> T:
    """Returns the text in the locale's language (`zh_Hant` before `zh`), or else in English."""
    cldr = cldr_locale(locale)
    tags = (f"{cldr.language}_{cldr.script}", cldr.language, FALLBACK_LOCALE)
    return next(texts[tag] for tag in tags if tag in texts)


@lru_cache(maxsize=64)
def cldr_locale(tag: str) -> Locale:
    """Returns CLDR's locale for a BCP 47 tag, or for as much of its front as CLDR knows; or else English."""
    parts = tag.replace("_", "-").split("-")
    while parts:
        try:
            return Locale.parse("-".join(parts), sep="-")
        except (UnknownLocaleError, ValueError, TypeError):
            parts.pop()
    return Locale.parse(FALLBACK_LOCALE)


def locality_of(location: Location) -> Locality:
    return replace(locality_for(location.locale), timezone=location.timezone)


def locality_for(locale: str) -> Locality:
    """Returns the locality where only a language is known."""
    return Locality(locale=locale, right_to_left=cldr_locale(locale).text_direction == "rtl")


def native_digits(text: str, locale: Locale) -> str:
    """`text` with its ASCII digits written in the locale's default numbering system; babel leaves them ASCII."""
    zero = _ZEROS.get(locale.default_numbering_system)
    return text if zero is None else text.translate({ord("0") + digit: zero + digit for digit in range(10)})


def clock_text(pattern: str, t: datetime, timezone: str, locale: str) -> str:
    """Formats the instant `t` (aware) by a CLDR date-time pattern (UTS #35), in an IANA zone. `HH:mm` replaces a
    pattern that cannot be read, UTC an unknown zone."""
    cldr = cldr_locale(locale)
    local = t.astimezone(zone_named(timezone) or UTC)
    text = ""
    # babel raises any of these for a malformed pattern.
    with suppress(ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        text = parse_pattern(pattern).apply(local, cldr).strip()
    if not text:
        text = parse_pattern(FALLBACK_PATTERN).apply(local, cldr)
    return native_digits(text, cldr)


def back_text(next_at: datetime, now: datetime, locality: Locality) -> str:
    """Formats when the board shows something again, for guests: the time if today, otherwise day and time. Both are
    aware."""
    cldr = cldr_locale(locality.locale)
    zone = zone_named(locality.timezone) or UTC
    then, today = next_at.astimezone(zone), now.astimezone(zone).date()
    clock = format_time(then, "short", tzinfo=zone, locale=cldr)
    if then.date() == today:
        return native_digits(by_language(_PHRASES, locality.locale).back_at.format(time=clock), cldr)
    near = then.date() - today < timedelta(days=7)
    day = format_date(then.date(), "EEEE", locale=cldr) if near else format_skeleton("MMMd", then, zone, locale=cldr)
    return native_digits(by_language(_PHRASES, locality.locale).back_on.format(day=day, time=clock), cldr)


def day_text(day: date, locale: str, *, with_year: bool, short: bool) -> str:
    """Formats a day: `Saturday 5 December` in English, `5 Dec` where it is short."""
    cldr = cldr_locale(locale)
    if cldr.language == FALLBACK_LOCALE:
        return format_date(day, ("d MMM" if short else "EEEE d MMMM") + " y" * with_year, locale=cldr)
    if short:
        return native_digits(format_skeleton("yMMMd" if with_year else "MMMd", day, locale=cldr), cldr)
    pattern = str(cldr.datetime_skeletons["MMMMEd"]) if "MMMMEd" in cldr.datetime_skeletons else "EEEE d MMMM"
    return native_digits(format_date(day, "full" if with_year else re.sub(r"E+", "EEEE", pattern), locale=cldr), cldr)


def weekday_text(day: int, locale: str) -> str:
    """Returns the short name of a day of the week, Monday 0."""
    return str(get_day_names("abbreviated", "stand-alone", cldr_locale(locale))[day])


def time_of_day_text(minutes: int, locale: str) -> str:
    """Formats minutes after midnight as the locale writes a time: `9:00 AM`, `09:00`."""
    cldr, (hour, minute) = cldr_locale(locale), divmod(minutes, 60)
    return native_digits(format_time(time(hour % 24, minute), "short", locale=cldr), cldr)


def number_text(number: float, locale: str, *, decimals: int) -> str:
    cldr = cldr_locale(locale)
    pattern = f"0.{'0' * decimals}" if decimals else "0"
    return native_digits(format_decimal(number, pattern, locale=cldr), cldr)


def decimal_text(number: Decimal, locale: str) -> str:
    """Formats a number with its decimals, at most three."""
    cldr = cldr_locale(locale)
    text = format_decimal(number, locale=cldr, numbering_system="default")
    # CLDR has a hyphen for minus in most locales, which is too short.
    return native_digits(text.replace("-", "\N{MINUS SIGN}"), cldr)


@lru_cache(maxsize=4096)
def capitals(text: str, locale: str) -> str:
    """Capitalises the text by the rules of the locale's language: `İ` in Turkish, no accents in Greek."""
    language = cldr_locale(locale).language
    if language in {"tr", "az"}:
        return text.replace("i", "İ").upper()
    if language == "el":
        bare = unicodedata.normalize("NFD", text).replace("\N{COMBINING ACUTE ACCENT}", "")
        return unicodedata.normalize("NFC", bare.upper())
    return text.upper()


def time_left_text(left: timedelta, locale: str, *, with_seconds: bool) -> str:
    """Formats a remaining time, begun seconds or minutes counting as whole: `04:59`, `01:20:00`, `3 days 01:20:00`;
    without seconds `00:05`, `01:20`, `3 days 01:20`. No line breaks within it."""
    unit = timedelta(seconds=1 if with_seconds else 60)
    days, rest = divmod(-(-left // unit) * unit, timedelta(days=1))
    hours, minutes, seconds = rest.seconds // 3600, rest.seconds // 60 % 60, rest.seconds % 60
    parts = [hours] if days or hours or not with_seconds else []
    text = ":".join(f"{part:02}" for part in (*parts, minutes, *([seconds] if with_seconds else [])))
    cldr = cldr_locale(locale)
    if days:
        text = f"{format_timedelta(timedelta(days=days), granularity='day', threshold=days + 1, locale=cldr)} {text}"
    return native_digits(text.replace(" ", "\N{NO-BREAK SPACE}"), cldr)


def page_text(page: int, pages: int, locale: str) -> str:
    """Formats the number of a menu's page, from 1, and the count of pages."""
    return native_digits(f"{page}/{pages}", cldr_locale(locale))


def sold_out_text(locale: str) -> str:
    """Returns the mark of an 86'd item in a menu."""
    return by_language(_PHRASES, locale).sold_out


def saved_words(locale: str) -> str:
    """Wording of the amount by which a combo costs less than its parts, with `{amount}` in its place."""
    return by_language(_PHRASES, locale).saved


def joined(texts: Iterable[str]) -> str:
    """Joins the same text in several languages, each in its own direction."""
    said = list(dict.fromkeys(texts))
    if len(said) > 1 and not all(text.isascii() for text in said):
        # The first stays in the open: its direction is that of the whole.
        said[1:] = [f"{_FIRST_STRONG_ISOLATE}{text}{_POP_ISOLATE}" for text in said[1:]]
    return BOTH.join(said)
