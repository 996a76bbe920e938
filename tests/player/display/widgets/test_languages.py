"""Boards in another language, and in two at once."""

from decimal import Decimal

from msgspec.structs import replace

from player.domain.manifest import Catalogue, Item, Location, Translation
from player.domain.playback import play, view_of
from player.domain.scene import Box, ItemWidget, MenuWidget, Widget
from player.domain.view import MenuListing, MenuSection, SceneView
from tests.player.display.conftest import Glass
from tests.player.domain.versions import entry, utc, version

NOON = utc("2026-11-20T12:00")
BERLIN = Location(id="loc", name="Café", timezone="Europe/Berlin", currency="EUR", locale="de-DE")
MENU = MenuWidget(id="menu", box=Box(x=100, y=100, width=800, height=800))
POSTER = ItemWidget(id="poster", box=Box(x=1000, y=100, width=800, height=800), item_id="1")


def dish(number: int, german: str, english: str | None = None, arabic: str | None = None) -> Item:
    told = [("en", english), ("ar", arabic)]
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


DISHES = (dish(1, "Linsensuppe", "Lentil soup", "شوربة عدس"), *(dish(n, f"Suppe {n}") for n in range(2, 7)))


def board(*languages: str, together: bool = True, widgets: tuple[Widget, ...] = (MENU, POSTER)) -> SceneView:
    """The dishes in these languages."""
    one, scene = entry("lunch", 10)
    made = version((one, replace(scene, languages=languages, together=together, widgets=widgets)))
    items = Catalogue(revision=1, revision_at=NOON, items={item.id: item for item in DISHES})
    playback = play(made, anchor=made.published_at, location=BERLIN, catalogue=items, missing={})
    return view_of(playback, one, started_at=NOON, counted_from=NOON)


def shown(glass: Glass, part: str) -> str:
    return " ".join("".join(glass.texts(part)).split())


def test_a_board_in_another_language(glass: Glass) -> None:
    glass.show(board("en"))
    assert glass.texts("name")[0] == "Lentil soup"
    assert "Lentil soup!" in shown(glass, "details")
    assert shown(glass, "itemName") == "Lentil soup"
    assert glass.texts("price")[0] == "5,90\N{NO-BREAK SPACE}€"


def test_the_operator_is_told_what_has_no_name(glass: Glass) -> None:
    glass.show(board("en"))
    [report] = [one for one in glass.undrawable if one.code == "translation_missing"]
    assert report.subject == "scene-lunch/menu/languages/en"
    assert report.detail.startswith("“Suppe 2”, “Suppe 3”, “Suppe 4” and 2 more: no name in English (en)")
    # Another language's turn does not take it back; the names do.
    glass.show(board("de"))
    assert report.subject not in {one.subject for one in glass.drawn}
    view = board("en")
    rows = tuple(replace(row, untranslated=()) for row in view.menus["menu"].sections[0].rows)
    glass.show(replace(view, menus={"menu": MenuListing(sections=(MenuSection(heading="Soups", rows=rows),))}))
    assert report.subject in {one.subject for one in glass.drawn}


def test_both_languages_of_an_item_are_read(glass: Glass) -> None:
    glass.show(board("de", "ar"))
    for name, details in (("name", "details"), ("itemName", "itemDetails")):
        assert "Linsensuppe" in shown(glass, name)
        for text in ("mit Zitrone", "شوربة عدس!"):
            assert text in shown(glass, details)
    assert "شوربة عدس" in shown(glass, "itemDetails")


def test_the_next_showing_comes_in_with_the_transition(glass: Glass) -> None:
    glass.show(board("en"))
    changes = glass.display.stage.changes
    glass.show(replace(board("ar"), started_at=utc("2026-11-20T12:00:10")))
    assert glass.display.stage.changes == changes + 1
    assert glass.texts("name")[0] == "شوربة عدس"
    assert glass.find("menu")[0].property("mirrored")
