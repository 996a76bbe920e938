"""The page in a real browser on the real service: joining a team."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.support.chromium import FITS, faults_of, forget, is_refusal, look, wait_for
from tests.support.programs import HttpError, Service, call

DESK, PHONE = (1280, 900), (360, 740)
EVIL = "<img src=x onerror=alert(1)>&amp;"
"""Would run in a page that inserts names as HTML."""


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


@pytest.fixture
def page(window: Page) -> Iterator[Page]:
    """No page has an error or violates its policy."""
    look(window, DESK)
    with faults_of(window) as faults:
        yield window
    forget(window)
    assert [one for one in faults if not is_refusal(one)] == []


def invite(service: Service, email: str = "kim@example.com", role: str = "Editor", key: str | None = None) -> Any:
    body = {"email": email, "role": role}
    return call("POST", f"{service.address}/v1/team/invites", body=body, key=key or service.key)


@pytest.mark.long
@pytest.mark.parametrize("size", [DESK, PHONE])
def test_an_invitation_is_accepted_in_the_browser(
    service: Service, page: Page, size: tuple[int, int], tmp_path: Path
) -> None:
    look(page, size)
    key = service.post("/keys", {"name": EVIL, "role": "Admin"})["key"]
    email = f"kim{size[0]}@example.com"
    link = invite(service, email, key=key)["link"]
    assert link.startswith(f"{service.address}/join#mi_")

    page.goto(link)
    shown = wait_for(page, "Accept the invitation")
    for words in ("Join “default”", EVIL, email, "Editor", "May change items"):
        assert words in shown
    assert not page.evaluate("document.querySelector('main img')")
    assert page.evaluate(FITS)
    page.screenshot(path=tmp_path / "asked.png")
    assert page.evaluate("document.getElementById('accept').disabled")
    page.fill("#name", EVIL)
    page.click("#accept")

    assert f"Welcome, {EVIL}" in wait_for(page, "shown only once")
    secret = page.evaluate("document.getElementById('key').value")
    assert call("GET", f"{service.address}/v1/content/items", key=secret)["data"] == []
    assert page.evaluate(FITS)
    assert link.partition("#")[2] not in page.evaluate("location.href")
    page.evaluate("document.addEventListener('copy', () => { window.held = getSelection().toString(); })")
    page.click("#copy")
    wait_for(page, "Copied.")
    page.screenshot(path=tmp_path / "joined.png")
    # Shown once: a later visit does not find it.
    page.goto("about:blank")
    page.goto(link)
    wait_for(page, "This invitation was accepted already")
    assert secret not in page.evaluate("document.documentElement.outerHTML")


@pytest.mark.long
def test_a_link_that_is_no_longer_valid_says_why(service: Service, page: Page, tmp_path: Path) -> None:
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
        page.goto(link)
        wait_for(page, words)
        assert page.is_visible("#form") == (link == good), words
    page.screenshot(path=tmp_path / "lee.png")


@pytest.mark.long
def test_an_invitation_expires_and_guessing_is_limited(own_service: Service, page: Page, tmp_path: Path) -> None:
    service = own_service
    link = invite(service, "max@example.com")["link"]
    page.goto(link)
    wait_for(page, "Accept the invitation")
    service.turn_clock(8 * 86_400)
    page.fill("#name", "Max")
    page.click("#accept")
    wait_for(page, "This invitation has expired")
    for _ in range(10):
        with pytest.raises(HttpError, match="404"):
            call("POST", f"{service.address}/v1/team/invites/preview", body={"token": "mi_guess"})
    page.goto("about:blank")
    page.goto(f"{link}x")
    wait_for(page, "Try again in 15 minutes.")
    page.screenshot(path=tmp_path / "stopped.png")
    # After the wait, the button works.
    service.turn_clock(8 * 86_400 + 900)
    page.click("#retry")
    wait_for(page, "There is no such invitation")
    # Who has a link is not held up by who guesses.
    for _ in range(9):
        with pytest.raises(HttpError, match="404"):
            call("POST", f"{service.address}/v1/team/invites/preview", body={"token": "mi_guess"})
    page.goto("about:blank")
    page.goto(link)
    wait_for(page, "This invitation has expired")
