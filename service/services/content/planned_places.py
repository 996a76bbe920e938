"""Places that planned changes reach, and when."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.core.local_time import instant_at
from service.services.content.groups import locations_of
from service.storage.tables.workspaces import LocationRow

Where = tuple[str | None, str | None]
"""A location or a group; neither is everywhere."""
EVERYWHERE: Where = (None, None)


def zones_at(session: Session, workspace: str, places: Iterable[Where]) -> dict[Where, Mapping[str, str]]:
    """The locations of each place with their time zones, as they are now."""
    zones = dict(
        session.execute(select(LocationRow.id, LocationRow.timezone).where(LocationRow.workspace_id == workspace)).all()
    )
    places = list(places)
    members = locations_of(session, [group for _, group in places if group is not None])
    found: dict[Where, Mapping[str, str]] = {}
    for location, group in places:
        there = [location] if location is not None else members[group] if group is not None else list(zones)
        found[location, group] = {one: zones[one] for one in there if one in zones}
    return found


def span(at: str, places: Iterable[Mapping[str, str]]) -> tuple[datetime, datetime]:
    """The first and the last instant of a local time at these locations. Without any it goes by UTC."""
    zones = {zone for there in places for zone in there.values()} or {"UTC"}
    instants = [instant_at(at, zone) for zone in zones]
    return min(instants), max(instants)
