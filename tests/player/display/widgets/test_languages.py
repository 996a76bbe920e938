"""Boards in another language, and in two at once."""

from collections.abc import Mapping
from decimal import Decimal
from itertools import pairwise

import pytest
from msgspec.structs import replace

from menu.documents.box import Box
from menu.documents.manifest import Catalogue, Item, Location, Translation
from menu.documents.scene import ItemWidget, MenuWidget, Widget
from player.display.layout.text.bidi import RIGHT_TO_LEFT_MARK
from player.domain.playing.playback import play, view_of
from player.domain.view import MenuListing, MenuSection, SceneView
from tests.menu.rules.versions import entry, utc, version
from tests.player.display.conftest import Glass, object_of, text_top

NOON = utc("2026-11-20T12:00")
BERLIN = Location(id="loc", name="Café", timezone="Europe/Berlin", currency="EUR", locale="de-DE")
MENU = MenuWidget(id="menu", box=Box(x=100, y=100, width=800, height=800))
POSTER = ItemWidget(id="poster", box=Box(x=1000, y=100, width=800, height=800), item_id="1")


def dish(number: int, german: str, english: str | None = None, arabic: str | None = None, **more: str) -> Item:
    told = [("en", english), ("ar", arabic), *more.items()]
    return Item(
        id=str(number),
        name=german,
        category="Suppen",
        price=Decimal("5.9"),
        description="mit Zitrone",
        translations=tuple(
            Translation(language=tag, name=name, description=f"{name}!") for tag, name in told if name is not None
        ),
    )


NO_WORDS: Mapping[str, Mapping[str, str]] = {}
DISHES = (
    dish(1, "Linsensuppe", "Lentil soup", "شوربة عدس", ja="レンズ豆のスープ", zh="扁豆汤"),
    *(dish(n, f"Suppe {n}") for n in range(2, 7)),
)


LONG = tuple(
    dish(
        n,
        "Geschmorte Lammschulter mit Rosmarinjus und glasierten Karotten" if n % 2 else "Tee",
        "Slow-braised shoulder of lamb with rosemary jus and glazed carrots" if n % 2 else "Tea",
        "كتف خروف مطهو ببطء مع صلصة إكليل الجبل والجزر" if n % 2 else "شاي",
    )
    for n in range(1, 9)
)


def board(
    *languages: str,
    together: bool = True,
    widgets: tuple[Widget, ...] = (MENU, POSTER),
    items: tuple[Item, ...] = (),
    words: Mapping[str, Mapping[str, str]] = NO_WORDS,
) -> SceneView:
    """The dishes in these languages."""
    one, scene = entry("lunch", 10)
    made = version((one, replace(scene, languages=languages, together=together, widgets=widgets)))
    catalogue = Catalogue(revision=1, revision_at=NOON, items={item.id: item for item in items or DISHES}, words=words)
    playback = play(made, location=BERLIN, catalogue=catalogue, missing={})
    return view_of(playback, one, started_at=NOON, counted_from=NOON)


def shown(glass: Glass, part: str) -> str:
    return " ".join("".join(glass.texts(part)).split())


def test_a_board_in_another_language(glass: Glass) -> None:
    glass.show(board("en"))
    assert glass.texts("name")[0] == "Lentil soup"
    assert "Lentil soup!" in shown(glass, "details")
    assert shown(glass, "itemName") == "Lentil soup"
    assert glass.texts("price")[0] == "5,90\N{NO-BREAK SPACE}€"


@pytest.mark.goes_beyond("MOST_NAMED")
def test_the_operator_is_told_what_has_no_name(glass: Glass) -> None:
    glass.show(board("en"))
    [report] = [one for one in glass.undrawable if one.code == "translation_missing"]
    assert report.subject == "scene-lunch/menu/languages/en"
    assert report.detail.startswith("“Suppe 2”, “Suppe 3”, “Suppe 4” and 2 more: no name in English (en)")
    # By the name that the operator knows, also where another one shows.
    glass.show(board("ar", "ja"))
    assert glass.undrawable[-1].detail.startswith("“Suppe 2”, “Suppe 3”")
    # Another language's turn does not take it back; the names do.
    glass.show(board("de"))
    assert report.subject not in {one.subject for one in glass.drawn}
    view = board("en")
    rows = tuple(replace(row, untranslated=()) for row in view.menus["menu"].sections[0].rows)
    glass.show(replace(view, menus={"menu": MenuListing(sections=(MenuSection(heading="Soups", rows=rows),))}))
    assert report.subject in {one.subject for one in glass.drawn}


def test_the_operator_is_told_which_words_a_language_lacks(glass: Glass) -> None:
    soup = replace(dish(1, "Suppe", **{"is": "Súpa"}), tags=("vegan", "Hausgemacht", "neu"), allergens=("milk", "kiwi"))
    glass.show(board("is", items=(soup,)))
    reports = {one.subject: one.detail for one in glass.undrawable if one.code == "translation_missing"}
    wanted = "“vegan”, “neu”, “milk”: no word in Icelandic (is), shown in English or as it is written"
    assert set(reports.values()) == {wanted}
    assert "scene-lunch/menu/languages/is" in reports
    # A word that the workspace has translated is not lacking, nor is any of a language that is known.
    before = len(glass.undrawable)
    words = {"vegan": {"is": "grænkera"}, "neu": {"is": "nýtt"}}
    glass.show(board("is", items=(replace(soup, allergens=()),), words=words))
    glass.show(board("cs", items=(replace(soup, translations=()),)))
    assert not any("no word" in one.detail for one in glass.undrawable[before:])
    assert "scene-lunch/menu/languages/is" in {one.subject for one in glass.drawn}


def test_a_second_name_stands_below_the_first_and_above_the_descriptions(glass: Glass) -> None:
    glass.show(board("de", "ar"))
    first = glass.find("row")[0]
    parts = [glass.find(part, first)[0] for part in ("name", "second", "details", "secondDetails")]
    assert [glass.texts(part)[0] for part in ("name", "second", "details", "secondDetails")] == [
        "Linsensuppe",
        "شوربة عدس",
        "mit Zitrone",
        "شوربة عدس!",
    ]
    for above, below in pairwise(parts):
        assert text_top(above) + above.height() <= text_top(below) + 0.1 * below.property("lineHeight")
    sizes = [part.property("font").pixelSize() for part in parts]
    assert sizes[0] > sizes[1] >= sizes[2] == sizes[3]
    # Not said twice where there is no translation.
    assert len(glass.texts("second")) == 1
    for text in ("شوربة عدس", "mit Zitrone", "شوربة عدس!"):
        assert text in shown(glass, "itemDetails")


def test_names_in_further_languages_stand_in_one_line_or_each_in_its_own(glass: Glass) -> None:
    for width, names in ((1500, "Lentil soup / Soupe aux lentilles"), (420, "Lentil soup\nSoupe aux lentilles")):
        menu = replace(MENU, box=Box(x=0, y=0, width=width, height=1000), min_text_size=40, max_text_size=40)
        soup = dish(1, "Linsensuppe", "Lentil soup", fr="Soupe aux lentilles")
        glass.show(board("de", "en", "fr", widgets=(menu,), items=(soup,)))
        assert glass.texts("second") == [names]
        assert glass.texts("secondDetails")[0].split("\n") == ["Lentil soup!", "Soupe aux lentilles!"]


def test_each_language_has_its_own_faces_and_direction(glass: Glass) -> None:
    glass.show(board("ja", "zh"))
    [second] = [line.property("font").families() for line in glass.find("second")[:1]]
    [name] = [line.property("font").families() for line in glass.find("name")[:1]]
    assert "Noto Sans CJK JP" in name
    assert "Noto Sans CJK SC" in second
    glass.show(board("ar", "en"))
    [arabic, english] = [glass.find(part)[0] for part in ("name", "second")]
    assert object_of(arabic, "run")["atRight"]
    assert object_of(english, "run")["atRight"]
    assert english.property("text") == "Lentil soup"
    glass.show(board("en", "ar"))
    assert glass.find("second")[0].property("text") == f"{RIGHT_TO_LEFT_MARK}شوربة عدس"


def test_a_heading_in_several_languages_has_a_line_for_each_before_it_is_in_the_first_alone(glass: Glass) -> None:
    wide = board("de", "en", widgets=(MENU,), words={"Suppen": {"en": "Soups"}})
    glass.show(wide)
    assert glass.texts("headingText") == ["SUPPEN / SOUPS"]
    words = {"Suppen": {"en": "Soups of today", "fr": "Potages du jour"}}
    narrow = replace(MENU, box=Box(x=0, y=0, width=400, height=900))
    glass.show(board("de", "en", "fr", widgets=(narrow,), words=words))
    # Each language is whole.
    assert glass.texts("headingText") == ["SUPPEN\nSOUPS OF TODAY\nPOTAGES DU JOUR"]
    narrow = replace(MENU, box=Box(x=0, y=0, width=300, height=900))
    glass.show(board("de", "en", widgets=(narrow,), words={"Suppen": {"en": "Soups and other things in bowls"}}))
    assert glass.texts("headingText") == ["SUPPEN"]


@pytest.mark.first_case
@pytest.mark.parametrize("width", [420, 700, 1500])
@pytest.mark.parametrize("languages", [("de", "ar"), ("ar", "de"), ("en", "de"), ("de", "en", "ar")])
def test_nothing_of_several_languages_overlaps_or_is_cut(glass: Glass, languages: tuple[str, ...], width: int) -> None:
    menu = replace(MENU, box=Box(x=0, y=0, width=width, height=1000))
    glass.show(board(*languages, widgets=(menu,), items=LONG))
    for row in glass.find("row"):
        bottom = 0.0
        for part in ("name", "second", "details", "secondDetails"):
            for lines in glass.find(part, row):
                # Boxes of lines of other sizes may touch; their letters do not.
                assert text_top(lines) >= bottom - 0.1 * lines.property("lineHeight")
                bottom = text_top(lines) + lines.height()
                assert lines.x() >= -0.5
                assert lines.x() + lines.width() <= row.width() + 0.5
        assert bottom <= row.height() + 3
    assert {one.code for one in glass.undrawable} <= {"menu_continues"}


def test_the_next_showing_comes_in_with_the_transition(glass: Glass) -> None:
    glass.show(board("en"))
    changes = glass.display.stage.changes
    glass.show(replace(board("ar"), started_at=utc("2026-11-20T12:00:10")))
    assert glass.display.stage.changes == changes + 1
    assert glass.texts("name")[0] == "شوربة عدس"
    assert object_of(glass.find("menu")[0], "facts")["rightToLeft"]
