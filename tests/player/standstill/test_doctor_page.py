"""`menu-player doctor --serve`: the page of a player that does not run, served by the real program."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from player.device.network import own_addresses
from player.domain.pairing import Credentials
from player.standstill.ask import FAULTY, WELL
from player.storage.store import StateStore
from tests.player.page.test_page_in_a_browser import LOOKS, PHONE, keep
from tests.support.axe import violations
from tests.support.browser import open_browser
from tests.support.menus import NOON, item, manifest, menu_scene
from tests.support.programs import Player, Program, eventually, free_port

SERVICE = f"http://127.0.0.1:{free_port()}"
TOKEN = "Tok-of-this-screen-0123456789-abcdefghijklmnop"


class Doctor(Program):
    """`menu-player doctor --serve` beside a player that does not run."""

    def __init__(self, folder: Path, *flags: str) -> None:
        super().__init__("doctor", folder)
        self.player = Player(folder, SERVICE)
        self.flags = flags

    @property
    def port(self) -> int:
        return self.player.port

    def start(self) -> None:
        of_player = ("--state", str(self.player.state_folder), "--diagnostics-port", str(self.port), "--offscreen")
        self.launch("player", "doctor", "--serve", *of_player, "--service", SERVICE, *self.flags)

    def said(self, words: str) -> str:
        """Waits for the words in the terminal, and returns its text."""

        def look() -> str | None:
            text = self.log.read_text()
            assert words in text or self.alive(), text
            return text if words in text else None

        return eventually(look, what=f"{words!r} is said")

    def ended(self) -> int:
        """The exit code."""
        assert self.process is not None
        return self.process.wait(60)


@pytest.fixture
def doctor(tmp_path: Path) -> Iterator[Doctor]:
    doctor = Doctor(tmp_path)
    found, body = manifest(scenes=[menu_scene("Breakfast", "Coffee")], items=[item("Espresso", 2.2)])
    with StateStore.open(doctor.player.state_folder) as store:
        store.credentials.keep_credentials(Credentials(service=SERVICE, token=TOKEN, screen_id="scr_1"))
        store.manifests.keep_running(body=body, etag=found.etag, assets=frozenset(), anchor=NOON)
    yield doctor
    doctor.kill()
    doctor.player.kill()


def here(said: str) -> str:
    """The address of the page on this device."""
    (address,) = re.findall(r"(http://127\.0\.0\.1:\d+/)  \(on this device\)", said)
    return str(address)


def fetch(address: str) -> bytes:
    with urlopen(address, timeout=30) as answer:
        content: bytes = answer.read()
        return content


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_phone_reads_the_page_with_the_pin_in_the_terminal(doctor: Doctor, tmp_path: Path) -> None:
    """The same page, the same way in; what cannot be known without a player is said so."""
    addresses = own_addresses()
    if not addresses:
        pytest.skip("this machine has no address but loopback")
    before = files_of(doctor.player.state_folder)
    doctor.start()
    said = doctor.said("Ctrl-C ends it now")
    (pin,) = re.findall(r"PIN: ([0-9]{6}),", said)
    page_here = here(said)
    on_phone = page_here.replace("127.0.0.1", addresses[0])
    assert on_phone in said
    with open_browser(tmp_path) as browser:
        browser.resize(*PHONE)
        browser.open(on_phone)
        browser.wait_for("in the terminal where menu-player doctor runs")
        assert violations(browser) == []
        keep(browser, tmp_path, "doctor-sign-in")
        browser.type("#pin", f"{pin}\n")
        browser.wait_for("nobody knows what the screen shows")
        page = browser.wait_for("takes no connections")
        assert "The player does not run." in browser.text("[data-part=headline]")
        assert "Breakfast" in browser.text("#timetable")
        assert "Espresso" in browser.text("#menu")
        assert "not known: the player does not run" in browser.text("#screen")
        assert "The log" in browser.text("#log") or "journal" in browser.text("#log")
        assert TOKEN not in page
        browser.click("#connection form button")
        browser.wait_for("The connection is being tested")
        for (width, height), scheme in LOOKS:
            browser.prefer(scheme)
            browser.resize(width, height)
            assert browser.script("return document.documentElement.scrollWidth <= window.innerWidth;"), width
            assert violations(browser) == [], (width, scheme)
            keep(browser, tmp_path, f"doctor-{width}-{scheme}")
            browser.script("window.scrollTo(0, document.querySelector('#connection').offsetTop);")
            keep(browser, tmp_path, f"doctor-{width}-{scheme}-below")
            browser.script("window.scrollTo(0, document.querySelector('#device').offsetTop);")
            keep(browser, tmp_path, f"doctor-{width}-{scheme}-end")
            browser.script("window.scrollTo(0, 0);")
        assert browser.console_errors() == []
    bundle = fetch(f"{page_here}bundle.zip")
    with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
        held = {name: archive.read(name).decode() for name in archive.namelist()}
    assert "The player does not run." in held["findings.txt"]
    assert "tcp       FAILED" in held["connection.txt"]
    assert TOKEN not in "".join(held.values())
    assert files_of(doctor.player.state_folder) == before, "nothing is changed"
    assert doctor.end() == FAULTY


def test_a_player_that_starts_has_its_port_and_the_doctor_ends(doctor: Doctor) -> None:
    doctor.start()
    page = here(doctor.said("Ctrl-C ends it now"))
    assert fetch(f"{page}state.json")
    doctor.player.start()
    state = doctor.player.wait_for("the player's own page is there", lambda state: state["playerRuns"])
    assert "page_port_taken" not in {finding["code"] for finding in state["findings"]}
    doctor.said("The player runs")
    assert doctor.ended() == WELL


def test_the_page_is_there_whatever_has_the_player_s_port(doctor: Doctor) -> None:
    with ThreadingHTTPServer(("127.0.0.1", doctor.port), BaseHTTPRequestHandler) as other:
        Thread(target=other.serve_forever, daemon=True).start()
        doctor.start()
        page = fetch(here(doctor.said("Ctrl-C ends it now")))
        other.shutdown()
    assert b"Another program on the device has the port of this screen" in page
    assert b"The player does not run" in page


@pytest.mark.parametrize("flags", [("--rotate", "45"), ("--rotate", "45", "--page", "device")])
def test_one_that_cannot_start_has_its_page_as_the_settings_allow(doctor: Doctor, flags: tuple[str, ...]) -> None:
    doctor.flags = flags
    doctor.start()
    said = doctor.said("Ctrl-C ends it now")
    page = here(said)
    assert b"The player cannot start: its settings are wrong." in fetch(page)
    for address in own_addresses()[:1]:
        if "--page" in flags:
            with pytest.raises(OSError, match="refused"):
                fetch(page.replace("127.0.0.1", address))
        else:
            with pytest.raises(HTTPError) as refused:
                fetch(page.replace("127.0.0.1", address))
            refused.value.close()
            assert refused.value.code == 401
    assert ("PIN: " in said) is ("--page" not in flags)


def test_a_page_that_is_switched_off_is_not_served(doctor: Doctor) -> None:
    doctor.flags = ("--page", "off")
    doctor.start()
    assert "switched off" in doctor.said("switched off")
    assert doctor.ended() == FAULTY
