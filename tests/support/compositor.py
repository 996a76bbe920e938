"""cage, the compositor of the boards, without a screen; and an X server without one."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.support.patience import PATIENCE_SECONDS
from tests.support.programs import eventually

NOBODY = 65534
"""cage refuses to run as root, and a test may."""

ENDS_WITH_ITS_PARENT = ("setpriv", "--pdeathsig=KILL")
"""Also when a run of the tests is cut off."""


class Compositor:
    """cage with one screen, or with as many as the test says, for so many seconds at most. The board is another client
    of it, so that either can be restarted."""

    def __init__(self, *, screens: int = 1, seconds: int = 600) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="menu-cage-"))
        self.screens = screens
        self.seconds = seconds
        self.process: subprocess.Popen[bytes] | None = None
        if os.getuid() == 0:
            os.chown(self.folder, NOBODY, NOBODY)

    def start(self) -> None:
        for left_over in self.folder.iterdir():
            left_over.unlink()
        name = self.folder / "name"
        as_nobody = [f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"] if os.getuid() == 0 else []
        client = f"echo $WAYLAND_DISPLAY > {name}; exec {' '.join(ENDS_WITH_ITS_PARENT)} sleep {self.seconds}"
        self.process = subprocess.Popen(
            [*ENDS_WITH_ITS_PARENT, *as_nobody, "cage", "-d", "--", "sh", "-c", client],
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(self.folder),
                "XDG_RUNTIME_DIR": str(self.folder),
                "WLR_BACKENDS": "headless",
                "WLR_HEADLESS_OUTPUTS": str(self.screens),
                "WLR_RENDERER": "pixman",
                "WLR_LIBINPUT_NO_DEVICES": "1",
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        eventually(lambda: name.exists() and name.read_text().strip(), what="cage runs")

    @property
    def environment(self) -> dict[str, str]:
        """The environment of a client."""
        name = (self.folder / "name").read_text().strip()
        return {"QT_QPA_PLATFORM": "wayland", "XDG_RUNTIME_DIR": str(self.folder), "WAYLAND_DISPLAY": name}

    def freeze(self) -> None:
        """It goes on to exist, and answers nobody."""
        assert self.process is not None
        os.kill(self.process.pid, signal.SIGSTOP)

    def kill(self) -> None:
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(PATIENCE_SECONDS)

    def close(self) -> None:
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


@contextlib.contextmanager
def x_server(size: str = "1280x720", *options: str) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """The name of an X server with one screen, and its process."""
    reader, writer = os.pipe()
    server = subprocess.Popen(
        [
            *ENDS_WITH_ITS_PARENT,
            "Xvfb",
            "-displayfd",
            str(writer),
            "-screen",
            "0",
            f"{size}x24",
            "-nolisten",
            "tcp",
            "-noreset",
            *options,
        ],
        pass_fds=[writer],
        stderr=subprocess.DEVNULL,
    )
    os.close(writer)
    try:
        with os.fdopen(reader) as told:
            yield f":{told.readline().strip()}", server
    finally:
        server.kill()
        server.wait(PATIENCE_SECONDS)
