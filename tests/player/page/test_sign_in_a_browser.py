"""Signing in from another machine, in a real browser: this machine's own address is another one than loopback."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import pytest
from playwright.sync_api import Page

from player.device.network import own_addresses
from player.page.listener import DiagnosticsServer
from tests.player.page.test_access import Board
from tests.player.page.test_page_in_a_browser import LOOKS, PHONE, keep
from tests.support.axe import violations
from tests.support.chromium import FITS, faults_of, is_refusal, look, wait_for
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


@pytest.mark.long
def test_a_phone_signs_in_with_the_pin_of_the_screen_and_acts(served: Served, window: Page, tmp_path: Path) -> None:
    if not served.pages:
        pytest.skip("this machine has no address but loopback")
    with faults_of(window) as faults:
        look(window, PHONE)
        window.goto(served.pages[0])
        wait_for(window, "Sign in to this screen")
        looked_at(window, tmp_path, "sign-in")
        enter(window, "12 34")
        wait_for(window, "not on the screen any more")
        window.click("form[action='/pin'] button")
        wait_for(window, "The PIN is on the screen now")
        looked_at(window, tmp_path, "sign-in-shown")
        pin = served.board.pin
        enter(window, f"{(int(pin) + 1) % 1_000_000:06}")
        wait_for(window, "That is not the PIN")
        looked_at(window, tmp_path, "sign-in-wrong")
        enter(window, f"{pin[:3]} {pin[3:]}")
        wait_for(window, "Live")
        window.click("form[action='actions/identify'] button")
        eventually(lambda: served.board.done == ["identify"], what="the screen was asked for its name")
        wait_for(window, "The screen shows its name now")
        assert [one for one in faults if not is_refusal(one)] == []
        assert window.evaluate("document.cookie") == ""
        window.click("form[action='sign-out'] button")
        wait_for(window, "Sign in to this screen")
        window.evaluate("document.querySelector('#pin').maxLength = 1e6")
        window.evaluate("{const pin = document.querySelector('#pin'); pin.value = '1'.repeat(1e5); pin.form.submit();}")
        wait_for(window, "This is more than the page takes.")


def enter(page: Page, pin: str) -> None:
    page.locator("#pin").press_sequentially(pin)
    page.keyboard.press("Enter")


def looked_at(page: Page, folder: Path, name: str) -> None:
    for size, scheme in LOOKS:
        look(page, size, scheme)
        assert violations(page) == [], (name, size, scheme)
        assert page.evaluate(FITS)
        keep(page, folder, f"{name}-{size[0]}-{scheme}")
    look(page, PHONE)
