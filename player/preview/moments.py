"""Computes what a board with a manifest shows at an instant, and why, and what changes between two; draws nothing."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from menu.documents.manifest import Catalogue, Entry, Manifest
from menu.rules.opening_hours import opening
from menu.rules.timeline import OtherEntry, Reason, Unshowable
from menu.text.languages import goes_by_turns, languages_of
from player.domain.playing.board import Board, Restored, bring_back, restore
from player.domain.playing.playback import Playback, moment_at, showing_at
from player.domain.playing.shown import output_of
from player.domain.state import HouseReason, Kind

MAX_SPANS = 1000
"""Spans that are told at once; the rest is left out."""
MAX_CHANGES = 5000
"""Changes that are looked at in a search for spans: most of them change an item alone."""
_JUST_BEFORE = timedelta(milliseconds=1)


class Told(Struct, frozen=True, kw_only=True, rename="camel"):
    """Showing at an instant. `reason` explains why no scene shows. Scenes take turns until `turns_until`; `changed_at`
    and `changes_at` are the nearest instants at which anything but the turn changes."""

    at: datetime
    kind: Kind
    reason: HouseReason | None = None
    entry_id: str | None = None
    scene_id: str | None = None
    scene_name: str | None = None
    language: str | None = None
    playlist_id: str | None = None
    version: int | None = None
    override: str | None = None
    override_reason: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    turns_until: datetime | None = None
    next_at: datetime | None = None
    changed_at: datetime | None = None
    changes_at: datetime | None = None
    open: bool | None = None
    """Whether the location is open; None where it has no hours."""
    others: tuple[OtherEntry, ...] = ()


class InTurn(Struct, frozen=True, kw_only=True, rename="camel"):
    """An entry of a loop."""

    entry_id: str
    scene_id: str
    scene_name: str
    duration_seconds: int


class LeftOut(Struct, frozen=True, kw_only=True, rename="camel"):
    """An entry that does not show in a span, though its schedules hold."""

    entry_id: str
    scene_name: str
    reason: Reason
    displaced_by: str = ""
    unshowable: Unshowable | None = None


class Content(Struct, frozen=True, kw_only=True, rename="camel"):
    """Entries that take turns in a span, in playlist order, and those that do not show."""

    reason: HouseReason | None = None
    override: str | None = None
    override_reason: str | None = None
    playlist_id: str | None = None
    version: int | None = None
    entries: tuple[InTurn, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


class ToldSpan(Struct, frozen=True, kw_only=True, rename="camel"):
    """Span in which the same entries take turns."""

    begin: datetime
    end: datetime
    content: Content


def moment_of(manifest: Manifest, at: datetime, *, screen_id: str | None = None) -> Told:
    """Returns the showing at an instant, as a board computes it that has all files."""
    board = _at(_board(manifest, screen_id), at)
    showing = output_of(board, at, schedules_trusted=True).showing
    playback, override = _playing(board), board.overrides.shows
    hours = opening(manifest.location, at)
    told = Told(
        at=at,
        open=None if hours is None else hours.eligible,
        kind=showing.kind,
        reason=showing.house_reason,
        entry_id=showing.entry_id,
        scene_id=showing.scene_id,
        scene_name=showing.scene_name,
        override=showing.override,
        override_reason=None if override is None else override.override.reason,
        since=showing.since,
        until=showing.until,
        turns_until=_turns_until(board, at),
        next_at=showing.next_scheduled,
        changed_at=_changed_at(manifest, screen_id, at),
        changes_at=_changes_at(board, at),
        others=showing.others,
    )
    if playback is None:
        return told
    version = playback.version.key
    told = replace(told, playlist_id=version.playlist_id, version=version.version)
    if showing.scene_id is None:
        return told
    scene = playback.version.scenes[showing.scene_id]
    turn = moment_at(playback, at, schedules_trusted=True).turn
    return replace(told, language=languages_of(scene, turn=turn)[0]) if goes_by_turns(scene) else told


def spans_of(
    manifest: Manifest,
    low: datetime,
    high: datetime,
    *,
    screen_id: str | None = None,
    most: int = MAX_SPANS,
    most_changes: int = MAX_CHANGES,
) -> tuple[ToldSpan, ...]:
    """Returns the spans between two instants, one after the other without a gap: as far as `most` and `most_changes`
    reach."""
    board, at = _board(manifest, screen_id), low
    found: list[ToldSpan] = []
    for _ in range(most_changes):
        if at >= high:
            break
        board = _at(board, at)
        end = min(_changes_at(board, at) or high, high)
        content = _content(board, at)
        if found and (both := _one_span(found[-1].content, content)) is not None:
            found[-1] = replace(found[-1], end=end, content=both)
        elif len(found) == most:
            break
        else:
            found.append(ToldSpan(begin=at, end=end, content=content))
        at = end
    return tuple(found)


def told_in_json(manifest: Manifest, at: datetime, until: datetime | None, *, screen_id: str | None) -> str:
    """Returns the showing at an instant or, with `until`, the spans from then on."""
    told = (
        moment_of(manifest, at, screen_id=screen_id)
        if until is None
        else spans_of(manifest, at, until, screen_id=screen_id)
    )
    return msgspec.json.encode(told, enc_hook=str).decode()


def instant_in(at: datetime, manifest: Manifest) -> datetime:
    """Returns the instant of a time, which without an offset is the location's."""
    return (at if at.tzinfo else at.replace(tzinfo=ZoneInfo(manifest.location.timezone))).astimezone(UTC)


def _board(manifest: Manifest, screen_id: str | None) -> Board:
    return restore(Restored(screen_id=screen_id, running=manifest, whole=manifest.listed_assets))


def _at(board: Board, at: datetime) -> Board:
    board = bring_back(board, at)
    return replace(board, overrides=board.overrides.at(at, at, schedules_trusted=True))


def _playing(board: Board) -> Playback | None:
    return board.playback if board.overrides.shows is None else board.overrides.shows.playback


def _content(board: Board, at: datetime) -> Content:
    playback, override = _playing(board), board.overrides.shows
    if playback is None:
        return Content(reason=board.house)
    showing, key = showing_at(playback, at, schedules_trusted=True), playback.version.key
    end = moment_at(playback, at, schedules_trusted=True).period.end
    waiting = {one.entry_id for one in showing.others if one.reason is Reason.WAITING} | {showing.entry_id}
    entries = tuple(_in_turn(playback, entry) for entry in playback.version.entries if entry.id in waiting)
    # An entry whose hours begin before the period ends is displaced then, or they would end it.
    begins = {one.entry_id for one in showing.others if one.next_at is not None and (end is None or one.next_at < end)}
    left_out = tuple(
        LeftOut(
            entry_id=one.entry_id,
            scene_name=one.scene_name,
            reason=Reason.DISPLACED if one.reason is Reason.NOT_SCHEDULED else one.reason,
            # By the first: which of them shows differs by turn.
            displaced_by=entries[0].scene_name if one.displaced_by or one.reason is Reason.NOT_SCHEDULED else "",
            unshowable=one.unshowable,
        )
        for one in showing.others
        if one.reason is not Reason.WAITING
        and (one.reason is not Reason.NOT_SCHEDULED or (entries and one.entry_id in begins))
    )
    return Content(
        reason=None if showing.kind is Kind.SCENE else showing.house_reason,
        override=None if override is None else override.override.id,
        override_reason=None if override is None else override.override.reason,
        playlist_id=key.playlist_id,
        version=key.version,
        entries=entries,
        # Whom it displaces differs with the turn.
        left_out=tuple(
            replace(one, displaced_by=entries[0].scene_name) if one.displaced_by else one for one in left_out
        ),
    )


def _one_span(before: Content, after: Content) -> Content | None:
    """Returns the content of two spans that follow each other, if the same entries take turns; None otherwise."""
    lacks = [tuple(one for one in each.left_out if one.reason is not Reason.DISPLACED) for each in (before, after)]
    if lacks[0] != lacks[1] or replace(before, left_out=()) != replace(after, left_out=()):
        return None
    return replace(before, left_out=tuple(dict.fromkeys((*before.left_out, *after.left_out))))


def _in_turn(playback: Playback, entry: Entry) -> InTurn:
    return InTurn(
        entry_id=entry.id,
        scene_id=entry.scene_id,
        scene_name=playback.version.scenes[entry.scene_id].name,
        duration_seconds=entry.duration_seconds,
    )


def _turns_until(board: Board, at: datetime) -> datetime | None:
    playback, override = _playing(board), board.overrides.shows
    ends = [] if playback is None else [moment_at(playback, at, schedules_trusted=True).period.end]
    ends += [None if override is None else override.override.until, board.overrides.next_change(at)]
    return min((end for end in ends if end is not None), default=None)


def _changes_at(board: Board, at: datetime) -> datetime | None:
    """Returns the next change of what shows, or of an item."""
    items = () if board.catalogue is None else _item_changes(board.catalogue)
    return min((one for one in (_turns_until(board, at), *items) if one is not None and one > at), default=None)


def _changed_at(manifest: Manifest, screen_id: str | None, at: datetime) -> datetime | None:
    """Returns the change before."""
    board = _at(_board(manifest, screen_id), at - _JUST_BEFORE)
    playback = _playing(board)
    found = [] if playback is None else [moment_at(playback, at - _JUST_BEFORE, schedules_trusted=True).period.start]
    found += [one for each in board.overrides.all for one in (each.override.starts_at, each.override.until)]
    found += () if board.catalogue is None else _item_changes(board.catalogue)
    return max((one for one in found if one is not None and one < at), default=None)


def _item_changes(catalogue: Catalogue) -> Iterator[datetime]:
    """Yields the instants at which items change by themselves; values are renewed before they expire."""
    told = catalogue.items if catalogue.told is None else catalogue.told
    for items in (told, *(one.items for one in catalogue.planned)):
        for item in items.values():
            yield from (at for at in item.changes if at is not None)
    yield from (one.at for one in catalogue.planned)
