"""Collects the facts of the page when it is viewed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from player.domain.machine import Machine
from player.domain.playing.board import Board
from player.domain.playing.holdings import Holding, holdings
from player.domain.playing.timetable import Timetable, timetable
from player.domain.state import PlayerState
from player.page.sections.facts import Facts
from player.recent_log import LogLine

DAY_MINUTES = 15
"""Between two looks at the timetable of a board: every zone's midnight is one of them."""

Value = TypeVar("Value")


class Newest(Generic[Value]):
    """Keeps the newest value for as long as its key stays the same."""

    def __init__(self) -> None:
        self._kept: tuple[object, Value] | None = None

    def __call__(self, key: object, make: Callable[[], Value]) -> Value:
        if self._kept is None or self._kept[0] != key:
            self._kept = (key, make())
        return self._kept[1]


@dataclass(kw_only=True)
class FactsCollector:
    """Collects the facts as of now, on the thread of the caller, which is the conductor's."""

    snapshot: Callable[[], PlayerState]
    board: Callable[[], Board]
    machine: Callable[[], Machine]
    log: Callable[[], Sequence[LogLine]]
    monotonic: Callable[[], float]
    _holdings: Newest[Sequence[Holding]] = field(default_factory=Newest)
    _timetable: Newest[Timetable | None] = field(default_factory=Newest)

    def __call__(self) -> Facts:
        state, board = self.snapshot(), self.board()
        playback = board.playback
        at = state.at.replace(minute=state.at.minute // DAY_MINUTES * DAY_MINUTES, second=0, microsecond=0)
        return Facts(
            state=state,
            monotonic=self.monotonic(),
            timetable=self._timetable((playback, at), lambda: timetable(playback, at) if playback else None),
            items=tuple(board.catalogue.items.values()) if board.catalogue else (),
            holdings=self._holdings(board, lambda: holdings(board)),
            machine=self.machine(),
            log=self.log(),
        )
