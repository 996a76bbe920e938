"""Network namespaces as machines: each has adapters, routes and files of its own, and programs run in it."""

from __future__ import annotations

import ctypes
import socket
import subprocess
import time
from pathlib import Path
from threading import Thread

CLONE_NEWNET = 0x40000000

ALONE = ("--user", "--map-root-user"), ()
"""Commands that enter namespaces of one's own: as anybody, or as root where a container forbids that."""
UNSHARE = ("unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc")


def way_in() -> tuple[str, ...] | None:
    """The command that runs another one in namespaces of its own; None where this machine forbids them."""
    for user in ALONE:
        command = (*UNSHARE[:1], *user, *UNSHARE[1:])
        trial = (*command, "unshare", "--net", "--mount", "sh", "-c", "mount -t sysfs none /sys && ip link set lo up")
        if subprocess.run(trial, check=False, capture_output=True).returncode == 0:
            return command
    return None


class Machine:
    """A namespace, held by a process that sleeps."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._holder = subprocess.Popen(("unshare", "--net", "--mount", "sleep", "infinity"))
        own = Path("/proc/self/ns/mnt").readlink()  # unshare makes this one last
        while Path(f"/proc/{self._holder.pid}/ns/mnt").readlink() == own:
            time.sleep(0.01)
        self("ip", "link", "set", "lo", "up")

    @property
    def pid(self) -> int:
        return self._holder.pid

    @property
    def entry(self) -> tuple[str, ...]:
        """The prefix of a command that runs there."""
        return ("nsenter", f"--net=/proc/{self.pid}/ns/net", f"--mount=/proc/{self.pid}/ns/mnt", f"--wd={Path.cwd()}")

    def __call__(self, *command: str) -> str:
        """Run a command there; what it writes."""
        done = subprocess.run((*self.entry, *command), check=False, capture_output=True, text=True)
        assert done.returncode == 0, (self.name, command, done.stderr)
        return done.stdout

    def socket(self, family: int = socket.AF_INET, kind: int = socket.SOCK_STREAM, protocol: int = 0) -> socket.socket:
        """A socket of that machine, to be used by this process."""
        made: list[socket.socket | OSError] = []

        def make() -> None:
            libc = ctypes.CDLL(None, use_errno=True)
            with Path(f"/proc/{self.pid}/ns/net").open() as there:
                if libc.setns(there.fileno(), CLONE_NEWNET) != 0:
                    made.append(OSError(ctypes.get_errno(), "setns"))
                    return
            made.append(socket.socket(family, kind, protocol))

        thread = Thread(target=make)  # It stays there, and ends.
        thread.start()
        thread.join()
        found = made[0]
        if isinstance(found, OSError):
            raise found
        return found

    def end(self) -> None:
        self._holder.kill()
        self._holder.wait()


class Here:
    """The namespace of this process itself, with the same uses."""

    name = "internet"
    entry: tuple[str, ...] = ()

    def __call__(self, *command: str) -> str:
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        assert done.returncode == 0, (self.name, command, done.stderr)
        return done.stdout

    def socket(self, family: int = socket.AF_INET, kind: int = socket.SOCK_STREAM, protocol: int = 0) -> socket.socket:
        return socket.socket(family, kind, protocol)
