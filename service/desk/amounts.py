"""Amounts in forms: read by the currency and the languages of the place and the person; and the question before a price
that leaps."""

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
    """Reads the amounts of a form; keeps what is wrong with each, by its field."""

    faults: dict[str, Fault] = field(default_factory=dict)

    def read(self, name: str, text: str, notation: Notation) -> object:
        """The amount, or None without one; any other text as it is, which no document of the API takes."""
        if not text:
            return None
        try:
            return read_amount(text, notation)
        except AmountError as error:
            self.faults[name] = _fault(error)
            return text


def price_in(text: str, notation: Notation) -> Decimal:
    """The amount of a form that has no other. Raises the 422 problem."""
    try:
        return read_amount(text, notation)
    except AmountError as error:
        raise invalid([_fault(error)]) from None


def leaps_of(changes: Iterable[tuple[Item, Mapping[str, Any]]]) -> dict[str, list[PriceLeap]]:
    """The prices that leap by changes of items, by the items' names."""
    found: dict[str, list[PriceLeap]] = {}
    for item, given in changes:
        found.setdefault(item.name, []).extend(price_leaps(item.document(), given))
    return found


def ask(visit: Visit, leaps: Mapping[str, list[PriceLeap]], currency: str, *, back: str) -> Response | None:
    """The question before the prices of these items leap; None where none does, or where it was asked."""
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
