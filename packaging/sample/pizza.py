"""A Margherita from above, on a floured table of dark wood."""

from __future__ import annotations

import math

import numpy as np
from relief import Field, Lamp, Noise, Relief, Spot, blend, finished, ink, step

EDGE = "#1B1512"
MIDDLE = 640.0
RADIUS = 495.0


def pizza(scale: float) -> Field:
    """The picture, at a scale of 1 with 1280 pixels a side."""
    chance = np.random.default_rng(7)
    table = Relief(scale)
    _table(table)
    _dough(table)
    _sauce(table)
    _mozzarella(table, chance)
    _basil(table)
    _crumbs(table, chance)
    light = table.lit(Lamp(azimuth=228, elevation=38, strength=2.25, ambient=0.34, key="#ffe0b4", fill="#c0b8b4"))
    whole = table.at(MIDDLE, MIDDLE, 1e9)
    light *= (1.12 - 0.42 * step(-500, 700, whole.x * 0.6 + whole.y))[..., None]
    fade = step(640, 455, whole.border)
    return finished(light, seed=3, exposure=1.0, edge=EDGE, fade=fade)


def _table(table: Relief) -> None:
    grain, knots, dust = Noise(1), Noise(2), Noise(3)
    whole = table.everywhere()
    plank = np.floor(whole.y / 214)
    along = whole.x + plank * 731
    bend = knots(along / 420, whole.y / 150 + plank * 7, 2) * 30
    fibre = grain(along / 260, (whole.y + bend) / 5.5, 4)
    rings = np.sin((whole.y + bend * 2.4) / 9 + fibre * 1.5) * 0.5 + 0.5
    color = blend(ink("#2a1a10"), ink("#5d3c24"), np.clip(0.42 + fibre * 0.55 + rings * 0.16 - 0.1, 0, 1))
    color = color * (0.85 + 0.3 * knots(plank * 3.7, plank * 1.3))[..., None]
    gap = np.abs(whole.y - np.round(whole.y / 214) * 214)
    color = color * step(0.5, 3.5, gap)[..., None]
    height = fibre * 1.3 - 7 * step(4, 1, gap)
    table.lay(whole, np.ones_like(gap), color, height=height, gloss=0.30, rough=0.55)
    middle = table.at(MIDDLE, MIDDLE, 1e9)
    cloud = dust(middle.x / 210, middle.y / 210, 3) * 0.55 + dust(middle.x / 3, middle.y / 3, 2) * 0.42
    ring = step(720, 540, middle.reach) * 0.6
    flour = step(0.02, 0.55, cloud + ring - 0.56) * 0.55
    table.lay(middle, flour, ink("#e9ddca"), height=table.height + flour * 2.2, rough=0.9)


def _rim(spot: Spot, waves: Noise) -> Field:
    angle, reach = spot.angle, spot.reach
    wobble = waves(np.cos(angle) * 1.6 + 5, np.sin(angle) * 1.6 + 5, 3)
    return reach / (RADIUS * (1 + 0.035 * wobble))


def _dough(table: Relief) -> None:
    waves, lumps, char, fine = Noise(11), Noise(12), Noise(13), Noise(14)
    spot = table.at(MIDDLE, MIDDLE, RADIUS * 1.1)
    rho = _rim(spot, waves)
    lump = lumps(spot.x / 62, spot.y / 62, 3)
    puff = 0.115 + 0.02 * lumps(np.cos(spot.angle) * 3, np.sin(spot.angle) * 3)
    across = np.clip(1 - ((rho - 0.888) / puff) ** 2, 0, 1)
    height = 14 + 54 * np.sqrt(across) * (0.9 + 0.3 * lump) + 1.5 * fine(spot.x / 7, spot.y / 7, 3)
    blister = step(0.30, 0.62, lumps(spot.x / 27 + 40, spot.y / 27, 2)) * across
    height = height + blister * 9
    height = np.where(rho > 0.888, np.minimum(height, 66 * np.sqrt(np.clip(across, 0, 1)) + 6), height)
    bake = 0.36 + 0.42 * lump + 0.35 * char(spot.x / 30, spot.y / 30, 4) + 0.32 * across - 0.02
    color = blend(ink("#e8c48c"), ink("#c47f34"), step(0.05, 0.62, bake))
    color = blend(color, ink("#8f4a17"), step(0.42, 0.95, bake + 0.3 * blister))
    spots = char(spot.x / 21 + 9, spot.y / 21, 3) * 0.7 + lump * 0.35 + 0.32 * blister
    burnt = step(0.24, 0.52, spots) * step(0.80, 0.86, rho)
    color = blend(color, ink("#2a120a"), burnt * 0.93)
    pale = step(0.1, 0.5, fine(spot.x / 9 + 3, spot.y / 9, 3) + 0.35 * char(spot.x / 90, spot.y / 90)) * 0.4
    color = blend(color, ink("#fbf0dc"), pale * step(0.86, 0.97, rho) * (1 - burnt))
    cover = spot.inside((rho - 1) * RADIUS)
    table.lay(spot, cover, color, height=height, gloss=0.30, rough=0.42, glow=0.35 * (1 - burnt))


def _sauce(table: Relief) -> None:
    waves, pulp, edge = Noise(11), Noise(22), Noise(23)
    spot = table.at(MIDDLE, MIDDLE, RADIUS)
    rho = _rim(spot, waves) + 0.018 * edge(spot.x / 45, spot.y / 45, 3)
    thick = step(0.845, 0.76, rho)
    coarse = pulp(spot.x / 34, spot.y / 34, 4)
    color = blend(ink("#8f1708"), ink("#d8401a"), np.clip(0.42 + coarse * 0.8, 0, 1))
    color = blend(color, ink("#e07a2a"), 0.7 * step(0.77, 0.825, rho))
    color = blend(color, ink("#5a0d05"), 0.6 * step(0.25, 0.6, pulp(spot.x / 15 + 31, spot.y / 15, 2)))
    cover = step(0.83, 0.805, rho)
    height = 13 + 9 * thick + 7.5 * coarse + 1.6 * pulp(spot.x / 8, spot.y / 8 + 50, 2)
    height = np.maximum(height, table.ground(spot) - 30 * (1 - step(0.79, 0.83, rho)))
    table.lay(spot, cover, color, height=height, gloss=0.75, rough=0.24, glow=0.25)


def _mozzarella(table: Relief, chance: np.random.Generator) -> None:
    outline, dapple = Noise(31), Noise(32)
    places = [(0.0, 0.06, 100)]
    places += [(math.radians(360 * k / 6 + chance.uniform(-14, 14)), 0.43, chance.uniform(74, 104)) for k in range(6)]
    places += [
        (math.radians(360 * k / 10 + 14 + chance.uniform(-9, 9)), chance.uniform(0.66, 0.71), chance.uniform(46, 80))
        for k in range(10)
    ]
    for number, (angle, far, size) in enumerate(places):
        x, y = MIDDLE + math.cos(angle) * far * RADIUS, MIDDLE + math.sin(angle) * far * RADIUS
        spot = table.at(x, y, size * 1.75)
        warp = outline(spot.x / 95 + number * 13, spot.y / 95, 3)
        ragged = outline(spot.x / 21 + number * 5, spot.y / 21 + 9, 2)
        distance = spot.reach / size - 0.82 - 0.62 * warp - 0.10 * ragged
        body = np.sqrt(np.clip(step(0.10, -0.85, distance), 0, 1))
        lumps = dapple(spot.x / 26 + number, spot.y / 26, 3)
        height = table.ground(spot, 10) + 1 + 17 * body + 4.0 * lumps * body
        thin = step(-0.42, 0.02, distance)
        color = blend(ink("#f6ead0"), ink("#eeb27a"), thin * 0.85)
        color = blend(color, ink("#ecc988"), 0.8 * step(-0.1, 0.5, lumps))
        toasted = step(0.12, 0.55, dapple(spot.x / 34 + 60, spot.y / 34 + number, 3) + 0.3 * lumps)
        color = blend(color, ink("#c9812f"), 0.85 * toasted * step(0.1, -0.3, distance))
        color = blend(color, ink("#6e3512"), 0.85 * step(0.5, 0.95, toasted) * step(0.05, 0.4, lumps))
        cover = step(0.10, -0.06, distance)
        table.lay(spot, cover, color, height=height, gloss=0.75, rough=0.22, glow=0.6)


def _basil(table: Relief) -> None:
    veins = Noise(41)
    leaves = [
        (600, 560, 150, 205), (668, 600, 165, -38), (610, 655, 140, 112),
        (400, 470, 120, 160), (850, 420, 125, -70), (905, 770, 130, 25), (480, 880, 128, 95), (330, 720, 105, 200),
        (700, 960, 100, 40), (640, 290, 105, 250),
    ]  # fmt: skip
    for number, (x, y, length, turn) in enumerate(leaves):
        spot = table.at(x, y, length * 1.25, turn)
        along = spot.x / length
        half = 0.36 * np.sqrt(np.clip(along * (1 - along), 0, 1)) * (1.25 - 0.62 * along) * 1.75
        frill = 0.022 * veins(along * 14 + number * 9, np.sign(spot.y) * 3.0, 2)
        across = (spot.y / length) - 0.05 * np.sin(along * 3.0)
        distance = (np.abs(across) - half - frill) * length
        cover = spot.inside(distance, 1.0) * (along > 0) * (along < 1)
        inner = np.abs(across) / np.maximum(half, 0.02)
        rib = np.abs(np.sin((along * 6.5 - inner * 1.25 * half / 0.32) * math.pi))
        puffed = step(0.0, 0.5, rib)
        middle_rib = step(0.05, 0.0, inner)
        bend = 22 * np.sin(np.clip(along, 0, 1) * math.pi) ** 1.0 + 16 * (1 - inner**2) * (0.5 + 0.5 * along)
        wave = 13 * veins(spot.x / 44 + number * 7, spot.y / 44, 2)
        height = table.ground(spot, 26) + 8 + bend + wave + 0.8 * puffed * step(0.03, 0.2, inner) - 3 * middle_rib
        tone = 0.45 + 0.35 * veins(spot.x / 28, spot.y / 28 + number * 3, 3) + 0.18 * puffed - 0.1
        color = blend(ink("#0e2c0a"), ink("#417a22"), np.clip(tone, 0, 1))
        color = blend(color, ink("#9cc06a"), 0.4 * middle_rib + 0.10 * step(0.14, 0.0, rib))
        scorched = step(0.25, 0.6, veins(spot.x / 33 + 80, spot.y / 33 + number, 2)) * step(0.75, 1.0, inner)
        color = blend(color, ink("#2a210c"), 0.75 * scorched)
        table.lay(spot, cover, color, height=height, gloss=0.55, rough=0.30, glow=0.22)


def _crumbs(table: Relief, chance: np.random.Generator) -> None:
    for _ in range(90):
        angle, far = chance.uniform(0, 2 * math.pi), math.sqrt(chance.random()) * 0.78 * RADIUS
        size = chance.uniform(1.2, 2.8)
        spot = table.at(MIDDLE + math.cos(angle) * far, MIDDLE + math.sin(angle) * far, 6)
        table.lay(spot, spot.inside(spot.reach - size), ink("#1c120b"), height=table.ground(spot) + 2, gloss=0.2)
    for _ in range(22):
        angle, far = chance.uniform(0, 2 * math.pi), math.sqrt(chance.random()) * 0.76 * RADIUS
        size = chance.uniform(4, 11)
        spot = table.at(MIDDLE + math.cos(angle) * far, MIDDLE + math.sin(angle) * far, 16)
        bulge = np.sqrt(np.clip(1 - (spot.reach / size) ** 2, 0, 1))
        tint = blend(table.color[spot.rows, spot.columns], ink("#d9871f"), 0.25)
        cover = spot.inside(spot.reach - size)
        table.lay(spot, cover, tint, height=table.ground(spot, 6) + size * 0.5 * bulge, gloss=1.0, rough=0.10)
