"""The desk in a browser: a page may have no error of the console, and may ask no other host for anything."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.support.chromium import faults_of, is_refusal
from tests.support.programs import Player, Service

WIDE, PHONE = (1440, 900), (390, 844)

OpenPage = Callable[..., Page]


def link_for(service: Service, role: str, email: str = "kim@example.com") -> str:
    """A link that signs a member in, by the command line."""
    command = [sys.executable, "-m", "service", "desk-link", "--data", str(service.data), "--email", email]
    command += ["--role", role, "--name", "Kim Ortega", "--public-url", service.address]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def pair(service: Service, player: Player) -> None:
    """Make the player the screen of the first location and playlist, unless a screen is there."""
    if not service.get("/screens")["data"]:
        known = {kind: service.get(f"/{kind}s")["data"][0]["id"] for kind in ("location", "playlist")}
        service.post("/screens/pair", {"code": player.code(), **known})


@contextmanager
def pages(chromium: Browser, service: Service) -> Iterator[OpenPage]:
    """Opens windows of a person who is signed in."""
    faults: list[list[str]] = []
    ends = ExitStack()
    asked: list[str] = []
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
        faults.append(ends.enter_context(faults_of(page)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(service.address + path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert [fault for found in faults for fault in found if not is_refusal(fault)] == []
    assert [url for url in asked if _is_elsewhere(url, service)] == []


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


def _is_elsewhere(url: str, service: Service) -> bool:
    parts = urlsplit(url)
    return parts.scheme in ("http", "https") and parts.netloc != urlsplit(service.address).netloc
