"""Changes of the scene that shows: rows leave, return and change their price without a new showing."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace
from PySide6.QtQuick import QQuickItem

from menu.documents.box import Box
from player.domain.view import MenuListing
from tests.player.display.conftest import Glass
from tests.player.display.scenes import listing, one_menu, row

ROWS = [row(name, "3,40 €") for name in ("Espresso", "Flat white", "Cortado", "Mocha", "Filter")]


def sold_out(whole: MenuListing, *names: str) -> MenuListing:
    """The listing once these items are sold out, and hidden."""
    sections = [
        (one.heading, rows) for one in whole.sections if (rows := [row for row in one.rows if row.name not in names])
    ]
    return replace(listing(*sections), whole=whole)


def by_name(glass: Glass) -> dict[str, QQuickItem]:
    return {glass.texts("name", item)[0]: item for item in glass.find("row")}


def test_an_86d_row_leaves_and_the_others_close_the_gap(glass: Glass) -> None:
    glass.show(one_menu(listing(("Coffee", ROWS))))
    before = {name: (item, item.y()) for name, item in by_name(glass).items()}
    [scene] = glass.find("canvas")

    glass.show(one_menu(sold_out(listing(("Coffee", ROWS)), "Flat white")))

    assert glass.texts("name") == ["Espresso", "Cortado", "Mocha", "Filter"]
    glass.until(lambda: by_name(glass)["Cortado"].y() == before["Flat white"][1])
    assert by_name(glass)["Espresso"].y() == before["Espresso"][1]
    assert glass.find("canvas") == [scene]
    assert by_name(glass) == {name: item for name, (item, _) in before.items() if name != "Flat white"}


def test_the_gap_closes_in_motion_and_the_row_is_gone_from_the_first_frame(glass: Glass) -> None:
    glass.show(one_menu(listing(("Coffee", ROWS))))
    positions = {name: item.y() for name, item in by_name(glass).items()}

    glass.order(one_menu(sold_out(listing(("Coffee", ROWS)), "Flat white")))

    assert "Flat white" not in by_name(glass)
    assert positions["Flat white"] < by_name(glass)["Cortado"].y() <= positions["Cortado"]


def test_the_text_keeps_its_size_when_a_row_leaves_or_returns(glass: Glass) -> None:
    many = [row(f"Dish {number}") for number in range(24)]
    glass.show(one_menu(listing(("All", many))))
    [size] = {item.property("font").pixelSize() for item in glass.find("name")}
    columns = {name: item.x() for name, item in by_name(glass).items()}

    glass.show(one_menu(sold_out(listing(("All", many)), "Dish 3", "Dish 20")))
    fewer = {item.property("font").pixelSize() for item in glass.find("name")}
    assert all(item.x() == columns[name] for name, item in by_name(glass).items())

    glass.show(one_menu(listing(("All", many))))

    assert fewer == {size}
    assert {item.property("font").pixelSize() for item in glass.find("name")} == {size}
    assert sorted(glass.texts("name")) == sorted(one.name for one in many)
    glass.until(lambda: {name: item.x() for name, item in by_name(glass).items()} == columns)


def test_more_rows_than_fit_at_that_size_are_set_smaller(glass: Glass) -> None:
    glass.show(one_menu(listing(("All", ROWS[:2])), max_text_size=90))
    [large] = {item.property("font").pixelSize() for item in glass.find("name")}

    glass.show(one_menu(listing(("All", [row(f"Dish {number}") for number in range(40)])), max_text_size=90))

    [small] = {item.property("font").pixelSize() for item in glass.find("name")}
    assert small < large
    assert len(glass.find("row")) == 40


def test_a_price_changes_in_place(glass: Glass) -> None:
    glass.show(one_menu(listing(("Coffee", ROWS))))
    before = by_name(glass)
    dearer = [row("Mocha", "14,10 €") if one.name == "Mocha" else one for one in ROWS]

    glass.show(one_menu(listing(("Coffee", dearer))))

    assert by_name(glass) == before
    assert glass.texts("price", before["Mocha"]) == ["14,10 €"]
    assert glass.texts("price", before["Filter"]) == ["3,40 €"]


def test_a_section_that_empties_takes_its_heading_with_it(glass: Glass) -> None:
    glass.show(one_menu(listing(("Coffee", ROWS[:3]), ("Tea", ROWS[3:]))))
    assert glass.texts("headingText") == ["COFFEE", "TEA"]

    glass.show(one_menu(listing(("Coffee", ROWS[:3]))))

    assert glass.texts("headingText") == ["COFFEE"]


def test_a_new_order_of_the_rows_moves_them(glass: Glass) -> None:
    glass.show(one_menu(listing(("Coffee", ROWS))))

    glass.show(one_menu(listing(("Coffee", list(reversed(ROWS))))))

    glass.until(
        lambda: (
            sorted(by_name(glass), key=lambda name: by_name(glass)[name].y()) == [one.name for one in reversed(ROWS)]
        )
    )


def test_everything_leaves_and_returns(glass: Glass) -> None:
    glass.show(one_menu(listing(("Coffee", ROWS)), empty_text="Sold out for today"))
    glass.show(one_menu(listing(), empty_text="Sold out for today"))
    assert glass.find("row") == []
    assert glass.texts("empty") == ["Sold out for today"]

    glass.show(one_menu(listing(("Coffee", ROWS)), empty_text="Sold out for today"))

    assert glass.texts("name") == [one.name for one in ROWS]
    assert glass.find("empty") == []
    assert len({item.y() for item in glass.find("row")}) == len(ROWS)


def test_the_same_list_again_redraws_no_row(glass: Glass) -> None:
    glass.show(one_menu(listing(("Coffee", ROWS))))
    before = by_name(glass)

    glass.show(one_menu(listing(("Coffee", list(ROWS)))))

    assert by_name(glass) == before


def test_no_empty_page_is_left_when_rows_leave(glass: Glass) -> None:
    small = Box(x=0, y=0, width=700, height=500)
    many = [row(f"Dish {number}") for number in range(30)]
    glass.show(one_menu(listing(("", many)), box=small, min_text_size=40, max_text_size=40))
    [widget] = glass.find("menu")
    pages = widget.property("list").property("pages")
    last_page = glass.texts("name")

    glass.show(one_menu(listing(("", many[: len(last_page)])), box=small, min_text_size=40, max_text_size=40))

    assert pages > 1
    assert widget.property("list").property("pages") == 1
    assert glass.find("pageMark") == []
    assert len(glass.find("row")) == len(last_page)


def test_a_row_that_comes_back_shows_once_the_others_have_made_room(glass: Glass) -> None:
    glass.show(one_menu(listing(("Coffee", ROWS))))
    places = {name: item.y() for name, item in by_name(glass).items()}
    glass.show(one_menu(sold_out(listing(("Coffee", ROWS)), "Flat white")))
    glass.until(lambda: by_name(glass)["Cortado"].y() == places["Flat white"])
    seen: list[tuple[float, float]] = []

    glass.order(one_menu(listing(("Coffee", ROWS))))
    back, next_one = by_name(glass)["Flat white"], by_name(glass)["Cortado"]
    back.opacityChanged.connect(lambda: seen.append((back.opacity(), next_one.y())))
    assert (back.opacity(), back.y()) == (0.0, places["Flat white"])
    glass.until(lambda: back.opacity() == 1)

    assert {y for strength, y in seen if strength > 0} == {places["Cortado"]}, "the others stand where they stood"


def test_a_heading_that_comes_back_waits_too(glass: Glass) -> None:
    whole = listing(("Coffee", ROWS[:3]), ("Tea", ROWS[3:]))
    glass.show(one_menu(whole))
    glass.show(one_menu(sold_out(whole, *(one.name for one in ROWS[3:]))))

    glass.order(one_menu(listing(("Coffee", ROWS[:3]), ("Tea", ROWS[3:]))))

    strength = {glass.texts("headingText", item)[0]: item.opacity() for item in glass.find("heading")}
    assert strength == {"COFFEE": 1.0, "TEA": 0.0}
    glass.until(lambda: all(item.opacity() == 1 for item in (*glass.find("heading"), *glass.find("row"))))


@pytest.mark.parametrize("gone", [("Dish 3",), ("Dish 3", "Dish 4", "Dish 20"), tuple(f"Dish {n}" for n in range(9))])
def test_a_board_that_starts_while_items_are_sold_out_looks_like_one_that_ran_before(
    make_glass: Callable[..., Glass], gone: tuple[str, ...]
) -> None:
    whole = listing(*((f"Part {at}", [row(f"Dish {at * 6 + number}") for number in range(6)]) for at in range(4)))
    running, started = make_glass(), make_glass()
    running.show(one_menu(whole))
    running.show(one_menu(sold_out(whole, *gone)))
    started.show(one_menu(sold_out(whole, *gone)))

    running.until(lambda: places(running) == places(started))
    assert {name.property("font").pixelSize() for name in running.find("name")} == {
        name.property("font").pixelSize() for name in started.find("name")
    }


def places(glass: Glass) -> dict[str, tuple[float, float]]:
    return {name: (item.x(), item.y()) for name, item in by_name(glass).items()}
