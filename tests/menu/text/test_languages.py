"""Names, words and texts in the languages that a scene shows, and whose turn it is."""

from datetime import timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from menu.documents.box import Box
from menu.documents.manifest import Catalogue, Category, Item, Location, Modifier, Translation, Variant
from menu.documents.scene import (
    Background,
    Focus,
    Gradient,
    ImageWidget,
    ItemWidget,
    MenuWidget,
    Scene,
    SoldOut,
    TextWidget,
    TickerWidget,
)
from menu.rules.timeline import Unshowable, WhyNot
from menu.text.languages import best_match, is_same_language, mirrored, speech_of, spoken
from menu.text.languages import languages_of as languages_shown
from player.domain.playing.playback import Playback, corrected, moment_at, play, view_at
from player.domain.view import SceneView, SecondText
from tests.menu.rules.versions import entry, utc, version
from tests.player.domain.playing.listed import listing, row_of

BERLIN = Location(id="loc", name="Café", timezone="Europe/Berlin", currency="EUR", locale="de-DE")
BOX = Box(x=100, y=0, width=800, height=600)
MENU = MenuWidget(id="m", box=BOX)
SOUP = Item(
    id="soup",
    name="Linsensuppe",
    category="Suppen",
    price=Decimal("5.9"),
    description="mit Zitrone",
    modifiers=(Modifier(name="Brot", price_delta=Decimal(1)),),
    tags=("scharf",),
    allergens=("celery",),
    translations=(
        Translation(language="en", name="Lentil soup", description="with lemon"),
        Translation(language="ar", name="شوربة عدس"),
        Translation(language="fr", description="au citron"),
    ),
)
COFFEE = Item(
    id="coffee",
    name="Espresso",
    category="Kaffee",
    price=Decimal(2),
    variants=(Variant(name="groß", price=Decimal(3)),),
)
WORDS = {
    "Suppen": {"en": "Soups", "ar": "شوربات"},
    "Brot": {"en": "bread"},
    "scharf": {"en": "hot"},
    "groß": {"en": "large"},
    "Karte": {"en": "Menu", "ar": "قائمة"},
}
CATALOGUE = Catalogue(
    revision=1, revision_at=utc("2026-11-20T08:00"), items={"soup": SOUP, "coffee": COFFEE}, words=WORDS
)


@pytest.mark.parametrize(
    ("wanted", "offered", "found"),
    [
        ("en", ["de", "en"], "en"),
        ("EN-gb", ["en", "en-GB"], "en-GB"),
        ("en-GB", ["en-US", "en"], "en"),
        ("en-GB", ["en-US"], "en-US"),
        ("zh", ["zh-Hant"], None),
        ("zh", ["zh-Hans"], "zh-Hans"),
        ("zh-TW", ["zh", "zh-HK"], "zh-HK"),
        ("sr-Latn", ["sr"], None),
        ("he", ["iw"], "iw"),
        ("fr", ["en"], None),
        ("fr", [], None),
    ],
)
def test_the_nearest_language_is_found(wanted: str, offered: list[str], found: str | None) -> None:
    assert best_match(wanted, offered) == found


@given(st.from_regex(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,7}", fullmatch=True))
def test_any_tag_is_its_own_language(tag: str) -> None:
    assert is_same_language(tag, tag)
    assert best_match(tag, [tag]) == tag


def test_a_menu_shows_its_items_in_one_language() -> None:
    shown = listing(MENU, CATALOGUE, location=BERLIN, languages=("en",))
    soups, coffees = shown.sections
    assert (soups.heading, coffees.heading) == ("Soups", "Kaffee")
    [soup], [coffee] = soups.rows, coffees.rows
    assert (soup.name, soup.description, soup.tags, soup.second) == ("Lentil soup", "with lemon", ("hot",), None)
    assert (soup.modifiers[0].name, coffee.variants[0].name) == ("bread", "large")
    # Prices are the location's.
    assert soup.price.text == "5,90\N{NO-BREAK SPACE}€"
    assert shown.legend_title == "Allergens:"
    assert [line.text for line in shown.legend] == ["celery"]
    assert (soup.untranslated, coffee.untranslated, coffee.written) == ((), ("en",), "Espresso")


def test_the_note_of_a_category_is_a_word() -> None:
    noted = replace(
        CATALOGUE,
        categories={"Suppen": Category(note="mit Brot", color="#7A1F2B")},
        words={**WORDS, "mit Brot": {"en": "with bread"}},
    )
    soups, coffees = listing(MENU, noted, location=BERLIN, languages=("en",)).sections
    assert (soups.note, soups.color, coffees.note) == ("with bread", "#7A1F2B", "")


def test_without_languages_a_menu_shows_that_of_its_location() -> None:
    german = listing(MENU, CATALOGUE, location=BERLIN)
    assert [row.name for section in german.sections for row in section.rows] == ["Linsensuppe", "Espresso"]
    assert not any(row.untranslated for section in german.sections for row in section.rows)
    london = replace(BERLIN, locale="en-GB")
    english = listing(MENU, CATALOGUE, location=london)
    assert [row.name for section in english.sections for row in section.rows] == ["Lentil soup", "Espresso"]


def test_what_is_not_translated_is_as_the_item_has_it() -> None:
    [row] = listing(MENU, CATALOGUE, location=BERLIN, languages=("fr",)).sections[0].rows
    assert (row.name, row.description, row.untranslated) == ("Linsensuppe", "au citron", ("fr",))


def test_two_languages_show_together_and_say_nothing_twice() -> None:
    shown = listing(MENU, CATALOGUE, location=BERLIN, languages=("de", "ar"))
    [soup], [coffee] = shown.sections[0].rows, shown.sections[1].rows
    assert soup.name == "Linsensuppe"
    assert soup.second == SecondText(name="شوربة عدس", description="")
    assert coffee.second is None
    heading = shown.sections[0].heading
    assert "".join(letter for letter in heading if letter not in "\u2068\u2069") == "Suppen / شوربات"
    assert shown.sections[1].heading == "Kaffee"
    assert shown.legend_title == "Allergene / \u2068مسببات الحساسية\u2069:"


def test_three_languages_show_together_the_first_apart() -> None:
    shown = listing(MENU, CATALOGUE, location=BERLIN, languages=("de", "en", "fr"))
    soup = shown.sections[0].rows[0]
    assert (soup.name, soup.second) == (
        "Linsensuppe",
        SecondText(name="Lentil soup", description="with lemon\nau citron"),
    )
    arabic = listing(MENU, CATALOGUE, location=BERLIN, languages=("de", "en", "ar")).sections[0].rows[0].second
    assert arabic is not None
    assert arabic.name == "Lentil soup\nشوربة عدس"


def test_a_widget_may_have_languages_of_its_own() -> None:
    widget = replace(MENU, languages=("en",))
    assert listing(widget, CATALOGUE, location=BERLIN, languages=("ar",)).sections[0].rows[0].name == "Lentil soup"
    poster = ItemWidget(id="i", box=BOX, item_id="soup", languages=("de", "en"))
    row = row_of(poster, CATALOGUE, location=BERLIN, languages=("ar",))
    assert row is not None
    assert (row.name, row.second) == ("Linsensuppe", SecondText(name="Lentil soup", description="with lemon"))
    assert row.allergens == ("Sellerie / celery",)


TEXTS = Scene(
    id="s",
    name="s",
    background=Background(gradient=Gradient(start="#000000", end="#FFFFFF", angle=0)),
    languages=("de", "en", "ar"),
    widgets=(
        TextWidget(id="t", box=BOX, text="Karte"),
        TickerWidget(id="n", box=BOX, text="Karte\nHeute frisch"),
        replace(MENU, title="Karte", empty_text="Leer"),
        ImageWidget(id="p", box=BOX, asset="a" * 64, focus=Focus(x=0.2)),
    ),
)


def test_texts_of_a_scene_are_words() -> None:
    english = spoken(TEXTS, speech_of(("en",), CATALOGUE, BERLIN))
    text, ticker, menu, _ = english.widgets
    assert isinstance(text, TextWidget)
    assert isinstance(ticker, TickerWidget)
    assert isinstance(menu, MenuWidget)
    assert (text.text, ticker.text, menu.title, menu.empty_text) == ("Menu", "Menu\nHeute frisch", "Menu", "Leer")
    assert spoken(TEXTS, speech_of(("de",), CATALOGUE, BERLIN)) is TEXTS


def test_boxes_are_mirrored_where_the_language_runs_from_right_to_left() -> None:
    scene = replace(TEXTS, mirror_boxes=True)
    assert spoken(scene, speech_of(("en",), CATALOGUE, BERLIN)).widgets[0].box == BOX
    arabic = spoken(scene, speech_of(("ar",), CATALOGUE, BERLIN))
    assert {widget.box for widget in arabic.widgets} == {replace(BOX, x=1920 - 100 - 800)}
    # A picture is where its box is, and is not mirrored itself.
    assert isinstance(arabic.widgets[3], ImageWidget)
    assert arabic.widgets[3].focus.x == 0.2
    assert arabic.background.gradient is not None
    assert arabic.background.gradient.angle == 180
    assert mirrored(mirrored(scene)) == scene
    assert spoken(TEXTS, speech_of(("ar",), CATALOGUE, BERLIN)).widgets[0].box == BOX


def board(*scenes: str, broken: tuple[str, ...] = ()) -> Playback:
    """Scenes of 10 s, published at 2026-01-01; those named `turn…` have three languages in turn."""
    parts = []
    for name in scenes:
        one, scene = entry(name, 10)
        languages = ("de", "en", "ar") if name.startswith("turn") else ()
        parts.append((one, replace(scene, languages=languages, widgets=(replace(MENU, sold_out=SoldOut.MARK),))))
    made = version(*parts)
    playback = play(made, location=BERLIN, catalogue=CATALOGUE, missing={})
    return replace(playback, unshowable=dict.fromkeys(broken, Unshowable(WhyNot.UNREADABLE, "broken")))


def seen(playback: Playback, second: float) -> str:
    """The scene and the language on the glass, so long after publishing."""
    view = view_at(playback, playback.version.published_at + timedelta(seconds=second), schedules_trusted=True)
    assert isinstance(view, SceneView)
    return f"{view.entry_id} {view.locality.locale[:2]}"


def test_each_showing_has_the_next_language() -> None:
    playback = board("turn", "plain")
    found = [seen(playback, second) for second in range(5, 90, 10)]
    assert found[::2] == ["turn de", "turn en", "turn ar", "turn de", "turn en"]
    assert set(found[1::2]) == {"plain de"}
    alone = board("turn")
    assert [seen(alone, second) for second in (5, 15, 25, 35)] == ["turn de", "turn en", "turn ar", "turn de"]


def test_a_showing_keeps_its_language_to_its_end() -> None:
    # The last of the loop is broken: the first has its time, in the language of the loop to come.
    playback = board("turn", "plain", "broken", broken=("broken",))
    assert [seen(playback, second) for second in (5, 15, 25, 35, 45, 55)] == [
        "turn de",
        "plain de",
        "turn en",
        "turn en",
        "plain de",
        "turn ar",
    ]


def test_screens_agree_on_the_language_whatever_they_lack() -> None:
    whole, lacking = board("turn", "plain", "other"), board("turn", "plain", "other", broken=("plain",))
    for second in range(5, 300, 30):
        assert seen(whole, second) == seen(lacking, second)


def test_a_correction_of_the_clock_does_not_change_the_language_on_the_glass() -> None:
    playback = board("turn", "plain")
    before = playback.version.published_at + timedelta(seconds=5)
    shown = moment_at(playback, before, schedules_trusted=True)
    # Half a loop ahead the other scene is due; a whole loop ahead, the next language.
    for ahead in (10, 20):
        now = before + timedelta(seconds=ahead)
        held = corrected(playback, now, shown=shown, shift=timedelta(seconds=ahead), schedules_trusted=True)
        view = view_at(held, now, schedules_trusted=True)
        assert isinstance(view, SceneView)
        assert (view.entry_id, view.locality.locale) == ("turn", "de-DE"), ahead


def test_languages_together_do_not_take_turns() -> None:
    scene = replace(TEXTS, languages=("de", "en"), together=True)
    assert [languages_shown(scene, turn=turn) for turn in range(3)] == [("de", "en")] * 3
    assert languages_shown(replace(TEXTS, languages=()), turn=7) == ()
