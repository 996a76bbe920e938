"""What a menu widget lists, in which order, under which heading."""

from decimal import Decimal

import pytest
from msgspec.structs import replace

from player.domain.manifest import Catalogue, Item, Location, Modifier
from player.domain.menu import dish as the_dish
from player.domain.menu import listing, scene_is_empty
from player.domain.scene import Box, ItemWidget, MenuWidget, Scene, SoldOut, TextWidget
from player.domain.view import MenuListing, ModifierLine
from tests.player.domain.versions import utc

PLACE = Location(id="loc", name="Café", timezone="Europe/Berlin", currency="EUR", locale="de-DE")
BOX = Box(x=0, y=0, width=800, height=600)


def dish(name: str, category: str = "Coffee", *, index: int = 0, gone: bool = False) -> Item:
    return Item(
        id=name.lower(), name=name, category=category, price=Decimal("3.4"), sort_index=index, eighty_sixed=gone
    )


def catalogue(*items: Item) -> Catalogue:
    return Catalogue(revision=1, revision_at=utc("2026-11-20T08:00"), items={item.id: item for item in items})


CARD = catalogue(
    dish("Tea", "Tea"),
    dish("Latte", index=2),
    dish("Espresso", index=1),
    dish("Cake", "Sweet"),
    dish("Mocha", index=2),
    dish("Scone", "Sweet", index=-1),
)


def menu(**fields: object) -> MenuWidget:
    return replace(MenuWidget(id="m", box=BOX), **fields)  # type: ignore[arg-type]


def told(found: MenuListing) -> list[tuple[str, list[str]]]:
    return [(section.heading, [row.name for row in section.rows]) for section in found.sections]


def lists(widget: MenuWidget, card: Catalogue = CARD) -> list[tuple[str, list[str]]]:
    return told(listing(widget, card, location=PLACE))


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
def test_items_list_in_the_order_that_the_widget_names(
    fields: dict[str, object], expected: list[tuple[str, list[str]]]
) -> None:
    assert lists(menu(**fields)) == expected


def test_an_eighty_sixed_item_leaves_and_the_others_close_the_gap() -> None:
    card = catalogue(dish("Tea", "Tea"), dish("Latte", gone=True), dish("Mocha"))
    assert lists(menu(), card) == [("Tea", ["Tea"]), ("Coffee", ["Mocha"])]


def test_a_category_that_has_nothing_left_takes_its_heading_with_it() -> None:
    card = catalogue(dish("Tea", "Tea"), dish("Latte", gone=True))
    assert lists(menu(categories=("Coffee", "Tea")), card) == [("Tea", ["Tea"])]


def test_or_it_stays_and_is_marked() -> None:
    card = catalogue(dish("Latte", gone=True), dish("Mocha"))
    (section,) = listing(menu(sold_out=SoldOut.MARK), card, location=PLACE).sections
    assert [(row.name, row.sold_out) for row in section.rows] == [("Latte", True), ("Mocha", False)]


def test_a_row_carries_what_the_widget_shows_and_no_more() -> None:
    rich = replace(
        dish("Latte"),
        description="With foam",
        modifiers=(
            Modifier(name="Oat", price_delta=Decimal("0.5")),
            Modifier(name="Small", price_delta=Decimal(-1)),
            Modifier(name="Hot", price_delta=Decimal(0)),
        ),
        tags=("vegan",),
        image="ab" * 32,
    )
    (section,) = listing(menu(show_images=True), catalogue(rich), location=PLACE).sections
    (row,) = section.rows
    assert (row.item_id, row.name, row.price.text) == ("latte", "Latte", "3,40\N{NO-BREAK SPACE}€")
    assert (row.description, row.tags, row.image) == ("With foam", ("vegan",), "ab" * 32)
    assert row.modifiers == (
        ModifierLine(name="Oat", delta="+0,50"),
        ModifierLine(name="Small", delta="−1,00"),
        ModifierLine(name="Hot", delta=""),
    )
    bare = menu(show_descriptions=False, show_modifiers=False, show_tags=False)
    (section,) = listing(bare, catalogue(rich), location=PLACE).sections
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
def test_a_scene_is_empty_when_all_its_menus_are(widgets: tuple[MenuWidget | TextWidget, ...], empty: bool) -> None:
    card = catalogue(dish("Tea", "Tea", gone=True), dish("Latte"))
    assert scene_is_empty(scene(*widgets), card) is empty


def poster(item: str = "tea", instead: str | None = None, **fields: object) -> ItemWidget:
    return replace(ItemWidget(id="i", box=BOX, item_id=item, instead_item_id=instead), **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("widget", "shown"),
    [
        (poster("latte"), "latte"),
        (poster("tea"), None),
        (poster("tea", "latte"), "latte"),
        (poster("tea", "soup"), None),
        (poster("nowhere"), None),
        (poster("nowhere", "latte"), "latte"),
        (poster("latte", "cake"), "latte"),
    ],
)
def test_a_poster_shows_its_dish_or_the_one_instead(widget: ItemWidget, shown: str | None) -> None:
    card = catalogue(dish("Tea", gone=True), dish("Soup", gone=True), dish("Latte"), dish("Cake"))
    row = the_dish(widget, card, location=PLACE)
    assert (row.item_id if row else None) == shown


def test_a_poster_says_only_what_it_is_asked_to() -> None:
    card = catalogue(
        replace(dish("Tea"), description="Hot", image="a" * 64, tags=("new",), allergens=("milk", "kiwi", "gluten"))
    )
    silent = poster(show_price=False, show_description=False, show_image=False, show_tags=False, show_allergens=False)
    full = the_dish(poster(), card, location=PLACE)
    bare = the_dish(silent, card, location=PLACE)
    assert full
    assert bare
    assert (full.price.text != "", full.description, full.image) == (True, "Hot", "a" * 64)
    assert (full.tags, full.allergens) == (("new",), ("Gluten", "Milch", "kiwi")), "in words, each of them"
    assert (bare.price.text, bare.description, bare.image, bare.tags, bare.allergens) == ("", "", None, (), ())


@pytest.mark.parametrize(
    ("widgets", "empty"),
    [
        ((poster("tea"),), True),
        ((poster("tea"), TEXT), True),
        ((poster("tea", "latte"),), False),
        ((poster("tea"), poster("latte")), False),
        ((poster("latte"), menu(categories=("Soup",))), True),
        ((poster("tea"), menu(categories=("Coffee",))), False),
    ],
)
def test_a_scene_of_posters_is_empty_when_none_stands(
    widgets: tuple[MenuWidget | TextWidget | ItemWidget, ...], empty: bool
) -> None:
    card = catalogue(dish("Tea", "Tea", gone=True), dish("Latte"))
    assert scene_is_empty(Scene(id="s", name="S", widgets=widgets), card) is empty
