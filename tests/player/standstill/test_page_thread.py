"""The page beside the card of a player that cannot start."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from msgspec.structs import replace

from player.device.network import own_addresses
from player.domain.pairing import Credentials
from player.settings import Mode, PageAccess, Settings
from player.standstill.page_thread import PageThread
from player.standstill.stopped import StoppedPlayer
from player.storage.store import StateStore
from tests.player.page.test_page_in_a_browser import LOOKS, PHONE, keep
from tests.support.axe import violations
from tests.support.browser import open_browser
from tests.support.menus import NOON, item, manifest, menu_scene
from tests.support.programs import eventually, free_port

SERVICE = f"http://127.0.0.1:{free_port()}"
TOKEN = "Tok-of-this-screen-0123456789-abcdefghijklmnop"


@pytest.fixture
def stopped(tmp_path: Path) -> StoppedPlayer:
    """A paired player with a menu, which does not run."""
    found, body = manifest(scenes=[menu_scene("Breakfast", "Coffee")], items=[item("Espresso", 2.2)])
    settings = Settings(
        service=SERVICE,
        state=tmp_path / "state",
        mode=Mode.OFFSCREEN,
        diagnostics_port=free_port(),
        allow_plain_http=True,
    )
    with StateStore.open(settings.state) as store:
        store.credentials.keep_credentials(Credentials(service=SERVICE, token=TOKEN, screen_id="scr_1"))
        store.manifests.keep_running(body=body, etag=found.etag, assets=frozenset(), anchor=NOON)
    return StoppedPlayer(settings=settings)


@pytest.fixture
def served(stopped: StoppedPlayer) -> Iterator[PageThread]:
    thread = PageThread(lambda: stopped)
    thread.start()
    yield thread
    thread.stop()


def fetch(address: str) -> bytes:
    with urlopen(address, timeout=30) as answer:
        content: bytes = answer.read()
        return content


def here(stopped: StoppedPlayer) -> str:
    """The page on this device, once it is served."""
    address = f"http://127.0.0.1:{stopped.port}/"

    def is_served() -> bool:
        try:
            return bool(fetch(address))
        except OSError:
            return False

    eventually(is_served, what="the page is served")
    return address


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_phone_reads_the_page_with_the_pin_on_the_card(
    served: PageThread, stopped: StoppedPlayer, tmp_path: Path
) -> None:
    """The same page, the same way in; what cannot be known without a player is said so."""
    addresses = own_addresses()
    if not addresses:
        pytest.skip("this machine has no address but loopback")
    before = files_of(stopped.folder)
    page_here = here(stopped)
    on_phone = eventually(lambda: served.address, what="the card has the address")
    assert on_phone == page_here.replace("127.0.0.1", addresses[0]).rstrip("/")
    with open_browser(tmp_path) as browser:
        browser.resize(*PHONE)
        browser.open(on_phone)
        browser.wait_for("Type the digits that the screen shows")
        assert violations(browser) == []
        assert served.pin == ""
        browser.click("form.quiet button")
        browser.wait_for("The PIN is on the screen now")
        browser.type("#pin", f"{served.pin}\n")
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
            browser.script("window.scrollTo(0, 0);")
        assert browser.console_errors() == []
    bundle = fetch(f"{page_here}bundle.zip")
    with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
        held = {name: archive.read(name).decode() for name in archive.namelist()}
    assert "The player does not run." in held["findings.txt"]
    assert "Connection to the service : fails" in held["connection.txt"]
    assert TOKEN not in "".join(held.values())
    assert files_of(stopped.folder) == before, "nothing is changed"


@pytest.mark.parametrize("access", PageAccess)
def test_one_that_cannot_start_has_its_page_as_the_settings_allow(stopped: StoppedPlayer, access: PageAccess) -> None:
    stopped = replace(
        stopped, settings=replace(stopped.settings, page=access), faults=("--rotate: '45' is none of 0, 90, 180, 270",)
    )
    thread = PageThread(lambda: stopped)
    thread.start()
    try:
        if access is PageAccess.OFF:
            with pytest.raises(OSError, match="refused"):
                fetch(f"http://127.0.0.1:{stopped.port}/")
            return
        page = here(stopped)
        assert b"The player cannot start: its settings are wrong." in fetch(page)
        for address in own_addresses()[:1]:
            if access is PageAccess.DEVICE:
                with pytest.raises(OSError, match="refused"):
                    fetch(page.replace("127.0.0.1", address))
            else:
                with pytest.raises(HTTPError) as refused:
                    fetch(page.replace("127.0.0.1", address))
                refused.value.close()
                assert refused.value.code == 401
    finally:
        thread.stop()
