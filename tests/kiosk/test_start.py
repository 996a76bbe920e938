"""The start of a machine: the board waits for nothing that comes late."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from tests.kiosk.board import CONFIG, HEADLESS, Board
from tests.kiosk.machine import Machine, run

NETWORK_SECONDS = 20
SLOW_NETWORK = f"""
[Unit]
Before=network.target
Wants=network.target
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=sleep {NETWORK_SECONDS}
"""
DISK_BYTES = 64 * 1024**2
PLYMOUTH = """
[Unit]
After=rc-local.service plymouth-start.service systemd-user-sessions.service
[Service]
ExecStart=-/usr/bin/plymouth {}
Type=oneshot
RemainAfterExit=yes
"""
"""Values of plymouth 24.004.60-5, which Debian 13 has."""


def test_the_board_is_on_the_glass_before_the_network_is_there(installed: Path, figures: dict[str, float]) -> None:
    machine = Machine(installed)
    machine.add("etc/systemd/system/menu-player.service.d/headless.conf", HEADLESS)
    machine.add("etc/menu-player/config.toml", CONFIG)
    machine.add("etc/systemd/system/slow-network.service", SLOW_NETWORK)
    machine.add("etc/systemd/system/plymouth-quit.service", PLYMOUTH.format("quit"))
    machine.add("etc/systemd/system/plymouth-quit-wait.service", PLYMOUTH.format("--wait"))
    wanted = "slow-network.service plymouth-quit.service plymouth-quit-wait.service"
    machine.add("etc/systemd/system/multi-user.target.d/more.conf", f"[Unit]\nWants={wanted}\n")
    # While it watches a version, systemd calls the machine starting.
    machine.add("etc/systemd/system/menu-player-guard.timer.d/later.conf", "[Timer]\nOnActiveSec=\nOnActiveSec=1h\n")
    machine.without("menu-service")
    try:
        machine.boot()
        ready, network, quit_at = (
            int(machine.unit(name)["ActiveEnterTimestampMonotonic"]) / 1e6
            for name in ("menu-player", "slow-network", "plymouth-quit")
        )
        assert network - ready > NETWORK_SECONDS / 2
        assert quit_at > network, "it is Debian's unit that waits for the network"
        assert machine.unit("menu-player")["NRestarts"] == "0"
        figures["READY before a network that takes 20 s, by"] = network - ready
    finally:
        machine.throw_away()


def test_a_root_without_a_free_byte_starts_and_shows_the_board(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk, mounted = tmp_path / "disk", tmp_path / "mounted"
    disk.touch()
    os.truncate(disk, DISK_BYTES)
    mounted.mkdir()
    run("mkfs.ext4", "-q", disk)
    run("mount", "-o", "loop", disk, mounted)
    try:
        monkeypatch.setattr(tempfile, "tempdir", str(mounted))
        machine = Machine(installed)
        machine.add("etc/systemd/system/menu-player.service.d/headless.conf", HEADLESS)
        machine.add("etc/menu-player/config.toml", CONFIG)
        machine.without("menu-service")
        try:
            machine.boot()
            Board(machine).wait_for_kind("pairing")
            # Root's reserve as well, in blocks and then in bytes.
            machine.sh(
                "dd if=/dev/zero of=/full bs=1M; dd if=/dev/zero of=/full bs=1 oflag=append conv=notrunc", ok=False
            )
            assert machine.sh("echo more > /more || echo full").startswith("full")
            machine.cut_power()
            machine.boot()
            Board(machine).wait_for_kind("pairing")
            assert machine.sh("df --output=avail / | tail -1") == "0"
        finally:
            machine.throw_away()
    finally:
        run("umount", mounted)
