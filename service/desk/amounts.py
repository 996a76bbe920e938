"""Amounts in forms: parses them by the currency and the languages of the place and the user; asks before a large price
change."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from starlette.responses import Response

from service.core.amounts import AmountError, Notation, read_amount
from service.core.errors import Fault, invalid
from service.desk.visits import Visit
from service.desk.words import phrase
from service.schema.content.item import ItemResponse
from service.schema.places.local_item import LocalItemResponse
from service.services.content.price_leaps import PriceLeap, price_leaps

Item = ItemResponse | LocalItemResponse


@dataclass(frozen=True, slots=True)
class Amounts:
    """Parses the amounts of a form; collects the fault of each, by its field."""

    faults: dict[str, Fault] = field(default_factory=dict)

    def read(self, name: str, text: str, notation: Notation) -> object:
        """Parses the amount; None without one; returns other text unchanged, which no document of the API accepts."""
        if not text:
            return None
        try:
            return read_amount(text, notation)
        except AmountError as error:
            self.faults[name] = _fault(error)
            return text


def price_in(text: str, notation: Notation) -> Decimal:
    """Parses the single amount of a form. Raises the 422 problem."""
    try:
        return read_amount(text, notation)
    except AmountError as error:
        raise invalid([_fault(error)]) from None


def leaps_of(changes: Iterable[tuple[Item, Mapping[str, Any]]]) -> dict[str, list[PriceLeap]]:
    """Returns the large price changes of items, by the items' names."""
    found: dict[str, list[PriceLeap]] = {}
    for item, given in changes:
        found.setdefault(item.name, []).extend(price_leaps(item.document(), given))
    return found


def ask(visit: Visit, leaps: Mapping[str, list[PriceLeap]], currency: str, *, back: str) -> Response | None:
    """Returns the question before large price changes of these items; None if there are none, or it was asked."""
    told = {name: found for name, found in leaps.items() if found}
    if not told or visit.is_sure:
        return None
    return visit.ask(
        phrase("Is this price right?"),
        because=phrase("Nothing is changed yet. This would be a hundred times as much as before, or a hundredth:"),
        yes=phrase("Yes, change it"),
        back=back,
        leaps=told,
        currency=currency,
    )


def _fault(error: AmountError) -> Fault:
    return Fault(error.code, str(error), "/price", readings=error.readings)
