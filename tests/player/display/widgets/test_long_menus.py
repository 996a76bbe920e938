"""Menus of thousands of items: what is measured and built is bounded; what is beyond is reported."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QFontMetricsF

from menu.documents.box import Box
from menu.documents.scene import TextWidget, TickerWidget
from menu.text.wording import Locality
from player.display.layout.shares import MOST_LETTERS, ROW_LETTERS, share_letters, within_share
from player.display.typography import theme
from player.display.widgets.text import MOST_TEXT_LETTERS
from player.domain.playing.listings import MOST_LISTED
from player.domain.view import MenuRow, SceneView
from tests.player.display.conftest import Glass, object_of
from tests.player.display.scenes import GERMAN, listing, menu, one_menu, row, scene, showing

OTHER = showing(scene(menu(), scene_id="scn_2"), {"menu": listing(("", [row("Dish")]))}, entry="ent_2")
LONG_NAME = "Slow-braised shoulder of salt-marsh lamb with rosemary jus, glazed carrots and potato gratin"


def dishes(count: int, **more: object) -> list[MenuRow]:
    return [row(f"Dish {number}", item_id=f"itm_{number}", **more) for number in range(count)]


def long_menu(rows: Sequence[MenuRow], *, seconds: int = 15, locality: Locality = GERMAN) -> SceneView:
    return one_menu(listing(("All", rows)), seconds=seconds, locality=locality, columns=4)


def page_mark(glass: Glass) -> str:
    [mark] = glass.texts("pageMark")
    return mark


def read_pages(glass: Glass, seconds: int) -> list[list[str]]:
    """The names of the pages that show within so many seconds."""
    pages: list[list[str]] = []
    for _ in range(seconds):
        if (names := glass.texts("name")) not in pages[-1:]:
            pages.append(names)
        glass.pass_seconds(1)
    return pages


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts whose widths have been measured."""
    found: list[str] = []
    measure = theme._width

    def counted(metrics: QFontMetricsF, text: str) -> float:
        found.append(text)
        return measure(metrics, text)

    monkeypatch.setattr(theme, "_width", counted)
    return found


@pytest.mark.proves("items-menu")
@pytest.mark.parametrize(
    "kind",
    [
        {},
        {"description": "Carved at the pass; with celery, and with a great deal of patience", "tags": ("new",)},
        {"description": "x" * 2_000, "modifiers": [(LONG_NAME, "+0,50 €")] * 20},
    ],
    ids=["names", "descriptions", "no spaces"],
)
@pytest.mark.long
def test_a_menu_costs_no_more_for_ten_thousand_items_than_for_one_thousand(
    glass: Glass, measured: list[str], kind: dict[str, object]
) -> None:
    rows = dishes(10_000, **kind)
    glass.show(long_menu(rows[:1_000]))
    few, built = len(measured), len(glass.find_all("row"))

    measured.clear()
    glass.show(long_menu(rows))

    assert len(measured) <= few + 10
    # Columns of each page are even by themselves: the first ones of a longer list are fuller.
    assert len(glass.find_all("row")) <= 1.1 * built
    assert len(set(measured)) < 5_000


@pytest.mark.long
@pytest.mark.proves("sells-out")
def test_a_menu_of_ten_thousand_items_measures_nothing_again_when_one_sells_out(
    glass: Glass, measured: list[str]
) -> None:
    rows = dishes(10_000)
    glass.show(long_menu(rows))
    before = glass.texts("name")
    measured.clear()

    glass.show(long_menu([one for one in rows if one.name != before[3]]))

    assert glass.texts("name")[: len(before) - 1] == [name for name in before if name != before[3]]
    assert len(measured) < 20


@pytest.mark.proves("items-menu")
def test_what_is_beyond_the_letters_of_a_scene_is_left_out_and_reported(glass: Glass) -> None:
    glass.show(long_menu(dishes(10_000), seconds=86_400))

    [report] = glass.undrawable
    assert report.code == "menu_too_long"
    left_out = int(report.detail.partition(" of its items are left out")[0])
    assert 8_000 < left_out < 9_000
    assert glass.texts("name")[0] == "Dish 0"


def test_a_thousand_items_are_all_listed(glass: Glass) -> None:
    rows = dishes(1_000, description="Carved at the pass; with celery, and with a great deal of patience")
    glass.show(long_menu(rows, seconds=86_400))
    pages = int(page_mark(glass).partition("/")[2])

    assert pages > 10
    assert glass.undrawable == []


@pytest.mark.long
def test_the_page_that_comes_next_is_built_before_it_shows(glass: Glass) -> None:
    glass.show(long_menu(dishes(400), seconds=86_400))
    for _ in range(3):
        glass.pass_seconds(1)
        built = {object_of(item, "entry")["id"] for item in glass.find_all("row")}
        here = glass.texts("name")
        while glass.texts("name") == here:
            glass.pass_seconds(1)
        assert glass.texts("name"), "no page is blank"
        assert {object_of(item, "entry")["id"] for item in glass.find("row")} <= built


@pytest.mark.long
def test_a_list_that_becomes_short_is_shown_whole(glass: Glass) -> None:
    rows = dishes(10_000)
    glass.show(long_menu(rows, seconds=86_400))
    while "Dish 100" not in glass.texts("name"):
        glass.pass_seconds(60)

    glass.show(long_menu(rows[:3], seconds=86_400))

    assert glass.texts("name") == ["Dish 0", "Dish 1", "Dish 2"]
    assert glass.find("pageMark") == []
    assert glass.drawn[-1].codes >= {"menu_too_long"}


@pytest.mark.long
@pytest.mark.proves("hundreds-menus-scene")
def test_many_long_menus_share_what_is_laid_out(glass: Glass, measured: list[str]) -> None:
    boxes = [Box(x=190 * (at % 10), y=180 * (at // 10), width=180, height=170) for at in range(50)]
    widgets = [menu(f"m{at}", box=box) for at, box in enumerate(boxes)]
    rows = dishes(MOST_LISTED // 50)

    glass.show(showing(scene(*widgets), {widget.id: listing(("", rows)) for widget in widgets}))

    assert len(glass.find_all("row")) <= MOST_LETTERS // ROW_LETTERS
    assert len(measured) < 10_000
    assert all(glass.find("row", item) for item in glass.find("menu")), "each shows something"


def test_items_beyond_the_bound_of_a_scene_are_reported(glass: Glass) -> None:
    shown = listing(("", dishes(30)))
    glass.show(one_menu(type(shown)(sections=shown.sections, left_out=12)))

    assert [(one.code, one.detail) for one in glass.undrawable] == [
        (
            "menu_too_long",
            "12 of its items are left out: the menus of a scene list at most 20,000 together, with 200,000 letters",
        )
    ]


@pytest.mark.long
@pytest.mark.proves("hundreds-texts-letters")
def test_the_texts_of_a_scene_share_a_bound_of_letters(glass: Glass, measured: list[str]) -> None:
    words = " ".join(f"word{number}" for number in range(700))
    box = Box(x=0, y=0, width=600, height=400)
    texts = [TextWidget(id=f"t{number}", box=box, text=words) for number in range(250)]
    tickers = [TickerWidget(id=f"k{number}", box=box, text=words) for number in range(249)]
    short = TextWidget(id="short", box=box, text="Open until nine")

    glass.show(showing(scene(*texts, *tickers, short)))

    assert sum(len(text) for text in glass.texts("text")) <= 2 * MOST_TEXT_LETTERS
    assert "Open until nine" in {text.replace("\n", " ") for text in glass.texts("text")}
    assert len(measured) < 30_000
    assert {one.code for one in glass.undrawable} == {"text_too_long"}
    assert "short" not in {one.subject.rpartition("/")[2] for one in glass.undrawable}


@given(st.lists(st.integers(0, 400), min_size=1, max_size=60), st.integers(1, 9_000))
def test_a_share_holds_the_first_rows_and_at_least_one(descriptions: list[int], most: int) -> None:
    rows = [row(str(at), description="x" * length) for at, length in enumerate(descriptions)]
    shown = within_share(listing(("A", rows[:20]), ("B", rows[20:40]), ("C", rows[40:])), most)
    found = [one for section in shown.sections for one in section.rows]

    assert found == rows[: len(found)]
    assert shown.left_out == len(rows) - len(found)
    assert len(found) == 1 or sum(ROW_LETTERS + len(one.name) + len(one.description) for one in found) <= most


def test_menus_that_fit_together_are_whole() -> None:
    short = listing(("", dishes(100)))

    assert within_share(short, share_letters([short] * 4)) == short
    assert within_share(short, share_letters([short] * 40)).left_out
