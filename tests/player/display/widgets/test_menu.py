"""Menu widgets on the glass: rows, order, prices, layout."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage
from PySide6.QtQuick import QQuickItem

from menu.documents.box import Box
from menu.documents.scene import Align, SoldOut, TextWidget
from menu.documents.theme import HeadingStyle, Theme, Weight
from menu.text.wording import Locality
from player.display.typography.contrast import LARGE_CONTRAST, LEAST_CONTRAST, contrast
from player.domain.view import MenuListing, SceneView
from tests.player.display.conftest import Glass, text_width
from tests.player.display.scenes import ARABIC, GERMAN, listing, menu, one_menu, row, scene, showing

COFFEE = [
    row("Espresso", "2,40 €", description="Roasted in town"),
    row("Flat white", "3,80 €", modifiers=[("Oat milk", "+0,50 €"), ("Extra shot", "+0,90 €")], tags=("new",)),
    row("Hot chocolate", "14,20 €", tags=("vegan",)),
]
FOOD = [row("Butter croissant", "2,90 €"), row("Avocado toast", "9,80 €"), row("Granola bowl", "7,60 €")]
SIXTY = [row(f"Dish number {number}", f"{2 + number % 13},{number:02d} €") for number in range(60)]
LONG = [
    row(
        "Slow-braised shoulder of salt-marsh lamb with rosemary jus, glazed carrots and potato gratin",
        "24,50 €",
        description="Twelve hours in the oven, carved at the pass; with celery, and with a great deal of patience",
        tags=("gluten-free", "new"),
    ),
    row("Donaudampfschifffahrtsgesellschaftskapitänsfrühstück", "112,00 €"),
    *FOOD,
]
DINARS = [row(n, f"{p} د.ك.", decimals=3, tags=("جديد",)) for n, p in (("قهوة عربية", "١٫٢٥٠"), ("كابتشينو", "١٢٫٧٥٠"))]
YEN = [
    row("抹茶ラテ", "¥580", decimals=0),
    row("あんバタートースト", "¥1,280", decimals=0),
    row("ほうじ茶", "¥420", decimals=0),
]
YUAN = [
    row("手冲咖啡", "¥32.00", description="云南保山，水洗，柑橘与红糖"),
    row("牛油果吐司", "¥128.00"),
    row("Flat white 澳白", "¥29.00"),
]
KUWAIT = [row("Espresso", "KWD 1.250", decimals=3), row("Spanish latte", "KWD 12.750", decimals=3)]
CHINA = Locality(timezone="Asia/Shanghai", locale="zh-CN")
JAPAN = Locality(timezone="Asia/Tokyo", locale="ja-JP")

MENUS = {
    "three": one_menu(listing(("", COFFEE)), title="Today"),
    "sections": one_menu(listing(("Coffee", COFFEE), ("Kitchen", FOOD)), title="Corner Café"),
    "leaders": one_menu(listing(("Coffee", COFFEE), ("Kitchen", FOOD)), leader=True),
    "panel": one_menu(listing(("Coffee", COFFEE)), title="Coffee", theme=Theme(panel_color="#40000000")),
    "sixty": one_menu(listing(("A", SIXTY[:20]), ("B", SIXTY[20:]))),
    "sixty upright": one_menu(
        listing(("A", SIXTY)), title="All", width=1080, height=1920, box=Box(x=60, y=60, width=960, height=1800)
    ),
    "long": one_menu(listing(("Specials", LONG)), box=Box(x=40, y=40, width=1000, height=960)),
    "long upright": one_menu(
        listing(("Specials", LONG)), width=1080, height=1920, box=Box(x=60, y=60, width=960, height=1800)
    ),
    "arabic": one_menu(listing(("المشروبات", DINARS)), title="قائمة اليوم", locality=ARABIC),
    "chinese": one_menu(listing(("咖啡", YUAN)), title="街角咖啡馆", locality=CHINA),
    "japanese": one_menu(listing(("お飲み物", YEN)), locality=JAPAN),
    "dinars": one_menu(listing(("Coffee", KUWAIT)), columns=2),
    "sold out": one_menu(listing(("Coffee", [*COFFEE, row("Cold brew", sold_out=True)])), sold_out=SoldOut.MARK),
}


@pytest.fixture(params=MENUS)
def shown_menu(request: pytest.FixtureRequest, glass: Glass) -> tuple[Glass, SceneView]:
    view = MENUS[request.param]
    glass.show(view)
    return glass, view


def all_rows(view: SceneView) -> MenuListing:
    return view.menus["menu"]


def in_canvas(glass: Glass, item: QQuickItem) -> QRectF:
    [canvas] = glass.find("canvas")
    return item.mapRectToItem(canvas, QRectF(0, 0, item.width(), item.height()))


def text_rects(glass: Glass, item: QQuickItem, *, right_to_left: bool = False) -> Iterator[QRectF]:
    """The rectangles that the letters of a text cover, line by line, in canvas units."""
    [canvas] = glass.find("canvas")
    metrics = QFontMetricsF(item.property("font"))
    right = right_to_left and item.objectName() != "price"
    for number, line in enumerate(str(item.property("text")).split("\n")):
        tight = metrics.tightBoundingRect(line)
        left = item.width() - metrics.horizontalAdvance(line) if right else 0.0
        baseline = item.baselineOffset() + number * (item.property("lineHeight") if number else 0.0)
        yield item.mapRectToItem(canvas, tight.translated(QPointF(left, baseline)))


def names_in_reading_order(glass: Glass) -> list[str]:
    [canvas] = glass.find("canvas")
    rows = [(item, item.mapToItem(canvas, QPointF(0, 0))) for item in glass.find("row")]
    rows.sort(key=lambda pair: (round(pair[1].x()), pair[1].y()))
    return [glass.texts("name", item)[0].replace("\n", " ") for item, _ in rows]


@pytest.mark.first_case
def test_lists_every_row_in_order_with_its_price(shown_menu: tuple[Glass, SceneView]) -> None:
    glass, view = shown_menu
    rows = [one for section in all_rows(view).sections for one in section.rows]
    shown = {
        glass.texts("name", item)[0].replace("\n", " ").replace("…", "").replace("-", "")[:16]: glass.texts(
            "price", item
        )[0]
        for item in glass.find("row")
    }

    assert shown == {one.name.replace("-", "")[:16]: one.price.text for one in rows}
    if not view.locality.right_to_left:
        assert [name[:12] for name in names_in_reading_order(glass)] == [one.name[:12] for one in rows]


@pytest.mark.first_case
def test_every_name_and_price_of_a_widget_has_one_size(shown_menu: tuple[Glass, SceneView]) -> None:
    glass, _ = shown_menu
    sizes = {item.property("font").pixelSize() for name in ("name", "price") for item in glass.find(name)}

    assert len(sizes) == 1
    assert 28 <= sizes.pop() <= 64


@pytest.mark.first_case
def test_nothing_is_cut_off_and_nothing_overlaps(shown_menu: tuple[Glass, SceneView]) -> None:
    glass, view = shown_menu
    [widget] = glass.find("menu")
    inside = in_canvas(glass, widget).adjusted(-6, -6, 6, 6)
    letters = [
        (f"{kind} {item.property('text')!r}", rect)
        for kind in ("title", "headingText", "name", "price", "details")
        for item in glass.find(kind)
        for rect in text_rects(glass, item, right_to_left=view.locality.right_to_left)
        if not rect.isEmpty()
    ]
    badges = [(f"tag {number}", in_canvas(glass, item)) for number, item in enumerate(glass.find("tag"))]

    outside = [what for what, rect in letters + badges if not inside.contains(rect)]
    overlapping = [
        (one, other)
        for number, (one, first) in enumerate(letters + badges)
        for other, second in (letters + badges)[number + 1 :]
        if first.adjusted(0.5, 0.5, -0.5, -0.5).intersects(second.adjusted(0.5, 0.5, -0.5, -0.5))
    ]

    assert outside == []
    assert overlapping == []


@pytest.mark.parametrize("name", ["sections", "leaders", "sixty", "long", "japanese", "dinars"])
def test_prices_stand_under_each_other_on_the_decimal_separator(glass: Glass, name: str) -> None:
    view = MENUS[name]
    glass.show(view)
    decimals = {one.price.text: one.price.decimal_at for part in all_rows(view).sections for one in part.rows}
    lines: dict[int, set[float]] = {}
    for item in glass.find("row"):
        [price] = glass.find("price", item)
        text, font = str(price.property("text")), QFont(price.property("font"))
        separator = price.x() + QFontMetricsF(font).horizontalAdvance(text[: decimals[text]])
        lines.setdefault(round(item.x()), set()).add(round(item.x() + separator, 1))

    assert lines
    assert all(max(column) - min(column) <= 0.5 for column in lines.values()), lines


def test_a_right_to_left_board_is_mirrored(glass: Glass) -> None:
    glass.show(MENUS["arabic"])
    [title] = glass.find("title")

    [title_rect] = text_rects(glass, title, right_to_left=True)

    edge = in_canvas(glass, glass.find("row")[0]).right()
    assert title_rect.right() == pytest.approx(edge, abs=8)
    for item in glass.find("row"):
        [name], [price] = glass.find("name", item), glass.find("price", item)
        [tag] = glass.find("tag", item)
        [name_rect] = text_rects(glass, name, right_to_left=True)
        assert in_canvas(glass, item).right() == pytest.approx(edge, abs=1)
        assert name_rect.right() == pytest.approx(in_canvas(glass, item).right(), abs=6)
        assert in_canvas(glass, price).right() < in_canvas(glass, tag).left() < name_rect.left()


def test_mirrored_prices_stand_under_each_other_on_the_decimal_separator(glass: Glass) -> None:
    view = MENUS["arabic"]
    glass.show(view)
    separators = []
    for item in glass.find("price"):
        # Its figures stand in cells, as Arabic ones have several widths.
        [separator] = [part for part in item.childItems() if part.property("text") == "٫"]
        separators.append(in_canvas(glass, separator).left())

    assert len(separators) > 1
    assert max(separators) - min(separators) <= 0.5, separators


def test_descriptions_modifiers_and_tags_are_shown_smaller(glass: Glass) -> None:
    glass.show(MENUS["sections"])

    details = [text.replace("\u00a0", " ") for text in glass.texts("details")]

    assert details == ["Roasted in town", "Oat milk +0,50 €  ·  Extra shot +0,90 €"]
    assert [child.property("text") for tag in glass.find("tag") for child in tag.childItems()] == ["NEW", "VEGAN"]
    assert glass.texts("name")[0] == "Espresso"
    [size] = {item.property("font").pixelSize() for item in glass.find("name")}
    assert all(item.property("font").pixelSize() < size * 0.7 for item in glass.find("details"))


def test_few_rows_are_set_as_large_as_the_widget_allows(glass: Glass) -> None:
    glass.show(one_menu(listing(("", FOOD)), max_text_size=80))

    assert {item.property("font").pixelSize() for item in glass.find("name")} == {80}


def test_the_theme_scale_multiplies_the_text_size(glass: Glass) -> None:
    glass.show(one_menu(listing(("", FOOD)), max_text_size=40, theme=Theme(scale=1.5)))

    assert {item.property("font").pixelSize() for item in glass.find("name")} == {60}


def test_columns_keep_sections_whole_where_that_costs_little(glass: Glass) -> None:
    glass.show(MENUS["sections"])
    lefts = {glass.texts("name", item)[0].replace("\n", " "): round(item.x()) for item in glass.find("row")}

    assert len({lefts[one.name] for one in COFFEE}) == 1
    assert len({lefts[one.name] for one in FOOD}) == 1
    assert lefts["Espresso"] != lefts["Granola bowl"]


def test_a_sold_out_row_is_dimmed_struck_and_tagged_in_the_location_s_language(glass: Glass) -> None:
    glass.show(MENUS["sold out"])
    [sold] = [item for item in glass.find("row") if glass.texts("name", item) == ["Cold brew"]]
    [name] = glass.find("name", sold)
    [tag] = glass.find("tag", sold)

    assert name.opacity() < 0.6
    [line] = glass.find("strike", sold)
    assert (line.x(), line.width()) == pytest.approx((name.x(), text_width(name)), abs=1)
    assert name.y() < line.y() < name.y() + name.height()
    assert [child.property("text") for child in tag.childItems()] == ["AUSVERKAUFT"]


def test_an_empty_menu_shows_its_empty_text(glass: Glass) -> None:
    glass.show(one_menu(listing(), empty_text="Back tomorrow", locality=GERMAN))

    assert glass.texts("empty") == ["Back tomorrow"]
    assert glass.find("row") == []


def test_markup_in_an_item_is_shown_as_it_is_written(glass: Glass) -> None:
    glass.show(one_menu(listing(("", [row("<b>Soup</b> &amp; bread")]))))

    assert glass.texts("name") == ["<b>Soup</b> &amp; bread"]
    [name] = glass.find("name")
    assert text_width(name) == pytest.approx(
        QFontMetricsF(name.property("font")).horizontalAdvance("<b>Soup</b> &amp; bread"), rel=0.02
    )


def test_more_tags_than_fit_stay_inside_the_row(glass: Glass) -> None:
    tags = tuple(f"a rather long tag {number}" for number in range(30))
    glass.show(one_menu(listing(("", [row("Soup", tags=tags)])), box=Box(x=80, y=80, width=600, height=200)))
    [widget] = glass.find("menu")
    shown = glass.find("tag")

    assert 0 < len(shown) < 30
    assert [one.code for one in glass.undrawable] == ["menu_cut"]
    assert all(in_canvas(glass, widget).contains(in_canvas(glass, item)) for item in shown)


def test_a_row_higher_than_its_widget_is_cut_at_the_widget_s_edge(glass: Glass) -> None:
    glass.show(one_menu(listing(("", LONG[:2])), box=Box(x=80, y=80, width=300, height=20)))
    [widget] = glass.find("menu")

    assert widget.clip()
    assert widget.property("list").property("pages") == 2


@pytest.mark.parametrize("count", [1, 7, 40])
def test_a_named_number_of_columns_is_kept(glass: Glass, count: int) -> None:
    glass.show(one_menu(listing(("", [row(f"Dish {number}") for number in range(count)])), columns=3))

    assert len({round(item.x()) for item in glass.find("row")}) == min(3, count)


@pytest.mark.parametrize("leader", [False, True])
def test_a_price_stands_far_from_its_name_only_where_dots_lead_to_it(glass: Glass, leader: bool) -> None:
    glass.show(one_menu(listing(("", FOOD)), columns=1, max_text_size=60, leader=leader))
    [widget] = glass.find("menu")
    prices = max(in_canvas(glass, item).right() for item in glass.find("price"))

    assert (abs(prices - in_canvas(glass, widget).right()) < 2) is leader


def test_a_widget_s_theme_overrides_its_scene_s(glass: Glass) -> None:
    own = menu(theme=Theme(accent_color="#00FF00"))
    outer = Theme(accent_color="#FF0000", text_color="#ABCDEF")
    glass.show(showing(scene(own, theme=outer), {"menu": listing(("Coffee", COFFEE))}))

    assert {item.property("color").name() for item in glass.find("headingText")} == {"#00ff00"}
    assert {item.property("color").name() for item in glass.find("name")} == {"#abcdef"}


def test_names_beside_images_are_in_line_whether_each_item_has_one_or_not(glass: Glass, tmp_path: Path) -> None:
    photo = QImage(60, 60, QImage.Format.Format_RGB32)
    photo.fill(QColor("#20C020"))
    assert photo.save(str(tmp_path / "photo"), "PNG")  # type: ignore[call-overload]
    glass.files["f" * 64] = tmp_path / "photo"
    food = [row("Soup", image="f" * 64), row("Stew", description="With bread"), row("Tart", image="f" * 64)]
    for locality in (GERMAN, ARABIC):
        glass.show(
            one_menu(listing(("Food", food), ("Drinks", COFFEE)), show_images=True, columns=1, locality=locality)
        )
        edges = {}
        for item in glass.find("row"):
            [name] = glass.find("name", item)
            edges[glass.texts("name", item)[0]] = name.x() + name.width() if locality.right_to_left else name.x()
        assert len({round(edges[one.name]) for one in food}) == 1, "in line"
        start = edges["Espresso"]
        assert len({round(edges[one.name]) for one in COFFEE}) == 1
        assert abs(edges["Stew"] - start) > 40, "a category without images keeps no room for them"
    plain = [replace(one, image=None) for one in food]
    glass.show(one_menu(listing(("Food", plain)), show_images=True, columns=1))
    assert {name.x() for name in glass.find("name")} == {0.0}


LEFT, RIGHT = Box(x=80, y=200, width=860, height=800), Box(x=980, y=200, width=860, height=800)


def name_sizes(glass: Glass) -> list[set[int]]:
    """The text sizes of the names of each menu."""
    return [
        {QFont(name.property("font")).pixelSize() for name in glass.find("name", one)} for one in glass.find("menu")
    ]


def baselines(glass: Glass, one: QQuickItem) -> list[float]:
    return [row.mapToScene(QPointF(0, 0)).y() for row in glass.find("row", one)]


def test_menus_beside_each_other_share_text_size_and_baselines(glass: Glass) -> None:
    both = scene(menu("few", box=LEFT), menu("many", box=RIGHT))
    few, many = listing(("Coffee", FOOD)), listing(("Kitchen", SIXTY[:14]))
    glass.show(showing(both, {"few": few, "many": many}))

    [small, large] = name_sizes(glass)
    assert small == large
    first, second = (baselines(glass, one) for one in glass.find("menu"))
    assert first == second[: len(first)]


def test_a_menu_that_gets_smaller_text_later_takes_the_others_with_it(glass: Glass) -> None:
    both = scene(menu("one", box=LEFT), menu("other", box=RIGHT))
    glass.show(showing(both, {"one": listing(("", FOOD)), "other": listing(("", COFFEE))}))
    before = name_sizes(glass)
    glass.show(showing(both, {"one": listing(("", FOOD)), "other": listing(("", SIXTY[:25]))}))

    after = name_sizes(glass)
    assert before[0] == before[1] != after[0] == after[1]
    first, second = (baselines(glass, one) for one in glass.find("menu"))
    assert first == second[: len(first)]


def test_menus_with_other_bounds_of_text_size_keep_their_own(glass: Glass) -> None:
    both = scene(menu("large", box=LEFT), menu("small", box=RIGHT, max_text_size=40))
    glass.show(showing(both, {"large": listing(("", FOOD)), "small": listing(("", COFFEE))}))

    assert name_sizes(glass) == [{64}, {40}]


@pytest.mark.parametrize("locality", [GERMAN, ARABIC])
@pytest.mark.parametrize(("align", "at_edge"), [(Align.LEFT, True), (Align.CENTER, False)])
def test_a_narrow_menu_begins_where_the_text_above_it_does(
    glass: Glass, align: Align, locality: Locality, *, at_edge: bool
) -> None:
    head = TextWidget(id="head", box=Box(x=80, y=60, width=1760, height=120), text="Lunch", align=align)
    below = menu(box=Box(x=80, y=200, width=1760, height=800), max_text_size=30)
    glass.show(showing(scene(head, below), {"menu": listing(("Coffee", FOOD))}, locality=locality))

    [shown] = glass.find("menu")
    first, last = (glass.find("row", shown)[at] for at in (0, -1))
    edge = first.x() if locality is GERMAN else shown.width() - last.x() - last.width()
    assert (edge == 0) is at_edge
    assert first.width() < shown.width()


HEADED = listing(("Burgers", [row("Classic"), row("Veggie")]), ("Sides", [row("Fries")]))


@pytest.mark.parametrize("style", list(HeadingStyle))
@pytest.mark.parametrize("locality", [GERMAN, ARABIC], ids=["de", "ar"])
def test_headings_stand_in_the_theme_s_style(glass: Glass, style: HeadingStyle, locality: Locality) -> None:
    glass.show(one_menu(HEADED, locality=locality, columns=1, theme=Theme(heading_style=style)))
    [text, *_], rules, boxes = (glass.find(name) for name in ("headingText", "headingRule", "headingBox"))
    assert (len(rules), len(boxes)) == {"plain": (0, 0), "boxed": (0, 2)}.get(style, (2, 0))
    box = text.mapRectToScene(text.boundingRect())
    for line in (*rules, *boxes)[:1]:
        drawn = line.mapRectToScene(line.boundingRect())
        if style is HeadingStyle.RULED:
            assert drawn.top() < box.center().y() < box.bottom(), "beside the text"
        if style is HeadingStyle.UNDERLINED:
            baseline = text.mapToScene(QPointF(0, text.baselineOffset())).y()
            assert baseline < drawn.top() < baseline + box.height()
        if style is HeadingStyle.BOXED:
            assert drawn.left() < box.left() < box.right() < drawn.right(), "the box is wider than the column"
            assert drawn.top() < text.mapToScene(QPointF(0, text.baselineOffset())).y() < drawn.bottom()
            ground, ink = line.property("color"), text.property("color")
            assert contrast(ink, ground) >= LEAST_CONTRAST


def test_a_category_has_a_note_a_picture_and_a_colour(make_glass: Callable[..., Glass], tmp_path: Path) -> None:
    image = QImage(200, 100, QImage.Format.Format_RGB32)
    image.fill(QColor("#3366CC"))
    assert image.save(str(tmp_path / "burger.png"))
    burgers, sides = HEADED.sections
    shown = replace(burgers, note="Served with fries", image="a" * 64, color="#8FD16F")
    glass = make_glass(files={"a" * 64: tmp_path / "burger.png"})
    glass.show(one_menu(MenuListing(sections=(shown, sides)), columns=1))
    glass.until(lambda: bool(glass.find("picture")))
    first, second = glass.find("heading")
    assert glass.texts("headingNote") == ["Served with fries"]
    [note], [picture] = glass.find("headingNote"), glass.find("picture")
    [name], [other] = glass.find("headingText", first), glass.find("headingText", second)
    assert picture.x() + picture.width() < name.x() == note.x()
    assert name.y() + name.height() <= note.y() + 2
    assert name.property("color").name() == "#8fd16f" != other.property("color").name()
    rows = glass.find("row")
    assert all(one.y() >= first.y() + first.height() for one in rows)
    assert glass.undrawable == []


@pytest.mark.goes_beyond("MOST_NOTE_LINES")
def test_a_note_has_at_most_three_lines(glass: Glass) -> None:
    shown = replace(HEADED.sections[0], note="Served with fries and a pickle. " * 40)
    glass.show(one_menu(MenuListing(sections=(shown,)), columns=1, min_text_size=40, max_text_size=40))
    [note] = glass.texts("headingNote")
    assert note.count("\n") == 2
    assert note.endswith("…")


def test_a_dark_colour_of_a_category_is_made_readable(glass: Glass) -> None:
    shown = replace(HEADED.sections[0], color="#101418")
    glass.show(one_menu(MenuListing(sections=(shown,)), columns=1))
    [name] = glass.find("headingText")
    assert contrast(name.property("color"), QColor("#101418")) >= LARGE_CONTRAST


@pytest.mark.parametrize("size", [0.8, 1.0, 1.5])
def test_headings_have_the_size_weight_and_face_of_their_theme(glass: Glass, size: float) -> None:
    look = Theme(heading_size=size, heading_family="Roboto Slab", heading_weight=Weight.NORMAL)
    glass.show(one_menu(HEADED, columns=1, theme=look))
    name, heading = (QFont(glass.find(part)[0].property("font")) for part in ("name", "headingText"))

    assert heading.pixelSize() == round(size * name.pixelSize())
    assert (heading.families()[0], heading.weight()) == ("Roboto Slab", QFont.Weight.Normal)


def test_headings_are_a_quarter_larger_than_names_and_shrink_together_where_one_has_no_room(glass: Glass) -> None:
    glass.show(one_menu(HEADED, columns=1))
    sizes = {QFont(one.property("font")).pixelSize() for one in glass.find("headingText")}
    assert sizes == {80}, "beside names of 64"

    long = listing(("Suppen & Vorspeisen vom Markt", [row("Classic")]), ("Sides", [row("Fries")]))
    glass.show(one_menu(long, columns=1, box=Box(x=0, y=0, width=1100, height=600), min_text_size=64))
    [shrunk] = {QFont(one.property("font")).pixelSize() for one in glass.find("headingText")}
    assert 64 <= shrunk < 80


@pytest.mark.goes_beyond("MOST_HEADING_LINES")
def test_a_heading_breaks_into_two_lines_and_what_is_cut_even_so_is_reported(glass: Glass) -> None:
    text = "Vorspeisen und Kleinigkeiten zum Teilen"
    box = Box(x=0, y=0, width=700, height=700)
    glass.show(one_menu(listing((text, [row("Classic")])), columns=1, box=box, min_text_size=40, max_text_size=40))
    [shown] = glass.texts("headingText")
    assert shown.replace("\n", " ") == text.upper()
    assert shown.count("\n") == 1
    assert glass.undrawable == []

    glass.show(one_menu(listing((f"{text} {text} {text}", [row("Classic")])), columns=1, box=box, min_text_size=40))
    [fault] = glass.undrawable
    assert (fault.code, "Vorspeisen" in fault.detail) == ("menu_cut", True)
