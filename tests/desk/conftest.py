"""The desk in Debian's Chromium, driven by Playwright: nothing is downloaded.

A page may have no error of the console, and may ask no other host for anything."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright

from tests.support.axe import RULES, SOURCE
from tests.support.programs import Service

CHROMIUM = "/usr/bin/chromium"
WIDE, PHONE = (1440, 900), (390, 844)

OpenPage = Callable[..., Page]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


def link_for(service: Service, role: str, email: str = "kim@example.com") -> str:
    """A link that signs a member in, by the command line."""
    command = [sys.executable, "-m", "service", "desk-link", "--data", str(service.data), "--email", email]
    command += ["--role", role, "--name", "Kim Ortega", "--public-url", service.address]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@contextmanager
def pages(chromium: Browser, service: Service) -> Iterator[OpenPage]:
    """Opens windows of a person who is signed in."""
    faults: list[str] = []
    contexts: list[BrowserContext] = []
    state = _state(chromium, service)

    def open_page(
        path: str, *, size: tuple[int, int] = WIDE, dark: bool = False, language: str = "en", signed_in: bool = True
    ) -> Page:
        context = chromium.new_context(
            storage_state=state if signed_in else None,
            viewport={"width": size[0], "height": size[1]},
            color_scheme="dark" if dark else "light",
            locale=language,
            reduced_motion="reduce",
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: _check_message(message, faults))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("request", lambda request: _check_host(request.url, service, faults))
        page.goto(service.address + path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert faults == []


@pytest.fixture
def open_page(chromium: Browser, service: Service) -> Iterator[OpenPage]:
    """Opens windows of an owner at the `service` of the test's module."""
    with pages(chromium, service) as opener:
        yield opener


_states: dict[str, Any] = {}
"""The cookies of an owner, by the address of a service: a link is made once."""


def _state(chromium: Browser, service: Service) -> Any:
    if service.address not in _states:
        context = chromium.new_context()
        context.new_page().goto(link_for(service, "Owner"))
        _states[service.address] = context.storage_state()
        context.close()
    return _states[service.address]


def _check_message(message: ConsoleMessage, faults: list[str]) -> None:
    # An act that the service refuses is no error of the page: the browser and htmx note its status.
    refused = "status of 4" in message.text or "Status Error Code 4" in message.text
    if message.type in ("error", "warning") and not refused:
        faults.append(message.text)


def _check_host(url: str, service: Service, faults: list[str]) -> None:
    parts = urlsplit(url)
    if parts.scheme in ("http", "https") and parts.netloc != urlsplit(service.address).netloc:
        faults.append(f"asks another host: {url}")


def violations(page: Page) -> list[Any]:
    """Faults of accessibility by WCAG 2.2 AA, as axe-core finds them."""
    page.evaluate(Path(SOURCE).read_text(encoding="utf-8") + "; null")
    found: list[Any] = page.evaluate(
        "rules => axe.run(document, {runOnly: rules, resultTypes: ['violations']}).then("
        "found => found.violations.map(one => [one.id, one.help, one.nodes.map(node => node.html).slice(0, 3)]))",
        list(RULES),
    )
    return found
