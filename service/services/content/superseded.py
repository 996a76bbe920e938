"""Drops planned values that a later change replaces, while they have taken effect at some locations and not at all.

A price change for all places means now, and everywhere: a planned one of the same item and place must not outlive that
where its time has come, nor come after it where it has not.
"""

from collections.abc import Iterable, Mapping

from sqlalchemy import select

from service.core.json_text import read_json, write_json
from service.services.content.place import EVERYWHERE, Place, span, zones_at
from service.services.content.single_values import without
from service.storage.database import Unit
from service.storage.tables.planned import PlannedChangeRow, PlannedValueRow


def supersede(unit: Unit, workspace: str, changed: Mapping[str, Iterable[str]], place: Place = EVERYWHERE) -> None:
    """Drops the planned values of these items (by id, each with the names of its changed values) that are taking
    effect at this place."""
    query = (
        select(PlannedValueRow, PlannedChangeRow.at)
        .join(PlannedChangeRow, PlannedChangeRow.id == PlannedValueRow.plan_id)
        .where(
            PlannedChangeRow.workspace_id == workspace,
            PlannedChangeRow.done_at.is_(None),
            PlannedValueRow.location_id == place.location,
            PlannedValueRow.group_id == place.group,
        )
    )
    found = [(row, at) for row, at in unit.session.execute(query) if row.item_id in changed]
    if not found:
        return
    there = zones_at(unit.session, workspace, [place]).values()
    for row, at in found:
        begins_at, _ = span(at, there)
        if begins_at > unit.now:
            continue
        values = read_json(row.given.encode())
        kept = without(values, changed[row.item_id])
        if not kept:
            unit.session.delete(row)
        elif len(kept) < len(values):
            row.given = write_json(kept).decode()
