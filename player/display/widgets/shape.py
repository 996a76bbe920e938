"""View model of a shape widget; all but a plain rectangle or line is made of several rectangles, turned and rounded."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from PySide6.QtGui import QColor

from menu.documents.scene import ShapeKind, ShapeWidget, StrokeStyle
from player.display.typography.theme import NO_COLOR, color
from player.display.widgets.widget import WidgetContext, WidgetViewModel, geometry

BURST_SQUARES = 4
"""Squares that are turned to make a burst, with four points each."""
MOST_DOTS = 6_000
"""Dots of a scene's shapes together; where there would be more, they are further apart."""
DOT_STEP = 2.2
"""From dot to dot, in diameters."""
SMALL_LOZENGE, LOZENGE_STEP, ORNAMENT_LINE = 0.5, 0.95, 0.08
"""In heights of an ornament: the lozenges beside the middle one, their distance from it, the lines' thickness."""

_Part = dict[str, Any]


class ShapeViewModel(WidgetViewModel):
    """One shape; `line` means a thickness of at least one pixel of the display. `parts` are drawn in its place."""

    file_name = "ShapeWidget.qml"

    def __init__(self, widget: ShapeWidget, context: WidgetContext) -> None:
        super().__init__(widget, context)
        shapes = sum(isinstance(other, ShapeWidget) for other in context.view.scene.widgets)
        self._facts = {
            **geometry(widget),
            "color": color(widget.color, NO_COLOR),
            "radius": min(widget.radius, widget.box.width / 2, widget.box.height / 2),
            "line": widget.shape is ShapeKind.LINE,
            "parts": list(_parts(widget, max(2, MOST_DOTS // (4 * shapes)))),
        }


def _parts(widget: ShapeWidget, most: int) -> Iterator[_Part]:
    """Returns the parts of a shape; a side has at most so many dots."""
    width, height, style = widget.box.width, widget.box.height, widget.style
    fill, border = color(widget.color, NO_COLOR), color(widget.border_color, NO_COLOR)
    long, thick = max(width, height), min(width, height)
    stroke = min(widget.border_width, thick / 2) if border.alpha() else 0.0
    drawn = list[_Part]()
    match widget.shape:
        case ShapeKind.LINE if style is StrokeStyle.DOUBLE:
            drawn = [_part(0, aside, long, thick / 3, fill) for aside in (0.0, 2 * thick / 3)]
        case ShapeKind.LINE if style is StrokeStyle.DOTTED:
            drawn = [_part(at, 0, thick, thick, fill, radius=thick / 2) for at in _spread(long, thick, most)]
        case ShapeKind.ORNAMENT:
            line, end = max(1.0, ORNAMENT_LINE * thick), max(0.0, long / 2 - (LOZENGE_STEP + SMALL_LOZENGE) * thick)
            drawn = [_part(begin, (thick - line) / 2, end, line, fill) for begin in (0.0, long - end)]
            drawn += [
                _square(long / 2 + step * LOZENGE_STEP * thick, thick / 2, thick * share, 45.0, fill)
                for step, share in ((-1, SMALL_LOZENGE), (0, 1.0), (1, SMALL_LOZENGE))
            ]
        case ShapeKind.BURST:
            # All of the border is behind all of the fill, which is opaque: its squares overlap.
            for ink, reach in ((border, thick), (QColor(fill.rgb()), thick - 2 * stroke))[not stroke :]:
                for number in range(BURST_SQUARES):
                    yield _square(width / 2, height / 2, reach, 45.0 + number * 90 / BURST_SQUARES, ink)
        case ShapeKind.CIRCLE:
            circle = _part((width - thick) / 2, (height - thick) / 2, thick, thick, fill, radius=thick / 2)
            yield from _framed(circle, border, style, stroke, _round_spread(thick - stroke, stroke, most))
        case ShapeKind.RECTANGLE if stroke:
            across, down = _spread(width, stroke, most), _spread(height, stroke, most)
            places = [(x, y) for x in across for y in (0.0, height - stroke)]
            places += [(x, y) for y in down[1:-1] for x in (0.0, width - stroke)]
            box = _part(0, 0, width, height, fill, radius=min(widget.radius, thick / 2))
            yield from _framed(box, border, style, stroke, places)
    # Drawn along the longer side.
    turned = {"x": "y", "y": "x", "width": "height", "height": "width"} if height > width else {}
    yield from ({turned.get(name, name): value for name, value in part.items()} for part in drawn)


def _framed(
    box: _Part, border: QColor, style: StrokeStyle, stroke: float, places: list[tuple[float, float]]
) -> Iterator[_Part]:
    """Returns a rectangle or circle with its border: one line, two thin ones, or dots at these places."""
    if style is StrokeStyle.DOTTED:
        yield _inset(box, stroke / 2)
        for x, y in places:
            yield _part(box["x"] + x, box["y"] + y, stroke, stroke, border, radius=stroke / 2)
    else:
        thin = stroke / 3 if style is StrokeStyle.DOUBLE else stroke
        yield {**box, "border": border, "stroke": thin}
        if style is StrokeStyle.DOUBLE:
            yield {**_inset(box, 2 * thin), "color": QColor(NO_COLOR), "border": border, "stroke": thin}


def _spread(length: float, dot: float, most: int) -> list[float]:
    """Returns the starts of dots at even distances, from end to end."""
    count = min(most, max(2, round((length - dot) / (DOT_STEP * dot)) + 1))
    return [(length - dot) * number / (count - 1) for number in range(count)]


def _round_spread(across: float, dot: float, most: int) -> list[tuple[float, float]]:
    """Returns the starts of dots at even distances, on a circle through their middles."""
    count = min(most, max(4, round(math.pi * across / (DOT_STEP * dot)))) if dot else 0
    angles = (2 * math.pi * number / count for number in range(count))
    return [(across * (1 + math.cos(angle)) / 2, across * (1 + math.sin(angle)) / 2) for angle in angles]


def _square(x: float, y: float, diagonal: float, turned: float, ink: QColor) -> _Part:
    side = diagonal / math.sqrt(2)
    return {**_part(x - side / 2, y - side / 2, side, side, ink), "turned": turned}


def _inset(box: _Part, by: float) -> _Part:
    moved = {"x": by, "y": by, "width": -2 * by, "height": -2 * by, "radius": -by}
    return {**box, **{name: max(0.0, box[name] + change) for name, change in moved.items()}}


def _part(x: float, y: float, width: float, height: float, ink: QColor, *, radius: float = 0.0) -> _Part:
    rounded = {"radius": radius, "turned": 0.0, "color": ink, "border": ink, "stroke": 0.0}
    return {"x": x, "y": y, "width": width, "height": height, **rounded}
