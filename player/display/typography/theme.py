"""Owns how text looks: the theme with every blank filled in, and the faces that it is set in, measured in ems."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from copy import copy
from functools import lru_cache
from typing import cast

from msgspec import Struct
from PySide6.QtCore import QTextBoundaryFinder
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QTextLayout, QTextOption

from player.display.layout.line_breaking import Segment, flow, wrap
from player.display.typography.font_tags import with_tags
from player.domain.scene import Theme

BODY_FAMILY = "Inter"
TITLE_FAMILY = "Inter Display"
TEXT_COLOR = "#F6F1E7"
ACCENT_COLOR = "#E9B44C"
BACKDROP = "#14181D"
"""Behind the pictures that the player brings along."""
PANEL_COLOR = "#00000000"
SECONDARY_STRENGTH = 0.68
"""How much of the text colour descriptions keep."""
RULE_STRENGTH = 0.18
"""How much of the text colour hairlines keep."""
CALM_STRENGTH = 0.06
"""How much of the text colour a place keeps whose picture is not there."""
REFERENCE_PIXELS = 100
"""The size at which text is measured; without hinting, widths grow in proportion."""
SHAPED_TEXTS_KEPT = 8192
"""Measured texts remembered by one face."""

_COLOR = re.compile(r"#(?:[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})")
SCRIPT_FAMILIES = ("Noto Sans Arabic", "Noto Sans Hebrew", "Noto Sans Thai", "Noto Sans Devanagari", "Noto Sans")
"""Beside Latin, Greek and Cyrillic, which the player's own faces have; packaging/set-up installs all of them."""
_CJK_FAMILIES = {
    "ja": ("Noto Sans CJK JP",),
    "ko": ("Noto Sans CJK KR",),
    "zh-tw": ("Noto Sans CJK TC",),
    "zh-hant": ("Noto Sans CJK TC",),
    "zh-hk": ("Noto Sans CJK HK",),
    "zh-mo": ("Noto Sans CJK HK",),
}


class ResolvedTheme(Struct, frozen=True, kw_only=True):
    """A theme with nothing left open; `scale` multiplies text sizes."""

    body_families: tuple[str, ...]
    title_families: tuple[str, ...]
    text: QColor
    secondary: QColor
    accent: QColor
    panel: QColor
    scale: float


def resolve_theme(themes: Sequence[Theme], *, locale: str) -> ResolvedTheme:
    """The look of a widget; `themes` from the outermost to the widget's own, of which the last word counts."""
    said: dict[str, str] = {}
    scale = 1.0
    for theme in themes:
        for name in ("font_family", "title_family", "text_color", "accent_color", "panel_color"):
            if (value := getattr(theme, name)) is not None:
                said[name] = value
        scale = theme.scale if theme.scale is not None else scale
    text = color(said.get("text_color"), TEXT_COLOR)
    body = said.get("font_family", BODY_FAMILY)
    # A scene that names only its body face means its titles too.
    title = said.get("title_family", said.get("font_family", TITLE_FAMILY))
    return ResolvedTheme(
        body_families=family_chain(body, locale=locale),
        title_families=family_chain(title, locale=locale),
        text=text,
        secondary=_faint(text, SECONDARY_STRENGTH),
        accent=color(said.get("accent_color"), ACCENT_COLOR),
        panel=color(said.get("panel_color"), PANEL_COLOR),
        scale=scale,
    )


def hairline(theme: ResolvedTheme) -> QColor:
    """The colour of the lines that part one thing from another."""
    return _faint(theme.text, RULE_STRENGTH)


def placeholder_color(theme: ResolvedTheme, *, in_panel: bool = False) -> QColor:
    """What stands where a picture is not there yet, or never will be; what is `in_panel` lies over it already."""
    return theme.panel if theme.panel.alpha() and not in_panel else _faint(theme.text, CALM_STRENGTH)


def _faint(ink: QColor, strength: float) -> QColor:
    # QColor(ink) would look at Qt.GlobalColor first, and make the whole namespace for it (qt_numbers.py).
    other = copy(ink)
    other.setAlphaF(ink.alphaF() * strength)
    return other


def color(written: str | None, default: str) -> QColor:
    """A colour from its notation in docs/scene.md; anything else is the default."""
    return QColor(written if written is not None and _COLOR.fullmatch(written) else default)


def family_chain(first: str, *, locale: str) -> tuple[str, ...]:
    """The family, then those that draw what it lacks; Han characters in the forms of the locale's language."""
    tag = locale.lower().replace("_", "-")
    han = next((families for key, families in _CJK_FAMILIES.items() if tag.startswith(key)), ("Noto Sans CJK SC",))
    return tuple(dict.fromkeys((first, BODY_FAMILY, *SCRIPT_FAMILIES, *han, "DejaVu Sans")))


class FontFace:
    """A family chain in one weight. Widths are in ems: multiply them by the size in pixels."""

    def __init__(
        self,
        families: Sequence[str],
        weight: QFont.Weight = QFont.Weight.Normal,
        *,
        tracking: float = 0.0,
        struck: bool = False,
        tabular: bool = False,
    ) -> None:
        """`tabular` is for prices and clocks, whose figures change: all have one width, and nothing shifts."""
        plain = QFont()
        plain.setFamilies(list(families))
        # Qt 6.8 finds its engines by the first family of a chain alone, so a Japanese board would get the Chinese forms
        # that a board before it had loaded. An axis that no face has, and that each chain sets differently, parts them.
        chain = zlib.crc32("/".join(families).encode()) % 65_536
        # In words it would be wrong: Inter 4.1 gives hyphens the width of a figure too.
        self._font = with_tags(plain, features={"tnum": 1} if tabular else {}, axes={"chai": chain})
        self._font.setWeight(weight)
        self._font.setPixelSize(REFERENCE_PIXELS)
        self._font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
        self._font.setStrikeOut(struck)
        if tracking:
            self._font.setLetterSpacing(QFont.SpacingType.PercentageSpacing, 100.0 * (1.0 + tracking))
        self._metrics = QFontMetricsF(self._font)
        # Bound methods in an lru_cache of a class would keep every face for ever; these die with the face.
        self.width = lru_cache(SHAPED_TEXTS_KEPT)(self._width)
        self.cursor = lru_cache(SHAPED_TEXTS_KEPT)(self._cursor)
        self._segments = lru_cache(SHAPED_TEXTS_KEPT)(self._break)

    def font(self, pixels: int) -> QFont:
        """The face at a size, ready for QML."""
        font = QFont(self._font)
        font.setPixelSize(max(1, pixels))
        return font

    def lines(self, text: str, width: float, limit: int) -> tuple[str, ...]:
        """The text in at most `limit` lines no wider than `width` ems; what is too much ends in an ellipsis."""
        if "\n" not in text and self.width(text) <= width:
            return (text,)
        return wrap(
            [list(self._segments(paragraph)) for paragraph in text.split("\n")],
            width=width,
            limit=limit,
            width_of=self.width,
            clusters_of=_clusters,
        )

    def flow(self, parts: Sequence[str], joint: str, width: float, limit: int) -> tuple[str, ...]:
        """The parts in at most `limit` lines, `joint` between two of a line, each whole where it can be."""
        return flow(parts, joint, width=width, limit=limit, width_of=self.width, lines_of=self.lines)

    def widest_piece(self, text: str) -> float:
        """The widest piece of the text that does not break."""
        return max((piece.width for paragraph in text.split("\n") for piece in self._segments(paragraph)), default=0.0)

    def _width(self, text: str) -> float:
        return self._metrics.horizontalAdvance(text) / REFERENCE_PIXELS

    def _cursor(self, text: str, index: int) -> float:
        # From the left edge to the place before character `index`, whatever the direction of the script.
        layout, _ = self._lay_out(text, None)
        # The binding answers with a pair, (x, the cursor it settled on); its stub says otherwise.
        x, _ = cast("tuple[float, int]", layout.lineAt(0).cursorToX(_utf16_length(text[:index])))
        return x / REFERENCE_PIXELS

    def _break(self, text: str) -> tuple[Segment, ...]:
        # Lines of no width hold one unbreakable piece each (UAX #14 as Qt applies it).
        _, pieces = self._lay_out(text, 0.0)
        return tuple(Segment(text=piece, width=self.width(piece.rstrip())) for piece in pieces)

    def _lay_out(self, text: str, width: float | None) -> tuple[QTextLayout, list[str]]:
        layout = QTextLayout(text, self._font)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.NoWrap if width is None else QTextOption.WrapMode.WordWrap)
        option.setUseDesignMetrics(True)
        layout.setTextOption(option)
        units = text.encode("utf-16-le", "replace")
        pieces = []
        layout.beginLayout()
        while (line := layout.createLine()).isValid():
            if width is not None:
                line.setLineWidth(width)
            start, length = line.textStart(), line.textLength()
            pieces.append(units[2 * start : 2 * (start + length)].decode("utf-16-le", "replace"))
        layout.endLayout()
        return layout, pieces


def _clusters(text: str) -> list[str]:
    finder = QTextBoundaryFinder(QTextBoundaryFinder.BoundaryType.Grapheme, text)
    units = text.encode("utf-16-le", "replace")
    found, start = [], 0
    while (end := finder.toNextBoundary()) != -1:
        found.append(units[2 * start : 2 * end].decode("utf-16-le", "replace"))
        start = end
    return found


def _utf16_length(text: str) -> int:
    return len(text.encode("utf-16-le", "replace")) // 2
