"""Painted card: shows in place of a board the faults and the next step; QPainter and nothing else.

It imports no library but Qt, except for its QR code: it also shows where the player is not installed whole.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QImage,
    QKeyEvent,
    QLinearGradient,
    QPainter,
    QPaintEvent,
    QRasterWindow,
    QTextOption,
    QTransform,
)

log = logging.getLogger(__name__)

TOP, BOTTOM, TEXT, QUIET, ACCENT, PLATE = "#222B35", "#0F1215", "#F4F1EA", "#A9A59C", "#E5AE49", "#2A323C"

UNITS = 1080
"""Units of the shorter side, for all sizes below; text of 36 units is read from three metres."""

MARGIN, GAP = 84, 44
TITLE, WHAT, WHERE, ENGLISH, THEN, PIN = 68, 40, 36, 30, 34, 52
CODE_SIDE = 300
ASIDE = 470
PLATE_MARGIN = 24
LEAST_SCALE = 0.5


class Note(NamedTuple):
    """One note: the place, its fault, a line to write; `english` is empty if `what` is in English."""

    where: str
    what: str
    english: str = ""
    line: str = ""


class Notice(NamedTuple):
    """Content of a card. `english…` are empty if the language is English."""

    title: str
    notes: tuple[Note, ...]
    then: str
    english_title: str = ""
    english_then: str = ""
    caption: str = ""
    address: str = ""
    """Address of the technician's page."""
    code: str = ""
    """Text of the QR code."""
    pin: str = ""
    """Opens the page; empty while nobody has asked for one."""
    right_to_left: bool = False


class _Line(NamedTuple):
    """A separate text, broken where it is too wide; `above` is the gap before it. `is_foreign`: it runs left to right
    in any language."""

    text: str
    size: float
    color: str
    above: float = 0
    bold: bool = False
    mono: bool = False
    is_foreign: bool = False
    has_plate: bool = False


class Card(QRasterWindow):
    detailsAsked = Signal()
    """F1 was pressed."""

    def __init__(self, notice: Notice, *, rotation: int = 0) -> None:
        super().__init__()
        self.setTitle("Menu Player")
        self._notice = notice
        self._rotation = rotation
        self._page = 0
        self._turn = QTimer(self)
        self._turn.setInterval(10_000)
        self._turn.timeout.connect(self._turn_page)
        self._turn.start()

    def say(self, notice: Notice, *, rotation: int) -> None:
        if (notice, rotation) != (self._notice, self._rotation):
            self._notice, self._rotation = notice, rotation
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        self.draw(painter, self.width(), self.height())
        painter.end()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Shows which screen this is on F1."""
        if event.key() == Qt.Key.Key_F1 and not event.isAutoRepeat():
            self.detailsAsked.emit()

    def draw(self, painter: QPainter, width: int, height: int) -> None:
        """Draws the card in these pixels, rotated as the panel is."""
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
        _Drawing(painter, self._notice, area).draw(self._page)
        painter.setTransform(QTransform())

    def image(self, width: int, height: int, *, page: int = 0) -> QImage:
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
    """One drawing of the card, in units. The notes stand at the side where lines begin; the next step and the page
    number, at the other side, or below on an upright panel."""

    def __init__(self, painter: QPainter, notice: Notice, area: QRectF) -> None:
        self._painter = painter
        self._notice = notice
        self._code = _code_image(notice.code)
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
        title = [_Line(notice.title, TITLE, TEXT, bold=True)]
        title.append(_Line(notice.english_title, WHERE, QUIET, above=8, is_foreign=True))
        top = main.top() + self._column(title, main, main.top()) + 26
        self._plate(QRectF(main.right() - 96 if notice.right_to_left else main.left(), top, 96, 6), ACCENT, 3)
        top += 6 + GAP
        pages = self._pages(main.bottom() - top - 50)
        shown = page % len(pages)
        scale, notes = pages[shown]
        for note in notes:
            top += self._column(self._note(note, scale), main, top) + GAP * scale
        self._foot(draw=True)
        for number in range(len(pages) if len(pages) > 1 else 0):
            along = 8 + number * 34
            x = main.right() - along if notice.right_to_left else main.left() + along
            self._plate(QRectF(x - 8, main.bottom() - 16, 16, 16), ACCENT if number == shown else PLATE, 8)

    def _pages(self, room: float) -> list[tuple[float, Sequence[Note]]]:
        """Splits the notes into pages, each with its scale."""
        notes = self._notice.notes
        for scale in (1.4, 1.2, 1.0):
            if sum(self._height(note, scale) + GAP * scale for note in notes) <= room:
                return [(scale, notes)]
        pages: list[tuple[float, list[Note]]] = []
        left = 0.0
        for note in notes:
            needed = self._height(note, 1.0)
            if pages and pages[-1][0] == 1.0 and needed + GAP <= left:
                pages[-1][1].append(note)
                left -= needed + GAP
                continue
            scale = next(scale for scale in _scales() if scale <= LEAST_SCALE or self._height(note, scale) <= room)
            pages.append((scale, [note]))
            left = room - needed
        return [(scale, on_page) for scale, on_page in pages] or [(1.0, ())]

    def _height(self, note: Note, scale: float) -> float:
        return self._column(self._note(note, scale), self._main, 0, draw=False)

    def _note(self, note: Note, scale: float) -> list[_Line]:
        """Sets a note's lines. A line of a file is not broken unnecessarily."""
        room = self._main.width() - 2 * PLATE_MARGIN
        size, foreign = WHAT * scale, partial(_Line, is_foreign=True)
        fitting = next(each for each in _scales() if each <= LEAST_SCALE or _width(note.line, size * each) <= room)
        return [
            foreign(note.where, WHERE * scale, ACCENT, mono=True),
            _Line(note.what, size, TEXT, above=4 if note.where else 0),
            foreign(note.english, ENGLISH * scale, QUIET, above=4),
            foreign(note.line, size * fitting, TEXT, above=16, mono=True, has_plate=True),
        ]

    def _foot(self, *, draw: bool) -> float:
        """Draws the next step and the page number; returns the height."""
        notice, room, beside = self._notice, QRectF(self._aside), self._is_upright
        code = 0 if self._code.isNull() else CODE_SIDE
        if code and beside:
            shift = code + GAP
            room.adjust(shift if notice.right_to_left else 0, 0, 0 if notice.right_to_left else -shift, 0)
        lines = [
            _Line(notice.then, THEN, TEXT),
            _Line(notice.english_then, ENGLISH, QUIET, above=14, is_foreign=True),
            _Line(notice.caption, THEN, QUIET, above=14),
            _Line(notice.address, WHERE, ACCENT, above=14, is_foreign=True),
            _Line(f"PIN  {notice.pin}" if notice.pin else "", PIN, TEXT, above=14, is_foreign=True),
        ]
        needed = self._column(lines, room, 0, draw=False)
        height = max(needed, code) if beside else needed + (code + GAP if code else 0)
        if draw:
            top = self._aside.bottom() - height
            if code:
                at_left = notice.right_to_left is beside
                self._draw_code(self._aside.left() if at_left else self._aside.right() - code, top)
            self._column(lines, room, top + ((height - needed) / 2 if beside else height - needed))
        return height

    def _draw_code(self, x: float, y: float) -> None:
        self._plate(QRectF(x, y, CODE_SIDE, CODE_SIDE), "#FFFFFF", 14)
        self._painter.drawImage(QRectF(x + 4, y + 4, CODE_SIDE - 8, CODE_SIDE - 8), self._code)

    def _plate(self, where: QRectF, color: str, radius: float) -> None:
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(QColor(color))
        self._painter.drawRoundedRect(where, radius, radius)

    def _column(self, lines: Sequence[_Line], room: QRectF, top: float, *, draw: bool = True) -> float:
        """Draws texts below each other at the side where the language's lines begin; returns their height."""
        begin, is_mirrored = top, self._notice.right_to_left
        left, right = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
        for line in lines:
            if not line.text:
                continue
            inner = room.adjusted(PLATE_MARGIN, 0, -PLATE_MARGIN, 0) if line.has_plate else room
            # In a text that runs to the left, Qt's left is the side where it begins.
            option = QTextOption(right if is_mirrored and line.is_foreign else left)
            runs_left = is_mirrored and not line.is_foreign
            option.setTextDirection(Qt.LayoutDirection.RightToLeft if runs_left else Qt.LayoutDirection.LeftToRight)
            option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
            self._painter.setFont(_font(line.size, bold=line.bold, mono=line.mono))
            endless = QRectF(inner.left(), 0, inner.width(), 100_000)
            height = self._painter.boundingRect(endless, line.text, option).height()
            frame = 14 if line.has_plate else 0
            top += line.above + frame
            if draw:
                if line.has_plate:
                    self._plate(QRectF(room.left(), top - frame, room.width(), height + 2 * frame), PLATE, 12)
                self._painter.setPen(QColor(line.color))
                self._painter.drawText(QRectF(inner.left(), top, inner.width(), height), line.text, option)
            top += height + frame
        return top - begin


def _code_image(text: str) -> QImage:
    """Draws the QR code; null where it cannot be drawn, which costs nothing else of the card."""
    try:
        from player.display.media.qr_image import PLAIN, qr_image

        return qr_image(text, PLAIN) if text else QImage()
    except Exception:
        log.exception("QR code not drawn")
        return QImage()


def _font(size: float, *, bold: bool = False, mono: bool = False) -> QFont:
    font = QFont("DejaVu Sans Mono" if mono else "Inter")
    font.setPixelSize(max(1, round(size * (0.86 if mono else 1))))
    if bold:
        font.setWeight(QFont.Weight.DemiBold)
    return font


def _width(line: str, size: float) -> float:
    return QFontMetricsF(_font(size, mono=True)).horizontalAdvance(line)


def _scales() -> Iterator[float]:
    scale = 1.0
    while True:
        yield scale
        scale *= 0.9
