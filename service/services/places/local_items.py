"""Computes items as they are at a place. The local values of a location count before those of its groups, field by
field, and these before the values of the item itself."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from operator import attrgetter
from types import MappingProxyType
from typing import Any, TypeVar

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from menu.documents.manifest import WITHOUT_AMOUNT
from service.services.content.eighty_six import EIGHTY_SIX, said_86, settle
from service.services.content.offers import without_offer
from service.services.content.place import Place, place_of
from service.services.shared.lookup import batches
from service.storage.database import Unit
from service.storage.tables.menus import ItemRow, LocalItemRow

Amount = TypeVar("Amount")
Value = Callable[[LocalItemRow], Any]
"""Reads a value of a place; None where the place has none."""

_COLUMNS = ItemRow.__table__.columns.keys()


class LocalItems:
    """Local values of items at some places. Places are ids of locations and groups, the narrowest first."""

    def __init__(
        self, session: Session | None = None, places: Iterable[str] = (), items: Sequence[str] | None = None
    ) -> None:
        """Reads those of these items, or of all; without a session none."""
        self._rows: dict[str, dict[str, LocalItemRow]] = {}
        self._numbers: dict[object, int] = {}
        if session is None:
            return
        for there in batches(sorted(set(places))):
            query = select(LocalItemRow).where(
                or_(LocalItemRow.location_id.in_(there), LocalItemRow.group_id.in_(there))
            )
            for some in [None] if items is None else batches(items):
                for row in session.scalars(query if some is None else query.where(LocalItemRow.item_id.in_(some))):
                    self.put(row)

    def copied(self) -> "LocalItems":
        """Returns the same, to which rows can be added without changing this."""
        other = LocalItems.__new__(LocalItems)
        other._rows = {place: dict(rows) for place, rows in self._rows.items()}  # noqa: SLF001  (of the same class)
        other._numbers = self._numbers  # noqa: SLF001
        return other

    def put(self, row: LocalItemRow) -> None:
        """Puts this row in place of that of its item and place."""
        self._rows.setdefault(place_of(row).id, {})[row.item_id] = row

    def number_of(self, name: object) -> int:
        """Returns a number for a row that is not stored: the same for the same name, below those of all that are."""
        return self._numbers.setdefault(name, -1 - len(self._numbers))

    def among(self, places: Iterable[str]) -> tuple[str, ...]:
        """Returns the places at which any of the items has local values."""
        return tuple(place for place in places if place in self._rows)

    def at(self, item: str, place: Place) -> LocalItemRow | None:
        """Returns the local values of the item at this very place."""
        return self._rows.get(place.id, {}).get(item)

    def of(self, item: str, places: Iterable[str]) -> tuple[LocalItemRow, ...]:
        """Returns the local values of the item at these places, the narrowest first."""
        return tuple(rows[item] for place in places if (rows := self._rows.get(place)) is not None and item in rows)

    def rows_at(self, places: Iterable[str]) -> list[LocalItemRow]:
        return [row for place in places for row in self._rows.get(place, {}).values()]

    def items_at(self, rows: Iterable[ItemRow], places: Sequence[str], *, now: datetime) -> list[ItemRow]:
        """Returns the items as they are there, without those that are hidden."""
        local = ((row, self.of(row.id, places)) for row in rows)
        return [item_at(row, values, now=now) for row, values in local if not is_hidden(values)]


def copy_of(row: LocalItemRow, changes: Mapping[str, Any] = MappingProxyType({})) -> LocalItemRow:
    """Returns the same local values with these changes, in no session, so that nothing stores them."""
    columns = LocalItemRow.__table__.columns
    return LocalItemRow(**{column.key: getattr(row, column.key) for column in columns} | dict(changes))


def blank(item: str, place: Place, *, now: datetime) -> LocalItemRow:
    """Returns empty local values, in no session."""
    where = {"location_id": place.location, "group_id": place.group}
    nothing = {column.key: None for column in LocalItemRow.__table__.columns if column.nullable}
    return LocalItemRow(item_id=item, modifiers={}, variants={}, changed_at=now, **nothing | where)


def keep(unit: Unit, workspace: str, row: LocalItemRow) -> None:
    """Stores local values that have changed, in a session or not, or removes them when they say nothing any more."""
    row.changed_at = unit.now
    settle(unit.session, workspace, row)
    if not says_nothing(row):
        unit.session.merge(row)
    elif row.number is not None:
        unit.session.delete(unit.session.get_one(LocalItemRow, row.number))


def says_nothing(row: LocalItemRow) -> bool:
    """Whether the item has nothing of its own there any more."""
    plain = (row.price, row.regular_price, row.eighty_sixed, row.hidden)
    return all(value is None for value in plain) and not row.modifiers and not row.variants


def item_at(row: ItemRow, local: Sequence[LocalItemRow], *, now: datetime) -> ItemRow:
    """Returns the item with its local values of a place, the narrowest first; in no session, so nothing stores it."""
    if not local:
        return row
    values = {name: getattr(row, name) for name in _COLUMNS}
    if row.price_kind not in WITHOUT_AMOUNT:
        own = [(one.price, one.regular_price) for one in local]
        values["price"], values["regular_price"] = _offer(prices(own, (row.price, row.regular_price)))
    if values["regular_price"] is None:
        values |= {"offer_starts_at": None, "offer_ends_at": None}
    values["variants"] = [variant_at(part, local) for part in row.variants]
    values["modifiers"] = [_modifier_at(part, local) for part in row.modifiers]
    if (sold := narrowest(local, of_86(now))[1]) is not None:
        values |= {name: getattr(sold, name) for name in EIGHTY_SIX} | {"eighty_sixed": sold.eighty_sixed is True}
    values["changed_at"] = max(row.changed_at, *(one.changed_at for one in local))
    here = ItemRow()
    # Not attribute by attribute: the session would be told of each, which takes four times as long.
    vars(here).update(values)
    return here


def _modifier_at(part: Mapping[str, Any], local: Sequence[LocalItemRow]) -> Mapping[str, Any]:
    units, _ = narrowest(local, of_modifier(part["name"]))
    return part if units is None else {"name": part["name"], "units": units}


def variant_at(part: Mapping[str, Any], local: Sequence[LocalItemRow]) -> dict[str, Any]:
    """Returns a stored variant with its local values."""
    own = [one.variants[part["id"]] for one in local if part["id"] in one.variants]
    if not own:
        return dict(part)
    pairs = ((one.get("units"), one.get("regular")) for one in own)
    units, regular = _offer(prices(pairs, (part["units"], part.get("regular"))))
    return {
        **(without_offer(part) if regular is None else part),
        "units": units,
        **({} if regular is None else {"regular": regular}),
        "eightySixed": next((one["eightySixed"] for one in own if "eightySixed" in one), part["eightySixed"]),
    }


def prices(
    own: Iterable[tuple[Amount | None, Amount | None]], wide: tuple[Amount, Amount | None]
) -> tuple[Amount, Amount | None]:
    """Returns the price and the regular price. A place that has a price of its own strikes no price of a wider one:
    nobody has paid that there."""
    pairs = list(own)
    price = next((price for price, _ in pairs if price is not None), wide[0])
    return price, next((struck for amount, struck in pairs if amount is not None or struck is not None), wide[1])


def _offer(pair: tuple[Any, Any]) -> tuple[Any, Any]:
    """Returns the prices, without a regular one that is not above the price: a wider place may have changed since."""
    price, regular = pair
    return price, regular if regular is not None and regular > price else None


def is_hidden(local: Sequence[LocalItemRow]) -> bool:
    return narrowest(local, attrgetter("hidden"))[0] is True


def narrowest(local: Iterable[LocalItemRow], value: Value) -> tuple[Any, LocalItemRow | None]:
    """Returns the value at the narrowest place that has one, and the local values there; None where no place has
    one."""
    return next(((found, row) for row in local if (found := value(row)) is not None), (None, None))


def of_columns(*names: str) -> Value:
    """Returns the first of these columns that has a value."""
    return lambda row: next((found for name in names if (found := getattr(row, name)) is not None), None)


def of_86(now: datetime) -> Value:
    """Whether the item is sold out, where the place says so and it has not expired."""
    return partial(said_86, now=now)


def of_modifier(name: str) -> Value:
    """Returns the price difference of a modifier."""
    return lambda row: row.modifiers.get(name)


def of_variant(identifier: str, *names: str) -> Value:
    """Returns the first of these fields of a variant that has a value."""

    def value(row: LocalItemRow) -> Any:
        told = row.variants.get(identifier, {})
        return next((told[name] for name in names if name in told), None)

    return value
