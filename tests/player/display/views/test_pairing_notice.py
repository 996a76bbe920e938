"""The banner of a board that goes on but has to be paired again: quiet, at the edge, whole whatever its words."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QRectF

from player.display.window.panel import Panel
from player.domain.view import Identity, PairingNotice
from tests.player.display.conftest import Glass
from tests.player.display.scenes import listing, one_menu, row

NOTICE = PairingNotice(
    name="Corner Café · Counter, left",
    locale="de-DE",
    fault="This screen was removed from the menu service. Its menu stays for up to 7 days.",
    advice="To pair it again, enter",
    user_code="WDJ-BMJ",
    address="https://menu.example.com/pair",
)
MENU = one_menu(listing(("", [row(f"Dish {number}") for number in range(12)])))
SIZES = [(1920, 1080), (1080, 1920), (3840, 2160), (1280, 720), (960, 540)]
NAMES = [
    ("Corner Café", "de-DE"),
    (
        "مطعم وحديقة الزيتون العائلي للمأكولات الشامية الأصيلة في شارع الملك عبد العزيز بالقرب من الميدان الكبير" * 2,
        "ar",
    ),
    ("上海市浦东新区世纪大道国际金融中心商场地下二层美食广场老字号本帮菜馆旗舰店" * 3, "zh-CN"),
    ("", "en"),
]


def test_it_says_where_the_board_hangs_what_is_wrong_and_what_to_do(glass: Glass) -> None:
    glass.show(MENU)
    assert glass.find("notice") == []

    glass.show(MENU, notice=NOTICE)
    assert glass.texts("noticeName") == ["Corner Café · Counter, left"]
    assert glass.texts("noticeFault") == [NOTICE.fault]
    assert (glass.texts("noticeAdvice"), glass.texts("noticeCode")) == ([NOTICE.advice], ["WDJ-BMJ"])
    assert glass.texts("noticeAddress") == ["menu.example.com/pair"]
    assert len(glass.texts("name")) == 12, "the menu shows on"

    glass.show(MENU, notice=replace(NOTICE, user_code="", address="", advice="A code will show here."))
    assert (glass.texts("noticeAdvice"), glass.find("noticeCode")) == (["A code will show here."], [])

    glass.show(MENU)
    assert glass.find("notice") == []


def test_the_screen_can_be_identified_beside_it(glass: Glass) -> None:
    glass.show(MENU, notice=NOTICE, identify=Identity(name="Counter, left", short_id="7F3A9C"))

    [banner], [notice] = glass.find("banner"), glass.find("notice")
    assert not box(banner).intersects(box(notice))


def box(item: Any) -> QRectF:
    return item.mapRectToScene(item.boundingRect())


@pytest.mark.first_case
@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize(("name", "locale"), NAMES, ids=["short", "arabic", "chinese", "none"])
def test_every_name_fits_and_the_banner_stays_small(
    make_glass: Callable[..., Glass], size: tuple[int, int], name: str, locale: str
) -> None:
    glass = make_glass(size=size)
    glass.show(MENU, notice=replace(NOTICE, name=name, locale=locale))

    [notice] = glass.find("notice")
    around = box(notice)
    assert QRectF(0, 0, *size).contains(around)
    assert around.bottom() > 0.95 * size[1], "at the edge"
    assert around.width() * around.height() < 0.12 * size[0] * size[1], "guests read the menu"
    lines = [*glass.find("noticeName"), *glass.find("noticeFault"), *glass.find("noticeCode")]
    assert len(lines) == (3 if name else 2)
    for line in lines:
        assert around.contains(box(line)), line.objectName()
        assert box(line).height() >= 10
    for one, other in itertools.pairwise(lines):
        assert not box(one).intersects(box(other))


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_it_keeps_off_an_edge_that_the_frame_hides(make_glass: Callable[..., Glass], rotation: int) -> None:
    glass = make_glass(panel=Panel(rotation=rotation, overscan=10))
    glass.show(MENU, notice=replace(NOTICE, name=NAMES[2][0]))

    [notice] = glass.find("notice")
    assert QRectF(96, 54, 768, 432).adjusted(-1, -1, 1, 1).contains(box(notice))
