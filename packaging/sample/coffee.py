"""A flat white from above with a leaf poured into it, on a green-grey table with beans."""

from __future__ import annotations

import math

import numpy as np
from relief import Field, Lamp, Noise, Relief, Spot, blend, finished, ink, step

EDGE = "#10201B"
X, Y = 610.0, 650.0
SAUCER = 440.0
CUP = 292.0
BREW = 262.0


def coffee(scale: float) -> Field:
    """The picture, at a scale of 1 with 1280 pixels a side."""
    chance = np.random.default_rng(5)
    table = Relief(scale)
    _table(table)
    _beans(table, chance)
    _saucer(table)
    _spoon(table)
    _cup(table)
    _brew(table)
    light = table.lit(Lamp(azimuth=222, elevation=34, strength=2.5, ambient=0.42, key="#ffe6c4", fill="#a9c4c0"))
    whole = table.at(640, 640, 1e9)
    light *= (1.10 - 0.55 * step(-600, 900, whole.x * 0.8 + whole.y))[..., None]
    fade = step(640, 340, whole.border) * step(1000, 460, whole.reach)
    return finished(light, seed=4, exposure=0.92, edge=EDGE, fade=fade)


def _table(table: Relief) -> None:
    cloud, pore = Noise(51), Noise(52)
    whole = table.everywhere()
    broad = cloud(whole.x / 260, whole.y / 260, 5)
    fine = pore(whole.x / 6, whole.y / 6, 4)
    color = blend(ink("#2c3a36"), ink("#5f716c"), np.clip(0.42 + broad * 0.6 + fine * 0.16, 0, 1))
    pits = step(0.42, 0.75, pore(whole.x / 11 + 70, whole.y / 11, 3))
    color = blend(color, ink("#15221d"), 0.6 * pits)
    table.lay(whole, np.ones_like(fine), color, height=fine * 0.9 + broad * 2 - 1.5 * pits, gloss=0.25, rough=0.6)


def _bean(table: Relief, x: float, y: float, size: float, turn: float, number: int, *, up: bool) -> None:
    skin = Noise(61)
    spot = table.at(x, y, size * 1.4, turn)
    across, along = spot.y / (size * 0.68), spot.x / size
    round_ = across**2 + along**2
    dome = np.sqrt(np.clip(1 - round_, 0, 1))
    tone = 0.45 + 0.5 * skin(spot.x / 9 + number * 7, spot.y / 9, 3)
    color = blend(ink("#2c1409"), ink("#6b3a1c"), np.clip(tone, 0, 1))
    height = table.ground(spot, size * 0.8) + 2 + size * 0.62 * dome**0.8
    if up:
        groove = np.abs(across - 0.20 * np.sin(along * 2.9))
        deep = step(0.16, 0.02, groove) * step(1.0, 0.85, np.abs(along))
        height = height - size * 0.24 * deep - size * 0.10 * step(0.5, 0.1, groove)
        color = blend(color, ink("#1a0b05"), 0.75 * deep)
        color = blend(color, ink("#a8763f"), 0.35 * step(0.05, 0.0, groove) * step(0.9, 0.6, np.abs(along)))
    height = height + 0.5 * skin(spot.x / 4, spot.y / 4 + number, 2)
    table.lay(spot, spot.inside((np.sqrt(round_) - 1) * size * 0.75), color, height=height, gloss=0.55, rough=0.34)


def _beans(table: Relief, chance: np.random.Generator) -> None:
    places: list[tuple[float, float]] = []
    heaps = [(1090, 235, 130, 26), (170, 1130, 120, 20), (1120, 1080, 200, 9), (190, 190, 160, 7)]
    for x, y, wide, count in heaps:
        laid = 0
        for _ in range(count * 30):
            spot_x, spot_y = x + chance.normal() * wide * 0.62, y + chance.normal() * wide * 0.62
            near = [1 for px, py in places if math.hypot(px - spot_x, py - spot_y) < 37]
            if not near and math.hypot(spot_x - X, spot_y - Y) > SAUCER + 26 and laid < count:
                places.append((spot_x, spot_y))
                laid += 1
    for number, (x, y) in enumerate(places):
        size = chance.uniform(25, 30)
        _bean(table, x, y, size, chance.uniform(0, 360), number, up=bool(chance.random() < 0.66))


def _glaze(spot: Spot, seed: int) -> Field:
    speck = Noise(seed)
    color = blend(ink("#e6e0d2"), ink("#f4efe4"), 0.5 + 0.5 * speck(spot.x / 120, spot.y / 120, 2))
    return blend(color, ink("#d3c7b0"), 0.3 * step(0.1, 0.7, speck(spot.x / 14 + 90, spot.y / 14, 3)))


def _saucer(table: Relief) -> None:
    spot = table.at(X, Y, SAUCER * 1.05)
    rho = spot.reach / SAUCER
    bowl = 16 + 34 * step(0.55, 1.0, rho) - 10 * step(0.60, 0.50, rho)
    lip = 6 * np.sqrt(np.clip(1 - ((rho - 0.975) / 0.03) ** 2, 0, 1))
    color = _glaze(spot, 71)
    color = blend(color, ink("#8a6f50"), 0.75 * step(0.968, 0.985, rho))
    cover = spot.inside((rho - 1) * SAUCER)
    table.lay(spot, cover, color, height=bowl + lip, gloss=0.6, rough=0.16, glow=0.15)


def _spoon(table: Relief) -> None:
    spot = table.at(X + 283, Y + 185, 330, -62)
    along = spot.x
    half = np.where(
        along < -70,
        38 * np.sqrt(np.clip(1 - ((along + 140) / 82) ** 2, 0, 1)) * (1 - 0.1 * step(-140, -60, along)),
        7.5 + 4.0 * step(20, 210, along),
    )
    half = np.maximum(half, (6.5 + 5 * step(20, 210, along)) * (along > -75))
    half = np.where(along > 205, 11.5 * np.sqrt(np.clip(1 - ((along - 205) / 14) ** 2, 0, 1)), half)
    distance = np.abs(spot.y) - half
    cover = spot.inside(distance) * (along > -224) * (along < 220)
    inner = np.clip(np.abs(spot.y) / np.maximum(half, 1), 0, 1)
    bowl = step(-60, -92, along)
    height = 62 + 14 * step(150, -150, along) + bowl * (7 * inner**2 - 10) + (1 - bowl) * 6 * np.sqrt(1 - inner**2)
    brush = Noise(75)(spot.x / 60, spot.y / 1.4, 2)
    color = blend(ink("#6b5a3c"), ink("#b59a63"), 0.5 + 0.12 * brush)
    table.lay(spot, cover, color, height=height, gloss=1.6, rough=0.38)


def _cup(table: Relief) -> None:
    handle = table.at(X + 330, Y - 120, 150, -20)
    distance = np.maximum(np.abs(handle.y) - (24 - 5 * step(-60, 90, handle.x)), np.abs(handle.x) - 92)
    corner = np.hypot(np.clip(np.abs(handle.x) - 74, 0, None), handle.y) - 21
    distance = np.where(np.abs(handle.x) > 74, corner, distance)
    dome = np.sqrt(np.clip(1 - (handle.y / 24) ** 2, 0, 1))
    table.lay(
        handle, handle.inside(distance), _glaze(handle, 72),
        height=112 + 20 * dome - 16 * step(20, 96, handle.x), gloss=0.6, rough=0.14, glow=0.15,
    )  # fmt: skip
    spot = table.at(X, Y, CUP * 1.05)
    rho = spot.reach
    lip = np.sqrt(np.clip(1 - ((rho - (CUP - 13)) / 14) ** 2, 0, 1))
    height = 150 + 15 * lip
    color = _glaze(spot, 73)
    color = blend(color, ink("#8a6f50"), 0.55 * step(CUP - 9, CUP - 2, rho))
    table.lay(spot, spot.inside(rho - CUP), color, height=height, gloss=0.6, rough=0.14, glow=0.15)
    wall = step(CUP - 24, CUP - 27, rho)
    deep = 150 - 34 * step(CUP - 20, BREW - 4, rho)
    table.lay(spot, wall, color * 0.8, height=deep, gloss=0.4, rough=0.16, glow=0.1)


def _leaf(u: Field, v: Field) -> Field:
    """The share of foam there: a rosetta whose stem points to +v, in parts of the cup's radius."""
    side = np.abs(u)
    foam = np.zeros_like(u)
    for number in range(7):
        share = number / 6
        middle = 0.50 - 1.02 * share
        wide = 0.15 + 0.44 * math.sin(math.pi * (0.12 + 0.72 * share)) ** 1.1
        sag = 0.62 * side**1.35 + 0.04 * np.sin(side * 17 + number)
        thick = (0.064 + 0.012 * math.sin(number * 2.1)) * np.clip(1.12 - (side / wide) ** 2, 0, 1) ** 0.6
        ribbon = step(0.026, -0.020, np.abs(v - middle - 0.11 + sag * 1.0) - thick) * step(
            wide + 0.02, wide - 0.03, side
        )
        foam = np.maximum(foam, ribbon)
    heart_v = v + 0.60
    heart = np.hypot(u / 0.27, (heart_v - 0.20 * np.sqrt(side + 0.01) * 1.0 + 0.05) / 0.17) - 1
    foam = np.maximum(foam, step(0.10, -0.10, heart))
    stem = step(0.022, 0.004, side - 0.006) * step(-0.50, -0.44, v) * step(0.80, 0.66, v)
    return np.where(stem > 0, np.maximum(foam * (1 - stem), stem * 0.0), foam) + 0.0


def _brew(table: Relief) -> None:
    swirl, froth, bubble = Noise(81), Noise(82), Noise(83)
    spot = table.at(X, Y, BREW * 1.04, 24)
    rho = spot.reach / BREW
    u, v = spot.x / BREW, spot.y / BREW
    u = u + 0.020 * swirl(u * 4, v * 4, 2)
    v = v + 0.024 * swirl(u * 4 + 30, v * 4, 2)
    foam = _leaf(u * 1.12, v * 1.06 + 0.02)
    marble = 0.5 + 0.5 * swirl(u * 2.2 + 4, v * 2.2, 4)
    color = blend(ink("#6f3a18"), ink("#a86a36"), np.clip(marble * 1.1 - 0.1, 0, 1))
    color = blend(color, ink("#4a2410"), 0.85 * step(0.70, 1.0, rho))
    color = blend(color, ink("#d6a263"), 0.22 * step(0.0, 0.8, froth(spot.x / 16, spot.y / 16, 4)))
    white = blend(ink("#f0dcbb"), ink("#fbf3e2"), 0.5 + 0.5 * froth(spot.x / 40 + 9, spot.y / 40, 2))
    color = blend(color, white, foam * 0.96)
    rim = step(0.93, 0.985, rho)
    color = blend(color, ink("#e2b27a"), 0.55 * rim * step(-0.5, 0.6, bubble(spot.x / 30, spot.y / 30, 3)))
    cells = bubble(spot.x / 3.4 + 8, spot.y / 3.4, 1)
    height = 117 + 0.7 * foam + 4.5 * step(0.955, 1.0, rho) + 0.16 * froth(spot.x / 5, spot.y / 5, 2)
    height = height + 0.7 * step(0.5, 0.8, cells) * (0.12 + rim)
    table.lay(spot, spot.inside((rho - 1) * BREW), color, height=height, gloss=0.42, rough=0.20, glow=0.45)
