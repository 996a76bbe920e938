"""Computes the view at an instant from a playlist version and its items, and the reasons for it; pure."""

from __future__ import annotations

from collections.abc import Container, Mapping
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace

from player.domain.documents.manifest import Catalogue, Entry, Location, PlaylistVersion
from player.domain.documents.scene import ItemWidget, ListWidget, Scene, TextWidget, TickerWidget
from player.domain.documents.schedule import Interval
from player.domain.menu.languages import goes_by_turns, languages_of, speech_of, spoken
from player.domain.menu.listings import SortedItems, item_row, listings, scene_is_empty
from player.domain.menu.live_values import filled, says_nothing, values_named
from player.domain.playing.sync import lacking_asset, scene_assets
from player.domain.state import HouseReason, Kind, OtherEntry, Showing, Unshowable, WhyNot
from player.domain.time.timeline import Absence, Moment, Reason, Timeline
from player.domain.view import HouseCard, Locality, MenuListing, MenuRow, SceneView, View
from player.domain.words.phrase import in_language, phrase
from player.domain.words.wording import locality_of

MIN_SHOWING = timedelta(seconds=3)
"""Where a playback joins its timeline, the rest of a showing is not begun if it is shorter, and shorter than the entry:
the next entry begins early instead. So no scene flashes up."""

MAX_HELD_SECONDS = 60.0
"""A scene may stay on the glass for so long once the clock, corrected, calls for another one of the same period."""

HOUSE_WORDS = {
    HouseReason.WAITING_FOR_PROGRAM: phrase("Waiting for the first menu"),
    HouseReason.FETCHING: phrase("The menu is on its way"),
    HouseReason.NO_PLAYLIST: phrase("No published playlist is assigned to this screen"),
    HouseReason.NEVER_PUBLISHED: phrase("The playlist of this screen has not been published yet"),
    HouseReason.PLAYLIST_EMPTY: phrase("The playlist has no scenes"),
    HouseReason.NOTHING_SCHEDULED: "",
    HouseReason.NOTHING_SHOWABLE: "",
}
"""The text of the house card; empty where guests read it and nobody on site has to act."""


class Held(Struct, frozen=True, kw_only=True):
    """An entry that shows from `since` to `until`, whatever the timeline says; only while `period` lasts."""

    entry_id: str
    since: datetime
    until: datetime
    counted_from: datetime
    turn: int
    period: Interval


class Playback(Struct, frozen=True, kw_only=True):
    """A version that plays: its timeline anchored, its items as they are now.

    `joined` is the instant from which it follows its timeline; None: it resumes one that it followed. `held` is what
    shows before that, if another scene was on the glass when the clock was corrected.
    """

    version: PlaylistVersion
    location: Location
    catalogue: Catalogue
    timeline: Timeline
    unshowable: Mapping[str, Unshowable]
    """Entries (by id) whose scenes cannot be shown, and why."""
    missing: Mapping[str, str | None]
    """Assets that are not whole, and why."""
    joined: datetime | None = None
    held: Held | None = None


class PlaybackOutput(Struct, frozen=True, kw_only=True):
    """The output of a playback at one instant: the view, and the facts behind it."""

    view: View
    showing: Showing
    moment: Moment


def play(
    version: PlaylistVersion,
    *,
    location: Location,
    catalogue: Catalogue,
    missing: Mapping[str, str | None],
    joined: datetime | None = None,
) -> Playback:
    """Play a version whose loops are counted from `anchor`. `missing` maps assets (hex SHA-256) to why they cannot be
    drawn."""
    return Playback(
        version=version,
        location=location,
        catalogue=catalogue,
        timeline=Timeline(version, version.published_at, ZoneInfo(location.timezone)),
        unshowable=unshowable_entries(version, catalogue, missing),
        missing=missing,
        joined=joined,
    )


def update(
    playback: Playback, *, location: Location, catalogue: Catalogue, missing: Mapping[str, str | None]
) -> Playback:
    """Apply new facts to a playback; its loops go on undisturbed."""
    if location.timezone == playback.location.timezone:
        return replace(
            playback,
            location=location,
            catalogue=catalogue,
            unshowable=unshowable_entries(playback.version, catalogue, missing),
            missing=missing,
        )
    return play(
        playback.version,
        location=location,
        catalogue=catalogue,
        missing=missing,
        joined=playback.joined,
    )


def corrected(
    playback: Playback, now: datetime, *, shown: Moment, shift: timedelta, schedules_trusted: bool
) -> Playback:
    """The playback after a correction of the clock, which reads `now` and was moved by `shift`; `shown` is what it
    showed by the time as it was believed.

    A scene on the glass is not cut, and does not begin anew: it shows until its end by the corrected time or, if that
    calls for another entry, until its end by the time before. Only another period takes effect at once.
    """
    free = replace(playback, held=None, joined=None)
    due = moment_at(free, now, schedules_trusted=schedules_trusted)
    if shown.entry is None or shown.until is None or due.entry is None or due.period != shown.period:
        return replace(free, joined=now)
    since, until = shown.since + shift, min(shown.until + shift, now + timedelta(seconds=MAX_HELD_SECONDS))
    if playback.joined is not None and playback.joined <= shown.at:
        since = max(since, playback.joined + shift)
    if due.entry == shown.entry and _reads_alike(playback, due.entry, due.turn, shown.turn):
        until = since + _least_showing(shown.entry)
        if due.until is None or until <= due.until:
            return replace(free, joined=since)
    if due.period.end is not None:
        until = min(until, due.period.end)
    if until <= now:
        return replace(free, joined=since if due.entry == shown.entry else now)
    return replace(
        free,
        joined=until,
        held=Held(
            entry_id=shown.entry.id,
            since=since,
            until=until,
            counted_from=shown.counted_from + shift,
            turn=shown.turn,
            period=due.period,
        ),
    )


def moment_at(playback: Playback, now: datetime, *, schedules_trusted: bool) -> Moment:
    """The moment of the timeline at `now`, or the entry that is held in its place."""
    moment = playback.timeline.at(now, unshowable=playback.unshowable.keys(), schedules_trusted=schedules_trusted)
    held = playback.held
    if held is None or now >= held.until:
        held = _begun_early(playback, now, schedules_trusted=schedules_trusted)
    if held is None or moment.entry is None or moment.period != held.period or held.entry_id in playback.unshowable:
        return moment
    entry = next(entry for entry in playback.version.entries if entry.id == held.entry_id)
    if (
        moment.entry == entry
        and _reads_alike(playback, entry, moment.turn, held.turn)
        and moment.until is not None
        and moment.until >= held.until
    ):
        return moment
    after = moment_at(playback, held.until, schedules_trusted=schedules_trusted)
    goes_on = (
        after.entry == entry and after.period == held.period and _reads_alike(playback, entry, after.turn, held.turn)
    )
    return replace(
        moment,
        entry=entry,
        since=held.since,
        counted_from=held.counted_from,
        turn=held.turn,
        until=after.until if goes_on else held.until,
        loop_boundary=max(moment.loop_boundary, held.until),
        upcoming=after.upcoming if goes_on else after.entry,
        others=_others(playback.version, entry, after, held),
    )


def _begun_early(playback: Playback, now: datetime, *, schedules_trusted: bool) -> Held | None:
    """The entry in place of the rest of a showing in which the playback joined, if that rest is too short."""
    joined = playback.joined
    if joined is None or not joined <= now < joined + MIN_SHOWING:
        return None
    rest = playback.timeline.at(joined, unshowable=playback.unshowable.keys(), schedules_trusted=schedules_trusted)
    if rest.entry is None or rest.upcoming is None or rest.until is None or rest.since >= joined:
        return None
    if playback.held is not None and playback.held.entry_id == rest.entry.id:
        return None  # It is on the glass, and goes on.
    if rest.until == rest.period.end or rest.until - joined >= _least_showing(rest.entry) or now >= rest.until:
        return None
    after = playback.timeline.at(rest.until, unshowable=playback.unshowable.keys(), schedules_trusted=schedules_trusted)
    return Held(
        entry_id=rest.upcoming.id,
        since=joined,
        until=rest.until,
        # As in its own time, which follows: the beginning of its slideshows is shown for longer.
        counted_from=after.counted_from - (rest.until - joined),
        turn=after.turn,
        period=rest.period,
    )


def _reads_alike(playback: Playback, entry: Entry, turn: int, other: int) -> bool:
    """Whether two showings of an entry are in the same language."""
    return turn == other or not goes_by_turns(playback.version.scenes[entry.scene_id])


def _least_showing(entry: Entry) -> timedelta:
    return min(MIN_SHOWING, timedelta(seconds=entry.duration_seconds))


def _others(version: PlaylistVersion, entry: Entry, after: Moment, held: Held) -> tuple[Absence, ...]:
    """Every other entry than the one that is held, as it will be afterwards."""
    found = {other.entry_id: other for other in after.others}
    if after.entry is not None:
        found[after.entry.id] = Absence(after.entry.id, Reason.WAITING, "", held.until)
    return tuple(found[other.id] for other in version.entries if other.id != entry.id and other.id in found)


def output_at(playback: Playback, now: datetime, *, schedules_trusted: bool) -> PlaybackOutput:
    """The showing of the playback at `now`, with its reason."""
    moment = moment_at(playback, now, schedules_trusted=schedules_trusted)
    scenes = playback.version.scenes
    names = {entry.id: scenes[entry.scene_id].name for entry in playback.version.entries}
    others = tuple(
        OtherEntry(
            entry_id=other.entry_id,
            scene_name=names[other.entry_id],
            reason=other.reason,
            detail=other.detail,
            unshowable=playback.unshowable.get(other.entry_id) if other.reason is Reason.PASSED_OVER else None,
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
                next_change=moment.until,
                next_scheduled=moment.next_scheduled,
                others=others,
            ),
            moment=moment,
        )
    scene = scenes[moment.entry.scene_id]
    return PlaybackOutput(
        view=view_of(
            playback,
            moment.entry,
            started_at=moment.since,
            counted_from=moment.counted_from,
            turn=moment.turn,
            clock_known=schedules_trusted,
        ),
        showing=Showing(
            kind=Kind.SCENE,
            entry_id=moment.entry.id,
            scene_id=scene.id,
            scene_name=scene.name,
            since=moment.since,
            until=moment.until,
            loop=moment.loop,
            loop_boundary=moment.loop_boundary,
            next_change=moment.until,
            others=others,
        ),
        moment=moment,
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
    """An entry's scene with the items as they are now, in the language whose `turn` it is; `started_at` is the start of
    its showing, `counted_from` that of its slideshows."""
    scene = playback.version.scenes[entry.scene_id]
    languages = languages_of(scene, turn=turn)
    speech = speech_of(languages, playback.catalogue, playback.location)
    scene = spoken(scene, speech)
    locality = speech.localities[0]
    items = {
        widget.id: row
        for widget in scene.widgets
        if isinstance(widget, ItemWidget)
        and (
            row := item_row(
                widget, playback.catalogue, location=playback.location, languages=languages, theme=scene.theme
            )
        )
        is not None
    }
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
    menus = listings(scene, playback.catalogue, location=playback.location, languages=languages)
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
    """The missing assets that the scene draws, and those of the items on it."""
    if not missing:
        return frozenset()
    listed = (row for menu in menus.values() for section in menu.sections for row in section.rows)
    pictures = {row.image for row in (*listed, *items.values()) if row.image is not None}
    return frozenset(missing.keys() & pictures.union(scene_assets(scene)))


def house_card(
    location: Location | None,
    reason: HouseReason,
    *,
    next_at: datetime | None = None,
    elsewhere: Locality | None = None,
) -> HouseCard:
    """The card that shows when no scene can. `elsewhere` is how to speak where no location is known, else English."""
    locality = locality_of(location) if location else elsewhere or Locality()
    return HouseCard(
        location_name=location.name if location else "",
        locality=locality,
        reason=in_language(HOUSE_WORDS[reason], locality.locale),
        next_at=next_at,
    )


def unshowable_entries(
    version: PlaylistVersion, catalogue: Catalogue, missing: Container[str]
) -> dict[str, Unshowable]:
    """The entries (by id) whose scenes cannot be shown, and why. `missing` holds the assets that are not whole."""
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
