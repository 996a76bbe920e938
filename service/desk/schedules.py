"""Hours of scenes and entries: read from forms, and told in words."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, get_args

from babel import Locale
from babel.dates import format_date, format_datetime

from service.desk.forms import Form
from service.desk.words import Phrase, phrase
from service.schema.schedule import LOCATION_ZONE, Day

DAYS: tuple[str, ...] = get_args(Day)
MIDNIGHT, END_OF_DAY = "00:00", "24:00"


def read_schedule(form: Form) -> dict[str, Any]:
    """The schedule of a form, as a document of the API. An end at midnight is the end of the day."""
    common = {"timezone": form.get("timezone") or LOCATION_ZONE, "priority": _whole(form.get("priority") or "0")}
    if form.get("type") == "window":
        return {"type": "window", "startsAt": form.get("startsAt", ""), "endsAt": form.get("endsAt", ""), **common}
    days = [day for day in DAYS if f"days.{day}" in form]
    dates = [date for date in form.get("except", "").replace(",", " ").split() if date]
    end = form.get("end", "")
    return {
        "type": "daypart",
        "start": form.get("start", ""),
        "end": END_OF_DAY if end == MIDNIGHT else end,
        **({} if len(days) in (0, len(DAYS)) else {"days": days}),
        **({"except": dates} if dates else {}),
        **common,
    }


def schedule_fields(schedule: Mapping[str, Any]) -> dict[str, str]:
    """The fields of a form that make this schedule."""
    fields = {"type": str(schedule["type"]), "timezone": str(schedule["timezone"])}
    fields |= {f"days.{day}": "1" for day in schedule.get("days") or ()}
    fields |= {"except": ", ".join(schedule.get("except") or ()), "priority": str(schedule.get("priority") or 0)}
    return fields | {name: schedule[name] for name in ("start", "end", "startsAt", "endsAt") if schedule.get(name)}


def schedule_words(schedule: Mapping[str, Any], *, language: str) -> Phrase:
    """A schedule in words: when it holds, and what comes before it."""
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
    return phrase("{when}, priority {priority}", when=when, priority=schedule["priority"]) if schedule.get("priority") else when


def day_name(day: str, *, language: str) -> str:
    """The short name of a day."""
    names = Locale.parse(language).days["stand-alone"]["abbreviated"]
    return str(names[DAYS.index(day)])


def _days(days: list[str] | None, language: str) -> Phrase | str:
    if not days:
        return phrase("Every day")
    numbers = sorted(DAYS.index(day) for day in days)
    first, last = DAYS[numbers[0]], DAYS[numbers[-1]]
    if len(numbers) > 2 and numbers == list(range(numbers[0], numbers[-1] + 1)):
        return f"{day_name(first, language=language)}–{day_name(last, language=language)}"
    return ", ".join(day_name(DAYS[number], language=language) for number in numbers)


def _whole(text: str) -> int | str:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else text
