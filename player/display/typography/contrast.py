"""Makes a widget's text readable: checks the contrast of its colours with the known backdrop, and finds the nearest
readable colour where a theme's is not."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import TypeGuard

from msgspec.structs import replace
from PySide6.QtGui import QColor

from menu.documents.scene import (
    Background,
    ClockWidget,
    CountdownWidget,
    MenuWidget,
    Scene,
    ShapeKind,
    ShapeWidget,
    TextWidget,
    Widget,
)
from player.display.typography.theme import NO_COLOR, ResolvedTheme, color, hairline

LEAST_CONTRAST, LARGE_CONTRAST = 4.5, 3.0
"""WCAG 2.2, 1.4.3 (AA): of texts, and of large ones."""
LARGE_SHARE = 1 / 20
"""The share of the canvas's shorter side from which on a text is large, to a reader five metres away."""
TEXT_COLORS: Sequence[str] = ("text", "secondary", "accent")
"""A theme's colours of text."""
_SET_BY = {
    "text": ("names and texts", "textColor"),
    "secondary": ("descriptions", "textColor"),
    "accent": ("headings and prices", "accentColor"),
}
"""The part of a scene that a theme's colour draws, and the setting that it comes from."""
MIX_STEPS = 20
"""The steps in which a colour is mixed with black or white until it can be read."""

GROUNDS = (ShapeKind.RECTANGLE, ShapeKind.CIRCLE, ShapeKind.BURST)
"""Shapes on which a text stands that lies in their box."""
_WHITE, _BLACK = QColor("#FFFFFF"), QColor("#000000")


def contrast(text_color: QColor, backdrop: QColor) -> float:
    """Returns the contrast ratio (1 to 21) of a colour, which may be translucent, on an opaque one."""
    light, dark = sorted((_luminance(_composite(text_color, backdrop)), _luminance(backdrop)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def backdrops(scene: Scene, widget: Widget, panel: QColor) -> tuple[QColor, ...]:
    """Returns the opaque colours behind a widget; none where an image is behind it, whose colours are unknown."""
    if panel.alpha() == 255:
        return (panel,)
    below, painted = scene.widgets[: scene.widgets.index(widget)], _background_colors(scene.background)
    if grounds := [other for other in below if _covers(other, widget)]:
        below, painted = below[below.index(grounds[-1]) + 1 :], (color(grounds[-1].color, NO_COLOR),)
    elif scene.background.asset is not None and color(scene.background.scrim, NO_COLOR).alpha() < 255:
        return ()
    if any(
        not isinstance(other, MenuWidget | TextWidget | ClockWidget | CountdownWidget)
        and not (isinstance(other, ShapeWidget) and color(other.color, NO_COLOR).alpha() == 0)
        and other.box.overlaps(widget.box)
        for other in below
    ):
        return ()
    return tuple(_composite(panel, one) for one in painted)


def _covers(other: Widget, widget: Widget) -> TypeGuard[ShapeWidget]:
    """Whether only this shape lies behind the widget."""
    if not isinstance(other, ShapeWidget) or other.shape not in GROUNDS or other.opacity < 1:
        return False
    return color(other.color, NO_COLOR).alpha() == 255 and other.box.contains(widget.box)


def readable_theme(
    theme: ResolvedTheme,
    backdrops: Sequence[QColor],
    *,
    text_colors: Sequence[str] = TEXT_COLORS,
    large: bool = False,
) -> tuple[ResolvedTheme, tuple[str, ...]]:
    """Returns the theme with the `text_colors` in use readable on all of `backdrops`, and for each change the
    unreadable colour and a suggestion; with `large`, only for those that large texts cannot have."""
    if not backdrops:
        return theme, ()
    wanted: dict[str, QColor] = {text_color: getattr(theme, text_color) for text_color in text_colors}
    drawn = {name: readable(shade, backdrops) for name, shade in wanted.items()}
    on_large = {name: readable(shade, backdrops, least=LARGE_CONTRAST) for name, shade in wanted.items()}
    told, least = (on_large, LARGE_CONTRAST) if large else (drawn, LEAST_CONTRAST)
    changes = tuple(
        _change(name, shade, told[name], min(backdrops, key=lambda backdrop: contrast(shade, backdrop)), least)
        for name, shade in wanted.items()
        if _written(told[name]) != _written(shade)
    )
    largest = {f"large_{name}": shade for name, shade in on_large.items() if name != "secondary"}
    return replace(theme, **drawn, **largest), changes


def is_large(size: float, canvas: tuple[float, float]) -> bool:
    """Whether a text of this size is large on a canvas of this width and height."""
    return size >= LARGE_SHARE * min(canvas)


def inks(theme: ResolvedTheme) -> dict[str, QColor]:
    """Returns the colours of a list or an item, by the names that its texts and lines use."""
    return {
        "text": theme.text,
        "secondary": theme.secondary,
        "accent": theme.accent,
        "rule": hairline(theme),
        "shadow": theme.shadow,
        "onAccent": _on(theme.accent, theme.text),
        "largeAccent": theme.large_accent,
        "onLargeAccent": _large_on(theme.large_accent, theme.text),
    }


def _on(ground: QColor, text: QColor) -> QColor:
    return max(text, _WHITE, _BLACK, key=lambda shade: contrast(shade, ground))


def _large_on(ground: QColor, text: QColor) -> QColor:
    """Returns the colour of large letters on a ground: a light one if it can be read, which saturated colours look
    brighter with than with black."""
    light = [shade for shade in (text, _WHITE) if _luminance(shade) > _luminance(ground)]
    return next((shade for shade in light if contrast(shade, ground) >= LARGE_CONTRAST), _on(ground, text))


def on_panel(theme: ResolvedTheme, panel: QColor, behind: Sequence[QColor]) -> ResolvedTheme:
    """Makes the theme readable on a panel of this colour; `behind` are the colours behind that, none where they are
    unknown."""
    return readable_theme(theme, known_panel(panel, behind))[0]


def known_panel(panel: QColor, behind: Sequence[QColor]) -> Sequence[QColor]:
    """Returns the colours that a panel shows; none where they are unknown."""
    return [_composite(panel, one) for one in behind] or [panel] * (panel.alpha() == 255)


def _change(name: str, wanted: QColor, drawn: QColor, backdrop: QColor, least: float) -> str:
    """Reports a colour that is not drawn as requested."""
    what, setting = _SET_BY[name]
    # What is drawn was moved away from the backdrop, so that the way is on from it.
    way = "lighter" if _luminance(_composite(drawn, backdrop)) > _luminance(backdrop) else "darker"
    # Descriptions have a share of textColor, and no setting of their own.
    advice = f"{setting} {way}" if name == "secondary" else f"{setting} to {_written(drawn)} or {way}"
    return (
        f"{what} in {_written(wanted)} on {_written(backdrop)} can hardly be read"
        f" (contrast {contrast(wanted, backdrop):.1f}, and {least} is needed), so the board draws"
        f" {_written(drawn)}: set the theme's {advice}, or choose another background"
    )


def _written(shade: QColor) -> str:
    """Formats the colour in the notation of docs/scene.md."""
    return shade.name() if shade.alpha() == 255 else shade.name(QColor.NameFormat.HexArgb)


def readable(wanted: QColor, backdrops: Sequence[QColor], *, least: float = LEAST_CONTRAST) -> QColor:
    """Returns the colour, or its nearest mix with black or white that can be read on all of `backdrops`; where there is
    none, the better one of black and white."""
    for step in range(MIX_STEPS + 1):
        for end in (_WHITE, _BLACK):
            tried = _mix(wanted, end, step / MIX_STEPS)
            if _least_contrast(tried, backdrops) >= least:
                return tried
    return max((_WHITE, _BLACK), key=lambda end: _least_contrast(end, backdrops))


def _least_contrast(text_color: QColor, backdrops: Sequence[QColor]) -> float:
    return min(contrast(text_color, backdrop) for backdrop in backdrops)


def _background_colors(background: Background) -> tuple[QColor, ...]:
    scrim = color(background.scrim, "#00000000")
    gradient = background.gradient
    painted = [_composite(color(background.color, Background().color), QColor(Background().color))]
    if gradient is not None:
        start, end = color(gradient.start, "#000000"), color(gradient.end, "#000000")
        painted = [_composite(shade, painted[0]) for shade in (start, _mix(start, end, 0.5), end)]
    return tuple(_composite(scrim, shade) for shade in painted)


def _composite(top: QColor, bottom: QColor) -> QColor:
    solid = copy(top)
    solid.setAlphaF(1.0)
    return _mix(bottom, solid, top.alphaF())


def _mix(start: QColor, end: QColor, share: float) -> QColor:
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
