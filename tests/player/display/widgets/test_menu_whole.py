"""A menu shows its items whole while there is room, and says where there is none."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from menu.documents.box import Box
from menu.documents.scene import SoldOut
from tests.player.display.conftest import Glass
from tests.player.display.scenes import listing, one_menu, row

OPTIONS = [(f"Topping {number}", f"+0,{number:02d} €") for number in range(1, 21)]
TAGS = (
    *("vegan", "gluten-free", "dairy-free", "new", "spicy", "halal"),
    *("kosher", "local", "organic", "low-salt", "keto", "favourite"),
)
BROTH = (
    "Our broth simmers for eighteen hours with pork bones, ginger and spring onions; we serve it with hand-pulled"
    " noodles, a marinated egg, bamboo shoots, nori, and slices of slowly roasted belly of pork from a farm nearby."
    " Ask us for the vegan version, with mushrooms and miso, which many of our guests prefer in winter"
)
DISH = (
    "Slow-braised shoulder of salt-marsh lamb with rosemary jus, glazed carrots, potato gratin and a glass of red wine"
)


def bare(*texts: str) -> str:
    """The texts without blanks: lines break at them, and after hyphens."""
    return "".join("".join(texts).replace("-", "").split())


def read(glass: Glass, part: str) -> str:
    return bare(*glass.texts(part))


def tags_of(glass: Glass) -> list[str]:
    return [str(child.property("text")) for tag in glass.find("tag") for child in tag.childItems()]


def codes(glass: Glass) -> list[str]:
    return [one.code for one in glass.undrawable]


def test_every_option_of_an_item_is_shown(glass: Glass) -> None:
    glass.show(one_menu(listing(("", [row("Bowl", modifiers=OPTIONS), row("Soup")]))))

    assert all(bare(name, delta) in read(glass, "details") for name, delta in OPTIONS)
    assert codes(glass) == []


def test_a_long_description_is_whole(glass: Glass) -> None:
    glass.show(one_menu(listing(("", [row("Ramen", description=BROTH), row("Gyoza")]))))

    assert read(glass, "details") == bare(BROTH)
    assert codes(glass) == []


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("Schweineschnitzel „Wiener Art“ mit Pommes", ["Schweineschnitzel", "„Wiener Art“ mit Pommes"]),
        ("Hähnchenbrustfilet in Rahmsoße, Spätzle", ["Hähnchenbrustfilet", "in Rahmsoße, Spätzle"]),
        ("Cola / Fanta / Sprite Zero", ["Cola / Fanta /", "Sprite Zero"]),
        ("Champagne Grand Cru", ["Champagne", "Grand Cru"]),
        ("44. Sakura box, 18 stuks", ["44. Sakura box,", "18 stuks"]),
        ("Sashimi – keuze van de chef", ["Sashimi – keuze", "van de chef"]),
    ],
)
def test_a_name_breaks_where_a_person_would_break_it(glass: Glass, name: str, lines: list[str]) -> None:
    width = max(len(line) for line in lines) * 20 + 220
    box = Box(x=80, y=80, width=width, height=900)
    glass.show(one_menu(listing(("", [row(name)])), box=box, columns=1, min_text_size=40, max_text_size=40))
    assert glass.texts("name")[0].split("\n") == lines


@pytest.mark.parametrize(("width", "letters"), [(320, 150), (700, 200)])
def test_a_word_without_end_is_whole_and_reported(glass: Glass, width: int, letters: int) -> None:
    endless, box = "A" * letters, Box(x=80, y=80, width=width, height=900)
    view = one_menu(listing(("", [row(endless), row("Soup"), row("Käsesahnetorte")])), box=box)
    glass.show(view)

    assert bare(endless) in read(glass, "name")
    assert [(one.code, endless in one.detail) for one in glass.undrawable] == [("word_cut", True)]

    glass.show(replace(view, menus={"menu": listing(("", [row("Soup")]))}))
    assert any("word_cut" in one.codes for one in glass.drawn), "it is withdrawn"


@pytest.mark.parametrize(("width", "height", "cut"), [(320, 1000, []), (320, 300, ["menu_cut"]), (1000, 1000, [])])
def test_twelve_sizes_can_be_read_on_a_narrow_panel(glass: Glass, width: int, height: int, cut: list[str]) -> None:
    sizes = [(f"Size {number}", f"{number},50 €") for number in range(1, 13)]
    glass.show(one_menu(listing(("", [row("Popcorn", variants=sizes)])), box=Box(x=0, y=0, width=width, height=height)))

    assert glass.texts("linePrice") == [cost for _, cost in sizes]
    assert codes(glass) == cut
    assert all("“Popcorn”" in one.detail for one in glass.undrawable)


def test_a_long_name_is_whole(glass: Glass) -> None:
    glass.show(one_menu(listing(("", [row(DISH)])), box=Box(x=80, y=80, width=500, height=900), columns=1))

    assert read(glass, "name") == bare(DISH)
    assert codes(glass) == []


@pytest.mark.goes_beyond("MOST_TAG_LINES")
def test_tags_wrap_into_lines(glass: Glass) -> None:
    glass.show(one_menu(listing(("", [row("Toast", tags=TAGS), row("Soup", tags=TAGS[:2])]))))
    toast, soup = glass.find("row")
    tags = glass.find("tag", toast)

    assert tags_of(glass) == [tag.upper() for tag in (*TAGS, *TAGS[:2])]
    assert len({tag.y() for tag in tags}) > 1
    assert max(tag.y() + tag.height() for tag in tags) <= toast.height() <= soup.y() - toast.y()


def test_a_tag_wider_than_its_column_ends_in_an_ellipsis_and_is_reported(glass: Glass) -> None:
    tag = "from the farm of our friends in the mountains beyond the lake"
    glass.show(one_menu(listing(("", [row("Soup", tags=(tag,))])), box=Box(x=80, y=80, width=400, height=400)))

    [shown] = tags_of(glass)
    assert shown.endswith("…")
    assert tag.upper().startswith(shown.removesuffix("…"))
    assert codes(glass) == ["menu_cut"]


def test_a_list_whose_texts_do_not_fit_goes_on_further_pages_rather_than_being_cut(glass: Glass) -> None:
    rows = [row(f"Ramen {number}", description=BROTH) for number in range(8)]
    glass.show(one_menu(listing(("", rows)), box=Box(x=80, y=80, width=900, height=500)))
    [widget] = glass.find("menu")

    assert widget.property("list").property("pages") > 1
    assert read(glass, "details").count(bare(BROTH)) == len(glass.find("row")) > 0
    assert codes(glass) == []


def test_what_is_higher_than_its_widget_is_cut_at_a_line_and_reported_by_name(glass: Glass) -> None:
    rows = [row("Ramen", description=BROTH), row("Gyoza")]
    box = Box(x=80, y=80, width=500, height=200)
    glass.show(one_menu(listing(("", rows)), box=box))
    [widget], [ramen] = glass.find("menu"), glass.find("row")

    assert not widget.clip()
    assert ramen.y() + ramen.height() <= box.height
    assert glass.texts("details")[0].endswith("…")
    [fault] = glass.undrawable
    assert (fault.subject, fault.code) == ("scn_1/menu", "menu_cut")
    assert "Ramen" in fault.detail
    assert "Gyoza" not in fault.detail

    glass.show(one_menu(listing(("", rows[1:])), box=box))

    assert glass.drawn[-1].codes >= {"menu_cut"}


@pytest.mark.parametrize("size", [28, 32, 40])
def test_descriptions_are_never_much_smaller_than_the_smallest_names(glass: Glass, size: int) -> None:
    rows = [row("Soup", description="With bread", modifiers=[("Butter", "+0,40 €")])]
    glass.show(one_menu(listing(("", rows)), max_text_size=size))

    [details] = {item.property("font").pixelSize() for item in glass.find("details")}

    assert details == 24, "6/7 of minTextSize, 28"


def test_without_room_for_the_least_size_descriptions_stay_smaller_than_names(glass: Glass) -> None:
    rows = [row("Soup of the day", "1.112,00 €", description="With bread")]
    glass.show(one_menu(listing(("", rows)), box=Box(x=80, y=80, width=200, height=300)))
    [name] = {item.property("font").pixelSize() for item in glass.find("name")}
    [details] = {item.property("font").pixelSize() for item in glass.find("details")}

    assert details < name < 28


def test_the_tag_of_a_sold_out_item_is_as_strong_as_any_other(glass: Glass) -> None:
    sold = row("Cold brew", description="With ice", tags=("new",), sold_out=True)
    glass.show(one_menu(listing(("", [row("Espresso", tags=("new",)), sold])), sold_out=SoldOut.MARK))
    _, shown = glass.find("row")
    strength = {
        str(child.property("text")): tag.property("opacity")
        for tag in glass.find("tag", shown)
        for child in tag.childItems()
    }

    assert shown.opacity() == 1
    assert strength["AUSVERKAUFT"] == 1
    assert strength["NEW"] < 0.6
    assert all(item.opacity() < 0.6 for kind in ("name", "price", "details") for item in glass.find(kind, shown))


@pytest.mark.goes_beyond("MOST_NAMED")
def test_of_many_items_that_are_cut_three_are_named(glass: Glass) -> None:
    rows = [row(f"Ramen {number}", description=BROTH) for number in range(5)]
    glass.show(one_menu(listing(("", rows)), box=Box(x=80, y=80, width=500, height=100)))

    [fault] = glass.undrawable
    assert "“Ramen 0”, all of “Ramen 1”, all of “Ramen 2”, all of 2 more items" in fault.detail


@pytest.mark.parametrize("width", [420, 500, 560, 640, 700, 760])
def test_a_description_does_not_end_in_a_single_word(glass: Glass, width: float) -> None:
    text = "With market vegetables, herbs and our own dressing, and a glass of water"
    rows = [row("Slow-braised shoulder", description=text), row("Soup", description=text[:40])]
    glass.show(one_menu(listing(("", rows)), box=Box(x=80, y=80, width=width, height=900), columns=1, max_text_size=30))

    for details in glass.texts("details"):
        lines = details.split("\n")
        assert len(lines) == 1 or " " in lines[-1].strip(), lines


@pytest.mark.parametrize("width", range(250, 350, 10))
def test_a_description_of_three_words_does_not_begin_with_one_alone(glass: Glass, width: int) -> None:
    shown = listing(("", [row("Soup", description="Tomato, mozzarella, basil")]))
    glass.show(one_menu(shown, box=Box(x=80, y=80, width=width, height=900), columns=1, max_text_size=30))

    [details] = glass.texts("details")
    assert details.split("\n")[0] in {"Tomato, mozzarella,", "Tomato, mozzarella, basil"}


@pytest.mark.parametrize("width", range(300, 620, 40))
def test_no_line_has_a_letter_or_two_of_a_word(glass: Glass, width: int) -> None:
    rows = [row("Grießklößchensuppe", "6,50 €"), row("Donaudampfschifffahrtsgesellschaftskapitänsfrühstück", "24,50 €")]
    glass.show(one_menu(listing(("", rows)), box=Box(x=80, y=80, width=width, height=900), min_text_size=40))

    for name in glass.texts("name"):
        assert min(len(line) for line in name.split("\n")) >= 3, name
