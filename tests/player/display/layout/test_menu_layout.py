"""Where rows, headings and legend of a menu stand: width, height, columns, grid, pages."""

from __future__ import annotations

import itertools
from collections import defaultdict
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from benchmarks.columns import MOST_SMALLER, board, compare, rated
from menu.documents.box import Box
from menu.documents.scene import Division, ItemWidget, MenuWidget, TextWidget, VerticalAlign
from menu.text.allergens import LegendLine
from menu.text.wording import Locality
from player.display.layout.entry import Entry, EntryKind
from player.display.layout.menu import MenuLayout, lay_out_menu, vertical_align
from player.display.layout.menu_measures import MenuMeasures, row_steps
from player.display.layout.menu_rating import rate_text
from player.display.layout.setting import Setting
from player.display.layout.sizes import STEP
from player.display.typography.theme import resolve_theme
from player.display.widgets.typeset import Fonts
from player.domain.view import MenuListing, MenuRow
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


def categories(count: int, each: int) -> MenuListing:
    return listing(
        *((f"Section {at}", [replace(one, item_id=f"{at}/{one.item_id}") for one in rows(each)]) for at in range(count))
    )


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


def test_a_single_column_fills_an_upright_widget() -> None:
    layout = laid_out(listing(("", rows(3))), box=Box(x=70, y=600, width=940, height=1200), max_text_size=30)

    [one] = {each.width for each in entries(layout)}
    assert one == layout.width == 940


@pytest.mark.parametrize("width", [520, 640, 760, 880])
def test_no_word_of_a_legend_is_alone_in_its_last_line(width: int) -> None:
    legend = tuple(LegendLine(mark=mark, text=f"word {mark}") for mark in "ABCDEFGHLM")
    sections = listing(("", rows(3, allergens=("A",)))).sections
    shown = MenuListing(sections=sections, legend=legend, legend_title="Allergene:")
    layout = laid_out(shown, box=Box(x=0, y=0, width=width, height=900))

    [lines] = [run.text.split("\n") for run in layout.foot.runs if run.name == "legend"]
    assert len(lines) > 1
    assert min(map(len, lines)) > 0.5 * max(map(len, lines))


def test_tags_without_room_after_the_name_stand_after_the_description() -> None:
    pizza = row("Quattro stagioni", description="With herbs", tags=("vegetarian", "new"), allergens=("A", "G"))
    layout = laid_out(listing(("", [pizza])), box=Box(x=0, y=0, width=560, height=400), max_text_size=40)
    [one] = entries(layout)
    [details] = [run for run in one.runs if run.name == "details"]
    tags = [tag for tag in one.tags if tag.framed]

    assert len(tags) == 2
    for tag in tags:
        assert details.y - details.size < tag.y + tag.height / 2 < details.y, "in the line of the description"
    assert tags[0].x > 5 * details.size
    assert tags[1].x + tags[1].width <= one.width


def test_tags_stand_after_the_last_line_of_a_name_below_its_price() -> None:
    pizza = row("Prosciutto e funghi", tags=("vegetarian",), allergens=("A", "C", "G"))
    layout = laid_out(
        listing(("", [pizza])), box=Box(x=0, y=0, width=480, height=400), min_text_size=40, max_text_size=40
    )
    [one] = entries(layout)
    [name], [price] = ([run for run in one.runs if run.name == kind] for kind in ("name", "price"))
    second = name.y + name.line

    assert name.text.count("\n") == 1
    assert one.height == 2 * name.line, "no line for tags alone"
    assert [tag.framed for tag in one.tags] == [False, True]
    assert all(second - name.size < tag.y + tag.height / 2 < second for tag in one.tags), "in its last line"
    assert price.x < one.tags[-1].x + one.tags[-1].width <= one.width


@pytest.mark.parametrize(
    ("name", "lines"),
    [("Stuffed vine leaves (6)", ["Stuffed vine", "leaves (6)"]), ("Kolokythakia", ["Kolokythakia"])],
)
def test_a_name_breaks_for_tags_that_have_no_room_after_it_in_one_line(name: str, lines: list[str]) -> None:
    tagged = row(name, tags=("vegetarian",))
    layout = laid_out(
        listing(("", [tagged])), box=Box(x=0, y=0, width=500, height=400), min_text_size=40, max_text_size=40
    )
    [one] = entries(layout)
    [shown] = [run for run in one.runs if run.name == "name"]
    [tag] = one.tags
    assert shown.text.split("\n") == lines
    last = shown.y + (len(lines) - 1) * shown.line
    assert (tag.y + tag.height / 2 < last) is (len(lines) > 1), "beside the last word, or below where none can break"


def test_a_description_is_below_energies_that_leave_it_little_room() -> None:
    pizza = row(
        "Margherita",
        description="With market vegetables, herbs and olive oil",
        variants=[(size, "12,50 €") for size in ("Klein", "Mittel", "Groß")],
    )
    variants = tuple(replace(variant, energy="640 kcal") for variant in pizza.variants)
    shown = listing(("Pizza", [replace(pizza, variants=variants)]))
    for width, is_below in ((700, True), (960, False)):
        [one] = entries(laid_out(shown, box=Box(x=0, y=0, width=width, height=800), max_text_size=40))
        [details] = [run for run in one.runs if run.name == "details"]
        energy = next(run for run in one.runs if run.name == "columnEnergy")
        assert (details.y > energy.y) is is_below
        assert ("\n" not in details.text) is is_below


def test_a_line_of_tags_is_beside_the_energies_of_sizes() -> None:
    pizza = row("Margherita", tags=("vegetarian",), variants=[("Klein", "8,50 €"), ("Groß", "9,50 €")])
    variants = tuple(replace(variant, energy="640 kcal") for variant in pizza.variants)
    shown = listing(("Pizza", [replace(pizza, variants=variants)]))
    [one] = entries(laid_out(shown, box=Box(x=0, y=0, width=600, height=800), max_text_size=40))
    energy = next(run for run in one.runs if run.name == "columnEnergy")

    assert energy.y - energy.size < one.tags[0].y + one.tags[0].height / 2 < energy.y


@pytest.mark.parametrize("box", [Box(x=0, y=0, width=900, height=800), Box(x=0, y=0, width=940, height=860)])
def test_three_items_leave_no_third_of_their_widget_free(box: Box) -> None:
    shown = listing(("Burgers", rows(3, description="With our own sauce")))
    layout = laid_out(shown, box=box, max_text_size=60)
    assert max(one.y + one.height for one in entries(layout)) > 2 / 3 * box.height


def test_about_as_much_is_free_below_a_tall_row_as_below_a_low_one() -> None:
    text = "From the oven next door, with butter and salt"
    shown = listing(("", [row("Bread", description=text), row("Tea"), row("Cake", description=text), row("Rolls")]))
    layout = laid_out(shown, box=Box(x=0, y=0, width=600, height=1200), max_text_size=40)

    found = entries(layout)
    free = [below.y - one.y - one.height for one, below in itertools.pairwise(found)]
    assert max(free) - min(free) <= layout.basis.step


@pytest.mark.parametrize("width", range(400, 900, 20))
def test_a_description_ends_in_two_words_below_lines_that_are_full(width: int) -> None:
    told = row("Stew", description="Slow-cooked, with caramelised onions and rocket")
    layout = laid_out(listing(("", [told])), box=Box(x=0, y=0, width=width, height=600), max_text_size=40)
    [run] = [run for run in entries(layout)[0].runs if run.name == "details"]
    *_, last = lines = run.text.split("\n")

    assert len(lines) == 1 or len(last.split()) > 1
    fuller = [f"{line} {' '.join(below.split()[:2])}" for line, below in itertools.pairwise(lines)]
    assert all(fonts().measurers.detail.width(line) * run.size > layout.width for line in fuller)


def test_a_column_is_wider_where_names_end_near_their_prices() -> None:
    meals = [row("Hähnchenschnitzel, Pommes frites")] * 4
    box = Box(x=60, y=200, width=900, height=800)
    layout = laid_out(listing(("Montag", meals)), box=box, columns=1, max_text_size=30)

    assert layout.width == box.width


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
    before: tuple[int, str] | None = None
    for column in columns(layout):
        heads = [one for one in entries(layout, "heading") if (one.page, one.x) == (column[0].page, column[0].x)]
        continues = (column[0].page, column[0].key.partition("/")[0]) == before
        assert continues or heads[0].y < column[0].y, "each column begins with its section's heading"
        assert not continues or not heads or heads[0].y > column[0].y, "but for one beside itself"
        before = column[-1].page, column[-1].key.partition("/")[0]
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
    assert [one.runs[0].text for one in entries(layout, "heading")] == ["COFFEE"]


@pytest.mark.parametrize("each", [3, 5, 6])
@pytest.mark.parametrize("sections", [2, 3, 5, 7])
def test_a_category_of_six_rows_is_whole_while_the_board_has_as_many_pages(sections: int, each: int) -> None:
    layout = laid_out(categories(sections, each), box=Box(x=0, y=0, width=1760, height=920))

    assert layout.pages == 1
    assert {len(column) % each for column in columns(layout)} == {0}


def test_columns_of_different_lengths_end_about_as_low_as_each_other() -> None:
    long, *short = categories(3, 9).sections
    sections = (long, *(replace(one, rows=one.rows[:3]) for one in short))
    box = Box(x=0, y=0, width=1200, height=900)
    layout = laid_out(MenuListing(sections=sections), box=box, columns=2, division=Division.WHOLE)
    left, right = columns(layout)
    assert (len(left), len(right)) == (9, 6)
    assert left[-1].y - right[-1].y <= layout.basis.step

    fewer = MenuListing(sections=(*sections[:2], replace(sections[2], rows=sections[2].rows[:2])))
    gone = laid_out(fewer, box=box, columns=2, division=Division.WHOLE, before=layout)
    assert [one.y for one in entries(gone, "heading")] == [one.y for one in entries(layout, "heading")], "none moves"


@pytest.mark.parametrize("each", [4, 12])
def test_each_category_has_a_column_where_that_is_wanted(each: int) -> None:
    week = Box(x=0, y=0, width=1760, height=920)
    layout = laid_out(categories(5, each), box=week, division=Division.COLUMN_EACH)

    assert (layout.pages, [len(column) for column in columns(layout)]) == (1, [each] * 5)
    assert len({one.y for one in entries(layout, "heading")}) == 1


@pytest.mark.parametrize("height", [420, 500, 600])
def test_a_category_without_room_in_one_column_takes_no_more_than_it_needs(height: int) -> None:
    """Columns that are left on a page are no reason to divide it further."""
    counts = zip(categories(6, 9).sections, (8, 5, 6, 5, 4, 3), strict=True)
    week = MenuListing(sections=tuple(replace(one, rows=one.rows[:count]) for one, count in counts))
    box = Box(x=0, y=0, width=1760, height=height)
    layout = laid_out(week, box=box, division=Division.COLUMN_EACH)

    assert layout.pages > 1
    divided: dict[str, list[int]] = defaultdict(list)
    for column in columns(layout):
        divided[column[0].key.partition("/")[0]].append(len(column))
    for rows_in in divided.values():
        assert len(rows_in) <= 2
        assert rows_in == sorted(rows_in, reverse=True), "the first column is full"


def test_a_column_begins_with_the_categories_that_were_named() -> None:
    shown, box = categories(4, 4), Box(x=0, y=0, width=1760, height=920)
    layout = laid_out(shown, box=box, columns=3, columns_at=("Section 1", "Section 3"))

    assert [len(column) for column in columns(layout)] == [4, 8, 4]


def test_no_category_is_divided_where_that_is_wanted_and_one_has_room() -> None:
    divided = set()
    for height in range(540, 900, 60):
        box = Box(x=0, y=0, width=1760, height=height)
        whole, auto = (laid_out(categories(3, 9), box=box, division=one) for one in (Division.WHOLE, Division.AUTO))
        assert {len(column) % 9 for column in columns(whole)} == {0}
        divided |= {len(column) % 9 for column in columns(auto)}
    assert divided != {0}
    low = laid_out(categories(2, 30), box=Box(x=0, y=0, width=1760, height=500), division=Division.WHOLE)
    assert sum(len(column) for column in columns(low)) == 60, "one without room in any column is divided"


def test_a_category_is_divided_before_the_board_has_a_page_more() -> None:
    divided = 0
    for height in range(1100, 1500, 20):
        layout = laid_out(categories(14, 6), box=Box(x=0, y=0, width=1760, height=height), min_text_size=28)
        assert layout.pages == 1
        divided += any(len(column) % 6 for column in columns(layout))

    assert 0 < divided < 20, "where whole ones have room they are whole"


def test_a_list_stands_closer_before_it_has_a_page_for_one_row() -> None:
    wide = Box(x=0, y=0, width=900, height=700)
    most, close = 0, 0
    for count in range(8, 30):
        one = laid_out(listing(("", rows(count))), box=wide, min_text_size=28, columns=1)
        apart = {below.y - above.y for above, below in itertools.pairwise(entries(one)) if below.page == above.page}
        assert min(apart) >= (1.2 if one.pages == 1 else 1.6) * one.size
        most = max(most, count * (one.pages == 1))
        close += one.pages == 1 and min(apart) < 1.6 * one.size

    assert close >= 4
    assert most >= 19, "700 units hold 19 rows of 28 with 1.26 em each"


@pytest.mark.goes_beyond("MOST_SHORTENED")
def test_a_long_description_is_one_line_before_the_list_has_another_page() -> None:
    few, wide = [*rows(11), *rows(2, description=BREAD)], Box(x=0, y=0, width=700, height=580)
    layout = laid_out(listing(("", few)), box=wide, min_text_size=28, max_text_size=28, columns=1)

    assert layout.pages == 1
    assert len(layout.cut) == 2, "and that is reported"
    many = laid_out(listing(("", rows(13, description=BREAD))), box=wide, min_text_size=28, columns=1)
    assert many.pages > 1
    assert many.cut == (), "a board of descriptions keeps them"


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


def test_pages_divide_a_list_between_its_sections() -> None:
    sections = ((f"Section {at}", rows(each)) for at, each in enumerate((8, 8, 6, 6, 8, 8)))
    layout = laid_out(listing(*sections), box=Box(x=96, y=176, width=900, height=980), columns=1)

    assert [len(column) for column in columns(layout)] == [16, 12, 16]


@pytest.mark.parametrize(("height", "expected"), [(760, [12, 12]), (820, [12, 12]), (1100, [16, 8])])
def test_long_sections_are_split_where_whole_ones_leave_a_column_half_empty_and_the_text_smaller(
    height: int, expected: list[int]
) -> None:
    layout = laid_out(categories(3, 8), box=Box(x=96, y=176, width=900, height=height), columns=2)

    assert [len(column) for column in columns(layout)] == expected
    assert [one.runs[0].text for one in entries(layout, "heading")] == [f"SECTION {at}" for at in range(3)]


def test_a_list_that_is_whole_is_not_clipped_so_that_bars_and_panels_are_whole() -> None:
    for height in range(300, 900, 6):
        layout = laid_out(listing(("Coffee", rows(8))), box=Box(x=0, y=0, width=600, height=height), columns=1)
        assert layout.cut == ()
        assert not layout.overflows, f"in a menu of {height}"


@pytest.mark.first_case
@pytest.mark.parametrize("seed", [*range(EXAMPLES or 10), 1903])
def test_no_number_of_columns_that_could_be_asked_for_is_better_than_automatic(seed: int) -> None:
    found = compare(seed)

    assert found.smaller <= MOST_SMALLER, f"{found.board}: {found.best.size} in {found.other} columns"


@pytest.mark.parametrize("seed", [18, 1243])
def test_the_edge_cuts_no_row_that_is_whole_in_another_number_of_columns(seed: int) -> None:
    _, rating, _ = rated(board(seed), None)

    assert not rating.overflows
    assert rating.cut == 0


@pytest.mark.first_case
@pytest.mark.parametrize("seed", range(EXAMPLES or 20))
def test_no_row_is_lower_than_its_text_says_that_it_is_at_least(seed: int) -> None:
    shown = board(seed)
    measures = MenuMeasures(shown.widget, shown.shown, shown.setting, row_cache={})

    for count, size in itertools.product((1, 3, 5), (measures.smallest, 40)):
        width, step = measures.column_width(count, size), round(STEP * size)
        if width < measures.least_width * size:
            continue
        laid = [measures.row_typesetter.lay_out(each, width, size) for each in measures.rows]
        least = rate_text(measures, count, size)[1]
        assert all(low <= row_steps(one.height, step) for low, one in zip(least, laid, strict=True))


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


@pytest.mark.parametrize("size", range(28, 60, 4))
def test_no_name_runs_into_its_price_for_the_letters_of_its_allergens(size: int) -> None:
    names = ("Sonnenblumenkernbrot", "Dinkelwalnussbrot", "Überraschungsei-Muffin", "Zwetschgendatschi")
    breads = listing(("Brot", [row(name, "5,20 €", allergens=("A",)) for name in names]))
    layout = laid_out(breads, box=Box(x=0, y=0, width=460, height=1600), min_text_size=size, max_text_size=size)

    for one in entries(layout):
        [name], [price] = ([run for run in one.runs if run.name == kind] for kind in ("name", "price"))
        ends = [name.x + fonts().measurers.name.width(line) * name.size for line in name.text.split("\n")]
        assert max(ends) <= price.x, name.text


def test_no_name_breaks_for_the_letters_of_its_allergens_where_a_little_smaller_text_keeps_it_whole() -> None:
    names = ("Granola & yoghurt", "Veggie breakfast", "Banana pancakes", "Halloumi & honey")
    items = [replace(row(name, allergens=("A", "C", "G")), item_id=f"{name} {n}") for n in range(7) for name in names]
    layout = laid_out(listing(("Breakfast", items)), box=Box(x=60, y=190, width=960, height=1600))

    assert [one for one in entries(layout) if any("\n" in run.text for run in one.runs)] == []


@pytest.mark.parametrize("size", [28, 40, 56])
def test_names_count_as_broken_where_the_letters_of_their_allergens_break_them(size: int) -> None:
    shown = listing(("Bowls", [row("Korean beef bowl", "10,50 €", allergens=("A", "C"))]))
    for width in range(11 * size, 17 * size, max(1, size // 20)):
        widget = menu(box=Box(x=0, y=0, width=width, height=900), min_text_size=20)
        setting = Setting(measurers=fonts().measurers, locality=GERMAN)
        measures = MenuMeasures(widget, shown, setting, row_cache={})
        [laid] = [measures.row_typesetter.lay_out(one, width, size) for one in measures.rows]

        assert rate_text(measures, 1, size)[0].wrapped == ("\n" in laid.runs[0].text), f"in a column of {width}"


@pytest.mark.parametrize(("width", "height"), [(3840, 2160), (5120, 1440)])
def test_a_large_panel_has_as_many_columns_as_it_is_wide(width: int, height: int) -> None:
    shown = listing(*((f"Section {at}", [row(f"Lager {at}/{number}") for number in range(15)]) for at in range(10)))
    layout = laid_out(shown, box=Box(x=0, y=0, width=0.9 * width, height=0.9 * height))

    assert layout.pages == 1
    assert len(columns(layout)) > 4
    assert layout.width > 0.8 * width
