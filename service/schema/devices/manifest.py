"""Manifests in the API document (docs/protocol.md). `services.publishing.manifests` writes them."""

from typing import Annotated, Any, Literal

from menu.documents.manifest import Item
from service.schema.base import ResponseModel, SchemaOf
from service.schema.content.category import CategorySettingsResponse
from service.schema.content.item import FOCUS, ImageFit, ModifierResponse
from service.schema.content.scene import SceneDocument
from service.schema.content.translation import TranslationResponse
from service.schema.devices.device import PlayerSettings
from service.schema.documents import with_plain_fields
from service.schema.fields import InstantText, Money
from service.schema.places.live_value import LiveValueResponse
from service.schema.places.location import SecondCurrencyResponse
from service.schema.publishing.playlist import EntryResponse


class ManifestLocation(ResponseModel):
    """The location of the screen."""

    id: str
    name: str
    timezone: str
    currency: str
    locale: str
    second_currency: SecondCurrencyResponse | None = None
    rotation: int
    opening_hours: list[dict[str, Any]] = []  # noqa: RUF012  (pydantic copies it)
    spans: list[dict[str, Any]] = []  # noqa: RUF012  (pydantic copies it)


class PublishedPlaylist(ResponseModel):
    """A version of a playlist."""

    id: str
    name: str
    version: int
    published_at: InstantText
    entries: list[EntryResponse]


class ManifestVariant(ResponseModel):
    """A size or form in which an item is sold. What belongs to an offer is left out where there is none."""

    id: str
    name: str
    price: Money
    regular_price: Money | None = None
    offer_price: Money | None = None
    offer_starts_at: InstantText = ""
    offer_ends_at: InstantText = ""
    energy: int | None
    eighty_sixed: bool


class ManifestPartChoice(ResponseModel):
    """A choice of a part of a combo: an item, in any of its variants or in the one of this name."""

    item_id: str
    variant: str = ""


class ManifestPart(ResponseModel):
    """A part of a combo, with the choices that still exist."""

    name: str = ""
    quantity: int
    any_of: list[ManifestPartChoice]


class _ComputedItem(ResponseModel):
    """Fields that differ from those of `menu.documents`, or are always there."""

    id: str
    name: str
    category: str
    price: Money | None = None
    regular_price: Money | None = None
    offer_price: Money | None = None
    offer_starts_at: InstantText = ""
    offer_ends_at: InstantText = ""
    modifiers: list[ModifierResponse]
    variants: list[ManifestVariant] = []  # noqa: RUF012  (pydantic copies it)
    parts: list[ManifestPart] = []  # noqa: RUF012  (pydantic copies it)
    energy: int = 0
    energy_to: int = 0
    eighty_sixed: bool
    eighty_sixed_until: InstantText = ""
    sort_index: int
    image_fit: ImageFit = "cover"
    image_focus: Annotated[dict[str, Any], SchemaOf(FOCUS)] = {}  # noqa: RUF012  (pydantic copies it)
    translations: dict[str, TranslationResponse] = {}  # noqa: RUF012  (pydantic copies it)


class ManifestItem(with_plain_fields(Item, _ComputedItem)):  # type: ignore[misc]
    """An item that a scene can show. Fields without a value are left out."""


class OtherManifestItem(ManifestItem):
    """An item that only other versions can show. `position` is the number of entries of `items` that come before it in
    the order of a menu."""

    position: int


class ManifestAsset(ResponseModel):
    """The facts that a player needs to download an asset and check it."""

    size: int
    media_type: str


class WithoutPlaylist(ResponseModel):
    """Why `playlist` is null: none is assigned, or the one of this name was never published."""

    reason: Literal["unassigned", "unpublished"]
    name: str = ""


class ManifestOverride(ResponseModel):
    """A playlist with its scenes that shows in place of all else from `startsAt` to `until`: on the `screens` that it
    names, or on all."""

    id: str
    reason: str
    starts_at: InstantText
    until: InstantText
    screens: list[str] = []  # noqa: RUF012  (pydantic copies it)
    playlist: PublishedPlaylist
    scenes: list[SceneDocument]


class PlannedManifestItem(ManifestItem):
    """An item as it is from an instant on. One that is in neither `items` nor `otherItems` has a `position`: the number
    of entries of `items` that come before it in the order of a menu."""

    position: int = 0


class ManifestPlanned(ResponseModel):
    """The items that planned changes make other ones, as they are from `at` on; those that are `hidden` are on no board
    from then on."""

    at: InstantText
    items: list[PlannedManifestItem]
    hidden: list[str] = []  # noqa: RUF012  (pydantic copies it)


class ManifestResponse(ResponseModel):
    """Everything that a screen should hold. `playlist` is null without a published one; only then there is
    `withoutPlaylist`. `otherItems` are for a screen
    that still shows one of `otherVersions`, which are numbers by playlist; both are left out if they do not fit."""

    format: int
    epoch: str
    revision: int
    revision_at: InstantText
    history: str
    """A word of the service on its values: a player sends it back in its receipts."""
    location: ManifestLocation
    playlist: PublishedPlaylist | None
    without_playlist: WithoutPlaylist | None = None
    scenes: list[SceneDocument]
    items: list[ManifestItem]
    words: dict[str, dict[str, str]] = {}  # noqa: RUF012  (pydantic copies it)
    categories: dict[str, CategorySettingsResponse] = {}  # noqa: RUF012  (pydantic copies it)
    values: dict[str, LiveValueResponse] = {}  # noqa: RUF012  (pydantic copies it)
    assets: dict[str, ManifestAsset]
    overrides: list[ManifestOverride] = []  # noqa: RUF012  (pydantic copies it)
    planned: list[ManifestPlanned] = []  # noqa: RUF012  (pydantic copies it)
    other_items: list[OtherManifestItem] = []  # noqa: RUF012  (pydantic copies it)
    other_versions: dict[str, list[int]] = {}  # noqa: RUF012  (pydantic copies it)
    settings: PlayerSettings
