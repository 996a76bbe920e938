"""View model of a shape widget; all but a plain rectangle or line is made of several rectangles, turned and rounded."""

from __future__ import annotations

import math
from collections.abc import Iterator

from PySide6.QtGui import QColor

from player.display.typography.theme import NO_COLOR, color
from player.display.widgets.widget import WidgetContext, WidgetViewModel, geometry
from player.domain.documents.scene import ShapeKind, ShapeWidget, StrokeStyle

BURST_SQUARES = 4
"""Squares that are turned to make a burst, with four points each."""
MOST_DOTS = 400
"""Dots of a line, or of a side of a border."""
DOT_STEP = 2.2
"""From dot to dot, in diameters."""
SMALL_LOZENGE, LOZENGE_STEP, ORNAMENT_LINE = 0.5, 0.95, 0.08
"""In heights of an ornament: the lozenges beside the middle one, their distance from it, the lines' thickness."""

_Part = dict[str, object]


class ShapeViewModel(WidgetViewModel):
    """One shape; `line` means a thickness of at least one pixel of the display. `parts` are drawn in its place."""

    file_name = "ShapeWidget.qml"

    def __init__(self, widget: ShapeWidget, context: WidgetContext) -> None:
        super().__init__(widget, context)
        self._facts = {
            **geometry(widget),
            "color": color(widget.color, NO_COLOR),
            "radius": min(widget.radius, widget.box.width / 2, widget.box.height / 2),
            "line": widget.shape is ShapeKind.LINE,
            "parts": list(_parts(widget)),
        }


def _parts(widget: ShapeWidget) -> Iterator[_Part]:
    width, height, style = widget.box.width, widget.box.height, widget.style
    fill, border = color(widget.color, NO_COLOR), color(widget.border_color, NO_COLOR)
    long, thick, upright = max(width, height), min(width, height), height > width
    stroke = min(widget.border_width, thick / 2) if border.alpha() else 0.0
    match widget.shape:
        case ShapeKind.LINE if style is StrokeStyle.DOUBLE:
            for aside in (0.0, 2 * thick / 3):
                yield _turned(_part(0, aside, long, thick / 3, fill), upright=upright)
        case ShapeKind.LINE if style is StrokeStyle.DOTTED:
            for at in _spread(long, thick):
                yield _turned(_part(at, 0, thick, thick, fill, radius=thick / 2), upright=upright)
        case ShapeKind.ORNAMENT:
            line, end = max(1.0, ORNAMENT_LINE * thick), max(0.0, long / 2 - (LOZENGE_STEP + SMALL_LOZENGE) * thick)
            for begin in (0.0, long - end):
                yield _turned(_part(begin, (thick - line) / 2, end, line, fill), upright=upright)
            for step in (-1, 0, 1):
                diagonal, at = thick * (SMALL_LOZENGE if step else 1.0), long / 2 + step * LOZENGE_STEP * thick
                yield _turned(_square(at, thick / 2, diagonal, 45.0, fill), upright=upright)
        case ShapeKind.BURST:
            # All of the border is behind all of the fill, which is opaque: its squares overlap.
            fill = QColor(fill.rgb())
            for ink, reach in ((border, thick), (fill, thick - 2 * stroke)) if stroke else ((fill, thick),):
                for number in range(BURST_SQUARES):
                    yield _square(width / 2, height / 2, reach, 45.0 + number * 90 / BURST_SQUARES, ink)
        case ShapeKind.CIRCLE:
            yield from _framed(
                (width - thick) / 2, (height - thick) / 2, thick, thick, thick / 2, fill, border, style, stroke
            )
        case ShapeKind.RECTANGLE if stroke:
            yield from _framed(0, 0, width, height, min(widget.radius, thick / 2), fill, border, style, stroke)


def _framed(
    x: float,
    y: float,
    width: float,
    height: float,
    radius: float,
    fill: QColor,
    border: QColor,
    style: StrokeStyle,
    stroke: float,
) -> Iterator[_Part]:
    """A rectangle or circle with its border: one line, two thin ones, or dots."""
    if style is StrokeStyle.DOTTED and stroke:
        half = stroke / 2
        yield _part(x + half, y + half, width - stroke, height - stroke, fill, radius=max(0.0, radius - half))
        if radius < width / 2 or width != height:
            places = [(across, down) for across in _spread(width, stroke) for down in (0.0, height - stroke)]
            places += [(across, down) for down in _spread(height, stroke)[1:-1] for across in (0.0, width - stroke)]
        else:
            count = max(4, round(math.pi * (width - stroke) / (DOT_STEP * stroke)))
            angles = [2 * math.pi * number / count for number in range(min(MOST_DOTS, count))]
            places = [
                ((width - stroke) * (1 + math.cos(a)) / 2, (width - stroke) * (1 + math.sin(a)) / 2) for a in angles
            ]
        for across, down in places:
            yield _part(x + across, y + down, stroke, stroke, border, radius=half)
        return
    thin = stroke / 3 if style is StrokeStyle.DOUBLE else stroke
    yield {**_part(x, y, width, height, fill, radius=radius), "border": border, "stroke": thin}
    if style is StrokeStyle.DOUBLE:
        by = 2 * thin
        inner = _part(
            x + by, y + by, width - 2 * by, height - 2 * by, color(None, NO_COLOR), radius=max(0.0, radius - by)
        )
        yield {**inner, "border": border, "stroke": thin}


def _spread(length: float, dot: float) -> list[float]:
    """Where dots begin at even distances, from end to end."""
    count = min(MOST_DOTS, max(2, round((length - dot) / (DOT_STEP * dot)) + 1))
    return [(length - dot) * number / (count - 1) for number in range(count)]


def _square(x: float, y: float, diagonal: float, turned: float, ink: QColor) -> _Part:
    side = diagonal / math.sqrt(2)
    return {**_part(x - side / 2, y - side / 2, side, side, ink), "turned": turned}


def _part(x: float, y: float, width: float, height: float, ink: QColor, *, radius: float = 0.0) -> _Part:
    rounded = {"radius": radius, "turned": 0.0, "color": ink, "border": ink, "stroke": 0.0}
    return {"x": x, "y": y, "width": width, "height": height, **rounded}


def _turned(part: _Part, *, upright: bool) -> _Part:
    """The part of a horizontal shape, in an upright one where it is."""
    if not upright:
        return part
    return {**part, "x": part["y"], "y": part["x"], "width": part["height"], "height": part["width"]}
