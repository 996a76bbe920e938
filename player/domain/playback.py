"""Computes the view at an instant from a playlist version and its items, and the reasons for it; pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace

from player.domain.manifest import Catalogue, Entry, Location, PlaylistVersion
from player.domain.menu import SortedItems, item_row, listings, scene_is_empty
from player.domain.scene import ItemWidget, Scene
from player.domain.state import HouseReason, Kind, OtherEntry, Showing
from player.domain.sync import scene_assets
from player.domain.timeline import Moment, Reason, Timeline, timeline
from player.domain.view import HouseCard, Locality, SceneView, View
from player.domain.wording import locality_of

HOUSE_WORDS = {
    HouseReason.WAITING_FOR_PROGRAM: "Waiting for the first menu",
    HouseReason.FETCHING: "The menu is on its way",
    HouseReason.NO_PLAYLIST: "No published playlist is assigned to this screen",
    HouseReason.PLAYLIST_EMPTY: "The playlist has no scenes",
    HouseReason.NOTHING_SCHEDULED: "",
    HouseReason.NOTHING_SHOWABLE: "",
}
"""The text of the house card; empty where guests read it and nobody on site has to act."""


class Playback(Struct, frozen=True, kw_only=True):
    """A version that plays: its timeline anchored, its items as they are now."""

    version: PlaylistVersion
    anchor: datetime
    location: Location
    catalogue: Catalogue
    timeline: Timeline
    unshowable: Mapping[str, str]
    """Entries (by id) whose scenes cannot be shown, and why."""


class PlaybackOutput(Struct, frozen=True, kw_only=True):
    """The output of a playback at one instant: the view, and the facts behind it."""

    view: View
    showing: Showing
    moment: Moment


def play(
    version: PlaylistVersion, *, anchor: datetime, location: Location, catalogue: Catalogue, missing: Mapping[str, str]
) -> Playback:
    """Start a version at `anchor`. `missing` maps assets (hex SHA-256) to why they cannot be drawn."""
    return Playback(
        version=version,
        anchor=anchor,
        location=location,
        catalogue=catalogue,
        timeline=timeline(version, anchor, ZoneInfo(location.timezone)),
        unshowable=unshowable_entries(version, catalogue, missing),
    )


def update(playback: Playback, *, location: Location, catalogue: Catalogue, missing: Mapping[str, str]) -> Playback:
    """Apply new facts to a playback; its loops go on undisturbed."""
    if location.timezone == playback.location.timezone:
        return replace(
            playback,
            location=location,
            catalogue=catalogue,
            unshowable=unshowable_entries(playback.version, catalogue, missing),
        )
    return play(playback.version, anchor=playback.anchor, location=location, catalogue=catalogue, missing=missing)


def output_at(playback: Playback, now: datetime, *, schedules_trusted: bool) -> PlaybackOutput:
    """What the playback shows at `now`, and why."""
    moment = playback.timeline.at(now, unshowable=playback.unshowable, schedules_trusted=schedules_trusted)
    scenes = playback.version.scenes
    names = {entry.id: scenes[entry.scene_id].name for entry in playback.version.entries}
    others = tuple(
        OtherEntry(
            entry_id=other.entry_id,
            scene_name=names[other.entry_id],
            reason=other.reason,
            detail=other.detail,
            next_at=other.next_at,
        )
        for other in moment.others
    )
    if moment.entry is None:
        broken = any(other.reason is Reason.PASSED_OVER for other in moment.others)
        reason = HouseReason.NOTHING_SHOWABLE if broken else HouseReason.NOTHING_SCHEDULED
        return PlaybackOutput(
            view=house_card(playback.location, reason, next_at=moment.next_scheduled),
            showing=Showing(
                kind=Kind.HOUSE,
                house_reason=reason,
                next_change=moment.next_change,
                next_scheduled=moment.next_scheduled,
                others=others,
            ),
            moment=moment,
        )
    scene = scenes[moment.entry.scene_id]
    return PlaybackOutput(
        view=view_of(playback, moment.entry, started_at=moment.since),
        showing=Showing(
            kind=Kind.SCENE,
            entry_id=moment.entry.id,
            scene_id=scene.id,
            scene_name=scene.name,
            since=moment.since,
            until=moment.until,
            loop=moment.loop,
            loop_boundary=moment.loop_boundary,
            next_change=moment.next_change,
            others=others,
        ),
        moment=moment,
    )


def view_of(playback: Playback, entry: Entry, *, started_at: datetime) -> SceneView:
    """An entry's scene with the items as they are now; `started_at` is the start of its showing."""
    scene = playback.version.scenes[entry.scene_id]
    items = {
        widget.id: row
        for widget in scene.widgets
        if isinstance(widget, ItemWidget)
        and (row := item_row(widget, playback.catalogue, location=playback.location)) is not None
    }
    return SceneView(
        key=playback.version.key,
        entry_id=entry.id,
        scene=scene,
        started_at=started_at,
        revision=playback.catalogue.revision,
        locality=locality_of(playback.location),
        duration_seconds=entry.duration_seconds,
        menus=listings(scene, playback.catalogue, location=playback.location),
        items=items,
    )


def house_card(location: Location | None, reason: HouseReason, *, next_at: datetime | None = None) -> HouseCard:
    """The card that shows when no scene can."""
    return HouseCard(
        location_name=location.name if location else "",
        locality=locality_of(location) if location else Locality(),
        reason=HOUSE_WORDS[reason],
        next_at=next_at,
    )


def unshowable_entries(version: PlaylistVersion, catalogue: Catalogue, missing: Mapping[str, str]) -> dict[str, str]:
    """The entries (by id) whose scenes cannot be shown, and why. `missing` maps assets that are not whole to why."""
    items = SortedItems(catalogue)
    reasons = {scene.id: _why_unshowable(scene, items, missing) for scene in version.scenes.values()}
    return {entry.id: why for entry in version.entries if (why := reasons[entry.scene_id]) is not None}


def _why_unshowable(scene: Scene, items: SortedItems, missing: Mapping[str, str]) -> str | None:
    if scene.unreadable is not None:
        return scene.unreadable
    absent = next((asset for asset in scene_assets(scene) if asset in missing), None)
    if absent is not None:
        return f"asset {absent[:12]}… is not whole: {missing[absent]}"
    if scene_is_empty(scene, items):
        return "every menu on it is empty"
    return None
