"""Signing in from another machine, in a real browser: this machine's own address is another one than loopback."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import pytest

from player.device.network import own_addresses
from player.page.listener import DiagnosticsServer
from tests.player.page.test_access import Board
from tests.player.page.test_page_in_a_browser import LOOKS, PHONE, keep
from tests.support.axe import violations
from tests.support.browser import Browser, open_browser
from tests.support.programs import eventually


class Served:
    """A board whose page is open to the network, served on a thread of its own."""

    def __init__(self) -> None:
        self.board = Board()
        self.pages: tuple[str, ...] = ()
        self._ready = Event()
        self._thread = Thread(target=lambda: asyncio.run(self._serve()))
        self._thread.start()
        assert self._ready.wait(10)

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        server = DiagnosticsServer(make_app=lambda: self.board.app, port=0, on_network=True)
        await server.start()
        self.pages = server.addresses(own_addresses())
        self._ready.set()
        await self._stop.wait()
        await server.stop()

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()


@pytest.fixture
def served() -> Iterator[Served]:
    served = Served()
    yield served
    served.stop()


def test_a_phone_signs_in_with_the_pin_of_the_screen_and_acts(served: Served, tmp_path: Path) -> None:
    if not served.pages:
        pytest.skip("this machine has no address but loopback")
    with open_browser(tmp_path) as browser:
        browser.resize(*PHONE)
        browser.open(served.pages[0])
        browser.wait_for("Sign in to this screen")
        looked_at(browser, tmp_path, "sign-in")
        browser.type("#pin", "12 34\n")
        browser.wait_for("not on the screen any more")
        browser.click("form[action='/pin'] button")
        browser.wait_for("The PIN is on the screen now")
        looked_at(browser, tmp_path, "sign-in-shown")
        pin = served.board.pin
        browser.type("#pin", f"{(int(pin) + 1) % 1_000_000:06}\n")
        browser.wait_for("That is not the PIN")
        looked_at(browser, tmp_path, "sign-in-wrong")
        browser.console_errors()  # 403 is told there, too.
        browser.type("#pin", f"{pin[:3]} {pin[3:]}\n")
        browser.wait_for("Live")
        browser.click("form[action='actions/identify'] button")
        eventually(lambda: served.board.done == ["identify"], what="the screen was asked for its name")
        browser.wait_for("The screen shows its name now")
        assert browser.console_errors() == []
        assert browser.script("return document.cookie;") == ""
        browser.click("form[action='sign-out'] button")
        browser.wait_for("Sign in to this screen")
        browser.script("document.querySelector('#pin').maxLength = 1e6;")
        browser.script("const pin = document.querySelector('#pin'); pin.value = '1'.repeat(1e5); pin.form.submit();")
        browser.wait_for("This is more than the page takes.")


def looked_at(browser: Browser, folder: Path, name: str) -> None:
    for (width, height), scheme in LOOKS:
        browser.prefer(scheme)
        browser.resize(width, height)
        assert violations(browser) == [], (name, width, scheme)
        assert browser.script("return document.documentElement.scrollWidth <= window.innerWidth;")
        keep(browser, folder, f"{name}-{width}-{scheme}")
    browser.resize(*PHONE)
