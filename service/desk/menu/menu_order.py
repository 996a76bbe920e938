"""Order of the items of a category on the boards, by drag, key and touch."""

from typing import Any
from urllib.parse import urlencode

from starlette.responses import Response

from service.api.http.bodies import model_of
from service.core.errors import not_found
from service.desk.desk import Desk
from service.desk.forms import moved
from service.desk.menu.menu import MENU, Word
from service.desk.routing import desk_routes
from service.desk.said import Said, Undo
from service.desk.visits import MayEditEverywhere, Visit
from service.desk.words import phrase
from service.schema.content.item import MAX_BULK_ENTRIES, ItemOrder

ORDER = f"{MENU}/order"

routes = desk_routes(Desk, ORDER)


def _shown(desk: Desk, visit: Visit, category: str) -> dict[str, Any]:
    names = desk.services.item_order.names(visit.access.workspace, category)
    return {"category": category, "names": names, "is_too_long": len(names) > MAX_BULK_ENTRIES}


@routes.get()
def show(desk: Desk, visit: MayEditEverywhere, category: Word = "") -> Response:
    """Returns the items of a category, or of the first."""
    known = desk.services.categories.names(visit.access.workspace)
    chosen = category or next(iter(known), "")
    return visit.page("menu_order", categories=known, **_shown(desk, visit, chosen))


@routes.post()
def move(desk: Desk, visit: MayEditEverywhere, category: Word) -> Response:
    """Moves an item by a place, or to one."""
    workspace, form = visit.access.workspace, visit.form
    names, entry = desk.services.item_order.names(workspace, category), form.get("entry", "")
    if entry not in names:
        raise not_found("item", entry)
    before, after = list(names), moved(list(names), form)
    if after != before:
        desk.services.item_order.change(
            workspace, model_of(ItemOrder, {"category": category, "items": after}), before=before
        )
    to = f"{ORDER}?{urlencode({'category': category})}"
    sentence = phrase("{name} is moved. The boards follow.", name=names[entry])
    undo = Undo(to, {"entry": entry, "to": str(before.index(entry) + 1)}, target="#menu-order")
    if visit.wants_part:
        return visit.part("menu_order", said=Said(sentence, undo), **_shown(desk, visit, category))
    return visit.done(sentence, to=to, undo=undo)
