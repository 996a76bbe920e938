"""`menu-player doctor`: asks a player that runs, looks for itself where none does, and changes nothing."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import pytest
import pytest_asyncio
from msgspec.structs import replace

from player.cli import main
from player.domain import events as ev
from player.domain.finding import Finding, Severity
from player.domain.machine import WindowMode
from player.domain.pairing.pairing import Credentials
from player.page.listener import DiagnosticsServer
from player.page.picture import Picture
from player.recent_log import redact
from player.settings import Settings
from player.standstill import unit
from player.standstill.ask import FAULTY, WARNED, WELL, Examined
from player.standstill.examine import examine
from player.standstill.stopped import StoppedPlayer
from player.storage.store import StateStore
from tests.e2e.test_unwritable_disk import HELD_TO_PERMISSIONS
from tests.player.page.test_diagnostics import Glass, app_of
from tests.support.journal import with_journalctl
from tests.support.programs import free_port

SERVICE = "https://menus.example.com"


HOLDER = """
import fcntl, sys, time
file = open(sys.argv[1])
fcntl.flock(file, fcntl.LOCK_EX)
print(flush=True)
time.sleep(600)
"""


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """State directory of a paired device whose player does not run."""
    folder = tmp_path / "state"
    with StateStore.open(folder) as store:
        store.credentials.keep_credentials(Credentials(service=SERVICE, token="t" * 43, screen_id="scr_1"))
    return Settings(service=SERVICE, state=folder, mode=WindowMode.OFFSCREEN, diagnostics_port=free_port())


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """The root of a machine that tells nothing."""
    (tmp_path / "machine").mkdir()
    return tmp_path / "machine"


def stopped(settings: Settings, **more: Any) -> StoppedPlayer:
    """Where the doctor looks for the player of these settings."""
    return StoppedPlayer(settings=settings, **more)


def looked_at(where: StoppedPlayer) -> Examined:
    """The findings, without a test of the way to the service."""

    async def untested(_: Settings) -> None:
        return None

    with patch("player.standstill.examine.test_connection", untested):
        return examine(where)


def codes(found: Examined) -> list[str]:
    return [finding.code for finding in found.findings]


def contents(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Every file, with its bytes and when it was changed."""
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.rglob("*") if path.is_file()}


@pytest_asyncio.fixture
async def page() -> AsyncIterator[tuple[Glass, int]]:
    """A player's page, and its port."""

    async def view(pixels: int | None = None) -> Picture:
        return Picture(b"PNG")

    glass = Glass()
    server = DiagnosticsServer(make_app=lambda: app_of(glass.facts, glass.clock.monotonic, grab=view), port=0)
    address = await server.start()
    assert address is not None
    yield glass, int(address.rstrip("/").rpartition(":")[2])
    await server.stop()


async def test_a_player_that_runs_is_asked(page: tuple[Glass, int], settings: Settings) -> None:
    glass, port = page
    settings = replace(settings, diagnostics_port=port)
    glass.conductor.handle(ev.HealthRead(health=ev.Health(temperature_celsius=90.0)))
    found = await asyncio.to_thread(looked_at, stopped(settings))
    assert found.asked
    assert "hot" in codes(found)
    assert "Give it air" in found.text()


async def test_a_terminal_is_told_in_its_language_and_json_stays_english(
    page: tuple[Glass, int], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    glass, port = page
    glass.conductor.handle(ev.HealthRead(health=ev.Health(temperature_celsius=90.0)))
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    flags = ["doctor", "--service", SERVICE, "--diagnostics-port", str(port)]
    await asyncio.to_thread(main, flags)
    said = capsys.readouterr().out
    assert "WARNUNG  Das Gerät ist zu heiß." in said
    assert "Grund   Gemessen: 90 °C." in said
    assert "nach Auskunft des laufenden Players" in said
    await asyncio.to_thread(main, [*flags, "--json"])
    assert "The device is too hot." in capsys.readouterr().out


async def test_a_player_that_runs_is_asked_by_a_shell_that_lacks_its_settings(
    page: tuple[Glass, int], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The unit's environment names the service; who logs in has another."""
    monkeypatch.delenv("MENU_PLAYER_SERVICE", raising=False)
    await asyncio.to_thread(main, ["doctor", "--diagnostics-port", str(page[1]), "--json"])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert found["asked"] is True
    assert "settings_wrong" not in [finding["code"] for finding in found["findings"]]


def test_a_player_that_does_not_run_is_found_from_its_files(settings: Settings, machine: Path) -> None:
    before = contents(settings.state)
    found = looked_at(stopped(settings, root=machine))
    assert (found.asked, codes(found)[0]) == (False, "player_not_running")
    assert "not_paired" not in codes(found)
    assert found.exit_code == FAULTY
    assert contents(settings.state) == before, "nothing is changed"


def test_the_way_to_the_service_is_tested_where_no_player_does_it(settings: Settings, machine: Path) -> None:
    settings = replace(settings, service=f"http://127.0.0.1:{free_port()}")
    with StateStore.open(settings.state) as store:
        store.credentials.keep_credentials(Credentials(service=settings.service, token="t" * 43, screen_id="scr_1"))
    found = examine(stopped(settings, root=machine))
    assert "connection_refused" in codes(found)


def test_one_that_runs_is_not_held_up(settings: Settings, machine: Path) -> None:
    looked_at(stopped(settings, root=machine))
    with held(settings):
        found = looked_at(stopped(settings))
        assert "player_not_running" not in codes(found)
        assert "page_silent" in codes(found)


@contextmanager
def held(settings: Settings) -> Iterator[None]:
    """Another process holds the directory."""
    words = (sys.executable, "-c", HOLDER, str(settings.state / "lock"))
    with subprocess.Popen(words, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        yield
        holder.terminate()


@pytest.mark.goes_beyond("MAX_TABLE_BYTES")
def test_a_player_whose_page_another_program_has_taken_is_told_of_it(settings: Settings) -> None:
    with held(settings), socket.create_server(("127.0.0.1", settings.diagnostics_port)) as other:
        other.settimeout(10)

        async def ask() -> Examined:
            asked = asyncio.to_thread(looked_at, stopped(settings))
            task = asyncio.ensure_future(asked)
            connection, _ = await asyncio.to_thread(other.accept)
            with connection:
                await asyncio.to_thread(connection.recv, 1000)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
            return await task

        found = asyncio.run(ask())
    assert codes(found)[0] == "page_silent"
    own = Path("/proc/self/comm").read_text().strip()
    assert f"The program {own} has port {settings.diagnostics_port}." in found.findings[0].why
    assert found.exit_code == WARNED


def test_a_program_of_another_user_is_named_by_who_may_see_it(settings: Settings) -> None:
    with held(settings), patch("player.standstill.stopped.listener_at", return_value=None):
        found = looked_at(stopped(settings))
    assert f"sudo ss -ltnp names what has port {settings.diagnostics_port}" in found.findings[0].why


def test_wrong_settings_are_the_cause_that_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MENU_PLAYER_DIAGNOSTICS_PORT", str(free_port()))
    status = main(["doctor", "--service", SERVICE, "--state", str(tmp_path), "--rotate", "45", "--json"])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert status == FAULTY
    assert found["asked"] is False
    first = found["findings"][0]
    assert (first["code"], first["severity"], first["who"]) == ("settings_wrong", "fault", "here")
    assert "--rotate: '45' is none of 0, 90, 180, 270" in first["why"]
    assert "player_not_running" not in [finding["code"] for finding in found["findings"]]


def test_wrong_settings_are_told_in_the_language_of_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    monkeypatch.setenv("MENU_PLAYER_DIAGNOSTICS_PORT", str(free_port()))
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    flags = ["--state", str(tmp_path), "--rotate", "45"]
    assert main(["doctor", "--service", SERVICE, *flags]) == FAULTY
    assert "--rotate: '45' gehört nicht zu 0, 90, 180, 270." in capsys.readouterr().out
    assert main(["run", *flags]) == 2
    said = capsys.readouterr().err
    assert "2 Einstellungen dieses Bildschirms sind falsch" in said
    assert "--rotate: '45' gehört nicht zu 0, 90, 180, 270" in said
    assert "Die Adresse des Menüdienstes ist nicht eingestellt." in said


def test_a_screen_that_is_unplugged_is_found(settings: Settings, machine: Path) -> None:
    settings = replace(settings, mode=WindowMode.FULLSCREEN)
    for number, status in enumerate(("disconnected", "disconnected")):
        socket_ = machine / f"sys/class/drm/card0-HDMI-A-{number}/status"
        socket_.parent.mkdir(parents=True)
        socket_.write_text(f"{status}\n")
    assert "no_screen" in codes(looked_at(stopped(settings, root=machine)))
    socket_.write_text("connected\n")
    assert "no_screen" not in codes(looked_at(stopped(settings, root=machine)))


def test_a_device_that_was_never_paired_is_told_so(tmp_path: Path, machine: Path) -> None:
    settings = Settings(
        service=SERVICE, state=tmp_path / "new", mode=WindowMode.OFFSCREEN, diagnostics_port=free_port()
    )
    (finding,) = looked_at(stopped(settings, root=machine)).findings
    assert finding.code == "player_not_running"
    assert "not paired yet: the screen shows its code when the player runs" in finding.why
    assert not settings.state.exists()


def test_a_player_that_cannot_start_is_all_that_is_said(tmp_path: Path, machine: Path) -> None:
    found = looked_at(stopped(Settings(service="", state=tmp_path / "new"), faults=("--rotate: wrong",), root=machine))
    assert codes(found) == ["settings_wrong"], "what follows from it is not told"


def test_a_device_that_was_paired_with_another_service_is_told_so(settings: Settings, machine: Path) -> None:
    settings = replace(settings, service="https://other.example.com")
    assert codes(looked_at(stopped(settings, root=machine))) == ["player_not_running", "other_service"]


@pytest.mark.first_case
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("mode", [0o700, 0o755], ids=["closed", "open"])
@pytest.mark.parametrize("parent", [0o700, 0o755], ids=["closed", "open"])
def test_another_user_is_told_what_cannot_be_seen_and_no_more(settings: Settings, mode: int, parent: int) -> None:
    """The files are the player's: that others may not write to them is as it should be."""
    with TemporaryDirectory() as name:
        folder = Path(name) / "inner" / "state"
        shutil.copytree(settings.state, folder)
        config = folder.parent / "config.toml"
        config.write_text(f'service = "{SERVICE}"\n')
        for path in (folder.parent, *folder.parent.rglob("*")):
            os.chown(path, 65534, 65534)
        config.chmod(0o600)
        folder.chmod(mode)
        folder.parent.chmod(parent)
        flags = ["--state", str(folder), "--config", str(config), "--diagnostics-port", str(free_port())]
        done = subprocess.run(
            [*HELD_TO_PERMISSIONS, sys.executable, "-m", "player", "doctor", "--json", *flags],
            capture_output=True,
            text=True,
            check=False,
        )
    found: dict[str, Any] = json.loads(done.stdout)
    assert [finding["code"] for finding in found["findings"]] == ["no_rights"], done.stderr
    assert str(folder) in found["findings"][0]["why"]
    assert done.returncode == WARNED


@pytest.mark.parametrize(
    ("severities", "status"),
    [((), WELL), (("note",), WELL), (("note", "warning"), WARNED), (("warning", "fault"), FAULTY)],
)
def test_the_exit_status_is_that_of_the_gravest(severities: tuple[str, ...], status: int) -> None:
    found = tuple(Finding(code="c", severity=Severity(each), what="", why="", do="") for each in severities)
    assert Examined(asked=True, name="", version="", findings=found).exit_code == status


def test_all_times_are_those_of_the_location() -> None:
    since = datetime(2026, 11, 20, 23, 30, tzinfo=UTC)
    found = Finding(code="c", severity=Severity.FAULT, what="", why="", do="", since=since)
    examined = Examined(asked=True, name="", version="", findings=(found,), timezone="Asia/Tokyo")
    assert "2026-11-21 08:30" in examined.text()


def test_the_journal_is_read_as_lines_of_the_log_without_secrets(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    entries = [
        {"MESSAGE": "WARNING player.link.api: token=abcdefgh refused", "PRIORITY": "6"},
        {"MESSAGE": list("Grüße".encode()), "PRIORITY": "3", "SYSLOG_IDENTIFIER": "cage"},
        {"MESSAGE": None},
    ]
    lines = "\n".join(json.dumps(entry | {"__REALTIME_TIMESTAMP": "1700000000000000"}) for entry in entries)
    (tmp_path / "lines").write_text(f"{lines}\nrubbish")
    with_journalctl(tmp_path, monkeypatch, f"exec cat {tmp_path}/lines")
    found = unit.journal(redact)
    assert found is not None
    assert [(line.level, line.name, line.text) for line in found] == [
        ("WARNING", "player.link.api", "token=[hidden] refused"),
        ("ERROR", "cage", "Grüße"),
    ]


def test_what_the_unit_gives_its_player_is_known_to_the_doctor(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The shell of whoever logs in has no settings of the player's."""
    systemctl = tmp_path / "systemctl"
    systemctl.write_text("#!/bin/sh\necho 'Environment=MENU_PLAYER_SERVICE=https://menus.example.com \"A=b c\"'\n")
    systemctl.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert unit.unit_environment() == {"MENU_PLAYER_SERVICE": "https://menus.example.com", "A": "b c"}
