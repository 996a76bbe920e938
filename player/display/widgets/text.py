"""View models of widgets with a text: lines, font and baseline; the text may contain values that change."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QColor, QFont

from menu.documents.scene import ClockWidget, CountdownWidget, TextRole, TextWidget, TickerWidget, VerticalAlign, Widget
from menu.text.wording import Locality
from player.display.layout.text.line_breaking import ELLIPSIS, hang
from player.display.layout.text.text_fit import BASELINE, LINE, FittedText, fit_text
from player.display.typography.contrast import is_large
from player.display.typography.theme import MeasuredFont, ResolvedTheme
from player.display.widgets.typeset import shadow_offsets
from player.display.widgets.widget import Shares, WidgetContext, WidgetViewModel, geometry, mirrored
from player.domain.view import SceneView

LEAST_SHARE = 0.6
"""The share of its size below which a text is reported."""
MOST_TEXT_LETTERS = 20_000
"""Letters of the texts and tickers of a scene; it takes a quarter of a second to find the sizes at which they fit."""


class WrittenViewModel(WidgetViewModel):
    """A text, which changes in place where it contains values; empty while it shows nothing."""

    def __init__(self, widget: TextWidget | TickerWidget, context: WidgetContext) -> None:
        super().__init__(widget, context)
        self._widget, self._theme = widget, context.theme
        self._canvas = context.view.scene.width, context.view.scene.height

    def update(self, view: SceneView, shares: Shares) -> None:
        """Shows the text with its values, up to the limit of a scene."""
        told = view.texts.get(self.part)
        text = self._widget.text if told is None else told.text
        if len(text) > shares.text:
            self._assets.report(
                self.part,
                "text_too_long",
                f"only its first {shares.text:,} letters are drawn:"
                f" the texts of a scene have at most {MOST_TEXT_LETTERS:,} together",
            )
            text = text[: shares.text] + ELLIPSIS
        self._show(self._describe(text))
        if told is not None:
            names = ", ".join(f"“{name}”" for name in told.lacking)
            self._report_if(self.part, "value_missing", f"no current value of {names}" if names else "")

    def _describe(self, text: str) -> dict[str, object]:
        raise NotImplementedError


class TextViewModel(WrittenViewModel):
    file_name = "TextLine.qml"
    kind = "text"
    _widget: TextWidget

    @classmethod
    def text_colors(cls, widget: Widget) -> Sequence[str]:
        """Returns the colour of its role."""
        return ("accent",) if isinstance(widget, TextWidget) and widget.role is TextRole.ACCENT else ("text",)

    @classmethod
    def is_large(cls, widget: Widget, canvas: tuple[float, float], scale: float) -> bool:
        """Whether its size is set, and large."""
        size = widget.size if isinstance(widget, TextWidget) else None
        return size is not None and is_large(size * scale, canvas)

    def _describe(self, text: str) -> dict[str, object]:
        widget, scale, box = self._widget, self._theme.scale, self._widget.box
        font = _role_font(widget.role, self._theme, bold=widget.bold, locale=self._localities[0].locale)
        size, title = None if widget.size is None else widget.size * scale, widget.role is TextRole.TITLE
        fitted = fit_text(text, measurer=font, width=box.width, height=box.height, size=size, even=title)
        text_color, large_color = self.text_colors(widget)[0], f"large_{self.text_colors(widget)[0]}"
        color: QColor = getattr(
            self._theme, large_color if size and is_large(fitted.size, self._canvas) else text_color
        )
        wanted = 0 if size is None else round(size)
        room = f"make its box larger or the text shorter, or give it a size of {fitted.size}"
        small = f"it has room only {fitted.size} units high, where {wanted} are wanted: {room}"
        cut = f"it has no room for the whole text, at any size: {room.split(', or')[0]}"
        self._report_if(f"{self.part}/size", "text_small", small if fitted.size < LEAST_SHARE * wanted else "")
        self._report_if(f"{self.part}/whole", "text_cut", "" if fitted.whole else cut)
        block = describe_block(
            widget,
            fitted,
            self._localities[0],
            self._theme,
            kind=self.kind,
            vertical_align=widget.vertical_align,
        )
        hung = hang(fitted.lines[0]) if block["align"] == "left" and len(fitted.lines) == 1 else 0.0
        return {
            **block,
            "x": box.x - hung * fitted.size,
            "text": "\n".join(fitted.lines),
            "font": font.at_size(fitted.size),
            "color": color,
        }


def describe_block(
    widget: TextWidget | ClockWidget | CountdownWidget,
    fitted: FittedText,
    locality: Locality,
    theme: ResolvedTheme,
    *,
    kind: str,
    vertical_align: VerticalAlign = VerticalAlign.MIDDLE,
) -> dict[str, object]:
    """Describes to QML the lines of a widget: their alignment, first baseline, distance and shadow."""
    spare = widget.box.height - fitted.height
    top = {VerticalAlign.TOP: 0.0, VerticalAlign.MIDDLE: spare / 2, VerticalAlign.BOTTOM: spare}[vertical_align]
    return {
        **geometry(widget),
        "kind": kind,
        "align": mirrored(widget.align, locality),
        "baseline": top + BASELINE * fitted.size,
        "line": LINE * fitted.size,
        "shadow": theme.shadow,
        "shadows": [{"x": x, "y": y} for x, y in shadow_offsets(fitted.size)] if theme.shadow.alpha() else [],
    }


def _role_font(role: TextRole, theme: ResolvedTheme, *, bold: bool, locale: str) -> MeasuredFont:
    weight, families = QFont.Weight, theme.title_families if role is TextRole.TITLE else theme.body_families
    plain, strong = {
        TextRole.BODY: (weight.Normal, weight.Bold),
        TextRole.TITLE: (weight.DemiBold, weight.ExtraBold),
        TextRole.ACCENT: (weight.Medium, weight.Bold),
    }[role]
    return MeasuredFont(
        families,
        strong if bold else plain,
        tracking=0.0 if role is TextRole.BODY else theme.tracking[0],
        italic=theme.italic_titles if role is TextRole.TITLE else theme.italic_details,
        locale=locale,
    )
