"""A machine that starts from a disk image: QEMU with a display, a network that reaches this machine at 10.0.2.2, and a
plug that can be pulled. It is emulated, which takes some twenty times as long as a PC.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import subprocess
import time
from functools import partial
from pathlib import Path
from typing import Any

from tests.support import programs
from tests.vm import emulator
from tests.vm.emulator import run
from tests.vm.machines import Machine

HOST = "10.0.2.2"
"""This machine, as seen from there."""

PATIENCE_SECONDS = 1800.0
"""For a start that is emulated, on a busy machine."""

LOOK_SECONDS = 3.0
"""Between two looks at the screen, which take this machine's time from that one."""

eventually = partial(programs.eventually, seconds=PATIENCE_SECONDS, poll_seconds=LOOK_SECONDS)

QMP_SECONDS = 30.0

BUTTON_SECONDS = 20.0
"""Between two presses of its button."""

MIB = 1024 * 1024
SECTOR = 512


class Disk:
    """A copy of an image, as large as the disk that it is written to."""

    def __init__(self, image: Path, folder: Path, machine: Machine, *, size_mib: int = 8192) -> None:
        self.path, self.size_mib, self.machine = folder / "disk.img", size_mib, machine
        run("cp", "--sparse=always", "--reflink=auto", image, self.path)
        with self.path.open("r+b") as disk:
            disk.truncate(size_mib * MIB)

    def read(self, path: str) -> str:
        """A file of the root, while the machine is off."""
        return self._root("-R", f"cat {path}")

    def size(self, path: str) -> int | None:
        """The bytes of a file of the root, while the machine is off; None if there is none."""
        found = re.search(r"\bSize: (\d+)\n", self._root("-R", f"stat {path}"))
        return int(found[1]) if found else None

    def write(self, given: Path, path: str) -> None:
        """Copy a file into the root, while the machine is off; its folder is made if there is none."""
        *folders, name = path.strip("/").split("/")
        steps = [step for folder in folders for step in (f"mkdir {folder}", f"cd {folder}")]
        self._root("-w", "-f", "-", input="\n".join([*steps, f"rm {name}", f"write {given} {name}\n"]))
        assert self.size(path) == given.stat().st_size, f"{path} is not written"

    def boot_file(self, name: str, to: Path) -> Path:
        """Copy a file of the boot partition to that place."""
        run("mcopy", "-o", "-i", self._boot(), f"::{name}", to)
        return to

    def write_boot_file(self, text: str) -> None:
        """Write the board's settings onto the boot partition, as an installer does on another computer."""
        given = self.path.with_name("menu-player.toml")
        given.write_text(text)
        run("mcopy", "-o", "-i", self._boot(), given, "::")

    def behind_root_mib(self) -> float:
        """The room behind the root's partition, which is the last."""
        return self.size_mib - sum(self._partition(self.machine.root)) * SECTOR / MIB

    def _root(self, *words: str, **options: Any) -> str:
        start, _ = self._partition(self.machine.root)
        return run("debugfs", *words, f"{self.path}?offset={start * SECTOR}", **options)

    def _boot(self) -> str:
        return f"{self.path}@@{self._partition(self.machine.boot)[0] * SECTOR}"

    def _partition(self, number: int) -> tuple[int, int]:
        told = json.loads(run("sfdisk", "--json", self.path))["partitiontable"]["partitions"][number - 1]
        return told["start"], told["size"]


class Computer:
    """One of that machine's kind, with this disk."""

    def __init__(
        self,
        disk: Disk,
        folder: Path,
        *,
        memory_mib: int = 1024,
        size: tuple[int, int] = (1280, 720),
    ) -> None:
        self.disk, self.folder = disk, folder
        self.memory_mib, self.size = memory_mib, size
        self.console = folder / "console.log"
        self.switched_on = 0.0
        self._process: subprocess.Popen[bytes] | None = None
        self._qmp: socket.socket | None = None
        self._answers = b""

    def switch_on(self) -> None:
        """Give it power."""
        assert self._process is None, "it is on"
        monitor = self.folder / "qmp"
        monitor.unlink(missing_ok=True)
        words = [
            *self.disk.machine.words(self),
            *("-no-user-config", "-nodefaults", "-display", "none", "-no-reboot"),
            *("-serial", f"file:{self.console}", "-qmp", f"unix:{monitor},server=on,wait=off"),
        ]
        command, environment = emulator.command(self.disk.machine.program, *words)
        with (self.folder / "qemu.log").open("ab") as log:
            self._process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.switched_on = time.monotonic()
        eventually(self._connected, what=f"QEMU runs; see {self.folder}/qemu.log", seconds=QMP_SECONDS)

    @property
    def seconds(self) -> float:
        """Since it was switched on."""
        return time.monotonic() - self.switched_on

    def cut_power(self) -> None:
        """Pull the plug: what it had only in memory is gone."""
        if self._process is None:
            return
        self._process.kill()
        self._process.wait(QMP_SECONDS)
        self._process = None
        if self._qmp is not None:
            self._qmp.close()
            self._qmp = None

    def switch_off(self, *, seconds: float = PATIENCE_SECONDS) -> None:
        """Press its button until it is off: soon after its start nothing in it hears one yet."""

        def is_off() -> bool:
            assert self._process is not None
            with contextlib.suppress(OSError, AssertionError):
                self.ask("system_powerdown")
            return self._process.poll() is not None

        eventually(is_off, what="it is off", seconds=seconds, poll_seconds=BUTTON_SECONDS)
        self.cut_power()

    def picture(self, to: Path) -> Path:
        """Takes a picture of its screen."""
        to.unlink(missing_ok=True)
        self.ask("screendump", filename=str(to), format="png")
        return to

    def codes(self, to: Path) -> list[str]:
        """The texts of the QR codes on its screen, as a phone reads them."""
        words = ("zbarimg", "--quiet", "--raw", "-Sdisable", "-Sqrcode.enable")
        found = subprocess.run([*words, self.picture(to)], check=False, text=True, capture_output=True)
        return found.stdout.splitlines()

    def ask(self, command: str, **arguments: object) -> Any:
        """A command of QEMU's machine protocol."""
        assert self._qmp is not None
        self._qmp.sendall(json.dumps({"execute": command, "arguments": arguments}).encode())
        while True:
            answer = self._next_answer()
            assert "error" not in answer, answer
            if "return" in answer:
                return answer["return"]

    def resident_mib(self) -> float:
        """The memory of QEMU itself in MiB."""
        assert self._process is not None
        text = Path(f"/proc/{self._process.pid}/status").read_text()
        return int(text.split("VmRSS:")[1].split()[0]) / 1024

    def _next_answer(self) -> dict[str, Any]:
        assert self._qmp is not None
        while b"\n" not in self._answers:
            more = self._qmp.recv(65536)
            assert more, f"QEMU has ended; see {self.folder}/qemu.log"
            self._answers += more
        line, self._answers = self._answers.split(b"\n", 1)
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _connected(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, (self.folder / "qemu.log").read_text()
        found = socket.socket(socket.AF_UNIX)
        found.settimeout(QMP_SECONDS)
        with contextlib.suppress(OSError):
            found.connect(os.fspath(self.folder / "qmp"))
            self._qmp, self._answers = found, b""
            self._next_answer()
            self.ask("qmp_capabilities")
            return True
        found.close()
        return False
