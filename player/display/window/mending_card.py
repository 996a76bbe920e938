"""The card of a player that cannot start: what to mend, and where; QPainter and nothing else.

It imports neither the domain nor any library but Qt: it also shows where the player is not installed whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from PySide6.QtCore import QRectF, Qt, QTimer
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QImage,
    QLinearGradient,
    QPainter,
    QPaintEvent,
    QRasterWindow,
    QTextOption,
    QTransform,
)

TOP, BOTTOM, TEXT, QUIET, ACCENT, PLATE = "#222B35", "#0F1215", "#F4F1EA", "#A9A59C", "#E5AE49", "#2A323C"

UNITS = 1080
"""Of the shorter side. All sizes below are in these; text of 36 of them is read from three metres."""

MARGIN, GAP = 84, 44
TITLE, WHAT, WHERE, ENGLISH, THEN, PIN = 68, 40, 36, 30, 34, 52
MONO_SHARE = 0.86
"""Of a size: what is written in a file, and where."""
CODE_SIDE = 300
ASIDE = 470
DOTS = 50
ENDLESS = 100_000
LARGE_SCALES = (1.4, 1.2, 1.0)
LEAST_SCALE = 0.5
SCALE_STEP = 0.9
"""A single fault that is too long for a page is drawn smaller, step by step, until it fits."""

PAGE_SECONDS = 10.0
"""How long a page shows where the faults need several."""


class Note(NamedTuple):
    """One fault: where it is, what to mend, a line to write there; `english` is empty if `what` is in English."""

    where: str
    what: str
    english: str = ""
    line: str = ""


class Notice(NamedTuple):
    """What the card says. `english…` are empty if the language is English."""

    title: str
    notes: tuple[Note, ...]
    then: str
    english_title: str = ""
    english_then: str = ""
    address: str = ""
    """Of the page that says the same."""
    address_caption: str = ""
    pin: str = ""
    """That opens the page; empty while nobody has asked for one."""
    right_to_left: bool = False


class MendingCard(QRasterWindow):
    """The window. `code` draws a QR code for a text, one pixel a module, null where it cannot."""

    def __init__(
        self, notice: Notice, *, rotation: int = 0, code: Callable[[str], QImage] = lambda _: QImage()
    ) -> None:
        super().__init__()
        self.setTitle("Menu Player")
        self._notice = notice
        self._rotation = rotation
        self._code = code
        self._page = 0
        self._turn = QTimer(self)
        self._turn.setInterval(round(PAGE_SECONDS * 1000))
        self._turn.timeout.connect(self._turn_page)
        self._turn.start()

    def say(self, notice: Notice, *, rotation: int) -> None:
        """Show this from now on."""
        if (notice, rotation) != (self._notice, self._rotation):
            self._notice, self._rotation = notice, rotation
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the card."""
        painter = QPainter(self)
        self.draw(painter, self.width(), self.height())
        painter.end()

    def draw(self, painter: QPainter, width: int, height: int) -> None:
        """Draw the card in these pixels, as the panel hangs."""
        painter.save()
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        ground = QLinearGradient(0, 0, 0, height)
        ground.setColorAt(0, QColor(TOP))
        ground.setColorAt(1, QColor(BOTTOM))
        painter.fillRect(0, 0, width, height, ground)
        painter.translate(width / 2, height / 2)
        painter.rotate(self._rotation)
        if self._rotation % 180:
            width, height = height, width
        unit = min(width, height) / UNITS
        painter.scale(unit, unit)
        area = QRectF(-width / unit / 2, -height / unit / 2, width / unit, height / unit)
        _Drawing(painter, self._notice, area, self._code).draw(self._page)
        painter.restore()
        painter.setTransform(QTransform())

    def image(self, width: int, height: int, *, page: int = 0) -> QImage:
        """The card as a picture."""
        self._page = page
        image = QImage(width, height, QImage.Format.Format_RGB32)
        painter = QPainter(image)
        self.draw(painter, width, height)
        painter.end()
        return image

    def _turn_page(self) -> None:
        self._page += 1
        self.update()


class _Drawing:
    """One drawing of the card, in units. What to mend stands at the side where lines begin; what comes next, and where
    the same is said, at the other side, or below on an upright panel."""

    def __init__(self, painter: QPainter, notice: Notice, area: QRectF, code: Callable[[str], QImage]) -> None:
        self._painter = painter
        self._notice = notice
        self._code = code(notice.address) if notice.address else QImage()
        self._main = area.adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN)
        self._aside = QRectF(self._main)
        self._is_upright = area.height() > area.width()
        if self._is_upright:
            self._aside.setTop(self._main.bottom() - self._foot(draw=False))
            self._main.setBottom(self._aside.top() - GAP)
        elif notice.right_to_left:
            self._aside.setWidth(ASIDE)
            self._main.setLeft(self._aside.right() + 2 * GAP)
        else:
            self._aside.setLeft(self._main.right() - ASIDE)
            self._main.setRight(self._aside.left() - 2 * GAP)

    def draw(self, page: int) -> None:
        notice, main = self._notice, self._main
        top = main.top()
        top += self._text(notice.title, TITLE, TEXT, main, top, bold=True)
        if notice.english_title:
            top += 8 + self._text(notice.english_title, WHERE, QUIET, main, top + 8, right_to_left=False)
        top += 26
        self._plate(QRectF(main.right() - 96 if notice.right_to_left else main.left(), top, 96, 6), ACCENT, 3)
        top += 6 + GAP
        pages = self._pages(main.bottom() - top - DOTS)
        shown = page % len(pages)
        scale, notes = pages[shown]
        for note in notes:
            top += self._note(note, top, scale) + GAP * scale
        self._foot(draw=True)
        if len(pages) > 1:
            self._dots(len(pages), shown)

    def _pages(self, room: float) -> list[tuple[float, Sequence[Note]]]:
        """The faults in pages, and the scale of each."""
        notes = self._notice.notes
        for scale in LARGE_SCALES:
            if sum(self._note(note, 0, scale, draw=False) + GAP * scale for note in notes) <= room:
                return [(scale, notes)]
        pages: list[tuple[float, list[Note]]] = []
        left = 0.0
        for note in notes:
            needed = self._note(note, 0, 1.0, draw=False)
            if pages and pages[-1][0] == 1.0 and needed + GAP <= left:
                pages[-1][1].append(note)
                left -= needed + GAP
                continue
            scale = next(scale for scale in _scales() if scale <= LEAST_SCALE or self._fits(note, scale, room))
            pages.append((scale, [note]))
            left = room - needed
        return [(scale, on_page) for scale, on_page in pages] or [(1.0, ())]

    def _fits(self, note: Note, scale: float, room: float) -> bool:
        return self._note(note, 0, scale, draw=False) <= room

    def _note(self, note: Note, top: float, scale: float, *, draw: bool = True) -> float:
        """Draw a fault; returns its height."""
        begin, main = top, self._main
        if note.where:
            top += 4 + self._text(
                note.where, WHERE * scale, ACCENT, main, top, mono=True, right_to_left=False, draw=draw
            )
        top += self._text(note.what, WHAT * scale, TEXT, main, top, draw=draw)
        if note.english:
            top += 4 + self._text(note.english, ENGLISH * scale, QUIET, main, top + 4, right_to_left=False, draw=draw)
        if note.line:
            top += 16
            inner = main.adjusted(24, 0, -24, 0)
            size = self._size_on_one_line(note.line, WHAT * scale, inner)
            for is_drawn in (False, True)[: 1 + draw]:
                height = self._text(
                    note.line, size, TEXT, inner, top + 14, mono=True, right_to_left=False, draw=is_drawn
                )
                if draw and not is_drawn:
                    self._plate(QRectF(main.left(), top, main.width(), height + 28), PLATE, 12)
            top += height + 28
        return top - begin

    def _size_on_one_line(self, line: str, size: float, room: QRectF) -> float:
        """A line of a file is not broken, if it need not be."""
        scales = (scale for scale in _scales() if scale <= LEAST_SCALE or _width(line, size * scale) <= room.width())
        return size * next(scales)

    def _foot(self, *, draw: bool) -> float:
        """What comes next, and where the same is said; returns its height."""
        notice = self._notice
        has_code = not self._code.isNull()
        room = QRectF(self._aside)
        if has_code and self._is_upright:
            if notice.right_to_left:
                room.setLeft(room.left() + CODE_SIDE + GAP)
            else:
                room.setRight(room.right() - CODE_SIDE - GAP)
        rtl = notice.right_to_left
        lines = [(notice.then, THEN, TEXT, rtl), (notice.english_then, ENGLISH, QUIET, False)]
        if notice.address:
            lines += [(notice.address_caption, THEN, QUIET, rtl), (notice.address, WHERE, ACCENT, False)]
        if notice.pin:
            lines.append((f"PIN  {notice.pin}", PIN, TEXT, False))
        lines = [line for line in lines if line[0]]
        heights = [
            self._text(text, size, color, room, 0, right_to_left=runs_left, draw=False)
            for text, size, color, runs_left in lines
        ]
        needed = sum(heights) + 14 * (len(lines) - 1)
        code = CODE_SIDE if has_code else 0
        beside = self._is_upright
        height = max(needed, code) if beside else needed + (code + GAP if code else 0)
        if draw:
            top = self._aside.bottom() - height
            if has_code:
                at_left = rtl if beside else not rtl
                self._draw_code(self._aside.left() if at_left else self._aside.right() - CODE_SIDE, top)
            top += (height - needed) / 2 if beside else height - needed
            for (text, size, color, runs_left), one in zip(lines, heights, strict=True):
                self._text(text, size, color, room, top, right_to_left=runs_left)
                top += one + 14
        return height

    def _draw_code(self, x: float, y: float) -> None:
        self._plate(QRectF(x, y, CODE_SIDE, CODE_SIDE), "#FFFFFF", 14)
        side = CODE_SIDE - 8
        self._painter.drawImage(QRectF(x + 4, y + 4, side, side), self._code)

    def _dots(self, count: int, shown: int) -> None:
        """Which page this is."""
        main = self._main
        for number in range(count):
            along = 8 + number * 34
            x = main.right() - along if self._notice.right_to_left else main.left() + along
            self._plate(QRectF(x - 8, main.bottom() - 16, 16, 16), ACCENT if number == shown else PLATE, 8)

    def _plate(self, where: QRectF, color: str, radius: float) -> None:
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(QColor(color))
        self._painter.drawRoundedRect(where, radius, radius)

    def _text(
        self,
        text: str,
        size: float,
        color: str,
        room: QRectF,
        top: float,
        *,
        bold: bool = False,
        mono: bool = False,
        right_to_left: bool | None = None,
        draw: bool = True,
    ) -> float:
        """Draw a text at the side where the language's lines begin; returns its height. `right_to_left` is the text's
        own direction, if it is not the language's."""
        runs_left = self._notice.right_to_left if right_to_left is None else right_to_left
        font = _font(size, bold=bold, mono=mono)
        left, right = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
        # In a text that runs to the left, Qt's left is the side where it begins.
        option = QTextOption(left if runs_left is self._notice.right_to_left else right)
        option.setTextDirection(Qt.LayoutDirection.RightToLeft if runs_left else Qt.LayoutDirection.LeftToRight)
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        where = QRectF(room.left(), top, room.width(), ENDLESS)
        painter = self._painter
        painter.setFont(font)
        height = painter.boundingRect(where, text, option).height()
        if draw:
            painter.setPen(QColor(color))
            painter.drawText(where, text, option)
        return height


def _font(size: float, *, bold: bool = False, mono: bool = False) -> QFont:
    font = QFont("DejaVu Sans Mono" if mono else "Inter")
    font.setPixelSize(max(1, round(size * (MONO_SHARE if mono else 1))))
    if bold:
        font.setWeight(QFont.Weight.DemiBold)
    return font


def _width(line: str, size: float) -> float:
    return QFontMetricsF(_font(size, mono=True)).horizontalAdvance(line)


def _scales() -> Iterator[float]:
    scale = 1.0
    while True:
        yield scale
        scale *= SCALE_STEP
