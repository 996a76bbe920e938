"""Owns whether a widget's text can be read: the contrast of its colours with what the player knows to lie behind them,
and the nearest colour that can be read where a theme's cannot."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

from msgspec.structs import replace
from PySide6.QtGui import QColor

from player.display.typography.theme import ResolvedTheme, color
from player.domain.scene import Background, Box, ClockWidget, MenuWidget, Scene, TextWidget, Widget

LEAST_CONTRAST = 4.5
"""WCAG 2.2, 1.4.3 (AA). Its 3:1 for large text is for a reader at a desk, not for one five metres away."""
INKS: Sequence[str] = ("text", "secondary", "accent")
"""A look's colours of text."""
STEPS = 20
"""In so many steps a colour goes to black or to white, until it can be read."""

_WHITE, _BLACK = QColor("#FFFFFF"), QColor("#000000")


def contrast(ink: QColor, behind: QColor) -> float:
    """The contrast ratio (1 to 21) of a colour, perhaps translucent, on an opaque one."""
    light, dark = sorted((_luminance(_over(ink, behind)), _luminance(behind)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def backdrops(scene: Scene, widget: Widget, panel: QColor) -> tuple[QColor, ...]:
    """The opaque colours behind a widget; none where a picture is behind it, which only its author has seen."""
    below = scene.widgets[: scene.widgets.index(widget)]
    if scene.background.asset is not None and color(scene.background.scrim, "#00000000").alpha() < 255:
        return ()
    if any(
        not isinstance(other, MenuWidget | TextWidget | ClockWidget) and _meet(other.box, widget.box) for other in below
    ):
        return ()
    return tuple(_over(panel, painted) for painted in _painted(scene.background))


def readable_theme(
    theme: ResolvedTheme, behind: Sequence[QColor], *, inks: Sequence[str] = INKS
) -> tuple[ResolvedTheme, tuple[str, ...]]:
    """The look with the colours of text that are used (`inks`) readable on all of `behind`, and in words what was
    changed."""
    if not behind:
        return theme, ()
    given: dict[str, QColor] = {ink: getattr(theme, ink) for ink in inks}
    drawn = {name: readable(shade, behind) for name, shade in given.items()}
    said = tuple(
        f"{name} {shade.name()} has a contrast of {_least(shade, behind):.2f}, drawn as {drawn[name].name()}"
        for name, shade in given.items()
        if drawn[name] != shade
    )
    return replace(theme, **drawn), said


def readable(given: QColor, behind: Sequence[QColor]) -> QColor:
    """The colour, or the nearest to it on the way to black or white that can be read on all of `behind`; the better one
    of those two where no colour can."""
    for step in range(STEPS + 1):
        for end in (_WHITE, _BLACK):
            tried = _mixed(given, end, step / STEPS)
            if _least(tried, behind) >= LEAST_CONTRAST:
                return tried
    return max((_WHITE, _BLACK), key=lambda end: _least(end, behind))


def _least(ink: QColor, behind: Sequence[QColor]) -> float:
    return min(contrast(ink, under) for under in behind)


def _painted(background: Background) -> tuple[QColor, ...]:
    scrim = color(background.scrim, "#00000000")
    gradient = background.gradient
    painted = [_over(color(background.color, Background().color), QColor(Background().color))]
    if gradient is not None:
        start, end = color(gradient.start, "#000000"), color(gradient.end, "#000000")
        painted = [_over(shade, painted[0]) for shade in (start, _mixed(start, end, 0.5), end)]
    return tuple(_over(scrim, shade) for shade in painted)


def _meet(a: Box, b: Box) -> bool:
    return a.x < b.x + b.width and b.x < a.x + a.width and a.y < b.y + b.height and b.y < a.y + a.height


def _over(top: QColor, bottom: QColor) -> QColor:
    solid = copy(top)
    solid.setAlphaF(1.0)
    return _mixed(bottom, solid, top.alphaF())


def _mixed(start: QColor, end: QColor, share: float) -> QColor:
    def part(a: float, b: float) -> float:
        return a + (b - a) * share

    return QColor.fromRgbF(
        part(start.redF(), end.redF()),
        part(start.greenF(), end.greenF()),
        part(start.blueF(), end.blueF()),
        part(start.alphaF(), end.alphaF()),
    )


def _luminance(shade: QColor) -> float:
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (shade.redF(), shade.greenF(), shade.blueF())
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
