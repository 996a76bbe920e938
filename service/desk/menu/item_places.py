"""An item at one location or in one group: its local values, and the origin of each value."""

from collections import defaultdict
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any

from fastapi import Query
from starlette.responses import Response

from service.api.http.bodies import model_of
from service.core.amounts import Notation
from service.core.errors import ProblemError, not_found
from service.core.permissions import Permission
from service.desk.amounts import Amounts, ask, leaps_of
from service.desk.formats import plain_price
from service.desk.forms import Form
from service.desk.menu.item_form import Reading, changed_fields
from service.desk.menu.menu import MENU, Menu
from service.desk.problems import sentence_of
from service.desk.routing import desk_routes
from service.desk.said import Said, Undo
from service.desk.visits import SURE, MayEdit, MayRead, Visit
from service.desk.words import Phrase, as_it_is, phrase
from service.schema.fields import LABEL_LENGTH
from service.schema.places.local_item import LocalItemPatch, LocalItemResponse
from service.services.content.place import Place
from service.services.shared.etags import PRECONDITION_FAILED, Condition, tag_of

PlaceName = Annotated[str, Query(max_length=LABEL_LENGTH + 10)]
_YES = {"true": True, "false": False, "": None}

routes = desk_routes(Menu, MENU + "/{item}/at")


@routes.get()
def show(menu: Menu, item: str, visit: MayRead, place: PlaceName) -> Response:
    """Returns the item as it is at the place."""
    found = menu.services.places.get(visit.access, place_of(place), item, now=menu.now())
    return _page(visit, menu, found, place, own_fields(found, place, menu.currency_at(visit.access, place), visit))


@routes.post()
def change(menu: Menu, item: str, visit: MayEdit) -> Response:
    """Changes the local values that differ; an empty one gives that of the wider place back."""
    place = visit.form.get("place", "")
    where = place_of(place)
    before = menu.services.places.get(visit.access, where, item, now=menu.now())
    stored = own_fields(before, place, menu.currency_at(visit.access, place), visit)
    changed = changed_fields(stored, visit.form)
    to = f"{MENU}/{item}/at?place={place}"
    if not changed:
        return visit.done(phrase("Nothing was changed."), to=to)
    reading = read_local(changed, before, menu.notation_at(visit, place))
    leaps = leaps_of([(before, reading.document)])
    if (question := ask(visit, leaps, menu.currency_at(visit.access, place), back=to)) is not None:
        return question
    tag = visit.form.get("tag")
    try:
        body = model_of(LocalItemPatch, reading.document)
        after, _ = menu.services.places.change(
            visit.access, where, item, body, Condition(None if tag is None else (tag,))
        )
    except ProblemError as problem:
        return _page(visit, menu, before, place, {**stored, **visit.form}, problem, reading.faults(problem))
    fields = {name: stored[name] for name in changed} | {"place": place, "tag": tag_of(after), SURE: "1"}
    undo = Undo(f"{MENU}/{item}/at", fields)
    said = phrase("{name} is changed at {place}.", name=after.name, place=_name_of(visit, menu, place))
    return visit.done(said, to=to, undo=undo)


def place_of(text: str) -> Place:
    """Parses `location:` or `group:` with an id. Raises the 404 problem."""
    kind, _, identifier = text.partition(":")
    if kind == "location" and identifier:
        return Place(location=identifier)
    if kind == "group" and identifier:
        return Place(group=identifier)
    raise not_found("place", text)


def own_fields(item: LocalItemResponse, place: str, currency: str, visit: Visit) -> dict[str, str]:
    """Returns the place's own values, as texts; empty if the value is that of a wider place."""
    own = place.partition(":")[2] if place.startswith("group:") else "location"

    def price(amount: Decimal | None, source: str) -> str:
        return plain_price(amount, currency, language=visit.language) if source == own else ""

    def flag(source: str, *, value: bool) -> str:
        return str(value).lower() if source == own else ""

    fields = {
        "price": price(item.price, item.sources.price),
        "regularPrice": price(item.regular_price, item.sources.regular_price),
        "eightySixed": flag(item.sources.eighty_sixed, value=item.eighty_sixed),
        "hidden": flag(item.sources.hidden, value=item.hidden),
    }
    for at, part in enumerate(item.variants):
        fields[f"variants.{at}.price"] = price(part.price, part.sources.price)
        fields[f"variants.{at}.eightySixed"] = flag(part.sources.eighty_sixed, value=part.eighty_sixed)
    for at, one in enumerate(item.modifiers):
        fields[f"modifiers.{at}.priceDelta"] = price(one.price_delta, one.source)
    return fields


def read_local(given: Mapping[str, str], item: LocalItemResponse, notation: Notation) -> Reading:
    """Parses the fields of the form, by the item's variants and modifiers."""
    amounts = Amounts()
    told: dict[str, Any] = {}
    places: dict[str, str] = {}
    parts: dict[str, dict[int, dict[str, object]]] = {"variants": {}, "modifiers": {}}
    for field, text in given.items():
        head, _, below = field.partition(".")
        number, _, name = below.partition(".")
        is_flag = (name or head) in ("eightySixed", "hidden")
        value = _YES.get(text, text) if is_flag else amounts.read(field, text, notation)
        if head in parts and number.isdecimal():
            parts[head].setdefault(int(number), {})[name] = value
        elif head in ("price", "regularPrice", "eightySixed", "hidden"):
            told[head] = value
            places[f"/{head}"] = head
    names = {
        "variants": [{"id": part.id} for part in item.variants],
        "modifiers": [{"name": one.name} for one in item.modifiers],
    }
    for head, rows in parts.items():
        told |= {head: [{**names[head][row], **values} for row, values in rows.items()]} if rows else {}
        for at, (row, values) in enumerate(rows.items()):
            places |= {f"/{head}/{at}/{name}": f"{head}.{row}.{name}" for name in values}
    return Reading(told, places, amounts)


def _name_of(visit: Visit, menu: Menu, place: str) -> str:
    where = place_of(place)
    found = (
        menu.locations(visit.access).get(where.location or "")
        if where.location
        else menu.groups(visit.access).get(where.group or "")
    )
    return place if found is None else found.name


def _page(
    visit: Visit,
    menu: Menu,
    item: LocalItemResponse,
    place: str,
    given: Form,
    problem: ProblemError | None = None,
    faults: Mapping[str, Phrase] | None = None,
) -> Response:
    groups = menu.groups(visit.access)
    own = place.partition(":")[2] if place.startswith("group:") else "location"

    def source(name: str) -> Phrase:
        if name == own:
            return phrase("of its own")
        if name == "workspace":
            return phrase("as everywhere")
        return phrase("from {group}", group=groups[name].name) if name in groups else as_it_is(name)

    shown: dict[str, Any] = {
        "item": item,
        "place": place,
        "place_name": _name_of(visit, menu, place),
        "tag": tag_of(item),
        "given": defaultdict(str, given),
        "faults": defaultdict(lambda: None, faults or {}),
        "source": source,
        "currency": menu.currency_at(visit.access, place),
        "can_change": visit.access.may(Permission.EDIT),
    }
    if problem is None:
        return visit.page("item_place", **shown)
    is_late = problem.code == PRECONDITION_FAILED
    late = phrase("Somebody has changed this meanwhile. Compare, and save again to have it your way.")
    marked = phrase("Nothing was saved yet: look at the marked fields.")
    sentence = late if is_late else marked if problem.faults else sentence_of(problem)
    return visit.page("item_place", status=problem.status, said=Said(sentence, kind="fault"), **shown)
