"""Items as they are at a location at an instant, with what is planned for then."""

from collections.abc import Callable, Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from service.schema.places.local_item import LocalItemResponse
from service.services.content.place import places_of
from service.services.places.local_items import LocalItems
from service.services.places.local_views import local_view
from service.services.places.planned_values import PlannedValues, There
from service.services.shared.lookup import find_many
from service.storage.tables.menus import ItemRow


def there_at(session: Session, workspace: str, location: str, rows: Sequence[ItemRow], *, now: datetime) -> There:
    """The values of these items at the location."""
    items = {row.id: row for row in rows}
    places = places_of(session, [location])
    planned = PlannedValues(session, workspace, places, items.keys())
    return planned.there(location, LocalItems(session, places[location], list(items)), items, now=now)


def viewer_at(
    session: Session, workspace: str, location: str, rows: Sequence[ItemRow], *, now: datetime
) -> Callable[[ItemRow], LocalItemResponse]:
    """Makes the responses of these rows at the location."""
    choices = choices_of(session, rows)
    there = there_at(session, workspace, location, [*choices.values(), *rows], now=now)
    here = {row.id: row for row in there.local.items_at(choices.values(), there.places, now=now)}
    return lambda row: local_view(row, there.local.of(row.id, there.places), here, now=now)


def choices_of(session: Session, rows: Sequence[ItemRow]) -> dict[str, ItemRow]:
    """The items that parts of these combos name."""
    named = {choice["itemId"] for row in rows for part in row.parts or () for choice in part["anyOf"]}
    return find_many(session, ItemRow, rows[0].workspace_id, named) if named else {}
