"""Debian's Chromium, driven by Playwright: nothing is downloaded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from playwright.sync_api import Browser, ConsoleMessage, Error, Page, expect, sync_playwright

from tests.support.patience import PATIENCE_SECONDS

CHROMIUM = "/usr/bin/chromium"
FITS = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
"""Whether a page fits without horizontal scrolling."""

Size = tuple[int, int]
"""CSS pixels."""
Scheme = Literal["dark", "light"]

expect.set_options(timeout=PATIENCE_SECONDS * 1000)


@contextmanager
def opened() -> Iterator[Browser]:
    """A browser. Playwright keeps an event loop in this thread until it ends: meanwhile no test may run one of its own
    here."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        yield browser
        browser.close()


def look(page: Page, size: Size, scheme: Scheme = "light") -> None:
    """Show the page in this size and these colours."""
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": size[0], "height": size[1]})


def forget(page: Page) -> None:
    """Leave the page, and nothing of it for the test that uses the window next: a window of its own for each test costs
    a quarter of a second of a core."""
    page.context.clear_cookies()
    page.goto("about:blank")


@contextmanager
def faults_of(page: Page) -> Iterator[list[str]]:
    """Notes what the page writes to the console, violations of its policy among it, and errors that it does not
    catch."""
    found: list[str] = []

    def told(message: ConsoleMessage) -> None:
        found.append(message.text)

    def failed(error: Error) -> None:
        found.append(str(error))

    page.on("console", told)
    page.on("pageerror", failed)
    yield found
    page.remove_listener("console", told)
    page.remove_listener("pageerror", failed)


def is_refusal(fault: str) -> bool:
    """Whether the browser or htmx noted that the service has refused an act, which is no error of the page."""
    return "status of 4" in fault or "Status Error Code 4" in fault


def wait_for(page: Page, words: str) -> str:
    """The visible text of the page, once it contains the words."""
    body = page.locator("body")
    expect(body).to_contain_text(words, use_inner_text=True)
    return body.inner_text()
