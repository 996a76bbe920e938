"""Points of sale: the feed of a connection, its interval, and the result of the last sync."""

from typing import Annotated, Literal, Self

from annotated_types import Ge, Le, MaxLen, MinLen
from pydantic import AfterValidator, model_validator

from service.schema.base import ABSENT, Input, Patch, ResponseModel
from service.schema.fields import Identifier, InstantText, Label, Name, Price, Whole, faults_at, storable
from service.schema.item import MAX_VARIANTS, PriceKind, PriceUnit, named_once
from service.schema.translation import NameTranslations

MIN_EVERY_MINUTES = 5
MAX_EVERY_MINUTES = 7 * 24 * 60
MAX_FEED_LENGTH = 2000

_AT_MARKET_PRICE = ("market_price", "At the market price an item has no price of its own.")

FeedFormat = Literal["csv", "json"]
Feed = Annotated[str, MinLen(1), MaxLen(MAX_FEED_LENGTH), AfterValidator(storable)]
EveryMinutes = Annotated[Whole, Ge(MIN_EVERY_MINUTES), Le(MAX_EVERY_MINUTES)]


class PosConnectionCreate(Input):
    """A feed to import from: an https URL, or the name of a file in the workspace's folder (`file` of the response)."""

    name: Name
    feed: Feed
    format: FeedFormat
    every_minutes: EveryMinutes | None = None
    enabled: bool = True


class PosConnectionPatch(Patch):
    """Fields of a connection to change; with `everyMinutes` null it is read only on demand."""

    name: Name = ABSENT
    feed: Feed = ABSENT
    format: FeedFormat = ABSENT
    every_minutes: EveryMinutes | None = None
    enabled: bool = ABSENT


class FeedVariant(Input):
    """A variant of an item in a feed."""

    name: Label
    price: Price
    sold_out: bool | None = None


class FeedRow(Input):
    """An item in a feed. `id` is the identifier of the point of sale. Without `variants`, `priceKind` or `priceUnit`,
    the item keeps those that it has, and without a language of `translations` its name in that language. Only at the
    market price there is no `price`."""

    id: Identifier
    name: Name
    category: Label
    price: Price | None = None
    price_kind: PriceKind | None = None
    price_unit: PriceUnit | None = None
    sold_out: bool | None = None
    variants: Annotated[list[FeedVariant], MaxLen(MAX_VARIANTS), AfterValidator(named_once)] | None = None
    translations: NameTranslations | None = None

    @model_validator(mode="after")
    def _one_price(self) -> Self:
        if (self.price is None) != (self.price_kind == "market"):
            code, detail = ("required", "A row has a price.") if self.price is None else _AT_MARKET_PRICE
            raise faults_at(["/price"], code, detail)
        if self.variants and (self.price_kind == "market" or self.price_unit is not None):
            raise faults_at(["/variants"], "has_variants", "Each variant has a price of its own, and no unit.")
        return self


class SyncCounts(ResponseModel):
    """The counts of a sync; `soldOut` counts items that the feed marks as sold out, `failed` its bad rows."""

    created: int
    updated: int
    unchanged: int
    sold_out: int
    failed: int


class BadRowResponse(ResponseModel):
    """A row of the feed that was skipped. Rows are counted from 1, without the header of a CSV file."""

    row: int
    id: str | None
    field: str
    code: str
    detail: str


class SyncResponse(ResponseModel):
    """The result of a sync. A failed one has a reason and changed nothing."""

    status: Literal["completed", "failed"]
    at: InstantText
    counts: SyncCounts | None
    reason: str | None
    detail: str | None
    bad_rows: list[BadRowResponse]


class PosConnectionResponse(ResponseModel):
    """A point of sale whose items are imported."""

    volatile = frozenset({"nextSyncAt", "lastSync"})

    id: str
    name: str
    feed: str
    file: str | None
    """Where the file belongs, under the service's data folder; null for a URL."""
    format: FeedFormat
    every_minutes: int | None
    enabled: bool
    next_sync_at: InstantText | None
    last_sync: SyncResponse | None
    created_at: InstantText
