"""Hours of scenes and entries in forms; `formats` describes them in words."""

from collections.abc import Mapping
from typing import Any, get_args

from service.desk.forms import Form, whole_in
from service.schema.publishing.schedule import LOCATION_ZONE, Day

DAYS: tuple[str, ...] = get_args(Day)
MIDNIGHT, END_OF_DAY = "00:00", "24:00"


def read_schedule(form: Form) -> dict[str, Any]:
    """Parses the schedule of a form, as a document of the API. An end at midnight is the end of the day."""
    common = {"timezone": form.get("timezone") or LOCATION_ZONE, "priority": whole_in(form.get("priority") or "0")}
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
    """Returns the fields of a form that make this schedule."""
    fields = {"type": str(schedule["type"]), "timezone": str(schedule["timezone"])}
    fields |= {f"days.{day}": "1" for day in schedule.get("days") or ()}
    fields |= {"except": ", ".join(schedule.get("except") or ()), "priority": str(schedule.get("priority") or 0)}
    return fields | {name: schedule[name] for name in ("start", "end", "startsAt", "endsAt") if schedule.get(name)}
