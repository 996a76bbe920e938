"""Detects manifests older than the board's: within an epoch of the service, the revisions of a playlist at a location
never go back; pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from menu.documents.manifest import Manifest

MAX_SERIES = 16
"""Playlists at locations whose newest revision is remembered."""

MAX_EPOCHS_LEFT = 8
"""Former epochs of the service that are remembered."""

_TELLABLE = re.compile(r"[\x21-\x7e]{1,100}")
"""An epoch that can stand in a header."""


class Revisions(Struct, frozen=True, kw_only=True):
    """Service's epoch, the newest revision of each playlist at a location in it, and the earlier epochs."""

    epoch: str | None = None
    newest: Mapping[tuple[str, str], int] = field(default_factory=dict)
    left: tuple[str, ...] = ()

    @classmethod
    def of(cls, manifests: Iterable[Manifest]) -> Revisions:
        """Collects the revisions of manifests in the order in which they came."""
        found = cls()
        for manifest in manifests:
            found = found.after(manifest)
        return found

    def refuse(self, manifest: Manifest) -> bool:
        """Whether a manifest is older than one already used."""
        if manifest.epoch != self.epoch:
            return manifest.epoch in self.left
        return manifest.catalogue.revision < self.newest.get(_series(manifest), 0)

    def held(self, manifest: Manifest) -> str:
        """Returns the epoch and the newest revision of the manifest's playlist at its location, as sent to the service;
        empty where it has no epochs."""
        epoch = self.epoch or ""
        return f"{epoch} {self.newest.get(_series(manifest), 0)}" if _TELLABLE.fullmatch(epoch) else ""

    def after(self, manifest: Manifest) -> Revisions:
        series, revision = _series(manifest), manifest.catalogue.revision
        if manifest.epoch != self.epoch:
            before = (epoch for epoch in (*self.left, self.epoch) if epoch is not None and epoch != manifest.epoch)
            left = tuple(before)[-MAX_EPOCHS_LEFT:]
            return Revisions(epoch=manifest.epoch, newest={series: revision}, left=left)
        others = {key: newest for key, newest in self.newest.items() if key != series}
        kept = dict(list(others.items())[-(MAX_SERIES - 1) :])
        return replace(self, newest={**kept, series: revision})


def _series(manifest: Manifest) -> tuple[str, str]:
    return manifest.location.id, manifest.version.key.playlist_id if manifest.version else ""
