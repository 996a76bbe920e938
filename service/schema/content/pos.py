"""Points of sale: the feed of a connection, its interval, and the result of the last sync."""

from typing import Annotated, Any, Literal, Self

from annotated_types import Ge, Le, MaxLen, MinLen
from pydantic import AfterValidator, model_validator

from menu.documents.manifest import MAX_VARIANTS, WITHOUT_AMOUNT
from service.core.errors import pointer_part
from service.schema.base import ABSENT, Input, Patch, ResponseModel, SchemaOf
from service.schema.content.item import (
    HAS_NO_AMOUNT,
    NAMES_DIFFER,
    Allergens,
    Modifiers,
    PriceKind,
    PriceUnit,
    SortIndex,
    Tags,
)
from service.schema.content.translation import NameTranslations
from service.schema.fields import (
    Description,
    Identifier,
    InstantText,
    Label,
    Money,
    Name,
    Price,
    Whole,
    differ,
    faults_at,
    storable,
)

MIN_EVERY_MINUTES = 5
MAX_EVERY_MINUTES = 7 * 24 * 60
MAX_FEED_LENGTH = 2000
MAX_COLUMNS = 30

FeedFormat = Literal["csv", "json"]
FeedEncoding = Literal[
    "utf-8",
    "utf-16",
    "windows-1252",
    "windows-1250",
    "windows-1251",
    "windows-1253",
    "windows-1254",
    "mac-roman",
    "shift-jis",
]
Feed = Annotated[str, MinLen(1), MaxLen(MAX_FEED_LENGTH), AfterValidator(storable)]
EveryMinutes = Annotated[Whole, Ge(MIN_EVERY_MINUTES), Le(MAX_EVERY_MINUTES)]

OwnedField = Literal[
    "name",
    "category",
    "price",
    "soldOut",
    "variants",
    "translations",
    "sku",
    "sortIndex",
    "description",
    "modifiers",
    "tags",
    "allergens",
    "imageUrl",
]
"""A field of the feed that may decide that of the item; `price` has its kind and unit, and those of variants."""
REQUIRED_FIELDS = ("id", "name", "category", "price")
FEED_FIELDS = (
    *REQUIRED_FIELDS,
    "priceKind",
    "priceUnit",
    "soldOut",
    "variants",
    "sku",
    "sortIndex",
    "description",
    "modifiers",
    "tags",
    "allergens",
    "imageUrl",
)
"""The fields of a row that have a column in a CSV file; names in other languages have `name:en` and so on."""


def _are_fields(columns: dict[str, str]) -> dict[str, str]:
    for field in columns:
        if field not in FEED_FIELDS and not field.startswith("name:"):
            detail = f"A column is of one of {', '.join(FEED_FIELDS)}, or of `name:` with a language."
            raise faults_at([f"/{pointer_part(field)}"], "unknown_field", detail)
    return columns


Owns = Annotated[list[OwnedField], differ("This field stands here already.")]
Columns = Annotated[dict[str, Label], MaxLen(MAX_COLUMNS), AfterValidator(_are_fields)]
"""The headings of fields in a CSV file, where those differ from the fields' names."""


class PosConnectionCreate(Input):
    """A feed to import from: an https URL, or the name of a file in the workspace's folder (`file` of the response).
    Without a `feed`, items are pushed. Without `owns` the feed decides all fields that it has. With a `location` it
    changes prices and 86s there alone, and makes no items."""

    name: Name
    feed: Feed | None = None
    format: FeedFormat
    encoding: FeedEncoding | None = None
    columns: Columns = {}  # noqa: RUF012  (pydantic copies it)
    owns: Owns | None = None
    location: Identifier | None = None
    every_minutes: EveryMinutes | None = None
    enabled: bool = True


class PosConnectionPatch(Patch):
    """Fields of a connection to change; with `everyMinutes` null it is read only on demand."""

    name: Name = ABSENT
    feed: Feed | None = None
    format: FeedFormat = ABSENT
    encoding: FeedEncoding | None = None
    columns: Columns = ABSENT
    owns: Owns | None = None
    location: Identifier | None = None
    every_minutes: EveryMinutes | None = None
    enabled: bool = ABSENT


class FeedVariant(Input):
    """A variant of an item in a feed."""

    name: Label
    price: Price
    sold_out: bool | None = None


class FeedRowPart(Input):
    """Fields of an item that a point of sale changes. `id` is its identifier there; what is left out stays."""

    id: Identifier
    name: Name | None = None
    category: Label | None = None
    price: Price | None = None
    price_kind: PriceKind | None = None
    price_unit: PriceUnit | None = None
    sold_out: bool | None = None
    variants: Annotated[list[FeedVariant], MaxLen(MAX_VARIANTS), NAMES_DIFFER] | None = None
    translations: NameTranslations | None = None
    sku: Label | None = None
    sort_index: SortIndex | None = None
    description: Description | None = None
    modifiers: Modifiers | None = None
    tags: Tags | None = None
    allergens: Allergens | None = None
    image_url: Annotated[str, MinLen(1), MaxLen(MAX_FEED_LENGTH), AfterValidator(storable)] | None = None

    @model_validator(mode="after")
    def _one_price(self) -> Self:
        if self.price is not None and self.price_kind in WITHOUT_AMOUNT:
            raise faults_at(["/price"], "market_price", HAS_NO_AMOUNT)
        if self.variants and (self.price_kind in WITHOUT_AMOUNT or self.price_unit is not None):
            raise faults_at(["/variants"], "has_variants", "Each variant has a price of its own, and no unit.")
        return self


class FeedRow(FeedRowPart):
    """An item in a feed. `id` is the identifier of the point of sale. A field that is left out stays as the item has
    it, and a language of `translations` as well. Only at the market price,
    or with the `priceKind` `none`, there is no `price`."""

    name: Name
    category: Label

    @model_validator(mode="after")
    def _has_price(self) -> Self:
        if self.price is None and self.price_kind not in WITHOUT_AMOUNT:
            raise faults_at(["/price"], "required", "A row has a price.")
        return self


class FeedDocument(Input):
    """A JSON feed that is an object."""

    items: list[FeedRow]


class FeedPartDocument(Input):
    """Some fields of some items of a JSON feed."""

    items: list[FeedRowPart]


_Document = list[Any] | dict[str, Any]
PushedItems = Annotated[_Document, SchemaOf(list[FeedRow] | FeedDocument)]
"""The items of a point of sale as a JSON feed has them; each is checked by itself."""
PushedParts = Annotated[_Document, SchemaOf(list[FeedRowPart] | FeedPartDocument)]


MAX_SHEET_LENGTH = 4 * 1024 * 1024


class ItemsImport(Input):
    """A menu as text: a table with tabs, semicolons or commas whose first line names the columns, or lines of items
    that end with their prices below their categories. `category` is that of items without one."""

    text: Annotated[str, MinLen(1), MaxLen(MAX_SHEET_LENGTH), AfterValidator(storable)]
    category: Label = "Menu"


class SyncCounts(ResponseModel):
    """The counts of a sync; `soldOut` counts items that the feed marks as sold out, `failed` its bad rows."""

    created: int
    updated: int
    unchanged: int
    sold_out: int
    failed: int


class BadRowResponse(ResponseModel):
    """A row of the feed that was skipped. Rows are counted from 1, without the header of a CSV file; `column` is the
    heading of its cell there, `text` the row or line as it is written, and `readings` are the amounts that an ambiguous
    one may be."""

    row: int
    id: str | None
    field: str
    column: str | None = None
    code: str
    detail: str
    text: str | None = None
    readings: list[str] = []  # noqa: RUF012  (pydantic copies it)


class PictureError(ResponseModel):
    """A picture that could not be had. It is tried again with the next syncs."""

    id: str
    url: str
    reason: str
    detail: str


class PicturesResponse(ResponseModel):
    """The pictures that were fetched after a sync; those that wait come with the next ones."""

    fetched: int
    failed: int
    waiting: int
    errors: list[PictureError]


class SyncResponse(ResponseModel):
    """The result of a sync. A failed one has a reason and changed nothing. `badRows` names the first of the `failed`
    rows; `encoding` is the one that was read, null for pushed items. `pictures` follow, if the feed names new ones."""

    status: Literal["completed", "failed"]
    at: InstantText
    encoding: FeedEncoding | None = None
    counts: SyncCounts | None
    reason: str | None
    detail: str | None
    bad_rows: list[BadRowResponse]
    pictures: PicturesResponse | None = None


class NewItem(ResponseModel):
    """An item that a sync would make. `item` is its id, where it has been deleted and comes back."""

    id: str
    item: str | None
    name: str
    category: str
    price: Money | None
    sku: str | None


class FieldChange(ResponseModel):
    """A field that a sync would change, as `/v1/content/items` names it."""

    field: str
    from_: Any
    to: Any


class ChangedItem(ResponseModel):
    """An item that a sync would change; `id` is that of the feed."""

    id: str
    item: str
    name: str
    changes: list[FieldChange]


class MissingItem(ResponseModel):
    """An item of an earlier sync that the feed does not name. It stays."""

    item: str
    name: str


class PreviewCounts(SyncCounts):
    """The counts that the sync would have; `missing` items stay, as no sync deletes any."""

    missing: int


class PreviewResponse(ResponseModel):
    """The changes that a sync would make now. Of each list the first 100 are named, and all are counted."""

    status: Literal["completed", "failed"]
    encoding: FeedEncoding | None
    counts: PreviewCounts | None
    created: list[NewItem]
    updated: list[ChangedItem]
    missing: list[MissingItem]
    reason: str | None
    detail: str | None
    bad_rows: list[BadRowResponse]


class PosConnectionResponse(ResponseModel):
    """A point of sale whose items are imported."""

    volatile = frozenset({"nextSyncAt", "lastSync"})

    id: str
    name: str
    feed: str | None
    file: str | None
    """Where the file belongs, under the service's data folder; null for a URL."""
    format: FeedFormat
    encoding: FeedEncoding | None
    columns: dict[str, str]
    owns: list[OwnedField] | None
    location: str | None
    every_minutes: int | None
    enabled: bool
    next_sync_at: InstantText | None
    last_sync: SyncResponse | None
    created_at: InstantText
