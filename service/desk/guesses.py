"""Guesses the zone, the currency and the language of a place from the languages of a browser."""

from dataclasses import dataclass
from functools import cache
from zoneinfo import available_timezones

from babel import Locale, UnknownLocaleError
from babel.core import get_global
from babel.numbers import get_territory_currencies

_CAPITALS = {
    "US": "America/New_York",
    "CA": "America/Toronto",
    "AU": "Australia/Sydney",
    "BR": "America/Sao_Paulo",
    "ES": "Europe/Madrid",
    "PT": "Europe/Lisbon",
    "DE": "Europe/Berlin",
    "MX": "America/Mexico_City",
    "CL": "America/Santiago",
    "AR": "America/Argentina/Buenos_Aires",
    "NZ": "Pacific/Auckland",
    "ID": "Asia/Jakarta",
    "RU": "Europe/Moscow",
    "UA": "Europe/Kyiv",
    "CN": "Asia/Shanghai",
    "MY": "Asia/Kuala_Lumpur",
}
"""The zone of most people, of territories with several."""
_MOST = 10
_AREAS = ("Africa/", "America/", "Antarctica/", "Asia/", "Atlantic/", "Australia/", "Europe/", "Indian/", "Pacific/")


@dataclass(frozen=True, slots=True)
class Guess:
    """A guess; each part is empty if nothing indicates it."""

    zone: str = ""
    currency: str = ""
    locale: str = ""


_CURRENCIES = {
    territory: str(found[0])
    for territory in get_global("territory_currencies")
    if (found := get_territory_currencies(territory))
}
"""The currency of each territory."""


@cache
def zones() -> tuple[str, ...]:
    """Returns the time zones that are named by a place."""
    return tuple(sorted(zone for zone in available_timezones() if zone.startswith(_AREAS)))


def guess(accepted: str) -> Guess:
    """Guesses the place of a browser that accepts these languages (Accept-Language)."""
    for wish in accepted.split(",")[:_MOST]:
        tag = wish.partition(";")[0].strip()
        try:
            spoken = Locale.parse(tag, sep="-")
            likely = get_global("likely_subtags").get(spoken.language, "")
            territory = spoken.territory or likely.rpartition("_")[2]
            locale = str(Locale(spoken.language, territory)).replace("_", "-")
        except (ValueError, UnknownLocaleError, TypeError):
            continue
        there = sorted(zone for zone, where in get_global("zone_territories").items() if where == territory)
        zone = _CAPITALS.get(territory) or (there[0] if there else "")
        return Guess(zone, _CURRENCIES.get(territory, ""), locale)
    return Guess()
