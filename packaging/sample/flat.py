"""Flat drawings for the design kit, in plain shapes on a transparent ground."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPainterPath, QPen

Point = tuple[float, float]
SHADE, LIGHT = QColor(0, 0, 0, 34), QColor(255, 255, 255, 84)
CREAM, RED, DARK_RED, GREEN, LEAF = "#FFF3DC", "#D8412F", "#A92C22", "#3F8F4E", "#2E6E3C"
GOLD, CRUST, CHEESE, BROWN, DARK = "#F2B33D", "#D98E3F", "#FFD567", "#6B3A22", "#2B1B16"


class Sheet:
    """A transparent image to draw on, in units of its own."""

    def __init__(self, width: int, height: int) -> None:
        self.image = QImage(width, height, QImage.Format.Format_ARGB32_Premultiplied)
        self.image.fill(Qt.GlobalColor.transparent)
        self.painter = QPainter(self.image)
        self.painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.painter.setPen(Qt.PenStyle.NoPen)

    def done(self) -> QImage:
        """The image."""
        self.painter.end()
        return self.image

    def fill(self, path: QPainterPath, color: str | QColor) -> None:
        """Fill a shape."""
        self.painter.setPen(Qt.PenStyle.NoPen)
        self.painter.fillPath(path, QColor(color))

    def stroke(self, path: QPainterPath, color: str | QColor, width: float) -> None:
        """Draw a line with round ends."""
        pen = QPen(QColor(color), width)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        self.painter.strokePath(path, pen)

    def within(self, path: QPainterPath, draw: Callable[[], None]) -> None:
        """Draw what lies within a shape."""
        self.painter.save()
        self.painter.setClipPath(path)
        draw()
        self.painter.restore()

    def turned(self, x: float, y: float, degrees: float, draw: Callable[[], None]) -> None:
        """Draw around a point, turned."""
        self.painter.save()
        self.painter.translate(x, y)
        self.painter.rotate(degrees)
        draw()
        self.painter.restore()


def disc(x: float, y: float, rx: float, ry: float | None = None) -> QPainterPath:
    """An ellipse around a point."""
    path = QPainterPath()
    path.addEllipse(QPointF(x, y), rx, ry if ry is not None else rx)
    return path


def box(x: float, y: float, width: float, height: float, radius: float = 0.0) -> QPainterPath:
    """A rectangle with round corners."""
    path = QPainterPath()
    path.addRoundedRect(QRectF(x, y, width, height), radius, radius)
    return path


def shape(points: Sequence[Point], *, round_: float = 0.0) -> QPainterPath:
    """A closed polygon, its corners rounded by so much."""
    path, count = QPainterPath(), len(points)
    for number, (x, y) in enumerate(points):
        before, after = points[number - 1], points[(number + 1) % count]
        enter, leave = _towards((x, y), before, round_), _towards((x, y), after, round_)
        if number == 0:
            path.moveTo(*enter)
        else:
            path.lineTo(*enter)
        path.quadTo(x, y, *leave)
    path.closeSubpath()
    return path


def line(*points: Point) -> QPainterPath:
    """A line through points."""
    path = QPainterPath(QPointF(*points[0]))
    for x, y in points[1:]:
        path.lineTo(x, y)
    return path


def curve(start: Point, *parts: tuple[Point, Point, Point]) -> QPainterPath:
    """A smooth line: two handles and an end each."""
    path = QPainterPath(QPointF(*start))
    for one, other, end in parts:
        path.cubicTo(*one, *other, *end)
    return path


def _towards(at: Point, to: Point, distance: float) -> Point:
    dx, dy = to[0] - at[0], to[1] - at[1]
    length = math.hypot(dx, dy) or 1.0
    share = min(distance / length, 0.5)
    return at[0] + dx * share, at[1] + dy * share


def leaf(sheet: Sheet, x: float, y: float, size: float, degrees: float) -> None:
    def draw() -> None:
        blade = curve(
            (0, -size),
            ((size * 0.8, -size * 0.5), (size * 0.6, size * 0.6), (0, size)),
            ((-size * 0.6, size * 0.6), (-size * 0.8, -size * 0.5), (0, -size)),
        )
        sheet.fill(blade, GREEN)
        sheet.stroke(line((0, -size * 0.75), (0, size * 0.85)), LEAF, size * 0.09)

    sheet.turned(x, y, degrees, draw)


def pizza() -> QImage:
    """A pizza from above, cut into eight."""
    sheet, chance = Sheet(1000, 1000), random.Random(4)  # noqa: S311
    sheet.fill(disc(500, 512, 480), QColor(0, 0, 0, 60))
    crust = QPainterPath()
    points = [
        (500 + math.cos(a) * (476 + 7 * math.sin(a * 9)), 500 + math.sin(a) * (476 + 7 * math.cos(a * 7)))
        for a in (math.tau * n / 180 for n in range(180))
    ]
    crust = shape(points)
    sheet.fill(crust, CRUST)
    for _ in range(46):
        a, r = chance.uniform(0, math.tau), chance.uniform(438, 464)
        spot = disc(500 + math.cos(a) * r, 500 + math.sin(a) * r, chance.uniform(8, 26), chance.uniform(6, 14))
        sheet.fill(spot, QColor(150, 86, 32, 90))
    sheet.fill(disc(500, 500, 422), "#B8402C")
    sheet.fill(disc(500, 500, 412), "#E2573A")
    sheet.fill(disc(500, 500, 396), CHEESE)
    for _ in range(40):
        a, r = chance.uniform(0, math.tau), 380 * math.sqrt(chance.random())
        blob = disc(500 + math.cos(a) * r, 500 + math.sin(a) * r, chance.uniform(24, 62), chance.uniform(20, 48))
        sheet.fill(blob, chance.choice(["#FFE49A", "#FFC94F", "#F7B845"]))
    for ring, number, start in ((300, 10, 0.2), (150, 5, 0.5)):
        for n in range(number):
            a = start + math.tau * n / number + chance.uniform(-0.12, 0.12)
            x, y = 500 + math.cos(a) * ring, 500 + math.sin(a) * ring
            sheet.fill(disc(x + 3, y + 6, 53), SHADE)
            sheet.fill(disc(x, y, 53), DARK_RED)
            sheet.fill(disc(x, y, 47), RED)
            for _ in range(6):
                b, d = chance.uniform(0, math.tau), chance.uniform(6, 36)
                sheet.fill(disc(x + math.cos(b) * d, y + math.sin(b) * d, chance.uniform(3, 7)), "#F08A6B")
    for n in range(9):
        a, r = 0.75 + math.tau * n / 9, (225, 355, 90)[n % 3]
        leaf(sheet, 500 + math.cos(a) * r, 500 + math.sin(a) * r, 44, chance.uniform(0, 360))
    for n in range(12):
        a, r = 0.1 + math.tau * n / 12, (240, 350)[n % 2]
        x, y = 500 + math.cos(a) * r, 500 + math.sin(a) * r
        sheet.fill(disc(x, y, 19), DARK)
        sheet.fill(disc(x, y, 8), "#F7B845")
    for n in range(4):
        a = 0.39 + math.pi * n / 4
        dx, dy = math.cos(a) * 482, math.sin(a) * 482
        sheet.stroke(line((500 - dx, 500 - dy), (500 + dx, 500 + dy)), QColor(120, 56, 20, 120), 5)
    return sheet.done()


def _burger(sheet: Sheet, x: float, y: float) -> None:
    """A burger 620 wide, on a ground at `y`."""
    sheet.turned(x, y - 430, 0, lambda: _burger_at(sheet))


def _burger_at(sheet: Sheet) -> None:
    chance = random.Random(9)  # noqa: S311
    top = curve((0, 170), ((0, -60), (620, -60), (620, 170)))
    top.closeSubpath()
    sheet.fill(box(0, 345, 620, 85, 40), "#C97B30")
    sheet.fill(box(0, 345, 620, 42, 20), "#DE9544")
    sheet.fill(box(8, 292, 604, 70, 34), "#5B2E1C")
    sheet.fill(box(8, 292, 604, 30, 15), "#74402A")
    drip = shape(
        [
            *((12, 240), (608, 240), (608, 290), (560, 302), (500, 302), (452, 352), (400, 302)),
            *((210, 302), (170, 334), (120, 302), (60, 302), (12, 290)),
        ],
        round_=14,
    )
    sheet.fill(drip, "#FFB81F")
    sheet.fill(box(16, 196, 588, 70, 20), "#D93F2E")
    sheet.fill(box(16, 226, 588, 16, 8), "#EE6550")
    frill = QPainterPath(QPointF(-8, 200))
    for n in range(13):
        left = -8 + n * 636 / 13
        frill.quadTo(left + 24, 254 if n % 2 else 240, left + 636 / 13, 208)
    frill.lineTo(628, 168)
    frill.lineTo(-8, 168)
    frill.closeSubpath()
    sheet.fill(frill, "#6DB33F")
    sheet.fill(box(-8, 168, 636, 22, 10), "#86C953")
    sheet.fill(box(0, 120, 620, 62, 26), "#D98A38")
    sheet.fill(top, "#E9A04C")
    shine = curve((70, 110), ((110, 20), (250, -2), (330, 0)), ((220, 20), (130, 60), (70, 110)))
    sheet.fill(shine, QColor(255, 255, 255, 70))
    for _ in range(34):
        a, r = chance.uniform(math.pi * 1.06, math.pi * 1.94), chance.uniform(0.35, 0.92)
        seed_x, seed_y = 310 + math.cos(a) * 290 * r, 168 + math.sin(a) * 165 * r
        sheet.turned(seed_x, seed_y, chance.uniform(-60, 60), lambda: sheet.fill(disc(0, 0, 11, 6.5), "#FFF0CF"))


def fries(sheet: Sheet, x: float, y: float) -> None:
    chance = random.Random(3)  # noqa: S311
    for n in range(15):
        left, height = x + 8 + n * 20, chance.uniform(330, 470) - abs(n - 7) * 9

        def stick(height: float = height) -> None:
            sheet.fill(box(-13, -height, 26, height, 6), "#FFC83D")
            sheet.fill(box(-13, -height, 9, height, 5), "#FFDD7A")
            sheet.fill(box(6, -height, 7, height, 4), "#E9A62A")

        sheet.turned(left + 12, y - 60, (n - 7) * 2.6 + chance.uniform(-2, 2), stick)
    front = QPainterPath(QPointF(x - 14, y - 262))
    front.quadTo(x + 160, y - 176, x + 334, y - 262)
    front.lineTo(x + 292, y)
    front.lineTo(x + 28, y)
    front.closeSubpath()
    sheet.fill(front, RED)
    sheet.within(front, lambda: sheet.fill(box(x - 20, y - 270, 74, 280), "#E9604C"))
    sheet.fill(disc(x + 160, y - 110, 52), CREAM)
    sheet.fill(disc(x + 160, y - 110, 34), GOLD)


def _cup(sheet: Sheet, x: float, y: float) -> None:
    straw = line((x + 150, y - 470), (x + 176, y - 650), (x + 250, y - 676))
    sheet.stroke(straw, CREAM, 24)
    sheet.stroke(line((x + 156, y - 510), (x + 172, y - 620)), RED, 24)
    body = shape([(x, y - 470), (x + 280, y - 470), (x + 240, y), (x + 40, y)], round_=16)
    sheet.fill(body, CREAM)

    def bands() -> None:
        sheet.fill(box(x - 10, y - 330, 300, 170), RED)
        sheet.fill(box(x - 10, y - 470, 86, 480), LIGHT)
        sheet.fill(box(x + 216, y - 470, 90, 480), SHADE)

    sheet.within(body, bands)
    sheet.fill(disc(x + 140, y - 245, 56), CREAM)
    sheet.fill(disc(x + 140, y - 245, 38), GOLD)
    sheet.fill(box(x - 16, y - 506, 312, 48, 18), "#FFFFFF")
    sheet.fill(box(x - 16, y - 476, 312, 18, 9), "#E6D8BF")
    sheet.fill(box(x + 14, y - 532, 252, 34, 16), "#FFFFFF")


def meal() -> QImage:
    """A burger, fries and a drink."""
    sheet = Sheet(1280, 760)
    sheet.fill(disc(640, 722, 620, 26), QColor(0, 0, 0, 50))
    fries(sheet, 590, 722)
    _cup(sheet, 950, 722)
    _burger(sheet, 30, 726)
    return sheet.done()


def burger() -> QImage:
    """A burger."""
    sheet = Sheet(720, 480)
    sheet.fill(disc(360, 452, 330, 20), QColor(0, 0, 0, 46))
    _burger(sheet, 50, 456)
    return sheet.done()


def slice_of_fruit(sheet: Sheet, x: float, y: float, radius: float, peel: str, flesh: str) -> None:
    sheet.fill(disc(x, y, radius), peel)
    sheet.fill(disc(x, y, radius * 0.84), "#FFF6DF")
    for n in range(8):
        a = math.tau * n / 8
        part = shape(
            [
                (x + math.cos(a) * radius * 0.12, y + math.sin(a) * radius * 0.12),
                (x + math.cos(a - 0.3) * radius * 0.74, y + math.sin(a - 0.3) * radius * 0.74),
                (x + math.cos(a + 0.3) * radius * 0.74, y + math.sin(a + 0.3) * radius * 0.74),
            ],
            round_=radius * 0.1,
        )
        sheet.fill(part, flesh)


def _ice(sheet: Sheet, x: float, y: float, size: float, degrees: float) -> None:
    sheet.turned(x, y, degrees, lambda: sheet.fill(box(-size / 2, -size / 2, size, size, size * 0.2), LIGHT))


def pint() -> QImage:
    """A pint of beer."""
    sheet, chance = Sheet(700, 1040), random.Random(6)  # noqa: S311
    sheet.fill(disc(330, 1006, 290, 22), QColor(0, 0, 0, 90))
    handle = curve((540, 380), ((720, 350), (720, 800), (520, 780)))
    sheet.stroke(handle, QColor(255, 255, 255, 70), 64)
    sheet.stroke(handle, QColor(255, 255, 255, 90), 44)
    body = shape([(90, 210), (560, 210), (536, 1000), (114, 1000)], round_=40)
    sheet.fill(body, QColor(255, 255, 255, 60))
    beer = shape([(112, 250), (538, 250), (514, 962), (136, 962)], round_=26)
    sheet.fill(beer, "#E79A1F")

    def inside() -> None:
        sheet.fill(box(100, 250, 110, 760), "#F5BC4A")
        sheet.fill(box(440, 250, 110, 760), "#CC7F13")
        for n in range(3):
            sheet.fill(box(232 + n * 82, 420, 34, 470, 17), QColor(255, 255, 255, 40))
        for _ in range(46):
            sheet.fill(
                disc(chance.uniform(140, 510), chance.uniform(420, 950), chance.uniform(3, 8)),
                QColor(255, 246, 214, 120),
            )

    sheet.within(beer, inside)
    foam = QPainterPath()
    for x, y, r in ((130, 220, 76), (230, 180, 92), (340, 160, 100), (440, 186, 88), (530, 226, 66)):
        foam = foam.united(disc(x, y, r))
    foam = foam.united(box(84, 214, 486, 110, 40)).united(box(150, 290, 54, 120, 27)).united(box(404, 290, 46, 70, 23))
    sheet.fill(foam, CREAM)
    sheet.within(foam, lambda: sheet.fill(box(60, 290, 540, 140), "#F3DFB6"))
    sheet.within(foam, lambda: sheet.fill(disc(250, 170, 60, 44), "#FFFBF0"))
    sheet.fill(box(120, 330, 26, 560, 13), QColor(255, 255, 255, 110))
    return sheet.done()


def _cone(sheet: Sheet, x: float, y: float, scoops: Sequence[tuple[str, str]]) -> None:
    """A cone with its tip at `x`, `y`, with scoops from below: their colour, and that of the sprinkles."""
    chance = random.Random(len(scoops) + int(x))  # noqa: S311
    cone = shape([(x - 112, y - 360), (x + 112, y - 360), (x, y)], round_=18)
    sheet.fill(cone, "#D9974A")

    def grid() -> None:
        for n in range(-8, 12):
            sheet.stroke(line((x - 300 + n * 46, y), (x - 60 + n * 46, y - 420)), "#B97832", 7)
            sheet.stroke(line((x + 300 - n * 46, y), (x + 60 - n * 46, y - 420)), "#B97832", 7)
        sheet.fill(box(x + 40, y - 400, 90, 400), SHADE)

    sheet.within(cone, grid)
    sheet.fill(box(x - 122, y - 366, 244, 40, 20), "#E8AD62")
    for number, (color, dots) in reversed(list(enumerate(scoops))):
        top = y - 430 - number * 136
        ball = disc(x, top, 128)
        frill = QPainterPath()
        for n in range(6):
            frill = frill.united(disc(x - 112 + n * 45, top + 86, 30))
        whole = ball.united(frill)
        sheet.fill(whole, color)
        sheet.within(whole, lambda top=top: sheet.fill(disc(x + 70, top + 50, 150), SHADE))  # type: ignore[misc]
        sheet.within(whole, lambda top=top, color=color: sheet.fill(disc(x - 16, top - 12, 126), color))  # type: ignore[misc]
        sheet.fill(disc(x - 52, top - 56, 30, 20), LIGHT)
        for _ in range(9):
            a, r = chance.uniform(0, math.tau), chance.uniform(20, 96)
            at = (x + math.cos(a) * r, top + math.sin(a) * r)
            sheet.turned(*at, chance.uniform(0, 180), lambda dots=dots: sheet.fill(box(-13, -4, 26, 8, 4), dots))  # type: ignore[misc]


def cones() -> QImage:
    """Three cones."""
    sheet = Sheet(1000, 900)
    _cone(sheet, 190, 880, [("#FFC9D4", "#E0506E"), ("#FFF3DC", "#B98A54")])
    _cone(sheet, 500, 880, [("#8B5A3C", "#FFE6B8"), ("#BFE5CF", "#3F8F6A"), ("#FF9FB2", "#FFF3DC")])
    _cone(sheet, 810, 880, [("#FFD56B", "#E98A2C"), ("#C9B6EC", "#7C5CB8")])
    return sheet.done()


def cocktail() -> QImage:
    """A cocktail with a slice and a straw."""
    sheet = Sheet(760, 1000)
    sheet.fill(disc(380, 962, 210, 18), QColor(0, 0, 0, 90))
    sheet.stroke(line((440, 420), (600, 40)), "#FFE9F2", 20)
    glass = shape([(60, 230), (700, 230), (392, 620), (368, 620)], round_=12)
    drink = shape([(116, 290), (644, 290), (392, 606), (368, 606)], round_=12)
    sheet.fill(glass, QColor(255, 255, 255, 44))
    sheet.fill(drink, "#FF4F8B")

    def shades() -> None:
        sheet.fill(box(0, 290, 800, 70), "#FFB347")
        sheet.fill(box(0, 360, 800, 64), "#FF7F6B")
        _ice(sheet, 300, 350, 84, 18)
        _ice(sheet, 410, 390, 78, -22)
        sheet.fill(shape([(116, 290), (230, 290), (380, 606), (368, 606)]), LIGHT)

    sheet.within(drink, shades)
    sheet.stroke(glass, QColor(255, 255, 255, 190), 8)
    slice_of_fruit(sheet, 640, 216, 96, "#F28C1B", "#FFB43D")
    sheet.fill(disc(190, 206, 40), "#D6203F")
    sheet.fill(disc(176, 192, 11), LIGHT)
    sheet.stroke(curve((196, 170), ((206, 120), (240, 100), (280, 96))), "#6DB33F", 8)
    sheet.stroke(line((380, 612), (380, 936)), QColor(255, 255, 255, 200), 16)
    sheet.fill(disc(380, 944, 170, 22), QColor(255, 255, 255, 210))
    return sheet.done()
