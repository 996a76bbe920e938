"""Lays out the badges of an item, for menus and item widgets alike: tags in frames, allergens; imports no Qt."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from player.display.layout.bidi import join_isolated
from player.display.layout.measuring import TextMeasurer

# In ems of the text beside the badges.
TAG_SIZE = 0.42
TAG_HEIGHT = 0.66
TAG_PADDING = 0.22
TAG_GAP = 0.28
TAG_LINE = 0.82
"""From one line of tags to the next."""
LETTERS_SIZE = 0.5
"""Size of the letters of allergens."""
DOT = " \u00a0·\u00a0 "
"""Between two modifiers, and between two allergens."""


class BadgeGeometry(Struct, frozen=True, kw_only=True):
    """A tag in a frame, or the letters of allergens without one; canvas units."""

    text: str
    framed: bool
    x: float
    y: float
    width: float
    height: float


def lay_out_badges(
    tags: Sequence[str], *, letters: str = "", measurer: TextMeasurer, size: float, width: float, lines: int = 1
) -> tuple[BadgeGeometry, ...]:
    """The badges in `lines` lines, from 0, 0. Tags that do not fit are left out; the letters of allergens come first
    and never are."""
    badges: list[BadgeGeometry] = []
    x = y = 0.0
    for text, framed in ((letters, False), *((tag, True) for tag in tags)):
        if not text:
            continue
        ems = measurer.width(text)
        badge_width = (ems * TAG_SIZE + 2 * TAG_PADDING if framed else ems * LETTERS_SIZE) * size
        if x + badge_width > width and framed:
            lines -= 1
            if lines < 1 or badge_width > width:
                break
            x, y = 0.0, y + TAG_LINE * size
        badges.append(BadgeGeometry(text=text, framed=framed, x=x, y=y, width=badge_width, height=TAG_HEIGHT * size))
        x += badge_width + TAG_GAP * size
    return tuple(badges)


def describe_badges(badges: Sequence[BadgeGeometry]) -> list[dict[str, object]]:
    """The badges as QML draws them."""
    return [
        {
            "text": badge.text,
            "framed": badge.framed,
            "x": badge.x,
            "y": badge.y,
            "width": badge.width,
            "height": badge.height,
        }
        for badge in badges
    ]


def allergen_parts(title: str, allergens: Sequence[Sequence[str]], *, right_to_left: bool) -> tuple[str, ...]:
    """The text of allergens in parts that do not break: the title before the first; each of `allergens` is a name, or a
    mark and a name."""
    parts = [join_isolated(each, right_to_left=right_to_left) for each in allergens]
    heading = join_isolated((title,), right_to_left=right_to_left)
    space = "" if title.endswith("：") else " "
    return tuple(f"{heading}{space}{part}" if number == 0 else part for number, part in enumerate(parts))
