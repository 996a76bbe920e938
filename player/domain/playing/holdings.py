"""Files that the running version and the waiting one need: which are there, and their use; pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum

from msgspec import Struct

from menu.documents.manifest import Catalogue, PlaylistVersion
from player.domain.playing.board import Board
from player.domain.playing.sync import asset_users, missing_text, needed_assets


class Need(StrEnum):
    """Version that needs a file."""

    RUNNING = "running"
    STAGED = "staged"


class Holding(Struct, frozen=True, kw_only=True):
    """A file. `lacking` is why it is missing or not whole; empty if it is whole. `used_by` names a scene or an item."""

    digest: str
    size: int
    media_type: str
    need: Need
    used_by: str = ""
    lacking: str = ""


def holdings(board: Board) -> tuple[Holding, ...]:
    """Returns each file once, in the order in which entries need them."""
    found: list[Holding] = []
    if board.playback is not None:
        found += _of_version(board.playback.version, board.catalogue, board.missing, Need.RUNNING)
    staged = board.staged
    if staged is not None and staged.manifest.version is not None:
        found += _of_version(staged.manifest.version, staged.manifest.catalogue, staged.missing, Need.STAGED)
    first: dict[str, Holding] = {}
    for holding in found:
        first.setdefault(holding.digest, holding)
    return tuple(first.values())


def _of_version(
    version: PlaylistVersion, catalogue: Catalogue | None, missing: Mapping[str, str | None], need: Need
) -> Iterator[Holding]:
    users = asset_users(version, catalogue)
    for digest, fact in needed_assets(version).items():
        yield Holding(
            digest=digest,
            size=fact.size,
            media_type=fact.media_type,
            need=need,
            used_by=users.get(digest, ""),
            lacking=missing_text(missing[digest]) if digest in missing else "",
        )
