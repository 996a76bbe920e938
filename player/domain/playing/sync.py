"""Plans downloads: which assets to delete, keep and fetch, from what versions need and what is on disk; pure."""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping, Sequence

from msgspec import Struct

from menu.documents.manifest import AssetFact, Catalogue, PlaylistVersion, VersionKey
from menu.documents.references import scene_assets, scene_media, widget_media
from menu.documents.scene import Scene, ShapeWidget, Widget
from menu.sizes import size_text
from menu.text.phrase import Phrase, phrase

ASSET_DAMAGED = "asset_damaged"
"""Code of the fault of an asset that was on the disk and is not whole."""

VERSION_BUDGET_BYTES = 8 * 1024**3
"""The most that the assets of one version may add up to."""


class DropPrevious(Struct, frozen=True):
    """Removes the previous version to make room, with the assets that only it uses."""


class Delete(Struct, frozen=True, kw_only=True):
    """Deletes an unused asset, which is there whole or in part."""

    digest: str


class Keep(Struct, frozen=True, kw_only=True):
    """Keeps an asset that is there and whole, by its hash."""

    digest: str


class Fetch(Struct, frozen=True, kw_only=True):
    """Fetches a missing asset; `size` in bytes, according to the manifest."""

    digest: str
    size: int


class Refuse(Struct, frozen=True, kw_only=True):
    """Refuses all of this version's assets: there is no room."""

    key: VersionKey
    detail: str


Step = DropPrevious | Delete | Keep | Fetch | Refuse


def answered_in_between(status: int) -> Phrase:
    """Explains a failed call that something on the way answered in the service's place."""
    return phrase("something in between answers {status} in place of the service", status=status)


def is_held_back(why: str) -> bool:
    """Whether an asset is missing because something on the way answered in the service's place."""
    return isinstance(why, Phrase) and why.template == answered_in_between(0).template


def missing_text(why: str | None) -> str:
    """Explains why an asset is not on the device; None: it has not been requested."""
    return phrase("not fetched yet") if why is None else why


def asset_users(version: PlaylistVersion | None, catalogue: Catalogue | None) -> dict[str, str]:
    """Returns the name of the first scene that needs each asset (hex SHA-256), or else of the item."""
    users: dict[str, str] = {}
    if catalogue:
        users |= {one.image: name for name, one in catalogue.categories.items() if one.image}
        users |= {item.image: item.name for item in catalogue.items.values() if item.image}
    scenes = tuple(version.scenes.values()) if version else ()
    return users | {digest: scene.name for scene in reversed(scenes) for digest in scene_assets(scene)}


def lacking_asset(scene: Scene, missing: Container[str]) -> str | None:
    """Returns a missing asset of a scene of which only shapes could be seen; None if more can."""
    lacking = next((asset for asset in scene_media(scene) if asset in missing), None)
    background = scene.background.asset
    if lacking is None or (background is not None and background not in missing):
        return None
    return None if any(_is_seen(widget, missing) for widget in scene.widgets) else lacking


def _is_seen(widget: Widget, missing: Container[str]) -> bool:
    assets = widget_media(widget)
    return any(asset not in missing for asset in assets) if assets else not isinstance(widget, ShapeWidget)


def needed_assets(version: PlaylistVersion) -> dict[str, AssetFact]:
    """Returns a version's assets in the order in which its entries need them; those that no entry names come last."""
    named = (digest for entry in version.entries for digest in scene_assets(version.scenes[entry.scene_id]))
    order = dict.fromkeys((*named, *version.assets))
    return {digest: version.assets[digest] for digest in order if digest in version.assets}


def plan(
    *,
    versions: Sequence[PlaylistVersion],
    whole: Collection[str],
    held: Mapping[str, int],
    parts: Mapping[str, int],
    protected: Collection[str],
    spare: Collection[str],
    room_bytes: int,
) -> tuple[Step, ...]:
    """Returns the steps from the files on disk to those that `versions` need: deletions first, then version after
    version.

    `whole` names the verified assets; `held` maps each asset on disk, whole or in part, to the bytes it takes, `parts`
    each one in part to its bytes; `protected` names assets that must stay, `spare` those of them that may go where a
    version does not fit otherwise. A version that does not fit even so is refused whole; what it has already stays.
    """

    def keeping(protected: Collection[str]) -> tuple[Step, ...]:
        used = {digest for version in versions for digest in version.assets} | set(protected)
        unused = sorted(held.keys() - used)
        steps: list[Step] = [Delete(digest=digest) for digest in unused]
        room = room_bytes + sum(held[digest] for digest in unused)
        planned: set[str] = set()
        for version in versions:
            assets = needed_assets(version)
            missing = {digest: fact for digest, fact in assets.items() if digest not in whole and digest not in planned}
            to_come = sum(max(0, fact.size - parts.get(digest, 0)) for digest, fact in missing.items())
            total = sum(fact.size for fact in assets.values())
            if total > VERSION_BUDGET_BYTES:
                most = size_text(VERSION_BUDGET_BYTES)
                detail = f"its assets add up to {size_text(total)}, more than the {most} a version may have"
            elif to_come > max(0, room):
                have = size_text(max(0, room))
                detail = f"{size_text(to_come)} are to be downloaded, and the disk has room for {have}"
            else:
                detail = ""
            if detail:
                steps.append(Refuse(key=version.key, detail=detail))
                continue
            room -= to_come
            planned |= missing.keys()
            for digest, fact in assets.items():
                if digest in missing:
                    steps.append(Fetch(digest=digest, size=fact.size))
                elif digest in whole:
                    steps.append(Keep(digest=digest))
        return tuple(steps)

    def refused(steps: Sequence[Step]) -> int:
        return sum(isinstance(step, Refuse) for step in steps)

    kept = keeping(protected)
    if not spare or not refused(kept):
        return kept
    dropped = keeping(set(protected) - set(spare))
    return (DropPrevious(), *dropped) if refused(dropped) < refused(kept) else kept
