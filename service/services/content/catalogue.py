"""Notes that items changed: the time of the catalogue, and the change that wakes the boards with these items."""

from collections.abc import Sequence

from service.core.changes import ContentChanged
from service.services.content.place import EVERYWHERE, Place
from service.storage.database import Unit
from service.storage.tables.menus import ItemRow

MAX_NAMED_LOCATIONS = 50
"""Locations whose manifests are composed one by one; beyond them all of the workspace are."""
MAX_NAMED_ITEMS = 10
"""Changed items that a change names: PostgreSQL delivers notifications of less than 8,000 bytes."""


def catalogue_changed(unit: Unit, workspace: str, rows: Sequence[ItemRow] = (), place: Place = EVERYWHERE) -> None:
    """Notes that these items of the workspace changed, or any, so that the manifests with them at the place are
    composed again."""
    unit.left.add(workspace)
    named = tuple((row.id, row.category) for row in rows) if len(rows) <= MAX_NAMED_ITEMS else ()
    unit.announce(ContentChanged(workspace, items=named, location=place.location, group=place.group))


def locations_changed(unit: Unit, workspace: str, locations: Sequence[str] | None) -> None:
    """Has the manifests of these locations composed again, or of all."""
    whole = locations is None or len(locations) > MAX_NAMED_LOCATIONS
    for location in (None,) if whole else locations or ():
        unit.announce(ContentChanged(workspace, location=location))
