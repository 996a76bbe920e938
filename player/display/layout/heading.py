"""Sets the heading of a section: its text in the theme's style, the names of variants, a note and a picture; no Qt."""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec.structs import replace

from menu.documents.box import Box
from menu.documents.scene import Fit, HeadingStyle
from menu.text.wording import capitals
from player.display.layout.entry import Entry, Picture
from player.display.layout.runs import Ink, Line, Run
from player.display.layout.setting import Setting
from player.display.layout.sizes import BLEED, DETAIL_LINE, RULE, grid_step
from player.display.layout.stack import Stack
from player.domain.view import MenuSection

# In ems of the menu's one text size.
HEADING_SIZE, HEADING_BASELINE = 0.72, 0.76
UNDERLINE_BELOW, UNDERLINE = 0.2, 0.07
"""From a heading's baseline down to its line, and the thickness of this."""
BOX_TOP, BOX_HEIGHT = -0.06, 1.1
NOTE_TOP = {HeadingStyle.UNDERLINED: 1.14, HeadingStyle.BOXED: 1.2}
"""Top of a note; without a line or a box below the heading it is nearer."""
PICTURE_SIZE, PICTURE_GAP = 2.94, 0.5
HEADING_LINE = 2
"""In steps."""
MOST_NOTE_LINES = 3


def set_heading(
    section: MenuSection, labels: Sequence[Run], setting: Setting, *, width: float, size: int, detail: int
) -> Entry | None:
    """Sets the heading at the corner of the widget; `labels` are the names of variants, which stand beside its
    hairline, or below where there is no room."""
    if not (labels or section.heading):
        return None
    measurer, own, ems = setting.measurers.heading, max(1, round(HEADING_SIZE * size)), HEADING_SIZE * size
    style = setting.heading_style if section.heading else HeadingStyle.RULED
    locale, step, space = setting.locality.locale, grid_step(size), 0.5 * size
    text, x = capitals(section.heading, locale), (PICTURE_SIZE + PICTURE_GAP) * size if section.image else 0.0
    free = labels[0].x - x - (measurer.width(text) * ems + space if text else 0.0) if labels else 0.0
    if measurer.width(text) * ems > width - x:
        text = capitals(section.short or section.heading, locale)
    shown = measurer.lines(text, (width - x) / ems, 1)[0] if text else ""
    below = 2 * step if free < 0 else 0.0
    notes = Stack(width=width - x, right_to_left=setting.right_to_left)
    notes.end = below + NOTE_TOP.get(style, 0.95) * size
    told = setting.measurers.detail.lines(section.note, (width - x) / detail, MOST_NOTE_LINES) if section.note else ()
    notes.add("headingNote", "detail", told, detail, DETAIL_LINE, 0.97)
    lowest = notes.end if told else HEADING_LINE * step + below
    top = max(0.0, (PICTURE_SIZE * size - lowest) / 2) if section.image else 0.0
    baseline = top + HEADING_BASELINE * size
    ink: Ink = "onAccent" if style is HeadingStyle.BOXED else "accent"
    name = Run(
        name="headingText", text=shown, face="heading", size=own, ink=ink, x=x, y=baseline, width=width - x, fills=True
    )
    beside = labels[0].x - space if labels and free >= 0 else width
    after = x + (measurer.width(shown) * ems + space if shown else 0.0)
    named = [label.moved(0.0, baseline + below) for label in labels]
    if style is HeadingStyle.BOXED and not below:
        named = [replace(label, ink=ink) for label in named]
    height = max(top + lowest, PICTURE_SIZE * size if section.image else 0.0)
    picture = Box(x=0.0, y=0.0, width=PICTURE_SIZE * size, height=PICTURE_SIZE * size)
    return Entry(
        kind="heading",
        key=section.heading,
        width=width,
        height=math.ceil(height / step - 0.001) * step,
        runs=(name, *named, *(run.moved(x, top) for run in notes.runs)),
        lines=_lines(style, x=x, after=after, beside=beside, width=width, baseline=baseline, size=size),
        picture=Picture(box=picture, asset=section.image, fit=Fit.CONTAIN) if section.image else None,
        color=section.color,
    )


def _lines(
    style: HeadingStyle, *, x: float, after: float, beside: float, width: float, baseline: float, size: int
) -> tuple[Line, ...]:
    """Returns the hairline from `after` the text to what is `beside` it, the line below the text, or the box behind
    it."""
    match style:
        case HeadingStyle.RULED:
            y = baseline - 0.27 * size
            rule = Line(
                name="headingRule", ink="rule", x=after, y=y, width=max(0.0, beside - after), thickness=RULE * size
            )
        case HeadingStyle.UNDERLINED:
            y = baseline + UNDERLINE_BELOW * size
            rule = Line(name="headingRule", ink="accent", x=x, y=y, width=width - x, thickness=UNDERLINE * size)
        case HeadingStyle.BOXED:
            y, left = baseline + (BOX_TOP - HEADING_BASELINE) * size, x - BLEED * size
            wide = width + BLEED * size - left
            rule = Line(name="headingBox", ink="accent", x=left, y=y, width=wide, thickness=BOX_HEIGHT * size)
        case HeadingStyle.PLAIN:
            return ()
    return (rule,)
