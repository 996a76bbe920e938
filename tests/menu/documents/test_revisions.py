"""The number of revisions and former epochs of the service that a board remembers."""

from __future__ import annotations

import json

from msgspec.structs import replace

from menu.documents.manifest import Manifest
from menu.documents.manifest_reader import read_manifest
from menu.documents.revisions import MAX_EPOCHS_LEFT, MAX_SERIES, Revisions
from tests.support.menus import document, menu_scene


def manifest(*, revision: int = 1, playlist: str = "pl_1", epoch: str = "e") -> Manifest:
    body = json.loads(document(scenes=[menu_scene("coffee", "Coffee")], revision=revision, playlist=playlist))
    return replace(read_manifest(json.dumps(body).encode()), epoch=epoch)


def test_the_playlists_that_were_used_last_are_remembered() -> None:
    seen = Revisions.of(manifest(revision=9, playlist=f"pl_{number}") for number in range(MAX_SERIES))
    assert all(seen.refuse(manifest(revision=8, playlist=f"pl_{number}")) for number in range(MAX_SERIES))

    seen = seen.after(manifest(revision=9, playlist="one more"))

    assert len(seen.newest) == MAX_SERIES
    assert not seen.refuse(manifest(revision=8, playlist="pl_0"))
    assert seen.refuse(manifest(revision=8, playlist="pl_1"))


def test_the_newest_former_epochs_are_remembered() -> None:
    seen = Revisions.of(manifest(epoch=f"e{number}") for number in range(MAX_EPOCHS_LEFT + 1))
    assert all(seen.refuse(manifest(epoch=f"e{number}")) for number in range(MAX_EPOCHS_LEFT))

    seen = seen.after(manifest(epoch="one more"))

    assert len(seen.left) == MAX_EPOCHS_LEFT
    assert not seen.refuse(manifest(epoch="e0"))
    assert seen.refuse(manifest(epoch="e1"))
