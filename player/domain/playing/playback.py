"""Computes the view at an instant from a playlist version and its items, and the reasons for it; pure."""

from __future__ import annotations

from collections.abc import Container, Mapping
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace

from menu.documents.manifest import Catalogue, Entry, Location, PlaylistVersion
from menu.documents.references import scene_assets
from menu.documents.scene import ItemWidget, ListWidget, Scene, TextWidget, TickerWidget
from menu.rules.timeline import Moment, OtherEntry, Reason, Timeline, Unshowable, WhyNot
from menu.text.languages import languages_of, speech_of, spoken
from menu.text.live_values import filled, says_nothing, values_named
from menu.text.phrase import in_language, phrase
from menu.text.wording import Locality, locality_of
from player.domain.playing.listings import SortedItems, listings, posters, scene_is_empty
from player.domain.playing.sync import lacking_asset
from player.domain.state import HouseReason, Kind, Showing
from player.domain.view import HouseCard, MenuListing, MenuRow, SceneView, View

MIN_SHOWING = timedelta(seconds=3)
"""Where a playback joins its timeline, a rest of a showing that is shorter is not begun: the next entry begins early
instead. So no scene flashes up."""

MAX_HELD = timedelta(seconds=60)
"""A scene may stay on the glass for so long once the clock, corrected, calls for another one of the same period."""

HOUSE_WORDS = {
    HouseReason.WAITING_FOR_PROGRAM: phrase("Waiting for the first menu"),
    HouseReason.FETCHING: phrase("The menu is on its way"),
    HouseReason.NO_PLAYLIST: phrase("No published playlist is assigned to this screen"),
    HouseReason.NEVER_PUBLISHED: phrase("The playlist of this screen has not been published yet"),
    HouseReason.PLAYLIST_EMPTY: phrase("The playlist has no scenes"),
}
"""The text of the house card; none where guests read it and nobody on site has to act."""


class Playback(Struct, frozen=True, kw_only=True):
    """A playing version: its timeline anchored, its items current."""

    version: PlaylistVersion
    location: Location
    catalogue: Catalogue
    timeline: Timeline
    unshowable: Mapping[str, Unshowable]
    """Entries (by id) whose scenes cannot be shown, and why."""
    missing: Mapping[str, str | None]
    """Assets that are not whole, and why."""
    held: Moment | None = None
    """A showing that goes on until its end, whatever the timeline says."""

    def due_at(self, now: datetime, *, schedules_trusted: bool) -> Moment:
        """Returns the moment of the timeline, regardless of a held entry."""
        return self.timeline.at(now, unshowable=self.unshowable.keys(), schedules_trusted=schedules_trusted)


def play(
    version: PlaylistVersion, *, location: Location, catalogue: Catalogue, missing: Mapping[str, str | None]
) -> Playback:
    """Plays a version. `missing` maps assets (hex SHA-256) to why they cannot be drawn."""
    return Playback(
        version=version,
        location=location,
        catalogue=catalogue,
        timeline=Timeline(version, version.published_at, ZoneInfo(location.timezone)),
        unshowable=unshowable_entries(version, catalogue, missing),
        missing=missing,
    )


def update(playback: Playback, **facts: Any) -> Playback:
    """Applies new facts, which are fields of a playback; its loops go on undisturbed, except in another zone."""
    new = replace(playback, **facts)
    if new.location.timezone != playback.location.timezone:
        return play(new.version, location=new.location, catalogue=new.catalogue, missing=new.missing)
    return replace(new, unshowable=unshowable_entries(new.version, new.catalogue, new.missing))


def joining(playback: Playback, at: datetime, *, schedules_trusted: bool) -> Playback:
    """Returns the playback that joins its timeline at an instant: the next entry begins early in place of a short
    rest."""
    rest = playback.due_at(at, schedules_trusted=schedules_trusted)
    if rest.until is None or rest.until == rest.period.end or rest.since >= at or rest.until - at >= MIN_SHOWING:
        return playback
    after = playback.due_at(rest.until, schedules_trusted=schedules_trusted)
    # As in its own time, which follows: the beginning of its slideshows is shown for longer.
    held = replace(after, since=at, until=rest.until, counted_from=after.counted_from - (rest.until - at))
    return replace(playback, held=held)


def corrected(
    playback: Playback, now: datetime, *, shown: Moment, shift: timedelta, schedules_trusted: bool
) -> Playback:
    """Returns the playback after a correction of the clock, which reads `now` and was moved by `shift`; `shown` is what
    it showed by the previous time.

    A displayed scene is not cut: if another is due, it shows until its end by the previous time. Only another period
    takes effect at once.
    """
    free = replace(playback, held=None)
    due = free.due_at(now, schedules_trusted=schedules_trusted)
    if shown.entry is None or shown.until is None or due.entry is None or due.period != shown.period:
        return joining(free, now, schedules_trusted=schedules_trusted)
    until = min(shown.until + shift, now + MAX_HELD)
    if (due.entry, due.turn) == (shown.entry, shown.turn):
        until = shown.since + shift + MIN_SHOWING
        if due.until is None or until <= due.until:
            return free
    after = free.due_at(until, schedules_trusted=schedules_trusted)
    if after.period != due.period:
        until = due.period.end or until
    elif after.until is not None and after.until - until < MIN_SHOWING:
        until = after.until
    held = replace(shown, since=shown.since + shift, until=until, counted_from=shown.counted_from + shift)
    return replace(free, held=held)


def moment_at(playback: Playback, now: datetime, *, schedules_trusted: bool) -> Moment:
    """Returns the moment of the timeline at `now`, or the entry that is held in its place."""
    moment, held = playback.due_at(now, schedules_trusted=schedules_trusted), playback.held
    if held is None or held.entry is None or held.until is None or now >= held.until:
        return moment
    if moment.entry is None or held.entry.id in playback.unshowable:
        return moment
    after = playback.due_at(held.until, schedules_trusted=schedules_trusted)
    until = after.until if (after.entry, after.turn) == (held.entry, held.turn) else held.until
    name = playback.version.scenes[moment.entry.scene_id].name
    instead = OtherEntry(entry_id=moment.entry.id, scene_name=name, reason=Reason.WAITING, next_at=held.until)
    return replace(
        moment,
        entry=held.entry,
        since=held.since,
        counted_from=held.counted_from,
        turn=held.turn,
        until=until,
        loop_boundary=max(moment.loop_boundary, until or held.until),
        others=tuple(instead if other.entry_id == held.entry.id else other for other in moment.others),
    )


def showing_at(playback: Playback, now: datetime, *, schedules_trusted: bool) -> Showing:
    moment = moment_at(playback, now, schedules_trusted=schedules_trusted)
    others = tuple(
        replace(other, unshowable=playback.unshowable.get(other.entry_id))
        if other.reason is Reason.PASSED_OVER
        else other
        for other in moment.others
    )
    if moment.entry is None:
        return Showing(
            kind=Kind.HOUSE,
            house_reason=_house_reason(moment),
            until=moment.until,
            next_scheduled=moment.next_scheduled,
            others=others,
        )
    return Showing(
        kind=Kind.SCENE,
        entry_id=moment.entry.id,
        scene_id=moment.entry.scene_id,
        scene_name=playback.version.scenes[moment.entry.scene_id].name,
        since=moment.since,
        until=moment.until,
        loop=moment.loop,
        loop_boundary=moment.loop_boundary,
        others=others,
    )


def _house_reason(moment: Moment) -> HouseReason:
    broken = any(other.reason is Reason.PASSED_OVER for other in moment.others)
    return HouseReason.NOTHING_SHOWABLE if broken else HouseReason.NOTHING_SCHEDULED


def view_at(playback: Playback, now: datetime, *, schedules_trusted: bool) -> View:
    moment = moment_at(playback, now, schedules_trusted=schedules_trusted)
    if moment.entry is None:
        return house_card(playback.location, _house_reason(moment), next_at=moment.next_scheduled)
    return view_of(
        playback,
        moment.entry,
        started_at=moment.since,
        counted_from=moment.counted_from,
        turn=moment.turn,
        clock_known=schedules_trusted,
    )


def view_of(
    playback: Playback,
    entry: Entry,
    *,
    started_at: datetime,
    counted_from: datetime,
    turn: int = 0,
    clock_known: bool = True,
) -> SceneView:
    """Returns an entry's scene with the items as they are now, in the language whose `turn` it is; `started_at` is the
    start of its showing, `counted_from` that of its slideshows."""
    scene = playback.version.scenes[entry.scene_id]
    speech = speech_of(languages_of(scene, turn=turn), playback.catalogue, playback.location, scene.theme)
    scene = spoken(scene, speech)
    locality = speech.localities[0]
    localities = {
        widget.id: speech.of(widget).localities
        for widget in scene.widgets
        if isinstance(widget, ListWidget | ItemWidget) and speech.of(widget).localities != (locality,)
    }
    # What is current was looked up when the time was known.
    told = playback.catalogue if clock_known else replace(playback.catalogue, values={})
    texts = {
        widget.id: filled(widget.text, told, speech)
        for widget in scene.widgets
        if isinstance(widget, TextWidget | TickerWidget) and values_named(widget.text)
    }
    menus = listings(scene, speech)
    items = posters(scene, speech, menus)
    return SceneView(
        key=playback.version.key,
        entry_id=entry.id,
        scene=scene,
        started_at=started_at,
        revision=playback.catalogue.revision,
        locality=locality,
        duration_seconds=entry.duration_seconds,
        counted_from=counted_from,
        clock_known=clock_known,
        localities=localities,
        menus=menus,
        items=items,
        texts=texts,
        lacking=_lacking(scene, menus, items, playback.missing),
    )


def _lacking(
    scene: Scene, menus: Mapping[str, MenuListing], items: Mapping[str, MenuRow], missing: Mapping[str, str | None]
) -> frozenset[str]:
    """Returns the missing assets that the scene draws, and those of the items on it."""
    if not missing:
        return frozenset()
    sections = [section for menu in menus.values() for section in menu.sections]
    listed = (row for section in sections for row in section.rows)
    pictures = {row.image for row in (*listed, *items.values())} | {section.image for section in sections}
    return frozenset(missing.keys() & pictures.union(scene_assets(scene)))


def house_card(
    location: Location | None,
    reason: HouseReason,
    *,
    next_at: datetime | None = None,
    elsewhere: Locality | None = None,
) -> HouseCard:
    """Returns the card for when no scene can show. `elsewhere` is the language where no location is known, else
    English."""
    locality = locality_of(location) if location else elsewhere or Locality()
    return HouseCard(
        location_name=location.name if location else "",
        locality=locality,
        reason=in_language(HOUSE_WORDS.get(reason, ""), locality.locale),
        next_at=next_at,
    )


def unshowable_entries(
    version: PlaylistVersion, catalogue: Catalogue, missing: Container[str]
) -> dict[str, Unshowable]:
    """Returns the entries (by id) whose scenes cannot be shown, and why. `missing` holds the assets that are not
    whole."""
    items = SortedItems(catalogue)
    reasons = {scene.id: _why_unshowable(scene, catalogue, items, missing) for scene in version.scenes.values()}
    return {entry.id: why for entry in version.entries if (why := reasons[entry.scene_id]) is not None}


def _why_unshowable(
    scene: Scene, catalogue: Catalogue, items: SortedItems, missing: Container[str]
) -> Unshowable | None:
    if scene.unreadable is not None:
        return Unshowable(WhyNot.UNREADABLE, scene.unreadable)
    if scene.refused:
        return Unshowable(WhyNot.REFUSED)
    if lacking_asset(scene, missing) is not None:
        return Unshowable(WhyNot.FILE_MISSING)
    if scene_is_empty(scene, items):
        return Unshowable(WhyNot.SOLD_OUT)
    return Unshowable(WhyNot.WITHOUT_VALUES) if says_nothing(scene, catalogue) else None
