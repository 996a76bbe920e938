"""The technician's page in other languages: all of it, by the language of whoever looks."""

from __future__ import annotations

import re
from collections.abc import Callable
from gettext import NullTranslations
from html.parser import HTMLParser

import pytest
from msgspec.structs import replace

from menu.text.phrase import LANGUAGES, chosen_language
from player.domain import events as ev
from player.domain.time.clock import ClockState, Trust
from player.page.sections.actions import BY_NAME
from player.page.sections.facts import Facts
from player.page.sections.render import page, render
from tests.player.page.page_samples import SAMPLES, Sample
from tests.player.page.test_access import Board
from tests.support.menus import item, menu_scene

SAID = ("alt", "aria-label", "data-live", "data-again", "data-ahead", "data-behind")
UNTRANSLATED = ("bdi", "code", "title")
"""Elements of names, addresses and codes, and of words that others have written."""


class Pseudo(NullTranslations):
    """A language whose words are those of English in brackets."""

    def gettext(self, message: str) -> str:
        return f"⟦{message}⟧"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return f"⟦{msgid1 if n == 1 else msgid2}⟧"


class Reader(HTMLParser):
    """The words of a page that are in no brackets, outside of elements in English."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.lost: list[str] = []
        self._path: list[tuple[str, str | None]] = []
        self._open = 0
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        for name in SAID:
            if name in found:
                self._read(found[name] or "")
        if tag not in ("meta", "link", "img", "input"):
            self._path.append((tag, found.get("lang")))

    def handle_endtag(self, tag: str) -> None:
        self._path.pop()

    def handle_data(self, data: str) -> None:
        if any(tag in UNTRANSLATED or (tag != "html" and lang) for tag, lang in self._path):
            return
        self._read(data)

    def _read(self, text: str) -> None:
        outside = ""
        for letter in text:
            self._open += (letter == "⟦") - (letter == "⟧")
            outside += letter if self._open == 0 else " "
        # A sign of isolation, as around a name in an attribute.
        outside = re.sub("\u2068[^\u2069]*\u2069", "", outside)
        if re.search(r"[A-Za-z]{2}", outside):
            self.lost.append(outside.strip())


def rare() -> Facts:
    """A board on which much is wrong that the other samples do not have."""
    sample = Sample()
    sample.receive(scenes=[menu_scene("Coffee", "Nothing")], items=[item("Espresso")])
    health = ev.Health(disk_read_only=True, under_voltage=True, throttled=True, temperature_celsius=90.0)
    sample.tell(ev.HealthRead(health=health))
    facts = sample.facts()
    clock = ClockState(trust=Trust.UNKNOWN, offset=-sample.clock.wall().resolution * 10**9)
    return replace(facts, state=replace(facts.state, clock=clock), log=())


@pytest.fixture
def pseudo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("menu.text.phrase._translations", lambda _: Pseudo())


@pytest.mark.parametrize("make", [*SAMPLES.values(), rare], ids=[*SAMPLES, "rare"])
@pytest.mark.usefixtures("pseudo")
def test_no_word_of_the_page_is_left_in_english(make: Callable[[], Facts]) -> None:
    facts = make()
    assert Reader(page(facts, locale="de", done="test")).lost == []


@pytest.mark.usefixtures("pseudo")
async def test_no_word_of_signing_in_and_restarting_is_left_in_english() -> None:
    assert Reader(render("restarting", "de")).lost == []
    for fixed in ("271828", None):
        asked = await Board(fixed=fixed).browser().get("/sign-in", **{"Accept-Language": "de"})
        assert Reader(asked.text).lost == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_says_its_language_and_direction(language: str) -> None:
    made = page(SAMPLES["large"](), locale=language)
    assert f'<html lang="{language}" dir="{"rtl" if language == "ar" else "ltr"}">' in made
    for action in BY_NAME.values():
        assert action.label not in made


@pytest.mark.goes_beyond("MOST_WISHES")
@pytest.mark.parametrize(
    ("wish", "language"),
    [
        ("de-AT,de;q=0.9,en;q=0.8", "de"),
        ("ja,fr;q=0.5,es;q=0.7", "es"),
        ("en-GB", "en"),
        ("ar_EG", "ar"),
        ("pt-BR,it", None),
        ("*", None),
        ("de;q=0", None),
        ("", None),
        ("de;q=x," * 1000, None),
    ],
)
def test_the_language_is_what_the_browser_asks_for(wish: str, language: str | None) -> None:
    assert chosen_language(wish) == language
