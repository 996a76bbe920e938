"""A bowl of leaves with radishes, egg and seeds from above, on light linen."""

from __future__ import annotations

import math

import numpy as np
from relief import Field, Lamp, Noise, Relief, Spot, blend, finished, ink, step

EDGE = "#F4EDE1"
X, Y = 640.0, 640.0
BOWL = 480.0
GREENS = (("#2f5f17", "#79b23a"), ("#1f4a16", "#4f8f2c"), ("#5d9127", "#b4d35c"), ("#3a6f1c", "#93c14a"))


def salad(scale: float) -> Field:
    """The picture, at a scale of 1 with 1280 pixels a side."""
    chance = np.random.default_rng(21)
    table = Relief(scale)
    _linen(table)
    _bowl(table)
    _leaves(table, chance)
    _toppings(table, chance)
    light = table.lit(Lamp(azimuth=232, elevation=44, strength=1.75, ambient=0.52, key="#fff1da", fill="#dfe6f0"))
    whole = table.at(X, Y, 1e9)
    fade = step(640, 470, whole.border)
    return finished(light, seed=9, exposure=1.0, edge=EDGE, fade=fade, bloom=0.05)


def _linen(table: Relief) -> None:
    thread, fold = Noise(1), Noise(2)
    whole = table.everywhere()
    warp = np.sin(whole.x * 2 * math.pi / 6.0 + 1.5 * thread(whole.x / 40, whole.y / 90))
    weft = np.sin(whole.y * 2 * math.pi / 6.0 + 1.5 * thread(whole.x / 90 + 50, whole.y / 40))
    slub = thread(whole.x / 3.0, whole.y / 120, 2) + thread(whole.x / 120 + 9, whole.y / 3.0, 2)
    creases = fold(whole.x / 330 + whole.y / 900, whole.y / 500, 2)
    color = blend(ink("#d9cbb2"), ink("#f1e8d8"), np.clip(0.6 + 0.16 * warp * weft + 0.20 * slub, 0, 1))
    height = 0.45 * (warp + weft) + 0.8 * slub + 18 * creases
    table.lay(whole, np.ones_like(warp), color, height=height, rough=0.9, glow=0.2)


def _bowl(table: Relief) -> None:
    glaze = Noise(5)
    spot = table.at(X, Y, BOWL * 1.06)
    rho = spot.reach / BOWL
    speck = step(0.55, 0.68, glaze(spot.x / 5, spot.y / 5)) * step(0.0, 0.5, glaze(spot.x / 60 + 9, spot.y / 60, 2))
    color = blend(ink("#2c3a40"), ink("#46575c"), 0.5 + 0.5 * glaze(spot.x / 90, spot.y / 90, 4))
    color = blend(color, ink("#8b6a48"), 0.75 * step(0.965, 0.99, rho + 0.006 * glaze(spot.x / 30, spot.y / 30)))
    color = blend(color, ink("#1a2226"), 0.6 * speck)
    lip = np.sqrt(np.clip(1 - ((rho - 0.965) / 0.037) ** 2, 0, 1))
    inside = 150 - 110 * step(0.94, 0.45, rho)
    height = np.where(rho < 0.965, np.minimum(inside + 20, 150 + 16 * lip), 150 + 16 * lip)
    height = np.where(rho < 0.93, inside, height)
    table.lay(spot, spot.inside((rho - 1) * BOWL), color, height=height, gloss=0.6, rough=0.16)


def _leaf(
    table: Relief, x: float, y: float, long: float, turn: float, number: int, greens: tuple[str, str], rise: float
) -> None:
    vein = Noise(100 + number % 17)
    spot = table.at(x, y, long * 0.82, turn)
    along = spot.x / long + 0.5
    clip = np.clip(along, 0, 1)
    half = long * 0.33 * np.sqrt(np.clip(clip * (1 - clip), 0, 1)) * (0.75 + 0.95 * clip)
    edge = vein(clip * 9 + number, np.sign(spot.y) * 2.0 + number, 3)
    half = half * (1 + 0.30 * edge)
    bow = spot.y - long * 0.10 * math.sin(number * 2.4) * np.sin(clip * 3)
    inner = np.abs(bow) / np.maximum(half, 1)
    cover = spot.inside(np.abs(bow) - half) * (along > 0.01) * (along < 0.99)
    crumple = vein(spot.x / 32 + number * 3, spot.y / 32, 3)
    ripple = vein(spot.x / 24 + 40, spot.y / 24 + number, 2) * step(0.35, 1.0, inner)
    rib = step(0.10, 0.0, inner * (0.5 + clip))
    side = np.abs(np.sin((clip * 5.0 - inner * 0.55) * math.pi))
    veins = step(0.14, 0.0, side) * step(1.0, 0.3, inner)
    curl = 30 * np.sin(clip * math.pi) + 18 * inner**2 * math.sin(number * 1.7)
    height = rise + curl * 0.8 + 12 * crumple + 15 * ripple + 4 * rib - 1.6 * veins
    tone = np.clip(0.45 + 0.45 * crumple + 0.25 * ripple + 0.2 * (inner - 0.4), 0, 1)
    color = blend(ink(greens[0]), ink(greens[1]), tone)
    pale = ink("#dbe6a8") if greens[0] != "#4a1224" else ink("#c25a78")
    color = blend(color, pale, 0.65 * rib * step(1.0, 0.2, clip) + 0.20 * veins)
    table.lay(spot, cover, color, height=height, gloss=0.55, rough=0.30, glow=0.32)


def _leaves(table: Relief, chance: np.random.Generator) -> None:
    number = 0
    for ring, count, long, rise in (
        (0.76, 30, 250, 92),
        (0.62, 24, 240, 116),
        (0.44, 18, 225, 136),
        (0.24, 11, 205, 150),
        (0.05, 4, 190, 156),
    ):
        for spoke in range(count):
            angle = 2 * math.pi * spoke / count + ring * 9 + chance.uniform(-0.2, 0.2)
            far = BOWL * ring * chance.uniform(0.9, 1.08)
            x, y = X + math.cos(angle) * far, Y + math.sin(angle) * far
            greens = GREENS[int(chance.integers(len(GREENS)))]
            if chance.random() < 0.14:
                greens = ("#4a1224", "#8a2f45")
            turn = math.degrees(angle) + chance.uniform(-65, 65)
            size = min(long * chance.uniform(0.8, 1.1), 2 * (BOWL - far) + 60)
            _leaf(table, x, y, size, turn, number, greens, rise + chance.uniform(-14, 14))
            number += 1


def _tilted(spot: Spot, chance: np.random.Generator, most: float = 0.22) -> Field:
    return spot.x * chance.uniform(-most, most) + spot.y * chance.uniform(-most, most)


def _radish(table: Relief, x: float, y: float, size: float, chance: np.random.Generator) -> None:
    flesh = Noise(61)
    spot = table.at(x, y, size * 1.2, chance.uniform(0, 360))
    wobble = 1 + 0.03 * flesh(np.cos(spot.angle) * 2 + x, np.sin(spot.angle) * 2, 2)
    rho = spot.reach / (size * wobble)
    rays = flesh(spot.angle * 7 / math.pi * 2, rho * 2 + x, 2)
    color = blend(ink("#e2d9d2"), ink("#bfb2b4"), np.clip(0.45 + 0.75 * rays * rho, 0, 1))
    color = blend(color, ink("#f3b3c6"), 0.5 * step(0.78, 0.95, rho + 0.05 * rays))
    color = blend(color, ink("#c4144e"), step(0.90, 0.955, rho + 0.012 * rays))
    height = float(np.max(table.ground(spot))) - 14 + _tilted(spot, chance) + 2.0 * step(0.96, 0.86, rho) + 0.8 * rays
    table.lay(spot, spot.inside((rho - 1) * size), color, height=height, gloss=0.6, rough=0.22, glow=0.4)


def _egg(table: Relief, x: float, y: float, size: float, turn: float, chance: np.random.Generator) -> None:
    soft = Noise(71)
    spot = table.at(x, y, size * 1.5, turn)
    long = size * 1.22
    taper = 1 - 0.12 * np.clip(spot.x / long, -1, 1)
    rho = np.sqrt((spot.x / long) ** 2 + (spot.y / (size * taper)) ** 2)
    yolk = np.hypot(spot.x + size * 0.12, spot.y) / (size * 0.56 * (1 + 0.03 * soft(spot.angle * 2, rho * 0 + x, 2)))
    base = float(np.max(table.ground(table.at(x, y, size * 0.8)))) - 6
    height = base + 26 * np.clip(1 - rho**8, 0, 1) + _tilted(spot, chance, 0.16)
    height = height + 7 * np.clip(1 - yolk**3, 0, 1) + 0.8 * soft(spot.x / 7, spot.y / 7, 3) * step(1, 0.9, yolk)
    color = blend(ink("#e0d8ca"), ink("#d3c9b8"), 0.5 + 0.5 * soft(spot.x / 30, spot.y / 30, 2))
    gold = blend(
        ink("#e87f08"),
        ink("#f7a81c"),
        np.clip(0.5 + 0.35 * soft(spot.x / 22, spot.y / 22, 3) + 0.5 * (yolk - 0.55), 0, 1),
    )
    color = blend(color, gold, step(1.02, 0.96, yolk))
    wet = 0.5 + 0.8 * step(1.0, 0.8, yolk)
    cover = spot.inside((rho - 1) * size)
    table.lay(spot, cover, color, height=height, gloss=wet, rough=0.17, glow=0.5)


def _tomato(table: Relief, x: float, y: float, size: float) -> None:
    spot = table.at(x, y, size * 1.2)
    rho = spot.reach / size
    base = float(np.mean(table.ground(spot))) - 4
    height = base + size * 0.85 * np.sqrt(np.clip(1 - rho**2, 0, 1))
    color = blend(ink("#d42312"), ink("#ef5a28"), 0.5 + 0.5 * Noise(75)(spot.x / 30 + x, spot.y / 30, 2))
    table.lay(spot, spot.inside((rho - 1) * size), color, height=height, gloss=1.0, rough=0.13, glow=0.45)


def _toppings(table: Relief, chance: np.random.Generator) -> None:
    for x, y, size in ((905, 505, 44), (955, 590, 40), (390, 850, 45), (330, 780, 38), (640, 985, 42), (575, 300, 42)):
        _tomato(table, x, y, size)
    for x, y, size in (
        (410, 430, 66), (475, 370, 62), (350, 505, 58), (820, 850, 66), (890, 800, 60), (745, 905, 60),
        (690, 470, 54), (845, 395, 56), (470, 700, 52), (300, 640, 52), (960, 700, 50),
    ):  # fmt: skip
        _radish(table, x, y, size, chance)
    _egg(table, 585, 575, 88, 28, chance)
    _egg(table, 735, 660, 88, -38, chance)
    _egg(table, 590, 785, 84, 100, chance)
    seed = Noise(81)
    for number in range(210):
        angle, far = chance.uniform(0, 2 * math.pi), math.sqrt(chance.random()) * BOWL * 0.80
        x, y = X + math.cos(angle) * far, Y + math.sin(angle) * far
        pumpkin = chance.random() < 0.30
        long = chance.uniform(13, 17) if pumpkin else chance.uniform(4.2, 6.5)
        spot = table.at(x, y, long * 1.6, chance.uniform(0, 360))
        wide = long * (0.50 if pumpkin else 0.58) * (1 - 0.25 * np.clip(spot.x / long, -1, 1))
        rho = np.sqrt((spot.x / long) ** 2 + (spot.y / wide) ** 2)
        tints = ("#4c5a26", "#8a9a4a") if pumpkin else (("#e7d2a0", "#f6e8c4"), ("#1d1712", "#3a2e24"))[number % 2]
        color = blend(ink(tints[0]), ink(tints[1]), 0.5 + 0.5 * seed(spot.x / 6 + number, spot.y / 6, 2))
        height = table.ground(spot, 6) + 1 + long * 0.36 * np.sqrt(np.clip(1 - rho**2, 0, 1))
        table.lay(spot, spot.inside((rho - 1) * long * 0.5), color, height=height, gloss=0.4, rough=0.32)
