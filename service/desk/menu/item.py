"""Page of an item: all its fields, with the faults beside them; creates and deletes items."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from service.api.http.bodies import model_of
from service.core.errors import ProblemError
from service.core.permissions import Permission
from service.desk.amounts import ask, leaps_of
from service.desk.forms import seen_in
from service.desk.menu.item_form import (
    ALLERGENS,
    changed_fields,
    completed,
    fields_of,
    read_item,
    rows_of,
    whole_rows,
)
from service.desk.menu.menu import MENU, Menu
from service.desk.problems import sentence_of
from service.desk.routing import desk_routes
from service.desk.said import Said, Undo
from service.desk.visits import SURE, MayEditEverywhere, MayRead, Visit
from service.desk.words import LANGUAGES, Phrase, phrase
from service.schema.content.item import ItemCreate, ItemPatch, ItemResponse
from service.services.shared.etags import PRECONDITION_FAILED, tag_of

NEW: dict[str, str] = {"priceKind": "exact", "priceUnit": "", "sortIndex": "0"}
"""Fields of an item that is to be made."""

routes = desk_routes(Menu, MENU)


@routes.get("/new")
def show_new(menu: Menu, visit: MayEditEverywhere, category: str = "") -> Response:
    """Returns the form of an item that is to be made."""
    return _page(visit, menu, None, {**NEW, "category": category})


@routes.post("/new")
def make(menu: Menu, visit: MayEditEverywhere) -> Response:
    """Makes an item; what is not valid shows the form again."""
    given = completed(visit.form)
    reading = read_item(given, zone=menu.zone(visit.access), notation=menu.notation(visit))
    try:
        made = menu.services.items.create(visit.access.workspace, model_of(ItemCreate, reading.document))
    except ProblemError as problem:
        return _page(visit, menu, None, given, problem=problem, faults=reading.faults(problem))
    undo = Undo(f"{MENU}/{made.id}/delete")
    return visit.done(phrase("{name} is on the menu.", name=made.name), to=f"{MENU}/{made.id}", undo=undo)


@routes.get("/{item}")
def show(menu: Menu, item: str, visit: MayRead) -> Response:
    """Returns the item with all its fields."""
    found = menu.services.items.get(visit.access.workspace, item, now=menu.now())
    return _page(visit, menu, found, _fields(visit, menu, found))


@routes.post("/{item}")
def change(menu: Menu, item: str, visit: MayEditEverywhere) -> Response:
    """Changes the fields that differ, unless somebody has changed the item meanwhile."""
    given = completed(visit.form)
    before = menu.services.items.get(visit.access.workspace, item, now=menu.now())
    stored = _fields(visit, menu, before)
    changed = whole_rows(changed_fields(stored, given), given)
    reading = read_item(changed, zone=menu.zone(visit.access), notation=menu.notation(visit))
    to = f"{MENU}/{item}"
    if not changed:
        return visit.done(phrase("Nothing was changed."), to=to)
    leaps = leaps_of([(before, reading.document)])
    if (question := ask(visit, leaps, menu.currency(visit.access), back=to)) is not None:
        return question
    try:
        after = _change(visit, menu, before, reading.document, given)
    except ProblemError as problem:
        shown = {**stored, **given}
        is_late = problem.code == PRECONDITION_FAILED
        others = {name: stored.get(name, "") for name in changed} if is_late else {}
        return _page(visit, menu, before, shown, problem=problem, faults=reading.faults(problem), others=others)
    fields = whole_rows({name: stored.get(name, "") for name in changed}, stored)
    undo = Undo(to, {**fields, "tag": tag_of(after), SURE: "1"})
    return visit.done(phrase("{name} is changed.", name=after.name), to=to, undo=undo)


@routes.post("/{item}/delete")
def delete(menu: Menu, item: str, visit: MayEditEverywhere) -> Response:
    """Deletes the item, also from the boards. It has no way back: playlists and places knew it by its id."""
    name = menu.services.items.get(visit.access.workspace, item, now=menu.now()).name
    menu.services.items.remove(visit.access.workspace, item)
    return visit.done(phrase("{name} is deleted.", name=name), to=MENU)


def _change(
    visit: Visit, menu: Menu, before: ItemResponse, given: Mapping[str, object], form: Mapping[str, str]
) -> ItemResponse:
    """Changes the item. Renames variants first, so that they keep their ids and local values."""
    body, renamed = model_of(ItemPatch, given), _renamed(before, form)
    return menu.services.items.change(visit.access.workspace, before.id, body, seen_in(form), renamed=renamed)[1]


def _renamed(before: ItemResponse, form: Mapping[str, str]) -> dict[str, str]:
    known = {part.id: part.name for part in before.variants}
    told = {form[name]: form.get(f"{name[:-3]}.name", "") for name in form if name.endswith(".id")}
    names = set(known.values())
    return {one: name for one, name in told.items() if one in known and name and name not in names}


def _fields(visit: Visit, menu: Menu, item: ItemResponse) -> dict[str, str]:
    currency, zone = menu.currency(visit.access), menu.zone(visit.access)
    return fields_of(item, currency=currency, zone=zone, language=visit.language)


def _page(
    visit: Visit,
    menu: Menu,
    item: ItemResponse | None,
    given: Mapping[str, str],
    *,
    problem: ProblemError | None = None,
    faults: Mapping[str, Phrase] | None = None,
    others: Mapping[str, str] | None = None,
) -> Response:
    access = visit.access
    shown: dict[str, Any] = {
        "item": item,
        "tag": "" if item is None else tag_of(item),
        # Fields that a form has not are empty.
        "given": defaultdict(str, given),
        "faults": defaultdict(lambda: None, faults or {}),
        "others": others or {},
        "rows_of": lambda name: rows_of(given, name),
        "allergens": ALLERGENS,
        "languages": LANGUAGES,
        "currency": menu.currency(access),
        "categories": menu.services.categories.names(access.workspace),
        "locations": menu.locations(access),
        "groups": menu.groups(access),
        "can_change": access.may(Permission.EDIT) and access.locations is None,
    }
    if problem is None:
        return visit.page("item", **shown)
    return visit.page("item", status=problem.status, said=Said(_sentence(problem), kind="fault"), **shown)


def _sentence(problem: ProblemError) -> Phrase:
    if problem.code == PRECONDITION_FAILED:
        return phrase("Somebody has changed this meanwhile. Compare, and save again to have it your way.")
    if problem.faults:
        return phrase("Nothing was saved yet: look at the marked fields.")
    return sentence_of(problem)
