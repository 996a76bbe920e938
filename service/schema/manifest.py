"""Manifests, as the API document describes them (docs/protocol.md). They are written by `services.manifests`."""

from service.schema.base import View
from service.schema.device import PlayerSettings
from service.schema.fields import InstantText, Money
from service.schema.item import ModifierView
from service.schema.playlist import EntryView
from service.schema.scene import SceneDocument


class ManifestLocation(View):
    """Where the screen hangs."""

    id: str
    name: str
    timezone: str
    currency: str
    locale: str


class PublishedPlaylist(View):
    """A version of a playlist as it was published."""

    id: str
    name: str
    version: int
    published_at: InstantText
    entries: list[EntryView]


class ManifestItem(View):
    """An item that a scene of the playlist can show. What it does not have is left out."""

    id: str
    name: str
    category: str
    price: Money
    modifiers: list[ModifierView]
    eighty_sixed: bool
    sort_index: int
    description: str = ""
    image: str = ""
    tags: list[str] = []  # noqa: RUF012  (pydantic copies it)
    allergens: list[str] = []  # noqa: RUF012  (pydantic copies it)


class AssetFactsView(View):
    """What a player needs to know to fetch an asset and check it."""

    size: int
    media_type: str


class ManifestView(View):
    """What a screen should hold. `playlist` is null when it has none that was published."""

    format: int
    revision: int
    revision_at: InstantText
    location: ManifestLocation
    playlist: PublishedPlaylist | None
    scenes: list[SceneDocument]
    items: list[ManifestItem]
    assets: dict[str, AssetFactsView]
    settings: PlayerSettings
