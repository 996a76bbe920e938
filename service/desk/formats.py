"""Formats of values in templates, as filters: prices, instants, ages; each in the person's language."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, tzinfo
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from babel.dates import format_date, format_time, format_timedelta
from babel.numbers import format_currency, get_currency_precision, get_currency_symbol
from markupsafe import Markup

from service.core.permissions import Role
from service.desk.words import Phrase, as_it_is, phrase, translated


def decimals_of(currency: str) -> int:
    """The number of decimals with which amounts of a currency are written."""
    return get_currency_precision(currency)


def plain_price(price: Decimal | None, currency: str, *, language: str) -> str:
    """A price as people type it: `3.40`, with a comma where the language has one; empty for none."""
    if price is None:
        return ""
    text = f"{price:.{max(decimals_of(currency), -int(price.normalize().as_tuple().exponent), 0)}f}"
    return text.replace(".", ",") if language in ("de", "es", "fr") else text


def price(amount: Decimal | None, currency: str, *, language: str) -> str:
    """A price with its currency."""
    return "" if amount is None else format_currency(amount, currency, locale=language)


def symbol(currency: str, *, language: str) -> str:
    """The symbol of a currency."""
    return get_currency_symbol(currency, locale=language)


def moment(instant: str | None, zone: str = "UTC", *, language: str) -> str:
    """An instant of the API as date and time in a zone."""
    if instant is None:
        return ""
    at = datetime.fromisoformat(instant).astimezone(_zone(zone))
    return f"{format_date(at, 'medium', locale=language)}, {format_time(at, 'short', locale=language)}"


def age(instant: str | None, now: datetime, *, language: str) -> Phrase | str:
    """The time since an instant of the API: `5 minutes ago`."""
    if instant is None:
        return phrase("never")
    since = now - datetime.fromisoformat(instant)
    if since.total_seconds() < 60:
        return phrase("just now")
    return format_timedelta(-since, granularity="minute", add_direction=True, locale=language)


def _zone(name: str) -> tzinfo:
    return UTC if name == "UTC" else ZoneInfo(name)


def browser(agent: str, *, language: str) -> Phrase | str:
    """The browser and its system, of what a browser calls itself."""
    found = next((name for mark, name in _BROWSERS if mark in agent), None)
    system = next((name for mark, name in _SYSTEMS if mark in agent), None)
    if found is None or system is None:
        return agent[:60] or phrase("Unknown browser")
    return phrase("{browser} on {system}", browser=found, system=system)


_BROWSERS = (("Edg/", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"), ("Safari/", "Safari"))
_SYSTEMS = (
    *(("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows")),
    *(("Mac OS", "macOS"), ("CrOS", "ChromeOS"), ("Linux", "Linux")),
)
"""Marks in the names of browsers; the first that is found counts, as each also names those before it."""


def in_language(said: Phrase, chosen: str, *, language: str) -> Markup:
    """A phrase in another language than the page's."""
    return translated(said, chosen)


def command_name(kind: str, *, language: str) -> Phrase:
    """A command to a screen, in words."""
    return _COMMANDS[kind]


def state_name(state: str, *, language: str) -> Phrase:
    """The state of a command, in words."""
    return _STATES.get(state) or as_it_is(state)


def role_name(role: Role, *, language: str) -> Phrase:
    """A role, in words."""
    return _ROLES[role]


_ROLES = {
    Role.OWNER: phrase("Owner"),
    Role.ADMIN: phrase("Admin"),
    Role.PUBLISHER: phrase("Publisher"),
    Role.EDITOR: phrase("Editor"),
    Role.VIEWER: phrase("Viewer"),
}
_COMMANDS = {
    "identify": phrase("Identify"),
    "reload": phrase("Reload"),
    "restart": phrase("Restart"),
    "screenshot": phrase("Take a picture"),
    "sendLogs": phrase("Send the log"),
}
_STATES = {
    "waiting": phrase("Waiting"),
    "sent": phrase("Sent"),
    "expired": phrase("Not fetched in time"),
    "done": phrase("Done"),
    "refused": phrase("Refused"),
    "failed": phrase("Failed"),
}

FORMATS: Mapping[str, Callable[..., Any]] = {
    "plain_price": plain_price,
    "price": price,
    "symbol": symbol,
    "moment": moment,
    "age": age,
    "browser": browser,
    "in_language": in_language,
    "role_name": role_name,
    "command_name": command_name,
    "state_name": state_name,
}
"""Filters by their names in templates."""
