"""Manifests, as the API document describes them (docs/protocol.md). They are written by `services.manifests`."""

from service.schema.base import ResponseModel
from service.schema.device import PlayerSettings
from service.schema.fields import InstantText, Money
from service.schema.item import ModifierResponse
from service.schema.playlist import EntryResponse
from service.schema.scene import SceneDocument


class ManifestLocation(ResponseModel):
    """Where the screen hangs."""

    id: str
    name: str
    timezone: str
    currency: str
    locale: str


class PublishedPlaylist(ResponseModel):
    """A version of a playlist as it was published."""

    id: str
    name: str
    version: int
    published_at: InstantText
    entries: list[EntryResponse]


class ManifestItem(ResponseModel):
    """An item that a scene of the playlist can show. What it does not have is left out."""

    id: str
    name: str
    category: str
    price: Money
    modifiers: list[ModifierResponse]
    eighty_sixed: bool
    sort_index: int
    description: str = ""
    image: str = ""
    tags: list[str] = []  # noqa: RUF012  (pydantic copies it)
    allergens: list[str] = []  # noqa: RUF012  (pydantic copies it)


class AssetFactsResponse(ResponseModel):
    """What a player needs to know to fetch an asset and check it."""

    size: int
    media_type: str


class ManifestResponse(ResponseModel):
    """What a screen should hold. `playlist` is null when it has none that was published."""

    format: int
    revision: int
    revision_at: InstantText
    location: ManifestLocation
    playlist: PublishedPlaylist | None
    scenes: list[SceneDocument]
    items: list[ManifestItem]
    assets: dict[str, AssetFactsResponse]
    settings: PlayerSettings
