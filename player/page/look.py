"""Collects the facts of the page when somebody looks; works out again only what can have changed."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence

from msgspec.structs import replace

from player.domain.machine import Machine
from player.domain.playing.board import Board
from player.domain.playing.holdings import Holding, holdings
from player.domain.playing.timetable import Timetable, timetable
from player.domain.state import PlayerState
from player.page.live import RESTLESS
from player.page.sections.facts import Facts
from player.page.sections.markup import Html
from player.page.sections.render import parts
from player.page.sections.sections import clock
from player.recent_log import LogLine

PAGE_SECONDS = 1.0
"""How long a page is sent again as it is to the same browser, unless something has changed but the time."""

MOST_PAGES = 8
"""Pages that are kept for that; as many browsers are signed in at most."""


class Look:
    """The facts as of now. It asks for them on the thread of the caller, which is the conductor's."""

    def __init__(
        self,
        *,
        snapshot: Callable[[], PlayerState],
        board: Callable[[], Board],
        machine: Callable[[], Machine],
        log: Callable[[], Sequence[LogLine]],
        monotonic: Callable[[], float],
    ) -> None:
        self._snapshot = snapshot
        self._board = board
        self._machine = machine
        self._log = log
        self._monotonic = monotonic
        self._held: tuple[Board, Sequence[Holding]] | None = None
        self._day: tuple[Board, Timetable | None] | None = None

    def __call__(self) -> Facts:
        """Look."""
        state, board = self._snapshot(), self._board()
        return Facts(
            state=state,
            monotonic=self._monotonic(),
            timetable=self._timetable(state, board),
            items=tuple(board.catalogue.items.values()) if board.catalogue else (),
            holdings=self._holdings(board),
            machine=self._machine(),
            log=self._log(),
        )

    def _holdings(self, board: Board) -> Sequence[Holding]:
        if self._held is None or self._held[0] is not board:
            self._held = (board, holdings(board))
        return self._held[1]

    def _timetable(self, state: PlayerState, board: Board) -> Timetable | None:
        known = self._day
        if known is not None and known[0] is board and known[1] and known[1].start <= state.at < known[1].end:
            return known[1]
        self._day = (board, timetable(board.playback, state.at) if board.playback else None)
        return self._day[1]


class WrittenPages:
    """Whole pages as they were written a moment ago, for browsers that load theirs again and again. `write` writes one
    from its parts; one with a part that has changed since is written again."""

    def __init__(self, *, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._written: OrderedDict[Hashable, tuple[float, dict[str, Html], str]] = OrderedDict()

    def page(self, key: Hashable, made: dict[str, Html], write: Callable[[], str]) -> str:
        """The page of this browser."""
        now = self._monotonic()
        at, parts_then, page = self._written.pop(key, (float("-inf"), {}, ""))
        if now - at >= PAGE_SECONDS or any(made[name] is not parts_then.get(name) for name in made.keys() - RESTLESS):
            at, page = now, write()
        self._written[key] = (at, made, page)
        while len(self._written) > MOST_PAGES:
            self._written.popitem(last=False)
        return page


class ChangingParts:
    """The parts of the page as of now. They are written again when a fact changes, and each minute: a long page takes
    a while, and the board's frames come first."""

    def __init__(self, look: Callable[[], Facts]) -> None:
        self._look = look
        self._written: tuple[Facts, dict[str, Html]] | None = None

    def __call__(self) -> dict[str, Html]:
        """Look."""
        facts = self._look()
        minute = facts.state.at.replace(second=0, microsecond=0)
        key = replace(facts, monotonic=0.0, state=replace(facts.state, at=minute, monotonic=0.0))
        if self._written is None or self._written[0] != key:
            self._written = (key, parts(facts))
        return self._written[1] | {"clock": clock(facts)}
