"""What several sections are built from: cards, pairs of a word and its value, marks; pure."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from player.domain.words.phrase import Phrase, phrase
from player.page.sections.markup import Content, Html, join, tag

MAX_ROWS = 300
"""Rows of any list on the page; the rest is counted."""


class Mood(StrEnum):
    """How something is; each has a colour, a sign and a word, so that none of them is needed alone."""

    GOOD = "good"
    NOTE = "note"
    WARNING = "warning"
    FAULT = "fault"


_SIGNS = {Mood.GOOD: "✓", Mood.NOTE: "i", Mood.WARNING: "!", Mood.FAULT: "✕"}


def sign(mood: Mood, word: Phrase | None = None) -> Html:
    """The sign of a mood; the word is for who does not see it."""
    seen = tag("span", _SIGNS[mood], cls=f"sign {mood}", aria_hidden="true")
    return join(seen, tag("span", phrase("{word}: ", word=word), cls="unseen") if word else None)


def chip(text: Content, mood: Mood | None = None) -> Html:
    """A word that says how something is."""
    return tag("span", text, cls=f"chip {mood}" if mood else "chip")


def pairs(rows: Iterable[tuple[Content, Content]]) -> Html:
    """Words and their values; a row without a value is left out."""
    return tag("dl", *(tag("div", tag("dt", word), tag("dd", value)) for word, value in rows if value), cls="pairs")


def more(summary: Phrase, *content: Content, key: str) -> Html:
    """What opens when it is asked for; `key` lets the page's script keep it open when the section changes."""
    return tag("details", tag("summary", summary), *content, data_key=key)


def quiet(*content: Content) -> Html:
    """A sentence that says that there is nothing to say."""
    return tag("p", *content, cls="quiet")
