"""The description of a device: a Raspberry Pi, a PC, and a machine that says nothing."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from player.device.description import MAX_DISPLAYS, describe_machine
from player.device.kernel_files import MAX_FACT_BYTES
from player.domain.machine import Display
from tests.support.menus import NOON


def put(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


def test_a_raspberry_pi_with_one_display(tmp_path: Path) -> None:
    put(tmp_path, "proc/device-tree/model", "Raspberry Pi 4 Model B Rev 1.5\0")
    put(tmp_path, "etc/os-release", 'NAME="Debian"\nPRETTY_NAME="Debian GNU/Linux 13 (trixie)"\n')
    put(tmp_path, "proc/sys/kernel/osrelease", "6.12.25\n")
    put(tmp_path, "proc/meminfo", "MemTotal:        1900000 kB\nMemFree: 1 kB\n")
    put(tmp_path, "proc/uptime", "90061.42 1234.00\n")
    put(tmp_path, "sys/class/drm/card1-HDMI-A-1/status", "connected\n")
    put(tmp_path, "sys/class/drm/card1-HDMI-A-1/modes", "1920x1080\n1280x720\n")
    put(tmp_path, "sys/class/drm/card1-HDMI-A-2/status", "disconnected\n")
    put(tmp_path, "sys/class/drm/card1-Writeback-1/status", "unknown\n")
    put(tmp_path, "sys/class/drm/card1/dev", "226:1\n")
    found = describe_machine(tmp_path, now=NOON, root=tmp_path)
    assert found.model == "Raspberry Pi 4 Model B Rev 1.5"
    assert found.system == "Debian GNU/Linux 13 (trixie), Linux 6.12.25"
    assert found.memory_bytes == 1_945_600_000
    assert found.disk_bytes > 0
    assert found.started_at is not None
    assert timedelta() <= NOON - found.started_at - timedelta(days=1, hours=1, minutes=1) < timedelta(seconds=2)
    assert found.displays == (
        Display(name="HDMI-A-1", connected=True, mode="1920x1080"),
        Display(name="HDMI-A-2", connected=False),
    )


def test_a_pc_is_named_by_its_firmware(tmp_path: Path) -> None:
    put(tmp_path, "sys/class/dmi/id/product_name", "OptiPlex 3050\n")
    assert describe_machine(tmp_path, now=NOON, root=tmp_path).model == "OptiPlex 3050"


def test_a_machine_that_says_nothing_or_too_much_fails_nothing(tmp_path: Path) -> None:
    nothing = describe_machine(tmp_path / "gone", now=NOON, root=tmp_path)
    assert (nothing.model, nothing.system, nothing.memory_bytes, nothing.disk_bytes) == ("", "", 0, 0)
    assert (nothing.started_at, nothing.displays) == (None, ())
    put(tmp_path, "proc/device-tree/model", "x" * (2 * MAX_FACT_BYTES))
    put(tmp_path, "proc/uptime", "soon\n")
    for number in range(2 * MAX_DISPLAYS):
        put(tmp_path, f"sys/class/drm/card0-DP-{number}/status", "connected")
    much = describe_machine(tmp_path, now=NOON, root=tmp_path)
    assert len(much.model) == MAX_FACT_BYTES
    assert len(much.displays) == MAX_DISPLAYS
