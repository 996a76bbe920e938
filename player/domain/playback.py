"""Owns the step from a program, its items and an instant to the picture and the reasons for it; pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace

from player.domain.manifest import Catalogue, Entry, Location, PlaylistVersion
from player.domain.menu import dish, listing, scene_is_empty
from player.domain.scene import ItemWidget, MenuWidget, Scene
from player.domain.state import HouseReason, Kind, Passed, Showing
from player.domain.sync import scene_assets
from player.domain.timeline import Moment, Reason, Timeline, timeline
from player.domain.view import HouseCard, Locality, MenuListing, SceneView, View
from player.domain.wording import locality_of

HOUSE_WORDS = {
    HouseReason.WAITING_FOR_PROGRAM: "Waiting for the first menu",
    HouseReason.FETCHING: "The menu is on its way",
    HouseReason.NO_PLAYLIST: "No published playlist is assigned to this screen",
    HouseReason.PLAYLIST_EMPTY: "The playlist has no scenes",
    HouseReason.NOTHING_SCHEDULED: "",
    HouseReason.NOTHING_SHOWABLE: "",
}
"""What the house card says; empty where it is a guest who reads it, and nothing is amiss on site."""


class Playback(Struct, frozen=True, kw_only=True):
    """A program on its way round: the timeline anchored, the items as they are, what can't be shown and why."""

    version: PlaylistVersion
    anchor: datetime
    location: Location
    catalogue: Catalogue
    timeline: Timeline
    passed_over: Mapping[str, str]
    """Entry id -> why its scene cannot be shown."""


class ProgramOutput(Struct, frozen=True, kw_only=True):
    """The answer for one instant: what to show, what to prepare, and the facts behind it."""

    view: View
    showing: Showing
    moment: Moment


def play(
    version: PlaylistVersion, *, anchor: datetime, location: Location, catalogue: Catalogue, missing: Mapping[str, str]
) -> Playback:
    """Anchor a program. `lacking` names the assets (hex SHA-256 -> why) that cannot be drawn."""
    return Playback(
        version=version,
        anchor=anchor,
        location=location,
        catalogue=catalogue,
        timeline=timeline(version, anchor, ZoneInfo(location.timezone)),
        passed_over=passed_over(version, catalogue, missing),
    )


def change(playback: Playback, *, location: Location, catalogue: Catalogue, missing: Mapping[str, str]) -> Playback:
    """Let live facts change under a program that goes on; its loops are not disturbed."""
    if location.timezone == playback.location.timezone:
        return replace(
            playback,
            location=location,
            catalogue=catalogue,
            passed_over=passed_over(playback.version, catalogue, missing),
        )
    return play(playback.version, anchor=playback.anchor, location=location, catalogue=catalogue, missing=missing)


def view(playback: Playback, now: datetime, *, schedules_trusted: bool) -> ProgramOutput:
    """What the program shows at `now`, and why."""
    moment = playback.timeline.at(now, passed_over=playback.passed_over, schedules_trusted=schedules_trusted)
    scenes = playback.version.scenes
    names = {entry.id: scenes[entry.scene_id].name for entry in playback.version.entries}
    others = tuple(
        Passed(
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
        return ProgramOutput(
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
    return ProgramOutput(
        view=view_of(playback, moment.entry, turn=moment.since),
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


def view_of(playback: Playback, entry: Entry, *, turn: datetime) -> SceneView:
    """An entry's scene with its menus and dishes filled in from the items as they are."""
    scene = playback.version.scenes[entry.scene_id]
    menus: dict[str, MenuListing] = {
        widget.id: listing(widget, playback.catalogue, location=playback.location)
        for widget in scene.widgets
        if isinstance(widget, MenuWidget)
    }
    dishes = {
        widget.id: row
        for widget in scene.widgets
        if isinstance(widget, ItemWidget)
        and (row := dish(widget, playback.catalogue, location=playback.location)) is not None
    }
    return SceneView(
        key=playback.version.key,
        entry_id=entry.id,
        scene=scene,
        turn=turn,
        revision=playback.catalogue.revision,
        locality=locality_of(playback.location),
        duration_seconds=entry.duration_seconds,
        menus=menus,
        dishes=dishes,
    )


def house_card(location: Location | None, reason: HouseReason, *, next_at: datetime | None = None) -> HouseCard:
    """The card that shows instead of a menu."""
    return HouseCard(
        location_name=location.name if location else "",
        locality=locality_of(location) if location else Locality(),
        reason=HOUSE_WORDS[reason],
        next_at=next_at,
    )


def passed_over(version: PlaylistVersion, catalogue: Catalogue, missing: Mapping[str, str]) -> dict[str, str]:
    """The entries (by id) whose scenes cannot be shown, and why. `missing` are the assets that are not whole."""
    reasons = {scene.id: _why_not(scene, catalogue, missing) for scene in version.scenes.values()}
    return {entry.id: why for entry in version.entries if (why := reasons[entry.scene_id]) is not None}


def _why_not(scene: Scene, catalogue: Catalogue, missing: Mapping[str, str]) -> str | None:
    if scene.unreadable is not None:
        return scene.unreadable
    absent = next((asset for asset in scene_assets(scene) if asset in missing), None)
    if absent is not None:
        return f"asset {absent[:12]}… is not whole: {missing[absent]}"
    if scene_is_empty(scene, catalogue):
        return "every menu on it is empty"
    return None
