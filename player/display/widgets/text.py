"""Owns a text widget as QML sees it: lines, face and baseline."""

from __future__ import annotations

from typing import assert_never

from PySide6.QtGui import QColor, QFont

from player.display.layout import text_fit
from player.display.layout.text_fit import fit_text
from player.display.typography.theme import Face, Look
from player.display.widgets.geometry import mirrored, place
from player.domain.scene import TextRole, TextWidget, VerticalAlign
from player.domain.view import Locality


def describe_text(widget: TextWidget, look: Look, z: int, locality: Locality) -> dict[str, object]:
    """The widget for QML, its text broken into lines that fit its box."""
    face, ink = _role_face(widget.role, look, bold=widget.bold)
    box = widget.box
    fitted = fit_text(
        widget.text,
        ruler=face,
        width=box.width,
        height=box.height,
        size=None if widget.size is None else widget.size * look.scale,
    )
    spare = box.height - fitted.height
    top = {VerticalAlign.TOP: 0.0, VerticalAlign.MIDDLE: spare / 2, VerticalAlign.BOTTOM: spare}
    return {
        **place(widget, z),
        "text": "\n".join(fitted.lines),
        "font": face.font(fitted.size),
        "color": ink,
        "align": mirrored(widget.align, locality),
        "baseline": top[widget.vertical_align] + text_fit.BASELINE * fitted.size,
        "line": text_fit.LINE * fitted.size,
    }


def _role_face(role: TextRole, look: Look, *, bold: bool) -> tuple[Face, QColor]:
    weight = QFont.Weight
    match role:
        case TextRole.BODY:
            return Face(look.body_families, weight.Bold if bold else weight.Normal), look.text
        case TextRole.TITLE:
            return Face(look.title_families, weight.ExtraBold if bold else weight.DemiBold), look.text
        case TextRole.ACCENT:
            return Face(look.body_families, weight.Bold if bold else weight.Medium), look.accent
        case _:
            assert_never(role)
