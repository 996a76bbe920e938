"""`menu-player support-bundle` and `/bundle.zip`: from a running player, and from a disk without one."""

from __future__ import annotations

import asyncio
import io
import os
import socket
import zipfile
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import pytest
from msgspec.structs import replace
from PySide6.QtGui import QColor, QImage

from player.cli import WRONG_USE, main
from player.display.window.screenshot import encode_png, fit_png
from player.domain.link.connection import ConnectionTest, Step, StepResult
from player.domain.link.fault import Fault
from player.domain.pairing.pairing import Credentials, PendingCode
from player.page.bundle import write_bundle
from player.page.picture import PAIRING_CODE, PIN, Picture
from player.recent_log import LogLine
from player.runtime import support_bundle
from player.runtime.support_bundle import _packages, live_contents, stored_contents
from player.settings import Settings
from player.standstill.stopped import StoppedPlayer, stopped_facts, stopped_state, with_test
from player.standstill.unit import journal
from player.storage.store import StateStore
from tests.player.page.page_samples import SAMPLES, Sample, small
from tests.player.page.test_diagnostics import app_of
from tests.support.journal import with_journalctl
from tests.support.menus import NOON, item, manifest, menu_scene
from tests.support.programs import free_port

TOKEN = "tok-of-this-screen-1"
PASSWORD = "Sesam-öffne-dich"
FIXED_PIN = "730591"
FAILED_TEST = ConnectionTest(
    at=NOON,
    steps=(
        StepResult(
            step=Step.PROXY,
            passed=False,
            fault=Fault.PROXY_SIGN_IN,
            evidence=f"http://shop:{PASSWORD}@proxy.example:3128 wants another password than {PASSWORD}",
        ),
    ),
)


def unpacked(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


JPEG = b"\xff\xd8\xff"


def state_folder(folder: Path, *, paired: bool = True) -> Path:
    """Settings of a player that has been switched off; its CA file holds secrets."""
    found, body = manifest(scenes=[menu_scene("Breakfast", "Coffee")], items=[item("Espresso", 2.2)])
    with StateStore.open(folder / "state") as store:
        if paired:
            store.credentials.keep_credentials(
                Credentials(service="https://menu.example", token=TOKEN, screen_id="scr_1")
            )
        else:
            code = PendingCode(
                service="https://menu.example",
                device_code=TOKEN,
                user_code="QXJKWZ",
                verification_uri="https://menu.example/pair",
                verification_uri_complete="https://menu.example/pair?code=QXJKWZ",
                interval=5.0,
                expires_at=NOON + timedelta(minutes=15),
            )
            store.credentials.keep_credentials(code)
        store.manifests.keep_running(body=body, etag=found.etag, assets=frozenset(), anchor=NOON)
    (folder / "ca.pem").write_text("-----BEGIN PRIVATE KEY-----\nMIIEvQ-key-of-the-shop\n", encoding="ascii")
    return folder / "state"


def settings(folder: Path) -> Settings:
    return Settings(
        service="https://menu.example",
        state=folder / "state",
        proxy=f"http://shop:{PASSWORD}@proxy.example:3128",
        ca_file=folder / "ca.pem",
        page_pin=FIXED_PIN,
    )


def stored(settings_: Settings, *, faults: tuple[str, ...] = ()) -> bytes:
    """The bundle of a player that does not run."""
    stopped = StoppedPlayer(settings=settings_, faults=faults)
    state = with_test(stopped_state(stopped, now=NOON), None if faults else FAILED_TEST)
    return write_bundle(stored_contents(settings_, facts=stopped_facts(stopped, state), faults=faults))


def secrets_in(content: bytes) -> list[str]:
    everything = content + b"\n".join(unpacked(content).values())
    planted = (TOKEN, PASSWORD, "QXJKWZ", "QXJ-KWZ", "MIIEvQ-key-of-the-shop", "PRIVATE KEY", FIXED_PIN)
    return [secret for secret in planted if secret.encode() in everything]


def test_of_a_player_that_does_not_run_it_has_what_is_on_the_disk(tmp_path: Path) -> None:
    state = state_folder(tmp_path)
    before = {path: path.read_bytes() for path in state.rglob("*") if path.is_file()}

    found = unpacked(content := stored(settings(tmp_path)))

    assert "- Breakfast\nAll day, 10 seconds each time" in found["timetable.txt"].decode()
    assert "proxy: http://[hidden]@proxy.example:3128" in found["settings.txt"].decode()
    assert str(state / "running") in found["settings.txt"].decode()
    assert "Python: 3." in found["device.txt"].decode()
    assert "python: zeroconf: " in found["versions.txt"].decode()
    assert "The player did not run" in found["README.txt"].decode()
    assert "✕ Fault: The player does not run." in found["findings.txt"].decode()
    assert "✕ Way through the proxy : fails" in found["connection.txt"].decode()
    assert secrets_in(content) == []
    assert {path: path.read_bytes() for path in state.rglob("*") if path.is_file()} == before


def test_a_device_that_waits_for_its_pairing_does_not_tell_its_code(tmp_path: Path) -> None:
    state_folder(tmp_path, paired=False)
    content = stored(settings(tmp_path))

    assert secrets_in(content) == []


@pytest.mark.parametrize("kind", ["nothing", "rubbish", "a file"])
def test_whatever_is_on_the_disk_there_is_a_bundle(tmp_path: Path, kind: str) -> None:
    state = tmp_path / "state"
    match kind:
        case "rubbish":
            state.mkdir()
            for name in ("running", "latest", "credentials", "credentials-copy", "identity"):
                (state / name).write_bytes(os.urandom(500))
            for number in range(1000):
                (state / f"more-{number}").touch()
        case "a file":
            state.touch()
    found = unpacked(stored(Settings(service="", state=state), faults=("The address of the menu service is not set",)))

    assert "The address of the menu service is not set" in found["README.txt"].decode()
    assert "Why: The address of the menu service is not set." in found["findings.txt"].decode()
    assert found["timetable.txt"].decode() == "Nothing that was published for this screen is on the device.\n"


def test_of_a_running_player_no_secret_leaves_the_device(tmp_path: Path) -> None:
    state_folder(tmp_path)
    facts = small()
    contents = live_contents(facts, settings(tmp_path), picture=Picture(JPEG), token="newest-token-7", pin=None)
    content = write_bundle(contents)

    assert secrets_in(content) == []
    assert {"glass.jpg", "findings.txt", "state.json"} <= unpacked(content).keys()
    assert "newest-token-7" in contents.secrets


def test_while_a_code_shows_there_is_no_picture(tmp_path: Path) -> None:
    waiting = next(make() for make in SAMPLES.values() if make().state.pairing.code is not None)
    code = waiting.state.pairing.code
    contents = live_contents(waiting, settings(tmp_path), picture=Picture(JPEG, PAIRING_CODE), token=None, pin=None)

    assert code is not None
    assert contents.picture is None
    assert "it shows a pairing code" in unpacked(write_bundle(contents))["README.txt"].decode()
    assert {code.device_code, code.user_code} <= set(contents.secrets)


def test_while_a_pin_shows_there_is_no_picture_and_no_pin(tmp_path: Path) -> None:
    facts = small()
    facts = replace(facts, log=(LogLine(NOON, "INFO", "player", "asked with 482913"),))
    contents = live_contents(facts, settings(tmp_path), picture=Picture(JPEG, PIN), token=None, pin="482913")
    content = write_bundle(contents)

    assert contents.picture is None
    assert "it shows a PIN" in unpacked(content)["README.txt"].decode()
    assert not [name for name, raw in unpacked(content).items() if b"482913" in raw]


def test_a_display_that_gives_no_picture_costs_the_picture(tmp_path: Path) -> None:
    contents = live_contents(small(), settings(tmp_path), picture=None, token=None, pin=None)

    assert "the display gave none in time" in unpacked(write_bundle(contents))["README.txt"].decode()


@pytest.mark.long
def test_a_large_picture_is_made_smaller() -> None:
    image = QImage(2600, 1400, QImage.Format.Format_RGB32)
    image.fill(QColor("red"))
    small_one = fit_png(encode_png(image), 200_000)
    assert small_one is not None
    assert QImage.fromData(small_one).width() == 2560

    noise = encode_png(QImage(os.urandom(4 * 800 * 800), 800, 800, QImage.Format.Format_RGB32))
    assert fit_png(noise, 1000) is None
    assert fit_png(b"no picture", 1000) is None


def client(sample: Sample, make: object, **given: Any) -> httpx.AsyncClient:
    async def view(pixels: int | None = None) -> Picture:
        return Picture(b"")

    app = app_of(sample.facts, sample.clock.monotonic, grab=view, bundle=make, **given)
    return httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://127.0.0.1:8085")


async def test_the_page_serves_it_and_makes_one_for_all_who_ask_at_once() -> None:
    made = 0

    async def make() -> tuple[str, bytes]:
        nonlocal made
        made += 1
        await asyncio.sleep(0.01)
        return "menu-player-7F3A9C-20261120-1200.zip", b"PK"

    async with client(Sample(), make) as browser:
        assert 'href="bundle.zip"' in (await browser.get("/")).text
        answers = await asyncio.gather(*(browser.get("/bundle.zip") for _ in range(5)))

    assert made == 1
    assert {answer.content for answer in answers} == {b"PK"}
    assert "menu-player-7F3A9C-20261120-1200.zip" in answers[0].headers["content-disposition"]
    assert answers[0].headers["cache-control"] == "no-store"


async def test_one_that_takes_too_long_is_refused() -> None:
    ended = asyncio.Event()

    async def make() -> tuple[str, bytes]:
        await ended.wait()
        return "a.zip", b"PK"

    async with client(Sample(), make, bundle_seconds=0.01) as browser:
        answer = await browser.get("/bundle.zip")
        assert answer.status_code == 503
        assert "Try again" in answer.text
        ended.set()
        assert (await browser.get("/bundle.zip")).content == b"PK"


def test_the_command_writes_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    state = state_folder(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MENU_PLAYER_CONFIG", str(tmp_path / "none.toml"))
    port = str(free_port())

    assert main(("support-bundle", "--state", str(state), "--diagnostics-port", port)) == 0
    said, warned = capsys.readouterr()
    written = tmp_path / said.strip()
    assert written.name.startswith("menu-player-")
    assert written.stat().st_mode & 0o077 == 0
    assert "timetable.txt" in unpacked(written.read_bytes())
    assert "does not answer" in warned

    nowhere = tmp_path / "none" / "here.zip"
    command = ("support-bundle", "--state", str(state), "--diagnostics-port", port, "--out", str(nowhere))
    assert main(command) == WRONG_USE
    assert "cannot be written" in capsys.readouterr().err


def test_a_journal_that_does_not_answer_costs_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_journalctl(tmp_path, monkeypatch, "exec sleep 60")
    assert journal(str, seconds=0.05) is None
    with_journalctl(tmp_path, monkeypatch, "exit 1")
    found = unpacked(stored(Settings(service="", state=tmp_path), faults=("x",)))

    assert "log.txt" not in found
    assert "The log cannot be read" in found["README.txt"].decode()


def test_a_player_that_does_not_answer_costs_what_only_it_knows() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        assert support_bundle.fetch_bundle(silent.getsockname()[1], seconds=0.05) is None


def test_a_player_that_runs_makes_the_bundle_also_where_this_command_knows_no_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"PK of the player" if self.path == "/bundle.zip" else b"")

        def log_message(self, *_: object) -> None:
            pass

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("MENU_PLAYER_CONFIG", str(tmp_path / "none.toml"))
    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        assert main(("support-bundle", "--diagnostics-port", str(server.server_port))) == 0
        server.shutdown()

    (written,) = tmp_path.glob("menu-player-*.zip")
    assert capsys.readouterr().out == f"{written.name}\n"
    assert written.read_bytes() == b"PK of the player"


@pytest.mark.goes_beyond("MAX_PACKAGES_BYTES")
def test_debians_packages_are_listed(tmp_path: Path) -> None:
    status = tmp_path / "var/lib/dpkg/status"
    status.parent.mkdir(parents=True)
    status.write_text(
        "Package: cage\nStatus: install ok installed\nVersion: 0.2.0-2\nDescription: a kiosk\n for one program\n\n"
        "Package: gone\nStatus: deinstall ok config-files\nVersion: 1\n",
        encoding="utf-8",
    )

    assert set(_packages(tmp_path)) - set(_packages(tmp_path / "nowhere")) == {("cage", "0.2.0-2")}


def test_the_bundle_of_a_player_that_writes_meanwhile_lists_all_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("access", "clock.tmp", "commands", "running"):
        (tmp_path / name).write_bytes(b"")
    lstat = Path.lstat

    def look(path: Path) -> object:
        if path.name == "access":
            (tmp_path / "clock.tmp").replace(tmp_path / "clock")  # The player has written it.
        return lstat(path)

    monkeypatch.setattr(Path, "lstat", look)
    listed = dict(support_bundle._files(tmp_path))
    assert f"file {tmp_path / 'running'}" in listed
    assert f"file {tmp_path}" not in listed, "the folder can be read"
