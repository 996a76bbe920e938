"""Lays out the badges of an item, for menus and item widgets alike: tags in frames, allergens; imports no Qt."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from player.display.layout.bidi import NO_BREAK_SPACE, join_isolated
from player.display.layout.measuring import TextMeasurer

# In ems of the text beside the badges.
TAG_SIZE = 0.42
TAG_HEIGHT = 0.66
TAG_PADDING = 0.22
TAG_GAP = 0.28
TAG_LINE = 0.82
"""From one line of tags to the next."""
MOST_TAG_LINES = 24
"""An item has no more lines of tags."""
LETTERS_SIZE = 0.5
"""Size of the letters of allergens."""
DOT = " \u00a0·\u00a0 "
"""Between two modifiers, and between two allergens."""


class BadgeGeometry(Struct, frozen=True, kw_only=True):
    """A tag in a frame, or letters of allergens without one; canvas units. A `strong` one is not faint with the rest of
    a sold-out row."""

    text: str
    framed: bool
    strong: bool = False
    x: float
    y: float
    width: float
    height: float


def lay_out_badges(
    tags: Sequence[str],
    *,
    letters: Sequence[str] = (),
    measurer: TextMeasurer,
    size: float,
    width: float,
    lines: int = MOST_TAG_LINES,
) -> tuple[BadgeGeometry, ...]:
    """The badges in lines, from 0, 0. A tag wider than a line ends in an ellipsis; tags beyond `lines` lines are left
    out. The letters of allergens come first, and never are."""
    badges: list[BadgeGeometry] = []
    x = y = 0.0
    lettered = measurer.flow(letters, NO_BREAK_SPACE, width / (LETTERS_SIZE * size), len(letters)) if letters else ()
    for text, framed in (*((text, False) for text in lettered), *((tag, True) for tag in tags)):
        room = (width - 2 * TAG_PADDING * size) / (TAG_SIZE * size)
        shown = measurer.lines(text, max(0.0, room), 1)[0] if framed else text
        ems = measurer.width(shown)
        badge_width = (ems * TAG_SIZE + 2 * TAG_PADDING if framed else ems * LETTERS_SIZE) * size
        if x and x + badge_width > width:
            lines, x, y = lines - 1, 0.0, y + TAG_LINE * size
        if framed and lines < 1:
            break
        badges.append(BadgeGeometry(text=shown, framed=framed, x=x, y=y, width=badge_width, height=TAG_HEIGHT * size))
        x += badge_width + TAG_GAP * size
    return tuple(badges)


def are_whole(badges: Sequence[BadgeGeometry], tags: Sequence[str]) -> bool:
    """Whether these badges show all of these tags, each to its end."""
    return [badge.text for badge in badges if badge.framed] == list(tags)


def describe_badges(badges: Sequence[BadgeGeometry]) -> list[dict[str, object]]:
    """The badges as QML draws them."""
    return [
        {
            "text": badge.text,
            "framed": badge.framed,
            "strong": badge.strong,
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
