"""Form of a planned change: rows of items with their planned values, read and written without losing input."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial
from typing import Any

from service.core.amounts import Notation
from service.core.errors import ProblemError
from service.desk.amounts import Amounts, Item
from service.desk.formats import plain_price
from service.desk.forms import Form
from service.desk.menu.menu import Menu
from service.desk.problems import sentence_of_fault
from service.desk.visits import Visit
from service.desk.words import Phrase
from service.schema.publishing.planned_change import PlannedChangeResponse

MAX_ROWS = 100
"""Items of one planned change that the form takes; the API takes more."""
EVERYWHERE = "everywhere"
FIELDS = ("name", "at", "")
"""Fields with faults of their own, and the whole."""
_PLAIN = {"item", "location", "group", "price", "eightySixed", "variants"}
_SOLD = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Size:
    """A variant: its price as typed, and its current price."""

    id: str
    name: str
    typed: str
    now: str


@dataclass(frozen=True, slots=True)
class PlanRow:
    """An item at a place. `more` has values that the form does not show, as JSON."""

    item: str
    name: str
    category: str
    place: str
    place_name: str | None
    """None for everywhere."""
    price: str
    price_now: str
    sold: str
    sold_now: bool
    sizes: Sequence[Size] = ()
    has_price: bool = True
    more: str = ""
    fault: Phrase | None = None

    @property
    def key(self) -> tuple[str, str]:
        """Item and place: each occurs once in the form."""
        return self.item, self.place


@dataclass(frozen=True, slots=True)
class PlanForm:
    """Form of a planned change. `found` are items of which one may be added."""

    name: str = ""
    at: str = ""
    place: str = EVERYWHERE
    search: str = ""
    rows: Sequence[PlanRow] = ()
    found: Sequence[tuple[str, str, str]] = ()
    missed: bool = False
    """Whether a search has found nothing."""
    faults: Mapping[str, Phrase | None] = field(default_factory=lambda: dict.fromkeys(FIELDS))

    amounts: Amounts = field(default_factory=Amounts)
    """Faults of amounts, by the numbers of their changes."""

    def document(self, visit: Visit, menu: Menu) -> dict[str, Any]:
        """Builds the document of the API from the fields of the form."""
        numbers = enumerate(_numbers(visit.form))
        changes = [_change(visit, menu, number, partial(self._amount, at)) for at, number in numbers]
        return {"name": self.name, "at": self.at, "changes": changes}

    def _amount(self, at: int, text: str, notation: Notation) -> object:
        return self.amounts.read(str(at), text, notation)

    def with_faults(self, problem: ProblemError) -> "PlanForm":
        """Returns the form with the faults beside its fields."""
        rows, faults = list(self.rows), dict[str, Phrase | None](dict.fromkeys(FIELDS))
        for one in problem.faults:
            parts = (one.pointer or "").split("/")[1:]
            if parts[:1] == ["changes"] and len(parts) > 1 and parts[1].isdecimal() and int(parts[1]) < len(rows):
                number = int(parts[1])
                fault = self.amounts.faults.get(parts[1], one)
                rows[number] = replace(rows[number], fault=rows[number].fault or sentence_of_fault(fault))
            else:
                name = parts[0] if parts and parts[0] in FIELDS else ""
                faults[name] = faults[name] or sentence_of_fault(one)
        return replace(self, rows=rows, faults=faults)


def empty_form(visit: Visit, menu: Menu, *, items: Sequence[str], place: str, at: str) -> PlanForm:
    places = _names_of_places(visit, menu)
    place = place if place in places else EVERYWHERE
    rows = [row for item in items[:MAX_ROWS] if (row := _row(visit, menu, places, item, place, {})) is not None]
    return PlanForm(at=at, place=place, rows=rows)


def form_of(visit: Visit, menu: Menu, plan: PlannedChangeResponse) -> PlanForm:
    places = _names_of_places(visit, menu)
    rows = []
    for one in plan.changes:
        place = _place_of(one)
        currency = menu.currency_at(visit.access, place)
        fields = {"price": _typed(one.get("price"), currency, visit)}
        if isinstance(one.get("eightySixed"), bool):
            fields["eightySixed"] = str(one["eightySixed"]).lower()
        sizes = one.get("variants") or []
        plain = all(set(size) <= {"id", "price"} and size.get("price") is not None for size in sizes)
        more = {
            name: value
            for name, value in one.items()
            if name not in _PLAIN or value is None or (name == "variants" and not plain)
        }
        if plain:
            for size in sizes:
                fields[f"variants.{size['id']}"] = _typed(size["price"], currency, visit)
        if more:
            fields["more"] = json.dumps(more, default=str)
        row = _row(visit, menu, places, one["item"], place, fields)
        if row is not None:
            rows.append(row)
    return PlanForm(name=plan.name, at=plan.at[:16], rows=rows, place=rows[0].place if rows else EVERYWHERE)


def typed_form(visit: Visit, menu: Menu) -> PlanForm:
    """Returns the form with the user's input, with searched or chosen items added, and without removed ones."""
    form, places = visit.form, _names_of_places(visit, menu)
    place = form.get("place", EVERYWHERE) if form.get("place") in places else EVERYWHERE
    rows = []
    for number in _numbers(form):
        if str(number) == form.get("drop"):
            continue
        head = f"rows.{number}."
        fields = {name.removeprefix(head): value for name, value in form.items() if name.startswith(head)}
        row = _row(visit, menu, places, fields.get("item", ""), fields.get("place", EVERYWHERE), fields)
        if row is not None:
            rows.append(row)
    shown = PlanForm(name=form.get("name", ""), at=form.get("at", ""), place=place, rows=rows)
    search = form.get("search", "").strip()
    if "add" in form:
        return _with_items(shown, visit, menu, places, [form["add"]])
    if search and ("find" in form or is_search(form)):
        return _searched(shown, visit, menu, places, search)
    if "all" in form and form.get("category"):
        found, _ = menu.page(visit.access, "", None, search="", category=form["category"], sold_out=False)
        return _with_items(shown, visit, menu, places, [one.item.id for one in found])
    return shown


def items_changed(
    visit: Visit, menu: Menu, changes: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[Item, Mapping[str, Any]]]:
    """Yields the items of these changes with their current values, each with its change."""
    for one in changes:
        item = _item_at(visit, menu, one["item"], _place_of(one))
        if item is not None:
            yield item, one


def is_search(form: Form) -> bool:
    """Returns whether the user has pressed Enter in the search, not the button that saves."""
    return bool(form.get("search", "").strip()) and "save" not in form


def _searched(shown: PlanForm, visit: Visit, menu: Menu, places: Mapping[str, str | None], search: str) -> PlanForm:
    found, _ = menu.page(visit.access, "", None, search=search, category="", sold_out=False)
    same = [one.item for one in found if one.item.name.casefold() == search.casefold()]
    if len(found) == 1 or len(same) == 1:
        return _with_items(shown, visit, menu, places, [(same or [found[0].item])[0].id])
    listed = [(one.item.id, one.item.name, one.item.category) for one in found[:20]]
    return replace(shown, search=search, found=listed, missed=not listed)


def _with_items(
    shown: PlanForm, visit: Visit, menu: Menu, places: Mapping[str, str | None], items: Sequence[str]
) -> PlanForm:
    known, rows = {row.key for row in shown.rows}, list(shown.rows)
    for item in items:
        if (item, shown.place) not in known and len(rows) < MAX_ROWS:
            row = _row(visit, menu, places, item, shown.place, {})
            rows += [] if row is None else [row]
    return replace(shown, rows=rows)


def _row(
    visit: Visit, menu: Menu, places: Mapping[str, str | None], item: str, place: str, fields: Mapping[str, str]
) -> PlanRow | None:
    """Returns a row with the current values; None for an item that no longer exists."""
    place = place if place in places else EVERYWHERE
    found = _item_at(visit, menu, item, place)
    if found is None:
        return None
    currency = menu.currency_at(visit.access, place)

    def now(amount: Any) -> str:
        return plain_price(amount, currency, language=visit.language)

    return PlanRow(
        item=item,
        name=found.name,
        category=found.category,
        place=place,
        place_name=places[place],
        price=fields.get("price", ""),
        price_now=now(found.price),
        sold=fields.get("eightySixed", ""),
        sold_now=found.eighty_sixed,
        sizes=[Size(one.id, one.name, fields.get(f"variants.{one.id}", ""), now(one.price)) for one in found.variants],
        has_price=found.price is not None and not found.variants,
        more=fields.get("more", ""),
    )


def _typed(amount: int | Decimal | None, currency: str, visit: Visit) -> str:
    return plain_price(None if amount is None else Decimal(amount), currency, language=visit.language)


def _item_at(visit: Visit, menu: Menu, item: str, place: str) -> Item | None:
    kind, _, identifier = place.partition(":")
    try:
        return menu.read(visit.access, item, identifier if kind == "location" else "")
    except ProblemError:
        return None


def _names_of_places(visit: Visit, menu: Menu) -> dict[str, str | None]:
    locations, groups = menu.locations(visit.access), menu.groups(visit.access)
    return {
        EVERYWHERE: None,
        **{f"location:{one.id}": one.name for one in locations.values()},
        **{f"group:{one.id}": one.name for one in groups.values()},
    }


def _place_of(change: Mapping[str, Any]) -> str:
    for kind in ("location", "group"):
        if change.get(kind):
            return f"{kind}:{change[kind]}"
    return EVERYWHERE


def _numbers(form: Form) -> Iterator[int]:
    for name in form:
        head, _, rest = name.partition(".")
        number, _, what = rest.partition(".")
        if head == "rows" and what == "item" and number.isdecimal() and len(number) < 6:
            yield int(number)


def _change(visit: Visit, menu: Menu, number: int, amount: Callable[[str, Notation], object]) -> dict[str, Any]:
    form = visit.form
    head = f"rows.{number}."
    place = form.get(f"{head}place", EVERYWHERE)
    change: dict[str, Any] = {"item": form.get(f"{head}item", "")}
    kind, _, identifier = place.partition(":")
    if kind in ("location", "group"):
        change[kind] = identifier
    notation = menu.notation_at(visit, place)
    if price := form.get(f"{head}price", ""):
        change["price"] = amount(price, notation)
    if (sold := form.get(f"{head}eightySixed", "")) in _SOLD:
        change["eightySixed"] = _SOLD[sold]
    sizes = [
        {"id": name.removeprefix(f"{head}variants."), "price": amount(value, notation)}
        for name, value in form.items()
        if name.startswith(f"{head}variants.") and value
    ]
    if sizes:
        change["variants"] = sizes
    return {**_more(form.get(f"{head}more", "")), **change}


def _more(text: str) -> dict[str, Any]:
    """Parses the hidden values of the form; empty for any other text."""
    try:
        told = json.loads(text, parse_float=Decimal) if text else {}
    except (ValueError, RecursionError):
        return {}
    return (
        {name: told[name] for name in told if name not in ("item", "location", "group")}
        if isinstance(told, dict)
        else {}
    )
