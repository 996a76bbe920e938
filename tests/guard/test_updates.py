"""What the guard has apt do, and when."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from guard.updates import Files, update, want
from guard.verdict import Board

BOARD = Board(version="1", run="a", presented=True, screen=True, paired=True, contact=True, zone="Europe/Berlin")


class FakeMachine:
    """A machine at a time; its calls are written down."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 20, 12, tzinfo=UTC)
        self.shown: Board | None = BOARD
        self.up = 1e6
        self.works = True
        self.calls: list[str] = []

    def wall(self) -> datetime:
        return self.now

    def up_seconds(self) -> float:
        return self.up

    def identity(self) -> str:
        return "one"

    def is_busy(self) -> bool:
        return False

    def board(self) -> Board | None:
        return self.shown

    def fetch_lists(self) -> bool:
        self.calls.append(f"update {self.now:%H:%M}")
        return self.works

    def upgrade(self) -> bool:
        self.calls.append("upgrade")
        return True

    def pass_a_day(self, files: Files) -> list[str]:
        """What it does in a day, with a look every ten minutes."""
        self.calls.clear()
        for _ in range(24 * 6):
            self.now += timedelta(minutes=10)
            self.up += 600
            update(self, files)
        return list(self.calls)


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(settings=tmp_path / "updates.toml", notes=tmp_path / "updates.json", wanted=tmp_path / "wanted")


def hours(calls: list[str]) -> list[int]:
    return [int(call.split()[1][:2]) for call in calls if call != "upgrade"]


def test_updates_come_once_a_night_in_the_time_of_the_location(files: Files) -> None:
    machine = FakeMachine()
    for _ in range(3):
        calls = machine.pass_a_day(files)
        assert [call.split()[0] for call in calls] == ["update", "upgrade"]
        assert hours(calls)[0] in (2, 3), "3 to 5 in Berlin"
    machine.shown = None
    assert hours(machine.pass_a_day(files))[0] in (2, 3), "the zone is known while the board is off"


def test_the_settings_of_the_device_come_first(files: Files) -> None:
    machine = FakeMachine()
    files.settings.write_text('window = "14:00-15:00"\nzone = "Asia/Tokyo"\n')
    assert hours(machine.pass_a_day(files)) == [5]
    files.settings.write_text("enabled = false\n")
    assert machine.pass_a_day(files) == []
    for text in ("window = 5", "window = [", 'window = "nonsense"\nzone = "No/Where"'):
        files.settings.write_text(text)
        assert len(machine.pass_a_day(files)) == 2, "a mistake costs no fixes"


def test_what_cannot_be_fetched_is_tried_in_the_next_window_and_after_a_week_at_a_start(files: Files) -> None:
    machine = FakeMachine()
    machine.works = False
    for _ in range(8):
        assert len(machine.pass_a_day(files)) == 1
    machine.up, machine.works = 0.0, True
    machine.calls.clear()
    for _ in range(15):
        machine.up += 60
        update(machine, files)
    assert [call.split()[0] for call in machine.calls] == ["update", "upgrade"]


def test_a_clock_that_knows_nothing_begins_nothing(files: Files) -> None:
    machine = FakeMachine()
    machine.now = datetime(1970, 1, 1, tzinfo=UTC)
    assert machine.pass_a_day(files) == []


def test_the_wanted_version_is_the_only_one_that_comes(files: Files) -> None:
    machine = FakeMachine()
    machine.shown = BOARD._replace(wanted="0.3.0")
    machine.pass_a_day(files)
    said = files.wanted.read_text()
    assert said.index("Pin: version 0.3.0\nPin-Priority: 990") < said.index("Pin: version *\nPin-Priority: -1")
    machine.shown = None
    machine.pass_a_day(files)
    assert files.wanted.exists(), "a board that is off takes nothing back"
    machine.shown = BOARD
    machine.pass_a_day(files)
    assert files.wanted.exists(), "nor does one that has not heard from its service yet"
    machine.shown = BOARD._replace(wanted="")
    machine.pass_a_day(files)
    assert not files.wanted.exists(), "the newest comes where the service names none"


@pytest.mark.parametrize("version", ["*", "1\nPin-Priority: 1001", "1 2", "/./", "é1", "1" * 200, "-1"])
def test_what_is_no_version_chooses_nothing(files: Files, version: str) -> None:
    want(version, files.wanted)
    assert not files.wanted.exists()
