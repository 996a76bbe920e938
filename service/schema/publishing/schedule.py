"""Schedules: dayparts and windows, in the wall time of a zone (docs/semantics.md)."""

import re
from datetime import datetime
from typing import Annotated, Any, Literal

from annotated_types import Ge, Le, MaxLen, MinLen
from pydantic import AfterValidator, Discriminator, TypeAdapter, ValidationError, model_validator

from menu.documents.schedule import MAX_EXCEPTIONS, MAX_PRIORITY
from service.core.errors import Fault, invalid
from service.schema.base import ABSENT, Input, Patch, ResponseModel, json_names
from service.schema.faults import faults_of
from service.schema.fields import DateText, TextSchema, Whole, check_timezone, fault, of_calendar

LOCATION_ZONE = "location"
"""The time zone of the screen's location."""


Day = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

_CLOCK = "([01][0-9]|2[0-3]):[0-5][0-9]"
_TIME = re.compile(_CLOCK, re.ASCII)
_END_OF_DAY = "24:00"


def _start(value: str) -> str:
    if not _TIME.fullmatch(value):
        raise fault("not_a_time", "A start is HH:MM from 00:00 to 23:59.")
    return value


def _end(value: str) -> str:
    if value != _END_OF_DAY and not _TIME.fullmatch(value):
        raise fault("not_a_time", "An end is HH:MM from 00:00 to 24:00.")
    return value


_wall_time = of_calendar(
    r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?",
    datetime.fromisoformat,
    "not_a_local_time",
    "This must be a local date and time without offset, such as 2026-12-24T18:00.",
)


def _zone(value: str) -> str:
    return value if value == LOCATION_ZONE else check_timezone(value)


def _distinct(days: list[Day]) -> list[Day]:
    if len(set(days)) != len(days):
        raise fault("duplicate", "Each day stands here once.")
    return days


def _each_once(dates: list[str]) -> list[str]:
    if len(set(dates)) != len(dates):
        raise fault("duplicate", "Each date stands here once.")
    return dates


Days = Annotated[list[Day], MinLen(1), MaxLen(7), AfterValidator(_distinct)]
Start = Annotated[str, AfterValidator(_start), TextSchema(pattern=f"^{_CLOCK}$", examples=["06:00"])]
End = Annotated[str, AfterValidator(_end), TextSchema(pattern=f"^({_CLOCK}|{_END_OF_DAY})$", examples=["11:00"])]
WallTime = Annotated[
    str, AfterValidator(_wall_time), TextSchema(format="local-date-time", examples=["2026-12-24T18:00:00"])
]
Zone = Annotated[
    str, AfterValidator(_zone), TextSchema(format="iana-timezone", examples=[LOCATION_ZONE, "Europe/Berlin"])
]
Exceptions = Annotated[
    list[DateText],
    MinLen(1),
    MaxLen(MAX_EXCEPTIONS),
    AfterValidator(_each_once),
]
Priority = Annotated[Whole, Ge(0), Le(MAX_PRIORITY)]


class DaypartCreate(Input):
    """A part of the day, every day or on the days on which it starts. It may end on the next day. On the local dates of
    `except` it does not start. While a scene of a higher `priority` is due, those of lower ones do not show."""

    type: Literal["daypart"]
    days: Days | None = None
    except_: Exceptions | None = None
    start: Start
    end: End
    timezone: Zone = LOCATION_ZONE
    priority: Priority = 0


class WindowCreate(Input):
    """One period of time. While a scene of a higher `priority` is due, those of lower ones do not show."""

    type: Literal["window"]
    starts_at: WallTime
    ends_at: WallTime
    timezone: Zone = LOCATION_ZONE
    priority: Priority = 0

    @model_validator(mode="after")
    def _forward(self) -> "WindowCreate":
        if datetime.fromisoformat(self.ends_at) <= datetime.fromisoformat(self.starts_at):
            raise fault("ends_before_start", "endsAt lies after startsAt.")
        return self


ScheduleCreate = Annotated[DaypartCreate | WindowCreate, Discriminator("type")]
_SCHEDULES: TypeAdapter[DaypartCreate | WindowCreate] = TypeAdapter(ScheduleCreate)


class SchedulePatch(Patch):
    """Fields of a schedule to change; those of its own type. A daypart with `days` null applies every day, with
    `except` null without exceptions."""

    days: Days | None = None
    except_: Exceptions | None = None
    start: Start = ABSENT
    end: End = ABSENT
    starts_at: WallTime = ABSENT
    ends_at: WallTime = ABSENT
    timezone: Zone = ABSENT
    priority: Priority = ABSENT


class ScheduleResponse(ResponseModel):
    """A schedule. A daypart has `days`, `start` and `end`; a window `startsAt` and `endsAt`."""

    id: str
    type: str
    days: list[str] | None = None
    except_: list[str] | None = None
    start: str | None = None
    end: str | None = None
    starts_at: str | None = None
    ends_at: str | None = None
    timezone: str
    priority: int = 0


def schedule_document(schedule: DaypartCreate | WindowCreate) -> dict[str, object]:
    """Returns the schedule as it is stored and sent to players: always with its zone; absent days are omitted, and so
    is a priority of 0."""
    document = schedule.model_dump(by_alias=True, exclude_none=True)
    return {name: value for name, value in document.items() if (name, value) != ("priority", 0)}


def changed_schedule(stored: dict[str, Any], patch: SchedulePatch) -> dict[str, object]:
    """Changes the given fields of a stored schedule. Raises the 422 problem for those of the other type."""
    given = patch.document()
    own = DaypartCreate if stored["type"] == "daypart" else WindowCreate
    known = json_names(own).values()
    foreign = [name for name in given if name not in known]
    if foreign:
        detail = f"A {stored['type']} has no such field."
        raise invalid([Fault("not_allowed", detail, pointer=f"/{name}") for name in foreign])
    try:
        return schedule_document(_SCHEDULES.validate_python(stored | given))
    except ValidationError as flaw:
        errors = [{**error, "loc": ("body", *error["loc"])} for error in flaw.errors()]
        raise invalid(faults_of(errors, stored | given)) from None
