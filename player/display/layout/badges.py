"""Lays out the badges of an item, for menus and item widgets alike: tags in frames, allergens; imports no Qt."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from player.display.layout.text.bidi import NO_BREAK_SPACE, join_isolated
from player.display.layout.text.measuring import TextMeasurer
from player.domain.view import MenuRow
from player.domain.words.wording import capitals

# In ems of the text beside the badges.
TAG_SIZE = 0.45
"""In capitals: three quarters of the details, and so read from as far."""
TAG_HEIGHT = 0.66
TAG_PADDING = 0.22
TAG_GAP = 0.28
TAG_LINE = 0.82
"""From one line of tags to the next."""
ICON_SIZE = 0.86
"""Height of an icon: as high as the name's letters with their descenders, so that it can be told from as far away."""
ICON_GAP = 0.16
ICON_LINE = 0.98
"""From one line to the next where there are icons."""
ICON_GRID, ICON_STEP = 24, 13
"""Units of the grid on which icons are drawn; and from one chilli to the next."""
MOST_TAG_LINES = 24
"""An item has no more lines of tags."""
LETTERS_SIZE = 0.5
"""Size of the letters of allergens."""
DOT = " \u00a0·\u00a0 "
"""Between two modifiers, and between two allergens."""


class BadgeGeometry(Struct, frozen=True, kw_only=True):
    """A tag in a frame, its icon, or letters of allergens; canvas units. A `strong` one is not faint with the rest of
    a sold-out row."""

    text: str
    framed: bool
    icon: str = ""
    strong: bool = False
    x: float
    y: float
    width: float
    height: float


def lay_out_badges(
    tags: Sequence[str],
    *,
    icons: Sequence[str] = (),
    letters: Sequence[str] = (),
    measurer: TextMeasurer,
    size: float,
    width: float,
    lines: int = MOST_TAG_LINES,
    strong_first: bool = False,
) -> tuple[BadgeGeometry, ...]:
    """The badges in lines, from 0, 0. A tag wider than a line ends in an ellipsis; icons and tags beyond `lines` lines
    are left out. The letters of allergens come first, and never are. `strong_first`: the first tag is strong."""
    badges: list[BadgeGeometry] = []
    x = y = 0.0
    line, high = (ICON_LINE, ICON_SIZE) if icons else (TAG_LINE, TAG_HEIGHT)
    lettered = measurer.flow(letters, NO_BREAK_SPACE, width / (LETTERS_SIZE * size), len(letters)) if letters else ()
    for text, framed, icon in (
        *((text, False, "") for text in lettered),
        *(("", False, icon) for icon in icons),
        *((tag, True, "") for tag in tags),
    ):
        room = (width - 2 * TAG_PADDING * size) / (TAG_SIZE * size)
        shown = measurer.lines(text, max(0.0, room), 1)[0] if framed else text
        badge_width = (icon_ratio(icon) * ICON_SIZE if icon else _ems(measurer.width(shown), framed=framed)) * size
        if x and x + badge_width > width:
            lines, x, y = lines - 1, 0.0, y + line * size
        if (framed or icon) and lines < 1:
            break
        height = ICON_SIZE if icon else TAG_HEIGHT
        top = y + (high - height) / 2 * size
        strong = framed and strong_first and not any(badge.framed for badge in badges)
        badges.append(
            BadgeGeometry(
                text=shown,
                framed=framed,
                icon=icon,
                strong=strong,
                x=x,
                y=top,
                width=badge_width,
                height=height * size,
            )
        )
        x += badge_width + (ICON_GAP if icon else TAG_GAP) * size
    return tuple(badges)


def _ems(text: float, *, framed: bool) -> float:
    return text * TAG_SIZE + 2 * TAG_PADDING if framed else text * LETTERS_SIZE


def icon_ratio(icon: str) -> float:
    """Width of an icon as a share of its height: of chillies there may be several."""
    count = int(icon[-1]) if icon[-1:].isdigit() else 1
    return 1 + (count - 1) * ICON_STEP / ICON_GRID


def badges_lines(badges: Sequence[BadgeGeometry]) -> int:
    """In how many lines badges stand."""
    return len({round(badge.y + badge.height / 2) for badge in badges})


def badges_height(badges: Sequence[BadgeGeometry]) -> float:
    """Down to the lowest end of badges."""
    return max((badge.y + badge.height for badge in badges), default=0.0)


def are_whole(badges: Sequence[BadgeGeometry], tags: Sequence[str], icons: Sequence[str] = ()) -> bool:
    """Whether these badges show all of these tags, each to its end, and all icons."""
    return [badge.text for badge in badges if badge.framed] == list(tags) and [
        badge.icon for badge in badges if badge.icon
    ] == list(icons)


def tag_texts(row: MenuRow, *, sold_out: str, locale: str) -> list[str]:
    """The tags of a row in capitals; of a sold-out one, `sold_out` is the first."""
    tags = (sold_out, *row.tags) if row.sold_out else row.tags
    return [capitals(tag, locale) for tag in tags if tag]


def allergen_parts(title: str, allergens: Sequence[Sequence[str]], *, right_to_left: bool) -> tuple[str, ...]:
    """The text of allergens in parts that do not break: the title before the first; each of `allergens` is a name, or a
    mark and a name."""
    parts = [join_isolated(each, right_to_left=right_to_left) for each in allergens]
    heading = join_isolated((title,), right_to_left=right_to_left)
    space = "" if title.endswith("：") else " "
    return tuple(f"{heading}{space}{part}" if number == 0 else part for number, part in enumerate(parts))
