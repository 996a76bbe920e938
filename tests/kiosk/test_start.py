"""The start of a machine: the board waits for nothing that comes late."""

from __future__ import annotations

from pathlib import Path

from tests.kiosk.board import CONFIG, HEADLESS
from tests.kiosk.machine import Machine

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
