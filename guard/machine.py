"""Machine as the guard uses it: dpkg, apt, systemd, the board's status, and the connection to the service."""

from __future__ import annotations

import fcntl
import json
import logging
import os
import pwd
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, NamedTuple, TypedDict

from guard.disk import read_document
from guard.verdict import BoardStatus, Unit

log = logging.getLogger("menu-player-guard")

PACKAGES = ("menu-player", "menu-player-core")
"""The packages of the board. Both have the same version."""

UNIT = "menu-player.service"
BOARD_FILE = Path("/run/menu-player/board.json")
BOARD_USER = "menu-player"
ASKING = Path(__file__).with_name("service.py")
SETTINGS = Path("/etc/menu-player")
DISPLAYS = Path("/dev/dri")
DPKG_LOCK = Path("/var/lib/dpkg/lock-frontend")
MACHINE_ID = Path("/etc/machine-id")
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")

MAX_SETTINGS_BYTES = 256 * 1024
MOST_SETTINGS_FILES = 20
MOST_REFUSED = 10
COMMAND_SECONDS = 60.0

OWN = "MENU_PLAYER_GUARD"
"""Tells the guard's hook that the guard itself installs."""

ENVIRONMENT = {
    "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
    "LC_ALL": "C.UTF-8",
    "DEBIAN_FRONTEND": "noninteractive",
    OWN: "1",
}
DPKG_OPTIONS = ("--force-confdef", "--force-confold")
# Waits for no other apt, which may be replacing the very version that this one is to replace: the next check sees.
APT = (
    *("apt-get", "-q", "-y"),
    *(word for option in DPKG_OPTIONS for word in ("-o", f"Dpkg::Options::={option}")),
)

_OF_THE_INSTALLATION = re.compile(r"^(?:Status|Conffiles|Config-Version):.*\n(?: .*\n)*", re.MULTILINE)
"""Fields that dpkg adds to those of a package."""

_NOT_FETCHED = re.compile(r"^E: (?!Some index files)(.*)$", re.MULTILINE)
_UNSIGNED = re.compile(r"verify signature|signatures? (?:could|was|were)|is (?:not|no longer) signed")
_OTHER_KEY = (
    " Nothing new is installed from this repository: it has to be signed with the key that this device was set up with,"
    " or the device be given the new key (fleet.md, Tokens and keys)."
)

_REPOSITORY = re.compile(r"[a-z+]+:/[^\s']{1,200}?(?=/\./|/dists/|/InRelease\b|[\s'])")
"""The address of a repository in apt's words, without the file of it that apt names."""

_FLOCK = "hhqqi"
"""struct flock of 64-bit Linux."""


class Installed(NamedTuple):
    """Installed version and state of a package, as dpkg reports them."""

    version: str
    whole: bool
    """Whether it is installed and configured, and not something in between."""


class Lists(NamedTuple):
    """Results of the repositories' package lists."""

    usable: bool
    refused: tuple[str, ...] = ()
    """Addresses of the repositories whose signature apt refuses."""


class Machine:
    """Real machine. `root` has the files of packages, `settings` those of the board; the program `asking` asks the
    service as the board's `user`."""

    def __init__(
        self, root: Path = Path("/"), *, settings: Path = SETTINGS, asking: Path = ASKING, user: str = BOARD_USER
    ) -> None:
        self._root = root
        self._settings = settings
        self._asking = asking
        self._user = user

    def monotonic(self) -> float:
        """Returns seconds, which also pass in sleep."""
        return time.clock_gettime(time.CLOCK_BOOTTIME)

    def wall(self) -> datetime:
        return datetime.now(UTC)

    def up_seconds(self) -> float:
        """Returns the seconds since the start of the machine."""
        return self.monotonic()

    def identity(self) -> str:
        with suppress(OSError):
            return MACHINE_ID.read_text(encoding="ascii").strip()
        return ""

    def boot(self) -> str:
        """Returns the id of the current boot."""
        with suppress(OSError):
            return BOOT_ID.read_text(encoding="ascii").strip()
        return ""

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    # The board

    def unit(self) -> Unit:
        said = self._output("systemctl", "show", UNIT, "--property=LoadState,ActiveState,StatusText")
        facts = dict(line.split("=", 1) for line in said.splitlines() if "=" in line)
        return Unit(facts.get("LoadState", ""), facts.get("ActiveState", ""), facts.get("StatusText", ""))

    def board(self) -> BoardStatus | None:
        """Reads the board's status file; None if it cannot be read."""
        return BoardStatus.read(read_document(BOARD_FILE))

    def has_display(self) -> bool:
        return any(DISPLAYS.glob("card*"))

    def reaches_service(self) -> bool:
        """Returns whether the service answers the board's user, over the configured connection."""
        try:
            settings = settings_in(self._settings)
            way = json.dumps([str(settings.get(key, "")) for key in ("service", "proxy", "ca_file")])
            done = subprocess.run(
                (sys.executable, "-IS", str(self._asking)),
                input=way.encode(),
                check=False,
                env=ENVIRONMENT,
                timeout=COMMAND_SECONDS,
                **_rights_of(self._user),
            )
        except (OSError, ValueError, subprocess.TimeoutExpired):
            return False
        return done.returncode == 0

    # The packages

    def installed(self) -> dict[str, Installed]:
        """Returns our packages on the machine, whole or not."""
        said = self._output("dpkg-query", "-W", "-f", "${Package}\t${Version}\t${db:Status-Abbrev}\n", *PACKAGES)
        found = {}
        for line in said.splitlines():
            package, version, status = line.split("\t")
            # Wanted state, state, and error: `ii ` is well, `rc ` are settings of a package that is gone.
            if version and status[1:2] not in ("n", "c"):
                found[package] = Installed(version, status[1:3] == "i ")
        return found

    def is_busy(self) -> bool:
        """Returns whether apt or dpkg are running."""
        question = struct.pack(_FLOCK, fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
        try:
            with DPKG_LOCK.open("rb+") as lock:
                # Asks and takes nothing: an apt that comes at this moment must find it free.
                answer = fcntl.fcntl(lock, fcntl.F_GETLK, question)
        except OSError:
            return False
        return bool(struct.unpack(_FLOCK, answer)[0] != fcntl.F_UNLCK)

    def is_interrupted(self) -> bool:
        """Returns whether packages are half-installed, as after a loss of power."""
        return bool(self._output("dpkg", "--audit").strip())

    def configure(self) -> bool:
        """Completes interrupted installations."""
        return self._done("dpkg", *DPKG_OPTIONS, "--configure", "-a")

    def install(self, files: Sequence[Path]) -> bool:
        """Installs these packages, also over newer ones, without the network where possible."""
        names = [str(file) for file in files]
        if self._done(*APT, "install", "--allow-downgrades", "--no-install-recommends", "--reinstall", *names):
            return True
        return self._done("dpkg", *DPKG_OPTIONS, "--force-downgrade", "--install", *names)

    def install_from_repository(self, versions: Mapping[str, str]) -> bool:
        """Installs these versions from the repository, which keeps former versions."""
        names = [f"{package}={version}" for package, version in sorted(versions.items())]
        return self._done(*APT, "install", "--allow-downgrades", "--no-install-recommends", *names)

    def repair(self) -> bool:
        """Makes apt install missing dependencies."""
        return self._done(*APT, "install", "--fix-broken")

    def download(self, versions: Mapping[str, str], folder: Path) -> bool:
        folder.mkdir(parents=True, exist_ok=True)
        names = [f"{package}={version}" for package, version in sorted(versions.items())]
        return self._done(*APT, "download", *names, folder=folder)

    def rebuild(self, package: str, folder: Path) -> bool:
        """Rebuilds the package of an installed version from its files, into a folder. False if one was changed."""
        tree = folder / package
        try:
            if not self._lay_out(package, tree):
                log.warning("files of the package %s were changed on this device", package)
                return False
            return self._done("dpkg-deb", "--root-owner-group", "-Zgzip", "--build", str(tree), str(folder))
        except OSError as error:
            log.warning("the package %s cannot be built from its files: %s", package, error)
            return False

    def _lay_out(self, package: str, tree: Path) -> bool:
        """Copies the files and scripts of an installed package in dpkg-deb's layout. False if one was changed."""
        if any(line[2:3] == "5" for line in self._output("dpkg", "--verify", package).splitlines()):
            return False
        for name in self._output("dpkg-query", "--listfiles", package).splitlines():
            source, copy = self._root / name.lstrip("/"), tree / name.lstrip("/")
            if source.is_dir() and not source.is_symlink():
                copy.mkdir(parents=True, exist_ok=True)
                shutil.copymode(source, copy)
            elif os.path.lexists(source):
                shutil.copy2(source, copy, follow_symlinks=False)
        about = tree / "DEBIAN"
        about.mkdir()
        for name in self._output("dpkg-query", "--control-list", package).split():
            shutil.copy(self._output("dpkg-query", "--control-path", package, name).strip(), about / name)
        status = self._output("dpkg-query", "--status", package)
        (about / "control").write_text(_OF_THE_INSTALLATION.sub("", status), encoding="utf-8")
        return True

    def fetch_lists(self) -> Lists:
        """Fetches the repositories' package lists. One whose signature is refused holds back no fixes of the others."""
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors:
            if self._done(*APT, "-o", "APT::Update::Error-Mode=any", "update", errors=errors):
                return Lists(usable=True)
            errors.seek(0)
            failed = _NOT_FETCHED.findall(errors.read())
        refused = [each for each in failed if _UNSIGNED.search(each)]
        for each in failed:
            log.error("%s%s", each, _OTHER_KEY if each in refused else "")
        addresses = dict.fromkeys(found[0] for each in refused if (found := _REPOSITORY.search(each)))
        return Lists(bool(failed) and failed == refused, tuple(addresses)[:MOST_REFUSED])

    def upgrade(self) -> bool:
        """Installs the allowed automatic upgrades."""
        # Not as the guard: its hook has to keep what comes.
        return self._done("unattended-upgrade", environment={**ENVIRONMENT, OWN: ""})

    def package_of(self, file: Path) -> tuple[str, str] | None:
        """Returns name and version of a package's file."""
        said = self._output("dpkg-deb", "--show", "--showformat=${Package}\t${Version}", str(file)).split("\t")
        return (said[0], said[1]) if len(said) == 2 else None

    def _output(self, *command: str) -> str:
        try:
            done = subprocess.run(
                command, check=False, capture_output=True, text=True, env=ENVIRONMENT, timeout=COMMAND_SECONDS
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            log.warning("%s: %s", command[0], error)
            return ""
        return done.stdout

    def _done(
        self,
        *command: str,
        folder: Path | None = None,
        environment: Mapping[str, str] = ENVIRONMENT,
        errors: IO[str] | None = None,
    ) -> bool:
        log.info("running %s", " ".join(command))
        try:
            done = subprocess.run(
                command,
                check=False,
                stdin=subprocess.DEVNULL,
                stderr=errors,
                env=environment,
                cwd=folder,
                timeout=1800.0,  # A slow card takes its time; a package that never ends must not end the guard.
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            log.error("%s: %s", command[0], error)
            return False
        return done.returncode == 0


def settings_in(folder: Path) -> dict[str, object]:
    """Reads the board's settings: config.toml, overridden by the files in config.d (docs/install.md). Raises OSError
    and ValueError."""
    found: dict[str, object] = {}
    beside = sorted((folder / "config.d").glob("*.toml"))[:MOST_SETTINGS_FILES]
    for path in (folder / "config.toml", *beside):
        with suppress(FileNotFoundError), path.open("rb") as file:
            found |= tomllib.loads(file.read(MAX_SETTINGS_BYTES).decode())
    return found


class _Rights(TypedDict, total=False):
    user: int
    group: int
    extra_groups: list[int]


def _rights_of(user: str) -> _Rights:
    """Returns the rights of the user for a program that root starts. Without such a user, and for callers other than
    root, nothing changes."""
    try:
        found = pwd.getpwnam(user)
    except KeyError:
        return {}
    return {"user": found.pw_uid, "group": found.pw_gid, "extra_groups": []} if os.geteuid() == 0 else {}


def is_guard(environment: Mapping[str, str] | None = None) -> bool:
    """Returns whether the guard itself runs this."""
    return bool((os.environ if environment is None else environment).get(OWN))
