"""Some minutes of a chain's life on virtual time; `make soak` goes on for a week, with new choices in every run."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication

from player.domain.playing import board as boards
from tests.soak.checker import DisagreementError
from tests.soak.run import soak
from tests.soak.steps import Soak
from tests.soak.world import SoakLoop

BEFORE_SUMMER_TIME = datetime(2026, 3, 29, 0, 30, tzinfo=UTC)


def run(folder: Path, *, seed: int, length: timedelta, glass: bool = False) -> Soak:
    with asyncio.Runner(loop_factory=SoakLoop) as runner:
        return runner.run(soak(folder, seed=seed, length=length, start=BEFORE_SUMMER_TIME, pace=14, glass=glass))


@pytest.mark.proves("whatever-happens-week")
@pytest.mark.parametrize(
    ("minutes", "kinds"), [(6, 8), pytest.param(20, 15, marks=pytest.mark.long)], ids=["six minutes", "twenty"]
)
def test_what_is_on_the_glass_is_what_semantics_says_whatever_happens(
    tmp_path: Path, qapp: QGuiApplication, minutes: int, kinds: int
) -> None:
    """One of the panels is drawn, and read from what is drawn."""
    done = run(tmp_path, seed=3, length=timedelta(minutes=minutes), glass=True)
    assert len(done.steps) > 2 * minutes
    assert len(done.counts) > kinds, f"too few kinds of steps: {done.counts}"
    assert sum(checker.instants for checker in done.checkers.values()) > 10 * minutes


@pytest.mark.long
def test_a_player_that_keeps_old_facts_is_found_and_the_seed_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = boards._apply_facts

    def deaf(board: boards.Board, manifest: object, body: bytes, items: object) -> boards.BoardChange:
        _, actions = whole(board, manifest, body, items)  # type: ignore[arg-type]
        return board, actions

    monkeypatch.setattr(boards, "_apply_facts", deaf)
    with pytest.raises(DisagreementError, match=r"seed 3, step \d+") as found:
        run(tmp_path, seed=3, length=timedelta(minutes=20))
    assert "seen: " in str(found.value)
    assert "expected (" in str(found.value)
    assert "the last steps:" in str(found.value)
