"""Owns the small print of a dish, the same on menus and posters: tags in frames, what says allergens; imports no Qt."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from player.display.layout.bidi import side_by_side
from player.display.layout.measuring import TextMeasurer

# In ems of the text that the marks stand with.
TAG_SIZE = 0.42
TAG_HEIGHT = 0.66
TAG_PADDING = 0.22
TAG_GAP = 0.28
TAG_LINE = 0.82
"""From one line of tags to the next."""
LETTERS_SIZE = 0.5
"""The letters of allergens."""
DOT = " \u00a0·\u00a0 "
"""Between two modifiers, and between two allergens."""


class BadgeGeometry(Struct, frozen=True, kw_only=True):
    """A small mark: a tag in a frame, or the letters of allergens without; canvas units."""

    text: str
    framed: bool
    x: float
    y: float
    width: float
    height: float


def place_badges(
    tags: Sequence[str], *, letters: str = "", measurer: TextMeasurer, size: float, width: float, lines: int = 1
) -> tuple[BadgeGeometry, ...]:
    """Marks in so many lines, from 0, 0; tags that find no room are left out. The letters of allergens are the first of
    all: they must not be left out."""
    places: list[BadgeGeometry] = []
    x = y = 0.0
    for text, framed in ((letters, False), *((tag, True) for tag in tags)):
        if not text:
            continue
        ems = measurer.width(text)
        wide = (ems * TAG_SIZE + 2 * TAG_PADDING if framed else ems * LETTERS_SIZE) * size
        if x + wide > width and framed:
            lines -= 1
            if lines < 1 or wide > width:
                break
            x, y = 0.0, y + TAG_LINE * size
        places.append(BadgeGeometry(text=text, framed=framed, x=x, y=y, width=wide, height=TAG_HEIGHT * size))
        x += wide + TAG_GAP * size
    return tuple(places)


def describe_badges(places: Sequence[BadgeGeometry]) -> list[dict[str, object]]:
    """The marks as QML draws them."""
    return [
        {"text": at.text, "framed": at.framed, "x": at.x, "y": at.y, "width": at.width, "height": at.height}
        for at in places
    ]


def allergen_parts(title: str, said: Sequence[Sequence[str]], *, right_to_left: bool) -> tuple[str, ...]:
    """What says allergens, in parts to be kept whole: the title before the first; each of `said` a name, or a mark and
    a name."""
    parts = [side_by_side(each, right_to_left=right_to_left) for each in said]
    heading = side_by_side((title,), right_to_left=right_to_left)
    space = "" if title.endswith("：") else " "
    return tuple(f"{heading}{space}{part}" if number == 0 else part for number, part in enumerate(parts))
