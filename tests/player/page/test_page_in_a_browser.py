"""The technician's page in a real browser: on a phone and a desk, light and dark, by keyboard, and while it changes."""

from __future__ import annotations

import asyncio
import itertools
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from threading import Event, Thread

import pytest
from msgspec.structs import replace

from player.page.listener import DiagnosticsServer
from player.page.picture import Picture
from player.page.sections.actions import ACTIONS, BY_NAME
from player.page.sections.facts import Facts
from tests.player.page.page_samples import SAMPLES, connection, with_state
from tests.player.page.test_diagnostics import app_of
from tests.support.axe import violations
from tests.support.browser import Browser, open_browser
from tests.support.programs import eventually

PHONE, DESK = (390, 844), (1280, 900)
LOOKS = tuple(itertools.product((PHONE, DESK), ("light", "dark")))
PICTURE = next((Path(__file__).parents[2] / "data" / "golden").rglob("list-landscape-1080.jpg"))
_FOCUSED = """
const one = document.activeElement;
return one === document.body ? "" : one.innerText || one.id || one.tagName;
"""
_FITS = "return document.documentElement.scrollWidth <= document.documentElement.clientWidth;"
TAB = "\ue004"


class Board:
    """The page of one sample, served on a thread of its own; a test changes the facts."""

    def __init__(self) -> None:
        self.facts: Facts = SAMPLES["small"]()
        self.address = ""
        self.picture = PICTURE.read_bytes()
        self.asked: list[str] = []
        self._ready = Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._thread = Thread(target=lambda: asyncio.run(self._serve()))

    def start(self) -> None:
        self._thread.start()
        assert self._ready.wait(10)

    def stop(self) -> None:
        if self._loop is not None and self._stop is not None:
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        app = app_of(
            lambda: self.facts,
            self._loop.time,
            grab=self._grab,
            actions={name: partial(self._act, name) for name in BY_NAME},
        )
        server = DiagnosticsServer(make_app=lambda: app, port=0)
        self.address = await server.start() or ""
        self._ready.set()
        await self._stop.wait()
        await server.stop()

    async def _act(self, name: str) -> None:
        self.asked.append(name)

    async def _grab(self, pixels: int | None = None) -> Picture:
        return Picture(self.picture)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with open_browser(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


@pytest.fixture(scope="module")
def served() -> Iterator[Board]:
    board = Board()
    board.start()
    yield board
    board.stop()


@pytest.fixture
def board(served: Board, browser: Browser) -> Iterator[Board]:
    """No test leaves an error in the console, which has the violations of the page's policy, too."""
    served.facts = SAMPLES["small"]()
    served.asked.clear()
    browser.prefer("light")
    browser.resize(*DESK)
    yield served
    assert browser.console_errors() == []
    browser.open("about:blank")


def keep(browser: Browser, folder: Path, name: str) -> None:
    """A picture for people; MENU_PICTURES names a folder for them."""
    target = Path(os.environ.get("MENU_PICTURES", folder))
    browser.screenshot(target / f"{name}.png")


@pytest.mark.parametrize("name", SAMPLES)
def test_everybody_can_use_it_on_a_phone_and_on_a_desk_light_and_dark(
    board: Board, browser: Browser, name: str, tmp_path: Path
) -> None:
    board.facts = SAMPLES[name]()
    for number, ((width, height), scheme) in enumerate(LOOKS):
        browser.prefer(scheme)
        browser.resize(width, height)
        if number == 0:
            browser.open(board.address)
        assert browser.script(_FITS), (
            name,
            width,
        )
        assert violations(browser) == [], (name, width, scheme)
        keep(browser, tmp_path, f"{name}-{width}-{scheme}")
    loaded = browser.script("return performance.getEntriesByType('resource').map(one => one.name);")
    assert loaded
    assert not [url for url in loaded if not url.startswith(board.address)]
    assert browser.script("return document.querySelector('#glass').naturalWidth > 0;")
    assert not browser.script("return document.querySelector('main img[src=x]');")


@pytest.mark.parametrize("language", ["de", "es", "fr", "ar"])
def test_it_is_whole_in_every_language(board: Board, browser: Browser, language: str, tmp_path: Path) -> None:
    board.facts = SAMPLES["large"]()
    browser.resize(*PHONE)
    browser.open(f"{board.address}?language={language}")
    for (width, height), scheme in LOOKS if language == "ar" else LOOKS[::3]:
        browser.prefer(scheme)
        browser.resize(width, height)
        assert browser.script(_FITS), (
            language,
            width,
        )
        if language == "ar" or width == PHONE[0]:
            assert violations(browser) == [], (language, width, scheme)
        keep(browser, tmp_path, f"large-{language}-{width}-{scheme}")
    assert browser.script("return document.documentElement.lang;") == language
    assert browser.script("return document.documentElement.dir;") == ("rtl" if language == "ar" else "ltr")
    browser.open(f"{board.address}?language=en")


def test_another_language_is_chosen_on_the_page_and_kept(board: Board, browser: Browser) -> None:
    browser.resize(*PHONE)
    browser.open(board.address)
    browser.wait_for("Live")
    browser.click(".languages summary")
    browser.click(".languages a[lang=de]")
    browser.wait_for("Alles in Ordnung.")
    browser.open(board.address)
    browser.wait_for("Alles in Ordnung.")
    state = board.facts.state
    board.facts = with_state(board.facts, connection=replace(connection(), at=state.at))
    eventually(lambda: "Geprüft: 12:00:00" in browser.text("#connection"), what="what changes is in German, too")
    browser.open(f"{board.address}?language=en")


def test_what_changes_is_replaced_and_what_was_open_stays_open(board: Board, browser: Browser) -> None:
    browser.open(board.address)
    browser.wait_for("Live")
    browser.click("#files summary")
    browser.script("document.querySelector('#files summary').focus();")
    state = board.facts.state
    board.facts = replace(
        board.facts,
        holdings=tuple(replace(each, lacking="it is damaged") for each in board.facts.holdings),
        state=replace(state, connection=replace(connection(), at=state.at)),
    )
    eventually(lambda: "0 of 1 file" in browser.text("#files"), what="the files are told anew")
    assert browser.script("return document.querySelector('#files details').open;")
    assert browser.script("return document.activeElement.closest('section').id;") == "files"
    eventually(lambda: "Tested 12:00:00" in browser.text("#connection"), what="the test is told anew")


def test_it_is_operated_by_keyboard(board: Board, browser: Browser) -> None:
    browser.open(board.address)
    browser.press(TAB)
    assert browser.script("return document.activeElement.innerText;") == "Skip to the content"
    browser.press(TAB)
    assert "English" in browser.script("return document.activeElement.innerText;")
    browser.press(TAB)
    assert browser.script("return document.activeElement.getAttribute('href');") in ("#now", "#findings")
    focused = set()
    for _ in range(40):
        browser.press(TAB)
        name = browser.script(_FOCUSED)
        if not name:
            break
        focused.add(name)
        assert browser.script("return getComputedStyle(document.activeElement).outlineStyle;") != "none"
    assert {
        "Test the connection",
        "Show the name on the screen",
        "log-words",
        "log-bad",
        "Restart the player …",
    } <= focused


def test_what_to_do_is_in_sight_at_once_on_a_phone(board: Board, browser: Browser) -> None:
    board.facts = SAMPLES["large"]()
    browser.resize(*PHONE)
    browser.open(board.address)
    assert browser.script("return document.querySelector('.verdict .do').getBoundingClientRect().bottom;") < 500
    assert browser.text(".verdict .do").startswith("Check that the address")


def test_the_log_is_filtered(board: Board, browser: Browser) -> None:
    browser.open(board.address)
    browser.type("#log-words", "SERVICE")
    shown = browser.text(".log")
    assert "answers again" in shown
    assert "Menu Player 0.2.0" not in shown
    browser.click("#log-bad")
    assert browser.text(".log").count("\n") < shown.count("\n")
    assert "does not answer" in browser.text(".log")


def test_a_screen_that_is_gone_is_said_to_be(browser: Browser) -> None:
    board = Board()
    board.start()
    browser.open(board.address)
    browser.wait_for("Live")
    board.stop()
    browser.wait_for("Connecting again")
    browser.open("about:blank")
    browser.console_errors()


def test_every_action_is_asked_for_and_said_where_it_was_pressed(board: Board, browser: Browser) -> None:
    browser.resize(*PHONE)
    browser.open(board.address)
    browser.click("#connection button")
    browser.wait_for("is being tested")
    for action in ACTIONS:
        browser.open(board.address)
        if action.warning:
            browser.click(f"details[data-key={action.name}] summary")
            assert action.warning in browser.text("#actions")
        assert not board.asked[1:].count(action.name), "not before it is confirmed"
        browser.click(f"form[action='actions/{action.name}'] button")
        browser.wait_for(action.done)
        if action.name == "restart":
            assert violations(browser) == []
            assert browser.script("return document.styleSheets.length;") == 1
            eventually(lambda: "restart" in board.asked, what="the restart is asked for")
        else:
            assert browser.text("#actions .notice") == action.done
            assert browser.script("return location.search;") == "", "a reload does not say it again"
    assert board.asked == ["test", *(action.name for action in ACTIONS)]
    browser.open(f"{board.address}?done=<script>alert(1)</script>")
    assert not browser.visible(".notice")
