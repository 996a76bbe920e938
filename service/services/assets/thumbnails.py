"""Makes small pictures of assets, each size once, and keeps them beside the assets: of a film, its first frame."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from service.core.errors import ProblemError
from service.schema.content.asset import ThumbnailSize
from service.services.assets.assets import StoredAsset, asset_unavailable, store_problems
from service.services.assets.checks import draw_thumbnails, is_hdr
from service.storage.asset_store import AssetStore

DRAWING = "upright"
"""The way in which they are drawn: those that were kept under another name are made anew."""
_HDR, _SDR = b"hdr", b"sdr"
_PNG = b"\x89PNG"


class Thumbnails:
    """Finds and makes thumbnails. Its calls block."""

    def __init__(self, *, store: AssetStore) -> None:
        self._store = store

    def get(self, asset: StoredAsset, size: ThumbnailSize) -> bytes:
        """Returns PNG if the image has transparent parts, or else JPEG. Raises the 503 problems, and 404 for a font."""
        if asset.media_type.startswith("font/"):
            raise ProblemError(404, "no_thumbnail", "A font has no small picture", "Images and videos have one.")
        with store_problems():
            kept = self._store.thumbnail(thumbnail_name(asset, size))
            return kept or self._make(asset)[size]

    def _make(self, asset: StoredAsset) -> dict[ThumbnailSize, bytes]:
        """Makes all sizes at once: decoding takes the longest."""
        with self._file(asset) as file:
            drawn = draw_thumbnails(file, asset.media_type)
        if drawn is None:
            raise asset_unavailable()
        for size, content in drawn.items():
            self._store.keep_thumbnail(thumbnail_name(asset, size), content)
        return drawn

    def is_hdr(self, asset: StoredAsset) -> bool:
        """True if a film was stored before and would be refused today. Raises the 503 problems."""
        if not asset.media_type.startswith("video/"):
            return False
        name = f"{asset.digest}-colours"
        with store_problems():
            kept = self._store.thumbnail(name)
            if kept is None:
                with self._file(asset) as file:
                    kept = _HDR if is_hdr(file, asset.media_type) else _SDR
                self._store.keep_thumbnail(name, kept)
        return kept == _HDR

    @contextmanager
    def _file(self, asset: StoredAsset) -> Iterator[Path]:
        if self._store.size(asset.digest) != asset.size:
            raise asset_unavailable()
        with tempfile.TemporaryDirectory(prefix="menu-thumbnails-") as folder:
            file = Path(folder) / "asset"
            self._store.place(asset.digest, file)
            yield file


def type_of(thumbnail: bytes) -> str:
    return "image/png" if thumbnail.startswith(_PNG) else "image/jpeg"


def thumbnail_name(asset: StoredAsset, size: ThumbnailSize) -> str:
    """Returns a name that no other picture has, nor this one drawn in another way."""
    return f"{asset.digest}-{size.value}-{DRAWING}"
