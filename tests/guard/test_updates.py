"""The guard's calls of apt, and their times."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from guard.machine import Lists
from guard.updates import Files, update, want
from guard.verdict import BoardStatus

BOARD = BoardStatus(version="1", run="a", presented=True, screen=True, paired=True, contact=True, zone="Europe/Berlin")


class FakeMachine:
    """A machine at a time; its calls are written down."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 20, 12, tzinfo=UTC)
        self.shown: BoardStatus | None = BOARD
        self.up = 1e6
        self.answer = Lists(usable=True)
        self.calls: list[str] = []

    def wall(self) -> datetime:
        return self.now

    def up_seconds(self) -> float:
        return self.up

    def identity(self) -> str:
        return "one"

    def is_busy(self) -> bool:
        return False

    def board(self) -> BoardStatus | None:
        return self.shown

    def fetch_lists(self) -> Lists:
        self.calls.append(f"update {self.now:%H:%M}")
        return self.answer

    def upgrade(self) -> bool:
        self.calls.append("upgrade")
        return True

    def pass_a_day(self, files: Files) -> list[str]:
        """Runs a day, with a look every ten minutes."""
        self.calls.clear()
        for _ in range(24 * 6):
            self.now += timedelta(minutes=10)
            self.up += 600
            update(self, files)
        return list(self.calls)

    def pass_the_day_from(self, begin: int, end: int, files: Files) -> list[str]:
        """The same of a machine that runs between these hours only."""
        self.calls.clear()
        for _ in range(24 * 6):
            self.now += timedelta(minutes=10)
            if begin <= self.now.hour < end:
                self.up = 180.0 if self.up == 0 else self.up + 600
                update(self, files)
            else:
                self.up = 0.0
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
    machine.answer = Lists(usable=False)
    for _ in range(8):
        assert len(machine.pass_a_day(files)) == 1
    machine.up, machine.answer = 0.0, Lists(usable=True)
    machine.calls.clear()
    for _ in range(15):
        machine.up += 60
        update(machine, files)
    assert [call.split()[0] for call in machine.calls] == ["update", "upgrade"]


@pytest.mark.proves("update-other-key")
def test_the_repositories_that_are_refused_are_noted_for_the_board_until_they_are_signed_again(files: Files) -> None:
    machine, elsewhere = FakeMachine(), ("https://packages.example.com",)
    for answer, noted in (
        (Lists(usable=True), ()),
        (Lists(usable=True, refused=elsewhere), elsewhere),
        (Lists(usable=False), elsewhere),
        (Lists(usable=True), ()),
        (Lists(usable=False, refused=elsewhere), elsewhere),
    ):
        machine.answer = answer
        machine.pass_a_day(files)
        assert tuple(json.loads(files.notes.read_text())["refused"]) == noted, answer


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


def open_from(start: int, end: int, days: tuple[int, ...] = ()) -> BoardStatus:
    """The board of a location with these hours, in Berlin, where it is an hour later than in UTC."""
    return BOARD._replace(hours=[{"days": [*days], "start": start * 60, "end": end * 60, "zone": "Europe/Berlin"}])


def days(machine: FakeMachine, files: Files, count: int) -> list[int]:
    """The hours, in UTC, at which it fetches updates in some days."""
    return [hour for _ in range(count) for hour in hours(machine.pass_a_day(files))]


@pytest.mark.proves("update-due-location")
def test_an_update_waits_until_the_location_closes(files: Files) -> None:
    machine = FakeMachine()
    machine.shown = open_from(18, 4)
    assert days(machine, files, 3) == [3, 3, 3], "it closes at 4 in Berlin, within the window"
    machine.shown = None
    assert days(machine, files, 2) == [3, 3], "the hours are known while the board is off"
    machine.shown = open_from(18, 6)
    assert days(machine, files, 3) == [5, 5, 5], "it closes at 6, after the window"
    machine.shown = open_from(2, 24)
    machine.pass_a_day(files)
    assert days(machine, files, 3) == [23, 23, 23], "it is open in the window, and closes before the next one"
    machine.shown = open_from(18, 4, days=(4,))
    assert set(days(machine, files, 6)) <= {2, 3}
    machine.shown = BOARD._replace(hours=[])
    assert len(days(machine, files, 3)) == 3


def test_days_that_are_open_throughout_have_no_update(files: Files) -> None:
    machine = FakeMachine()
    assert machine.now.weekday() == 4
    machine.shown = open_from(0, 24, days=(5, 6))
    fetched = [len(machine.pass_a_day(files)) // 2 for _ in range(7)]
    assert fetched == [0, 0, 2, 1, 1, 1, 1], "that of Sunday at midnight, and that of Monday in its window"


@pytest.mark.long
def test_a_location_that_closes_once_a_week_is_updated_once_a_week(files: Files) -> None:
    machine = FakeMachine()
    machine.shown = open_from(1, 0)._replace(
        hours=[open_from(1, 0).hours[0], open_from(0, 1, (0, 1, 2, 3, 4, 5)).hours[0]]
    )
    machine.pass_a_day(files)
    assert sum(len(machine.pass_a_day(files)) // 2 for _ in range(28)) == 4


def test_a_location_that_never_closes_is_updated_in_the_window(files: Files) -> None:
    machine = FakeMachine()
    machine.shown = open_from(0, 24)
    assert set(days(machine, files, 3)) <= {2, 3}


def test_a_machine_that_is_off_at_night_is_updated_after_a_week_once_its_location_is_closed(files: Files) -> None:
    machine = FakeMachine()
    machine.shown = open_from(9, 21)
    fetched = {day: hours(machine.pass_the_day_from(7, 22, files)) for day in range(14)}
    assert [(day, found) for day, found in fetched.items() if found] == [(7, [20])], "it closes at 21 in Berlin"


@pytest.mark.proves("update-due-location")
def test_a_machine_that_runs_only_while_its_location_is_open_is_updated_after_four_weeks_at_a_start(
    files: Files,
) -> None:
    machine = FakeMachine()
    machine.shown = open_from(6, 23)
    fetched = [day for day in range(40) if machine.pass_the_day_from(8, 20, files)]
    assert len(fetched) == 1
    assert 27 <= fetched[0] <= 29


@pytest.mark.parametrize("version", ["*", "1\nPin-Priority: 1001", "1 2", "/./", "é1", "1" * 200, "-1"])
def test_what_is_no_version_chooses_nothing(files: Files, version: str) -> None:
    want(version, files.wanted)
    assert not files.wanted.exists()
