"""Runs the player of this machine as a child process: isolated, with a memory limit and a time limit.

The child gets a folder of its own and none of the service's settings. The service does not import the player.
"""

import asyncio
import contextlib
import importlib.metadata
import importlib.util
import os
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from service.core.errors import ProblemError
from service.services.publishing.limited_process import limited

MEMORY_BYTES = 4 * 1024**3
"""Address space of a child, most of it never touched: Qt maps its libraries and fonts."""
OUTPUT = "stdout"
"""The file in the folder that gets what the child prints."""
RETRY_SECONDS = 5
_LOGGED_BYTES = 2_000
_SETTINGS_PREFIX = "MENU_SERVICE_"


class PlayerSlots:
    """Limits concurrent child processes, and the calls that wait for one. Runs on the event loop."""

    def __init__(self, *, children: int, waiting: int) -> None:
        self._most = children + waiting
        self._free = asyncio.Semaphore(children)
        self.taken = 0
        """Calls that have a child or wait for one."""

    @contextlib.asynccontextmanager
    async def slot(self, detail: str) -> AsyncIterator[None]:
        """Acquires a slot as soon as one is free. Raises the 503 problem, with this detail, when too many wait."""
        if self.taken >= self._most:
            raise busy(detail)
        self.taken += 1
        try:
            async with self._free:
                yield
        finally:
            self.taken -= 1


class PlayerFailedError(Exception):
    """Raised if the player fails; the message is the reason, for the log."""


def not_installed() -> ProblemError:
    """Returns the 501 problem without a player."""
    return ProblemError(
        501,
        "preview_unavailable",
        "This installation draws no pictures",
        "Install the player beside the service: apt-get install menu-player-core, or pip install menu-player.",
    )


def busy(detail: str) -> ProblemError:
    """Returns the 503 problem of too many concurrent calls."""
    return ProblemError(
        503, "preview_busy", "The picture cannot be drawn now", detail, headers={"Retry-After": str(RETRY_SECONDS)}
    )


def failed() -> ProblemError:
    """Returns the 503 problem of a failed player."""
    return ProblemError(
        503,
        "preview_failed",
        "The picture could not be drawn",
        "The player did not get it done; the service's log says why.",
        headers={"Retry-After": str(RETRY_SECONDS)},
    )


def find_player() -> tuple[str, ...] | None:
    """Returns the command of the player on this machine; None if it is not installed. Does not import the player."""
    if importlib.util.find_spec("player") is not None and importlib.util.find_spec("PySide6") is not None:
        # -P: do not import modules from the current folder.
        return (sys.executable, "-P", "-m", "player")
    found = shutil.which("menu-player")
    return None if found is None else (found,)


def release_of_player() -> str:
    """Returns the version of the installed player, or the time of its program: either differs for another one."""
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        return importlib.metadata.version("menu-player")
    found = shutil.which("menu-player")
    return "" if found is None else str(Path(found).stat().st_mtime_ns)


async def run_player(
    command: Sequence[str], folder: Path, *, seconds: float, file_bytes: int, accepted: Collection[int] = (0,)
) -> None:
    """Runs the command in a folder, with a size limit in bytes for each file it writes. Raises PlayerFailedError when
    it fails or exceeds a limit."""
    # A file, not a pipe: the service reads only its end, however long it is.
    with (folder / "stderr").open("w+b") as stderr, (folder / OUTPUT).open("wb") as stdout:
        returncode = await _wait(command, folder, stdout, stderr, seconds=seconds, file_bytes=file_bytes)
        if returncode not in accepted:
            stderr.seek(max(0, stderr.seek(0, os.SEEK_END) - _LOGGED_BYTES))
            raise PlayerFailedError(stderr.read().decode(errors="replace").strip() or f"it ended with {returncode}")


async def _wait(
    command: Sequence[str], folder: Path, stdout: BinaryIO, stderr: BinaryIO, *, seconds: float, file_bytes: int
) -> int:
    try:
        process = await asyncio.create_subprocess_exec(
            *limited(command, memory_bytes=MEMORY_BYTES, file_bytes=file_bytes),
            cwd=folder,
            env=_environment(os.environ, folder),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
        )
    except OSError as error:
        raise PlayerFailedError(f"it cannot be started: {error.strerror}") from None
    try:
        async with asyncio.timeout(seconds):
            return await process.wait()
    except TimeoutError:
        raise PlayerFailedError(f"it took longer than {seconds:g} seconds") from None
    finally:
        # Its whole session, also when the caller has disconnected.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


def _environment(own: Mapping[str, str], folder: Path) -> dict[str, str]:
    """Returns the service's environment without its settings."""
    shared = {name: value for name, value in own.items() if not name.startswith(_SETTINGS_PREFIX)}
    return {**shared, "XDG_RUNTIME_DIR": str(folder)}
