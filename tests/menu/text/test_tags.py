"""Tags that have an icon, by their names in each language, and the words that boards say for them."""

from decimal import Decimal

import pytest

from menu.documents.box import Box
from menu.documents.manifest import Catalogue, Item, Location
from menu.documents.scene import GridWidget, ItemWidget, MenuWidget
from menu.text.menu_words import all_words
from menu.text.tags import ICONS, icon_of, tag_in
from tests.menu.rules.versions import utc
from tests.player.domain.playing.listed import listing, row_of

BOX = Box(x=0, y=0, width=800, height=600)


@pytest.mark.parametrize(
    ("tag", "icon"),
    [
        ("vegan", "vegan"),
        (" Vegan ", "vegan"),
        ("plant-based", "vegan"),
        ("GLUTEN_FREE", "gluten_free"),
        ("glutenfrei", "gluten_free"),
        ("sin gluten", "gluten_free"),
        ("végétarienne", "vegetarian"),
        ("حار", "spicy"),
        ("حار جدًا", "spicy2"),
        ("🌶️🌶️🌶️", "spicy3"),
        ("höllisch scharf", "spicy3"),
        ("Spezialität des Hauses", "special"),
        ("hot", None),
        ("hausgemacht", None),
        ("", None),
    ],
)
def test_a_tag_has_the_icon_of_its_name_in_any_of_the_languages(tag: str, icon: str | None) -> None:
    assert icon_of(tag) == icon


def test_every_name_has_one_icon_and_every_icon_a_word_in_each_language() -> None:
    for language, words in all_words().items():
        assert tuple(words.tags) == ICONS, language
        for icon, names in words.tags.items():
            assert {icon_of(name) for name in names} == {icon}, names
    assert len(ICONS) == 15


@pytest.mark.parametrize(
    ("tag", "language", "word"),
    [
        ("spicy", "de-DE", "scharf"),
        ("sehr scharf", "fr", "très épicé"),
        ("gluten-free", "ar-KW", "خالٍ من الغلوتين"),
        ("vegana", "es", "vegana"),
        ("vegan", "it-IT", "vegano"),
        ("spicy", "bg-BG", "люто"),
        ("bez lepku", "hu-HU", "gluténmentes"),
        ("scharf", "th-TH", "เผ็ด"),
        ("new", "cs", "novinka"),
        ("นิว", "en", "นิว"),
        ("素食", "zh-TW", "素食"),
        ("纯素", "zh-TW", "純素"),
        ("vegan", "is-IS", "vegan"),
        ("Hausgemacht", "en", "Hausgemacht"),
    ],
)
def test_a_known_tag_is_said_in_the_language_of_the_board_unless_it_is_already(
    tag: str, language: str, word: str
) -> None:
    assert tag_in(tag, language) == word


def soup(*tags: str) -> Catalogue:
    item = Item(id="soup", name="Soup", category="Food", price=Decimal(5), tags=tags)
    words = {"vegan": {"de": "rein pflanzlich"}}
    return Catalogue(revision=1, revision_at=utc("2026-11-20T08:00"), items={"soup": item}, words=words)


GERMAN = Location(id="loc", name="Café", timezone="Europe/Berlin", currency="EUR", locale="de-DE")


@pytest.mark.parametrize("kind", [MenuWidget, GridWidget])
def test_with_icons_a_list_explains_them_and_leaves_other_tags_in_words(
    kind: type[MenuWidget] | type[GridWidget],
) -> None:
    card = soup("hausgemacht", "new", "spicy", "vegan", "neu")
    found = listing(kind(id="m", box=BOX, tag_icons=True), card, location=GERMAN)
    [row] = found.sections[0].rows
    assert (row.icons, row.tags) == (("new", "spicy", "vegan"), ("hausgemacht",))
    told = [(line.mark, line.text) for line in found.icons]
    assert told == [("vegan", "rein pflanzlich"), ("spicy", "scharf"), ("new", "neu")]

    plain = listing(kind(id="m", box=BOX), card, location=GERMAN)
    [row] = plain.sections[0].rows
    assert (row.icons, plain.icons) == ((), ())
    assert row.tags == ("hausgemacht", "neu", "scharf", "rein pflanzlich", "neu")
    hidden = listing(kind(id="m", box=BOX, tag_icons=True, show_tags=False), card, location=GERMAN)
    assert (hidden.sections[0].rows[0].icons, hidden.icons) == ((), ())


def test_an_item_widget_says_its_tags_in_words() -> None:
    row = row_of(ItemWidget(id="i", box=BOX, item_id="soup"), soup("spicy", "raw"), location=GERMAN)
    assert row is not None
    assert (row.tags, row.icons) == (("scharf", "raw"), ())
