"""View of a board, and how long it holds: its menus are listed again only after a change; pure."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from msgspec import Struct
from msgspec.structs import replace

from menu.rules.timeline import OtherEntry, Reason
from menu.text.languages import goes_by_turns
from menu.text.wording import Locality
from player.domain.playing.board import Board, StagedVersion
from player.domain.playing.overrides import NO_OVERRIDES, Overriding
from player.domain.playing.playback import Playback, house_card, moment_at, showing_at, view_at
from player.domain.state import HouseReason, Kind, Showing
from player.domain.view import SceneView, View

ONE_SHOWING = timedelta(hours=1)
"""Length of the showing of a scene that follows itself for ever."""


class Shown(Struct, frozen=True, kw_only=True):
    """View to show, the one to prepare, and the facts behind them. It holds between `since` and `until` while `facts`
    are the same; not at all where `until` is None."""

    view: View
    showing: Showing
    upcoming: SceneView | None = None
    facts: tuple[object, ...] = ()
    since: datetime | None = None
    until: datetime | None = None

    def holds(self, facts: tuple[object, ...], now: datetime) -> bool:
        if self.since is None or self.until is None:
            return False
        return self.since <= now < self.until and self.facts == facts


def shown_at(
    board: Board,
    now: datetime,
    *,
    trusted: bool,
    known: Shown | None = None,
    before: View | None = None,
    elsewhere: Locality,
) -> Shown:
    """Returns the view at `now`; schedules count where the time is `trusted`. `known` is the last result, `before` the
    displayed view, `elsewhere` the locality of a board without a location."""
    staged = board.staged
    facts = (board.playback, staged and (staged.takes_over_at, staged.playback), board.overrides.shows, trusted)
    if known is not None and known.holds(facts, now):
        return known
    output = output_of(board, now, schedules_trusted=trusted, elsewhere=elsewhere)
    view, showing = output.view, output.showing
    if not isinstance(view, SceneView):
        # A house card lists no menu, and what is scheduled next may have come within the timeline's horizon.
        return output
    if isinstance(before, SceneView) and (before.key, before.entry_id) == (view.key, view.entry_id):
        # A scene that follows itself goes on: it does not come in again.
        view = replace(view, started_at=before.started_at)
    # A showing that covers entries which cannot be shown may go past the loop boundary, where its facts change.
    until = showing.until and min(showing.until, showing.loop_boundary or showing.until)
    return replace(output, view=view, facts=facts, since=now, until=until)


def output_of(board: Board, now: datetime, *, schedules_trusted: bool, elsewhere: Locality | None = None) -> Shown:
    if (overriding := board.overrides.shows) is not None:
        return _overridden(board, overriding, now, schedules_trusted=schedules_trusted)
    playback = board.playback
    if playback is None:
        reason = board.house
        if reason is HouseReason.WAITING_FOR_PROGRAM and board.staged:
            reason = HouseReason.FETCHING
        showing = Showing(kind=Kind.HOUSE, house_reason=reason)
        return Shown(view=house_card(board.location, reason, elsewhere=elsewhere), showing=showing)
    showing = showing_at(playback, now, schedules_trusted=schedules_trusted)
    upcoming = _upcoming(playback, board.staged, showing, schedules_trusted=schedules_trusted)
    if upcoming is None and len(playback.version.entries) == 1 and board.staged is None and showing.until is not None:
        # It follows itself, and each of its showings is like the one before: nothing is worked out between them.
        end = playback.due_at(now, schedules_trusted=schedules_trusted).period.end
        until = max(showing.until, end or now + ONE_SHOWING)
        showing = replace(showing, until=until, loop_boundary=until)
    return Shown(view=view_at(playback, now, schedules_trusted=schedules_trusted), upcoming=upcoming, showing=showing)


def _overridden(board: Board, overriding: Overriding, now: datetime, *, schedules_trusted: bool) -> Shown:
    """Returns the view of an override, which ends with it, and what comes then."""
    override, below = overriding.override, replace(board, overrides=NO_OVERRIDES)
    alone = replace(below, playback=overriding.playback, staged=None)
    output = output_of(alone, now, schedules_trusted=schedules_trusted)
    showing, upcoming, view = output.showing, output.upcoming, output.view
    if now < override.until and (showing.until is None or override.until <= showing.until):
        after = output_of(below, override.until, schedules_trusted=schedules_trusted).view
        upcoming = after if isinstance(after, SceneView) else None
        showing = replace(showing, until=override.until)
    displaced = _displaced(below.playback, showing.scene_name or "")
    return replace(
        output,
        view=replace(view, override=override.id) if isinstance(view, SceneView) else view,
        upcoming=upcoming,
        showing=replace(showing, override=override.id, others=(*showing.others, *displaced)),
    )


def _displaced(playback: Playback | None, by: str) -> Iterator[OtherEntry]:
    """Yields the entries of the running version, in place of which another scene shows."""
    if playback is None:
        return
    for entry in playback.version.entries:
        name = playback.version.scenes[entry.scene_id].name
        yield OtherEntry(entry_id=entry.id, scene_name=name, reason=Reason.DISPLACED, displaced_by=by)


def _upcoming(
    playback: Playback, staged: StagedVersion | None, showing: Showing, *, schedules_trusted: bool
) -> SceneView | None:
    """Returns the scene to prepare: the next of the running version, or the first of the staged one if that shows
    sooner."""
    at = showing.until
    if staged and staged.takes_over_at and staged.playback and (at is None or staged.takes_over_at <= at):
        playback, at = staged.playback, staged.takes_over_at
    elif at is not None:
        entry = moment_at(playback, at, schedules_trusted=schedules_trusted).entry
        if entry and entry.id == showing.entry_id and not goes_by_turns(playback.version.scenes[entry.scene_id]):
            return None
    view = view_at(playback, at, schedules_trusted=schedules_trusted) if at is not None else None
    return view if isinstance(view, SceneView) else None
