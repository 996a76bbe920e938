"""The sample café as a player gets it: loaded by the service, read and filled in by the player's own code."""

from __future__ import annotations

from pathlib import Path

from player.domain.manifest import Manifest
from player.domain.manifest_document import read_manifest
from player.domain.playback import picture_of, play
from player.domain.view import ScenePicture
from service.app import build_services
from service.core.clock import SystemClock
from service.services.publishing.manifests import Board
from service.settings import Settings
from tests.player.display.scenes import NOON


class SampleCafe:
    """`pictures` are its scenes in the order of its playlists, `files` its assets by hash, `items` what it sells."""

    def __init__(self, folder: Path) -> None:
        services = build_services(Settings(data=folder), clock=SystemClock())
        ids = services.sample.load().ids
        with services.database.write() as unit:
            workspace = services.keys.workspace(unit)
        boards = (Board(workspace, playlist, ids["location"]) for playlist in ids["playlists"].values())
        self.manifests = [read_manifest(services.manifests.compose(board, now=NOON).body) for board in boards]
        self.files = {
            digest: services.files.path(digest)
            for manifest in self.manifests
            if manifest.program is not None
            for digest in manifest.program.assets
        }
        self.items = set(ids["items"].values())
        services.database.close()

    def asset_path(self, digest: str) -> Path:
        return self.files.get(digest, Path("/nowhere"))

    def pictures(self) -> list[ScenePicture]:
        return [picture for manifest in self.manifests for picture in _pictures(manifest)]


def _pictures(manifest: Manifest) -> list[ScenePicture]:
    program = manifest.program
    assert program is not None
    playing = play(program, anchor=NOON, location=manifest.location, catalogue=manifest.catalogue, lacking={})
    return [picture_of(playing, entry, turn=NOON) for entry in program.entries]
