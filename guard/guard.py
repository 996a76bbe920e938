"""Keeps the packages of a good version, watches a new one, and reverts to the good one.

`keep` runs as apt's hook just before packages are unpacked: it copies ours, and records the state of the board. `check`
runs once a minute, and stays while a version is on trial. State that has to outlive a loss of power is written before
the action: the next check continues from it.
"""

from __future__ import annotations

import logging
import re
import shutil
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from guard.disk import KeptPackages, read_document, write_document, write_whole
from guard.machine import PACKAGES, Installed
from guard.verdict import (
    FAULT_SECONDS,
    WELL_SECONDS,
    Before,
    BoardStatus,
    Kind,
    Observation,
    Trial,
    Unit,
    Verdict,
    observe,
)

log = logging.getLogger("menu-player-guard")

STATE = Path("/var/lib/menu-player-guard")
PREFERENCES = Path("/etc/apt/preferences.d/menu-player-guard")
ARCHIVES = Path("/var/cache/apt/archives")
RUNTIME = Path("/run/menu-player-guard")

TRIES = 5

MOST_REPORTED = 10
MOST_BAD = 50
VERSION = re.compile(r"[0-9][0-9A-Za-z.+~:-]{0,99}")

HEADER = """\
# Versions of the board that this machine has taken back: apt does not install them again. A newer version comes in as
# ever. To let one of these in again, delete its paragraph. Written by menu-player-guard.
"""
PARAGRAPH = """
Package: {packages}
Pin: version {version}
Pin-Priority: -1
"""


class AnyMachine(Protocol):
    """Machine as the guard uses it: guard/machine.py."""

    def monotonic(self) -> float: ...
    def boot(self) -> str: ...
    def sleep(self, seconds: float) -> None: ...
    def unit(self) -> Unit: ...
    def board(self) -> BoardStatus | None: ...
    def has_display(self) -> bool: ...
    def reaches_service(self) -> bool: ...
    def installed(self) -> dict[str, Installed]: ...
    def is_busy(self) -> bool: ...
    def is_interrupted(self) -> bool: ...
    def configure(self) -> bool: ...
    def install(self, files: list[Path]) -> bool: ...
    def install_from_repository(self, versions: Mapping[str, str]) -> bool: ...
    def repair(self) -> bool: ...
    def download(self, versions: Mapping[str, str], folder: Path) -> bool: ...
    def rebuild(self, package: str, folder: Path) -> bool: ...
    def package_of(self, file: Path) -> tuple[str, str] | None: ...


class Places(NamedTuple):
    """Paths that the guard writes."""

    state: Path = STATE
    preferences: Path = PREFERENCES
    archives: Path = ARCHIVES
    runtime: Path = RUNTIME


class Patience(NamedTuple):
    """Times for which a new version is watched."""

    well: float = WELL_SECONDS
    fault: float = FAULT_SECONDS
    check: float = 1200.0  # The timer starts the next one.


PLACES = Places()
PATIENCE = Patience()


class Guard:
    """Carries out the steps in this module. One check at a time."""

    def __init__(self, machine: AnyMachine, places: Places = PLACES, patience: Patience = PATIENCE) -> None:
        self._machine = machine
        self._places = places
        self._patience = patience
        self._kept = KeptPackages(places.state / "kept")
        self._notes: dict[str, Any] = {}

    # apt's hook

    def keep(self, files: Iterable[Path]) -> None:
        """Stores our packages among these, and records the state of the board before they are installed."""
        ours = [file for file in files if file.name.startswith("menu-player")]
        named = [(found, file) for file in ours if (found := self._machine.package_of(file)) and found[0] in PACKAGES]
        if not named:
            return
        self._read_notes()
        if self._before_file.exists() and self._is_on_trial(_versions(self._machine.installed())):
            # An update of an update that is on trial: what counts is how the board was before both.
            pass
        else:
            write_document(self._before_file, self._how_the_board_is()._asdict())
        for (package, version), file in named:
            self._kept.keep(package, version, file)

    def _how_the_board_is(self) -> Before:
        installed, board = self._machine.installed(), self._machine.board()
        if board is None or board.version not in _versions(installed).values():
            return Before()
        if self._machine.unit().active != "active":
            return Before()
        return Before(paired=board.paired, contact=board.contact)

    # The check

    def check(self) -> None:
        """Finishes work interrupted by a loss of power; then watches a new version."""
        if self._machine.is_busy():
            return
        self._read_notes()
        self._drop_way_back_of_replaced()
        self._mend()
        if self._notes.get("back"):
            if not self._plays_after_all():
                self._go_back()
                return
            self._note(back=None, noWayBack=None)
        installed = self._machine.installed()
        if PACKAGES[0] not in installed or not _is_whole(installed):
            return
        if self._is_on_trial(_versions(installed)):
            self._watch(_versions(installed))
        else:
            self._keep_good()

    def _mend(self) -> None:
        """Repairs half-installed packages. If dpkg cannot finish, the good version is installed again."""
        if _is_whole(self._machine.installed()) and not (self._is_first_of_boot() and self._machine.is_interrupted()):
            return
        log.warning("packages stand half-way, as after a loss of power; finishing them")
        self._machine.configure()
        installed = self._machine.installed()
        if _is_whole(installed) or self._notes.get("back"):
            return
        versions = {self._good_version: self._good}
        versions |= {each.version: dict.fromkeys(installed, each.version) for each in installed.values()}
        for version, wanted in versions.items():
            if files := self._kept.files(wanted):
                log.warning("half-way packages cannot be finished; installing version %s", version)
                self._machine.install(files)
                return
        self._machine.repair()

    def _is_first_of_boot(self) -> bool:
        seen = self._places.runtime / "boot"
        if seen.exists():
            return False
        with suppress(OSError):
            seen.parent.mkdir(parents=True, exist_ok=True)
            seen.touch()
        return True

    def _is_on_trial(self, versions: Mapping[str, str]) -> bool:
        return dict(versions) != self._good

    def _watch(self, versions: dict[str, str]) -> None:
        """Observes a new version until it is good or bad."""
        version = versions[PACKAGES[0]]
        noted = self._notes.get("trial")
        if not isinstance(noted, dict) or noted.get("versions") != versions:
            noted = {"versions": versions, "faulty": 0.0}
            self._note(trial=noted)
            log.info("version %s is on trial", version)
        before = self._before()
        trial = Trial(faulty=_number(noted.get("faulty")))
        began = last = self._machine.monotonic()
        last_said = ""
        while True:
            look = self._look(version, before)
            now = self._machine.monotonic()
            trial, last = trial.after(look, now - last), now
            if look.kind is not Kind.WELL and look.why != last_said:
                log.info("version %s: %s", version, look.why)
                last_said = look.why
            verdict = trial.verdict(well_seconds=self._patience.well, fault_seconds=self._patience.fault)
            if verdict is Verdict.GOOD:
                self._accept(versions)
                return
            if verdict is Verdict.BAD:
                self._take_back(version, trial)
                return
            if trial.faulty - _number(noted.get("faulty")) >= 30.0:
                noted = {**noted, "faulty": trial.faulty}
                self._note(trial=noted)
            if now - began >= self._patience.check:
                return
            hopeless = look.kind is Kind.UNKNOWN or (look.kind is Kind.FAULT and not self._good)
            self._machine.sleep(10.0 if hopeless else 5.0)  # Seldom where a look can change nothing soon.
            if self._machine.is_busy() or _versions(self._machine.installed()) != versions:
                # Somebody installs: the next check sees what has become of it.
                return

    def _look(self, version: str, before: Before) -> Observation:
        board = self._machine.board()
        out_of_contact = board is not None and before.contact and board.presented and not board.contact
        return observe(
            unit=self._machine.unit(),
            board=board,
            version=version,
            before=before,
            has_display=board is not None or self._machine.has_display(),
            reaches_service=out_of_contact and self._machine.reaches_service(),
        )

    def _accept(self, versions: dict[str, str]) -> None:
        version, held = versions[PACKAGES[0]], self.held()
        log.info("version %s is good", version)
        if version in held:
            self._write_held(each for each in held if each != version)
        self._before_file.unlink(missing_ok=True)
        self._note(good=versions, trial=None, sought=None)
        self._keep_good()

    def _keep_good(self) -> None:
        """Stores the packages of the good version only."""
        if not self._kept.files(self._good) and self._notes.get("sought") != self._machine.boot():
            self._find_packages()
        if self._kept.files(self._good):
            if "noWayBack" in self._notes:
                self._note(noWayBack=None, sought=None)
        elif self._notes.get("sought") != self._machine.boot():
            self._note(sought=self._machine.boot())
            self._say_no_way_back(f"The packages of version {self._good_version} cannot be had.")
        self._kept.drop_others(self._good.values())

    def _find_packages(self) -> None:
        """Stores the good version's packages if apt's hook has not seen them: they came with the guard, or by dpkg."""
        folder = self._places.state / "download"
        self._keep_those_in(self._places.archives)
        if not self._kept.files(self._good) and self._machine.download(self._good, folder):
            self._keep_those_in(folder)
        if not self._kept.files(self._good) and all(self._machine.rebuild(each, folder) for each in self._good):
            self._keep_those_in(folder)
        shutil.rmtree(folder, ignore_errors=True)

    def _keep_those_in(self, folder: Path) -> None:
        for file in folder.glob("menu-player*.deb"):
            named = self._machine.package_of(file)
            if named is not None and self._good.get(named[0]) == named[1]:
                with suppress(OSError):
                    self._kept.keep(*named, file)

    def _say_no_way_back(self, why: str) -> None:
        """Records why an update cannot be reverted, for the board to report."""
        if why != self._notes.get("noWayBack"):
            self._note(noWayBack=why)
            log.warning("there is no way back: %s", why)

    # The way back

    def _take_back(self, version: str, trial: Trial) -> None:
        why = trial.why
        if not self._good:
            self._say_no_way_back(f"Version {version}: {why}. No version before it is known to be good.")
            self._note(trial=None)
            return
        log.error("version %s: %s. Going back to version %s", version, why, self._good_version)
        at = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        entry = {"version": version, "to": self._good_version, "why": why, "code": trial.code, "at": at}
        self._note(back={**entry, "tries": 0}, trial=None)
        self._go_back()

    def _go_back(self) -> None:
        """Installs the good version, blocks the bad one, and reports it."""
        back = self._notes["back"]
        if back.get("tries", 0) >= TRIES and not self._may_try_again():
            return
        self._note(back={**back, "tries": back.get("tries", 0) + 1})
        self._hold(back["version"])
        files = self._kept.files(self._good)
        if not self._is_back() and files:
            self._machine.install(files)
        if not self._is_back():
            self._machine.install_from_repository(self._good)
        if not self._is_back():
            log.error("version %s cannot be installed; trying again later", self._good_version)
            self._say_no_way_back(
                f"Version {back['version']}: {back['why']}. Version {self._good_version} cannot be installed."
            )
            return
        log.warning("version %s is installed again", self._good_version)
        self._before_file.unlink(missing_ok=True)
        entry = {key: value for key, value in back.items() if key != "tries"}
        taken_back = [entry, *self._notes.get("takenBack", ())][:MOST_REPORTED]
        self._note(back=None, noWayBack=None, sought=None, takenBack=taken_back)
        self._kept.drop_others(self._good.values())

    def _is_back(self) -> bool:
        installed = self._machine.installed()
        return _versions(installed) == self._good and _is_whole(installed)

    def _drop_way_back_of_replaced(self) -> None:
        """Clears a failed revert, once the bad version has been removed or is being replaced."""
        if back := self._notes.get("back"):
            installed = _versions(self._machine.installed())
            if PACKAGES[0] not in installed or set(installed.values()) - {back["version"], self._good_version}:
                log.info("version %s is not installed any more", back["version"])
                self._note(back=None, noWayBack=None)

    def _plays_after_all(self) -> bool:
        """Returns whether the bad version, which could not be replaced, plays: then it goes on trial again."""
        version = self._notes["back"]["version"]
        if self._notes["back"].get("tries", 0) == 0 or self._is_back():
            return False
        return self._look(version, self._before()).kind is Kind.WELL

    def _may_try_again(self) -> bool:
        """Returns whether the last attempt of this boot is long enough ago, and records a new one."""
        tried, now = self._places.runtime / "tried", self._machine.monotonic()
        with suppress(OSError, ValueError):
            if now - float(tried.read_text(encoding="ascii")) < 3600.0:
                return False
        with suppress(OSError):
            tried.parent.mkdir(parents=True, exist_ok=True)
            tried.write_text(str(now), encoding="ascii")
        return True

    def _hold(self, version: str) -> None:
        """Makes apt skip this version."""
        with suppress(OSError):
            text = self._places.preferences.read_text(encoding="utf-8")
            if f"\nPin: version {version}\n" in text:
                return
        self._write_held([*self.held(), version][-MOST_BAD:])

    def _write_held(self, versions: Iterable[str]) -> None:
        paragraphs = (PARAGRAPH.format(packages=" ".join(PACKAGES), version=each) for each in versions)
        write_whole(self._places.preferences, (HEADER + "".join(paragraphs)).encode())

    def held(self) -> list[str]:
        """Returns the versions that apt skips."""
        try:
            text = self._places.preferences.read_text(encoding="utf-8")
        except OSError:
            return []
        named = re.findall(r"^Pin: version (\S+)$", text, re.MULTILINE)
        return [version for version in named if VERSION.fullmatch(version)]

    # The notes

    @property
    def _good(self) -> dict[str, str]:
        good = self._notes.get("good")
        return good if isinstance(good, dict) else {}

    @property
    def _good_version(self) -> str:
        return self._good.get(PACKAGES[0], "")

    @property
    def _before_file(self) -> Path:
        return self._places.state / "before.json"

    def _before(self) -> Before:
        document = read_document(self._before_file)
        document = document if isinstance(document, dict) else {}
        return Before(paired=document.get("paired") is True, contact=document.get("contact") is True)

    def _read_notes(self) -> None:
        document = read_document(self._places.state / "state.json")
        self._notes = document if isinstance(document, dict) else {}

    def _note(self, **changes: Any) -> None:
        """Writes notes; None deletes one."""
        self._notes = {key: value for key, value in {**self._notes, **changes}.items() if value is not None}
        write_document(self._places.state / "state.json", self._notes)


def _versions(installed: Mapping[str, Installed]) -> dict[str, str]:
    return {package: each.version for package, each in installed.items()}


def _is_whole(installed: Mapping[str, Installed]) -> bool:
    """Returns whether all packages are installed and of one version."""
    return all(each.whole for each in installed.values()) and len({each.version for each in installed.values()}) <= 1


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
