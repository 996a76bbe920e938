"""Text and clock widgets: size, position and alignment on the canvas."""

from __future__ import annotations

import gc
import sys
from datetime import timedelta

import pytest
from PySide6.QtGui import QFontMetricsF
from PySide6.QtQuick import QQuickItem

from menu.documents.box import Box
from menu.documents.scene import Align, Background, ClockWidget, TextRole, TextWidget, VerticalAlign
from menu.documents.theme import Italic, Theme
from menu.text.wording import Locality
from tests.player.display.conftest import Glass
from tests.player.display.scenes import ARABIC, GERMAN, scene, showing

BOX = Box(x=100, y=100, width=800, height=200)


def text(content: str, **more: object) -> TextWidget:
    return TextWidget(**{"id": "text", "box": BOX, "text": content, **more})  # type: ignore[arg-type]


def shown(glass: Glass, *widgets: object, locality: Locality = GERMAN) -> None:
    glass.show(showing(scene(*widgets), locality=locality))


def words(glass: Glass, name: str = "text") -> QQuickItem:
    [box] = glass.find(name)
    return box.childItems()[0]


@pytest.mark.parametrize("content", ["Hi", "Fresh every morning", "A somewhat longer sentence " * 6])
def test_a_text_without_a_size_is_the_largest_that_fits(glass: Glass, content: str) -> None:
    shown(glass, text(content))
    item = words(glass)
    lines = item.property("text").split("\n")
    metrics = QFontMetricsF(item.property("font"))
    size = item.property("font").pixelSize()

    assert " ".join(lines) == content.strip()
    assert max(metrics.horizontalAdvance(line) for line in lines) <= BOX.width * 1.005
    assert len(lines) * 1.22 * size <= BOX.height * 1.05
    grown = (size + 2) / size
    one_line_fits = metrics.horizontalAdvance(content) * grown <= BOX.width
    assert (len(lines) * 1.22 * size * grown > BOX.height) or not one_line_fits


NAMES = (
    "Uno",
    "Pizzeria da Antonio",
    "Zum Goldenen Hirschen",
    "Wirtshausbrauereigaststätte Adler",
    "Ταβέρνα του Νικόλα στο λιμάνι",
    "Столовая «У Достоевского»",
    "مطعم الشاورما الدمشقية",
    "המסעדה של סבתא רחל",
    "ร้านก๋วยเตี๋ยวเรือป้ายักษ์",
    "माँ के हाथ का खाना",
    "老北京炸酱面大王",
    "季節の天ぷらと手打ち蕎麦の店",
)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("box", [Box(x=0, y=0, width=560, height=130), Box(x=0, y=0, width=400, height=400)])
def test_a_title_is_whole(glass: Glass, name: str, box: Box) -> None:
    shown(glass, text(name, size=110, role=TextRole.TITLE, box=box))
    item = words(glass)
    lines = item.property("text").split("\n")
    metrics = QFontMetricsF(item.property("font"))

    assert "".join(line.removesuffix("-") for line in lines).replace(" ", "") == name.replace(" ", "")
    assert max(metrics.horizontalAdvance(line) for line in lines) <= box.width * 1.005
    assert not [one for one in glass.undrawable if one.code == "text_cut"]


def test_a_title_shrinks_before_it_breaks_and_is_reported_where_it_is_much_smaller(glass: Glass) -> None:
    low = Box(x=0, y=0, width=800, height=110)
    shown(glass, text("Zum Goldenen Hirschen", size=88, role=TextRole.TITLE, box=low))
    item = words(glass)
    assert "\n" not in item.property("text")
    assert 53 <= item.property("font").pixelSize() < 88
    assert glass.undrawable == []

    shown(glass, text("Zum Goldenen Hirschen am Alten Markt", size=110, role=TextRole.TITLE, box=low))
    [fault] = glass.undrawable
    assert fault.code == "text_small"
    assert "110 are wanted" in fault.detail


def test_a_text_of_a_size_is_smaller_where_it_has_no_room_and_what_is_cut_even_so_is_reported(glass: Glass) -> None:
    shown(glass, text("Much too much to say in a box of this size, whichever way one looks at it", size=90))
    item = words(glass)

    assert item.property("font").pixelSize() < 90
    assert item.property("text").endswith("at it")

    shown(glass, text("Much too much to say " * 200, size=90))
    assert words(glass).property("text").endswith("…")
    assert [one.code for one in glass.undrawable] == ["text_small", "text_cut"]


@pytest.mark.parametrize(
    ("align", "locality", "share"),
    [
        (Align.LEFT, GERMAN, 0.0),
        (Align.CENTER, GERMAN, 0.5),
        (Align.RIGHT, GERMAN, 1.0),
        (Align.LEFT, ARABIC, 1.0),
        (Align.CENTER, ARABIC, 0.5),
        (Align.RIGHT, ARABIC, 0.0),
    ],
)
def test_text_is_aligned_as_written_and_mirrored_for_right_to_left(
    glass: Glass, align: Align, locality: Locality, share: float
) -> None:
    shown(glass, text("███", size=60, align=align), locality=locality)
    image = glass.grab()
    scale = image.width() / 1920
    lit = [x for x in range(image.width()) if image.pixelColor(x, round(200 * scale)).lightness() > 120]
    width = (lit[-1] - lit[0] + 1) / scale

    assert lit[0] / scale == pytest.approx(BOX.x + share * (BOX.width - width), abs=8)


@pytest.mark.parametrize(
    ("vertical", "top"), [(VerticalAlign.TOP, 100), (VerticalAlign.MIDDLE, 160), (VerticalAlign.BOTTOM, 220)]
)
def test_text_stands_where_its_vertical_alignment_says(glass: Glass, vertical: VerticalAlign, top: int) -> None:
    shown(glass, text("X", size=64, vertical_align=vertical))
    [box] = glass.find("text")
    item = box.childItems()[0]
    baseline = box.parentItem().y() + item.y() + item.baselineOffset()

    assert baseline == pytest.approx(top + 0.96 * 64, abs=3)


def test_lines_break_only_where_the_language_allows(glass: Glass) -> None:
    shown(glass, text("街角咖啡馆每天早上新鲜烘焙面包和蛋糕", size=90))

    assert len(words(glass).property("text").split("\n")) == 2 or "…" in words(glass).property("text")


def test_a_text_s_own_line_breaks_are_kept(glass: Glass) -> None:
    shown(glass, text("One\nTwo\nThree", size=40))

    assert words(glass).property("text") == "One\nTwo\nThree"


def test_no_short_word_stands_alone_at_the_end_of_a_title(glass: Glass) -> None:
    content = "The finest pies you ever had\nFresh from the oven here and now"
    box = Box(x=100, y=100, width=790, height=400)
    shown(glass, text(content, box=box, size=60, role=TextRole.TITLE))
    lines = words(glass).property("text").split("\n")

    assert " ".join(lines) == content.replace("\n", " ")
    assert len(lines) == 3
    assert all(" " in line for line in lines), lines


def test_roles_take_the_theme_s_fonts_and_colours(glass: Glass) -> None:
    theme = Theme(font_family="DejaVu Sans", title_family="Noto Serif", text_color="#ABCDEF", accent_color="#FEDCBA")
    widgets = [text("x", id=role.value, role=role, theme=theme) for role in TextRole]
    shown(glass, *widgets)
    body, title, accent = (box.childItems()[0] for box in glass.find("text"))

    assert [item.property("font").family() for item in (body, title, accent)] == [
        "DejaVu Sans",
        "Noto Serif",
        "DejaVu Sans",
    ]
    assert [item.property("color").name().upper() for item in (body, title, accent)] == [
        "#ABCDEF",
        "#ABCDEF",
        "#FEDCBA",
    ]


def test_an_emoji_does_not_shift_the_words_after_it(glass: Glass) -> None:
    content = "Pizza 🍕🍕 and pasta 🍝 for everyone at the table, and wine for those who like it"
    shown(glass, text(content))

    assert words(glass).property("text").replace("\n", " ") == content


def test_a_clock_shows_its_zone_s_time_and_ticks(glass: Glass) -> None:
    shown(glass, ClockWidget(id="clock", box=BOX), ClockWidget(id="tokyo", box=BOX, timezone="Asia/Tokyo"))
    assert [item.property("text") for box in glass.find("clock") for item in box.childItems()] == [
        "13:00",
        "21:00",
    ]

    glass.pass_seconds(59)
    assert glass.find("clock")[0].childItems()[0].property("text") == "13:00"

    glass.pass_seconds(1)
    assert glass.find("clock")[0].childItems()[0].property("text") == "13:01"


def test_a_clock_follows_a_correction_at_once(glass: Glass) -> None:
    view = showing(scene(ClockWidget(id="clock", box=BOX)))
    glass.show(view)

    glass.show(view, clock_offset=timedelta(minutes=5))

    assert words(glass, "clock").property("text") == "13:05"


def test_a_clock_does_not_jump_with_its_figures(glass: Glass) -> None:
    shown(glass, ClockWidget(id="clock", box=BOX, pattern="HH:mm:ss"))
    widths = []
    for _ in range(12):
        widths.append(words(glass, "clock").property("contentWidth"))
        glass.pass_seconds(1)

    assert max(widths) - min(widths) < 1.0


def test_a_clock_has_one_size_whatever_its_figures(glass: Glass) -> None:
    narrow = Box(x=100, y=100, width=400, height=400)
    shown(glass, ClockWidget(id="clock", box=narrow, pattern="HH:mm:ss"), locality=ARABIC)
    sizes, widest = set(), 0.0
    for _ in range(60):
        clock = words(glass, "clock")
        sizes.add(clock.property("font").pixelSize())
        widest = max(widest, clock.property("contentWidth"))
        glass.pass_seconds(1)

    assert len(sizes) == 1
    assert 0.7 * narrow.width < widest <= narrow.width


@pytest.mark.long
def test_a_clock_that_shows_for_a_day_keeps_no_more_than_one_that_shows_for_an_hour(glass: Glass) -> None:
    shown(glass, ClockWidget(id="clock", box=BOX))

    def show_for(minutes: int) -> int:
        for _ in range(minutes):
            glass.pass_seconds(60)
        gc.collect()
        return sys.getallocatedblocks()

    after_an_hour = show_for(120)
    assert show_for(1440 - 120) - after_an_hour < 1000


@pytest.mark.parametrize(
    ("role", "italic", "slanted", "spaced"),
    [
        (TextRole.TITLE, Italic.TITLES, True, True),
        (TextRole.ACCENT, Italic.TITLES, False, True),
        (TextRole.BODY, Italic.DETAILS, True, False),
        (TextRole.TITLE, Italic.NONE, False, True),
    ],
)
def test_a_theme_sets_italics_and_letter_spacing_by_role(
    glass: Glass, role: TextRole, italic: Italic, slanted: bool, spaced: bool
) -> None:
    shown(glass, text("Sunday roast", role=role, size=60, theme=Theme(italic=italic, letter_spacing=0.2)))
    font = words(glass).property("font")
    assert font.italic() is slanted
    assert (font.letterSpacing() > 100) is spaced


def test_a_joined_script_has_neither_italics_nor_letter_spacing(glass: Glass) -> None:
    theme = Theme(italic=Italic.ALL, letter_spacing=0.2)
    shown(glass, text("قائمة الطعام", role=TextRole.TITLE, theme=theme), locality=ARABIC)
    font = words(glass).property("font")
    assert not font.italic()
    assert font.letterSpacing() in (0, 100)


@pytest.mark.parametrize("locale", ["ja-JP", "zh-CN", "ko-KR", "th-TH", "hi-IN"])
def test_a_script_of_squares_or_joined_letters_has_no_letter_spacing(glass: Glass, locale: str) -> None:
    locality = Locality(timezone="Asia/Tokyo", locale=locale)
    shown(glass, text("麺処", role=TextRole.TITLE, theme=Theme(letter_spacing=0.2)), locality=locality)
    assert words(glass).property("font").letterSpacing() in (0, 100)


def test_a_shadow_reads_on_a_ground_of_the_text_s_colour(glass: Glass) -> None:
    theme = Theme(text_color="#FFFFFF", shadow_color="#000000")
    plain = scene(text("Fresh", size=120, theme=Theme(text_color="#FFFFFF")), background=Background(color="#FFFFFF"))
    shadowed = scene(text("Fresh", size=120, theme=theme), background=plain.background)
    dark = []
    for one in (plain, shadowed):
        glass.show(showing(one))
        seen = glass.grab()
        dark.append(len(glass.find("shadow")))
    assert dark == [0, 8]
    around = [seen.pixelColor(x, y).lightness() for x in range(50, 450, 2) for y in range(50, 150, 2)]
    assert min(around) < 8 < max(around)
