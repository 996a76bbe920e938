"""Pictures of trades for the design kit: each whole on a round ground of its own, so that it is seen on any theme."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import flat
from flat import (
    CREAM,
    DARK,
    DARK_RED,
    GOLD,
    GREEN,
    LEAF,
    LIGHT,
    RED,
    SHADE,
    Sheet,
    box,
    curve,
    disc,
    line,
    shape,
)
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainterPath

SIDE, CENTRE, EDGE, FACE = 1000, 500.0, 496.0, 474.0
"""The side of a picture, its middle, and the radii of its cream rim and of its ground."""
SHADOW = QColor(0, 0, 0, 46)
CRUST, CRUMB, STEEL, PAPER = "#C97B30", "#E9A04C", "#DDE3E6", "#FFFBF0"


def _face(color: str) -> Sheet:
    sheet = Sheet(SIDE, SIDE)
    sheet.fill(disc(CENTRE, CENTRE, EDGE), CREAM)
    sheet.fill(disc(CENTRE, CENTRE, FACE), color)
    return sheet


def _placed(color: str, image: QImage, x: float, y: float, width: float) -> QImage:
    """A drawing of the kit on a ground."""
    sheet = _face(color)
    sheet.painter.setRenderHint(sheet.painter.RenderHint.SmoothPixmapTransform)
    sheet.painter.drawImage(QRectF(x, y, width, width * image.height() / image.width()), image)
    return sheet.done()


def _half(x: float, y: float, width: float, height: float) -> QPainterPath:
    """A bowl: open at the top, `width` wide."""
    path = curve(
        (x - width / 2, y),
        ((x - width / 2, y + height * 1.1), (x - width * 0.25, y + height), (x, y + height)),
        ((x + width * 0.25, y + height), (x + width / 2, y + height * 1.1), (x + width / 2, y)),
    )
    path.closeSubpath()
    return path


def _bowl(sheet: Sheet, color: str, band: str) -> None:
    """A bowl in the lower half, its edge at 500."""
    sheet.fill(disc(500, 806, 250, 20), SHADOW)
    sheet.fill(box(400, 760, 200, 44, 14), color)
    body = _half(500, 500, 640, 290)
    sheet.fill(body, color)
    sheet.within(body, lambda: sheet.fill(box(160, 560, 680, 34), band))
    sheet.within(body, lambda: sheet.fill(box(640, 480, 240, 330), SHADE))
    sheet.fill(box(166, 486, 668, 34, 17), PAPER)


def _steam(sheet: Sheet, *at: float, top: float, low: float) -> None:
    for x in at:
        middle = (top + low) / 2
        wave = curve((x, low), ((x - 50, low - 50), (x + 50, middle), (x, top)))
        sheet.stroke(wave, QColor(255, 255, 255, 150), 16)


def _cup(sheet: Sheet, color: str, drink: str) -> None:
    sheet.fill(disc(490, 780, 330, 34), SHADOW)
    sheet.fill(disc(490, 758, 330, 44), "#EADFCB")
    sheet.fill(disc(490, 748, 330, 40), PAPER)
    sheet.stroke(curve((690, 490), ((840, 470), (820, 680), (650, 670))), color, 42)
    body = _half(490, 440, 460, 320)
    sheet.fill(body, color)
    sheet.within(body, lambda: sheet.fill(box(600, 430, 200, 340), SHADE))
    sheet.fill(disc(490, 440, 230, 56), PAPER)
    sheet.fill(disc(490, 444, 206, 44), drink)


def burger() -> QImage:
    return _placed("#F7C948", flat.burger(), 130, 258, 740)


def meal() -> QImage:
    return _placed("#F7C948", flat.meal(), 96, 268, 808)


def pizza() -> QImage:
    return _placed("#2E6E3C", flat.pizza(), 100, 94, 800)


def beer() -> QImage:
    return _placed("#7C3F1D", flat.pint(), 275, 110, 500)


def ice_cream() -> QImage:
    return _placed("#8FD3C1", flat.cones(), 110, 130, 780)


def bar() -> QImage:
    return _placed("#4B2A7B", flat.cocktail(), 220, 120, 560)


def coffee() -> QImage:
    sheet = _face("#C58B52")
    _cup(sheet, PAPER, "#6B3A22")
    for y, width in ((452, 110), (440, 76), (430, 40)):
        sheet.fill(disc(490, y, width, 10), "#E7C39A")
    _steam(sheet, 410, 490, 570, top=190, low=360)
    return sheet.done()


def tea() -> QImage:
    sheet = _face("#5E8C61")
    sheet.fill(disc(500, 776, 300, 30), SHADOW)
    sheet.stroke(curve((300, 420), ((120, 380), (130, 680), (310, 660))), "#B5532F", 44)
    spout = shape([(690, 600), (880, 370), (900, 420), (740, 710)], round_=26)
    sheet.fill(spout, "#B5532F")
    pot = disc(500, 560, 260, 214)
    sheet.fill(pot, "#C9633A")
    sheet.within(pot, lambda: sheet.fill(box(610, 330, 200, 460), SHADE))
    sheet.fill(disc(410, 470, 60, 36), LIGHT)
    sheet.fill(box(360, 336, 280, 44, 22), "#B5532F")
    sheet.fill(disc(500, 310, 40, 34), "#C9633A")
    sheet.fill(box(380, 752, 240, 30, 14), "#9C4324")
    for turn, x in ((-38, 440), (38, 560), (0, 500)):
        flat.leaf(sheet, x, 590, 70, turn)
    return sheet.done()


def bakery() -> QImage:
    sheet = _face("#8C4A2A")
    sheet.fill(disc(500, 800, 360, 26), SHADOW)

    def loaf() -> None:
        body = box(-330, -130, 660, 260, 128)
        sheet.fill(body, CRUST)
        sheet.within(body, lambda: sheet.fill(box(-330, -150, 660, 180, 90), CRUMB))
        for n in range(4):
            cut = curve((-230 + n * 130, -84), ((-180 + n * 130, -60), (-170 + n * 130, 10), (-190 + n * 130, 50)))
            sheet.stroke(cut, "#FFE2B0", 30)

    sheet.turned(520, 430, -18, loaf)
    for n in (-3, 3, -2, 2, -1, 1, 0):
        x, y, size = 370 + n * 62, 690 + n * n * 9, 104 - abs(n) * 16
        sheet.turned(x, y, n * 14, lambda s=size: sheet.fill(disc(0, 0, 52, s), CRUST))  # type: ignore[misc]
        sheet.turned(x, y, n * 14, lambda s=size: sheet.fill(disc(-6, -8, 40, s * 0.86), "#F0B25C"))  # type: ignore[misc]
    sheet.fill(disc(720, 690, 140, 112), CRUST)
    sheet.fill(disc(716, 668, 132, 92), "#F0B25C")
    for turn in (0, 60, 120):
        sheet.turned(716, 664, turn, lambda: sheet.stroke(line((-80, 0), (80, 0)), "#D98A38", 16))
    return sheet.done()


def wine() -> QImage:
    sheet = _face("#E9C9A6")
    sheet.fill(disc(500, 836, 300, 22), SHADOW)
    bottle = QPainterPath(box(300, 380, 190, 450, 40))
    bottle = bottle.united(shape([(300, 470), (360, 320), (430, 320), (490, 470)], round_=30)).united(
        box(360, 150, 70, 260, 16)
    )
    sheet.fill(bottle, "#23402F")
    sheet.within(bottle, lambda: sheet.fill(box(440, 100, 100, 740), SHADE))
    sheet.fill(box(352, 146, 86, 110, 14), "#7A1F2B")
    sheet.fill(box(300, 540, 190, 180), PAPER)
    sheet.fill(box(330, 576, 130, 18, 9), "#7A1F2B")
    sheet.fill(box(350, 616, 90, 12, 6), "#B9A58A")
    bowl = curve(
        (560, 330),
        ((530, 560), (600, 620), (680, 620)),
        ((760, 620), (830, 560), (800, 330)),
    )
    bowl.closeSubpath()
    sheet.fill(bowl, QColor(255, 255, 255, 150))
    sheet.within(bowl, lambda: sheet.fill(box(520, 420, 320, 220), "#8E1B3A"))
    sheet.within(bowl, lambda: sheet.fill(box(600, 340, 26, 260, 13), LIGHT))
    sheet.fill(box(671, 612, 18, 200), PAPER)
    sheet.fill(disc(680, 818, 96, 16), PAPER)
    return sheet.done()


def salad() -> QImage:
    sheet, chance = _face("#F2B84B"), random.Random(5)  # noqa: S311
    for x, y, r, color in (
        (300, 470, 110, "#6DB33F"),
        (700, 470, 110, "#6DB33F"),
        (420, 420, 120, GREEN),
        (590, 410, 124, "#86C953"),
        (500, 380, 100, "#6DB33F"),
    ):
        sheet.fill(disc(x, y, r), color)
        for _ in range(4):
            sheet.fill(disc(x + chance.uniform(-60, 60), y - chance.uniform(10, 70), 26), QColor(255, 255, 255, 40))
    for x, y in ((330, 430), (650, 400), (720, 470)):
        sheet.fill(disc(x, y, 62), DARK_RED)
        sheet.fill(disc(x - 4, y - 6, 54), RED)
        sheet.fill(disc(x - 20, y - 24, 14), LIGHT)
    sheet.fill(disc(500, 430, 78, 66), PAPER)
    sheet.fill(disc(506, 432, 36), GOLD)
    for at, turn in ((400, -30), (585, 35), (460, 12)):
        flat.leaf(sheet, at, 330, 60, turn)
    _bowl(sheet, "#2F6B8F", "#F7EBD3")
    return sheet.done()


def noodles() -> QImage:
    sheet = _face("#D8412F")
    for turn in (24, 31):
        sheet.turned(640, 470, turn, lambda: sheet.fill(box(-11, -400, 22, 460, 8), "#F3D9A8"))
    sheet.fill(disc(500, 490, 300, 110), "#F5C86A")
    for n in range(7):
        left = 240 + n * 62
        wave = curve((left, 480), ((left + 20, 380), (left + 110, 380), (left + 130, 480)))
        sheet.stroke(wave, ("#FFE49A", "#F2B33D")[n % 2], 26)
    sheet.fill(disc(390, 440, 92, 70), PAPER)
    sheet.fill(disc(396, 446, 46, 38), "#F29A2E")
    for x, turn in ((560, -20), (640, 30), (520, 40)):
        flat.leaf(sheet, x, 420, 56, turn)
    _bowl(sheet, "#22324A", "#F7EBD3")
    return sheet.done()


def sushi() -> QImage:
    sheet = _face("#CFE3DC")
    sheet.fill(box(150, 690, 700, 50, 12), "#8A5A34")
    sheet.fill(box(210, 740, 60, 60, 8), "#6E4526")
    sheet.fill(box(730, 740, 60, 60, 8), "#6E4526")
    sheet.fill(box(190, 570, 330, 122, 54), PAPER)
    fillet = curve((176, 580), ((180, 430), (500, 420), (540, 580)), ((420, 620), (290, 620), (176, 580)))
    sheet.fill(fillet, "#F0754D")
    for n in range(4):
        left = 240 + n * 72
        stripe = curve((left, 590), ((left + 4, 540), (left + 20, 510), (left + 40, 488)))
        sheet.within(fillet, lambda s=stripe: sheet.stroke(s, "#FFD2BC", 14))  # type: ignore[misc]
    sheet.fill(box(320, 474, 60, 218, 10), "#22382C")
    roll = box(570, 520, 220, 172, 30)
    sheet.fill(roll, "#22382C")
    sheet.fill(disc(680, 520, 110, 56), PAPER)
    sheet.fill(disc(680, 520, 60, 30), "#F0754D")
    sheet.fill(disc(700, 516, 26, 15), "#86B84D")
    for y in (300, 348):
        sheet.turned(500, y, -6, lambda: sheet.fill(box(-330, -12, 660, 22, 8), "#8A5A34"))
    return sheet.done()


def kebab() -> QImage:
    sheet, chance = _face("#F2B33D"), random.Random(8)  # noqa: S311
    sheet.fill(disc(500, 826, 220, 20), SHADOW)
    sheet.fill(box(488, 130, 24, 690, 10), STEEL)
    sheet.fill(box(360, 796, 280, 34, 14), "#9AA3A8")
    meat = shape([(270, 250), (730, 250), (620, 760), (380, 760)], round_=70)
    sheet.fill(meat, "#9C5A2E")

    def layers() -> None:
        for n in range(9):
            y = 250 + n * 60
            sheet.fill(box(240, y, 520, 36, 18), ("#B9713C", "#8A4B25", "#C98A4B")[n % 3])
        for _ in range(60):
            spot = disc(chance.uniform(290, 700), chance.uniform(260, 750), chance.uniform(6, 14), 5)
            sheet.fill(spot, QColor(60, 26, 10, 90))
        sheet.fill(box(600, 240, 180, 560), SHADE)

    sheet.within(meat, layers)
    sheet.fill(disc(500, 236, 96, 74), RED)
    sheet.fill(disc(470, 210, 24, 18), LIGHT)
    for turn in (-50, 0, 50):
        sheet.turned(500, 176, turn, lambda: sheet.fill(shape([(-10, 0), (10, 0), (0, -56)], round_=4), LEAF))
    return sheet.done()


def fish() -> QImage:
    sheet = _face("#2D7FA8")
    sheet.fill(disc(500, 830, 290, 22), SHADOW)
    sheet.painter.save()
    sheet.painter.translate(510, 830)
    sheet.painter.scale(0.8, 0.8)
    flat.fries(sheet, 0, 0)
    sheet.painter.restore()
    body = curve((130, 400), ((240, 210), (520, 210), (690, 400)), ((520, 590), (240, 590), (130, 400)))
    tail = shape([(650, 400), (830, 270), (796, 400), (830, 530)], round_=20)
    sheet.fill(tail, "#E8EEF0")
    sheet.fill(body, "#F4F8F8")
    sheet.within(body, lambda: sheet.fill(box(100, 240, 640, 130), "#A9C3CE"))
    sheet.fill(disc(242, 372, 30), DARK)
    sheet.fill(disc(234, 364, 9), PAPER)
    sheet.stroke(curve((330, 310), ((370, 360), (370, 440), (330, 490))), "#7E9FAD", 12)
    for x, y in ((430, 420), (500, 420), (570, 420), (465, 470), (535, 470)):
        sheet.stroke(curve((x, y - 22), ((x + 26, y - 14), (x + 26, y + 14), (x, y + 22))), "#B9CDD5", 9)
    flat.slice_of_fruit(sheet, 320, 720, 110, "#F2C230", "#FFE27A")
    flat.leaf(sheet, 440, 790, 56, 80)
    return sheet.done()


def chicken() -> QImage:
    sheet = _face("#F6C445")
    sheet.fill(disc(500, 806, 280, 24), SHADOW)

    def leg() -> None:
        sheet.fill(box(-26, 60, 52, 300, 24), PAPER)
        for x in (-30, 30):
            sheet.fill(disc(x, 352, 40), PAPER)
        meat = curve(
            (0, -300),
            ((220, -300), (230, 20), (50, 180)),
            ((20, 206), (-20, 206), (-50, 180)),
            ((-230, 20), (-220, -300), (0, -300)),
        )
        sheet.fill(meat, "#B9622A")
        inner = curve(
            (-10, -280),
            ((150, -276), (160, 0), (24, 150)),
            ((0, 170), (-20, 170), (-44, 150)),
            ((-206, 10), (-190, -280), (-10, -280)),
        )
        sheet.fill(inner, "#D98336")
        sheet.fill(disc(-80, -150, 34, 64), QColor(255, 255, 255, 70))

    sheet.turned(600, 500, 34, leg)
    sheet.turned(400, 500, -34, leg)
    return sheet.done()


def breakfast() -> QImage:
    sheet = _face("#E98A2C")
    sheet.fill(disc(500, 536, 350), SHADOW)
    sheet.fill(disc(500, 510, 350), PAPER)
    sheet.fill(disc(500, 510, 276), "#F0E6D4")
    for x, y in ((410, 420), (580, 560)):
        white = disc(x, y, 118, 100).united(disc(x + 56, y + 36, 86, 70)).united(disc(x - 60, y + 30, 70))
        sheet.fill(white.translated(4, 10), QColor(0, 0, 0, 26))
        sheet.fill(white, "#FFFFFF")
        sheet.fill(disc(x, y, 56), "#F2A62B")
        sheet.fill(disc(x - 16, y - 18, 16), LIGHT)
    for n in range(2):
        rasher = curve(
            (330 + n * 60, 620 + n * 44), ((400, 560 + n * 44), (430, 680 + n * 44), (500 + n * 50, 640 + n * 44))
        )
        sheet.stroke(rasher, "#B23A2E", 40)
        sheet.stroke(rasher, "#F2B8A0", 12)
    sheet.fill(disc(640, 400, 64), DARK_RED)
    sheet.fill(disc(640, 400, 54), RED)
    flat.leaf(sheet, 560, 350, 56, 60)
    return sheet.done()


def juice() -> QImage:
    sheet = _face("#7BC6A4")
    sheet.fill(disc(500, 830, 280, 22), SHADOW)
    sheet.stroke(line((470, 500), (560, 170), (650, 140)), RED, 26)
    glass = shape([(330, 300), (650, 300), (610, 820), (370, 820)], round_=24)
    sheet.fill(glass, QColor(255, 255, 255, 130))

    def pour() -> None:
        for n, color in enumerate(("#FFC04A", "#FFA52E", "#F98A1B")):
            sheet.fill(box(300, 380 + n * 146, 400, 160), color)
        sheet.fill(box(374, 300, 34, 540), LIGHT)
        sheet.fill(box(560, 300, 120, 540), SHADE)

    sheet.within(glass, pour)
    flat.slice_of_fruit(sheet, 660, 330, 120, "#F28C1B", "#FFAE3D")
    sheet.fill(disc(250, 740, 108, 100), "#F28C1B")
    sheet.fill(disc(214, 700, 30, 22), LIGHT)
    flat.leaf(sheet, 288, 640, 60, 60)
    return sheet.done()


def cake() -> QImage:
    sheet = _face("#F2A9B8")
    sheet.fill(disc(500, 790, 350, 28), SHADOW)
    sheet.fill(disc(500, 766, 350, 34), PAPER)
    side = shape([(200, 480), (800, 480), (790, 760), (210, 760)], round_=20)
    sheet.fill(side, "#E8B56E")
    for y, color in ((560, "#FFF3DC"), (660, "#FFF3DC")):
        sheet.within(side, lambda y=y, color=color: sheet.fill(box(180, y, 640, 30), color))  # type: ignore[misc]
    sheet.within(side, lambda: sheet.fill(box(640, 470, 200, 300), SHADE))
    icing = box(190, 400, 620, 96, 46)
    for n, drop in enumerate((70, 120, 60, 130, 84, 110, 64)):
        icing = icing.united(box(200 + n * 87, 440, 76, drop, 38))
    sheet.fill(icing, "#6B2E2A")
    sheet.fill(box(220, 414, 420, 22, 11), QColor(255, 255, 255, 60))
    for x in (290, 430, 570, 710):
        sheet.fill(disc(x, 388, 58, 44), PAPER)
        sheet.fill(disc(x, 336, 40), RED)
        sheet.fill(disc(x - 12, 322, 11), LIGHT)
        sheet.stroke(curve((x, 300), ((x + 6, 270), (x + 20, 256), (x + 34, 246))), LEAF, 10)
    return sheet.done()


def sweets() -> QImage:
    sheet = _face("#7E5CC0")
    sheet.turned(430, 400, -14, lambda: sheet.fill(box(-13, 130, 26, 360, 12), PAPER))
    sheet.fill(disc(400, 360, 190), "#F7D04A")
    for n in range(6):
        a = math.tau * n / 6
        bow = curve(
            (400, 360),
            (
                (400 + math.cos(a) * 90, 360 + math.sin(a) * 90),
                (400 + math.cos(a + 0.7) * 160, 360 + math.sin(a + 0.7) * 160),
                (400 + math.cos(a + 0.6) * 190, 360 + math.sin(a + 0.6) * 190),
            ),
        )
        sheet.stroke(bow, "#E8405A", 34)
    sheet.stroke(disc(400, 360, 190), "#E8405A", 14)

    def candy() -> None:
        for side in (-1, 1):
            sheet.fill(shape([(side * 100, 0), (side * 210, -86), (side * 210, 86)], round_=20), "#BFE5CF")
        sheet.fill(disc(0, 0, 130, 104), "#3FA77C")
        for x in (-50, 10, 70):
            sheet.stroke(curve((x, -84), ((x + 26, -30), (x + 26, 30), (x, 84))), PAPER, 18)

    sheet.turned(650, 640, -24, candy)
    for x, y, color in ((330, 740, "#F2842B"), (440, 800, "#E8405A"), (700, 330, "#F2842B"), (770, 430, "#5CC0D8")):
        sheet.fill(disc(x, y, 56, 46), color)
        sheet.fill(disc(x - 16, y - 16, 16, 10), LIGHT)
    return sheet.done()


def popcorn() -> QImage:
    sheet, chance = _face("#2A4B8C"), random.Random(2)  # noqa: S311
    sheet.fill(disc(500, 846, 230, 20), SHADOW)
    for n in range(34):
        x = 310 + (n % 9) * 47 + chance.uniform(-14, 14)
        y = 420 - (n // 9) * 62 + abs(x - 500) * 0.3 + chance.uniform(-12, 12)
        for dx, dy in ((-22, 0), (22, -4), (0, -24), (2, 18)):
            sheet.fill(disc(x + dx, y + dy, 30), (PAPER, "#FFE9B0")[dx > 0])
        sheet.fill(disc(x, y, 12), GOLD)
    tub = shape([(270, 430), (730, 430), (660, 840), (340, 840)], round_=16)
    sheet.fill(tub, PAPER)

    def stripes() -> None:
        for n in range(5):
            foot, top = 340 + n * 72, 270 + n * 104
            sheet.fill(shape([(top, 420), (top + 52, 420), (foot + 36, 850), (foot, 850)]), RED)
        sheet.fill(box(630, 420, 120, 430), SHADE)

    sheet.within(tub, stripes)
    return sheet.done()


def plate() -> QImage:
    sheet = _face("#7FB069")
    sheet.fill(disc(500, 526, 290), SHADOW)
    sheet.fill(disc(500, 500, 290), PAPER)
    sheet.fill(disc(500, 500, 206), "#EFE7D8")
    for turn in (-40, 40, 0):
        flat.leaf(sheet, 500 + turn * 1.6, 500 - (turn == 0) * 30, 110, turn)
    for x in (128, 148, 168):
        sheet.fill(box(x, 330, 12, 130, 6), STEEL)
    sheet.fill(box(128, 430, 52, 50, 22), STEEL)
    sheet.fill(box(143, 450, 22, 240, 11), STEEL)
    knife = curve((832, 330), ((880, 380), (876, 480), (862, 520)))
    knife.lineTo(832, 520)
    knife.closeSubpath()
    sheet.fill(knife, STEEL)
    sheet.fill(box(832, 500, 24, 190, 11), STEEL)
    return sheet.done()


TRADES: dict[str, Callable[[], QImage]] = {
    "bakery": bakery,
    "bar": bar,
    "beer": beer,
    "breakfast": breakfast,
    "burger": burger,
    "cake": cake,
    "chicken": chicken,
    "coffee": coffee,
    "fish": fish,
    "ice-cream": ice_cream,
    "juice": juice,
    "kebab": kebab,
    "meal": meal,
    "noodles": noodles,
    "pizza": pizza,
    "plate": plate,
    "popcorn": popcorn,
    "salad": salad,
    "sushi": sushi,
    "sweets": sweets,
    "tea": tea,
    "wine": wine,
}
"""Pictures by the name of their trade; `plate` is that of any kitchen."""
