"""The contrast of every text colour with the colours backdrop it (WCAG 2.2, AA)."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from PySide6.QtGui import QColor, QImage

from menu.documents.box import Box
from menu.documents.scene import (
    Background,
    ClockWidget,
    CountdownWidget,
    Gradient,
    ImageWidget,
    ItemWidget,
    TextRole,
    TextWidget,
    TickerWidget,
)
from menu.documents.theme import HeadingStyle, Theme
from menu.text.allergens import LegendLine
from player.display.typography.contrast import LARGE_CONTRAST, LEAST_CONTRAST, contrast, readable
from player.domain.view import MenuListing, MenuSection
from tests.player.display.conftest import Glass, descendants, object_of
from tests.player.display.scenes import NOON, menu, row, scene, showing

LISTED = MenuListing(
    sections=(
        MenuSection(
            heading="Coffee",
            rows=(row("Flat white", description="With milk", tags=("new",), allergens=("G",)),),
        ),
    ),
    legend=(LegendLine(mark="G", text="milk"),),
    legend_title="Allergens",
)
WORDS = ("title", "headingText", "name", "price", "details", "legend")
colours = st.builds(QColor, st.integers(0, 255), st.integers(0, 255), st.integers(0, 255))


def test_contrast_is_that_of_wcag() -> None:
    assert contrast(QColor("#000000"), QColor("#FFFFFF")) == pytest.approx(21)
    assert contrast(QColor("#777777"), QColor("#FFFFFF")) == pytest.approx(4.48, abs=0.01)
    assert contrast(QColor("#80000000"), QColor("#FFFFFF")) == pytest.approx(3.98, abs=0.05)


@given(colours, st.lists(colours, min_size=1, max_size=1))
def test_some_colour_can_be_read_on_any_other(given_colour: QColor, backdrops: list[QColor]) -> None:
    found = readable(given_colour, backdrops)

    assert contrast(found, backdrops[0]) >= LEAST_CONTRAST
    if contrast(given_colour, backdrops[0]) >= LEAST_CONTRAST:
        assert found == given_colour


@pytest.mark.parametrize(
    ("background", "theme"),
    [
        (Background(), Theme()),
        (Background(color="#FFFFFF"), Theme()),
        (Background(color="#FFFFFF"), Theme(text_color="#2B2118", accent_color="#F97316")),
        (Background(color="#777777"), Theme(text_color="#888888", accent_color="#707070")),
        (Background(gradient=Gradient(start="#101418", end="#3A2A10")), Theme(accent_color="#5A4A2A")),
        (Background(color="#FFFFFF", scrim="#80000000"), Theme(text_color="#999999")),
        (Background(color="#FFFFFF"), Theme(panel_color="#CC203040")),
        (Background(color="#101418"), Theme(panel_color="#F0FFFFFF")),
    ],
)
def test_every_word_of_a_menu_can_be_read(glass: Glass, background: Background, theme: Theme) -> None:
    glass.show(showing(scene(menu(title="Today"), background=background, theme=theme), {"menu": LISTED}))
    image = glass.grab()
    [panel] = glass.find("menu")
    backdrop = image.pixelColor(round(panel.x() / 2 + 40), round((panel.y() + panel.height() / 2) / 2))

    text_colors = {name: QColor(item.property("color")) for name in WORDS for item in glass.find(name)}
    text_colors |= {
        name: QColor(child.property("color"))
        for name in ("tag", "allergens")
        for item in glass.find(name)
        for child in item.childItems()
    }

    assert set(text_colors) == {*WORDS, "tag", "allergens"}
    assert {
        name: found
        for name, text_color in text_colors.items()
        # Headings are large.
        if (found := contrast(text_color, backdrop))
        < (LARGE_CONTRAST if name in {"title", "headingText"} else LEAST_CONTRAST) - 0.1
    } == {}


def test_a_theme_that_cannot_be_read_is_changed_and_reported(glass: Glass) -> None:
    theme = Theme(text_color="#222222", accent_color="#F97316")
    glass.show(showing(scene(menu(), background=Background(color="#FFFFFF"), theme=theme), {"menu": LISTED}))

    [fault] = glass.undrawable
    assert (fault.subject, fault.code) == ("scn_1/menu", "contrast_low")
    assert fault.detail == (
        "headings and prices in #f97316 on #ffffff can hardly be read (contrast 2.8, and 4.5 is needed), so the board"
        " draws #bb5611: set the theme's accentColor to #bb5611 or darker, or choose another background"
    )
    assert {QColor(item.property("color")).name() for item in glass.find("name")} == {"#222222"}


@pytest.mark.parametrize(("size", "drawn", "fault"), [(54, "#e0457b", ""), (53, "#be3b69", "4.5 is needed")])
def test_a_brand_s_colour_stays_in_large_letters(glass: Glass, size: int, drawn: str, fault: str) -> None:
    text = TextWidget(id="t", box=Box(x=0, y=0, width=1700, height=200), text="Sweets", size=size)
    theme = Theme(text_color="#E0457B")
    glass.show(showing(scene(text, background=Background(color="#FFF4E8"), theme=theme)))
    assert object_of(glass.find("text")[0], "facts")["color"].name() == drawn
    assert [fault in one.detail for one in glass.undrawable] == [True] * bool(fault)


def test_light_letters_stay_on_the_bar_of_a_large_heading(glass: Glass) -> None:
    theme = Theme(text_color="#FFFFFF", accent_color="#E0457B", heading_style=HeadingStyle.BOXED)
    for most, ink in ((64, "#ffffff"), (30, "#000000")):
        glass.show(showing(scene(menu(max_text_size=most), theme=theme), {"menu": LISTED}))
        assert {item.property("color").name() for item in glass.find("headingText")} == {ink}


def test_a_translucent_colour_is_reported_with_its_alpha(glass: Glass) -> None:
    theme = Theme(text_color="#FFFFFF", accent_color="#60FFFFFF")
    glass.show(showing(scene(menu(), background=Background(color="#606060"), theme=theme), {"menu": LISTED}))

    [fault] = glass.undrawable
    assert fault.detail == (
        "descriptions in #adffffff on #606060 can hardly be read (contrast 3.9, and 4.5 is needed), so the board draws"
        " #c6ffffff: set the theme's textColor lighter, or choose another background; headings and prices in #60ffffff"
        " on #606060 can hardly be read (contrast 2.3, and 4.5 is needed), so the board draws #c7ffffff: set the"
        " theme's accentColor to #c7ffffff or lighter, or choose another background"
    )


def test_a_theme_that_can_be_read_is_left_as_it_is(glass: Glass) -> None:
    theme = Theme(text_color="#FFFFFF", accent_color="#FFD166")
    glass.show(showing(scene(menu(), theme=theme), {"menu": LISTED}))

    assert glass.undrawable == []
    assert {QColor(item.property("color")).name() for item in glass.find("headingText")} == {"#ffd166"}


def test_on_an_image_the_theme_s_colours_stay(glass: Glass, tmp_path: Path) -> None:
    photo = QImage(40, 40, QImage.Format.Format_RGB32)
    photo.fill(QColor("#EEEEEE"))
    photo.save(str(tmp_path / "photo.png"))
    glass.files["a" * 64] = tmp_path / "photo.png"
    light = ImageWidget(id="light", box=Box(x=0, y=0, width=1920, height=1080), asset="a" * 64)
    theme = Theme(text_color="#101010", accent_color="#303030")
    glass.show(showing(scene(light, menu(), theme=theme), {"menu": LISTED}))

    assert glass.undrawable == []
    assert {QColor(item.property("color")).name() for item in glass.find("name")} == {"#101010"}


def test_texts_clocks_tickers_and_items_can_be_read_too(glass: Glass) -> None:
    def box(y: float) -> Box:
        return Box(x=100, y=y, width=1700, height=200)

    widgets = (
        TextWidget(id="text", box=box(0), text="Good morning"),
        TextWidget(id="accent", box=box(220), text="New", role=TextRole.ACCENT),
        ClockWidget(id="clock", box=box(440)),
        TickerWidget(id="ticker", box=box(660), text="Half price"),
        CountdownWidget(id="countdown", box=replace(box(440), x=1000), ends_at=NOON + timedelta(hours=1)),
        ItemWidget(id="item", box=box(880), item_id="soup"),
    )
    faint = Theme(text_color="#EEEEEE", accent_color="#FFFF99")
    shown = scene(*widgets, background=Background(color="#FFFFFF"), theme=faint)
    soup = row("Soup", description="Hot", tags=("new",), allergens=("celery",))
    glass.show(replace(showing(shown), items={"item": soup}))

    text_colors = {
        str(item.property("text")): QColor(item.property("color"))
        for item in descendants(glass.root)
        if item.property("text") and item.isVisible()
    }
    item_texts = {"Soup", "Hot", "NEW", "3,40 €", "Allergene: celery"}
    assert {"Good morning", "New", "13:00", "Half price", *item_texts} <= {
        text.replace("\u00a0", " ") for text in text_colors
    }
    assert {
        text: text_color.name()
        for text, text_color in text_colors.items()
        if contrast(text_color, QColor("#FFFFFF")) < LEAST_CONTRAST
    } == {}
    codes = {event.subject.removeprefix("scn_1/"): event.code for event in glass.undrawable}
    assert codes == dict.fromkeys(("text", "accent", "clock", "countdown", "ticker", "item"), "contrast_low")


def test_a_colour_that_no_text_uses_is_not_reported(glass: Glass) -> None:
    faint = Theme(text_color="#101010", accent_color="#FFFF99")
    plain = TextWidget(id="text", box=Box(x=0, y=0, width=1920, height=200), text="Good morning")
    glass.show(showing(scene(plain, background=Background(color="#FFFFFF"), theme=faint)))

    assert glass.undrawable == []
