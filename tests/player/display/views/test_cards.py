"""The pairing card, the house card and the banner."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from datetime import timedelta

import pytest
import segno
from PySide6.QtCore import QPointF

from player.display.media.qr_image import MOST_CHARACTERS, QUIET_ZONE, qr_image, qr_source
from player.display.views.cards import displayed_address, displayed_code
from player.domain.findings.connection import advice
from player.domain.link.fault import Fault
from player.domain.view import HouseCard, Identity, PairingCard
from tests.player.display.conftest import Glass
from tests.player.display.scenes import ARABIC, GERMAN, NOON, listing, one_menu, row

URI = "https://menu.example.com/pair"
SIZES = [(1920, 1080), (1080, 1920), (640, 360), (480, 800)]


def pairing(**more: object) -> PairingCard:
    facts = {
        "user_code": "WDJBMJ",
        "verification_uri": URI,
        "verification_uri_complete": f"{URI}?code=WDJ-BMJ",
        "good_until": 1000.0 + 900,
    }
    return PairingCard(**{**facts, **more})  # type: ignore[arg-type]


def code_on(glass: Glass) -> str:
    return "".join(glass.texts("codeLetter")).strip()


def test_the_code_its_address_and_its_qr_code_are_shown(glass: Glass) -> None:
    glass.show(pairing())

    assert code_on(glass) == "WDJBMJ"
    assert glass.texts("address") == ["menu.example.com/pair"]
    [qr] = glass.find("qr")
    assert qr.property("sourceSize").width() > 25


@pytest.mark.parametrize("size", SIZES)
def test_the_pairing_card_fits_its_screen_and_its_code_is_large(
    make_glass: Callable[..., Glass], size: tuple[int, int]
) -> None:
    glass = make_glass(size=size)
    trouble = advice(Fault.NO_CONNECTION, "https://a-rather-long-name.menus.example.com")
    glass.show(pairing(trouble=trouble, verification_uri="https://a-rather-long-name.menus.example.com/screens/pair"))

    for name in ("codeLetter", "address", "remaining", "trouble", "qr"):
        assert glass.find(name), name
        for item in glass.find(name):
            corner = item.mapToItem(glass.root, QPointF(0, 0))
            opposite = item.mapToItem(glass.root, QPointF(item.width(), item.height()))
            assert 0 <= corner.x() < opposite.x() <= size[0], name
            assert 0 <= corner.y() < opposite.y() <= size[1], name
    # Letters of a tenth of the short side are read from 5 m on a board of half a metre.
    letters = glass.find("codeLetter")
    assert all(item.property("font").pixelSize() >= 0.08 * min(size) for item in letters)
    lefts = [item.mapToItem(glass.root, QPointF(0, 0)).x() for item in letters]
    assert all(b - a > letters[0].width() * 0.5 for a, b in itertools.pairwise(lefts))


def test_the_code_s_remaining_time_counts_down(glass: Glass) -> None:
    glass.show(pairing(good_until=1000.0 + 872))
    assert "14:32" in glass.texts("remaining")[0]

    glass.pass_seconds(33)
    assert "13:59" in glass.texts("remaining")[0]

    glass.pass_seconds(3600)
    assert "0:00" in glass.texts("remaining")[0]


def test_a_new_code_replaces_the_old_one(glass: Glass) -> None:
    glass.show(pairing())
    [host] = glass.find("host")

    glass.show(pairing(user_code="BCD-FGH", good_until=1000.0 + 1800))

    assert code_on(glass) == "BCDFGH"
    assert "30:00" in glass.texts("remaining")[0]
    assert glass.find("host") == [host]


def test_without_a_code_the_card_shows_what_it_waits_for_and_what_is_wrong(glass: Glass) -> None:
    glass.show(PairingCard(trouble="The service cannot be reached."))

    assert code_on(glass) == ""
    assert "Asking the service" in glass.texts("pairingAddress")[0]
    assert glass.texts("trouble") == ["The service cannot be reached."]
    assert glass.find("qr") == []
    assert glass.find("remaining") == []


@pytest.mark.parametrize("written", ["WDJBMJ", "wdj-bmj", "WDJ BMJ"])
def test_a_code_is_always_shown_in_two_groups(written: str) -> None:
    assert displayed_code(written) == "WDJ-BMJ"


def test_an_address_is_shown_as_it_is_typed() -> None:
    assert displayed_address("https://menu.example.com/pair/") == "menu.example.com/pair"
    assert displayed_address("http://127.0.0.1:8080/pair") == "127.0.0.1:8080/pair"


def test_the_qr_code_is_the_address_module_by_module_in_its_quiet_zone() -> None:
    image = qr_image(URI)
    modules = [bytes(line) for line in segno.make_qr(URI, error="m", boost_error=False).matrix]
    drawn = [
        bytes(int(image.pixelColor(x + QUIET_ZONE, y + QUIET_ZONE).lightness() == 0) for x in range(len(modules)))
        for y in range(len(modules))
    ]

    assert drawn == modules
    assert image.width() == len(modules) + 2 * QUIET_ZONE
    assert {image.pixelColor(x, QUIET_ZONE - 1).lightness() for x in range(image.width())} == {255}


def test_an_address_too_long_to_scan_has_no_qr_code() -> None:
    assert qr_source("x" * MOST_CHARACTERS) != ""
    assert qr_source("x" * (MOST_CHARACTERS + 1)) == ""
    assert qr_source("") == ""


def test_the_house_card_shows_the_location_s_name_and_time(glass: Glass) -> None:
    glass.show(HouseCard(location_name="Corner Café", locality=GERMAN, reason="Nothing is scheduled"))

    assert glass.texts("houseName") == ["Corner Café"]
    assert glass.texts("houseTime") == ["13:00"]
    assert glass.texts("houseDay") == ["Freitag"]
    assert glass.texts("houseReason") == ["Nothing is scheduled"]
    assert glass.find("houseNext") == []

    glass.pass_seconds(90)
    assert glass.texts("houseTime") == ["13:01"]


def test_the_house_card_shows_when_something_is_scheduled_again(glass: Glass) -> None:
    glass.show(HouseCard(location_name="Corner Café", locality=GERMAN, next_at=NOON + timedelta(hours=18)))

    assert glass.texts("houseNext") == ["Wieder da: Samstag, 07:00"]


@pytest.mark.parametrize("size", SIZES)
def test_the_house_card_fits_its_screen(make_glass: Callable[..., Glass], size: tuple[int, int]) -> None:
    glass = make_glass(size=size)
    glass.show(
        HouseCard(
            location_name="The Old Harbour Master’s House, Restaurant and Terrace",
            locality=GERMAN,
            reason="Nothing is scheduled",
            next_at=NOON + timedelta(hours=18),
        )
    )
    names = ("houseName", "houseTime", "houseDay", "houseNext", "houseReason")
    spans = []
    for name in names:
        [item] = glass.find(name)
        top = item.mapToItem(glass.root, QPointF(0, 0)).y()
        spans.append((top, top + item.height()))

    assert all(0 <= top < bottom <= size[1] for top, bottom in spans)
    assert all(above[1] <= below[0] + 1 for above, below in itertools.pairwise(spans)), spans


def test_the_card_is_never_black(glass: Glass) -> None:
    glass.show(HouseCard())
    image = glass.grab()

    assert min(image.pixelColor(x, y).lightness() for x in (5, 480, 950) for y in (5, 270, 535)) >= 10


def test_clocks_include_the_clock_offset(glass: Glass) -> None:
    glass.show(HouseCard(location_name="x", locality=GERMAN), clock_offset=timedelta(hours=2))

    assert glass.texts("houseTime") == ["15:00"]


def test_an_arabic_card_is_in_arabic(glass: Glass) -> None:
    glass.show(HouseCard(location_name="مقهى الركن", locality=ARABIC, next_at=NOON + timedelta(hours=1)))

    [next_on] = glass.texts("houseNext")
    assert "نعود" in next_on


def test_the_banner_names_the_screen_over_whatever_shows(glass: Glass) -> None:
    menu = one_menu(listing(("", [row("Soup")])))
    glass.show(menu)
    assert glass.find("banner") == []

    glass.show(menu, identify=Identity(name="Counter, left", short_id="7F3A9C"))
    assert glass.texts("bannerText") == ["Counter, left"]
    assert glass.texts("name") == ["Soup"]

    glass.show(menu)
    assert glass.find("banner") == []
