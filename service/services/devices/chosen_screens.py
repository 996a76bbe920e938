"""Finds the screens that a bulk call selects, among those that the key may see."""

import json
from collections import Counter

from sqlalchemy import String, cast, select
from sqlalchemy.orm import Session

from service.core.errors import Fault, ProblemError, invalid
from service.schema.devices.screen import MAX_CHANGED, ScreenChoice
from service.services.access.access import Access
from service.services.content.groups import visible_group
from service.services.shared.lookup import find, find_many, unknown
from service.storage.tables.screens import ScreenRow
from service.storage.tables.workspaces import LocationRow


def chosen_screens(session: Session, access: Access, choice: ScreenChoice) -> list[tuple[str, ScreenRow]]:
    """Returns the screens, each with the pointer to what names it.

    Raises the 422 problem for unknown screens and locations, 404 for a group, and a location that the key does not see,
    and 409 when there are too many.
    """
    if choice.screens is not None:
        return _listed(session, access, choice.screens)
    query = select(ScreenRow).where(ScreenRow.workspace_id == access.workspace).order_by(ScreenRow.number)
    if access.locations is not None:
        query = query.where(ScreenRow.location_id.in_(sorted(access.locations)))
    if choice.location is not None:
        access.reach(choice.location)
        if find(session, LocationRow, access.workspace, choice.location) is None:
            raise invalid([unknown("location", choice.location, "/choose/location")])
        query = query.where(ScreenRow.location_id == choice.location)
    elif choice.group is not None:
        _, locations = visible_group(session, access, choice.group)
        query = query.where(ScreenRow.location_id.in_(locations))
    else:
        # Tags are stored as a JSON array of strings, in which a quote inside of one is escaped.
        query = query.where(cast(ScreenRow.tags, String).contains(json.dumps(choice.tag), autoescape=True))
    rows = session.scalars(query.limit(MAX_CHANGED + 1)).all()
    if len(rows) > MAX_CHANGED:
        detail = f"A call changes at most {MAX_CHANGED}. Choose them by lists, or by location."
        raise ProblemError(409, "too_many_screens", "There are too many screens", detail)
    by = next(name for name, value in choice.everything().items() if value is not None)
    return [(f"/choose/{by}", row) for row in rows]


def _listed(session: Session, access: Access, screens: list[str]) -> list[tuple[str, ScreenRow]]:
    found = find_many(session, ScreenRow, access.workspace, screens)
    counts = Counter[str]()
    faults: list[Fault] = []
    for index, screen in enumerate(screens):
        counts[screen] += 1
        if screen not in found or not access.sees(found[screen].location_id):
            faults.append(unknown("screen", screen, f"/choose/screens/{index}"))
        elif counts[screen] > 1:
            faults.append(Fault("duplicate", "This screen stands in the call already.", f"/choose/screens/{index}"))
    if faults:
        raise invalid(faults)
    return [(f"/choose/screens/{index}", found[screen]) for index, screen in enumerate(screens)]
