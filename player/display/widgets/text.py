"""Describes a text widget to QML: lines, font and baseline."""

from __future__ import annotations

from typing import assert_never

from PySide6.QtGui import QColor, QFont

from player.display.layout import text_fit
from player.display.layout.text_fit import fit_text
from player.display.typography.theme import MeasuredFont, ResolvedTheme
from player.display.widgets.geometry import geometry, mirrored
from player.domain.scene import TextRole, TextWidget, VerticalAlign
from player.domain.view import Locality


def describe_text(widget: TextWidget, theme: ResolvedTheme, z: int, locality: Locality) -> dict[str, object]:
    """The widget for QML, its text broken into lines that fit its box."""
    font, text_color = _role_font(widget.role, theme, bold=widget.bold)
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


def _role_font(role: TextRole, theme: ResolvedTheme, *, bold: bool) -> tuple[MeasuredFont, QColor]:
    weight = QFont.Weight
    match role:
        case TextRole.BODY:
            return MeasuredFont(theme.body_families, weight.Bold if bold else weight.Normal), theme.text
        case TextRole.TITLE:
            return MeasuredFont(theme.title_families, weight.ExtraBold if bold else weight.DemiBold), theme.text
        case TextRole.ACCENT:
            return MeasuredFont(theme.body_families, weight.Bold if bold else weight.Medium), theme.accent
        case _:
            assert_never(role)
