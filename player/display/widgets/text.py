"""Describes a text widget to QML: lines, font and baseline."""

from __future__ import annotations

from typing import assert_never

from PySide6.QtGui import QColor, QFont

from player.display.layout import text_fit
from player.display.layout.text_fit import fit_text
from player.display.typography.theme import MeasuredFont, ResolvedTheme
from player.display.widgets.geometry import geometry, mirrored
from player.domain.documents.scene import TextRole, TextWidget, VerticalAlign
from player.domain.view import Locality


def describe_text(widget: TextWidget, theme: ResolvedTheme, z: int, locality: Locality) -> dict[str, object]:
    """The widget for QML, its text broken into lines that fit its box."""
    font, text_color = _role_font(widget.role, theme, bold=widget.bold, locale=locality.locale)
    box = widget.box
    fitted = fit_text(
        widget.text,
        measurer=font,
        width=box.width,
        height=box.height,
        size=None if widget.size is None else widget.size * theme.scale,
    )
    spare = box.height - fitted.height
    top = {VerticalAlign.TOP: 0.0, VerticalAlign.MIDDLE: spare / 2, VerticalAlign.BOTTOM: spare}
    return {
        **geometry(widget, z),
        "text": "\n".join(fitted.lines),
        "font": font.at_size(fitted.size),
        "color": text_color,
        "align": mirrored(widget.align, locality),
        "baseline": top[widget.vertical_align] + text_fit.BASELINE * fitted.size,
        "line": text_fit.LINE * fitted.size,
    }


def _role_font(role: TextRole, theme: ResolvedTheme, *, bold: bool, locale: str) -> tuple[MeasuredFont, QColor]:
    weight, families, text_color = QFont.Weight, theme.body_families, theme.text
    match role:
        case TextRole.BODY:
            strength = weight.Bold if bold else weight.Normal
        case TextRole.TITLE:
            families, strength = theme.title_families, weight.ExtraBold if bold else weight.DemiBold
        case TextRole.ACCENT:
            text_color, strength = theme.accent, weight.Bold if bold else weight.Medium
        case _:
            assert_never(role)
    return MeasuredFont(families, strength, locale=locale), text_color
