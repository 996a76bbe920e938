"""Local values: the prices and the availability of an item at a place, a location or a group of locations."""

from operator import attrgetter
from typing import Annotated, Literal

from annotated_types import MaxLen
from pydantic import WrapValidator

from menu.documents.manifest import MAX_MODIFIERS, MAX_VARIANTS
from service.schema.base import Input, Patch, ResponseModel
from service.schema.content.item import MAX_BULK_ENTRIES, EightySixedUntil, LeftBoard, keep_invalid
from service.schema.fields import Identifier, InstantText, Label, Money, Price, differ
from service.schema.problem import ProblemFault


class LocalModifier(Input):
    """The price difference of the modifiers with this name; null is that of the wider place."""

    name: Label
    price_delta: Money | None


class LocalVariant(Input):
    """Local values of a variant; null is the value of the wider place."""

    id: Identifier
    price: Price | None = None
    regular_price: Price | None = None
    eighty_sixed: bool | None = None


LocalModifiers = Annotated[
    list[LocalModifier],
    MaxLen(MAX_MODIFIERS),
    differ("This modifier stands in the list already.", at="/name", by=attrgetter("name")),
]
LocalVariants = Annotated[
    list[LocalVariant],
    MaxLen(MAX_VARIANTS),
    differ("This variant stands in the list already.", at="/id", by=attrgetter("id")),
]


class LocalItemPatch(Patch):
    """Local values of an item to change; null is the value of the wider place again. Variants and modifiers that are
    not named stay as they are; null takes back those of all."""

    price: Price | None = None
    regular_price: Price | None = None
    modifiers: LocalModifiers | None = None
    variants: LocalVariants | None = None
    eighty_sixed: bool | None = None
    eighty_sixed_until: EightySixedUntil | None = None
    hidden: bool | None = None


class LocalBulkEntry(LocalItemPatch):
    """The id of an item, and its local values to change."""

    id: Identifier


LocalBulkEntries = Annotated[list[Annotated[LocalBulkEntry, WrapValidator(keep_invalid)]], MaxLen(MAX_BULK_ENTRIES)]
"""Invalid entries become `InvalidEntry`."""

Source = str
"""The place that a value is from: `location`, the id of a group, or `workspace`."""


class LocalSources(ResponseModel):
    """Where each value is from: `location`, the id of a group, or `workspace`."""

    price: Source
    regular_price: Source
    eighty_sixed: Source
    eighty_sixed_until: Source
    hidden: Source


class LocalVariantSources(ResponseModel):
    """Where each value of the variant is from."""

    price: Source
    regular_price: Source
    eighty_sixed: Source


class LocalModifierResponse(ResponseModel):
    """A modifier as it is at the place, and where its price is from."""

    name: str
    price_delta: Money
    source: Source


class LocalVariantResponse(ResponseModel):
    """A variant as it is at the place."""

    id: str
    name: str
    price: Money
    regular_price: Money | None
    eighty_sixed: bool
    sources: LocalVariantSources


class LocalItemResponse(ResponseModel):
    """An item as it is at a place, and where each value is from. A `hidden` one is on no board there, and fills no part
    of a combo."""

    id: str
    name: str
    category: str
    price: Money | None
    regular_price: Money | None
    offer_starts_at: InstantText | None
    offer_ends_at: InstantText | None
    modifiers: list[LocalModifierResponse]
    variants: list[LocalVariantResponse]
    missing_parts: list[int]
    eighty_sixed: bool
    eighty_sixed_until: InstantText | None
    hidden: bool
    sources: LocalSources


class ChangedLocalItemResponse(LocalItemResponse):
    """A changed item. `leftBoards` are the boards that showed it before the change and do not any more."""

    left_boards: list[LeftBoard]


class LocalBulkResult(ResponseModel):
    """The result of one entry of a bulk call: the changed item, or its errors, with pointers into the whole body."""

    index: int
    id: str | None
    status: Literal["changed", "refused"]
    item: LocalItemResponse | None
    errors: list[ProblemFault]


class LocalBulkResults(ResponseModel):
    """The results of all entries, in their order."""

    changed: int
    refused: int
    results: list[LocalBulkResult]
