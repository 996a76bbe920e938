"""Menus of thousands of items: what is measured and built is bounded, and every item comes in its turn."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QFontMetricsF

from player.display.layout.page_turns import MOST_ROWS_BUILT, pages_to_build
from player.display.layout.portions import MOST_LETTERS, ROW_LETTERS, portion_of, share_letters
from player.display.typography import theme
from player.display.widgets.text import MOST_TEXT_LETTERS
from player.domain.documents.scene import Box, TextWidget, TickerWidget
from player.domain.menu.listings import MOST_LISTED
from player.domain.view import Locality, MenuRow, SceneView
from tests.player.display.conftest import Glass
from tests.player.display.scenes import GERMAN, listing, menu, one_menu, row, scene, showing

OTHER = showing(scene(menu(), scene_id="scn_2"), {"menu": listing(("", [row("Dish")]))}, entry="ent_2")
LONG_NAME = "Slow-braised shoulder of salt-marsh lamb with rosemary jus, glazed carrots and potato gratin"


def dishes(count: int, **more: object) -> list[MenuRow]:
    return [row(f"Dish {number}", item_id=f"itm_{number}", **more) for number in range(count)]


def long_menu(rows: Sequence[MenuRow], *, seconds: int = 15, locality: Locality = GERMAN) -> SceneView:
    return one_menu(listing(("All", rows)), seconds=seconds, locality=locality)


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
def test_a_menu_costs_no_more_for_ten_thousand_items_than_for_one_thousand(
    glass: Glass, measured: list[str], kind: dict[str, object]
) -> None:
    rows = dishes(10_000, **kind)
    glass.show(long_menu(rows[:1_000]))
    few, built = len(measured), len(glass.find_all("row"))

    measured.clear()
    glass.show(long_menu(rows))

    assert len(measured) <= few + 10
    assert len(glass.find_all("row")) <= built
    assert len(set(measured)) < 5_000


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
def test_every_item_comes_in_its_turn_and_then_the_first_again(glass: Glass) -> None:
    rows = dishes(1_500)
    glass.show(long_menu(rows, seconds=86_400))
    names: list[str] = []
    marks: list[str] = []
    while len(names) < len(rows):
        page = glass.texts("name")
        names += page
        marks.append(page_mark(glass))
        while glass.texts("name") == page:
            glass.pass_seconds(4)

    assert marks == [str(number + 1) for number in range(len(marks))], "how many there are is not known"
    assert names == [one.name for one in rows]
    assert page_mark(glass) == "1"
    assert glass.texts("name") == names[: len(glass.texts("name"))]
    assert glass.undrawable == [], "a day is long enough"


def test_the_next_showing_goes_on_where_the_last_one_ended(glass: Glass) -> None:
    rows = dishes(1_500)
    seen: list[str] = []
    while len(seen) < len(rows):
        glass.show(long_menu(rows, seconds=60))
        seen += [name for page in read_pages(glass, 60) for name in page]
        glass.show(OTHER)

    assert seen[: len(rows)] == [one.name for one in rows]
    assert [(one.subject, one.code) for one in glass.undrawable] == [("scn_1/menu", "menu_continues")]
    assert "about " in glass.undrawable[0].detail


def test_an_item_before_the_page_that_sells_out_moves_nothing(glass: Glass) -> None:
    rows = dishes(10_000)
    glass.show(long_menu(rows, seconds=86_400))
    while "Dish 700" not in glass.texts("name"):
        glass.pass_seconds(1)
    before = {item.property("entry").toVariant()["id"]: (item.x(), item.y()) for item in glass.find("row")}

    glass.show(long_menu([one for one in rows if one.name not in {"Dish 5", "Dish 9000"}], seconds=86_400))

    after = {item.property("entry").toVariant()["id"]: (item.x(), item.y()) for item in glass.find("row")}
    assert after == before


def test_a_menu_in_portions_has_one_text_size_on_all_of_them(glass: Glass) -> None:
    sizes = set()
    glass.show(long_menu([*dishes(600), *dishes(603)[600:]], seconds=86_400))
    for _ in range(3_000):
        sizes |= {item.property("font").pixelSize() for item in glass.find("name")}
        glass.pass_seconds(8)
        if "Dish 602" in glass.texts("name") and "Dish 0" not in glass.texts("name"):
            break

    assert sizes == {28}, "the smallest that the widget allows"


def test_the_page_that_comes_next_is_built_before_it_shows(glass: Glass) -> None:
    glass.show(long_menu(dishes(400), seconds=86_400))
    for _ in range(3):
        glass.pass_seconds(1)
        built = {item.property("entry").toVariant()["id"] for item in glass.find_all("row")}
        here = glass.texts("name")
        while glass.texts("name") == here:
            glass.pass_seconds(1)
        assert glass.texts("name"), "no page is blank"
        assert {item.property("entry").toVariant()["id"] for item in glass.find("row")} <= built


def test_a_list_that_becomes_short_is_shown_whole(glass: Glass) -> None:
    rows = dishes(10_000)
    glass.show(long_menu(rows, seconds=86_400))
    while "Dish 700" not in glass.texts("name"):
        glass.pass_seconds(1)

    glass.show(long_menu(rows[:3], seconds=86_400))

    assert glass.texts("name") == ["Dish 0", "Dish 1", "Dish 2"]
    assert glass.find("pageMark") == []


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
        ("menu_too_long", "12 of its items are left out: the menus of a scene list at most 20,000 together")
    ]


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


@given(st.lists(st.integers(0, 400), min_size=1, max_size=60), st.integers(100, 9_000), st.integers(0, 70))
def test_portions_hold_every_row_once_in_order(descriptions: list[int], most: int, first: int) -> None:
    rows = [row(str(at), description="x" * length) for at, length in enumerate(descriptions)]
    shown = listing(("A", rows[:20]), ("B", rows[20:40]), ("C", rows[40:]))
    found: list[str] = []
    at: int = 0
    while at < len(rows):
        portion = portion_of(shown, most=most, first=at)
        assert (portion.first, portion.total) == (at, len(rows))
        found += [one.name for section in portion.listing.sections for one in section.rows]
        assert len(found) == portion.stop > at
        at = portion.stop

    assert found == [one.name for one in rows]
    kept = {one.item_id for one in rows[first : first + 5]}
    again = portion_of(shown, most=most, first=0, kept=kept)
    assert kept <= {one.item_id for section in again.listing.sections for one in section.rows} or (
        sum(ROW_LETTERS + length + 2 for length in descriptions[first : first + 5]) > most
    )


@given(st.lists(st.integers(1, 200), min_size=1, max_size=40), st.data())
def test_the_pages_that_are_built_are_this_one_the_next_and_few_more(rows: list[int], data: st.DataObject) -> None:
    page = data.draw(st.integers(0, len(rows) - 1))
    built = pages_to_build(rows, page)

    assert {page, (page + 1) % len(rows)} <= built
    assert len(built) <= 2 or sum(rows[each] for each in built) <= MOST_ROWS_BUILT


def test_menus_that_fit_together_are_not_divided() -> None:
    short = listing(("", dishes(100)))

    assert portion_of(short, most=share_letters([short] * 4)).is_whole
    assert not portion_of(short, most=share_letters([short] * 40)).is_whole
