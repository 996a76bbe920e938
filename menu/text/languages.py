"""Determines the languages of a scene, and finds its items and words in them; pure.

Untranslated texts show as the item or the scene has them. Prices are those of the location's locale.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from babel.core import get_global
from msgspec import Struct
from msgspec.structs import replace

from menu.documents.manifest import Catalogue, Item, Location, Translation
from menu.documents.scene import ItemWidget, ListWidget, Scene, Widget
from menu.documents.theme import Theme
from menu.text.price import PLAIN, PriceStyle
from menu.text.wording import Locality, cldr_locale, joined, locality_of

MOST_NAMED = 3
"""Items, and words, that a report names."""
_TEXTS = ("text", "title", "empty_text", "end_text", "caption")
"""Fields of widgets that are in the languages of their scene."""


class Told(Struct, frozen=True, kw_only=True):
    """Texts of an item in one language; `translated`: its name is in that language."""

    name: str
    description: str
    translated: bool


class Speech(Struct, frozen=True, kw_only=True):
    """Languages of one showing at a location, the first and at most two beside it, the items and words in them, and the
    format of prices."""

    location: Location
    languages: tuple[str, ...]
    catalogue: Catalogue
    prices: PriceStyle = PLAIN

    @property
    def words(self) -> Mapping[str, Mapping[str, str]]:
        """Words with known translations."""
        return self.catalogue.words

    @property
    def localities(self) -> tuple[Locality, ...]:
        return tuple(locality_in(language, self.location) for language in self.languages)

    def of(self, widget: ListWidget | ItemWidget) -> Speech:
        """Returns the speech of a widget, which may have languages and a theme of its own."""
        return replace(self, languages=widget.languages or self.languages, prices=self.prices.themed(widget.theme))

    def item(self, item: Item, language: str) -> Told:
        """Returns the item in a language, with its own texts where it has no translation."""
        texts = {one.language: one for one in item.translations}
        best = best_match(language, texts)
        found = texts[best] if best is not None else Translation(language=language)
        return Told(
            name=found.name or item.name,
            description=found.description or item.description or "",
            translated=found.name is not None or is_same_language(language, self.location.locale),
        )

    def word(self, text: str) -> str:
        """Returns a category, variant, option or tag in all languages of the showing."""
        if text not in self.words:
            return text
        return joined(in_language(text, language, self.words) for language in self.languages)


def languages_of(scene: Scene, *, turn: int) -> tuple[str, ...]:
    """Returns the languages of a scene's `turn`th showing, counted from 0; none for the location's."""
    if scene.together or not scene.languages:
        return scene.languages
    return (scene.languages[turn % len(scene.languages)],)


def speech_of(
    languages: tuple[str, ...], catalogue: Catalogue, location: Location, theme: Theme | None = None
) -> Speech:
    """Returns these languages at a location, or its own where there are none, with the prices of a scene's theme."""
    return Speech(
        location=location,
        languages=languages or (location.locale,),
        catalogue=catalogue,
        prices=PLAIN.themed(theme) if theme is not None else PLAIN,
    )


def goes_by_turns(scene: Scene) -> bool:
    """Whether the next showing of the scene is in another language."""
    return len(scene.languages) > 1 and not scene.together


def locality_in(language: str, location: Location) -> Locality:
    """Returns the locality of a language at a location; its own one with the territory's customs."""
    own = locality_of(location)
    if is_same_language(language, location.locale):
        return own
    return replace(
        own, locale=language, right_to_left=cldr_locale(language).text_direction == "rtl", home=location.locale
    )


def spoken(scene: Scene, speech: Speech) -> Scene:
    """Translates the scene into the first language: its own texts are words, and its boxes may be mirrored."""
    language, location = speech.languages[0], speech.location
    if speech.words:
        widgets = tuple(_spoken(widget, language, speech.words) for widget in scene.widgets)
        scene = scene if widgets == scene.widgets else replace(scene, widgets=widgets)
    return mirrored(scene) if scene.mirror_boxes and locality_in(language, location).right_to_left else scene


def mirrored(scene: Scene) -> Scene:
    """Mirrors the scene's boxes, not their content."""
    background, gradient = scene.background, scene.background.gradient
    if gradient is not None:
        background = replace(background, gradient=replace(gradient, angle=180 - gradient.angle))
    boxes = ((widget, widget.box) for widget in scene.widgets)
    widgets = (replace(widget, box=replace(box, x=scene.width - box.x - box.width)) for widget, box in boxes)
    return replace(scene, background=background, widgets=tuple(widgets))


def _spoken(widget: Widget, language: str, words: Mapping[str, Mapping[str, str]]) -> Widget:
    texts = {name: getattr(widget, name, None) for name in _TEXTS}
    said = {name: _text(text, language, words) for name, text in texts.items() if text is not None}
    return replace(widget, **said) if said else widget


def _text(text: str, language: str, words: Mapping[str, Mapping[str, str]]) -> str:
    """Translates a text as a whole, or line by line."""
    if text in words or "\n" not in text:
        return in_language(text, language, words)
    return "\n".join(in_language(line, language, words) for line in text.split("\n"))


def in_language(text: str, language: str, words: Mapping[str, Mapping[str, str]]) -> str:
    """Returns a word in a language, or unchanged."""
    known = words.get(text)
    best = best_match(language, known) if known else None
    return known[best] if known and best is not None else text


def best_match(language: str, offered: Iterable[str]) -> str | None:
    """Returns the tag nearest to the language: itself, one without its territory, or that of another territory. A
    language in another script is another one."""
    near = [tag for tag in offered if is_same_language(tag, language)]
    return min(near, key=lambda tag: _distance(tag, language), default=None)


def is_same_language(one: str, other: str) -> bool:
    """Whether two tags name a language in the same script."""
    return _language_and_script(one) == _language_and_script(other)


def script_of(tag: str) -> str:
    """Returns the script of a language (ISO 15924); empty if it is not known."""
    return _language_and_script(tag)[1]


def script_name(script: str, language: str) -> str:
    """Returns the name of a script (ISO 15924) in a language."""
    return str(cldr_locale(language).scripts.get(script, script))


def _distance(tag: str, language: str) -> int:
    if tag.lower() == language.lower():
        return 0
    return 1 if cldr_locale(tag).territory is None else 2


@lru_cache(256)
def _language_and_script(tag: str) -> tuple[str, str]:
    cldr = cldr_locale(tag)
    language = str(cldr.language)
    if cldr.script:
        return language, str(cldr.script)
    likely = str(get_global("likely_subtags").get(language, "")).split("_")
    return language, likely[1] if len(likely) > 1 else ""


def lack_of(names: Sequence[str], words: Sequence[str], language: str) -> str:
    """Describes the items without a name in a language, and the tags and allergens without a word; empty if there are
    none."""
    lacks = (
        (names, "no name in {}, shown as the item has it"),
        (words, "no word in {}, shown in English or as it is written"),
    )
    known = f"{cldr_locale(language).english_name} ({language})"
    return "; ".join(f"{_listed(texts)}: {what.format(known)}" for texts, what in lacks if texts)


def _listed(texts: Sequence[str]) -> str:
    told = ", ".join(f"“{text}”" for text in texts[:MOST_NAMED])
    return told + (f" and {len(texts) - MOST_NAMED} more" if len(texts) > MOST_NAMED else "")
