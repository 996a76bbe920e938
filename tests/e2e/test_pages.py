"""The page in a real browser on the real service: joining a team."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.browser import Browser, open_browser
from tests.support.programs import HttpError, Service, call

DESK, PHONE = (1280, 900), (360, 740)
EVIL = "<img src=x onerror=alert(1)>&amp;"
"""Would run in a page that inserts names as HTML."""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with open_browser(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    started = Service(tmp_path_factory.mktemp("service"))
    started.start()
    yield started
    started.kill()


@pytest.fixture
def own_service(tmp_path: Path) -> Iterator[Service]:
    """For a test that turns the clock and guesses: what a service has seen limits later guesses from this address."""
    started = Service(tmp_path)
    started.start()
    yield started
    started.kill()


@pytest.fixture(autouse=True)
def _no_errors(browser: Browser) -> Iterator[None]:
    """No page has an error or violates its policy. A call that the service refuses is not an error of the page."""
    browser.resize(*DESK)
    yield
    assert [one for one in browser.console_errors() if "status of 4" not in one and "favicon" not in one] == []


def invite(service: Service, email: str = "kim@example.com", role: str = "Editor", key: str | None = None) -> Any:
    body = {"email": email, "role": role}
    return call("POST", f"{service.address}/v1/team/invites", body=body, key=key or service.key)


def fits(browser: Browser) -> bool:
    """Whether the page fits without horizontal scrolling."""
    return bool(browser.script("return document.documentElement.scrollWidth <= window.innerWidth;"))


@pytest.mark.parametrize("size", [DESK, PHONE])
def test_an_invitation_is_accepted_in_the_browser(
    service: Service, browser: Browser, size: tuple[int, int], tmp_path: Path
) -> None:
    browser.resize(*size)
    key = service.post("/keys", {"name": EVIL, "role": "Admin"})["key"]
    email = f"kim{size[0]}@example.com"
    link = invite(service, email, key=key)["link"]
    assert link.startswith(f"{service.address}/join#mi_")

    browser.open(link)
    shown = browser.wait_for("Accept the invitation")
    for words in ("Join “default”", EVIL, email, "Editor", "May change items"):
        assert words in shown
    assert not browser.script("return document.querySelector('main img');")
    assert fits(browser)
    browser.screenshot(tmp_path / "asked.png")
    assert browser.script("return document.getElementById('accept').disabled;")
    browser.type("#name", EVIL)
    browser.click("#accept")

    assert f"Welcome, {EVIL}" in browser.wait_for("shown only once")
    secret = browser.script("return document.getElementById('key').value;")
    assert call("GET", f"{service.address}/v1/content/items", key=secret)["data"] == []
    assert fits(browser)
    assert link.partition("#")[2] not in browser.script("return location.href;")
    browser.script("document.addEventListener('copy', () => { window.held = getSelection().toString(); });")
    browser.click("#copy")
    browser.wait_for("Copied.")
    browser.screenshot(tmp_path / "joined.png")
    # Shown once: a later visit does not find it.
    browser.open("about:blank")
    browser.open(link)
    browser.wait_for("This invitation was accepted already")
    assert secret not in browser.script("return document.documentElement.outerHTML;")


def test_a_link_that_is_no_longer_valid_says_why(service: Service, browser: Browser, tmp_path: Path) -> None:
    replaced = invite(service, "lee@example.com")["link"]
    withdrawn = invite(service, "lee@example.com")
    service.delete(f"/team/invites/{withdrawn['id']}")
    good = invite(service, "lee@example.com")["link"]

    for link, words in (
        (replaced, "There is a newer invitation for you"),
        (withdrawn["link"], "This invitation was withdrawn"),
        (good[:-1], "There is no such invitation"),
        (f"{service.address}/join", "This link is incomplete"),
        (f"{service.address}/join#%", "This link is incomplete"),
        (good, "Accept the invitation"),
    ):
        # Only the fragment changes: the page is not loaded again.
        browser.open(link)
        browser.wait_for(words)
        assert browser.visible("#form") == (link == good), words
    browser.screenshot(tmp_path / "lee.png")


def test_an_invitation_expires_and_guessing_is_limited(own_service: Service, browser: Browser, tmp_path: Path) -> None:
    service = own_service
    link = invite(service, "max@example.com")["link"]
    browser.open(link)
    browser.wait_for("Accept the invitation")
    service.turn_clock(8 * 86_400)
    browser.type("#name", "Max")
    browser.click("#accept")
    browser.wait_for("This invitation has expired")
    for _ in range(10):
        with pytest.raises(HttpError, match="404"):
            call("POST", f"{service.address}/v1/team/invites/preview", body={"token": "mi_guess"})
    browser.open("about:blank")
    browser.open(f"{link}x")
    browser.wait_for("Try again in 15 minutes.")
    browser.screenshot(tmp_path / "stopped.png")
    # After the wait, the button works.
    service.turn_clock(8 * 86_400 + 900)
    browser.click("#retry")
    browser.wait_for("There is no such invitation")
    # Who has a link is not held up by who guesses.
    for _ in range(9):
        with pytest.raises(HttpError, match="404"):
            call("POST", f"{service.address}/v1/team/invites/preview", body={"token": "mi_guess"})
    browser.open("about:blank")
    browser.open(link)
    browser.wait_for("This invitation has expired")
