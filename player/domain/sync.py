"""Owns which assets to fetch, keep and delete: what is wanted and what is there make a plan of steps, as data; pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from player.domain.manifest import AssetFact, PlaylistVersion, VersionKey
from player.domain.scene import ImageWidget, Scene, VideoWidget, Widget

PROGRAM_BUDGET_BYTES = 8 * 1024**3
"""The most that the assets of one program may add up to."""

DISK_RESERVE_BYTES = 256 * 1024**2
"""What fetching leaves free for everything else on the disk."""


class Delete(Struct, frozen=True, kw_only=True):
    """Nothing uses this asset, whole or in part."""

    digest: str


class Keep(Struct, frozen=True, kw_only=True):
    """This asset is there and whole."""

    digest: str


class Fetch(Struct, frozen=True, kw_only=True):
    """This asset is to be fetched; `size` in bytes, as the manifest says."""

    digest: str
    size: int


class Contradict(Struct, frozen=True, kw_only=True):
    """This asset is there and whole, but of another size than the manifest says: fetching it again mends nothing."""

    digest: str
    detail: str


class Refuse(Struct, frozen=True, kw_only=True):
    """This program's assets are not fetched at all: there is no room."""

    key: VersionKey
    detail: str


Step = Delete | Keep | Fetch | Contradict | Refuse


class AssetWriter(Protocol):
    """An asset on its way in, under a temporary name. Every call blocks, and raises OSError when the disk refuses."""

    @property
    def offset(self) -> int:
        """Bytes that are there already."""
        ...

    def restart(self) -> None:
        """Drop what is there."""
        ...

    def write(self, chunk: bytes) -> None:
        """Append. The caller sees to it that it stays within the size."""
        ...

    def finish(self) -> str | None:
        """Check size and hash and put it under its name, durably; or drop it, and say why."""
        ...

    def close(self) -> None:
        """Leave what is there for a later attempt. May be called twice, and after `finish`."""
        ...


class AssetStore(Protocol):
    """The port to the assets on disk. Every call blocks, and raises OSError when the disk refuses."""

    def check(self, digest: str) -> int | None:
        """The size of an asset that is there and whole by its hash; None, and taken away, if it is not."""
        ...

    def held(self) -> dict[str, int]:
        """Every asset that lies there, whole or in part, and the bytes that it takes."""
        ...

    def part_bytes(self, digest: str) -> int:
        """Bytes of an asset that is there in part."""
        ...

    def protected(self) -> frozenset[str]:
        """The assets that a stored manifest uses."""
        ...

    def free_bytes(self) -> int:
        """Free on the disk."""
        ...

    def open_writer(self, digest: str, size: int) -> AssetWriter:
        """Begin, or go on with, an asset of `size` bytes."""
        ...

    def remove(self, digest: str) -> None:
        """Delete an asset, whole or in part."""
        ...


def scene_assets(scene: Scene) -> tuple[str, ...]:
    """The assets (hex SHA-256) that a scene draws, from the back to the front."""
    background = (scene.background.asset,) if scene.background.asset is not None else ()
    return (*background, *(asset for widget in scene.widgets for asset in _widget_assets(widget)))


def _widget_assets(widget: Widget) -> tuple[str, ...]:
    match widget:
        case ImageWidget():
            return (widget.asset,)
        case VideoWidget():
            # The poster first: it is small, and it shows until the video is there.
            return (widget.asset,) if widget.poster is None else (widget.poster, widget.asset)
        case _:
            return ()


def wanted(version: PlaylistVersion) -> dict[str, AssetFact]:
    """A program's assets in the order in which its entries need them; those that no entry names come last."""
    return {digest: version.assets[digest] for digest in _in_order(version)}


def plan(
    *,
    versions: Sequence[PlaylistVersion],
    whole: Mapping[str, int],
    held: Mapping[str, int],
    parts: Mapping[str, int],
    protected: Collection[str],
    free_bytes: int,
) -> tuple[Step, ...]:
    """The steps from what is there to what `programs` want, the first program first; deletions before anything else.

    `whole` gives the size of each asset that is there and verified, `held` the bytes of all that lie there whole or
    in part, `parts` those of the ones in part, `protected` names those that must stay whatever the programs want.
    A program that does not fit is refused whole; what it has already stays.
    """
    used = {digest for version in versions for digest in version.assets} | set(protected)
    unused = sorted(held.keys() - used)
    steps: list[Step] = [Delete(digest=digest) for digest in unused]
    room = free_bytes - DISK_RESERVE_BYTES + sum(held[digest] for digest in unused)
    planned: set[str] = set()
    for version in versions:
        assets = wanted(version)
        missing = {digest: fact for digest, fact in assets.items() if digest not in whole and digest not in planned}
        to_come = sum(max(0, fact.size - parts.get(digest, 0)) for digest, fact in missing.items())
        total = sum(fact.size for fact in assets.values())
        if total > PROGRAM_BUDGET_BYTES:
            detail = f"its pictures add up to {total} bytes, more than the {PROGRAM_BUDGET_BYTES} a program may have"
            steps.append(Refuse(key=version.key, detail=detail))
            continue
        if to_come > max(0, room):
            detail = f"{to_come} bytes of pictures are to come, and the disk has room for {max(0, room)}"
            steps.append(Refuse(key=version.key, detail=detail))
            continue
        room -= to_come
        planned |= missing.keys()
        for digest, fact in assets.items():
            if digest in missing:
                steps.append(Fetch(digest=digest, size=fact.size))
            elif digest in whole and whole[digest] != fact.size:
                detail = f"the manifest says {fact.size} bytes, the asset has {whole[digest]}"
                steps.append(Contradict(digest=digest, detail=detail))
            elif digest in whole:
                steps.append(Keep(digest=digest))
    return tuple(steps)


def _in_order(version: PlaylistVersion) -> Iterator[str]:
    seen: set[str] = set()
    scenes = [version.scenes[entry.scene_id] for entry in version.entries if entry.scene_id in version.scenes]
    named = (digest for scene in scenes for digest in scene_assets(scene))
    for digest in (*named, *version.assets):
        if digest in version.assets and digest not in seen:
            seen.add(digest)
            yield digest
