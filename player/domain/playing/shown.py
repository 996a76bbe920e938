"""The view of a board, and for how long it holds: its menus are listed anew only when something has changed; pure."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from player.domain.playing import board as boards
from player.domain.playing.board import Board
from player.domain.playing.playback import house_card
from player.domain.state import Showing
from player.domain.view import HouseCard, Locality, SceneView, View


class Shown(Struct, frozen=True, kw_only=True):
    """The view to show, the one to prepare, and the facts behind them. It holds between `since` and `until` while
    `facts` are the same; not at all where `until` is None."""

    view: View
    showing: Showing
    upcoming: SceneView | None = None
    facts: tuple[object, ...] = ()
    since: datetime | None = None
    until: datetime | None = None

    def holds(self, facts: tuple[object, ...], now: datetime) -> bool:
        """Whether it is still right."""
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
    """The view at `now`; schedules count where the time is `trusted`. `known` was worked out last, `before` is the view
    on the glass, `elsewhere` how a board without a location speaks."""
    staged = board.staged
    facts = (board.playback, board.rejoins_at, staged and (staged.takes_over_at, staged.playback), trusted)
    if known is not None and known.holds(facts, now):
        return known
    output = boards.output(board, now, schedules_trusted=trusted)
    view, showing = output.view, output.showing
    if isinstance(view, HouseCard) and board.location is None and showing.house_reason is not None:
        view = house_card(None, showing.house_reason, elsewhere=elsewhere)
    if not isinstance(view, SceneView):
        # A house card lists no menu, and what is scheduled next may have come within the timeline's horizon.
        return Shown(view=view, upcoming=output.upcoming, showing=showing)
    if isinstance(before, SceneView) and (before.key, before.entry_id) == (view.key, view.entry_id):
        # A scene that follows itself goes on: it does not come in again.
        view = replace(view, started_at=before.started_at)
    # A showing that covers entries which cannot be shown may go past the loop boundary, where its facts change.
    until = showing.until and min(showing.until, showing.loop_boundary or showing.until)
    return Shown(view=view, upcoming=output.upcoming, showing=showing, facts=facts, since=now, until=until)
