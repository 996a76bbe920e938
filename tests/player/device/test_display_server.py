"""The X server or the compositor is asked for a sign of life."""

from __future__ import annotations

import os
import signal
import socket
from pathlib import Path

import pytest

from player.device import display_server
from player.device.display_server import DisplayServer, ask_display
from tests.support.compositor import Compositor, x_server


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(display_server, "ANSWER_SECONDS", 1.0)


def test_an_x_server_answers_until_it_hangs_or_ends() -> None:
    with x_server() as (name, server):
        environment = {"DISPLAY": name}
        assert ask_display(environment) is DisplayServer.ANSWERS
        os.kill(server.pid, signal.SIGSTOP)
        try:
            assert ask_display(environment) is DisplayServer.SILENT
        finally:
            os.kill(server.pid, signal.SIGCONT)
    assert ask_display(environment) is DisplayServer.GONE


def test_a_compositor_answers_until_it_hangs_or_ends() -> None:
    compositor = Compositor()
    try:
        compositor.start()
        environment = compositor.environment
        assert ask_display(environment) is DisplayServer.ANSWERS
        compositor.freeze()
        assert ask_display(environment) is DisplayServer.SILENT
        compositor.kill()
        assert ask_display(environment) is DisplayServer.GONE
    finally:
        compositor.close()


@pytest.mark.parametrize("environment", [{}, {"DISPLAY": "elsewhere:0"}, {"DISPLAY": ":x"}, {"DISPLAY": ""}])
def test_without_a_display_of_this_machine_nothing_is_known(environment: dict[str, str]) -> None:
    assert ask_display(environment) is DisplayServer.UNKNOWN


def test_a_name_that_no_socket_can_have_is_unknown(tmp_path: Path) -> None:
    environment = {"WAYLAND_DISPLAY": "w" * 200, "XDG_RUNTIME_DIR": str(tmp_path)}
    assert ask_display(environment) is DisplayServer.UNKNOWN


def test_what_closes_at_once_is_gone(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "wayland-0"))
        listener.listen()
        listener.close()
        environment = {"WAYLAND_DISPLAY": "wayland-0", "XDG_RUNTIME_DIR": str(tmp_path)}
        assert ask_display(environment) is DisplayServer.GONE
