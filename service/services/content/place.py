"""Places: a location, a group of locations, or everywhere; and the locations and clocks of each."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.core.local_time import instant_at
from service.services.shared.lookup import batches
from service.storage.tables.menus import LocalItemRow
from service.storage.tables.planned import PlannedValueRow
from service.storage.tables.workspaces import GroupLocationRow, GroupRow, LocationRow


class Place(NamedTuple):
    """A location, or a group of locations; neither is everywhere."""

    location: str | None = None
    group: str | None = None

    @property
    def id(self) -> str:
        """Id of the location or group; `workspace` for everywhere."""
        return self.location or self.group or "workspace"


EVERYWHERE = Place()


def place_of(row: LocalItemRow | PlannedValueRow) -> Place:
    """Returns the place at which the values of the row hold."""
    return Place(row.location_id, row.group_id)


def locations_of(session: Session, groups: Sequence[str]) -> defaultdict[str, list[str]]:
    """Returns the locations of each group, oldest first."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    members = (
        select(GroupLocationRow.group_id, GroupLocationRow.location_id)
        .join(LocationRow, LocationRow.id == GroupLocationRow.location_id)
        .where(GroupLocationRow.group_id.in_(groups))
        .order_by(LocationRow.number)
    )
    for group, location in session.execute(members):
        found[group].append(location)
    return found


def places_of(session: Session, locations: Iterable[str]) -> dict[str, list[str]]:
    """Returns the places whose values count at each location, the narrowest first: itself, and its groups by
    precedence."""
    found = {location: [location] for location in locations}
    for some in batches(list(found)):
        groups = (
            select(GroupLocationRow.location_id, GroupRow.id)
            .join(GroupRow, GroupRow.id == GroupLocationRow.group_id)
            .where(GroupLocationRow.location_id.in_(some))
            .order_by(GroupRow.precedence.desc(), GroupRow.number)
        )
        for location, group in session.execute(groups):
            found[location].append(group)
    return found


def zones_at(session: Session, workspace: str, places: Iterable[Place]) -> dict[Place, Mapping[str, str]]:
    """Returns the locations of each place with their time zones, as they are now."""
    zones = dict(
        session.execute(select(LocationRow.id, LocationRow.timezone).where(LocationRow.workspace_id == workspace)).all()
    )
    places = list(places)
    members = locations_of(session, [place.group for place in places if place.group is not None])
    found: dict[Place, Mapping[str, str]] = {}
    for place in places:
        there = list(zones) if place == EVERYWHERE else [place.location] if place.location else members[place.id]
        found[place] = {one: zones[one] for one in there if one in zones}
    return found


def span(at: str, places: Iterable[Mapping[str, str]]) -> tuple[datetime, datetime]:
    """Returns the first and the last instant of a local time at these locations. Without any it goes by UTC."""
    zones = {zone for there in places for zone in there.values()} or {"UTC"}
    instants = [instant_at(at, zone) for zone in zones]
    return min(instants), max(instants)
