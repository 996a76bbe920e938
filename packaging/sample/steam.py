"""A film for the design kit: a cup in a dark café, with steam that rises slowly and lights behind; and its poster.

The film runs in a loop: all that moves comes back after `SECONDS`. Its left two thirds stay dark and calm, for text.
"""

from __future__ import annotations

import math
import subprocess
from functools import cache
from pathlib import Path

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter, QRadialGradient
from relief import Field, Lamp, Noise, Relief, Spot, blend, blur, finished, ink, pictured, step

WIDTH, HEIGHT = 1920, 1080
SECONDS, RATE = 7, 25
MOST_FILM_BYTES = 2_500_000
EDGE = "#0a0706"
X, RIM, FOOT = 1450.0, 612.0, 830.0
WIDE = 172.0
TILT = 0.24
STEAM = QRectF(1130, 20, 640, 610)
STEAM_GRAIN = 3.0
PIXELS = QImage.Format.Format_ARGB32_Premultiplied


def poster() -> QImage:
    """The film's first frame."""
    return _frame(0.0)


def film(path: Path) -> None:
    """Write the film. Raises RuntimeError when ffmpeg is missing or fails, or the film is too large."""
    encoder = subprocess.Popen(
        [  # noqa: S607 -- the author's ffmpeg
            "ffmpeg", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "bgra", "-s", f"{WIDTH}x{HEIGHT}",
            "-r", str(RATE), "-i", "-", "-an", "-vf", "scale=out_color_matrix=bt709:out_range=tv", "-c:v", "libx264",
            "-profile:v", "main", "-level", "4.1", "-refs", "4", "-preset", "slow", "-crf", "20.5",
            "-maxrate", "2600k", "-bufsize", "5200k",
            "-aq-mode", "3", "-g", str(SECONDS * RATE), "-pix_fmt", "yuv420p",
            "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709",
            "-threads", "1", "-fflags", "+bitexact", "-movflags", "+faststart", str(path),
        ],
        stdin=subprocess.PIPE,
    )  # fmt: skip
    assert encoder.stdin is not None  # noqa: S101
    for number in range(SECONDS * RATE):
        encoder.stdin.write(_frame(number / (SECONDS * RATE)).constBits())
    encoder.stdin.close()
    if encoder.wait() != 0 or path.stat().st_size > MOST_FILM_BYTES:
        raise RuntimeError(f"{path} could not be written, or is larger than {MOST_FILM_BYTES} bytes")


def _frame(share: float) -> QImage:
    """Returns the picture of the camera after a share of 0 to 1 of the loop."""
    turn = 2 * math.pi * share
    image = _room().copy()
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Plus)
    for number, lights in enumerate(_lights()):
        painter.setOpacity(0.80 + 0.20 * math.sin(turn + number * 2.1))
        painter.drawImage(0, 0, lights)
    painter.setOpacity(1.0)
    middle = QPointF(X - 90 + 130 * math.sin(turn), 330 + 40 * math.cos(turn))
    glow = QRadialGradient(middle, 720)
    for at, alpha in ((0.0, 26), (0.35, 17), (0.7, 5), (1.0, 0)):
        glow.setColorAt(at, QColor(255, 150, 70, alpha))
    painter.fillRect(image.rect(), glow)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Screen)
    painter.drawImage(STEAM, _steam(share))
    painter.end()
    return image


@cache
def _room() -> QImage:
    stage = Relief(1.0, WIDTH, HEIGHT)
    _table(stage)
    _saucer(stage)
    _handle(stage)
    _cup(stage)
    light = stage.lit(Lamp(azimuth=322, elevation=24, strength=2.3, ambient=0.10, key="#ffb878", fill="#8090a8"))
    light += stage.lit(Lamp(azimuth=205, elevation=20, strength=0.42, ambient=0.0, key="#ffcf9e"))
    whole = stage.everywhere()
    there = np.clip((stage.height + 1500) / 900, 0, 1)[..., None]
    plane = stage.glow < 0.004
    far = np.where(plane, step(760, 900, whole.y), 1.0)[..., None]
    wall = (
        ink(EDGE) * 4.0
        + np.exp(-((whole.x - X) ** 2 + (whole.y - 420) ** 2) / 520.0**2)[..., None] * ink("#3a2212") * 0.5
    )
    table = np.where(plane[..., None], blur(light, 2.2), light)
    light = wall + (table - wall) * there * far
    pool = np.exp(-(((whole.x - X - 40) / 620) ** 2) - ((whole.y - 860) / 420) ** 2)
    light *= np.where(plane, 0.10 + 0.9 * pool, 1.0)[..., None]
    fade = step(0, 220, whole.x) * 0.35 + 0.65 * step(200, 1250, whole.x)
    fade = fade * step(1110, 930, whole.y) ** 0.6
    return pictured(
        finished(light, seed=6, exposure=1.0, edge=EDGE, fade=fade, grain=0.010, bloom=0.10)
    ).convertToFormat(PIXELS)


def _table(stage: Relief) -> None:
    grain = Noise(1)
    whole = stage.everywhere()
    stage.lay(whole, np.ones_like(whole.x), ink(EDGE), height=-1500.0)
    depth = np.maximum(whole.y - 640, 1) / 200
    fibre = grain((whole.x - X) / depth / 420, 60 / depth, 5)
    color = blend(ink("#1a0f08"), ink("#4a2d18"), np.clip(0.5 + 0.6 * fibre, 0, 1))
    height = (whole.y - FOOT) * 2.6 + 3 * fibre
    stage.lay(whole, step(758, 762, whole.y), color, height=height, gloss=0.8, rough=0.30)


def _ring(spot: Spot, radius: float) -> Field:
    return np.hypot(spot.x / radius, spot.y / (radius * TILT))


def _saucer(stage: Relief) -> None:
    spot = stage.at(X, FOOT + 6, 330)
    edge = _ring(spot, 285)
    lip = np.sqrt(np.clip(1 - ((edge - 0.965) / 0.04) ** 2, 0, 1))
    height = 20 + spot.y / TILT + 20 * step(0.5, 1.0, edge) + 8 * lip
    under = stage.at(X, FOOT + 18, 330)
    stage.lay(under, step(1.02, 0.99, _ring(under, 282)), ink("#1d1814"), height=under.y / TILT, gloss=0.4, glow=0.01)
    color = blend(ink("#3b332c"), ink("#59504a"), 0.5 + 0.5 * Noise(5)(spot.x / 50, spot.y / 14, 3))
    stage.lay(spot, step(1.0, 0.985, edge), color, height=height, gloss=0.7, rough=0.20, glow=0.02)


def _handle(stage: Relief) -> None:
    spot = stage.at(X + WIDE - 14, RIM + 118, 130)
    away = np.hypot(spot.x / 1.02, spot.y * (1 + 0.1 * step(0, 80, spot.y))) - 64
    dome = np.sqrt(np.clip(1 - (away / 15) ** 2, 0, 1))
    stage.lay(
        spot, spot.inside(np.abs(away) - 15), _glaze(spot), height=4 + 15 * dome, gloss=0.8, rough=0.18, glow=0.02
    )


def _glaze(spot: Spot) -> Field:
    mottle = Noise(7)
    color = blend(ink("#403830"), ink("#63594f"), 0.5 + 0.5 * mottle(spot.x / 44, spot.y / 60, 4))
    return blend(color, ink("#1b1612"), 0.45 * step(0.34, 0.60, mottle(spot.x / 8 + 40, spot.y / 8, 3)))


def _cup(stage: Relief) -> None:
    spot = stage.at(X, RIM, 330)
    tall = FOOT - RIM
    wide = np.full_like(spot.x, WIDE)
    for _ in range(5):
        down = spot.y - TILT * np.sqrt(np.clip(wide**2 - spot.x**2, 0, None))
        share = np.clip(down / tall, 0, 1)
        waist = 0.40 * (np.clip(share - 0.25, 0, 1) / 0.75) ** 1.9
        wide = WIDE * (1 - 0.03 * share - waist - 0.05 * share**12)
    depth = np.sqrt(np.clip(wide**2 - spot.x**2, 0, None))
    body = spot.inside(np.maximum(np.abs(spot.x) - wide, np.maximum(-down, down - tall)))
    ripple = Noise(8)(spot.x / 200, spot.y / 9, 2)
    stage.lay(spot, body, _glaze(spot), height=depth + 0.8 * ripple, gloss=0.8, rough=0.18, glow=0.02)
    edge = _ring(spot, WIDE)
    slope = 60 + spot.y * 1.4
    rim = blend(_glaze(spot), ink("#9a7f62"), 0.55)
    stage.lay(spot, step(1.005, 0.99, edge), rim, height=slope + 30, gloss=0.9, rough=0.2, glow=0.02)
    hollow = step(0.945, 0.925, edge)
    wall = blend(ink("#2b241e"), ink("#5a4e43"), step(-20, 40, -spot.y))
    stage.lay(spot, hollow, wall, height=40 + spot.y * 0.6, gloss=0.4, rough=0.3, glow=0.02)
    brew = stage.at(X, RIM + 13, 330)
    pool = _ring(brew, WIDE * 0.90)
    crema = blend(ink("#3a1a0b"), ink("#8a5226"), step(0.65, 1.0, pool + 0.1 * Noise(9)(brew.x / 30, brew.y / 8, 3)))
    place = np.zeros_like(stage.height)
    place[spot.rows, spot.columns] = hollow
    cover = step(1.0, 0.97, pool) * place[brew.rows, brew.columns]
    stage.lay(brew, cover, crema, height=20 + brew.y * 1.8, gloss=0.8, rough=0.12, glow=0.02)


@cache
def _lights() -> list[QImage]:
    """The lamps behind, out of focus, in three groups that brighten in turn."""
    chance = np.random.default_rng(17)
    down, across = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32)
    groups = []
    tints = ("#ff9a3c", "#ffb45e", "#ff7a2a", "#ffd08a", "#e86a3a", "#9fc0d8")
    for group in range(3):
        light = np.zeros((HEIGHT, WIDTH, 3), np.float32)
        for _ in range(9):
            x = float(WIDTH - abs(chance.normal()) * 420)
            y = float(chance.uniform(90, 600) if x > 1150 else chance.uniform(120, 380))
            size = float(chance.uniform(26, 74))
            strength = float(chance.uniform(0.05, 0.30)) * (1.0 if x > 1280 else 0.09)
            reach = np.hypot(across - x, (down - y)) / size
            disc = step(1.03, 0.93, reach) * (0.72 + 0.28 * np.clip(reach, 0, 1) ** 5)
            light += (disc * strength)[..., None] * ink(tints[int(chance.integers(len(tints)))])
        light = blur(light, 2.5) * _behind()[..., None]
        dots = np.random.default_rng(group).uniform(-0.5, 0.5, (HEIGHT, WIDTH, 1)).astype(np.float32) / 255
        picture = np.clip(light**0.4545 * 0.62 + dots * (light > 1e-5), 0, 1)
        groups.append(pictured(picture).convertToFormat(PIXELS))
    return groups


@cache
def _behind() -> Field:
    """1 where the wall is seen, 0 where the cup or the table stands before it."""
    stage = Relief(1.0, WIDTH, HEIGHT)
    _table(stage)
    _saucer(stage)
    _handle(stage)
    _cup(stage)
    whole = stage.everywhere()
    before = np.where(stage.glow < 0.004, step(745, 800, whole.y), np.clip(stage.glow / 0.02, 0, 1))
    return 1 - before


@cache
def _rising(seed: int, period: int) -> Noise:
    """Noise that comes back after `period` hills downwards."""
    noise = Noise(seed)
    noise.lattice = np.tile(noise.lattice[:period], (len(noise.lattice) // period, 1))
    return noise


def _steam(share: float) -> QImage:
    rows, columns = int(STEAM.height() / STEAM_GRAIN), int(STEAM.width() / STEAM_GRAIN)
    down, across = np.mgrid[0:rows, 0:columns].astype(np.float32) * STEAM_GRAIN
    x, up = across + STEAM.x() - X, RIM - (down + STEAM.y())
    turn = 2 * math.pi * share
    high = np.clip(up / 560, 0, 1)
    sway = _rising(31, 2)(x * 0 + 0.5, up * -1 / 330 + 2 * share) * 120 * high**1.2
    curl = _rising(32, 4)(x / 170 + 0.3 * math.sin(turn), -up / 165 + 4 * share) * 74 * high**0.8
    curl = curl + _rising(33, 8)(x / 80, -up / 84 + 8 * share) * 26 * high**0.6
    spread = 84 + 90 * high
    side = (x - sway - curl) / spread
    total = np.zeros_like(x)
    for seed, wide, offset, period, cell in (
        (41, 1.5, 3.0, 4, 190.0),
        (42, 2.4, 9.0, 4, 150.0),
        (43, 4.2, 5.0, 8, 90.0),
    ):
        hill = _rising(seed, period)(side * wide * 0.7 + offset, -up / cell + period * share)
        total = total + (1 - np.abs(hill)) ** 4 / wide**0.4
    lift = 0.5 + 0.5 * _rising(44, 2)(side * 0.7, -up / 300 + 2 * share)
    body = np.exp(-(side**2) * 1.9) * (0.25 + 0.75 * step(20, 190, up)) * step(-24, 60, up) * (1 - high) ** 0.9
    density = 0.62 * (1 - np.exp(-total * 0.95 * body * (0.35 + lift)))
    density = blur(density, 1.2)
    picture = np.zeros((rows, columns, 4), np.float32)
    picture[..., 3] = density
    picture[..., :3] = density[..., None] * np.array([0.80, 0.90, 1.0], np.float32)
    dither = np.random.default_rng(5).uniform(0, 1, (rows, columns, 1))
    dots = np.ascontiguousarray(np.minimum(picture * 255 + dither, 255).astype(np.uint8))
    dots[..., :3] = np.minimum(dots[..., :3], dots[..., 3:])
    return QImage(dots.tobytes(), columns, rows, columns * 4, PIXELS).copy()
