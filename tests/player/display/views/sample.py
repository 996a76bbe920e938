"""The sample café as a player gets it: loaded by the service, read and filled in by the player's own code."""

from __future__ import annotations

from pathlib import Path

from menu.documents.manifest import Manifest
from menu.documents.manifest_reader import read_manifest
from player.domain.playing.playback import play, view_of
from player.domain.view import SceneView
from service.core.clock import SystemClock
from service.services.publishing.composition import ManifestKey
from service.services.registry import Services
from service.settings import Settings
from tests.player.display.scenes import NOON


class SampleCafe:
    """`manifests` are those of its playlists, `files` its assets by hash, `items` what it sells."""

    def __init__(self, folder: Path) -> None:
        services = Services(Settings(data=folder), clock=SystemClock())
        ids = services.sample.load().ids
        with services.database.write() as unit:
            workspace = services.keys.workspace(unit)
        boards = (ManifestKey(workspace, playlist, ids["location"]) for playlist in ids["playlists"].values())
        self.manifests = [read_manifest(services.manifests.compose(board, now=NOON).body) for board in boards]
        self.files = {
            digest: services.store.path(digest)
            for manifest in self.manifests
            if manifest.version is not None
            for digest in manifest.version.assets
        }
        self.items = set(ids["items"].values())
        services.database.close()

    def asset_path(self, digest: str) -> Path:
        return self.files.get(digest, Path("/nowhere"))

    def views(self) -> list[SceneView]:
        return [view for manifest in self.manifests for view in _views(manifest)]


def _views(manifest: Manifest) -> list[SceneView]:
    version = manifest.version
    assert version is not None
    playback = play(version, location=manifest.location, catalogue=manifest.catalogue, missing={})
    return [view_of(playback, entry, started_at=NOON, counted_from=NOON) for entry in version.entries]
