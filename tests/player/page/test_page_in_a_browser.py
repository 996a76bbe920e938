"""The technician's page in a real browser: on a phone and a desk, light and dark, by keyboard, and while it changes."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from threading import Event, Thread

import pytest
from msgspec.structs import replace
from playwright.sync_api import Page, expect

from player.page.listener import DiagnosticsServer
from player.page.picture import Picture
from player.page.sections.actions import ACTIONS, BY_NAME
from player.page.sections.facts import Facts
from tests.player.page.page_samples import SAMPLES, connection, with_state
from tests.player.page.test_diagnostics import app_of
from tests.support.axe import violations
from tests.support.chromium import FITS, Scheme, Size, faults_of, forget, look, wait_for
from tests.support.programs import eventually

PHONE, DESK = (390, 844), (1280, 900)
LOOKS: tuple[tuple[Size, Scheme], ...] = (
    (PHONE, "light"),
    (PHONE, "dark"),
    (DESK, "light"),
    (DESK, "dark"),
)
PICTURE = next((Path(__file__).parents[2] / "data" / "golden").rglob("list-landscape-1080.jpg"))
_FOCUSED = """() => {
const one = document.activeElement;
return one === document.body ? "" : one.innerText || one.id || one.tagName;
}"""


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
def served() -> Iterator[Board]:
    board = Board()
    board.start()
    yield board
    board.stop()


@pytest.fixture
def board(served: Board) -> Board:
    served.facts = SAMPLES["small"]()
    served.asked.clear()
    return served


@pytest.fixture
def page(window: Page) -> Iterator[Page]:
    """No test leaves an error in the console, which has the violations of the page's policy, too."""
    look(window, DESK)
    with faults_of(window) as faults:
        yield window
    forget(window)
    assert faults == []


def keep(page: Page, folder: Path, name: str) -> None:
    """A picture for people; MENU_PICTURES names a folder for them."""
    page.screenshot(path=Path(os.environ.get("MENU_PICTURES", folder)) / f"{name}.png")


@pytest.mark.first_case
@pytest.mark.parametrize("name", SAMPLES)
def test_everybody_can_use_it_on_a_phone_and_on_a_desk_light_and_dark(
    board: Board, page: Page, name: str, tmp_path: Path
) -> None:
    board.facts = SAMPLES[name]()
    for number, (size, scheme) in enumerate(LOOKS):
        look(page, size, scheme)
        if number == 0:
            page.goto(board.address)
        assert page.evaluate(FITS), (name, size)
        assert violations(page) == [], (name, size, scheme)
        keep(page, tmp_path, f"{name}-{size[0]}-{scheme}")
    loaded = page.evaluate("performance.getEntriesByType('resource').map(one => one.name)")
    assert loaded
    assert not [url for url in loaded if not url.startswith(board.address)]
    assert page.evaluate("document.querySelector('#glass').naturalWidth > 0")
    assert not page.evaluate("document.querySelector('main img[src=x]')")


@pytest.mark.first_case
@pytest.mark.parametrize("language", ["de", "es", "fr", "ar"])
def test_it_is_whole_in_every_language(board: Board, page: Page, language: str, tmp_path: Path) -> None:
    board.facts = SAMPLES["large"]()
    look(page, PHONE)
    page.goto(f"{board.address}?language={language}")
    for size, scheme in LOOKS if language == "ar" else LOOKS[::3]:
        look(page, size, scheme)
        assert page.evaluate(FITS), (language, size)
        if language == "ar" or size == PHONE:
            assert violations(page) == [], (language, size, scheme)
        keep(page, tmp_path, f"large-{language}-{size[0]}-{scheme}")
    assert page.evaluate("document.documentElement.lang") == language
    assert page.evaluate("document.documentElement.dir") == ("rtl" if language == "ar" else "ltr")


@pytest.mark.long
def test_another_language_is_chosen_on_the_page_and_kept(board: Board, page: Page) -> None:
    look(page, PHONE)
    page.goto(board.address)
    wait_for(page, "Live")
    page.click(".languages summary")
    page.click(".languages a[lang=de]")
    wait_for(page, "Alles in Ordnung.")
    page.goto(board.address)
    wait_for(page, "Alles in Ordnung.")
    state = board.facts.state
    board.facts = with_state(board.facts, connection=replace(connection(), at=state.at))
    expect(page.locator("#connection")).to_contain_text("Geprüft: 12:00:00", use_inner_text=True)


def test_what_changes_is_replaced_and_what_was_open_stays_open(board: Board, page: Page) -> None:
    page.goto(board.address)
    wait_for(page, "Live")
    page.click("#files summary")
    page.evaluate("document.querySelector('#files summary').focus()")
    state = board.facts.state
    board.facts = replace(
        board.facts,
        holdings=tuple(replace(each, lacking="it is damaged") for each in board.facts.holdings),
        state=replace(state, connection=replace(connection(), at=state.at)),
    )
    expect(page.locator("#files")).to_contain_text("0 of 1 file", use_inner_text=True)
    assert page.evaluate("document.querySelector('#files details').open")
    assert page.evaluate("document.activeElement.closest('section').id") == "files"
    expect(page.locator("#connection")).to_contain_text("Tested 12:00:00", use_inner_text=True)


def test_it_is_operated_by_keyboard(board: Board, page: Page) -> None:
    page.goto(board.address)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.innerText") == "Skip to the content"
    page.keyboard.press("Tab")
    assert "English" in page.evaluate("document.activeElement.innerText")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('href')") in ("#now", "#findings")
    focused = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        name = page.evaluate(_FOCUSED)
        if not name:
            break
        focused.add(name)
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    assert {
        "Test the connection",
        "Show the name on the screen",
        "log-words",
        "log-bad",
        "Restart the player …",
    } <= focused


def test_what_to_do_is_in_sight_at_once_on_a_phone(board: Board, page: Page) -> None:
    board.facts = SAMPLES["large"]()
    look(page, PHONE)
    page.goto(board.address)
    assert page.evaluate("document.querySelector('.verdict .do').getBoundingClientRect().bottom") < 500
    assert page.inner_text(".verdict .do").startswith("Check that the address")


def test_the_log_is_filtered(board: Board, page: Page) -> None:
    page.goto(board.address)
    page.locator("#log-words").press_sequentially("SERVICE")
    shown = page.inner_text(".log")
    assert "answers again" in shown
    assert "Menu Player 0.2.0" not in shown
    page.click("#log-bad")
    assert page.inner_text(".log").count("\n") < shown.count("\n")
    assert "does not answer" in page.inner_text(".log")


@pytest.mark.long
def test_a_screen_that_is_gone_is_said_to_be(window: Page) -> None:
    board = Board()
    board.start()
    window.goto(board.address)
    wait_for(window, "Live")
    board.stop()
    wait_for(window, "Connecting again")
    forget(window)


@pytest.mark.long
def test_every_action_is_asked_for_and_said_where_it_was_pressed(board: Board, page: Page) -> None:
    look(page, PHONE)
    page.goto(board.address)
    page.click("#connection button")
    wait_for(page, "is being tested")
    for action in ACTIONS:
        page.goto(board.address)
        if action.warning:
            page.click(f"details[data-key={action.name}] summary")
            assert action.warning in page.inner_text("#actions")
        assert not board.asked[1:].count(action.name), "not before it is confirmed"
        page.click(f"form[action='actions/{action.name}'] button")
        wait_for(page, action.done)
        if action.name == "restart":
            assert violations(page) == []
            assert page.evaluate("document.styleSheets.length") == 1
            eventually(lambda: "restart" in board.asked, what="the restart is asked for")
        else:
            assert page.inner_text("#actions .notice") == action.done
            assert page.evaluate("location.search") == "", "a reload does not say it again"
    assert board.asked == ["test", *(action.name for action in ACTIONS)]
    page.goto(f"{board.address}?done=<script>alert(1)</script>")
    assert not page.is_visible(".notice")
