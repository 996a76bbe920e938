"""Puts the values that an operator's own programs keep current, and the opening hours, into texts; pure.

A value is shown until it expires, and never while the time is not known: yesterday's weather is worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal

from msgspec import Struct

from menu.documents.manifest import Catalogue, LiveValue
from menu.documents.scene import ClockWidget, Scene, ShapeWidget, TextWidget, TickerWidget
from menu.text.hours import hours_text
from menu.text.languages import Speech, in_language
from menu.text.wording import decimal_text

OPENING_HOURS = "openingHours"
"""The value that no program has to set: the location's opening hours, a line for each run of equal days."""
_PLACEHOLDER = re.compile(r"\{\{[ \t]*([A-Za-z][A-Za-z0-9_.-]{0,49})[ \t]*\}\}", re.ASCII)
_ISOLATE, _END = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"


class FilledText(Struct, frozen=True, kw_only=True):
    """A text with its values, without lines that lack a value; `lacking` names the missing values."""

    text: str
    lacking: tuple[str, ...] = ()


def values_named(text: str) -> tuple[str, ...]:
    """Returns the names of values in a text, each once."""
    return tuple(dict.fromkeys(_PLACEHOLDER.findall(text)))


def filled(text: str, catalogue: Catalogue, speech: Speech) -> FilledText:
    """Fills the text in the first language of the showing, numbers in its format."""
    locality, language = speech.localities[0], speech.languages[0]
    told: dict[str, str] = {}
    for name in values_named(text):
        found = catalogue.values.get(name)
        if found is None and name == OPENING_HOURS and (hours := hours_text(speech.location, language)):
            told[name] = hours
        if found is not None and found.current:
            value = found.value
            said = (
                decimal_text(value, locality.locale)
                if isinstance(value, Decimal)
                else in_language(value, language, speech.words)
            )
            told[name] = f"{_ISOLATE}{said}{_END}" if locality.right_to_left else said
    lines = [line for line in text.split("\n") if all(name in told for name in values_named(line))]
    return FilledText(
        text="\n".join(_PLACEHOLDER.sub(lambda match: told[match[1]], line) for line in lines),
        lacking=tuple(name for name in values_named(text) if name not in told),
    )


def says_nothing(scene: Scene, catalogue: Catalogue) -> bool:
    """Whether a scene of texts alone shows only values that are all missing now."""
    texts = [widget for widget in scene.widgets if isinstance(widget, TextWidget | TickerWidget)]
    live = [widget for widget in texts if values_named(widget.text)]
    if not live or len(texts) < sum(not isinstance(widget, ClockWidget | ShapeWidget) for widget in scene.widgets):
        return False
    return not any(_is_left(line, catalogue.values) for widget in live for line in widget.text.split("\n"))


def _is_left(line: str, values: Mapping[str, LiveValue]) -> bool:
    named = [name for name in values_named(line) if name != OPENING_HOURS or name in values]
    return bool(line.strip()) and all(name in values and values[name].current for name in named)
