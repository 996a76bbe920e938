"""Item widgets: layout, live price, and what shows when the item is sold out."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage
from PySide6.QtQuick import QQuickItem

from menu.documents.box import Box
from menu.documents.scene import Fit, Focus, ItemWidget
from menu.documents.theme import Theme
from menu.text.wording import Locality
from player.display.layout.item import (
    DETAIL_LINES,
    LEAST_SIZE,
    MOST_NAME_LINES,
    NAME_LINES,
    ItemLayout,
    lay_out_item,
)
from player.display.layout.runs import Run
from player.display.layout.setting import Setting
from player.display.layout.text.measuring import Face, TextMeasurers
from player.domain.view import MenuRow, SceneView
from tests.player.display.conftest import DIRECTION_MARKS, Glass, object_of, text_of
from tests.player.display.scenes import ARABIC, GERMAN, row, scene, showing

BOX = Box(x=100, y=100, width=1600, height=800)
PHOTO = "p" * 64
WORDS = "With herbs from our garden and a slice of the bread that we bake every morning."


class EvenMeasurer:
    """Every character is half an em wide, and words break at blanks, or where they are wider than a line."""

    def width(self, text: str, /) -> float:
        return len(text) / 2

    def cursor(self, text: str, index: int) -> float:
        return len(text[:index]) / 2

    def widest_piece(self, text: str, *, parts: int = 1) -> float:
        return max((len(word) / 2 for word in text.split()), default=0.0)

    def least_lines(self, text: str, width: float) -> int:
        return len(self.lines(text, width, len(text)))

    def lines(self, text: str, width: float, limit: int) -> tuple[str, ...]:
        lines = [""]
        most = max(1, int(2 * width))
        words = (word[at : at + most] for word in text.split() for at in range(0, len(word), most))
        for word in words:
            longer = f"{lines[-1]} {word}".strip()
            if lines[-1] and len(longer) / 2 > width:
                lines.append(word)
            else:
                lines[-1] = longer
        return tuple(lines) if len(lines) <= limit else (*lines[: limit - 1], f"{lines[limit - 1]}…")


MEASURERS = TextMeasurers(**dict.fromkeys(get_args(Face), EvenMeasurer()))


def item_view(shown: MenuRow | None, *, locality: Locality = GERMAN, box: Box = BOX, **more: object) -> SceneView:
    widget = replace(ItemWidget(id="item", box=box, item_id="any"), **more)  # type: ignore[arg-type]
    view = showing(scene(widget), locality=locality)
    return replace(view, items={"item": shown} if shown else {})


def extent(item: QQuickItem, root: QQuickItem) -> QRectF:
    return item.mapRectToItem(root, QRectF(0, 0, item.width(), item.height()))


def tags(glass: Glass) -> list[str]:
    return [str(child.property("text")) for tag in glass.find("tag") for child in tag.childItems()]


def drawn_columns(glass: Glass, item: QQuickItem) -> list[int]:
    """The columns of the window's pixels in which anything of an item is drawn."""
    image, rect = glass.grab(), extent(item, glass.root)
    rows = range(int(rect.top()), int(rect.bottom()))
    lights = [[image.pixelColor(x, y).lightness() for y in rows] for x in range(image.width())]
    return [x for x, column in enumerate(lights) if max(column) - min(column) > 60]


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    path = tmp_path / PHOTO
    image = QImage(300, 300, QImage.Format.Format_RGB32)
    image.fill(QColor("#20C020"))
    assert image.save(str(path), "PNG")  # type: ignore[call-overload]
    return path


def test_an_item_shows_name_price_and_description(glass: Glass) -> None:
    glass.show(item_view(row("Soup", "4,80 €", description=WORDS)))

    assert glass.texts("itemName") == ["Soup"]
    assert glass.texts("price") == ["4,80 €"]
    assert " ".join(glass.texts("itemDetails")[0].split("\n")) == WORDS
    name, details = glass.find("itemName")[0], glass.find("itemDetails")[0]
    assert name.property("font").pixelSize() >= 2 * details.property("font").pixelSize()


def test_a_new_price_changes_in_place_and_moves_nothing_else(glass: Glass) -> None:
    glass.show(item_view(row("Soup", "4,80 €", description=WORDS)))
    [name] = glass.find("itemName")
    before = extent(name, glass.root), name.property("font")

    glass.show(item_view(row("Soup", "12,80 €", description=WORDS)))

    assert glass.texts("price") == ["12,80 €"]
    assert glass.find("itemName") == [name], "the scene is not built anew"
    assert (extent(name, glass.root), name.property("font")) == before


def test_a_name_keeps_its_lines_when_a_price_beside_it_gets_shorter() -> None:
    setting = Setting(measurers=MEASURERS, locality=GERMAN)
    lay_out = partial(lay_out_item, box=Box(x=0, y=0, width=500, height=200), setting=setting)
    before = lay_out(row("Soup of the day with herbs", "112,80 €"))
    assert before.beside
    assert before.names == ("Soup of", "the day", "with herbs")

    after = lay_out(row("Soup of the day with herbs", "9 €", decimals=0), previous=before)

    assert after.prices[0].width < before.prices[0].width / 2, "there would be room for 'Soup of the day' now"
    assert (after.size, after.names, after.texts[0].y) == (before.size, before.names, before.texts[0].y)


POSTERS = [row("Champignonrahmschnitzel", "12,90 €"), row("Suppe", "6,50 €"), row("Gulasch", "13,50 €")]


def posters_view(*rows: MenuRow | None, scene_id: str = "posters", height: float = 800) -> SceneView:
    """Equally large posters beside each other, and a smaller one."""
    boxes = [Box(x=40 + 620 * at, y=40, width=560, height=height) for at in range(len(rows))]
    widgets = [ItemWidget(id=f"{at}", box=box, item_id=f"{at}") for at, box in enumerate(boxes)]
    other = ItemWidget(id="other", box=Box(x=40, y=860, width=500, height=200), item_id="other")
    items = {f"{at}": one for at, one in enumerate(rows) if one is not None} | {"other": row("Tea")}
    return replace(showing(scene(*widgets, other, scene_id=scene_id)), items=items)


def name_sizes(glass: Glass) -> list[int]:
    return [name.property("font").pixelSize() for name in glass.find("itemName")]


def test_equally_large_items_of_a_scene_share_the_size_of_their_names(glass: Glass) -> None:
    glass.show(posters_view(None, *POSTERS[1:]))
    *usual, other = name_sizes(glass)
    glass.show(posters_view(*POSTERS))
    [long, *others, same_other] = name_sizes(glass)

    assert usual[0] == usual[1]
    assert long == others[0] == others[1] < usual[0]
    assert other == same_other, "a smaller one has its own"
    glass.show(posters_view(None, *POSTERS[1:]))
    assert name_sizes(glass) == [*usual, other], "the long name is sold out"
    glass.show(posters_view(replace(POSTERS[0], image=PHOTO), *POSTERS[1:]))
    assert name_sizes(glass)[1:] == [*usual, other], "a picture leaves it less room"


def test_items_that_share_a_size_look_the_same_whatever_showed_before(glass: Glass) -> None:
    priced = [*POSTERS[1:], replace(row("Steak", "111.112,80 €"), item_id="2")]
    after = [*POSTERS[1:], replace(row("Steak", "9 €", decimals=0), item_id="2")]
    glass.show(posters_view(*priced, height=200))
    before = name_sizes(glass)
    glass.show(posters_view(*after, height=200))
    changed = [(text_of(name), extent(name, glass.root), name.property("font")) for name in glass.find("itemName")]
    glass.show(posters_view(*after, scene_id="fresh", height=200))
    fresh = [(text_of(name), extent(name, glass.root), name.property("font")) for name in glass.find("itemName")]

    assert changed == fresh
    assert before != name_sizes(glass)


@pytest.mark.parametrize(
    "full",
    [
        row("Soup", description=WORDS, allergens=tuple(f"allergen number {number}" for number in range(40))),
        row("Donaudampfschifffahrt" * 9),
    ],
    ids=lambda full: full.name[:5],
)
def test_an_item_that_does_not_fit_makes_no_other_small(glass: Glass, full: MenuRow) -> None:
    glass.show(posters_view(None, *POSTERS[1:], height=300))
    [*usual, _] = name_sizes(glass)
    glass.show(posters_view(full, *POSTERS[1:], height=300))
    [small, *others, _] = name_sizes(glass)

    assert others == usual
    assert small < 0.5 * usual[0]


@pytest.mark.parametrize("width", range(260, 520, 20))
def test_no_allergen_is_alone_in_its_last_line(width: int) -> None:
    shown = row("Soup", allergens=("Gluten", "Eier", "Milch", "Senf", "Sellerie", "Sesam"))
    layout = lay_out_item(shown, Box(x=0, y=0, width=width, height=600), Setting(measurers=MEASURERS, locality=GERMAN))
    [lines] = [run.text.split("\n") for run in layout.texts if run.name == "itemAllergens"]

    assert min(map(len, lines)) > 0.5 * max(map(len, lines))


def test_tags_and_allergens_stand_below_name_and_description(glass: Glass) -> None:
    glass.show(item_view(row("Soup", description=WORDS, tags=("vegan", "new"), allergens=("Sellerie", "Senf"))))

    assert tags(glass) == ["VEGAN", "NEW"]
    assert [text.replace("\u00a0", " ") for text in glass.texts("itemAllergens")] == ["Allergene: Sellerie  ·  Senf"]
    parts = ("itemName", "itemDetails", "tag", "itemAllergens")
    rects = [extent(glass.find(part)[0], glass.root) for part in parts]
    assert all(above.bottom() <= below.top() for above, below in itertools.pairwise(rects))
    assert len({round(rect.left()) for rect in rects}) == 1


def test_an_item_without_tags_and_allergens_shows_neither(glass: Glass) -> None:
    glass.show(item_view(row("Soup", description=WORDS)))

    assert glass.find("tag") == []
    assert glass.find("itemAllergens") == []
    assert glass.find("itemRule") == []


def test_allergens_that_become_known_show_at_once(glass: Glass) -> None:
    glass.show(item_view(row("Soup")))
    [name] = glass.find("itemName")
    glass.show(item_view(row("Soup", allergens=("Sellerie",))))

    assert glass.find("itemName") == [name], "the scene is not built anew"
    assert glass.texts("itemAllergens") == ["Allergene: Sellerie"]


def test_on_a_right_to_left_board_an_item_is_mirrored_with_its_badges(glass: Glass) -> None:
    glass.show(
        item_view(
            row("شاورما", "٤٫٧٥٠ د.ك.", decimals=3, tags=("حار", "new"), allergens=("غلوتين", "kiwi")), locality=ARABIC
        )
    )
    hot, new = glass.find("tag")
    [name], [foot] = glass.find("itemName"), glass.find("itemAllergens")

    assert tags(glass) == ["حار", "NEW"]
    assert hot.x() > new.x() + new.width()
    edge = name.x() + name.width()
    assert hot.x() + hot.width() == pytest.approx(edge)
    assert foot.x() + foot.width() == pytest.approx(edge)
    assert [text.replace("\u00a0", " ") for text in glass.texts("itemAllergens")] == [
        "مسببات الحساسية: غلوتين  ·  kiwi"
    ]
    columns = drawn_columns(glass, foot)
    assert columns[-1] * 2 == pytest.approx(BOX.x + edge, abs=6), "the line ends at the right"
    assert columns[0] > glass.size[0] / 2


def test_badges_are_in_the_location_s_language(glass: Glass) -> None:
    chinese = Locality(timezone="Asia/Shanghai", locale="zh-CN")
    glass.show(item_view(row("小笼包", "¥38.00", tags=("招牌",), allergens=("麸质", "甲壳类")), locality=chinese))

    assert tags(glass) == ["招牌"]
    assert [text.replace("\u00a0", " ") for text in glass.texts("itemAllergens")] == ["过敏原：麸质  ·  甲壳类"]


def test_in_too_small_a_box_the_allergens_are_cut_last_and_that_is_reported(glass: Glass) -> None:
    many = tuple(f"allergen number {number}" for number in range(14))
    shown = row("Soup of the day", description=WORDS, tags=("new",), allergens=many)
    small, tiny = replace(BOX, width=420, height=260), replace(BOX, width=200, height=100)

    glass.show(item_view(shown, box=small))
    assert glass.find("itemDetails") == glass.find("tag") == []
    assert glass.texts("itemName") == ["Soup of the day"]
    [foot] = glass.texts("itemAllergens")
    assert all(name in " ".join(foot.split()) for name in many)
    assert [(event.subject, event.code) for event in glass.undrawable] == [("scn_1/item", "item_cut")]

    glass.show(item_view(shown, box=tiny))
    assert glass.texts("itemAllergens")[0].endswith("…")
    assert [event.code for event in glass.undrawable] == ["item_cut", "item_too_small", "item_cut"]


def test_a_sold_out_item_leaves_and_comes_back(glass: Glass) -> None:
    glass.show(item_view(row("Soup")))
    glass.show(item_view(None))
    assert glass.find("item") == []

    glass.show(item_view(row("Soup")))
    assert glass.texts("itemName") == ["Soup"]


def test_another_item_replaces_one_that_is_sold_out(glass: Glass, photo: Path) -> None:
    glass.files[PHOTO] = photo
    glass.show(item_view(row("Soup", image=PHOTO)))
    glass.show(item_view(row("Stew", "9,00 €")))

    assert glass.texts("itemName") == ["Stew"]
    assert glass.find("itemImage") == []


def test_the_image_stands_before_the_text_in_reading_direction(glass: Glass, photo: Path) -> None:
    glass.files[PHOTO] = photo
    sides = []
    for locality in (GERMAN, ARABIC):
        glass.show(item_view(row("Soup", image=PHOTO), locality=locality))
        [view], [name] = glass.find("itemImage"), glass.find("itemName")
        rect = extent(view, glass.root)
        sides.append(rect.center().x() < extent(name, glass.root).center().x())
        glass.until(
            lambda rect=rect: glass.grab().pixelColor(rect.center().toPoint()).name() == "#20c020"  # type: ignore[misc]
        )

    assert sides == [True, False]


def test_an_image_that_cannot_be_drawn_is_reported_and_the_text_shows(glass: Glass) -> None:
    glass.show(item_view(row("Soup", image=PHOTO)))

    assert [(event.subject, event.code) for event in glass.undrawable] == [("scn_1/item", "asset_missing")]
    assert glass.texts("itemName") == ["Soup"]


@pytest.mark.parametrize(
    ("box", "size"),
    [
        (Box(x=60, y=60, width=960, height=1800), (540, 960)),
        (Box(x=0, y=0, width=1080, height=260), (540, 960)),
        (Box(x=0, y=0, width=1000, height=1000), (960, 960)),
    ],
)
@pytest.mark.parametrize("theme", [Theme(), Theme(panel_color="#30FFFFFF")])
def test_text_stays_in_its_box_and_off_the_image(
    make_glass: Callable[..., Glass], photo: Path, box: Box, size: tuple[int, int], theme: Theme
) -> None:
    glass = make_glass(size=size, files={PHOTO: photo})
    shown = item_view(
        row("Slow-braised ox cheek", "18,50 €", description=WORDS, image=PHOTO, tags=("new",), allergens=("milk",)),
        box=box,
        theme=theme,
    )
    glass.show(replace(shown, scene=replace(shown.scene, width=1080, height=1920)))
    [whole], [view] = glass.find("item"), glass.find("itemImage")
    frame, image = extent(whole, glass.root), extent(view, glass.root)

    for name in ("itemName", "price", "itemDetails", "itemAllergens", "tag"):
        for item in glass.find(name):
            rect = extent(item, glass.root)
            assert frame.adjusted(-2, -2, 2, 2).contains(rect), name
            assert not image.intersects(rect.adjusted(2, 2, -2, -2)), name


@pytest.mark.parametrize("description", ["\n".join(["Hearty"] * 40), f"{WORDS} " * 150])
def test_a_description_that_is_too_long_is_cut_and_the_name_stays_large(glass: Glass, description: str) -> None:
    glass.show(item_view(row("Soup", "4,80 €", description=WORDS)))
    usual = glass.find("itemName")[0].property("font").pixelSize()
    glass.show(item_view(row("Soup", "4,80 €", description=description)))
    [name], [details] = glass.find("itemName"), glass.find("itemDetails")

    assert name.property("font").pixelSize() > 0.7 * usual
    shown = text_of(details).split("\n")
    assert len(shown) == DETAIL_LINES
    assert shown[-1].translate(DIRECTION_MARKS).endswith("…")
    assert [one.code for one in glass.undrawable] == ["item_cut"]
    glass.show(item_view(row("Soup", "4,80 €", description=WORDS)))
    assert glass.drawn[-1].codes == {"item_cut"}


def test_a_description_for_which_there_is_room_is_whole(glass: Glass) -> None:
    days = [f"{day}: soup" for day in ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")]
    lines = ["On the card this week", *days, "Ask us"]
    glass.show(item_view(row("Soup", "4,80 €", description="\n".join(lines))))
    [details] = glass.find("itemDetails")

    assert text_of(details).split("\n") == lines
    assert glass.undrawable == []


words = st.lists(st.text(alphabet="abcdefgh", min_size=1, max_size=14), min_size=1, max_size=12).map(" ".join)


@settings(max_examples=60)
@given(
    name=words,
    description=st.one_of(st.just(""), words),
    tags=st.lists(words, max_size=6).map(tuple),
    allergens=st.lists(words, max_size=14, unique=True).map(tuple),
    width=st.floats(min_value=20, max_value=4000),
    height=st.floats(min_value=20, max_value=4000),
    with_image=st.booleans(),
    with_panel=st.booleans(),
    right_to_left=st.booleans(),
)
def test_any_item_is_laid_out_in_any_box(
    name: str,
    description: str,
    tags: tuple[str, ...],
    allergens: tuple[str, ...],
    width: float,
    height: float,
    with_image: bool,
    with_panel: bool,
    right_to_left: bool,
) -> None:
    shown = row(name, description=description, tags=tags, allergens=allergens)
    box, locality = Box(x=0, y=0, width=width, height=height), ARABIC if right_to_left else GERMAN

    def lay_out(previous: ItemLayout | None = None) -> ItemLayout:
        return lay_out_item(
            shown,
            box,
            Setting(measurers=MEASURERS, locality=locality, with_panel=with_panel),
            with_image=with_image,
            previous=previous,
        )

    layout = lay_out()
    parts = {run.name: run for run in (*layout.texts, *layout.prices)}
    details = parts["itemDetails"].text if "itemDetails" in parts else ""

    assert 1 <= len(layout.names) <= (NAME_LINES if layout.size > LEAST_SIZE else MOST_NAME_LINES)
    if not (layout.cut or layout.shortened):
        assert details.translate(DIRECTION_MARKS).replace("\n", "").replace(" ", "") == description.replace(" ", "")
        assert [tag.text for tag in layout.tags] == [tag.upper() for tag in tags]
    assert layout.size >= 1
    assert lay_out(layout) == layout, "what has not changed stays where it is"
    assert ("itemAllergens" in parts) is bool(allergens), "allergens are never left out"
    if not layout.cut:
        # About a line above the baseline, and a descender below the last.
        extents = [(run.y - 0.92 * run.size, below(run)) for name, run in parts.items() if name != "itemAllergens"]
        extents += [(tag.y, tag.y + tag.height) for tag in layout.tags]
        assert all(top >= -1 and bottom <= height + 1 for top, bottom in extents)
        if foot := parts.get("itemAllergens"):
            assert max(bottom for _, bottom in extents) <= foot.y - 0.98 * foot.size + 1
            assert below(foot) <= height + 1


def below(run: Run) -> float:
    """Where the lines of a text end."""
    return run.y + run.line * run.text.count("\n") + 0.26 * run.size


def test_a_price_that_is_too_wide_for_its_poster_stacks_the_regular_price_and_the_calories() -> None:
    american = Setting(measurers=MEASURERS, locality=Locality(timezone="America/Chicago", locale="en-US"))
    lay_out = partial(lay_out_item, box=Box(x=0, y=0, width=420, height=900), setting=american)
    found = lay_out(row("Burger", "$12.50", regular="$14.90", energy="1,250 Cal"))

    assert [run.text for run in found.prices] == ["$12.50", "$14.90", "1,250 Cal"]
    heights = [run.y for run in found.prices]
    assert heights == sorted(set(heights)), "below each other"
    assert found.size == lay_out(row("Burger", "$12.50")).size, "the name is as large as without them"
    [beside] = {run.y for run in lay_out(row("Burger", "$12.50", regular="$14.90"), box=BOX).prices}
    assert beside


@pytest.mark.parametrize("locality", [GERMAN, ARABIC], ids=["de", "ar"])
def test_the_text_of_an_item_that_fills_the_canvas_keeps_off_its_edges(
    glass: Glass, photo: Path, locality: Locality
) -> None:
    glass.files[PHOTO] = photo
    canvas = Box(x=0, y=0, width=1920, height=1080)
    shown = row("The smokehouse double", "9,99 €", description=WORDS * 4, image=PHOTO, allergens=("milk",))
    glass.show(item_view(shown, locality=locality, box=canvas))

    [poster], [view] = glass.find("item"), glass.find("itemImage")
    whole, image = extent(poster, glass.root), extent(view, glass.root)
    margin = 0.04 * whole.height()
    kept = whole.adjusted(margin, margin, -margin, -margin)
    for part in ("itemName", "itemDetails", "price", "itemAllergens"):
        assert kept.contains(extent(glass.find(part)[0], glass.root)), part
    assert (image.top(), image.height()) == (whole.top(), whole.height()), "the image reaches them"


@pytest.mark.parametrize(("fit", "whole"), [(None, True), (Fit.COVER, False), (Fit.CONTAIN, True)])
def test_a_poster_shows_a_picture_whole_unless_the_item_says_otherwise(
    glass: Glass, tmp_path: Path, fit: Fit | None, *, whole: bool
) -> None:
    wide = QImage(160, 90, QImage.Format.Format_RGB32)
    wide.fill(QColor("#20C020"))
    assert wide.save(str(tmp_path / PHOTO), "PNG")  # type: ignore[call-overload]
    glass.files[PHOTO] = tmp_path / PHOTO
    glass.show(item_view(row("Soup", image=PHOTO, image_fit=fit, image_focus=Focus(x=1.0))))

    [box] = glass.find("itemImage")
    plan = object_of(box, "plan")
    assert (plan["width"] <= box.width() + 1 and plan["x"] >= -1) is whole
    assert whole or plan["cutLeft"] + plan["cutWidth"] == plan["pixelWidth"], "its focus is at the right"
