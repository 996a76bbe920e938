"""The board's status file for the guard, which shares no code with it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from guard.disk import read_document
from guard.verdict import BoardStatus
from menu.documents.manifest import Rejection
from menu.documents.schedule import Daypart
from player.device.board_file import BoardFile
from player.domain.events import ServiceAnswered, ServiceFailed
from player.domain.link.contact import Contact
from player.domain.link.fault import Fault
from player.domain.pairing.pairing import Refusal
from player.domain.panel.panel import PanelFacts, Power
from player.domain.recovery.ladder import NO_SCREEN, SAFE_CARD
from player.domain.state import Kind, PairingFacts, PairingPhase, PlayerState, Presented
from tests.player.domain.findings.states import playing

STATE = playing().state
AT = datetime(2026, 11, 20, 8, tzinfo=UTC)
ANSWERED = Contact().answered(ServiceAnswered(call="manifest"), at=AT)
SHOWS = replace(
    STATE,
    presented=Presented(serial=1, kind=Kind.SCENE),
    pairing=PairingFacts(phase=PairingPhase.PAIRED, screen_id="scr_1"),
    contact=ANSWERED,
    faults=(),
)


def read(tmp_path: Path, state: PlayerState) -> BoardStatus:
    BoardFile({"RUNTIME_DIRECTORY": str(tmp_path)}).tell(state)
    board = BoardStatus.read(read_document(tmp_path / "board.json"))
    assert board is not None
    return board


def test_a_board_that_plays_says_so_with_its_version_and_its_run(tmp_path: Path) -> None:
    board = read(tmp_path, SHOWS)
    assert (board.presented, board.screen, board.paired, board.contact) == (True, True, True, True)
    assert board.version == STATE.device.app_version
    later = replace(SHOWS, device=replace(SHOWS.device, started_at=SHOWS.device.started_at + timedelta(seconds=1)))
    assert read(tmp_path, later).run != board.run


@pytest.mark.parametrize("wanted", [None, "", "0.3.0"])
def test_the_wanted_version_is_passed_on_once_the_service_has_answered(tmp_path: Path, wanted: str | None) -> None:
    assert read(tmp_path, replace(SHOWS, wanted_version=wanted)).wanted == wanted


def test_the_opening_hours_are_told_once_the_location_is_known(tmp_path: Path) -> None:
    assert SHOWS.location is not None
    assert read(tmp_path, replace(SHOWS, location=None)).hours is None
    assert read(tmp_path, replace(SHOWS, location=replace(SHOWS.location, opening_hours=()))).hours == []
    hours = (
        Daypart(days=frozenset({5, 4}), start=1080, end=240),
        Daypart(start=0, end=1440, timezone="Asia/Tokyo"),
    )
    assert read(tmp_path, replace(SHOWS, location=replace(SHOWS.location, opening_hours=hours))).hours == [
        {"days": [4, 5], "start": 1080, "end": 240, "zone": SHOWS.location.timezone},
        {"days": [], "start": 0, "end": 1440, "zone": "Asia/Tokyo"},
    ]


@pytest.mark.parametrize(
    ("state", "missing"),
    [
        (replace(SHOWS, presented=Presented()), "presented"),
        (replace(SHOWS, faults=(SAFE_CARD,)), "presented"),
        (replace(SHOWS, faults=(Rejection(code="frames_stopped", subject="display", detail=""),)), "presented"),
        (replace(SHOWS, faults=(NO_SCREEN,)), "screen"),
        (replace(SHOWS, panel=PanelFacts(wanted=Power.OFF_BY_SCHEDULE)), "screen"),
        (replace(SHOWS, pairing=PairingFacts()), "paired"),
        (
            replace(SHOWS, pairing=PairingFacts(phase=PairingPhase.WAITING, refusal=Refusal.UNKNOWN)),
            "paired",
        ),
        (replace(SHOWS, contact=Contact()), "contact"),
        (
            replace(
                SHOWS,
                contact=ANSWERED.failed(
                    ServiceFailed(call="heartbeat", fault=Fault.NO_CONNECTION, detail="no way"), at=AT
                ),
            ),
            "contact",
        ),
    ],
)
def test_what_is_not_well_is_told(tmp_path: Path, state: PlayerState, missing: str) -> None:
    board = read(tmp_path, state)
    wrong = [name for name in ("presented", "screen", "paired", "contact") if not getattr(board, name)]
    assert wrong == [missing]


def test_an_answer_that_refuses_one_call_is_contact_all_the_same(tmp_path: Path) -> None:
    failed = ANSWERED.failed(ServiceFailed(call="heartbeat", fault=Fault.SERVICE_DECLINES, detail="500"), at=AT)
    assert read(tmp_path, replace(SHOWS, contact=failed)).contact


def test_without_systemd_nothing_is_written_and_a_folder_that_is_gone_ends_nothing(tmp_path: Path) -> None:
    BoardFile({}).tell(SHOWS)
    BoardFile({"RUNTIME_DIRECTORY": str(tmp_path / "gone")}).tell(SHOWS)
    assert list(tmp_path.iterdir()) == []
