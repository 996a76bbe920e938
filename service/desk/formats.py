"""Formats of values in templates, as filters: prices, instants, ages; each in the user's language."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from babel import Locale, UnknownLocaleError
from babel.dates import format_date, format_datetime, format_time, format_timedelta, get_day_names
from babel.numbers import format_currency, get_currency_name, get_currency_symbol
from markupsafe import Markup

from menu.text.languages import script_name
from service.core.currencies import places_of
from service.core.permissions import Role
from service.desk.schedules import DAYS
from service.desk.times import day_in_words, local_in_words, short_day, week_in_words, when
from service.desk.words import COMMA_LANGUAGES, Phrase, as_it_is, phrase, translated
from service.schema.publishing.schedule import LOCATION_ZONE


def plain_price(price: Decimal | None, currency: str, *, language: str) -> str:
    """Formats a price as users type it: `3.40`, with a comma where the language has one; empty for none."""
    if price is None:
        return ""
    text = f"{price:.{places_of(price, currency)}f}"
    return text.replace(".", ",") if language in COMMA_LANGUAGES else text


def price(amount: Decimal | None, currency: str, *, language: str) -> str:
    """Formats a price with its currency, and with all its decimals."""
    if amount is None:
        return ""
    places = places_of(amount, currency)
    decimals = "." + "0" * places if places else ""
    pattern = re.sub(r"\.0+", decimals, Locale.parse(language).currency_formats["standard"].pattern)
    return format_currency(amount, currency, pattern, locale=language, currency_digits=False)


def symbol(currency: str, *, language: str) -> str:
    return get_currency_symbol(currency, locale=language)


def moment(instant: str | None, zone: str = "UTC", *, language: str) -> str:
    """Formats an instant of the API as date and time in a zone."""
    if instant is None:
        return ""
    at = datetime.fromisoformat(instant).astimezone(_zone(zone))
    return f"{format_date(at, 'medium', locale=language)}, {format_time(at, 'short', locale=language)}"


def age(instant: str | None, now: datetime, *, language: str) -> Phrase | str:
    """Formats the time since an instant of the API: `5 minutes ago`."""
    if instant is None:
        return phrase("never")
    since = now - datetime.fromisoformat(instant)
    if since.total_seconds() < 60:
        return phrase("just now")
    return format_timedelta(-since, granularity="minute", add_direction=True, locale=language)


def _zone(name: str) -> tzinfo:
    return UTC if name == "UTC" else ZoneInfo(name)


def currency_name(currency: str, *, language: str) -> str:
    return get_currency_name(currency, locale=language)


def locale_name(locale: str, *, language: str) -> str:
    """Returns the language and country of a locale, such as `de-DE`."""
    return Locale.parse(locale, sep="-").get_display_name(language) or locale


def day_name(day: str, *, language: str) -> str:
    """Returns the short name of a weekday, such as `mon`."""
    names: Mapping[int, str] = get_day_names("abbreviated", locale=language)
    return names[DAYS.index(day)]


def days_text(days: list[str], *, language: str) -> str:
    """Formats weekdays in short, consecutive ones as a range: `Mon–Fri, Sun`."""
    runs: list[list[str]] = []
    for day in sorted(days, key=DAYS.index):
        follows = bool(runs) and DAYS.index(runs[-1][-1]) + 1 == DAYS.index(day)
        runs[-1].append(day) if follows else runs.append([day])
    texts = []
    for run in runs:
        names = [day_name(day, language=language) for day in run]
        texts.append(f"{names[0]}–{names[-1]}" if len(names) > 2 else ", ".join(names))
    return ", ".join(texts)


def browser(agent: str, *, language: str) -> Phrase | str:
    """Returns the browser and its system, from the User-Agent."""
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
    """Formats a phrase in another language than the page's."""
    return translated(said, chosen)


def command_name(kind: str, *, language: str) -> Phrase:
    return _COMMANDS[kind]


def state_name(state: str, *, language: str) -> Phrase:
    return _STATES.get(state) or as_it_is(state)


def role_name(role: Role, *, language: str) -> Phrase:
    return _ROLES[role]


def delivery_name(status: str, *, language: str) -> Phrase:
    return _DELIVERIES.get(status) or as_it_is(status)


_DELIVERIES = {"pending": phrase("Waiting"), "succeeded": phrase("Delivered"), "failed": phrase("Failed")}


def alert_name(kind: str, *, language: str) -> Phrase:
    return _ALERTS[kind]


def subscription_name(status: str, *, language: str) -> Phrase:
    return _SUBSCRIPTIONS[status]


_ALERTS = {
    "screen_offline": phrase("A screen is offline"),
    "board_fault": phrase("A board has a fault"),
    "sync_failed": phrase("A point of sale cannot be read"),
    "approval_requested": phrase("An approval is asked for"),
    "webhook_disabled": phrase("A webhook is disabled"),
}
_SUBSCRIPTIONS = {
    "trialing": phrase("On trial"),
    "active": phrase("Active"),
    "past_due": phrase("Payment is due"),
    "paused": phrase("Paused"),
    "canceled": phrase("Ended"),
}


def role_help(role: Role, *, language: str) -> Phrase:
    """Returns the permissions of a role, in words."""
    return _ROLE_HELPS[role]


_ROLE_HELPS = {
    Role.OWNER: phrase("everything"),
    Role.ADMIN: phrase("all but the subscription"),
    Role.PUBLISHER: phrase("menus, boards and screens"),
    Role.EDITOR: phrase("menus and drafts"),
    Role.VIEWER: phrase("only looks"),
}


def schedule_words(schedule: Mapping[str, Any], *, language: str) -> Phrase:
    """Describes a schedule: when it holds, and what precedes it."""
    if schedule["type"] == "window":
        ends = (
            format_datetime(datetime.fromisoformat(schedule[name]), "d MMM y, HH:mm", locale=language)
            for name in ("startsAt", "endsAt")
        )
        when = phrase("{start} to {end}", start=next(ends), end=next(ends))
    else:
        when = phrase(
            "{days}, {start} to {end}",
            days=_days(schedule.get("days"), language),
            start=schedule["start"],
            end=schedule["end"],
        )
    if dates := schedule.get("except"):
        shown = ", ".join(format_date(datetime.fromisoformat(date), "short", locale=language) for date in dates)
        when = phrase("{when}, not on {dates}", when=when, dates=shown)
    if schedule["timezone"] != LOCATION_ZONE:
        when = phrase("{when} ({zone})", when=when, zone=schedule["timezone"])
    return (
        phrase("{when}, priority {priority}", when=when, priority=schedule["priority"])
        if schedule.get("priority")
        else when
    )


def _days(days: list[str] | None, language: str) -> Phrase | str:
    if not days:
        return phrase("Every day")
    numbers = sorted(DAYS.index(day) for day in days)
    first, last = DAYS[numbers[0]], DAYS[numbers[-1]]
    if len(numbers) > 2 and numbers == list(range(numbers[0], numbers[-1] + 1)):
        return f"{day_name(first, language=language)}–{day_name(last, language=language)}"
    return ", ".join(day_name(DAYS[number], language=language) for number in numbers)


def script_names(scripts: Sequence[str], *, language: str) -> str:
    """Names scripts (ISO 15924), with commas between them."""
    return ", ".join(script_name(one, language) for one in scripts)


def language_name(tag: str, *, language: str) -> str:
    """Returns the name of a language in the user's own."""
    try:
        return Locale.parse(tag, sep="-").get_display_name(language) or tag
    except (ValueError, UnknownLocaleError):
        return tag


def seconds(length: int, *, language: str) -> str:
    """Formats a duration: `1:05`, or `2:00:00` from an hour on."""
    minutes, rest = divmod(length, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def widget_name(kind: str, *, language: str) -> Phrase:
    return _WIDGETS.get(kind) or as_it_is(kind)


def approval_state(state: str, *, language: str) -> Phrase:
    return _APPROVALS[state]


def planned_state(state: str, *, language: str) -> Phrase:
    return _PLANNED[state]


def override_state(state: str, *, language: str) -> Phrase:
    return _OVERRIDES[state]


def change_name(change: str, *, language: str) -> Phrase:
    return _CHANGES[change]


_APPROVALS = {
    "pending": phrase("Waits for approval"),
    "approved": phrase("Approved"),
    "rejected": phrase("Rejected"),
    "replaced": phrase("Replaced by a newer one"),
}
_PLANNED = {"waiting": phrase("Waiting"), "takingEffect": phrase("Takes effect"), "done": phrase("Done")}
_OVERRIDES = {"waiting": phrase("Waiting"), "running": phrase("Shown now"), "ended": phrase("Over")}
_CHANGES = {
    "added": phrase("New"),
    "removed": phrase("Taken out"),
    "changed": phrase("Looks different"),
    "same": phrase("As it was"),
}
_WIDGETS = {
    "menu": phrase("Menu"),
    "grid": phrase("Cards"),
    "item": phrase("Item"),
    "image": phrase("Picture"),
    "video": phrase("Film"),
    "slideshow": phrase("Pictures in turn"),
    "text": phrase("Text"),
    "ticker": phrase("Scrolling text"),
    "clock": phrase("Clock"),
    "countdown": phrase("Countdown"),
    "qr": phrase("QR code"),
    "shape": phrase("Shape"),
}


def allergen_name(one: str, *, language: str) -> Phrase:
    return _ALLERGENS[one]


_ALLERGENS = {
    "gluten": phrase("Gluten"),
    "crustaceans": phrase("Crustaceans"),
    "eggs": phrase("Eggs"),
    "fish": phrase("Fish"),
    "peanuts": phrase("Peanuts"),
    "soybeans": phrase("Soya"),
    "milk": phrase("Milk"),
    "nuts": phrase("Nuts"),
    "celery": phrase("Celery"),
    "mustard": phrase("Mustard"),
    "sesame": phrase("Sesame"),
    "sulphites": phrase("Sulphites"),
    "lupin": phrase("Lupin"),
    "molluscs": phrase("Molluscs"),
}
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
    "when": when,
    "day_in_words": day_in_words,
    "local_in_words": local_in_words,
    "short_day": short_day,
    "week_in_words": week_in_words,
    "age": age,
    "currency_name": currency_name,
    "locale_name": locale_name,
    "days_text": days_text,
    "browser": browser,
    "in_language": in_language,
    "role_name": role_name,
    "role_help": role_help,
    "alert_name": alert_name,
    "subscription_name": subscription_name,
    "delivery_name": delivery_name,
    "allergen_name": allergen_name,
    "command_name": command_name,
    "state_name": state_name,
    "schedule_words": schedule_words,
    "day_name": day_name,
    "language_name": language_name,
    "script_names": script_names,
    "widget_name": widget_name,
    "seconds": seconds,
    "approval_state": approval_state,
    "override_state": override_state,
    "planned_state": planned_state,
    "change_name": change_name,
}
"""Filters by their names in templates."""
