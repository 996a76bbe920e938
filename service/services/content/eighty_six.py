"""86s: whether one holds, how it is set, and when it ends.

One that ends by a rule, at a time of day or when a location opens tomorrow, ends at each location by its own clock and
hours."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from service.core.errors import Fault
from service.core.local_time import instant_at
from service.schema.content.item import OPENING_TOMORROW
from service.services.content.place import EVERYWHERE, place_of
from service.services.shared.hours import span_on
from service.storage.tables.menus import ItemRow, LocalItemRow
from service.storage.tables.workspaces import GroupLocationRow, LocationRow

Row = ItemRow | LocalItemRow
EIGHTY_SIX = ("eighty_sixed", "eighty_sixed_until", "eighty_sixed_rule", "eighty_sixed_at")
"""The columns of an 86."""
DAY_BEGINS = 5
"""The hour at which a day begins outside of opening hours: the night's last guests have gone, and nobody opens
earlier."""
_DAYS_AHEAD = 14
"""A location that does not open for so long has no opening tomorrow: the beginning of the next day counts."""


def said_86(row: Row, *, now: datetime) -> bool | None:
    """Whether the row says that the item is sold out. An expired 86 says nothing, even while the row still has it."""
    return row.eighty_sixed if row.eighty_sixed_until is None or row.eighty_sixed_until > now else None


def lasts(table: type[Row], *, now: datetime) -> ColumnElement[bool]:
    """Whether the 86 of a row of the table has not expired."""
    return table.eighty_sixed_until.is_(None) | (table.eighty_sixed_until > now)


def set_86(
    row: Row, *, said: bool | None, until: datetime | None = None, rule: str | None = None, at: datetime | None = None
) -> None:
    """Sets the 86 of the row, or lifts it; None: the row says nothing."""
    for name, value in zip(EIGHTY_SIX, (said, until, rule, at), strict=True):
        setattr(row, name, value)


def change_86(
    row: Row, given: Mapping[str, Any], *, restock_at: str | None, now: datetime, pointer: str
) -> Iterable[Fault]:
    """Applies an 86, which lasts until it is lifted unless the same call sets an end or the item is restocked at a
    time."""
    if "eighty_sixed" not in given and "eighty_sixed_until" not in given:
        return
    is_local, end = isinstance(row, LocalItemRow), given.get("eighty_sixed_until")
    until: datetime | None = end if isinstance(end, datetime) else None
    said = given.get("eighty_sixed", said_86(row, now=now))
    if end is not None and not said:
        what = "an item that is 86'd at this place" if is_local else "an 86'd item"
        yield Fault("not_eighty_sixed", f"Only {what} can say until when.", f"{pointer}/eightySixedUntil")
    elif until is not None and until <= now:
        yield Fault("not_in_the_future", "This instant lies in the past.", f"{pointer}/eightySixedUntil")
    rule = end if end == OPENING_TOMORROW else None if "eighty_sixed_until" in given else restock_at
    if said:
        set_86(row, said=True, until=until, rule=rule, at=None if rule is None else now)
    else:
        set_86(row, said=said if is_local else False)


def ends_at(row: Row, zone: str, hours: Sequence[Mapping[str, Any]]) -> datetime:
    """When the 86 of this row, which has a rule, ends at a location."""
    said_at: Any = row.eighty_sixed_at
    if row.eighty_sixed_rule == OPENING_TOMORROW:
        return opening_tomorrow(said_at, zone, hours)
    today = said_at.astimezone(ZoneInfo(zone)).date()
    days = (today + timedelta(days=ahead) for ahead in range(3))
    return next(at for day in days if (at := instant_at(f"{day}T{row.eighty_sixed_rule}", zone)) > said_at)


def opening_tomorrow(said_at: datetime, zone: str, hours: Sequence[Mapping[str, Any]]) -> datetime:
    """When a location first opens on a later day; a location that has no hours, when the next day begins.

    The day is that of the hours which hold, the later one where hours of two days do; outside of hours it begins at
    `DAY_BEGINS`: who sells out after midnight is still in the day before."""
    there = ZoneInfo(zone)
    local = said_at.astimezone(there)
    today = local.date()
    if not _holds(hours, today, said_at, there) and (
        local.hour < DAY_BEGINS or _holds(hours, today - timedelta(days=1), said_at, there)
    ):
        today -= timedelta(days=1)
    for ahead in range(1, _DAYS_AHEAD + 1):
        day = today + timedelta(days=ahead)
        starts = [found[0] for part in hours if (found := span_on(part, day, there)) is not None]
        if later := [start for start in starts if start > said_at]:
            return min(later)
    return instant_at(f"{today + timedelta(days=1)}T{DAY_BEGINS:02}:00", zone)


def _holds(hours: Sequence[Mapping[str, Any]], day: date, at: datetime, zone: ZoneInfo) -> bool:
    """Whether hours that begin on this day hold."""
    spans = (span_on(part, day, zone) for part in hours)
    return any(found is not None and found[0] <= at < found[1] for found in spans)


def settle(session: Session, workspace: str, row: Row) -> None:
    """Sets the end of an 86 with a rule: the instant of the only location, or the last one of all."""
    if row.eighty_sixed_rule is None:
        return
    place = place_of(row) if isinstance(row, LocalItemRow) else EVERYWHERE
    query = select(LocationRow.timezone, LocationRow.opening_hours).where(LocationRow.workspace_id == workspace)
    if place.location is not None:
        query = query.where(LocationRow.id == place.location)
    elif place.group is not None:
        query = query.join(GroupLocationRow, GroupLocationRow.location_id == LocationRow.id)
        query = query.where(GroupLocationRow.group_id == place.group)
    ends = [ends_at(row, zone, hours or []) for zone, hours in session.execute(query)]
    row.eighty_sixed_until = max(ends, default=ends_at(row, "UTC", []))
    if place.location is not None:
        row.eighty_sixed_rule = row.eighty_sixed_at = None
