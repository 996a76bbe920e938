"""Sets the heading of a section: its text in the theme's style, the names of variants, a note and a picture; no Qt.

All headings of a menu have one size. Where the longest has no room in the theme's, all are smaller, down to that of the
names; then it breaks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec.structs import replace

from menu.documents.box import Box
from menu.documents.scene import MAX_TOGETHER, Fit
from menu.documents.theme import HeadingStyle
from menu.text.wording import BOTH, capitals
from player.display.layout.entry import Entry, Picture
from player.display.layout.runs import Ink, Line, Run
from player.display.layout.setting import Setting
from player.display.layout.sizes import BLEED, DETAIL_LINE, RULE, grid_step
from player.display.layout.stack import Stack
from player.display.layout.text.line_breaking import ends_early, flow, name_lines
from player.domain.view import MenuSection

# In ems of the menu's one text size.
INK_TOP, BELOW = 0.235, 0.08
"""Above the capitals of a heading, as above those of a row, and below its baseline."""
CAPITAL = 0.73
"""Height of a capital letter, in ems of its own size."""
UNDERLINE_BELOW, UNDERLINE = 0.2, 0.07
"""From a heading's baseline down to its line, and the thickness of this."""
BOX_BEYOND = 0.29
"""By so much a bar is higher than the capitals on it, above them and below."""
NOTE_BELOW = 0.45
"""From a heading's baseline down to its note, past the line or the bar below it."""
PICTURE_SIZE, PICTURE_GAP = 2.94, 0.5
LEAST_HEADING = 1.0
"""A heading is at least as large as the names, unless the theme wants smaller ones: then it breaks."""
LINE = 1.16
"""Between the lines of a heading, in ems of its own size."""
MOST_HEADING_LINES = 2
SPACE = 0.5
"""Between a heading and what stands beside it."""
MIDDLE = 0.37
"""From a heading's baseline up to the hairline beside it, in ems of its own size."""
MOST_NOTE_LINES = 3


def heading_size(
    sections: Sequence[tuple[MenuSection, Sequence[Run]]], setting: Setting, *, width: float, size: int
) -> int:
    """Returns the size of all headings of a menu: the theme's, or the largest at which each has one line beside the
    names of its variants."""
    wanted = max(1, round(setting.heading_size * size))
    least = min(wanted, max(1, round(LEAST_HEADING * size)))
    room = ((*_text_of(section, setting), _room(section, labels, width, size)) for section, labels in sections)
    fitting = (int(free / ems) for _, ems, free in room if ems and free > 0)
    return max(least, min((wanted, *fitting)))


def heading_steps(own: int, size: int) -> int:
    """Returns the steps that a heading of one line takes, whose letters have the size `own`."""
    return max(2, math.ceil((_baseline(own, size) + BELOW * size) / grid_step(size) - 0.05))


def _baseline(own: int, size: int) -> float:
    return INK_TOP * size + CAPITAL * own


def _text_of(section: MenuSection, setting: Setting) -> tuple[str, float]:
    """Returns the text of a heading, and its width in ems."""
    text = capitals(section.heading, setting.locality.locale)
    return text, setting.measurers.heading.width(text) if text else 0.0


def _room(section: MenuSection, labels: Sequence[Run], width: float, size: int) -> float:
    """Returns the width of a heading of one line."""
    left = (PICTURE_SIZE + PICTURE_GAP) * size if section.image else 0.0
    return (labels[0].x - SPACE * size if labels else width) - left


def set_heading(
    section: MenuSection, labels: Sequence[Run], setting: Setting, *, width: float, size: int, own: int, detail: int
) -> Entry | None:
    """Sets the heading at the corner of the widget, in letters of the size `own`; `labels` are the names of variants,
    which stand beside its hairline, or below where there is no room."""
    if not (labels or section.heading):
        return None
    measurer, style = setting.measurers.heading, setting.heading_style if section.heading else HeadingStyle.RULED
    step, x = grid_step(size), (PICTURE_SIZE + PICTURE_GAP) * size if section.image else 0.0
    beside = labels[0].x - SPACE * size if labels else width
    shown = _shown(section, setting, room=(beside - x) / own, most=(width - x) / own)
    widest = max(map(measurer.width, shown), default=0.0) * own
    is_beside = x + widest <= beside + 0.5
    first, more = _baseline(own, size), (len(shown) - 1) * LINE * own if shown else 0.0
    last = first + more
    below = 0.0 if is_beside or not labels else 3 * step
    ends = heading_steps(own, size) * step + math.ceil(more / step) * step + below
    notes = Stack(width=width - x, right_to_left=setting.right_to_left)
    notes.end = last + below + NOTE_BELOW * size
    told = setting.measurers.detail.lines(section.note, (width - x) / detail, MOST_NOTE_LINES) if section.note else ()
    notes.add("headingNote", "detail", told, detail, DETAIL_LINE, 0.97)
    lowest = notes.end if told else ends
    top = max(0.0, (PICTURE_SIZE * size - lowest) / 2) if section.image else 0.0
    name = Run(
        name="headingText",
        text="\n".join(shown),
        face="heading",
        size=own,
        ink=_ink(style, large=own >= setting.large),
        x=x,
        y=top + first,
        width=width - x,
        line=LINE * own,
        fills=True,
    )
    on_bar = style is HeadingStyle.BOXED and not below
    named = [replace(label, ink="onAccent" if on_bar else label.ink) for label in labels]
    lines = _lines(
        style,
        x=x,
        after=x + widest + SPACE * size * bool(shown),
        beside=beside if is_beside else width,
        width=width,
        first=top + first,
        last=top + last,
        size=size,
        own=own,
    )
    height = max(top + lowest, PICTURE_SIZE * size if section.image else 0.0)
    return Entry(
        kind="heading",
        key=section.heading,
        width=width,
        height=math.ceil(height / step - 0.001) * step,
        runs=(name, *(one.moved(0.0, top + last + below) for one in named), *(run.moved(x, top) for run in notes.runs)),
        lines=lines,
        picture=_picture(section, size),
        color=section.color,
        cut=bool(shown) and ends_early(shown, section.heading),
    )


def _picture(section: MenuSection, size: int) -> Picture | None:
    if not section.image:
        return None
    box = Box(x=0.0, y=0.0, width=PICTURE_SIZE * size, height=PICTURE_SIZE * size)
    return Picture(box=box, asset=section.image, fit=Fit.CONTAIN)


def _ink(style: HeadingStyle, *, large: bool) -> Ink:
    if style is HeadingStyle.BOXED:
        return "onLargeAccent" if large else "onAccent"
    return "largeAccent" if large else "accent"


def _shown(section: MenuSection, setting: Setting, *, room: float, most: float) -> tuple[str, ...]:
    """Breaks the heading into lines: one where there is `room`, in ems, or one of the whole width, `most`; else
    several in which each language is whole, its short form, or two."""
    measurer, (text, ems) = setting.measurers.heading, _text_of(section, setting)
    if not text:
        return ()
    if ems <= max(room, most):
        return (text,)
    short = capitals(section.short, setting.locality.locale) if section.short else text
    languages = text.split(BOTH) if text != short else []
    if all(measurer.width(one) <= most for one in languages):
        spoken = flow(measurer, languages, BOTH, most, MAX_TOGETHER)
        if spoken:
            return spoken
    if measurer.width(short) <= most:
        return (short,)
    return name_lines(measurer, short, most, MOST_HEADING_LINES)


def _lines(
    style: HeadingStyle,
    *,
    x: float,
    after: float,
    beside: float,
    width: float,
    first: float,
    last: float,
    size: int,
    own: int,
) -> tuple[Line, ...]:
    """Returns the hairline from `after` the text to what is `beside` it, the line below the text, or the box behind it;
    `first` and `last` are the baselines of its lines."""
    match style:
        case HeadingStyle.RULED:
            y = (first + last) / 2 - MIDDLE * own
            rule = Line(
                name="headingRule", ink="rule", x=after, y=y, width=max(0.0, beside - after), thickness=RULE * size
            )
        case HeadingStyle.UNDERLINED:
            y = last + UNDERLINE_BELOW * size
            rule = Line(name="headingRule", ink="accent", x=x, y=y, width=width - x, thickness=UNDERLINE * size)
        case HeadingStyle.BOXED:
            top, left = first - CAPITAL * own - BOX_BEYOND * size, x - BLEED * size
            wide, high = width + BLEED * size - left, last + BOX_BEYOND * size - top
            rule = Line(name="headingBox", ink="accent", x=left, y=top, width=wide, thickness=high)
        case HeadingStyle.PLAIN:
            return ()
    return (rule,)
