"""Where rows, headings and legend of a menu stand: width, height, columns, grid, pages."""

from __future__ import annotations

import itertools
from collections import defaultdict
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.columns import MOST_SMALLER, compare
from player.display.layout.entry import Entry, EntryKind
from player.display.layout.menu import MenuLayout, lay_out_menu, vertical_align
from player.display.layout.setting import Setting
from player.display.layout.sizes import STEP
from player.display.typography.theme import resolve_theme
from player.display.widgets.typeset import Fonts
from player.domain.documents.scene import Box, ItemWidget, MenuWidget, TextWidget, VerticalAlign
from player.domain.view import LegendLine, Locality, MenuListing, MenuRow
from tests.player.display.scenes import ARABIC, GERMAN, listing, menu, row, scene
from tests.player.display.widgets.generated import EXAMPLES, examples

pytestmark = pytest.mark.usefixtures("qapp")

SLACK = 0.01
NAMES = ("Espresso", "Flat white", "Hot chocolate", "Slow-braised shoulder of salt-marsh lamb", "Käsekuchen", "Tea")
BREAD = "From the oven next door, with butter and salt, as long as there is some of it left in the afternoon"


@cache
def fonts() -> Fonts:
    return Fonts(resolve_theme((), locale="de-DE"), Locality(locale=""))


def laid_out(
    shown: MenuListing,
    *,
    box: Box | None = None,
    locality: Locality = GERMAN,
    align: VerticalAlign = VerticalAlign.TOP,
    before: MenuLayout | None = None,
    **more: object,
) -> MenuLayout:
    return lay_out_menu(
        menu(box=box, **more),
        shown,
        Setting(measurers=fonts().measurers, locality=locality, sold_out="sold out"),
        align=align,
        basis=before.basis if before is not None else None,
    )


def rows(count: int, **more: object) -> list[MenuRow]:
    return [row(f"Dish number {number}", **more) for number in range(count)]


def entries(layout: MenuLayout, kind: EntryKind = "row") -> list[Entry]:
    return [entry for entry in layout.entries if entry.kind == kind]


def columns(layout: MenuLayout) -> list[list[Entry]]:
    found: dict[tuple[int, float], list[Entry]] = defaultdict(list)
    for one in entries(layout):
        found[one.page, one.x].append(one)
    return [found[key] for key in sorted(found)]


@pytest.mark.parametrize("count", [1, 3, 8, 20])
@pytest.mark.parametrize("locality", [GERMAN, ARABIC])
def test_a_list_fills_the_width_or_stands_in_its_middle(count: int, locality: Locality) -> None:
    box = Box(x=0, y=0, width=1760, height=920)
    layout = laid_out(listing(("Coffee", rows(count))), box=box, locality=locality, title="Menu")
    left, right = min(one.x for one in entries(layout)), max(one.x + one.width for one in entries(layout))

    assert left == pytest.approx(box.width - right)
    assert (layout.left, layout.left + layout.width) == pytest.approx((left, right))
    assert right - left > 0.85 * box.width


def test_a_column_is_as_wide_as_it_can_be_read_across() -> None:
    layout = laid_out(listing(("", rows(3))), max_text_size=30)

    [one] = {each.width for each in entries(layout)}
    assert one == 24 * layout.size


@pytest.mark.parametrize("count", [1, 3])
def test_the_legend_is_as_wide_as_the_columns(count: int) -> None:
    legend = tuple(LegendLine(mark=mark, text=f"word {mark}") for mark in "ABCDEFGHLM")
    shown = MenuListing(
        sections=listing(("", rows(count, allergens=("A",)))).sections, legend=legend, legend_title="Allergene:"
    )
    layout = laid_out(shown, max_text_size=30)
    [width] = {each.width for each in entries(layout)}

    assert layout.width == width
    assert "\n" in next(run.text for run in layout.foot.runs if run.name == "legend")


@pytest.mark.parametrize(
    ("align", "share"), [(VerticalAlign.TOP, 0.0), (VerticalAlign.MIDDLE, 0.44), (VerticalAlign.BOTTOM, 1.0)]
)
@pytest.mark.parametrize("count", [1, 3])
def test_a_short_list_stands_where_its_alignment_says(count: int, align: VerticalAlign, share: float) -> None:
    shown = listing(("", rows(count)))
    layout = laid_out(shown, align=align, title="Today")
    foot = max(one.y + one.height for one in entries(layout))
    spare = 920 - (foot - layout.top)

    assert layout.top == pytest.approx(share * spare, abs=0.42 * layout.size)
    assert entries(layout)[0].y - layout.top == pytest.approx(3.0 * layout.size), "the title goes with it"


def test_what_leaves_does_not_move_what_is_above_it() -> None:
    shown = rows(4)
    before = laid_out(listing(("", shown)), align=VerticalAlign.MIDDLE)
    after = laid_out(listing(("", shown[:-1])), align=VerticalAlign.MIDDLE, before=before)

    assert before.top > 0
    assert entries(after) == entries(before)[:-1]


def test_a_menu_alone_stands_in_the_middle_and_one_that_belongs_to_others_begins_at_the_top() -> None:
    def box(x: float, y: float, width: float, height: float) -> Box:
        return Box(x=x, y=y, width=width, height=height)

    alone = menu(box=box(0, 100, 800, 800))
    head = TextWidget(id="head", box=box(0, 0, 800, 90), text="Lunch")
    beside = MenuWidget(id="other", box=box(900, 200, 800, 800))
    poster = ItemWidget(id="poster", box=box(900, 200, 800, 800), item_id="itm")
    below = TextWidget(id="foot", box=box(0, 950, 800, 90), text="Ask us")
    titled = menu(box=alone.box, title="Lunch")
    middle, top = VerticalAlign.MIDDLE, VerticalAlign.TOP

    assert vertical_align(alone, scene(alone)) is middle
    assert vertical_align(alone, scene(alone, below)) is middle
    assert vertical_align(alone, scene(head, alone)) is top
    assert vertical_align(titled, scene(head, titled)) is middle
    assert vertical_align(alone, scene(alone, beside)) is top
    assert vertical_align(alone, scene(alone, poster)) is top
    assert vertical_align(menu(vertical_align=VerticalAlign.BOTTOM), scene(alone, beside)) is VerticalAlign.BOTTOM


def test_pages_are_as_large_as_that_many_pages_allow() -> None:
    shown = listing(("", rows(30, description=BREAD)))
    box = Box(x=0, y=0, width=900, height=500)
    layout = laid_out(shown, box=box, columns=2)
    larger = laid_out(shown, box=box, columns=2, min_text_size=layout.size + 1)
    least = laid_out(shown, box=box, columns=2, max_text_size=28)

    assert layout.pages == least.pages > 1
    assert layout.size >= least.size == 28
    assert larger.pages > layout.pages


def test_long_names_in_comfortable_columns_do_not_leave_half_of_the_board_free() -> None:
    long = "Slow-braised shoulder of salt-marsh lamb with rosemary jus, glazed carrots and potato gratin"
    layout = laid_out(listing(("Specials", [row(f"{long} {number}", description=BREAD) for number in range(9)])))

    assert layout.pages == 1
    assert len(columns(layout)) > 1


sections = st.lists(
    st.lists(
        st.tuples(st.sampled_from(NAMES), st.sampled_from(["", "With bread", BREAD]), st.booleans()),
        min_size=1,
        max_size=24,
    ),
    min_size=1,
    max_size=5,
)


def generated(of: list[list[tuple[str, str, bool]]]) -> MenuListing:
    return listing(
        *(
            (
                f"Section {number}",
                [
                    row(name, description=text, tags=("new",) if tagged else (), item_id=f"{number}/{at}")
                    for at, (name, text, tagged) in enumerate(each)
                ],
            )
            for number, each in enumerate(of)
        )
    )


@examples(60)
@given(of=sections, upright=st.booleans(), small=st.booleans())
def test_rows_of_all_columns_stand_on_one_grid_under_a_heading_and_none_alone(
    of: list[list[tuple[str, str, bool]]], upright: bool, small: bool
) -> None:
    box = Box(x=0, y=0, width=1000, height=700) if small else Box(x=0, y=0, width=1760, height=920)
    if upright:
        box = Box(x=0, y=0, width=box.height, height=box.width)
    layout = laid_out(generated(of), box=box)
    step = layout.basis.step
    first = min(one.y for one in layout.entries)

    assert {round((one.y - first) % step, 3) % step for one in layout.entries} == {0.0}
    assert step == int(step) >= round(STEP * layout.size)
    for column in columns(layout):
        heads = [one for one in entries(layout, "heading") if (one.page, one.x) == (column[0].page, column[0].x)]
        assert heads[0].y < column[0].y, "each column begins with its section's heading"
        parts = sorted([*heads, *column], key=lambda one: one.y)
        for above, below in itertools.pairwise(parts):
            assert above.y + above.height <= below.y + 0.35 * step, "no row lies over another"
        groups: dict[str, list[str]] = defaultdict(list)
        for one in column:
            groups[one.key.partition("/")[0]].append(one.key)
        for number, ids in groups.items():
            assert len(ids) > 1 or len(of[int(number)]) == 1, "no row is alone under its heading"


def test_a_number_of_columns_that_was_asked_for_is_worth_more_than_rows_together() -> None:
    layout = laid_out(listing(("Coffee", rows(3))), columns=3)

    assert len(columns(layout)) == 3
    assert [one.runs[0].text for one in entries(layout, "heading")] == ["COFFEE"] * 3


@pytest.mark.parametrize("height", range(400, 660, 20))
@pytest.mark.parametrize(("sections", "each"), [(6, 4), (3, 8), (9, 3)])
def test_the_last_column_is_not_left_empty(height: int, sections: int, each: int) -> None:
    shown = listing(*((f"Section {number}", rows(each)) for number in range(sections)))
    layout = laid_out(shown, box=Box(x=96, y=176, width=1728, height=height), min_text_size=26, max_text_size=40)
    if layout.pages == 1:
        assert max(one.x + one.width for one in entries(layout)) == pytest.approx(layout.left + layout.width, abs=1)


@pytest.mark.parametrize("height", [520, 560, 600])
def test_whole_sections_stand_in_as_few_columns_as_can_be_read_well(height: int) -> None:
    drinks = [
        ("Espresso", "Flat white", "Cappuccino", "Iced latte"),
        ("Cola", "Lemonade", "Orange juice", "Rhubarb spritz"),
        ("Lager", "Pale ale", "Stout", "Alcohol-free"),
        ("Riesling", "Grüner Veltliner", "Primitivo", "Rioja"),
        ("Negroni", "Whiskey sour", "Paloma", "Garden mule"),
        ("Virgin mojito", "Ginger ale", "Cucumber fizz", "House shrub"),
    ]
    shown = listing(*((names[0], [row(name, "11,50 €") for name in names]) for names in drinks))
    layout = laid_out(shown, box=Box(x=96, y=176, width=1728, height=height), min_text_size=26, max_text_size=40)

    assert [len(column) for column in columns(layout)] == [8, 8, 8]
    assert not any("\n" in one.runs[0].text for one in entries(layout))


def test_a_list_that_is_whole_is_not_clipped_so_that_bars_and_panels_are_whole() -> None:
    for height in range(300, 900, 6):
        layout = laid_out(listing(("Coffee", rows(8))), box=Box(x=0, y=0, width=600, height=height), columns=1)
        assert layout.cut == ()
        assert not layout.overflows, f"in a menu of {height}"


@pytest.mark.parametrize("seed", [*range(EXAMPLES or 30), 1903])
def test_no_number_of_columns_that_could_be_asked_for_is_better_than_automatic(seed: int) -> None:
    found = compare(seed)

    assert found.smaller <= MOST_SMALLER, f"{found.board}: {found.best.size} in {found.other} columns"


def test_three_items_in_a_strip_are_as_large_as_in_two_columns() -> None:
    shown = listing(("Coffee", [row("Espresso"), row("Flat white"), row("Grilled sandwich", "6,40 €")]))
    strip = Box(x=96, y=18, width=1728, height=324)

    assert laid_out(shown, box=strip).size == laid_out(shown, box=strip, columns=2).size == 64
    assert laid_out(shown, box=strip, columns=1).size < 58


def test_a_long_list_breaks_no_name_that_is_whole_in_as_many_pages() -> None:
    names = ("Hendrick's & tonic", "Tanqueray & tonic", "Negroni", "Whiskey sour", "House red", "Lager", "Orange juice")
    each = [row(name, "£9.50", item_id=f"{number}") for number, name in zip(range(120), itertools.cycle(names))]
    shown = listing(*((f"Section {at}", each[at : at + 15]) for at in range(0, 120, 15)))
    layout = laid_out(shown, box=Box(x=96, y=54, width=1728, height=972))

    assert layout.pages == 2
    assert not any("\n" in one.runs[0].text for one in entries(layout))


@pytest.mark.parametrize(("width", "height"), [(3840, 2160), (5120, 1440)])
def test_a_large_panel_has_as_many_columns_as_it_is_wide(width: int, height: int) -> None:
    shown = listing(*((f"Section {at}", [row(f"Lager {at}/{number}") for number in range(15)]) for at in range(10)))
    layout = laid_out(shown, box=Box(x=0, y=0, width=0.9 * width, height=0.9 * height))

    assert layout.pages == 1
    assert len(columns(layout)) > 4
    assert layout.width > 0.8 * width
