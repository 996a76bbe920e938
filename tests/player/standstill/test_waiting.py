"""Notifications to systemd of a player that waits to be mended."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from player.device.systemd import START_SECONDS
from player.standstill.hindrance import Hindrance
from player.standstill.mend import HindranceWatch


def test_the_watchdog_waits_until_the_card_can_have_been_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seen on a slow machine: killed each 20 s, for Qt took longer to load, so that no card ever showed."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(tmp_path / "notify"))
        systemd.setblocking(False)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        monkeypatch.setenv("WATCHDOG_USEC", "20000000")
        hindrance = Hindrance("No service", ())

        def heard() -> list[str]:
            lines: list[str] = []
            while True:
                try:
                    lines += systemd.recv(4096).decode().splitlines()
                except BlockingIOError:
                    return lines

        waiting = HindranceWatch(hindrance, lambda: hindrance)
        assert f"WATCHDOG_USEC={round(START_SECONDS * 1e6)}" in heard()

        waiting.is_over()
        assert heard() == ["READY=1", "WATCHDOG_USEC=20000000", "WATCHDOG=1"], "from the first look on it is as usual"
        waiting.is_over()
        assert heard() == ["WATCHDOG=1"]
