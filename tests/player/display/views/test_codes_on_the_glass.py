"""QR codes on the glass, read from its pixels by zbar: the content, and that a phone can read them from 3 m away."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtQuick import QQuickItem

from player.domain import events as ev
from player.domain.findings.diagnosis import diagnose
from player.domain.link.connection import ConnectionTest, Step, StepResult
from player.domain.link.fault import Fault
from player.domain.pairing.access import Pin
from player.domain.strip import MAX_QR_BYTES, identity, strip
from player.domain.view import HouseCard, Strip
from tests.player.display.conftest import Glass
from tests.player.display.scenes import ARABIC, GERMAN, NOON
from tests.player.display.views.test_strip import MENU, PAIRING
from tests.player.display.widgets.test_qr_and_shape import decoded
from tests.player.page.test_diagnostics import Glass as BoardState

SIZES = [(1920, 1080), (1280, 720), (1080, 1920), pytest.param((3840, 2160), marks=pytest.mark.long)]
PANEL_MILLIMETRES = 43 * 25.4
"""The diagonal of a small board."""
LEAST_MILLIMETRES = 1.98
"""Pixels of a module: two pixels of a phone's camera of 12 megapixels, which sees 4 m of a wall that is 3 m away in
4,000."""
PAGES = (
    "http://192.168.1.7:8085",
    "http://192.168.101.237:8085",
    "http://[2001:db8:1234:5678:9abc:def0:1234:5678]:8085",
)


def board(page: str = "") -> BoardState:
    found = BoardState()
    no_cable = StepResult(step=Step.LINK, passed=False, fault=Fault.NO_CABLE)
    found.conductor.handle(ev.ServiceFailed(call="manifest", fault=Fault.NO_CONNECTION, detail="no route"))
    found.conductor.handle(ev.ConnectionTested(test=ConnectionTest(at=NOON, steps=[no_cable])))
    if page:
        found.conductor.handle(ev.AddressesRead(pages=(f"{page}/",)))
    return found


def strip_of(page: str = "", locale: str = "en") -> Strip:
    state = board(page).snapshot()
    return strip(state, next(iter(diagnose(state))), locale=locale)


def module_millimetres(item: QQuickItem, size: tuple[int, int]) -> float:
    """Side of a module on the panel."""
    modules = float(item.property("implicitWidth"))
    assert item.width() % modules == 0, "whole pixels"
    return item.width() / modules * PANEL_MILLIMETRES / math.hypot(*size)


def codes(glass: Glass) -> list[QQuickItem]:
    tiles = [child for tile in glass.find("stripQr") for child in tile.childItems() if child.property("source")]
    return tiles + glass.find("qr")


def read(glass: Glass, folder: Path) -> str:
    for code in codes(glass):
        assert module_millimetres(code, glass.size) >= LEAST_MILLIMETRES
    return decoded(glass.grab(), folder)


@pytest.mark.first_case
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_the_strip_s_code_opens_the_page(
    make_glass: Callable[..., Glass], tmp_path: Path, size: tuple[int, int]
) -> None:
    glass = make_glass(size=size)
    for page in PAGES:
        glass.show(MENU, strip=strip_of(page))
        assert read(glass, tmp_path) == page


@pytest.mark.first_case
@pytest.mark.parametrize("locale", ["en", "ar"])
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_without_a_network_it_carries_what_is_wrong(
    make_glass: Callable[..., Glass], tmp_path: Path, size: tuple[int, int], locale: str
) -> None:
    glass = make_glass(size=size)
    told = strip_of(locale=locale)
    glass.show(MENU, strip=told, locality=ARABIC if locale == "ar" else GERMAN)
    said = read(glass, tmp_path)
    assert said == told.qr
    assert said.startswith(told.finding)

    longest = ("خ" * MAX_QR_BYTES).encode()[:MAX_QR_BYTES].decode(errors="ignore")
    glass.show(MENU, strip=replace(told, qr=longest), locality=ARABIC)
    assert read(glass, tmp_path) == longest


@pytest.mark.first_case
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_the_codes_of_the_cards_and_of_f1_are_read_beside_each_other(
    make_glass: Callable[..., Glass], tmp_path: Path, size: tuple[int, int]
) -> None:
    glass = make_glass(size=size)
    page = PAGES[0]
    pin = Pin(digits="482913", until=glass.monotonic + 120)
    shown = {"strip": strip_of(page), "identify": identity(board(page).snapshot()), "pin": pin}
    glass.show(MENU, **shown)
    assert read(glass, tmp_path) == page
    glass.show(HouseCard(location_name="Corner Café", locality=GERMAN), strip=strip_of(page))
    assert read(glass, tmp_path) == page
    glass.show(PAIRING, strip=strip_of(page))
    glass.settle()
    assert set(read(glass, tmp_path).splitlines()) == {page, PAIRING.verification_uri_complete}
