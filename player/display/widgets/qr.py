"""View model of a QR widget: the code as large as its box allows, its caption below or beside it."""

from __future__ import annotations

from PySide6.QtGui import QFont

from menu.documents.box import Box
from menu.documents.scene import Align, QrWidget
from player.display.layout.text.text_fit import BASELINE, LINE, fit_text
from player.display.media.qr_image import qr_side, qr_source
from player.display.typography.theme import MeasuredFont
from player.display.widgets.widget import WidgetContext, WidgetViewModel, geometry, mirrored

MOST_CODES = 12
"""QR codes of a scene; a long one takes a fifth of a second to draw."""
CAPTION_BELOW, CAPTION_BESIDE = 0.095, 0.18
"""The largest text of a caption below and beside, as a share of the box's width and height."""
GAP_SHARE = 0.06
"""Between code and caption, as a share of the code's side."""


class QrViewModel(WidgetViewModel):
    file_name = "QrWidget.qml"
    kind, most = "qr", MOST_CODES
    is_drawn_for_pixels = True

    def __init__(self, widget: QrWidget, context: WidgetContext) -> None:
        super().__init__(widget, context)
        theme, locality, report = context.theme, context.localities[0], context.assets.report
        box, caption = widget.box, widget.caption or ""
        beside = bool(caption) and box.width >= 1.6 * box.height
        if beside:
            side = box.height
            gap = 2 * GAP_SHARE * side
            left, beyond = (box.width - side, 0) if locality.right_to_left else (0, side + gap)
            code = Box(x=left, y=0, width=side, height=side)
            caption_box = Box(x=beyond, y=0, width=box.width - side - gap, height=side)
        else:
            below = min(0.22 * box.height, 2 * LINE * CAPTION_BELOW * box.width) if caption else 0.0
            gap = GAP_SHARE * min(box.width, box.height) if caption else 0.0
            side = min(box.width, box.height - below - gap)
            top = (box.height - side - gap - below) / 2
            code = Box(x=(box.width - side) / 2, y=top, width=side, height=side)
            caption_box = Box(x=0, y=top + side + gap, width=box.width, height=below)
        room = 0.98 * side  # Between the card's edge and the quiet zone, whose corners are square.
        modules = qr_side(widget.data)
        if modules is None:
            report(widget.id, "qr_too_long", "no QR code holds so much text")
        elif room * context.pixels_per_unit < modules:
            report(widget.id, "qr_too_small", f"its box has less than a pixel for each of {modules} modules")
            modules = None
        font = MeasuredFont(theme.body_families, QFont.Weight.Medium)
        most = (CAPTION_BESIDE * box.height if beside else CAPTION_BELOW * box.width) * theme.scale
        fitted = (
            fit_text(caption, measurer=font, width=caption_box.width, height=caption_box.height, most=most)
            if caption
            else None
        )
        size = fitted.size if fitted else 1
        top = caption_box.y + (max(0.0, caption_box.height - fitted.height) / 2 if fitted and beside else 0.0)
        self._facts = {
            **geometry(widget),
            "source": qr_source(widget.data) if modules else "",
            "modules": modules or 1,
            "codeX": code.x,
            "codeY": code.y,
            "side": side,
            "room": room,
            "radius": 0.03 * side,
            "caption": "\n".join(fitted.lines) if fitted else "",
            "captionX": caption_box.x,
            "captionWidth": caption_box.width,
            "baseline": top + BASELINE * size,
            "line": LINE * size,
            "font": font.at_size(size),
            "align": mirrored(Align.LEFT, locality) if beside else str(Align.CENTER),
            "color": theme.text,
        }
