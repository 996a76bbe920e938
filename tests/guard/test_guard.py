"""The guard on a machine of its own kind, with files on a real disk and time that does not pass by itself.

tests/kiosk/test_update.py has the real machine.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from guard.disk import MAX_DOCUMENT_BYTES, read_document
from guard.guard import TRIES, Guard, Places
from guard.machine import Installed
from guard.verdict import BoardStatus, Unit


class PowerCut(BaseException):
    """The machine is off."""


class FakeMachine:
    """A machine whose board is well in some versions. `cuts` are calls during which the power fails."""

    def __init__(
        self, folder: Path, *, version: str = "1", works: Callable[[str], bool] = lambda version: True
    ) -> None:
        self.packages = {name: Installed(version, True) for name in ("menu-player", "menu-player-core")}
        self.works = works
        self.now = 0.0
        self.booted = 1
        self.service = self.contact = self.paired = True
        self.is_off = False
        self.calls: list[str] = []
        self.cuts: set[str] = set()
        self.fails: set[str] = set()
        self._folder = folder

    @property
    def version(self) -> str:
        return self.packages["menu-player-core"].version

    def debs(self, version: str) -> list[Path]:
        files = [self._folder / f"{name}_{version}_all.deb" for name in self.packages]
        for file in files:
            file.write_text(version)
        return files

    def upgrade(self, version: str, *, whole: bool = True) -> None:
        self.packages = {name: Installed(version, whole) for name in self.packages}

    def monotonic(self) -> float:
        return self.now

    def boot(self) -> str:
        return str(self.booted)

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def unit(self) -> Unit:
        if self.is_off:
            return Unit("loaded", "inactive")
        return Unit("loaded", "active" if self.works(self.version) else "activating")

    def board(self) -> BoardStatus | None:
        if not self.works(self.version):
            return None
        return BoardStatus(
            version=self.version,
            run=self.version,
            presented=True,
            screen=True,
            paired=self.paired,
            contact=self.contact and self.service,
        )

    def has_display(self) -> bool:
        return True

    def reaches_service(self) -> bool:
        return self.service

    def installed(self) -> dict[str, Installed]:
        return dict(self.packages)

    def is_busy(self) -> bool:
        return False

    def is_interrupted(self) -> bool:
        return not all(each.whole for each in self.packages.values())

    def configure(self) -> bool:
        return self._call("configure", self.version)

    def install(self, files: list[Path]) -> bool:
        return self._call("install", files[0].read_text())

    def install_from_repository(self, versions: Mapping[str, str]) -> bool:
        return self._call("repository", versions["menu-player"])

    def repair(self) -> bool:
        return self._call("repair", self.version)

    def download(self, versions: Mapping[str, str], folder: Path) -> bool:
        self.calls.append("download")
        return False

    def rebuild(self, package: str, folder: Path) -> bool:
        self.calls.append("rebuild")
        if "rebuild" in self.fails:
            return False
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{package}_{self.version}_all.deb").write_text(self.version)
        return True

    def package_of(self, file: Path) -> tuple[str, str] | None:
        name, version, _ = file.name.split("_")
        return name, version

    def _call(self, name: str, version: str) -> bool:
        self.calls.append(name)
        if name in self.cuts:
            self.cuts.remove(name)
            self.upgrade(version, whole=False)
            raise PowerCut
        if name in self.fails:
            return False
        self.upgrade(version)
        return True


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(
        state=tmp_path / "state",
        preferences=tmp_path / "preferences",
        archives=tmp_path / "archives",
        runtime=tmp_path / "run",
    )


def good(tmp_path: Path, places: Places, works: Callable[[str], bool]) -> tuple[FakeMachine, Guard]:
    """A machine whose version 1 is good, and the guard's hook has seen it."""
    machine = FakeMachine(tmp_path, works=works)
    guard = Guard(machine, places)
    guard.keep(machine.debs("1"))
    guard.check()
    return machine, guard


def update(machine: FakeMachine, guard: Guard, version: str) -> None:
    guard.keep(machine.debs(version))
    machine.upgrade(version)


def taken_back(places: Places) -> list[tuple[str, str]]:
    document = read_document(places.state / "state.json")
    found = document.get("takenBack", [])
    assert all(entry["code"] and entry["why"] and entry["at"] for entry in found)
    return [(entry["version"], entry["to"]) for entry in found]


def kept(places: Places) -> list[str]:
    return sorted(folder.name for folder in (places.state / "kept").iterdir())


def no_way_back(places: Places) -> str:
    found: str = read_document(places.state / "state.json").get("noWayBack", "")
    return found


def only(*versions: str) -> Callable[[str], bool]:
    return lambda version: version in versions


@pytest.mark.proves("update-board-start")
def test_a_good_version_stays_and_is_what_the_next_one_goes_back_to(tmp_path: Path, places: Places) -> None:
    machine, guard = good(tmp_path, places, only("1", "2"))
    update(machine, guard, "2")
    guard.check()
    assert (machine.version, kept(places), taken_back(places)) == ("2", ["2"], [])
    update(machine, guard, "3")
    guard.check()
    assert (machine.version, kept(places), taken_back(places)) == ("2", ["2"], [("3", "2")])
    assert guard.held() == ["3"]
    assert "Pin: version 3\nPin-Priority: -1\n" in places.preferences.read_text()
    before = list(machine.calls)
    guard.check()
    assert machine.calls == before, "then there is nothing to do"


@pytest.mark.parametrize("lost", ["paired", "contact"])
def test_a_board_that_has_lost_its_pairing_or_its_contact_goes_back(tmp_path: Path, places: Places, lost: str) -> None:
    machine, guard = good(tmp_path, places, lambda version: True)
    update(machine, guard, "2")
    setattr(machine, lost, False)
    guard.check()
    assert machine.version == "1"


def test_a_shop_without_network_costs_no_version(tmp_path: Path, places: Places) -> None:
    machine, guard = good(tmp_path, places, lambda version: True)
    update(machine, guard, "2")
    machine.service = False
    for _ in range(50):
        guard.check()
    assert (machine.version, taken_back(places)) == ("2", [])
    assert kept(places) == ["1", "2"], "until it is in contact again, there is a way back"
    machine.service = True
    guard.check()
    assert kept(places) == ["2"]


def test_a_power_cut_in_an_update_is_finished(tmp_path: Path, places: Places) -> None:
    machine, guard = good(tmp_path, places, lambda version: True)
    update(machine, guard, "2")
    machine.upgrade("2", whole=False)
    guard.check()
    assert (machine.version, machine.calls, machine.is_interrupted()) == ("2", ["configure"], False)


def test_an_update_of_which_half_came_is_undone(tmp_path: Path, places: Places) -> None:
    machine, guard = good(tmp_path, places, lambda version: True)
    update(machine, guard, "2")
    machine.packages["menu-player"] = Installed("1", True)
    machine.fails = {"configure"}
    guard.check()
    assert (machine.version, machine.packages["menu-player"].version) == ("1", "1")


def test_a_first_installation_that_was_cut_off_is_finished_with_the_kept_packages(
    tmp_path: Path, places: Places
) -> None:
    machine = FakeMachine(tmp_path)
    Guard(machine, places).keep(machine.debs("1"))
    machine.upgrade("1", whole=False)
    machine.fails = {"configure"}
    Guard(machine, places).check()
    assert (machine.calls, machine.is_interrupted()) == (["configure", "install"], False)


def test_an_update_that_cannot_be_finished_is_undone(tmp_path: Path, places: Places) -> None:
    machine, guard = good(tmp_path, places, lambda version: True)
    update(machine, guard, "2")
    machine.upgrade("2", whole=False)
    machine.fails = {"configure"}
    guard.check()
    assert (machine.version, machine.calls) == ("1", ["configure", "install"])
    assert guard.held() == [], "it may come again"


def test_a_power_cut_on_the_way_back_is_finished(tmp_path: Path, places: Places) -> None:
    machine, guard = good(tmp_path, places, only("1"))
    update(machine, guard, "2")
    machine.cuts = {"install"}
    with pytest.raises(PowerCut):
        guard.check()
    assert machine.is_interrupted()
    Guard(machine, places).check()
    assert (machine.version, machine.is_interrupted()) == ("1", False)
    assert (taken_back(places), guard.held()) == ([("2", "1")], ["2"])


def test_seconds_at_fault_are_counted_over_restarts_of_the_machine(tmp_path: Path, places: Places) -> None:
    machine, guard = good(tmp_path, places, only("1"))
    update(machine, guard, "2")

    def off(seconds: float) -> None:
        machine.now += seconds
        if machine.now % 40 < seconds:
            raise PowerCut

    machine.sleep = off  # type: ignore[method-assign]
    for _ in range(20):
        try:
            Guard(machine, places).check()
        except PowerCut:
            continue
        break
    assert machine.version == "1"


def test_without_kept_packages_the_repository_is_asked_and_a_way_back_that_fails_is_not_tried_for_ever(
    tmp_path: Path, places: Places
) -> None:
    machine = FakeMachine(tmp_path, works=only("1"))
    machine.fails = {"rebuild", "repository"}
    guard = Guard(machine, places)
    guard.check()
    machine.upgrade("2")
    for _ in range(50):
        guard.check()
        machine.now += 60
    assert machine.calls.count("repository") <= TRIES + 1
    machine.fails = set()
    machine.now += 4000
    guard.check()
    assert machine.version == "1"


@pytest.mark.proves("update-newer-by-hand")
def test_a_version_that_replaces_the_bad_one_goes_on_trial_and_is_not_downgraded(
    tmp_path: Path, places: Places
) -> None:
    machine = FakeMachine(tmp_path, works=only("1", "3"))
    machine.fails = {"rebuild", "repository"}
    guard = Guard(machine, places)
    guard.check()
    update(machine, guard, "2")
    guard.check()
    assert (machine.version, guard.held()) == ("2", ["2"])
    update(machine, guard, "3")
    machine.fails = set()
    guard.check()
    assert (machine.version, kept(places), taken_back(places)) == ("3", ["3"], [])
    machine.now += 4000
    guard.check()
    assert (machine.version, guard.held(), no_way_back(places)) == ("3", ["2"], "")


def test_a_version_that_plays_after_all_is_not_downgraded(tmp_path: Path, places: Places) -> None:
    machine, guard = good(tmp_path, places, only("1"))
    update(machine, guard, "2")
    machine.fails = {"install", "repository"}
    guard.check()
    assert guard.held() == ["2"]
    machine.works, machine.fails = only("1", "2"), set()
    guard.check()
    assert (machine.version, kept(places), guard.held(), taken_back(places)) == ("2", ["2"], [], [])


def test_a_board_that_was_removed_is_not_installed_again(tmp_path: Path, places: Places) -> None:
    machine, guard = good(tmp_path, places, only("1"))
    update(machine, guard, "2")
    machine.fails = {"install", "repository"}
    guard.check()
    machine.packages, machine.fails, machine.calls = {}, set(), []
    guard.check()
    assert (machine.packages, machine.calls) == ({}, [])


@pytest.mark.proves("update-board-start")
def test_packages_that_nobody_has_are_built_from_the_files_that_are_installed(tmp_path: Path, places: Places) -> None:
    """All came in one run of apt, from local files: the guard has seen none of them."""
    machine = FakeMachine(tmp_path, works=only("1"))
    guard = Guard(machine, places)
    guard.check()
    assert (kept(places), no_way_back(places)) == (["1"], "")
    machine.upgrade("2")
    guard.check()
    assert (machine.version, taken_back(places)) == ("1", [("2", "1")])
    assert not (places.state / "download").exists()


def test_a_board_without_a_way_back_says_so_until_it_has_one(tmp_path: Path, places: Places) -> None:
    machine = FakeMachine(tmp_path)
    machine.fails = {"rebuild"}
    guard = Guard(machine, places)
    guard.check()
    assert no_way_back(places) == "The packages of version 1 cannot be had."
    searched = list(machine.calls)
    guard.check()
    assert machine.calls == searched, "they are looked for once in each run of the machine"
    machine.booted = 2
    guard.check()
    assert machine.calls == searched * 2
    guard.keep(machine.debs("1"))
    guard.check()
    assert (kept(places), no_way_back(places)) == (["1"], "")
    shutil.rmtree(places.state / "kept" / "1")
    machine.fails = set()
    guard.check()
    assert (kept(places), no_way_back(places)) == (["1"], ""), "what was lost is looked for again"


def test_the_packages_of_each_new_good_version_are_looked_for(tmp_path: Path, places: Places) -> None:
    machine = FakeMachine(tmp_path)
    machine.fails = {"rebuild"}
    guard = Guard(machine, places)
    guard.check()
    machine.upgrade("2")
    machine.fails = set()
    guard.check()
    assert (kept(places), no_way_back(places)) == (["2"], "")


def test_the_first_version_has_none_before_it_and_stays(tmp_path: Path, places: Places) -> None:
    machine = FakeMachine(tmp_path, works=only())
    guard = Guard(machine, places)
    guard.keep(machine.debs("1"))
    guard.check()
    assert (machine.version, [call for call in machine.calls if call != "download"]) == ("1", [])


def test_an_update_of_an_update_is_measured_by_the_board_before_both(tmp_path: Path, places: Places) -> None:
    machine, guard = good(tmp_path, places, only("1", "3"))
    update(machine, guard, "2")
    update(machine, guard, "3")
    machine.paired = False
    guard.check()
    assert machine.version == "1"


def test_packages_of_others_are_none_of_its_business(tmp_path: Path, places: Places) -> None:
    machine = FakeMachine(tmp_path)
    Guard(machine, places).keep([tmp_path / "libc6_2_amd64.deb", tmp_path / "menu-service_1_all.deb"])
    assert not places.state.exists()


@pytest.mark.parametrize("what", ["link", "pipe", "folder", "large", "torn", "deep"])
def test_what_stands_in_the_place_of_a_document_is_read_as_none_and_not_waited_for(tmp_path: Path, what: str) -> None:
    path = tmp_path / "board.json"
    match what:
        case "link":
            (tmp_path / "secret").write_text("{}")
            path.symlink_to(tmp_path / "secret")
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "large":
            path.write_text(" " * MAX_DOCUMENT_BYTES + "{}")
        case "torn":
            path.write_text('{"a": ')
        case "deep":
            path.write_text("[" * 50_000)
    assert read_document(path) is None


FLEET = Path(__file__).parents[2] / "docs/fleet.md"
ROWS = re.findall(
    r"^\| (.+) \| (.+) \| (.+) \| (.+) \| (.+) \|$", FLEET.read_text().partition("### Verdicts")[2], re.MULTILINE
)[1:]
FAILS = {
    "packages of 1": {"rebuild", "repository"},
    "the installed files": {"repository"},
    "the repository": {"rebuild"},
    "none": {"rebuild", "repository"},
}


@pytest.mark.parametrize(("installed", "judged", "way_back", "runs", "does"), ROWS)
def test_the_table_of_verdicts_is_true(
    tmp_path: Path, places: Places, installed: str, judged: str, way_back: str, runs: str, does: str
) -> None:
    machine = FakeMachine(tmp_path, works=only("1"))
    guard = Guard(machine, places)
    machine.fails = FAILS[way_back]
    if way_back == "packages of 1":
        guard.keep(machine.debs("1"))
    if "1 is good" in judged:
        guard.check()
    if "2 is bad" in judged:
        machine.fails = {"install", "repository"}
        update(machine, guard, "2")
        guard.check()
        assert (machine.version, guard.held()) == ("2", ["2"])
    version, *how = installed.split(", ")
    if "by hand" in how:
        machine.upgrade(version)
    elif "removed" in how:
        machine.packages = {}
    elif version != machine.version:
        update(machine, guard, version)
        machine.upgrade(version, whole="half-way" not in how)
    machine.fails = FAILS[way_back] | ({"configure"} if "not to be completed" in how else set())
    machine.is_off = runs == "is switched off"
    machine.works = lambda each: runs != "does not start" or (each == "1" != version)
    machine.service = runs != "has no contact, nor has the machine"
    machine.contact = runs != "has no contact, but the machine has"
    machine.paired = runs != "has lost its pairing"
    before = read_document(places.state / "state.json") or {}
    Guard(machine, places).check()
    assert what_was_done(machine, Guard(machine, places), places, before, version, *how) == does.replace("`", "")


def what_was_done(
    machine: FakeMachine, guard: Guard, places: Places, before: dict[str, Any], was: str, *how: str
) -> str:
    """In the words of the table."""
    after = read_document(places.state / "state.json") or {}
    now = machine.version if machine.packages else "nothing"
    is_good = after.get("good") not in (None, before.get("good"))
    folders = kept(places) if (places.state / "kept").exists() else []
    done = []
    if now == was and "half-way" in how:
        done.append(f"completes {now}")
    if now != was:
        done.append(f"installs {now}")
    elif is_good:
        done.append(f"finds {now} good")
        if folders == [now]:
            done.append("keeps its packages")
    else:
        done.append(f"leaves {now}")
    if len(folders) > 1:
        done.append(f"keeps the packages of {' and '.join(folders)}")
    if held := guard.held():
        done.append(f"holds {' and '.join(held)}")
    if after.get("noWayBack"):
        done.append("reports no_way_back")
    if len(after.get("takenBack", ())) > len(before.get("takenBack", ())):
        done.append("reports update_taken_back")
    assert machine.packages == {} or not machine.is_interrupted()
    return ", ".join(done)


def test_the_table_of_verdicts_has_its_rows() -> None:
    assert len(ROWS) == 26


def test_what_is_written_may_be_read_by_the_board(tmp_path: Path, places: Places) -> None:
    machine, guard = good(tmp_path, places, only("1"))
    update(machine, guard, "2")
    before = os.umask(0o077)
    try:
        guard.check()
    finally:
        os.umask(before)
    for path in (places.state / "state.json", places.preferences):
        assert stat.S_IMODE(path.stat().st_mode) == 0o644
