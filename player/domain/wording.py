"""Owns how a place writes what is no price: its locale, its clock, its few words; may import babel, whose data is data.

Everything here takes any locale and any pattern that a document can hold, and answers with something readable.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from babel import Locale, UnknownLocaleError
from babel.dates import format_date, format_skeleton, format_time, parse_pattern
from msgspec import Struct

from player.domain.picture import Locality
from player.domain.program import Location
from player.domain.schedule import zone_named

FALLBACK_LOCALE = "en"
FALLBACK_PATTERN = "HH:mm"
_LOCALES_REMEMBERED = 64
_DAYS_A_WEEK = 7

# The zero of each decimal numbering system that CLDR makes some locale's default; the nine digits follow it in Unicode.
_ZEROS = {
    "adlm": 0x1E950,
    "arab": 0x0660,
    "arabext": 0x06F0,
    "beng": 0x09E6,
    "cakm": 0x11136,
    "deva": 0x0966,
    "hmnp": 0x1E140,
    "mtei": 0xABF0,
    "mymr": 0x1040,
    "nkoo": 0x07C0,
    "olck": 0x1C50,
    "rohg": 0x10D30,
    "tibt": 0x0F20,
}


class _Phrases(Struct, frozen=True):
    back_at: str
    back_on: str
    sold_out: str


_PHRASES = {
    "ar": _Phrases("نعود الساعة {time}", "نعود {day}، {time}", "نفد"),
    "de": _Phrases("Wieder da um {time}", "Wieder da: {day}, {time}", "Ausverkauft"),
    "en": _Phrases("Back at {time}", "Back {day}, {time}", "Sold out"),
    "es": _Phrases("Volvemos a las {time}", "Volvemos: {day}, {time}", "Agotado"),
    "fr": _Phrases("De retour à {time}", "De retour : {day}, {time}", "Épuisé"),
    "he": _Phrases("נחזור בשעה {time}", "נחזור: {day}, {time}", "אזל"),
    "hi": _Phrases("वापसी: {time}", "वापसी: {day}, {time}", "समाप्त"),
    "it": _Phrases("Torniamo alle {time}", "Torniamo: {day}, {time}", "Esaurito"),
    "ja": _Phrases("{time} に再開します", "{day} {time} に再開します", "売り切れ"),
    "ko": _Phrases("{time}에 다시 만나요", "{day} {time}에 다시 만나요", "품절"),
    "nl": _Phrases("Weer terug om {time}", "Weer terug: {day}, {time}", "Uitverkocht"),
    "pl": _Phrases("Wracamy o {time}", "Wracamy: {day}, {time}", "Wyprzedane"),
    "pt": _Phrases("Voltamos às {time}", "Voltamos: {day}, {time}", "Esgotado"),
    "th": _Phrases("เปิดอีกครั้งเวลา {time}", "เปิดอีกครั้ง: {day} {time}", "หมด"),
    "tr": _Phrases("Saat {time} itibarıyla buradayız", "Yeniden buradayız: {day}, {time}", "Tükendi"),
    "zh": _Phrases("{time} 恢复供应", "{day} {time} 恢复供应", "已售完"),
    "zh_Hant": _Phrases("{time} 恢復供應", "{day} {time} 恢復供應", "已售完"),
}


@lru_cache(maxsize=_LOCALES_REMEMBERED)
def cldr_locale(tag: str) -> Locale:
    """The locale that CLDR knows for a BCP 47 tag; failing that, for as much of its front as is known; then English."""
    parts = tag.replace("_", "-").split("-")
    while parts:
        try:
            return Locale.parse("-".join(parts), sep="-")
        except (UnknownLocaleError, ValueError, TypeError):
            parts.pop()
    return Locale.parse(FALLBACK_LOCALE)


def locality_of(location: Location) -> Locality:
    """How and when the place reads."""
    return Locality(
        timezone=location.timezone,
        locale=location.locale,
        right_to_left=cldr_locale(location.locale).text_direction == "rtl",
    )


def native_digits(text: str, locale: Locale) -> str:
    """`text` with its ASCII digits written in the locale's default numbering system; babel leaves them ASCII."""
    zero = _ZEROS.get(locale.default_numbering_system)
    return text if zero is None else text.translate({ord("0") + digit: zero + digit for digit in range(10)})


def clock_text(pattern: str, t: datetime, timezone: str, locale: str) -> str:
    """The instant `t` (aware) by a CLDR date-time pattern (UTS #35), in an IANA zone; a pattern that CLDR cannot read
    gives way to `HH:mm`, an unknown zone to UTC."""
    place = cldr_locale(locale)
    local = t.astimezone(zone_named(timezone) or UTC)
    text = ""
    # babel answers a hostile pattern with whichever of these comes first.
    with suppress(ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        text = parse_pattern(pattern).apply(local, place).strip()
    if not text:
        text = parse_pattern(FALLBACK_PATTERN).apply(local, place)
    return native_digits(text, place)


def back_text(next_at: datetime, now: datetime, locality: Locality) -> str:
    """When the board shows something again, for guests: the time today, the day and time later on. Both are aware."""
    place = cldr_locale(locality.locale)
    zone = zone_named(locality.timezone) or UTC
    then, today = next_at.astimezone(zone), now.astimezone(zone).date()
    clock = format_time(then, "short", tzinfo=zone, locale=place)
    if then.date() == today:
        return native_digits(_phrases(place).back_at.format(time=clock), place)
    near = then.date() - today < timedelta(days=_DAYS_A_WEEK)
    day = format_date(then.date(), "EEEE", locale=place) if near else format_skeleton("MMMd", then, zone, locale=place)
    return native_digits(_phrases(place).back_on.format(day=day, time=clock), place)


def sold_out_text(locale: str) -> str:
    """What a menu writes beside an 86'd item that it marks."""
    return _phrases(cldr_locale(locale)).sold_out


def _phrases(locale: Locale) -> _Phrases:
    by_script = _PHRASES.get(f"{locale.language}_{locale.script}")
    return by_script or _PHRASES.get(locale.language) or _PHRASES[FALLBACK_LOCALE]
