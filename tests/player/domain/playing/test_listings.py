"""The items of menu and item widgets: order, headings, contents of a row, and empty scenes."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from menu.documents.box import Box
from menu.documents.manifest import Catalogue, Item, Location, Modifier, Variant
from menu.documents.scene import GridWidget, ItemWidget, MenuWidget, Scene, SoldOut, Span, TextWidget
from menu.text.allergens import LETTERS, MOST_UNKNOWN
from menu.text.languages import speech_of
from player.domain.playing.listings import (
    MOST_CARDS,
    MOST_LISTED,
    SortedItems,
    fair_share,
    posters,
    scene_is_empty,
)
from player.domain.view import MenuListing, ModifierLine
from tests.menu.rules.versions import utc
from tests.player.domain.playing.listed import listing, listings_of, row_of

LOCATION = Location(id="loc", name="Café", timezone="Europe/Berlin", currency="EUR", locale="de-DE")
BOX = Box(x=0, y=0, width=800, height=600)


def item(name: str, category: str = "Coffee", *, index: int = 0, gone: bool = False) -> Item:
    return Item(
        id=name.lower(), name=name, category=category, price=Decimal("3.4"), sort_index=index, eighty_sixed=gone
    )


def catalogue(*items: Item) -> Catalogue:
    return Catalogue(revision=1, revision_at=utc("2026-11-20T08:00"), items={item.id: item for item in items})


CATALOGUE = catalogue(
    item("Tea", "Tea"),
    item("Latte", index=2),
    item("Espresso", index=1),
    item("Cake", "Sweet"),
    item("Mocha", index=2),
    item("Scone", "Sweet", index=-1),
)


def menu(**fields: object) -> MenuWidget:
    return replace(MenuWidget(id="m", box=BOX), **fields)  # type: ignore[arg-type]


def summary(found: MenuListing) -> list[tuple[str, list[str]]]:
    return [(section.heading, [row.name for row in section.rows]) for section in found.sections]


def lists(widget: MenuWidget, items: Catalogue = CATALOGUE) -> list[tuple[str, list[str]]]:
    return summary(listing(widget, items, location=LOCATION))


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (
            {"categories": ("Sweet", "Coffee")},
            [("Sweet", ["Scone", "Cake"]), ("Coffee", ["Espresso", "Latte", "Mocha"])],
        ),
        ({}, [("Sweet", ["Scone", "Cake"]), ("Tea", ["Tea"]), ("Coffee", ["Espresso", "Latte", "Mocha"])]),
        ({"group_by_category": False}, [("", ["Scone", "Tea", "Cake", "Espresso", "Latte", "Mocha"])]),
        ({"item_ids": ("mocha", "cake", "espresso")}, [("Coffee", ["Mocha", "Espresso"]), ("Sweet", ["Cake"])]),
        (
            {"categories": ("Coffee",), "item_ids": ("cake", "latte")},
            [("Coffee", ["Espresso", "Latte", "Mocha"]), ("Sweet", ["Cake"])],
        ),
        (
            {"categories": ("Coffee",), "item_ids": ("scone",), "group_by_category": False},
            [("", ["Scone", "Espresso", "Latte", "Mocha"])],
        ),
        ({"categories": ("Coffee", "Coffee")}, [("Coffee", ["Espresso", "Latte", "Mocha"])]),
        ({"categories": ("Soup", "Tea")}, [("Tea", ["Tea"])]),
        ({"item_ids": ("gone", "tea")}, [("Tea", ["Tea"])]),
        ({"categories": ("Soup",)}, []),
    ],
)
def test_items_are_listed_in_the_order_of_the_widget(
    fields: dict[str, object], expected: list[tuple[str, list[str]]]
) -> None:
    assert lists(menu(**fields)) == expected


def test_an_86d_item_is_not_listed() -> None:
    items = catalogue(item("Tea", "Tea"), item("Latte", gone=True), item("Mocha"))
    assert lists(menu(), items) == [("Tea", ["Tea"]), ("Coffee", ["Mocha"])]


def test_a_category_without_items_has_no_heading() -> None:
    items = catalogue(item("Tea", "Tea"), item("Latte", gone=True))
    assert lists(menu(categories=("Coffee", "Tea")), items) == [("Tea", ["Tea"])]


def test_an_86d_item_is_marked_if_the_widget_says_so() -> None:
    items = catalogue(item("Latte", gone=True), item("Mocha"))
    (section,) = listing(menu(sold_out=SoldOut.MARK), items, location=LOCATION).sections
    assert [(row.name, row.sold_out) for row in section.rows] == [("Latte", True), ("Mocha", False)]


def test_a_row_holds_only_what_the_widget_shows() -> None:
    rich = replace(
        item("Latte"),
        description="With foam",
        modifiers=(
            Modifier(name="Oat", price_delta=Decimal("0.5")),
            Modifier(name="Small", price_delta=Decimal(-1)),
            Modifier(name="Hot", price_delta=Decimal(0)),
        ),
        tags=("vegan",),
        image="ab" * 32,
    )
    (section,) = listing(menu(show_images=True), catalogue(rich), location=LOCATION).sections
    (row,) = section.rows
    assert (row.item_id, row.name, row.price.text) == ("latte", "Latte", "3,40\N{NO-BREAK SPACE}€")
    assert (row.description, row.tags, row.image) == ("With foam", ("vegan",), "ab" * 32)
    assert row.modifiers == (
        ModifierLine(name="Oat", delta="+0,50"),
        ModifierLine(name="Small", delta="−1,00"),
        ModifierLine(name="Hot", delta=""),
    )
    bare = menu(show_descriptions=False, show_modifiers=False, show_tags=False)
    (section,) = listing(bare, catalogue(rich), location=LOCATION).sections
    (row,) = section.rows
    assert (row.description, row.modifiers, row.tags, row.image) == ("", (), (), None)


def scene(*widgets: MenuWidget | TextWidget) -> Scene:
    return Scene(id="s", name="S", widgets=widgets)


TEXT = TextWidget(id="t", box=BOX, text="Welcome")


@pytest.mark.parametrize(
    ("widgets", "empty"),
    [
        ((), False),
        ((TEXT,), False),
        ((menu(categories=("Tea",)),), True),
        ((menu(categories=("Tea",)), TEXT), True),
        ((menu(categories=("Tea",), empty_text="Back soon"),), True),
        ((menu(categories=("Tea",), sold_out=SoldOut.MARK),), False),
        ((menu(categories=("Tea",)), menu(categories=("Coffee",))), False),
        ((menu(categories=("Soup",)),), True),
    ],
)
def test_a_scene_is_empty_if_all_its_menus_are(widgets: tuple[MenuWidget | TextWidget, ...], empty: bool) -> None:
    items = catalogue(item("Tea", "Tea", gone=True), item("Latte"))
    assert scene_is_empty(scene(*widgets), SortedItems(items)) is empty


def item_widget(item_id: str = "tea", instead: str | None = None, **fields: object) -> ItemWidget:
    return replace(ItemWidget(id="i", box=BOX, item_id=item_id, instead_item_id=instead), **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("widget", "shown"),
    [
        (item_widget("latte"), "latte"),
        (item_widget("tea"), None),
        (item_widget("tea", "latte"), "latte"),
        (item_widget("tea", "soup"), None),
        (item_widget("nowhere"), None),
        (item_widget("nowhere", "latte"), "latte"),
        (item_widget("latte", "cake"), "latte"),
    ],
)
def test_an_item_widget_shows_its_item_or_the_replacement(widget: ItemWidget, shown: str | None) -> None:
    items = catalogue(item("Tea", gone=True), item("Soup", gone=True), item("Latte"), item("Cake"))
    row = row_of(widget, items, location=LOCATION)
    assert (row.item_id if row else None) == shown


def test_an_item_widget_shows_only_the_fields_that_it_names() -> None:
    items = catalogue(
        replace(item("Tea"), description="Hot", image="a" * 64, tags=("new",), allergens=("milk", "kiwi", "gluten"))
    )
    silent = item_widget(
        show_price=False, show_descriptions=False, show_images=False, show_tags=False, show_allergens=False
    )
    full = row_of(item_widget(), items, location=LOCATION)
    bare = row_of(silent, items, location=LOCATION)
    assert full
    assert bare
    assert (full.price.text != "", full.description, full.image) == (True, "Hot", "a" * 64)
    assert (full.tags, full.allergens) == (("neu",), ("Gluten", "Milch", "kiwi")), "in words, each of them"
    assert (bare.price.text, bare.description, bare.image, bare.tags, bare.allergens) == ("", "", None, (), ())


@pytest.mark.parametrize(
    ("widgets", "empty"),
    [
        ((item_widget("tea"),), True),
        ((item_widget("tea"), TEXT), True),
        ((item_widget("tea", "latte"),), False),
        ((item_widget("tea"), item_widget("latte")), False),
        ((item_widget("latte"), menu(categories=("Soup",))), True),
        ((item_widget("tea"), menu(categories=("Coffee",))), False),
    ],
)
def test_a_scene_of_item_widgets_is_empty_if_none_has_an_item(
    widgets: tuple[MenuWidget | TextWidget | ItemWidget, ...], empty: bool
) -> None:
    items = catalogue(item("Tea", "Tea", gone=True), item("Latte"))
    assert scene_is_empty(Scene(id="s", name="S", widgets=widgets), SortedItems(items)) is empty


def long_menus(count: int) -> tuple[MenuWidget, ...]:
    return tuple(menu(id=f"m{number}") for number in range(count))


def rows_in(listed: MenuListing) -> list[str]:
    return [row.item_id for section in listed.sections for row in section.rows]


@pytest.mark.long
@pytest.mark.proves("hundreds-menus-scene")
def test_the_menus_of_a_scene_share_a_bound_of_rows() -> None:
    everything = catalogue(*(item(f"Dish {number}", f"Category {number // 100}") for number in range(10_000)))

    one = listings_of(scene(*long_menus(1)), everything, location=LOCATION)["m0"]
    many = listings_of(scene(*long_menus(500)), everything, location=LOCATION)

    assert rows_in(one) == list(everything.items), "as many items as a workspace may have"
    assert one.left_out == 0
    assert sum(len(rows_in(listed)) for listed in many.values()) == MOST_LISTED
    assert {listed.left_out for listed in many.values()} == {10_000 - MOST_LISTED // 500}


def test_a_grid_lists_its_items_in_the_order_of_its_categories_and_tells_the_lowest_price() -> None:
    pizza = replace(item("Pizza", "Food"), variants=SIZES)
    water = replace(item("Water", "Food"), variants=(replace(SIZES[0], eighty_sixed=False),))
    grid = GridWidget(id="g", box=BOX, categories=("Food", "Tea"), item_ids=("latte",))
    (section,) = listing(
        grid, catalogue(item("Latte", index=-5), item("Tea", "Tea"), pizza, water), location=LOCATION
    ).sections
    assert (section.heading, [row.name for row in section.rows]) == ("", ["Pizza", "Water", "Tea", "Latte"])
    told = [row.lowest.price.whole.replace("\N{NO-BREAK SPACE}", " ") if row.lowest else "" for row in section.rows]
    assert told == ["ab 8,50 €", "8,50 €", "", ""], "one price is no beginning"


@pytest.mark.parametrize("kind", [MenuWidget, GridWidget])
def test_a_list_without_prices_tells_none(kind: type[MenuWidget | GridWidget]) -> None:
    oat = Modifier(name="Oat", price_delta=Decimal("0.5"))
    latte = replace(item("Latte"), modifiers=(oat,))
    items = catalogue(latte, replace(item("Pizza"), variants=SIZES))
    (section,) = listing(kind(id="w", box=BOX, show_prices=False), items, location=LOCATION).sections
    assert [(row.price.text, row.variants, row.lowest) for row in section.rows] == [("", (), None)] * 2
    assert [one.delta for row in section.rows for one in row.modifiers] == ([""] if kind is MenuWidget else [])


def test_a_grid_has_a_bound_of_cards() -> None:
    everything = catalogue(*(item(f"Dish {number}") for number in range(MOST_CARDS + 3)))
    listed = listing(GridWidget(id="g", box=BOX), everything, location=LOCATION)
    assert (len(rows_in(listed)), listed.left_out) == (MOST_CARDS, 3)


def test_a_scene_is_empty_if_its_grid_is() -> None:
    grid = GridWidget(id="g", box=BOX, categories=("Nothing",))
    assert scene_is_empty(Scene(id="s", name="S", widgets=(grid,)), SortedItems(CATALOGUE))
    assert not scene_is_empty(Scene(id="s", name="S", widgets=(grid, menu())), SortedItems(CATALOGUE))


def test_a_short_menu_beside_long_ones_is_whole() -> None:
    everything = catalogue(item("Tea", "Tea"), *(item(f"Dish {number}") for number in range(10_000)))
    listed = listings_of(scene(menu(id="tea", categories=("Tea",)), *long_menus(4)), everything, location=LOCATION)

    assert rows_in(listed["tea"]) == ["tea"]
    assert listed["tea"].left_out == 0


@pytest.mark.proves("hundreds-thousands-unknown")
def test_words_for_allergens_without_end_cost_no_time_and_leave_no_mark_out() -> None:
    many = [
        replace(item(f"Dish {number}"), allergens=tuple(f"a{number}-{n}" for n in range(20))) for number in range(2_000)
    ]
    listed = listing(menu(), catalogue(*many), location=LOCATION)
    marks = [mark for section in listed.sections for row in section.rows for mark in row.allergens]

    assert len(set(marks)) == 40_000
    assert len(listed.legend) <= len(LETTERS) + MOST_UNKNOWN


@given(st.lists(st.integers(0, 50), max_size=12), st.integers(12, 100))
def test_a_bound_is_shared_fairly(wanted: list[int], total: int) -> None:
    share = fair_share(wanted, total)
    given_out = [min(each, share) for each in wanted]

    assert sum(given_out) <= total
    if sum(wanted) <= total:
        assert given_out == wanted
    else:
        assert sum(given_out) > total - len(wanted), "nothing that one of them wants is left over"


SIZES = (
    Variant(name="S", price=Decimal("8.5")),
    Variant(name="M", price=Decimal("10.5"), eighty_sixed=True),
    Variant(name="L", price=Decimal("12.5")),
)


def sizes_of(widget: MenuWidget, found: Item) -> list[tuple[str, str, bool]]:
    rows = [row for part in listing(widget, catalogue(found), location=LOCATION).sections for row in part.rows]
    assert all(not row.price.text for row in rows), "an item with variants has no price of its own"
    return [
        (one.name, one.price.text.replace("\N{NO-BREAK SPACE}", " "), one.sold_out)
        for row in rows
        for one in row.variants
    ]


def test_a_variant_that_is_sold_out_alone_is_hidden_or_marked_alone() -> None:
    pizza = replace(item("Margherita"), variants=SIZES)
    assert sizes_of(menu(), pizza) == [("S", "8,50 €", False), ("L", "12,50 €", False)]
    assert sizes_of(menu(sold_out=SoldOut.MARK), pizza) == [
        ("S", "8,50 €", False),
        ("M", "10,50 €", True),
        ("L", "12,50 €", False),
    ]


def test_an_item_without_a_variant_left_is_sold_out() -> None:
    gone = replace(item("Margherita"), variants=tuple(replace(one, eighty_sixed=True) for one in SIZES))
    tea = item("Tea", "Tea")
    assert lists(menu(), catalogue(gone, tea)) == [("Tea", ["Tea"])]
    assert scene_is_empty(scene(menu(categories=("Coffee",))), SortedItems(catalogue(gone, tea)))
    assert row_of(ItemWidget(id="i", box=BOX, item_id="margherita"), catalogue(gone), location=LOCATION) is None
    # The item is marked, not each of its variants.
    (section,) = listing(menu(sold_out=SoldOut.MARK), catalogue(gone), location=LOCATION).sections
    assert [(row.sold_out, [one.sold_out for one in row.variants]) for row in section.rows] == [(True, [False] * 3)]


def test_an_item_widget_shows_the_variants_that_are_left() -> None:
    pizza = replace(item("Margherita"), variants=SIZES)
    row = row_of(ItemWidget(id="i", box=BOX, item_id="margherita"), catalogue(pizza), location=LOCATION)
    assert row is not None
    assert (row.price.text, [one.name for one in row.variants]) == ("", ["S", "L"])


@pytest.mark.parametrize(("sizes", "energy"), [("SL", "640/820 Cal"), ("SML", "640–820 Cal"), ("S", "640 Cal")])
def test_a_card_without_room_for_sizes_tells_their_calories_by_the_law_of_the_location(sizes: str, energy: str) -> None:
    calories = {"S": 640, "M": 730, "L": 820}
    variants = tuple(Variant(name=size, price=Decimal(8 + at), energy=calories[size]) for at, size in enumerate(sizes))
    pizza = replace(item("Pizza"), variants=variants)
    place = replace(LOCATION, currency="USD", locale="en-US")
    (section,) = listing(GridWidget(id="g", box=BOX), catalogue(pizza), location=place).sections
    (row,) = section.rows
    assert row.lowest is not None
    assert row.lowest.energy.replace("\N{NO-BREAK SPACE}", " ") == energy
    assert [one.energy.replace("\N{NO-BREAK SPACE}", " ") for one in row.variants] == [
        f"{calories[size]} Cal" for size in sizes
    ]


def noted(*widgets: ItemWidget | MenuWidget, energies: bool = True) -> dict[str, str]:
    """What the item widgets of a scene say of the energy that an adult needs."""
    soup, tea = replace(item("Soup"), energy=320), replace(item("Tea"), energy=None)
    card = catalogue(soup if energies else replace(soup, energy=None), tea)
    scene, speech = Scene(id="s", name="S", widgets=widgets), speech_of((), card, LOCATION)
    rows = posters(scene, speech, listings_of(scene, card, location=LOCATION))
    return {name: row.energy_note for name, row in rows.items() if row.energy_note}


def one(name: str, item_id: str = "soup", *, width: float = 400, y: float = 0, **fields: Any) -> ItemWidget:
    return ItemWidget(id=name, box=Box(x=0, y=y, width=width, height=300), item_id=item_id, **fields)


def test_of_a_board_of_posters_the_largest_says_once_what_an_adult_needs() -> None:
    said = "Referenzmenge für einen durchschnittlichen Erwachsenen"
    told = noted(one("a"), one("b", width=500), one("c", "tea", width=900), one("d", "tea"))
    assert list(told) == ["b"]
    assert told["b"].startswith(said)
    assert list(noted(one("a"), one("b", y=300), one("c", y=300))) == ["b"], "at the foot of the board, of equal ones"


def test_posters_say_nothing_of_it_where_a_menu_does_or_none_shows_an_energy() -> None:
    assert noted(one("a"), menu(categories=("Coffee",), energy_note="")) == {}
    assert noted(one("a"), energies=False) == {}
    assert noted(one("a", show_energy=False)) == {}
    assert list(noted(one("a"), menu(item_ids=("tea",)))) == ["a"], "a menu without energies says nothing"


def test_the_sentence_of_posters_can_be_changed_on_any_of_them() -> None:
    assert noted(one("a", energy_note="Ask us"), one("b", width=900)) == {"b": "Ask us"}
    assert noted(one("a", energy_note=""), one("b", width=900)) == {}


def test_one_list_of_a_scene_explains_the_allergens_icons_and_energies_of_all() -> None:
    fries = replace(item("Fries", "Sides"), allergens=("milk", "yeast"), tags=("vegan",), energy=320)
    burger = replace(item("Burger", "Mains"), allergens=("gluten", "smoke"), tags=("spicy",), energy=720)
    main = menu(categories=("Mains",), tag_icons=True)
    side = replace(main, id="sides", categories=("Sides",), box=Box(x=0, y=600, width=800, height=300))
    strip = replace(main, id="strip", categories=("Sides",), box=Box(x=0, y=900, width=800, height=90))
    silent = replace(main, id="silent", show_allergens=False, box=Box(x=900, y=0, width=800, height=600))

    found = listings_of(Scene(id="scn", name="Scene", widgets=(main, side, strip, silent)),
                        catalogue(burger, fries), location=LOCATION)  # fmt: skip

    explained = [one for one in found.values() if one.legend or one.icons or one.energy_note or one.legend_title]
    assert explained == [found["sides"]], "the lowest, but for a strip"
    assert [line.mark for line in explained[0].legend] == ["A", "G", "1", "2"]
    assert [line.mark for line in explained[0].icons] == ["vegan", "spicy"]
    assert explained[0].energy_note.count("kcal") == 1
    assert [row.allergens for widget in ("m", "sides") for one in found[widget].sections for row in one.rows] == [
        ("A", "1"),
        ("G", "2"),
    ]
    assert found["silent"].sections[0].rows[0].allergens == ()


def test_each_panel_of_a_board_explains_its_own_lists() -> None:
    """A guest in front of one, or while the other is off, does not find the explanations there."""
    fries, burger = (
        replace(item("Fries", "Sides"), allergens=("yeast",)),
        replace(item("Burger"), allergens=("gluten",)),
    )
    left = menu(categories=(burger.category,))
    right = replace(left, id="right", categories=("Sides",), box=Box(x=1960, y=0, width=800, height=600))
    wall = Scene(id="scn", name="Scene", width=3880, widgets=(left, right), span=Span(panels=2, gap=40))
    menus = catalogue(burger, fries)

    found = listings_of(wall, menus, location=LOCATION)
    assert [[line.mark for line in found[one].legend] for one in ("m", "right")] == [["A"], ["1"]]
    whole = listings_of(replace(wall, span=None), menus, location=LOCATION)
    assert [len(whole[one].legend) for one in ("m", "right")] == [2, 0]


def test_where_the_list_that_explained_is_empty_another_does() -> None:
    burger = replace(item("Burger", "Mains"), allergens=("gluten",))
    main = menu(categories=("Mains",))
    side = replace(main, id="sides", categories=("Sides",), box=Box(x=0, y=600, width=800, height=300))

    found = listings_of(Scene(id="scn", name="Scene", widgets=(main, side)), catalogue(burger), location=LOCATION)

    assert [line.mark for line in found["m"].legend] == ["A"]
    assert found["sides"].legend == ()


@pytest.mark.parametrize("style", SoldOut)
def test_a_listing_from_which_something_is_sold_out_carries_the_whole_one(style: SoldOut) -> None:
    widget = menu(sold_out=style)
    some = catalogue(item("Espresso"), item("Latte", gone=True), replace(item("Margherita"), variants=SIZES))
    available = catalogue(
        *(
            replace(one, eighty_sixed=False, variants=tuple(replace(size, eighty_sixed=False) for size in one.variants))
            for one in some.items.values()
        )
    )
    found = listing(widget, some, location=LOCATION)

    assert found.whole == listing(widget, available, location=LOCATION)
    assert found.whole is not None
    assert found.whole.whole is None
    assert listing(widget, CATALOGUE, location=LOCATION).whole is None
