"""Starts the board's compositor and the player in it; systemd/menu-player.service runs this.

Before that, as root, it makes the player's folders and stops Plymouth. It waits for a display, chooses what draws, and
draws without the GPU once the compositor has died over it. It becomes the player, so that nothing stands between that
and systemd. What it has to remember until the next start is in the unit's runtime directory, which systemd keeps over
restarts and deletes at a stop.

Standard library only: it also runs where the rest of the installation is damaged.
"""

from __future__ import annotations

import ctypes
import os
import pwd
import shutil
import signal
import subprocess
import sys
import syslog
import time
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from socket import socketpair
from typing import NamedTuple

if __name__ == "__main__":
    # Run as a file, by a Python that looks for nothing but its own library.
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from player.device.systemd import START_SECONDS, patient, sd_notify
from player.display.window.render_backend import BACKEND_VARIABLE, DRM_CLASS, choose_backend

COMPOSITOR = """
cage -d -m last -- /bin/sh -c 'echo "$WAYLAND_DISPLAY"; exec cat >/dev/null'
ended=$?
echo $ended >"$0"
exit $ended
"""
"""Its client names the display, and ends, and the compositor with it, once the player has, which holds its input."""
PLAYER = "/usr/bin/menu-player"
DEVICES = Path("/dev/dri")
USER = "menu-player"
FOLDERS = (Path("/var/lib/menu-player"), Path("/var/cache/menu-player"))
"""The player's own: its state, and what Qt keeps."""
RENDERER_VARIABLE = "WLR_RENDERER"

SPLASH = "/usr/bin/plymouth"
SPLASH_SECONDS = 10.0
"""Timeout for stopping Plymouth."""

MOST_CRASHES = 2
"""Crashes of the compositor soon after its start, after which it draws without the GPU until the unit is stopped."""

PAUSE_AFTER = 12
"""Failed starts in a row. The player's own ladder (player/domain/recovery/fallback.py) needs the first of them."""

PAUSE_SECONDS = 15.0
"""Between two starts after that: to try on without wearing out the card with logs."""

NOTES = "session"
BEGAN = "player-began"
ENDED = "compositor-ended"
"""Files in the runtime directory: notes for the next start; that the compositor has come as far as to let the player
start; the shell's status of the compositor."""

CRASHES = frozenset(
    128 + number
    for number in (
        *(signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGILL),
        *(signal.SIGFPE, signal.SIGSYS, signal.SIGTRAP),
    )
)
"""The shell's status of a program that has died by such a signal."""


class Notes(NamedTuple):
    """Counts of the starts up to now. `started` is on the monotonic clock."""

    started: float = 0.0
    crashes: int = 0
    failed_starts: int = 0

    @classmethod
    def read(cls, folder: Path) -> Notes:
        """Reads the notes in the folder; blank ones if there are none that can be read."""
        try:
            started, crashes, failed_starts = (folder / NOTES).read_text(encoding="ascii").split()
            return cls(float(started), int(crashes), int(failed_starts))
        except (OSError, ValueError):
            return cls()

    def write(self, folder: Path) -> None:
        """Stores them, if the folder can be written."""
        with suppress(OSError):
            (folder / NOTES).write_text(" ".join(map(str, self)), encoding="ascii")

    @property
    def is_without_gpu(self) -> bool:
        """True if the compositor has died too often over the GPU."""
        return self.crashes >= MOST_CRASHES

    def after_end(self, environment: Mapping[str, str], *, now: float, began: bool, compositor: int | None) -> Notes:
        """Returns the notes after an end of the player, as systemd reports it in the environment of ExecStopPost=, and
        of the compositor, if it has ended, with this status."""
        result, code = environment.get("SERVICE_RESULT", ""), environment.get("EXIT_CODE", "")
        # The watchdog ends a program by SIGABRT, too.
        if result in ("success", "watchdog", "timeout") or now - self.started >= 60.0:
            return self._replace(failed_starts=0)
        failed = code == "exited" and not began
        return self._replace(
            crashes=self.crashes + (compositor in CRASHES or failed), failed_starts=self.failed_starts + 1
        )


def start(
    environment: MutableMapping[str, str],
    *,
    compose: Callable[[Path, Mapping[str, str]], str],
    execute: Callable[[Sequence[str], Mapping[str, str]], object],
    drm_class: Path = DRM_CLASS,
    devices: Path = DEVICES,
    sleep: Callable[[float], object] = time.sleep,
    monotonic: Callable[[], float] = time.monotonic,
) -> None:
    """Becomes the player, with `execute`, in the compositor that `compose` starts; returns if that has ended."""
    folder = Path(environment["RUNTIME_DIRECTORY"])
    notes = Notes.read(folder)
    _clear(folder)
    if notes.failed_starts >= PAUSE_AFTER:
        _say(f"the board has failed to start {notes.failed_starts} times; trying again in {PAUSE_SECONDS:g} s")
        _wait(PAUSE_SECONDS, sleep=sleep)
    if not environment.get("WLR_BACKENDS"):
        _wait_for_display(devices, sleep=sleep)
    if notes.is_without_gpu:
        _say("the compositor has died over the graphics hardware; drawing without it")
        environment[RENDERER_VARIABLE], environment[BACKEND_VARIABLE] = "pixman", "software"
    else:
        choose_backend(environment=environment, drm_class=drm_class)
        if environment.get(BACKEND_VARIABLE) == "software":
            # Its OpenGL, in software, dies where Mesa finds no driver; and it would take the processor's time.
            environment.setdefault(RENDERER_VARIABLE, "pixman")
    notes._replace(started=monotonic()).write(folder)
    if display := compose(folder / ENDED, environment):
        with suppress(OSError):
            (folder / BEGAN).touch()
        # The player is given no DISPLAY: nobody asks for X, and cage starts no Xwayland.
        execute([PLAYER, "run"], {**environment, "WAYLAND_DISPLAY": display})


def run_compositor(ended: Path, environment: Mapping[str, str]) -> str:
    """Starts the compositor and returns the name of its display, "" if it has ended before it had one. It ends once
    nobody holds its input, which this process and its successor do. The shell writes its status to `ended`.

    It logs errors that are none of the board's: in the journal these lines are its own.
    """
    log = journal_stream(b"cage")
    held, its = socketpair()
    with its:
        process = subprocess.Popen(
            ["/bin/sh", "-c", COMPOSITOR, str(ended)],
            stdin=its.fileno(),
            stdout=its.fileno(),
            stderr=log if log >= 0 else None,
            env=environment,
        )
    with held.makefile() as said:
        display = said.readline().strip()
    if display:
        os.set_inheritable(held.detach(), True)  # noqa: FBT003
    elif process.wait() == 127:  # As of a shell for a program that is not there.
        _say("cage cannot be started; install it again")
    return display


def become(command: Sequence[str], environment: Mapping[str, str]) -> None:
    os.execve(command[0], list(command), environment)  # noqa: S606


def journal_stream(name: bytes) -> int:
    """Opens a stream to the journal for lines of this name; negative if there is no journal."""
    try:
        return int(ctypes.CDLL("libsystemd.so.0").sd_journal_stream_fd(name, syslog.LOG_INFO, 0))
    except (OSError, AttributeError):
        return -1


def prepare(folders: Sequence[Path] = FOLDERS, *, user: str = USER) -> None:
    """Makes the player's folders, as root, and gives them to the player. A file in the place of one is kept beside it.
    If the disk refuses, the player reports it, and plays without."""
    owner = pwd.getpwnam(user)
    for folder in folders:
        try:
            if os.path.lexists(folder) and not folder.is_dir():
                aside = _free_name(folder)
                folder.rename(aside)
                _say(f"{folder} was not a folder; what stood there is {aside} now")
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder.chmod(0o700)
            _give(folder, owner.pw_uid, owner.pw_gid)
        except OSError as error:
            _say(f"{folder} cannot be used: {error.strerror}")


def end_splash(program: str = SPLASH, *, seconds: float = SPLASH_SECONDS) -> None:
    """Stops Plymouth, as root; its picture stays until the compositor draws. Its own units stop it only once there is
    a network."""
    if not Path(program).exists():
        return
    for arguments in (("quit", "--retain-splash"), ("--wait",)):
        with suppress(OSError, subprocess.TimeoutExpired):
            command = (program, *arguments)
            subprocess.run(command, check=False, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds)


def _free_name(folder: Path) -> Path:
    return next(name for n in count(1) if not os.path.lexists(name := folder.with_name(f"{folder.name}.aside-{n}")))


def _give(folder: Path, uid: int, gid: int) -> None:
    """Gives the folder, made if missing, and all in it to this user. Links are not followed: what they lead to is
    others'."""
    os.chown(folder, uid, gid)
    for _, folders, files, at in os.fwalk(folder):
        for name in (*folders, *files):
            found = os.stat(name, dir_fd=at, follow_symlinks=False)
            if (found.st_uid, found.st_gid) == (uid, gid):
                continue
            os.chown(name, uid, gid, dir_fd=at, follow_symlinks=False)


def ended(environment: Mapping[str, str], *, monotonic: Callable[[], float] = time.monotonic) -> None:
    """Stores how player and compositor have ended."""
    folder = Path(environment["RUNTIME_DIRECTORY"])
    began, compositor = (folder / BEGAN).exists(), None
    with suppress(OSError, ValueError):
        compositor = int((folder / ENDED).read_text(encoding="ascii"))
    Notes.read(folder).after_end(environment, now=monotonic(), began=began, compositor=compositor).write(folder)


def _clear(folder: Path) -> None:
    """Deletes what the previous run has left there, such as its sockets."""
    with suppress(OSError):
        for left_over in folder.iterdir():
            if left_over.is_dir() and not left_over.is_symlink():
                shutil.rmtree(left_over, ignore_errors=True)
            else:
                left_over.unlink(missing_ok=True)


def _wait_for_display(devices: Path, *, sleep: Callable[[float], object]) -> None:
    """Waits until the kernel has a display; a screen that is plugged in later is for compositor and player."""
    if _has_display(devices):
        return
    _say(f"there is no display device in {devices}; waiting for one")
    while not _has_display(devices):
        _wait(0.5, sleep=sleep)


def _has_display(devices: Path) -> bool:
    try:
        return any(devices.glob("card*"))
    except OSError:
        return False


def _wait(seconds: float, *, sleep: Callable[[float], object]) -> None:
    """Waits as a unit that is up: systemd neither gives up on the start nor ends it."""
    sd_notify(*patient(START_SECONDS + seconds))
    sleep(seconds)
    sd_notify("WATCHDOG=1")


def _say(text: str) -> None:
    sd_notify(f"STATUS={text}")
    sys.stderr.write(f"menu-player: {text}\n")
    sys.stderr.flush()


def main(arguments: Sequence[str]) -> int:
    """Runs `prepare`, `start` or `ended`."""
    if list(arguments) == ["prepare"]:
        prepare()
        end_splash()
        return 0
    if list(arguments) == ["ended"]:
        ended(os.environ)
        return 0
    try:
        start(os.environ, compose=run_compositor, execute=become)
    except OSError as error:
        _say(f"{error.filename} cannot be started ({error.strerror}); install it again")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
