"""Content items: dishes and drinks with their price and availability."""

from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Annotated, Any, Literal

from annotated_types import Ge, Le, MaxLen, MinLen
from pydantic import (
    BeforeValidator,
    ConfigDict,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WithJsonSchema,
    WrapValidator,
)

from menu.documents.manifest import (
    MAX_CHOICES,
    MAX_ENERGY,
    MAX_MODIFIERS,
    MAX_PARTS,
    MAX_QUANTITY,
    MAX_TAGS,
    MAX_VARIANTS,
)
from menu.documents.scene import Focus
from service.core.errors import Fault
from service.schema.base import ABSENT, Input, Patch, ResponseModel, SchemaOf
from service.schema.content.translation import TranslationResponse, Translations
from service.schema.documents import Of, model_of
from service.schema.faults import faults_of
from service.schema.fields import (
    WHOLE_NUMBER_LIMIT,
    AssetName,
    Description,
    Identifier,
    Instant,
    InstantText,
    Label,
    Money,
    Name,
    Price,
    Whole,
    differ,
    read_instant,
)
from service.schema.problem import ProblemFault
from service.schema.publishing.schedule import Start

MAX_BULK_ENTRIES = 1000
OPENING_TOMORROW = "openingTomorrow"
"""The end of an 86: when each location opens tomorrow."""

Allergen = Literal[
    "gluten",
    "crustaceans",
    "eggs",
    "fish",
    "peanuts",
    "soybeans",
    "milk",
    "nuts",
    "celery",
    "mustard",
    "sesame",
    "sulphites",
    "lupin",
    "molluscs",
]
"""The fourteen substances of Regulation (EU) No 1169/2011, Annex II."""


class Modifier(Input):
    """A choice that changes the price; the difference may be negative."""

    name: Label
    price_delta: Money


PriceKind = Literal["exact", "from", "market", "none"]
"""The kind of a price: exact, the least one, and without an amount the market price or none at all."""
HAS_NO_AMOUNT = "At the market price, or without one, an item has no price of its own."
PriceUnit = Literal["100g", "kg", "lb", "100ml", "l", "piece"]
"""The unit of a price, where it is not for the item."""
Energy = Annotated[Whole, Ge(0), Le(MAX_ENERGY)]
ImageFit = Literal["cover", "contain"]
"""Fit of an image in its place; without one the player chooses."""


FOCUS = model_of(Focus)


class Variant(Input):
    """A size or form in which an item is sold, with its own price. What is left out of `eightySixed`, `energy` and the
    offer stays as it is in the variant of this name that the item has."""

    name: Label
    price: Price
    regular_price: Price | None = None
    offer_starts_at: Instant | None = None
    offer_ends_at: Instant | None = None
    energy: Energy | None = None
    eighty_sixed: bool | None = None


class VariantPatch(Patch):
    """Fields of one variant to change."""

    name: Label = ABSENT
    price: Price = ABSENT
    regular_price: Price | None = None
    offer_starts_at: Instant | None = None
    offer_ends_at: Instant | None = None
    energy: Energy | None = None
    eighty_sixed: bool = ABSENT


class PartChoice(Input):
    """A choice of a part of a combo: an item, in any of its variants or in one of them."""

    item_id: Identifier
    variant_id: Identifier | None = None


class Part(Input):
    """A part of a combo, which any one of its choices fills. `name` is what guests read in place of their names."""

    name: Label | None = None
    quantity: Annotated[Whole, Ge(1), Le(MAX_QUANTITY)] = 1
    any_of: Annotated[
        list[PartChoice],
        MinLen(1),
        MaxLen(MAX_CHOICES),
        differ("This part names the same choice already.", by=attrgetter("item_id", "variant_id")),
    ]


NAMES_DIFFER = differ("Another variant of this item has the same name.", at="/name", by=attrgetter("name"))


Modifiers = Annotated[list[Modifier], MaxLen(MAX_MODIFIERS)]
Variants = Annotated[list[Variant], MaxLen(MAX_VARIANTS), NAMES_DIFFER]
Parts = Annotated[list[Part], MaxLen(MAX_PARTS)]
Tags = Annotated[list[Label], MaxLen(MAX_TAGS)]
Allergens = Annotated[list[Allergen], MaxLen(14)]
SortIndex = Annotated[Whole, Ge(-WHOLE_NUMBER_LIMIT), Le(WHOLE_NUMBER_LIMIT)]


def _without_default_price(schema: dict[str, Any]) -> None:
    schema["properties"]["price"].pop("default")


def _until(value: object) -> object:
    return value if value == OPENING_TOMORROW else read_instant(value)


EightySixedUntil = Annotated[
    datetime | Literal["openingTomorrow"],
    BeforeValidator(_until),
    WithJsonSchema({"anyOf": [{"type": "string", "format": "date-time"}, {"const": OPENING_TOMORROW}]}),
]
"""The end of an 86: an instant, or when each location opens tomorrow."""


class ItemCreate(Input):
    """A new item. Only one at the market price, or whose `priceKind` is `none`, has no `price`."""

    model_config = ConfigDict(json_schema_extra=_without_default_price)

    name: Name
    category: Label
    sku: Label | None = None
    price: Price = ABSENT
    price_kind: PriceKind = "exact"
    price_unit: PriceUnit | None = None
    regular_price: Price | None = None
    offer_starts_at: Instant | None = None
    offer_ends_at: Instant | None = None
    modifiers: Modifiers = []  # noqa: RUF012  (pydantic copies it)
    variants: Variants = []  # noqa: RUF012  (pydantic copies it)
    parts: Parts = []  # noqa: RUF012  (pydantic copies it)
    energy: Energy | None = None
    energy_to: Energy | None = None
    eighty_sixed: bool = False
    eighty_sixed_until: EightySixedUntil | None = None
    restock_at: Start | None = None
    description: Description | None = None
    image: AssetName | None = None
    image_fit: ImageFit | None = None
    image_focus: Annotated[Any, Of(FOCUS)] | None = None
    tags: Tags = []  # noqa: RUF012  (pydantic copies it)
    allergens: Allergens = []  # noqa: RUF012  (pydantic copies it)
    translations: Translations = {}  # noqa: RUF012  (pydantic copies it)
    featured: bool = False
    sort_index: SortIndex = 0


class ItemPatch(Patch):
    """Fields of an item to change."""

    name: Name = ABSENT
    category: Label = ABSENT
    sku: Label | None = None
    price: Price = ABSENT
    price_kind: PriceKind = ABSENT
    price_unit: PriceUnit | None = None
    regular_price: Price | None = None
    offer_starts_at: Instant | None = None
    offer_ends_at: Instant | None = None
    modifiers: Modifiers = ABSENT
    variants: Variants = ABSENT
    parts: Parts = ABSENT
    energy: Energy | None = None
    energy_to: Energy | None = None
    eighty_sixed: bool = ABSENT
    eighty_sixed_until: EightySixedUntil | None = None
    restock_at: Start | None = None
    description: Description | None = None
    image: AssetName | None = None
    image_fit: ImageFit | None = None
    image_focus: Annotated[Any, Of(FOCUS)] | None = None
    tags: Tags = ABSENT
    allergens: Allergens = ABSENT
    translations: Translations = ABSENT
    featured: bool = ABSENT
    sort_index: SortIndex = ABSENT


class BulkEntry(ItemPatch):
    """The id of an item, and the fields to change."""

    id: Identifier


class ItemOrder(Input):
    """The ids of all items of a category, in the order in which boards list them."""

    category: Label
    items: Annotated[list[Identifier], MinLen(1), MaxLen(MAX_BULK_ENTRIES)]


@dataclass(frozen=True, slots=True)
class InvalidEntry:
    """An entry of a bulk call that is not valid. The pointers of its faults are relative to the entry."""

    id: str | None
    faults: tuple[Fault, ...]


def keep_invalid(value: object, read: ValidatorFunctionWrapHandler) -> object:
    """Reads an entry of a bulk call; an invalid one becomes an `InvalidEntry`."""
    # A bad entry fails the whole call, or only itself: `Prefer: handling` decides, in the service.
    try:
        return read(value)
    except ValidationError as flaw:
        errors = [{**error, "loc": ("body", *error["loc"])} for error in flaw.errors()]
        identifier = value.get("id") if isinstance(value, dict) else None
        return InvalidEntry(identifier if isinstance(identifier, str) else None, tuple(faults_of(errors, value)))


BulkEntries = Annotated[list[Annotated[BulkEntry, WrapValidator(keep_invalid)]], MaxLen(MAX_BULK_ENTRIES)]
"""Invalid entries become `InvalidEntry`."""


class ModifierResponse(ResponseModel):
    """A choice that changes the price."""

    name: str
    price_delta: Money


class VariantResponse(ResponseModel):
    """A size or form in which an item is sold, with its own price."""

    id: str
    name: str
    price: Money
    regular_price: Money | None
    offer_starts_at: InstantText | None
    offer_ends_at: InstantText | None
    energy: int | None
    eighty_sixed: bool


class PartChoiceResponse(ResponseModel):
    """A choice of a part of a combo."""

    item_id: str
    variant_id: str | None


class PartResponse(ResponseModel):
    """A part of a combo, which any one of its choices fills."""

    name: str | None
    quantity: int
    any_of: list[PartChoiceResponse]


class ItemResponse(ResponseModel):
    """A content item. `missingParts` are the parts, by their position from 0, that nothing fills now, as each of their
    choices is sold out or deleted; then the combo is off the boards."""

    id: str
    name: str
    category: str
    sku: str | None
    price: Money | None
    price_kind: PriceKind
    price_unit: PriceUnit | None
    regular_price: Money | None
    offer_starts_at: InstantText | None
    offer_ends_at: InstantText | None
    modifiers: list[ModifierResponse]
    variants: list[VariantResponse]
    parts: list[PartResponse]
    missing_parts: list[int]
    energy: int | None
    energy_to: int | None
    eighty_sixed: bool
    eighty_sixed_until: InstantText | None
    restock_at: str | None
    description: str | None
    image: str | None
    image_fit: ImageFit | None
    image_focus: Annotated[dict[str, Any], SchemaOf(FOCUS)] | None
    tags: list[str]
    allergens: list[str]
    translations: dict[str, TranslationResponse]
    featured: bool
    sort_index: int


class LeftBoard(ResponseModel):
    """A playlist that showed the item, and the number of screens that play it."""

    playlist: str
    name: str
    screens: int


class ItemReach(ResponseModel):
    """The number of screens whose playlist has the item, of those that have shown its newest change, and of those that
    have not and are offline."""

    screens: int
    shown: int
    offline: int


class ChangedItemResponse(ItemResponse):
    """A changed item. `leftBoards` are the boards that showed it before the change and do not any more, as its category
    is another or it is sold out."""

    left_boards: list[LeftBoard]


class BulkResult(ResponseModel):
    """The result of one entry of a bulk call: the changed item, or its errors, with pointers into the whole body."""

    index: int
    id: str | None
    status: Literal["changed", "refused"]
    item: ItemResponse | None
    errors: list[ProblemFault]


class BulkResults(ResponseModel):
    """The results of all entries, in their order."""

    changed: int
    refused: int
    results: list[BulkResult]
