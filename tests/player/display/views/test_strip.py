"""The strip for a technician: at the edge, whole whatever its words, and beside what stands there already."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QRectF

from player.display.media.qr_image import PLAIN, qr_source
from player.display.window.panel import Panel
from player.domain.strip import MAX_QR_BYTES
from player.domain.view import HouseCard, Identity, PairingCard, PairingNotice, Strip
from tests.player.display.conftest import Glass
from tests.player.display.scenes import ARABIC, GERMAN, NOON, listing, one_menu, row

MENU = one_menu(listing(("", [row(f"Dish {number}") for number in range(12)])))
PAGE = "http://192.168.1.23:8085"
STRIP = Strip(
    name="Counter left · Corner Café",
    version="Menu Player 0.1.0",
    address=PAGE,
    finding="menu.example.com cannot be reached.",
    qr=PAGE,
)
SENTENCE = "The device cannot write to its disk; what is new is lost when the player ends. " * 2
OFFLINE = replace(
    STRIP, name="مطعم وحديقة الزيتون العائلي للمأكولات " * 4, address="", finding=SENTENCE, qr="x" * MAX_QR_BYTES
)
HOUSE = HouseCard(
    location_name="The Old Harbour Master’s House, Restaurant and Terrace",
    locality=GERMAN,
    reason="No published playlist is assigned to this screen",
    next_at=NOON + timedelta(hours=18),
)
PAIRING = PairingCard(
    user_code="WDJ-BMJ",
    verification_uri="https://menu.example.com/pair",
    verification_uri_complete="https://menu.example.com/pair?code=WDJBMJ",
    good_until=1500.0,
    trouble="Something in this network answers in place of the menu service. Ask who runs the network.",
)
SIZES = [(1920, 1080), (1080, 1920), (3840, 2160), (1280, 720), (960, 540), (1024, 768)]


def box(item: Any) -> QRectF:
    return item.mapRectToScene(item.boundingRect())


def test_it_comes_and_goes_over_the_menu(glass: Glass) -> None:
    glass.show(MENU)
    assert glass.find("strip") == []
    glass.show(MENU, strip=STRIP)
    assert (glass.texts("stripName"), glass.texts("stripVersion")) == ([STRIP.name], [STRIP.version])
    assert (glass.texts("stripAddress"), glass.texts("stripFinding")) == ([PAGE], [STRIP.finding])
    assert len(glass.texts("name")) == 12, "the menu shows on"
    glass.show(MENU, strip=replace(STRIP, finding="", address="", qr=""))
    assert [glass.find(name) for name in ("stripAddress", "stripFinding", "stripQr")] == [[], [], []]
    glass.show(MENU)
    assert glass.find("strip") == []


@pytest.mark.first_case
@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("strip", [STRIP, OFFLINE], ids=["short", "long"])
@pytest.mark.parametrize("locality", [GERMAN, ARABIC], ids=["german", "arabic"])
def test_it_is_whole_and_small(
    make_glass: Callable[..., Glass], size: tuple[int, int], strip: Strip, locality: object
) -> None:
    glass = make_glass(size=size)
    glass.show(MENU, strip=strip, locality=locality)

    [found] = glass.find("strip")
    around = box(found)
    assert QRectF(0, 0, *size).contains(around)
    assert around.bottom() > 0.95 * size[1], "at the edge"
    assert around.height() < (0.29 if strip is OFFLINE else 0.25) * min(size)
    lines = [item for name in ("stripName", "stripAddress", "stripFinding") for item in glass.find(name)]
    for line in (*lines, *glass.find("stripQr"), *glass.find("stripVersion")):
        assert around.contains(box(line)), line.objectName()
    for above, below in itertools.pairwise(lines):
        assert not box(above).intersects(box(below))
    [name], [version] = glass.find("stripName"), glass.find("stripVersion")
    assert not box(name).intersects(box(version))


@pytest.mark.first_case
@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("strip", [STRIP, OFFLINE], ids=["short", "long"])
def test_the_cards_leave_room_for_it(make_glass: Callable[..., Glass], size: tuple[int, int], strip: Strip) -> None:
    glass = make_glass(size=size)
    glass.show(HOUSE, strip=strip)
    [found] = glass.find("strip")
    names = ("houseName", "houseTime", "houseDay", "houseNext", "houseReason")
    spans = [box(item) for name in names for item in glass.find(name)]
    assert all(span.top() >= 0 and not span.intersects(box(found)) for span in spans)
    assert all(above.bottom() <= below.top() + 1 for above, below in itertools.pairwise(spans)), spans

    glass.show(PAIRING, strip=strip)
    glass.settle()
    for name in ("address", "codeLetter", "trouble", "qr", "remaining"):
        for item in glass.find(name):
            assert box(item).top() >= 0
            assert not box(item).intersects(box(found)), name


def test_the_request_to_pair_again_stands_above_it(glass: Glass) -> None:
    notice = PairingNotice(name="Corner Café", locale="de-DE", fault="This screen was removed.", advice="Wait.")
    glass.show(MENU, strip=STRIP, notice=notice)
    [strip], [banner] = glass.find("strip"), glass.find("notice")
    assert box(banner).bottom() < box(strip).top()


def test_its_code_has_whole_pixels(make_glass: Callable[..., Glass]) -> None:
    glass = make_glass(size=(1920, 1080))
    glass.show(MENU, strip=STRIP)
    [tile] = glass.find("stripQr")
    [code] = [item for item in tile.childItems() if item.property("source") is not None]
    assert code.property("source").toString() == qr_source(PAGE, PLAIN)
    assert code.width() / code.property("implicitWidth") == 4.0


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_it_keeps_off_an_edge_that_the_frame_hides(make_glass: Callable[..., Glass], rotation: int) -> None:
    glass = make_glass(panel=Panel(rotation=rotation, overscan=10))
    glass.show(MENU, strip=OFFLINE)
    [strip] = glass.find("strip")
    assert QRectF(96, 54, 768, 432).adjusted(-1, -1, 1, 1).contains(box(strip))


@pytest.mark.first_case
@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("locality", [GERMAN, ARABIC], ids=["german", "arabic"])
def test_a_screen_that_is_asked_for_says_everything_about_itself(
    make_glass: Callable[..., Glass], size: tuple[int, int], locality: object
) -> None:
    glass = make_glass(size=size)
    named = Identity(name=OFFLINE.name, location=OFFLINE.name, short_id="7F3A9C", address=PAGE)
    glass.show(MENU, identify=named, strip=OFFLINE, locality=locality)

    [banner], [strip] = glass.find("banner"), glass.find("strip")
    assert QRectF(0, 0, *size).contains(box(banner))
    assert not box(banner).intersects(box(strip))
    lines = [glass.find(name)[0] for name in ("bannerText", "bannerLocation", "bannerShortId")]
    for line in (*lines, *glass.find("bannerAddress")):
        assert box(banner).contains(box(line)), line.objectName()
    for above, below in itertools.pairwise(lines):
        assert not box(above).intersects(box(below))
    assert (glass.texts("bannerShortId"), glass.texts("bannerAddress")) == (["7F3A9C"], [PAGE])
