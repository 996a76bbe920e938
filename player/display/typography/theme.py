"""Resolves themes, and measures text in their fonts, in ems."""

from __future__ import annotations

import math
import re
import struct
import zlib
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import lru_cache, partial
from typing import cast

from msgspec import Struct
from msgspec.structs import asdict
from PySide6.QtCore import QByteArray, QDataStream, QIODevice, QTextBoundaryFinder
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QTextLayout, QTextOption

from menu.documents.theme import HeadingStyle, Italic, Theme, Weight
from player.display.layout.setting import HEADING_SIZE
from player.display.layout.text.japanese import has_kana, phrases
from player.display.layout.text.line_breaking import HYPHEN, Segment, least_lines, wrap
from player.display.layout.text.thai import has_thai, words
from player.display.typography.figures import Cells, cells_of
from player.display.typography.hyphenation import best_points, hyphen_points

BODY_FAMILY = "Inter"
TITLE_FAMILY = "Inter Display"
TEXT_COLOR = "#F6F1E7"
ACCENT_COLOR = "#E9B44C"
BACKDROP = "#14181D"
"""Background of the cards."""
NO_COLOR = "#00000000"
GROUND_STRENGTH, MONOGRAM_STRENGTH = 0.16, 0.6
"""Opacities of what stands for an item's image, its ground and its letter, as shares of the accent's."""
REFERENCE_PIXELS = 100
"""The size at which text is measured; without hinting, widths grow in proportion."""

_COLOR = re.compile(r"#(?:[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})")
SCRIPT_FAMILIES = ("Noto Sans Arabic", "Noto Sans Hebrew", "Noto Sans Thai", "Noto Sans Devanagari", "Noto Sans")
"""For scripts beside Latin, Greek and Cyrillic, which the player's own fonts have; packaging/set-up installs them."""
SERIFS = ("Noto Serif", "Roboto Slab")
_SERIF_SCRIPTS = ("Noto Naskh Arabic", "Noto Serif Hebrew", "Noto Serif Thai", "Noto Serif Devanagari")
"""For the same scripts, beside a face with serifs."""
EMOJI_FAMILY = "Noto Color Emoji"
_UPRIGHT = ("ja", "ko", "th", "zh")
"""Languages whose scripts have no italics."""
_CLOSE = (*_UPRIGHT, "hi", "mr", "ne")
"""Languages whose letters are not spaced: each fills its square, joins others at its head line, or carries vowels."""
_CJK_FAMILIES = {
    "ja": ("Noto Sans CJK JP",),
    "ko": ("Noto Sans CJK KR",),
    "zh-tw": ("Noto Sans CJK TC",),
    "zh-hant": ("Noto Sans CJK TC",),
    "zh-hk": ("Noto Sans CJK HK",),
    "zh-mo": ("Noto Sans CJK HK",),
}


class ResolvedTheme(Struct, frozen=True, kw_only=True):
    """A theme with every value set; `scale` multiplies text sizes. `tracking` is the letter spacing of titles and
    headings, `featured` the colour behind featured items."""

    body_families: tuple[str, ...]
    title_families: tuple[str, ...]
    text: QColor
    secondary: QColor
    accent: QColor
    large_text: QColor
    large_accent: QColor
    """Colours of large texts, which need less contrast."""
    panel: QColor
    scale: float
    heading_style: HeadingStyle
    heading_size: float
    """As a share of the names' size."""
    heading_families: tuple[str, ...]
    heading_weight: Weight
    tracking: tuple[float, float]
    italic_titles: bool
    italic_details: bool
    shadow: QColor
    featured: QColor


def resolve_theme(themes: Sequence[Theme], *, locale: str, right_to_left: bool = False) -> ResolvedTheme:
    """Resolves a widget's theme; `themes` go from the outermost to the widget's own, and the last value counts."""
    values = {name: value for theme in themes for name, value in asdict(theme).items() if value is not None}
    text, accent = color(values.get("text_color"), TEXT_COLOR), color(values.get("accent_color"), ACCENT_COLOR)
    body = values.get("font_family", BODY_FAMILY)
    # A scene that names only its body font means its titles too.
    title = values.get("title_family", values.get("font_family", TITLE_FAMILY))
    spacing = values.get("letter_spacing")
    # Joined scripts have neither letter spacing nor italics.
    italic = Italic.NONE if right_to_left or locale[:2] in _UPRIGHT else values.get("italic", Italic.NONE)
    close = right_to_left or locale[:2] in _CLOSE
    return ResolvedTheme(
        body_families=family_chain(body, locale=locale),
        title_families=family_chain(title, locale=locale, serif=body in SERIFS),
        text=text,
        secondary=_faint(text, 0.68),
        accent=accent,
        large_text=text,
        large_accent=accent,
        panel=color(values.get("panel_color"), NO_COLOR),
        scale=values.get("scale", 1.0),
        heading_style=values.get("heading_style", HeadingStyle.RULED),
        heading_size=values.get("heading_size", HEADING_SIZE),
        heading_families=family_chain(values.get("heading_family", body), locale=locale, serif=body in SERIFS),
        heading_weight=values.get("heading_weight", Weight.BOLD),
        tracking=(0.0, 0.0) if close else (0.0, 0.07) if spacing is None else (spacing, spacing),
        italic_titles=italic in {Italic.TITLES, Italic.ALL},
        italic_details=italic in {Italic.DETAILS, Italic.ALL},
        shadow=color(values.get("shadow_color"), NO_COLOR),
        featured=color(values.get("featured_color"), NO_COLOR),
    )


def hairline(theme: ResolvedTheme) -> QColor:
    return _faint(theme.text, 0.18)


def placeholder_color(theme: ResolvedTheme, *, in_panel: bool = False) -> QColor:
    """Returns the colour of a box whose image is not loaded yet or not drawable. `in_panel`: the panel lies behind it
    already."""
    return theme.panel if theme.panel.alpha() and not in_panel else _faint(theme.text, 0.06)


def monogram_colors(theme: ResolvedTheme) -> tuple[QColor, QColor]:
    """Colours of an item's monogram, in place of its image: of its ground, and of its letter."""
    return _faint(theme.accent, GROUND_STRENGTH), _faint(theme.accent, MONOGRAM_STRENGTH)


def _faint(shade: QColor, strength: float) -> QColor:
    # QColor(shade) would look at Qt.GlobalColor first, and create the whole namespace for it (qt/constants.py).
    other = copy(shade)
    other.setAlphaF(shade.alphaF() * strength)
    return other


def color(written: str | None, default: str) -> QColor:
    """Parses a colour in the notation of docs/scene.md; anything else gives the default."""
    return QColor(written if written is not None and _COLOR.fullmatch(written) else default)


def family_chain(first: str, *, locale: str, serif: bool = False) -> tuple[str, ...]:
    """Returns the family, then those for characters that it lacks, with serifs if it is or stands beside one that has
    them; Han characters in the forms of the locale's language."""
    tag = locale.lower().replace("_", "-")
    han = next((families for key, families in _CJK_FAMILIES.items() if tag.startswith(key)), ("Noto Sans CJK SC",))
    if serif or first in SERIFS:
        serifs = (*_SERIF_SCRIPTS, *(family.replace("Sans", "Serif") for family in han))
        return tuple(dict.fromkeys((first, "Noto Serif", *serifs, *SCRIPT_FAMILIES, EMOJI_FAMILY)))
    return tuple(dict.fromkeys((first, BODY_FAMILY, *SCRIPT_FAMILIES, *han, EMOJI_FAMILY, "DejaVu Sans")))


class MeasuredFont:
    """A family chain in one weight, with cached measurements. Widths are in ems: multiply them by the size in
    pixels."""

    def __init__(
        self,
        families: Sequence[str],
        weight: QFont.Weight = QFont.Weight.Normal,
        *,
        tracking: float = 0.0,
        italic: bool = False,
        tabular: bool = False,
        in_cells: bool = False,
        locale: str = "",
        most_whole: float = math.inf,
        texts_cached: int = 8192,
    ) -> None:
        """`tabular` gives all figures one width, for prices and clocks, so that nothing shifts when they change; where
        the font has none such, `in_cells` sets them in cells, for what draws these. With a `locale`, words wider than a
        line are hyphenated as in its language. A Japanese phrase of more than `most_whole` ems need not be whole."""
        self._locale = locale
        self._most_whole = most_whole
        plain = QFont()
        plain.setFamilies(list(families))
        # Qt 6.8 looks up its font engines by the first family of a chain alone, so a Japanese board would get the
        # Chinese forms that a board before it had loaded. An axis that no font has, with a value for each chain, tells
        # them apart.
        chain = zlib.crc32("/".join(families).encode()) % 65_536
        # Not for words: Inter 4.1 gives hyphens the width of a figure too.
        self._font = with_tags(plain, features={"tnum": 1} if tabular else {}, axes={"chai": chain})
        self._font.setWeight(weight)
        self._font.setItalic(italic)
        self._font.setPixelSize(REFERENCE_PIXELS)
        self._font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
        if tracking:
            self._font.setLetterSpacing(QFont.SpacingType.PercentageSpacing, 100.0 * (1.0 + tracking))
        # These caches die with the font, and at once: functions that knew it would make a cycle, which only the garbage
        # collector frees, after hundreds of scenes.
        width, cursor = partial(_width, QFontMetricsF(self._font)), partial(_cursor, self._font)
        self.cells: Callable[[str], Cells | None] = _no_cells
        if in_cells:
            known, lefts = lru_cache(64)(width), partial(_lefts, self._font)
            self.cells = lru_cache(texts_cached)(partial(cells_of, width_of=known, lefts_of=lefts))
            width, cursor = partial(_cell_width, self.cells, width), partial(_cell_cursor, self.cells, cursor)
        self.width = lru_cache(texts_cached)(width)
        self.cursor = lru_cache(texts_cached)(cursor)
        self._segments = lru_cache(texts_cached)(partial(_break, self._font, self.width))
        self._widest = lru_cache(texts_cached)(partial(_widest, self._segments))
        self.at_size = lru_cache(texts_cached)(partial(_sized, self._font))

    def lines(self, text: str, width: float, limit: int) -> tuple[str, ...]:
        """Breaks the text into at most `limit` lines no wider than `width` ems; text that does not fit ends in an
        ellipsis."""
        if "\n" not in text and self.width(text) <= width:
            return (text,)
        return wrap(
            [self._within(paragraph, width) for paragraph in text.split("\n")],
            width=width,
            limit=limit,
            width_of=self.width,
            clusters_of=_clusters,
            hyphens_of=partial(hyphen_points, locale=self._locale),
        )

    def least_lines(self, text: str, width: float) -> int:
        if "\n" not in text and self.width(text) <= width:
            return 1
        return least_lines([self._segments(paragraph) for paragraph in text.split("\n")], width)

    def _within(self, paragraph: str, width: float) -> Sequence[Segment]:
        """Returns the pieces of a paragraph; of a phrase that is wider than the line, those in which it may break after
        all."""
        if self._widest(paragraph) <= width or not (has_kana(paragraph) or has_thai(paragraph)):
            return self._segments(paragraph)
        found: list[Segment] = []
        for segment in self._segments(paragraph):
            if segment.width > width and (has_kana(segment.text) or has_thai(segment.text)):
                _, pieces = _lay_out(self._font, segment.text, 0.0)
                found += (_segment(piece, self.width) for piece in pieces)
            else:
                found.append(segment)
        return found

    def widest_piece(self, text: str, *, parts: int = 1) -> float:
        paragraphs, widths = text.split("\n"), list[float]()
        for paragraph in paragraphs:
            if parts == 1:
                widths.append(self._widest(paragraph))
            else:
                widths += (self._in_parts(piece.text.rstrip(), parts) for piece in self._segments(paragraph))
        widest = max(widths, default=0.0)
        return min(widest, self._most_whole) if widest > self._most_whole and has_kana(text) else widest

    def _in_parts(self, word: str, parts: int) -> float:
        """Returns the width of the widest part of a word in at most so many, as narrow as it can be."""
        points = best_points(word, self._locale)
        widest = {start: self.width(word[start:]) for start in (0, *points)}
        for _ in range(parts - 1):
            widest = {
                start: min(
                    (rest, *(max(self.width(word[start:at] + HYPHEN), widest[at]) for at in points if at > start))
                )
                for start, rest in widest.items()
            }
        return widest[0]

    def cuts_word(self, text: str, width: float) -> bool:
        """Whether a word of the text breaks anywhere in lines of `width` ems, for want of a place for a hyphen."""
        pieces = [piece for paragraph in text.split("\n") for piece in self._within(paragraph, width)]
        return any(piece.width > width and not hyphen_points(piece.text.rstrip(), self._locale) for piece in pieces)


def _sized(font: QFont, pixels: int) -> QFont:
    """Returns the font at a size, for QML: one object for all texts, which share what Qt finds out about it."""
    sized = QFont(font)
    sized.setPixelSize(max(1, pixels))
    return sized


def _width(metrics: QFontMetricsF, text: str) -> float:
    return metrics.horizontalAdvance(text) / REFERENCE_PIXELS


def _cursor(font: QFont, text: str, index: int) -> float:
    # From the left edge to the position before character `index`, whatever the direction of the script.
    layout, _ = _lay_out(font, text, None)
    # The binding returns a pair, (x, the cursor position used); its stub says otherwise.
    x, _ = cast("tuple[float, int]", layout.lineAt(0).cursorToX(_utf16_length(text[:index])))
    return x / REFERENCE_PIXELS


def _lefts(font: QFont, text: str, parts: Sequence[tuple[int, int]]) -> list[float]:
    """Returns the left edges of parts of a line, by its glyphs: a cursor has two places where the direction changes."""
    layout, _ = _lay_out(font, text, None)
    line, found = layout.lineAt(0), list[float]()
    for begin, length in parts:
        at = _utf16_length(text[:begin])
        runs = line.glyphRuns(at, _utf16_length(text[begin : begin + length]))
        found.append(min((place.x() for run in runs for place in run.positions()), default=0.0) / REFERENCE_PIXELS)
    return found


def _no_cells(_: str) -> Cells | None:
    return None


def _cell_width(cells_of_text: Callable[[str], Cells | None], width: Callable[[str], float], text: str) -> float:
    cells = cells_of_text(text)
    return width(text) if cells is None else cells.width


def _cell_cursor(
    cells_of_text: Callable[[str], Cells | None], cursor: Callable[[str, int], float], text: str, index: int
) -> float:
    cells = cells_of_text(text)
    return cursor(text, index) if cells is None else cells.edges.get(index, cells.width)


def _break(font: QFont, width_of: Callable[[str], float], text: str) -> tuple[Segment, ...]:
    *first, last = text.split(" ")
    if text.isascii() and all(word.isalnum() for word in (*first, last)):
        pieces = [*(f"{word} " for word in first), last]
    else:
        # Lines of no width hold one unbreakable piece each (UAX #14 as Qt applies it).
        _, pieces = _lay_out(font, text, 0.0)
    if has_kana(text):
        pieces = phrases(pieces)
    elif has_thai(text):
        pieces = words(pieces)
    return tuple(_segment(piece, width_of) for piece in pieces)


def _widest(segments_of: Callable[[str], Sequence[Segment]], text: str) -> float:
    return max((segment.width for segment in segments_of(text)), default=0.0)


def _segment(piece: str, width_of: Callable[[str], float]) -> Segment:
    return Segment(text=piece, width=width_of(piece.rstrip()), advance=width_of(piece))


def _lay_out(font: QFont, text: str, width: float | None) -> tuple[QTextLayout, list[str]]:
    layout = QTextLayout(text, font)
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
    if text.isascii() and "\r" not in text:
        return list(text)
    finder = QTextBoundaryFinder(QTextBoundaryFinder.BoundaryType.Grapheme, text)
    units = text.encode("utf-16-le", "replace")
    found, start = [], 0
    while (end := finder.toNextBoundary()) != -1:
        found.append(units[2 * start : 2 * end].decode("utf-16-le", "replace"))
        start = end
    return found


def _utf16_length(text: str) -> int:
    return len(text.encode("utf-16-le", "replace")) // 2


FONT_FORMAT = QDataStream.Version.Qt_6_8


def with_tags(font: QFont, *, features: Mapping[str, int], axes: Mapping[str, float]) -> QFont:
    """Returns the font, which has neither yet, with these features and variable axes by their tags of four letters.

    Debian 13's binding (6.8.2) cannot make the QFont.Tag that Qt's own calls take, so both are appended to the font as
    QDataStream writes them, and the whole is read back. The format of a version of QDataStream never changes.
    """
    written = QByteArray()
    writer = QDataStream(written, QIODevice.OpenModeFlag.WriteOnly)
    writer.setVersion(FONT_FORMAT)
    writer << font
    # Without the two lengths of zero at the end.
    parts = [bytes(written.data())[:-8], struct.pack(">I", len(features))]
    parts += [tag.encode("ascii") + struct.pack(">I", value) for tag, value in sorted(features.items())]
    parts += [struct.pack(">I", len(axes))]
    parts += [tag.encode("ascii") + struct.pack(">d", value) for tag, value in sorted(axes.items())]
    tagged = QFont()
    reader = QDataStream(QByteArray(b"".join(parts)))
    reader.setVersion(FONT_FORMAT)
    reader >> tagged
    if reader.status() is not QDataStream.Status.Ok or not reader.atEnd():
        raise RuntimeError("Qt writes fonts in another format than version 6.8's")
    return tagged
