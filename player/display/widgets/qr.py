"""Owns a QR widget as QML sees it: the code as large as its box allows, its caption below or beside it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QFont

from player.display.layout.text_fit import BASELINE, LINE, fit_text
from player.display.media.qr_image import qr_side, qr_source
from player.display.typography.theme import FontFace, ResolvedTheme
from player.display.widgets.geometry import geometry, mirrored
from player.domain.scene import Align, Box, QrWidget
from player.domain.view import Locality

CAPTION_SHARE = 0.22
"""Of the box's height that a caption below takes."""
CAPTION_BELOW, CAPTION_BESIDE = 0.095, 0.18
"""The most that a caption's text is large, as a share of the box's width and height."""
GAP_SHARE = 0.06
"""Between code and caption, of the code's side."""
BESIDE = 1.6
"""From this width for a height on, the caption stands beside the code."""
RADIUS_SHARE = 0.03
"""The corners of the light card, of its side."""
MARGIN_SHARE = 0.01
"""Between the card's edge and the quiet zone, whose corners are square, of the card's side."""


def describe_qr(
    widget: QrWidget,
    theme: ResolvedTheme,
    z: int,
    locality: Locality,
    *,
    pixels_a_unit: float,
    report: Callable[[str, str, str], None],
) -> dict[str, object]:
    """The widget for QML; a code that cannot be drawn is reported, and only its caption shows."""
    box, caption = widget.box, widget.caption or ""
    beside = bool(caption) and box.width >= BESIDE * box.height
    if beside:
        side = box.height
        gap = 2 * GAP_SHARE * side
        code = Box(x=box.width - side if locality.right_to_left else 0, y=0, width=side, height=side)
        words = Box(x=0 if locality.right_to_left else side + gap, y=0, width=box.width - side - gap, height=side)
    else:
        below = min(CAPTION_SHARE * box.height, 2 * LINE * CAPTION_BELOW * box.width) if caption else 0.0
        gap = GAP_SHARE * min(box.width, box.height) if caption else 0.0
        side = min(box.width, box.height - below - gap)
        top = (box.height - side - gap - below) / 2
        code = Box(x=(box.width - side) / 2, y=top, width=side, height=side)
        words = Box(x=0, y=top + side + gap, width=box.width, height=below)
    room = side * (1 - 2 * MARGIN_SHARE)
    modules = qr_side(widget.data)
    if modules is None:
        report(widget.id, "qr_too_long", "no QR code holds so much text")
    elif room * pixels_a_unit < modules:
        report(widget.id, "qr_too_small", f"its box has less than a pixel for each of {modules} modules")
        modules = None
    face = FontFace(theme.body_families, QFont.Weight.Medium)
    most = (CAPTION_BESIDE * box.height if beside else CAPTION_BELOW * box.width) * theme.scale
    fitted = fit_text(caption, measurer=face, width=words.width, height=words.height, most=most) if caption else None
    size = fitted.size if fitted else 1
    top = words.y + (max(0.0, words.height - fitted.height) / 2 if fitted and beside else 0.0)
    return {
        **geometry(widget, z),
        "source": qr_source(widget.data) if modules else "",
        "modules": modules or 1,
        "codeX": code.x,
        "codeY": code.y,
        "side": side,
        "room": room,
        "radius": RADIUS_SHARE * side,
        "caption": "\n".join(fitted.lines) if fitted else "",
        "captionX": words.x,
        "captionWidth": words.width,
        "baseline": top + BASELINE * size,
        "line": LINE * size,
        "font": face.font(size),
        "align": mirrored(Align.LEFT, locality) if beside else str(Align.CENTER),
        "color": theme.text,
    }
