"""Lays out the badges of an item, for menus and item widgets alike: tags in frames, allergens; imports no Qt."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from menu.text.wording import capitals
from player.display.layout.runs import Ink, Placed
from player.display.layout.setting import Setting
from player.display.layout.sizes import DETAIL_SIZE
from player.display.layout.text.bidi import NO_BREAK_SPACE, join_isolated
from player.display.layout.text.line_breaking import flow
from player.display.layout.text.measuring import TextMeasurers
from player.domain.view import MenuRow

# In ems of the text beside the badges.
TAG_SIZE = 0.45
"""In capitals: three quarters of the details, and so read from as far."""
TAG_HEIGHT = 0.66
TAG_PADDING = 0.22
TAG_GAP = 0.28
NAME_GAP = 1.4 * TAG_GAP
"""Between a name and its letters or tags, in ems of the menu's text."""
ICON_SIZE = 0.86
"""Height of an icon: as high as the name's letters with their descenders, so that it can be told from as far away."""
ICON_GRID, ICON_STEP = 24, 13
"""Units of the grid on which icons are drawn; and from one chilli to the next."""
MOST_TAG_LINES = 24
"""An item has no more lines of tags."""
LETTERS_SIZE = 0.5
"""Size of the letters of allergens."""
LETTERS_LINE = TAG_HEIGHT / DETAIL_SIZE
"""Height of a line of letters, in ems of the details."""
DOT = " \u00a0·\u00a0 "
"""Between two modifiers, and between two allergens."""


class Badge(Placed, frozen=True, kw_only=True):
    """A tag in a frame, its icon, or allergen letters. A `strong` one is not faint with the rest of a sold-out row."""

    height: float
    text: str = ""
    framed: bool = False
    icon: str = ""
    strong: bool = False
    size: int
    """Size of its text."""
    stroke: float
    ink: Ink


class Badges(Struct, frozen=True, kw_only=True):
    """Badges of an item in lines, from 0, 0; `whole` if none is cut or left out."""

    badges: tuple[Badge, ...] = ()
    width: float = 0.0
    height: float = 0.0
    lines: int = 0
    whole: bool = True

    def moved(self, x: float, y: float) -> tuple[Badge, ...]:
        return tuple(badge.moved(x, y) for badge in self.badges)


def lay_out_badges(
    row: MenuRow,
    setting: Setting,
    *,
    detail: int,
    width: float,
    lines: int = MOST_TAG_LINES,
) -> Badges:
    """Lays out the badges of a row beside details of size `detail`. A tag wider than a line ends in an ellipsis; icons
    and tags beyond `lines` lines are left out. Allergen letters come first and are never left out."""
    size, measurer, sold_out = detail / DETAIL_SIZE, setting.measurers.tag, setting.sold_out
    written = (sold_out, *row.tags) if row.sold_out else row.tags
    tags = [capitals(tag, setting.locality.locale) for tag in written if tag]
    badges: list[Badge] = []
    x = y = 0.0
    line, high = (0.98, ICON_SIZE) if row.icons else (0.82, TAG_HEIGHT)  # From one line to the next.
    letters = row.allergens
    lettered = flow(measurer, letters, NO_BREAK_SPACE, width / (LETTERS_SIZE * size), len(letters)) if letters else ()
    whole, used = True, 1
    for text, framed, icon in (
        *((text, False, "") for text in lettered),
        *(("", False, icon) for icon in row.icons),
        *((tag, True, "") for tag in tags),
    ):
        room = (width - 2 * TAG_PADDING * size) / (TAG_SIZE * size)
        shown = measurer.lines(text, max(0.0, room), 1)[0] if framed else text
        text_width = measurer.width(shown)
        ems = text_width * TAG_SIZE + 2 * TAG_PADDING if framed else text_width * LETTERS_SIZE
        badge_width = (icon_ratio(icon) * ICON_SIZE if icon else ems) * size
        if x and x + badge_width > width:
            used, x, y = used + 1, 0.0, y + line * size
        if (framed or icon) and used > lines:
            return _together(badges, whole=False)
        whole = whole and shown == text
        height = ICON_SIZE if icon else TAG_HEIGHT
        badges.append(
            Badge(
                text=shown,
                framed=framed,
                icon=icon,
                strong=framed and row.sold_out and bool(sold_out) and not any(badge.framed for badge in badges),
                x=x,
                y=y + (high - height) / 2 * size,
                width=badge_width,
                height=height * size,
                size=max(1, round((TAG_SIZE if framed else LETTERS_SIZE) * size)),
                stroke=0.03 * size,
                ink="accent" if framed or icon else "secondary",
            )
        )
        x += badge_width + (0.16 if icon else TAG_GAP) * size
    return _together(badges, whole=whole)


def letters_width(row: MenuRow, measurers: TextMeasurers, size: int, detail: int) -> float:
    """Returns the width of a row's allergen letters, with the gap before them."""
    letters = measurers.tag.width(NO_BREAK_SPACE.join(row.allergens)) * LETTERS_SIZE
    return letters * detail / DETAIL_SIZE + NAME_GAP * size


def _together(badges: Sequence[Badge], *, whole: bool) -> Badges:
    return Badges(
        badges=tuple(badges),
        width=max((badge.x + badge.width for badge in badges), default=0.0),
        height=max((badge.y + badge.height for badge in badges), default=0.0),
        lines=len({round(badge.y + badge.height / 2) for badge in badges}),
        whole=whole,
    )


def icon_ratio(icon: str) -> float:
    """Returns the width of an icon as a share of its height; an icon may show several chillies."""
    count = int(icon[-1]) if icon[-1:].isdigit() else 1
    return 1 + (count - 1) * ICON_STEP / ICON_GRID


def allergen_parts(title: str, allergens: Sequence[Sequence[str]], *, right_to_left: bool) -> tuple[str, ...]:
    """Returns the text of allergens in parts that do not break, the title before the first; each of `allergens` is a
    name, or a mark and a name."""
    parts = [join_isolated(each, right_to_left=right_to_left) for each in allergens]
    heading = join_isolated((title,), right_to_left=right_to_left)
    space = "" if title.endswith("：") else " "
    return tuple(f"{heading}{space}{part}" if number == 0 else part for number, part in enumerate(parts))
