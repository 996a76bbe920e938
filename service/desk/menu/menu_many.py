"""Acts on many items: sold out, available, another category, other prices; each with its undo."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from starlette.responses import Response

from service.api.http.bodies import model_of
from service.core.amounts import Notation
from service.core.errors import Fault, invalid
from service.core.prices import adjusted
from service.desk.amounts import Item, ask, leaps_of, price_in
from service.desk.menu.menu import MENU, USUAL_STEP, Menu, steps_of
from service.desk.routing import desk_routes
from service.desk.said import Undo
from service.desk.visits import MayEdit, Visit, local_path
from service.desk.words import Phrase, phrases
from service.schema.content.item import BulkEntry
from service.schema.places.local_item import LocalBulkEntry, LocalItemResponse
from service.services.content.place import Place
from service.services.shared.etags import ALWAYS, Condition, tag_of

MAX_PICKED = 200
"""Items of one act: four pages of the list."""
MAX_BY = Decimal(10_000)
_PICK = "item."

Entry = dict[str, object]

routes = desk_routes(Menu, f"{MENU}/many")


@routes.post()
def change(menu: Menu, visit: MayEdit) -> Response:
    """Changes the ticked items, everywhere or at a location: all of them or none."""
    form, at = visit.form, visit.form.get("at", "")
    to = local_path(form.get("back", MENU))
    picked = [name.removeprefix(_PICK) for name in form if name.startswith(_PICK)]
    if not picked or len(picked) > MAX_PICKED:
        detail = f"Tick between one and {MAX_PICKED} items."
        raise invalid([Fault("nothing_ticked", detail, "")])
    act = form.get("act", "")
    before = [menu.read(visit.access, item, at) for item in picked]
    entries = [entry for item in before if (entry := _entry(act, item, visit, menu)) is not None]
    by_id = {item.id: item for item in before}
    leaps = leaps_of((by_id[str(one["id"])], one) for one in entries)
    if (question := ask(visit, leaps, menu.currency(visit.access, at), back=to)) is not None:
        return question
    was = ",".join(_was(visit, menu, act, item) for item in before if any(one["id"] == item.id for one in entries))
    if entries:
        # New prices are made of those that were read: not over what somebody has changed since.
        expected = Condition(tuple(map(tag_of, before))) if act == "price" else ALWAYS
        _apply(visit, menu, at, entries, expected)
    undo = Undo(f"{MENU}/many/undo", {"act": act, "at": at, "was": was, "back": to})
    return visit.done(_SAID[act](len(entries), form), to=to, undo=undo if entries else None)


@routes.post("/undo")
def undo(menu: Menu, visit: MayEdit) -> Response:
    """Gives items the values back that they had."""
    form, at = visit.form, visit.form.get("at", "")
    act = form.get("act", "")
    entries = [_back(act, text, at) for text in form.get("was", "").split(",") if text]
    if entries:
        _apply(visit, menu, at, entries)
    said = phrases("{count} item is as it was.", "{count} items are as they were.", count=len(entries))
    return visit.done(said, to=local_path(form.get("back", MENU)))


def _apply(
    visit: Visit, menu: Menu, at: str, entries: Sequence[Mapping[str, object]], expected: Condition = ALWAYS
) -> None:
    """Raises the problems of the services."""
    if at:
        local = [model_of(LocalBulkEntry, entry) for entry in entries]
        menu.services.places.change_many(visit.access, Place(location=at), local, expected)
    else:
        visit.access.reach_all()
        menu.services.items.change_many(
            visit.access.workspace, [model_of(BulkEntry, entry) for entry in entries], expected
        )


def _entry(act: str, item: Item, visit: Visit, menu: Menu) -> Entry | None:
    """Returns the change of one item; None if there is nothing to change. Raises the 422 problem."""
    form = visit.form
    match act:
        case "sold" | "back":
            return None if item.eighty_sixed == (act == "sold") else {"id": item.id, "eightySixed": act == "sold"}
        case "category":
            category = form.get("category", "")
            return None if item.category == category else {"id": item.id, "category": category}
        case "price":
            return _priced(item, _adjust(form, menu.notation(visit, form.get("at", ""))))
        case _:
            raise invalid([Fault("unknown_act", "There is no such act.", "/act")])


def _adjust(form: Mapping[str, str], notation: Notation) -> Callable[[Decimal], Decimal]:
    steps = steps_of(notation.currency)
    kind = "percent" if form.get("unit") == "percent" else "amount"
    if kind == "percent":
        notation = replace(notation, currency="")
    by, step = price_in(form.get("by", "").removesuffix("%"), notation), form.get("step", steps[USUAL_STEP])
    if not abs(by) <= MAX_BY or step not in steps:
        raise invalid([Fault("out_of_range", f"Prices change by at most {MAX_BY}.", "/by")])
    return lambda price: adjusted(price, step=Decimal(step), **{kind: by})


def _priced(item: Item, adjust: Callable[[Decimal], Decimal]) -> Entry | None:
    """Returns the adjusted prices of an item and its variants, also the regular ones of offers; None at the market
    price."""
    if item.price is None:
        return None
    entry: Entry = {"id": item.id, "price": adjust(item.price)}
    if item.regular_price is not None:
        entry["regularPrice"] = adjust(item.regular_price)
    if item.variants:
        key = "id" if isinstance(item, LocalItemResponse) else "name"
        entry["variants"] = [
            {key: getattr(part, key), "price": adjust(part.price)}
            | ({} if part.regular_price is None else {"regularPrice": adjust(part.regular_price)})
            for part in item.variants
        ]
    return entry


def _was(visit: Visit, menu: Menu, act: str, item: Item) -> str:
    """Encodes the values of an item before the act as a short text: it travels in a cookie."""
    if act in ("sold", "back"):
        own = not isinstance(item, LocalItemResponse) or item.sources.eighty_sixed == "location"
        until = menu.end_of_86(visit.access, item) if item.eighty_sixed else ""
        return f"{item.id}={str(item.eighty_sixed).lower() if own else ''}={until}"
    if act == "category":
        return f"{item.id}={item.category.encode().hex()}"
    values = [_old(item, item.price, item.regular_price)]
    for part in item.variants:
        key = part.id if isinstance(item, LocalItemResponse) else part.name.encode().hex()
        values.append(f"{key}:{_old(part, part.price, part.regular_price)}")
    return f"{item.id}={'='.join(values)}"


def _old(one: Any, price: Decimal | None, regular: Decimal | None) -> str:
    sources = getattr(one, "sources", None)
    own_price = sources is None or sources.price == "location"
    own_regular = sources is None or sources.regular_price == "location"
    told = f"{price:f}" if own_price and price is not None else ""
    return f"{told}/{regular:f}" if own_regular and regular is not None else told


def _back(act: str, text: str, at: str) -> Entry:
    """Returns the change that restores an item's values. Raises the 422 problem for a text that this service has not
    written."""
    item, *values = text.split("=")
    try:
        if act in ("sold", "back"):
            return {
                "id": item,
                "eightySixed": {"true": True, "false": False, "": None}[values[0]],
                **({"eightySixedUntil": values[1]} if values[1] else {}),
            }
        if act == "category":
            return {"id": item, "category": bytes.fromhex(values[0]).decode()}
        entry: Entry = {"id": item, **_prices(values[0])}
        if values[1:]:
            named = (value.partition(":") for value in values[1:])
            entry["variants"] = [
                {"id": key, **_prices(old)} if at else {"name": bytes.fromhex(key).decode(), **_prices(old)}
                for key, _, old in named
            ]
        return entry
    except (KeyError, IndexError, ValueError, ArithmeticError):
        raise invalid([Fault("bad_undo", "This cannot be put back.", "/was")]) from None


def _prices(text: str) -> Entry:
    price, _, regular = text.partition("/")
    entry: Entry = {"price": Decimal(price) if price else None}
    return entry | ({"regularPrice": Decimal(regular)} if regular else {})


_SAID: dict[str, Callable[[int, Mapping[str, str]], Phrase]] = {
    "sold": lambda count, _: phrases("{count} item is sold out.", "{count} items are sold out.", count=count),
    "back": lambda count, _: phrases("{count} item can be had again.", "{count} items can be had again.", count=count),
    "category": lambda count, form: phrases(
        "{count} item is in {category} now.",
        "{count} items are in {category} now.",
        count=count,
        category=form.get("category", ""),
    ),
    "price": lambda count, _: phrases("{count} price is changed.", "{count} prices are changed.", count=count),
}
