"""Menu: all items, searched and paged; 86 by a tap, prices in the row, and the number of boards that show a change."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any

from fastapi import Query
from starlette.responses import Response

from service.api.http.bodies import model_of
from service.core.amounts import Notation, notation_of, written_surely
from service.core.currencies import decimals_of
from service.core.permissions import Permission
from service.desk.amounts import Item, ask, leaps_of, price_in
from service.desk.desk import Desk
from service.desk.formats import price as price_text
from service.desk.lists import Cursor, Pages
from service.desk.routing import desk_routes
from service.desk.said import Said, Undo
from service.desk.visits import SURE, MayEdit, MayRead, Visit, local_path
from service.desk.words import Phrase, phrase
from service.schema.content.item import OPENING_TOMORROW, ItemPatch
from service.schema.fields import LABEL_LENGTH
from service.schema.places.local_item import LocalItemPatch, LocalItemResponse
from service.schema.places.location import LocationResponse
from service.services.access.access import Access
from service.services.content.item_filters import ItemFilter
from service.services.content.place import Place
from service.services.places.places import LocalFilter
from service.storage.paging import PageRequest

MENU = "/desk/menu"
PAGE_SIZE = 50
STEPS = {
    0: ("1", "5", "10", "50", "100", "500", "1000"),
    2: ("0.01", "0.05", "0.10", "0.50", "1"),
    3: ("0.001", "0.005", "0.010", "0.050", "0.100", "0.500", "1"),
}
"""Steps to which changed prices are rounded, by the decimals of the currency."""
USUAL_STEP = 2
"""The place of the step that the form offers first."""
DEFAULT_CURRENCY = "EUR"

Word = Annotated[str, Query(max_length=LABEL_LENGTH)]


@dataclass(frozen=True, slots=True)
class Row:
    """An item in a row; `changed` says whether it was just changed here, so that its boards are counted."""

    item: Item
    at: str
    """The location whose values are shown and changed; empty for those of the workspace."""
    currency: str
    zone: str
    can_change: bool
    changed: bool = False

    @property
    def is_local_price(self) -> bool:
        return isinstance(self.item, LocalItemResponse) and self.item.sources.price != "workspace"

    @property
    def is_local_86(self) -> bool:
        """Whether the place alone has it sold out or available."""
        return isinstance(self.item, LocalItemResponse) and self.item.sources.eighty_sixed != "workspace"


class Menu(Desk):
    """Reads and changes items, of the workspace or at a location, by the services of the API."""

    def page(
        self, access: Access, at: str, cursor: str | None, *, search: str, category: str, sold_out: bool
    ) -> tuple[list[Row], str | None]:
        """Returns one page of rows, and the cursor of the next."""
        given: dict[str, Any] = {
            "search": search or None,
            "category": category or None,
            "eighty_sixed": sold_out or None,
        }
        request = PageRequest(PAGE_SIZE, cursor)
        found: list[Item]
        if at:
            local = self.services.places.list(access, Place(location=at), request, LocalFilter(**given), now=self.now())
            found, following = list(local.data), local.pagination.cursor
        else:
            listed = self.services.items.list(access.workspace, request, chosen=ItemFilter(**given), now=self.now())
            found, following = list(listed.data), listed.pagination.cursor
        there = self._there(access, at)
        return [self._row(access, item, at, there) for item in found], following

    def row(self, access: Access, item: str, at: str, *, changed: bool = False) -> Row:
        """Raises the 404 problem."""
        return self._row(access, self.read(access, item, at), at, self._there(access, at), changed=changed)

    def read(self, access: Access, item: str, at: str) -> Item:
        """Raises the 404 problem."""
        if at:
            return self.services.places.get(access, Place(location=at), item, now=self.now())
        return self.services.items.get(access.workspace, item, now=self.now())

    def change(self, access: Access, item: str, at: str, given: Mapping[str, object]) -> None:
        """Changes fields of an item, everywhere or at a location. Raises the problems of the services."""
        if at:
            self.services.places.change(access, Place(location=at), item, model_of(LocalItemPatch, given))
        else:
            access.reach_all()
            self.services.items.change(access.workspace, item, model_of(ItemPatch, given))

    def end_of_86(self, access: Access, item: Item) -> str:
        """Returns the end of an item's current 86: an instant, or the rule by which each location has its own; empty if
        there is none to send."""
        if isinstance(item, LocalItemResponse):
            return item.eighty_sixed_until or ""
        rule = self.services.items.restock_rule(access.workspace, item.id)
        if rule is None:
            return item.eighty_sixed_until or ""
        return OPENING_TOMORROW if rule == OPENING_TOMORROW else ""

    def currency(self, access: Access, at: str = "") -> str:
        there = self._there(access, at)
        return DEFAULT_CURRENCY if there is None else there.currency

    def notation(self, visit: Visit, at: str = "") -> Notation:
        """Returns the notation of a location for the user."""
        there = self._there(visit.access, at)
        if there is None:
            return Notation(DEFAULT_CURRENCY, (visit.language,))
        return notation_of(there.currency, there.locale, language=visit.language)

    def currency_at(self, access: Access, place: str) -> str:
        """Returns the currency at `location:` or `group:` with its id."""
        return self.currency(access, self._location_of(access, place))

    def notation_at(self, visit: Visit, place: str) -> Notation:
        """Returns the notation at `location:` or `group:` with its id."""
        return self.notation(visit, self._location_of(visit.access, place))

    def _location_of(self, access: Access, place: str) -> str:
        """Returns the location of a place: of a group, its first."""
        kind, _, identifier = place.partition(":")
        if kind == "group":
            group = self.groups(access).get(identifier)
            return "" if group is None else next(iter(group.locations), "")
        return identifier

    def zone(self, access: Access, at: str = "") -> str:
        there = self._there(access, at)
        return "UTC" if there is None else there.timezone

    def _there(self, access: Access, at: str) -> LocationResponse | None:
        """Returns the location; without one the first, whose currency and clock stand for the workspace's."""
        locations = self.locations(access)
        return locations.get(at) if at else next(iter(locations.values()), None)

    def _row(
        self, access: Access, item: Item, at: str, there: LocationResponse | None, *, changed: bool = False
    ) -> Row:
        currency, zone = (DEFAULT_CURRENCY, "UTC") if there is None else (there.currency, there.timezone)
        return Row(item, at, currency, zone, access.may(Permission.EDIT), changed)


routes = desk_routes(Menu, MENU)


def _answer(menu: Menu, visit: Visit, item: str, sentence: Phrase, undo: Undo) -> Response:
    at = visit.form.get("at", "")
    if visit.wants_part:
        row = menu.row(visit.access, item, at, changed=True)
        return visit.part("menu_row", row=row, back=local_path(visit.form.get("back", MENU)), said=Said(sentence, undo))
    return visit.done(sentence, to=local_path(visit.form.get("back", MENU)), undo=undo)


@routes.get()
def list_items(
    menu: Menu,
    visit: MayRead,
    search: Word = "",
    category: Word = "",
    sold_out: Word = "",
    at: Word = "",
    cursor: Cursor = None,
) -> Response:
    """Returns the items that match the filter."""
    rows, following = menu.page(visit.access, at, cursor, search=search, category=category, sold_out=bool(sold_out))
    given = {"search": search, "category": category, "sold_out": sold_out, "at": at}
    shown: dict[str, Any] = {
        "rows": rows,
        "pages": Pages(MENU, given, cursor, following),
        "back": visit.address,
    }
    if visit.wants_part:
        return visit.part("menu_rows", **shown)
    choices: dict[str, Any] = {
        "locations": menu.locations(visit.access),
        "categories": menu.services.categories.names(visit.access.workspace),
        "can_tick": visit.access.may(Permission.EDIT),
        "currency": menu.currency(visit.access, at),
        "steps": steps_of(menu.currency(visit.access, at)),
        "usual_step": USUAL_STEP,
        "can_add": visit.access.may(Permission.EDIT) and visit.access.locations is None,
    }
    return visit.page("menu", **shown, **choices)


@routes.get("/{item}/row")
def get_row(menu: Menu, item: str, visit: MayRead, at: Word = "", changed: Word = "", back: str = MENU) -> Response:
    """One row, as it is now."""
    row = menu.row(visit.access, item, at, changed=bool(changed))
    return visit.part("menu_row", row=row, back=local_path(back))


@routes.get("/{item}/boards")
def get_boards(menu: Menu, item: str, visit: MayRead) -> Response:
    """Returns the boards that show the newest change of an item, of those that have it."""
    return visit.part("boards", item=item, reach=menu.services.reach.of_item(visit.access, item, now=menu.now()))


@routes.post("/{item}/sold-out")
def sell_out(menu: Menu, item: str, visit: MayEdit) -> Response:
    """Marks an item as sold out, or as to be had again; everywhere or at a location."""
    at, sold_out, until = (visit.form.get(name, "") for name in ("at", "sold", "until"))
    before = menu.read(visit.access, item, at)
    given: dict[str, object] = {"eightySixed": None if sold_out == "" else sold_out == "true"}
    if sold_out == "true" and until:
        given["eightySixedUntil"] = until
    undo = Undo(f"{MENU}/{item}/sold-out", _undo_86(menu, before, at, visit), target=f"#item-{item}")
    menu.change(visit.access, item, at, given)
    return _answer(menu, visit, item, _said_86(before.name, given, at, menu.locations(visit.access)), undo)


@routes.post("/{item}/price")
def set_price(menu: Menu, item: str, visit: MayEdit) -> Response:
    """Sets the price, everywhere or at a location; there, an empty one gives that of the workspace back."""
    at, typed = visit.form.get("at", ""), visit.form.get("price", "")
    before = menu.row(visit.access, item, at)
    given: dict[str, object] = {"price": None if at and not typed else price_in(typed, menu.notation(visit, at))}
    back = local_path(visit.form.get("back", MENU))
    if (question := ask(visit, leaps_of([(before.item, given)]), before.currency, back=back)) is not None:
        return question
    menu.change(visit.access, item, at, given)
    old = "" if at and not before.is_local_price else written_surely(before.item.price or Decimal(0))
    fields = {"at": at, "price": old, "back": back, SURE: "1"}
    undo = Undo(f"{MENU}/{item}/price", fields, target=f"#item-{item}")
    now = menu.read(visit.access, item, at).price
    cost = price_text(now, before.currency, language=visit.language)
    return _answer(menu, visit, item, phrase("{name} costs {price}.", name=before.item.name, price=cost), undo)


def steps_of(currency: str) -> tuple[str, ...]:
    """Returns the steps of prices in a currency: none has more decimals than it."""
    return STEPS.get(decimals_of(currency), STEPS[2])


def _undo_86(menu: Menu, before: Item, at: str, visit: Visit) -> dict[str, str]:
    is_own = not isinstance(before, LocalItemResponse) or before.sources.eighty_sixed == "location"
    fields = {"at": at, "sold": str(before.eighty_sixed).lower() if is_own else ""}
    until = menu.end_of_86(visit.access, before) if is_own and before.eighty_sixed else ""
    return {**fields, **({"until": until} if until else {}), "back": visit.form.get("back", MENU)}


def _said_86(name: str, given: Mapping[str, object], at: str, locations: Mapping[str, LocationResponse]) -> Phrase:
    sold_out, until = given["eightySixed"], "eightySixedUntil" in given
    if at and sold_out:
        place = locations[at].name if at in locations else at
        until_there = phrase("{name} is sold out at {place} until tomorrow.", name=name, place=place)
        return until_there if until else phrase("{name} is sold out at {place}.", name=name, place=place)
    if sold_out:
        until_everywhere = phrase("{name} is sold out everywhere until tomorrow.", name=name)
        return until_everywhere if until else phrase("{name} is sold out everywhere.", name=name)
    return phrase("{name} can be had again.", name=name)
