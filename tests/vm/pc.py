"""A PC that starts from a disk image: QEMU with a display, a network that reaches this machine at 10.0.2.2, and a plug
that can be pulled.

It is emulated, which takes some twenty times as long as a PC. MENU_VM_ACCELERATOR=kvm uses KVM: there are machines
whose /dev/kvm runs no BIOS, which nothing but a try tells.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import time
from functools import partial
from pathlib import Path
from typing import Any

from tests.support import programs

CHECKOUT = Path(__file__).parents[2]

HOST = "10.0.2.2"
"""This machine, as seen from there."""

PATIENCE_SECONDS = 1800.0
"""For a start that is emulated, on a busy machine."""

LOOK_SECONDS = 3.0
"""Between two looks at the screen, which take this machine's time from that one."""

eventually = partial(programs.eventually, seconds=PATIENCE_SECONDS, poll_seconds=LOOK_SECONDS)

QMP_SECONDS = 30.0

MIB = 1024 * 1024
ROOT_PARTITION = 3
BOOT_PARTITION = 2
SECTOR = 512

ACCELERATOR = os.environ.get("MENU_VM_ACCELERATOR", "tcg,thread=multi,tb-size=512")

PROCESSOR = "max,avx=off,avx2=off,f16c=off,fma=off,la57=off,pku=off,smap=off,smep=off"
"""Without what costs an emulator most."""

FIRMWARE = Path("/usr/share/OVMF")


def run(*command: str | Path, **options: Any) -> str:
    """Run a command to its end; fails with what it said."""
    done = subprocess.run([str(word) for word in command], check=False, text=True, capture_output=True, **options)
    assert done.returncode == 0, f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


class Disk:
    """A copy of an image, as large as the disk that it is written to."""

    def __init__(self, image: Path, folder: Path, *, size_mib: int = 6144) -> None:
        self.path, self.size_mib = folder / "disk.img", size_mib
        run("cp", "--sparse=always", "--reflink=auto", image, self.path)
        with self.path.open("r+b") as disk:
            disk.truncate(size_mib * MIB)

    def read(self, path: str) -> str:
        """A file of the root, while the PC is off."""
        return run("debugfs", "-R", f"cat {path}", f"{self.path}?offset={self._starts()[ROOT_PARTITION] * SECTOR}")

    def write_boot_file(self, text: str) -> None:
        """Write the board's settings onto the boot partition, as an installer does on another computer."""
        given = self.path.with_name("menu-player.toml")
        given.write_text(text)
        run("mcopy", "-o", "-i", f"{self.path}@@{self._starts()[BOOT_PARTITION] * SECTOR}", given, "::")

    def sizes(self) -> dict[int, int]:
        """Sectors of each partition."""
        return {number: size for number, (_, size) in self._partitions().items()}

    def _starts(self) -> dict[int, int]:
        return {number: start for number, (start, _) in self._partitions().items()}

    def _partitions(self) -> dict[int, tuple[int, int]]:
        told = json.loads(run("sfdisk", "--json", self.path))["partitiontable"]["partitions"]
        return {number: (part["start"], part["size"]) for number, part in enumerate(told, 1)}


class Pc:
    """One with this disk."""

    def __init__(
        self,
        disk: Disk,
        folder: Path,
        *,
        uefi: bool = False,
        memory_mib: int = 1024,
        size: tuple[int, int] = (1280, 720),
        display: str = "virtio-vga",
    ) -> None:
        self.disk, self.folder = disk, folder
        self.memory_mib, self.size, self.display = memory_mib, size, display
        self.uefi = uefi
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
        width, height = self.size
        command = [
            *("qemu-system-x86_64", "-machine", "q35", "-accel", ACCELERATOR, "-cpu", PROCESSOR, "-smp", "2"),
            *("-m", str(self.memory_mib), "-no-user-config", "-nodefaults"),
            *("-device", f"{self.display},xres={width},yres={height},edid=on", "-display", "none"),
            *("-drive", f"file={self.disk.path},format=raw,if=none,id=disk,cache=writeback,discard=unmap"),
            *("-device", "ahci,id=sata", "-device", "ide-hd,drive=disk,bus=sata.0"),
            *("-nic", "user,model=virtio-net-pci", "-device", "virtio-rng-pci"),
            *("-serial", f"file:{self.console}", "-qmp", f"unix:{monitor},server=on,wait=off", "-no-reboot"),
        ]
        if self.uefi:
            variables = self.folder / "variables.fd"
            if not variables.exists():
                shutil.copy(FIRMWARE / "OVMF_VARS_4M.fd", variables)
            command += ["-drive", f"if=pflash,format=raw,readonly=on,file={FIRMWARE}/OVMF_CODE_4M.fd"]
            command += ["-drive", f"if=pflash,format=raw,file={variables}"]
        with (self.folder / "qemu.log").open("ab") as log:
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
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
        """Press its button, and wait until it is off."""
        assert self._process is not None
        self.ask("system_powerdown")
        self._process.wait(seconds)
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
