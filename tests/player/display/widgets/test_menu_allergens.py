"""The letters of allergens beside an item, and the legend at the widget's foot."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFont

from menu.documents.box import Box
from menu.text.allergens import LegendLine
from menu.text.wording import Locality
from player.display.layout.sizes import LINE
from player.domain.view import MenuListing, MenuSection
from tests.player.display.conftest import Glass, text_of
from tests.player.display.scenes import ARABIC, GERMAN, one_menu, row

MILK = LegendLine(mark="G", text="Milch")
EGGS = LegendLine(mark="C", text="Eier")
ALL = tuple(LegendLine(mark=m, text=f"a rather long word for {m}") for m in "ABCDEFGHLMNOPR")


def listed(*rows: object, legend: tuple[LegendLine, ...]) -> MenuListing:
    return MenuListing(
        sections=(MenuSection(heading="", rows=rows),),  # type: ignore[arg-type]
        legend=legend,
        legend_title="Allergene:",
    )


def badges(glass: Glass) -> dict[str, list[str]]:
    return {
        glass.texts("name", item)[0]: [
            str(child.property("text")).replace("\u00a0", " ")
            for mark in glass.find("allergens", item)
            for child in mark.childItems()
        ]
        for item in glass.find("row")
    }


def legend(glass: Glass) -> str:
    return " ".join(glass.texts("legend")).replace("\u00a0", " ").replace("\n", " ")


def test_letters_stand_with_the_item_and_the_legend_at_the_foot(glass: Glass) -> None:
    rows = (row("Cake", allergens=("C", "G")), row("Tea"), row("Latte", allergens=("G",), tags=("new",)))
    glass.show(one_menu(listed(*rows, legend=(EGGS, MILK))))

    assert badges(glass) == {"Cake": ["C G"], "Tea": [], "Latte": ["G"]}
    assert legend(glass) == "Allergene: C Eier  ·  G Milch"
    [foot], [widget] = glass.find("legend"), glass.find("menu")
    assert all(item.y() + item.height() < foot.y() for item in glass.find("row"))
    assert foot.y() + foot.height() <= widget.height() + 8


def test_without_allergens_there_is_no_legend(glass: Glass) -> None:
    glass.show(one_menu(listed(row("Tea"), legend=())))

    assert glass.find("legend") == []


def test_an_item_that_leaves_takes_its_line_of_the_legend_with_it(glass: Glass) -> None:
    cake, latte = row("Cake", allergens=("C",)), row("Latte", allergens=("G",))
    glass.show(one_menu(listed(cake, latte, legend=(EGGS, MILK))))

    glass.show(one_menu(listed(latte, legend=(MILK,))))

    assert legend(glass) == "Allergene: G Milch"


def test_all_fourteen_allergens_show_in_a_narrow_column(glass: Glass) -> None:
    box = Box(x=40, y=40, width=420, height=1000)
    name = "A name so long that nothing has room beside it"
    glass.show(one_menu(listed(row(name, allergens=tuple("ABCDEFGHLMNOPR")), legend=ALL), box=box))

    [[letters]] = badges(glass).values()
    assert letters == "A B C D E F G H L M N O P R"
    assert glass.undrawable == []
    assert all(f"{mark} a rather long word for {mark}" in legend(glass) for mark in "ABCDEFGHLMNOPR")


@pytest.mark.parametrize(
    ("locality", "names"),
    [
        (GERMAN, ["Apfelstrudel mit Vanillesauce", "Caesar Salad", "Kartoffelsalat", "Tee", "Rinderkraftbrühe mit Ei"]),
        (ARABIC, ["شاورما دجاج مع الثوم", "سلطة الواحة", "قهوة عربية", "شاي"]),
    ],
    ids=["de", "ar"],
)
@pytest.mark.parametrize("width", [420, 470, 520, 620, 700])
def test_letters_stand_after_the_last_word_of_a_name(
    glass: Glass, width: int, locality: Locality, names: list[str]
) -> None:
    rows = [row(name, description="hausgemacht", tags=("vegan",), allergens=("A", "C", "G")) for name in names]
    box = Box(x=40, y=40, width=width, height=1000)
    glass.show(one_menu(listed(*rows, legend=(EGGS, MILK)), box=box, locality=locality, max_text_size=40))

    found = glass.find("row")
    assert found
    for item in found:
        [name], [letters] = glass.find("name", item), glass.find("allergens", item)
        line, lines = LINE * QFont(name.property("font")).pixelSize(), text_of(name).split("\n")
        middle = letters.y() + letters.height() / 2
        assert (len(lines) - 1) * line <= middle <= len(lines) * line, lines
        assert 0 <= letters.x() <= letters.x() + letters.width() <= item.width()


def test_a_menu_too_small_for_its_legend_leaves_it_out_and_says_so(glass: Glass) -> None:
    box = Box(x=40, y=40, width=420, height=60)
    glass.show(one_menu(listed(row("Cake", allergens=("C", "G")), legend=(EGGS, MILK)), box=box))

    assert glass.texts("name") == ["Cake"]
    assert glass.find("legend") == []
    [fault] = glass.undrawable
    assert (fault.subject, fault.code) == ("scn_1/menu", "menu_cut")
    assert "allergens" in fault.detail


def test_an_item_with_no_room_above_the_legend_does_not_lie_over_it(glass: Glass) -> None:
    box = Box(x=40, y=40, width=200, height=400)
    sizes = tuple((f"{size} with everything on it", "3,40 €") for size in ("S", "M", "L"))
    cake = row("Cake", "", allergens=("C", "G"), variants=sizes)
    glass.show(one_menu(listed(cake, row("Tea"), legend=(EGGS, MILK)), box=box))

    assert glass.find("legend") == []
    assert any("allergens" in fault.detail for fault in glass.undrawable if fault.code == "menu_cut")
