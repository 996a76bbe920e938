"""A cheeseburger on dark slate, from the side and slightly from above, in warm light from the left.

Here a relief's height is what comes towards the camera. Every layer is round, so its edges sag towards the middle.
"""

from __future__ import annotations

import math

import numpy as np
from relief import Field, Lamp, Noise, Relief, Spot, blend, finished, ink, step

EDGE = "#17120F"
X = 640.0
TILT = 0.17
FLOOR = 868.0
FLOOR_SLOPE = 3.2
WALL = -1500.0


def burger(scale: float) -> Field:
    """The picture, at a scale of 1 with 1280 pixels a side."""
    chance = np.random.default_rng(12)
    stage = Relief(scale)
    _slate(stage)
    _heel(stage)
    _lettuce(stage, 742, 426, 31, 0)
    _lettuce(stage, 722, 420, 27, 5)
    _patty(stage)
    _cheese(stage)
    _tomatoes(stage)
    _crown(stage, chance)
    light = stage.lit(Lamp(azimuth=213, elevation=36, strength=2.9, ambient=0.20, key="#ffddb0", fill="#a8a4b4"))
    light += stage.lit(Lamp(azimuth=338, elevation=14, strength=0.55, ambient=0.0, key="#ffb27a", fill="#000000"))
    whole = stage.at(X, 640, 1e9)
    there = np.clip((stage.height - WALL) / -WALL / 0.7, 0, 1)[..., None]
    glow = np.exp(-((whole.x + 120) ** 2 + (whole.y + 120) ** 2) / 420.0**2)
    wall = ink(EDGE) * 0.9 + glow[..., None] * ink("#4a2d18") * 0.45
    far = step(105, 330, whole.y)[..., None]
    slate = np.where(stage.glow[..., None] < 0.004, far, 1.0)
    light = wall + (light - wall) * there * slate
    fade = step(640, 400, whole.border)
    return finished(light, seed=8, exposure=1.0, edge=EDGE, fade=fade, bloom=0.08)


def _slate(stage: Relief) -> None:
    layers, grit = Noise(1), Noise(2)
    whole = stage.everywhere()
    stage.lay(whole, np.ones_like(whole.x), ink(EDGE), height=WALL)
    away = whole.y - FLOOR
    depth = np.maximum(whole.y - 560, 1) / 300
    across = (whole.x - X) / depth
    cleft = layers(across / 300, 7 / depth, 5)
    flake = np.round(cleft * 5) / 5
    fine = grit(across / 9, 90 / depth, 4)
    color = blend(ink("#141312"), ink("#3b3834"), np.clip(0.45 + 0.5 * cleft + 0.3 * fine, 0, 1))
    height = away * FLOOR_SLOPE + 26 * (0.5 * cleft + 0.5 * flake) + 3.5 * fine
    horizon = 742 + 6 * layers(whole.x / 160, whole.x * 0 + 3, 3)
    stage.lay(whole, step(horizon - 2, horizon + 2, whole.y), color, height=height, gloss=0.7, rough=0.36)


def _round(spot: Spot, radius: float | Field) -> tuple[Field, Field, Field]:
    """Distance by which a drum's front comes forward, how far down it we are, and the direction round it."""
    front = np.sqrt(np.clip(radius**2 - spot.x**2, 0, None))
    return front, spot.y - TILT * front, np.arcsin(np.clip(spot.x / radius, -1, 1))


def _heel(stage: Relief) -> None:
    crumb, skin = Noise(11), Noise(12)
    spot = stage.at(X, 752, 460)
    radius, thick = 398.0, 116.0
    _, down, angle = _round(spot, radius)
    down = down + 3 * crumb(angle * 2 + 9, angle * 0, 2)
    share = down / thick
    low = np.clip(share, 0, 1)
    profile = 1 - 0.04 * low**2 - 0.26 * (1 - np.sqrt(1 - low**5))
    wide = radius * profile
    depth = np.sqrt(np.clip(wide**2 - spot.x**2, 0, None))
    arc = angle * radius
    mottle = skin(arc / 60, down / 40, 4)
    tone = step(0.05, 0.75, share + 0.16 * mottle)
    color = blend(ink("#f0cf95"), ink("#c9853a"), tone)
    color = blend(color, ink("#8a4a1a"), 0.75 * step(0.55, 1.05, share + 0.15 * mottle))
    color = blend(color, ink("#f7e2b8"), 0.6 * step(0.2, 0.04, share + 0.05 * crumb(arc / 12, down / 9, 3)))
    height = depth + 1.3 * crumb(arc / 8, down / 8, 3) + 4 * mottle
    cover = spot.inside(np.maximum(np.abs(spot.x) - wide, np.maximum(-down, down - thick)))
    stage.lay(spot, cover, color, height=height, gloss=0.28, rough=0.42, glow=0.35)


def _lettuce(stage: Relief, top: float, radius: float, hang: float, seed: int) -> None:
    wave, vein = Noise(21 + seed), Noise(22 + seed)
    spot = stage.at(X, top, 520)
    reach = radius + 22 * wave(spot.y / 60 + np.sign(spot.x) * 5, spot.y * 0 + 2, 2)
    front, down, angle = _round(spot, reach)
    turn = angle * 9 + 1.5 * wave(angle * 2.2, angle * 0 + 4, 2)
    ruffle = np.sin(turn) + 0.55 * np.sin(turn * 2.3 + 1.3) + 0.7 * wave(angle * 5 + 3, down / 60, 2)
    lower = (
        hang * (1.15 + 0.62 * ruffle) + 9 * wave(angle * 16, angle * 0 + 1, 2) + 2.5 * wave(angle * 60, angle * 0, 2)
    )
    upper = -26 + 10 * np.sin(turn * 0.7 + 2)
    share = np.clip((down - upper) / np.maximum(lower - upper, 6), 0, 1)
    fold = np.cos(turn + 1.1 * share) * 20 * share + 11 * np.sin(turn * 2.3 + 0.6) * share
    height = front + 10 + fold + 26 * share + 3.0 * vein(angle * 34, down / 13, 3) + 9 * step(0.86, 1.0, share)
    frill = step(0.55, 1.0, share)
    tone = np.clip(0.40 + 0.40 * vein(angle * 9, down / 30, 3) + 0.35 * frill, 0, 1)
    color = blend(ink("#3f7a1e"), ink("#8fbf3f"), tone)
    color = blend(
        color, ink("#dbe8a4"), 0.7 * step(0.5, 0.0, share) * step(-0.3, 0.5, vein(angle * 14 + 4, down / 60, 2))
    )
    ribs = step(0.16, 0.02, np.abs(vein(angle * 16 + 2 * share, down / 90 + 30, 2)))
    color = blend(color, ink("#cfe08f"), 0.35 * ribs)
    color = blend(color, ink("#2b5c14"), 0.35 * step(0.93, 1.0, share))
    cover = spot.inside(np.maximum(np.abs(spot.x) - reach, np.maximum(upper - down, down - lower)))
    stage.lay(spot, cover, color, height=height, gloss=0.5, rough=0.26, glow=0.45)


def _patty(stage: Relief) -> None:
    lumps, mince, crust = Noise(31), Noise(32), Noise(33)
    spot = stage.at(X, 612, 500)
    radius, thick = 412.0, 112.0
    _, down, angle = _round(spot, radius)
    arc = angle * radius
    ragged = 7 * lumps(arc / 46, arc * 0, 3)
    share = np.clip(down / thick, 0, 1)
    wide = radius * (1 - 0.085 * np.abs(2 * share - 1) ** 3) + 9 * lumps(np.sign(spot.x) * 9, down / 30, 2)
    depth = np.sqrt(np.clip(wide**2 - spot.x**2, 0, None))
    coarse = mince(arc / 24, down / 20, 4)
    cells = 1 - np.abs(mince(arc / 15 + 40, down / 12, 2))
    pit = step(0.05, 0.55, lumps(arc / 20 + 70, down / 14, 3))
    height = depth + 15 * coarse + 8 * cells - 9 * pit + 2 * crust(arc / 5, down / 5, 2)
    tone = np.clip(0.45 + 0.75 * coarse + 0.25 * crust(arc / 70, down / 50, 3), 0, 1)
    color = blend(ink("#2e150b"), ink("#7c4424"), tone)
    color = blend(color, ink("#a86a3c"), 0.45 * step(0.35, 0.8, coarse + 0.4 * crust(arc / 9, down / 9, 2)))
    color = blend(color, ink("#180a06"), 0.75 * pit)
    wet = 0.35 + 0.9 * step(0.0, 0.5, crust(arc / 40 + 9, down / 40, 2))
    cover = spot.inside(np.maximum(np.abs(spot.x) - wide, np.maximum(-down, down - thick - ragged)))
    stage.lay(spot, cover, color, height=height, gloss=wet, rough=0.30, glow=0.08)


def _cheese(stage: Relief) -> None:
    sway, sheen = Noise(41), Noise(42)
    spot = stage.at(X, 604, 500)
    radius = 424.0
    front, down, angle = _round(spot, radius)
    lower = 36 + 7 * sway(angle * 3, angle * 0, 2)
    for at, wide, long in ((-0.92, 0.20, 50), (-0.30, 0.34, 84), (0.16, 0.085, 58), (0.50, 0.22, 64), (1.02, 0.20, 44)):
        away = np.abs(angle - at + 0.02 * sway(down / 40, down * 0 + at * 9)) / wide
        lower = lower + long * np.exp(-(away**2.0) * 1.6) * (1 - 0.15 * away.clip(0, 1))
    upper = -34.0
    inner = lower - down
    lip = np.sqrt(np.clip(1 - np.clip(1 - inner / 15, 0, 1) ** 2, 0, 1))
    share = np.clip(down / np.maximum(lower, 8), 0, 1)
    height = (
        front + 2 + 15 * lip + 9 * share**2 + 5 * sway(angle * 5 + 5, down / 50, 2) + 5 * step(40, 8, inner) * share
    )
    tone = np.clip(0.5 + 0.5 * sheen(angle * 4, down / 60, 3), 0, 1)
    color = blend(ink("#f08a0c"), ink("#ffb52e"), tone)
    color = blend(color, ink("#d96a08"), 0.35 * step(10, 0, inner))
    cover = spot.inside(
        np.maximum(np.abs(spot.x) - radius + 90 * step(22, -34, down) ** 2, np.maximum(upper - down, -inner))
    )
    stage.lay(spot, cover, color, height=height, gloss=0.62, rough=0.24, glow=0.65)


def _tomatoes(stage: Relief) -> None:
    skin, flesh = Noise(51), Noise(52)
    for middle, top, radius, lean in (
        (X + 186, 582, 226.0, 0.030),
        (X - 194, 580, 224.0, -0.028),
        (X - 4, 577, 240.0, 0.012),
    ):
        spot = stage.at(middle, top, 330)
        thick = 50.0
        _, down, angle = _round(spot, radius)
        down = down + lean * spot.x
        share = np.clip(down / thick, 0, 1)
        wide = radius * (1 - 0.07 * (1 - np.sqrt(1 - np.abs(2 * share - 1) ** 2.5)))
        depth = np.sqrt(np.clip(wide**2 - spot.x**2, 0, None)) + 170
        depth = depth - 10 * np.abs(2 * share - 1) ** 4
        arc = angle * radius
        tone = np.clip(0.5 + 0.5 * skin(arc / 60, down / 30, 3), 0, 1)
        color = blend(ink("#a81408"), ink("#e03a1c"), tone)
        cut = step(0.30, 0.12, share + 0.05 * flesh(arc / 14, down * 0, 2))
        color = blend(color, ink("#f0745a"), 0.75 * cut)
        height = depth + 1.0 * skin(arc / 20, down / 12, 2)
        cover = spot.inside(np.maximum(np.abs(spot.x) - wide, np.maximum(-down, down - thick)))
        stage.lay(spot, cover, color, height=height, gloss=0.9, rough=0.16, glow=0.5)


CROWN_TOP, CROWN_FOOT, CROWN_WIDE = 262.0, 578.0, 424.0


def _dome(x: Field | float, y: Field | float) -> Field:
    """Distance by which the top bun comes forward there; below 0 outside of it."""
    middle = 500.0
    up = np.where(np.asarray(y) < middle, (middle - y) / (middle - CROWN_TOP), 0)
    low = np.where(np.asarray(y) >= middle, (y - middle) / 185.0, 0)
    body = 1 - np.abs(x / CROWN_WIDE) ** 2.3 - np.abs(up) ** 2.15 - low**2
    return np.sign(body) * np.sqrt(np.abs(body)) * CROWN_WIDE


def _crown(stage: Relief, chance: np.random.Generator) -> None:
    skin, dent, pore = Noise(61), Noise(62), Noise(63)
    spot = stage.at(X, 430, 480)
    y = spot.y + 430
    bumps = 7 * dent(spot.x / 150, y / 120, 2)
    depth = _dome(spot.x + bumps * 0.6, y + bumps * 0.8)
    foot = (
        CROWN_FOOT + TILT * np.sqrt(np.clip(CROWN_WIDE**2 - spot.x**2, 0, None)) - 8 + 2 * dent(spot.x / 60, y * 0, 2)
    )
    share = (y - CROWN_TOP) / (foot - CROWN_TOP)
    mottle = skin(spot.x / 85, y / 60, 4)
    bake = step(0.98, 0.15, share + 0.09 * mottle)
    color = blend(ink("#d9994a"), ink("#9a4715"), bake)
    color = blend(
        color,
        ink("#5e240a"),
        0.8 * step(0.55, -0.1, share + 0.16 * mottle + 0.25 * np.abs(spot.x / CROWN_WIDE) ** 2 - 0.1),
    )
    color = blend(color, ink("#f6dba2"), 0.65 * step(0.84, 1.0, share + 0.05 * mottle))
    color = blend(color, ink("#5e280c"), 0.38 * step(0.25, 0.75, pore(spot.x / 7, y / 6, 3)))
    tuck = 26 * step(30, 0, foot - y)
    height = np.maximum(depth, 0) + bumps - tuck + 0.9 * pore(spot.x / 6, y / 6, 3) + 2.5 * mottle
    cover = spot.inside(np.maximum(-depth * np.abs(depth) / CROWN_WIDE * 0.4, y - foot), 0.8)
    stage.lay(spot, cover, color, height=height, gloss=0.75 - 0.45 * step(0.6, 0.95, share), rough=0.34, glow=0.25)
    _sesame(stage, chance)


def _sesame(stage: Relief, chance: np.random.Generator) -> None:
    shade = Noise(71)
    laid: list[tuple[float, float]] = []
    for _ in range(1600):
        x, y = chance.uniform(-0.93, 0.93) * CROWN_WIDE, chance.uniform(CROWN_TOP + 6, 505)
        depth = float(_dome(x, y))
        keep = 1.15 - (y - CROWN_TOP) / 270
        close = any(math.hypot(x - px, (y - py) * 1.3) < 23 for px, py in laid)
        if depth < 150 or chance.random() > keep or close or len(laid) >= 135:
            continue
        laid.append((x, y))
        gap = 6.0
        tip = (float(_dome(x, y + gap)) - float(_dome(x, y - gap))) / (2 * gap)
        side = (float(_dome(x + gap, y)) - float(_dome(x - gap, y))) / (2 * gap)
        flat_y, flat_x = 1 / math.sqrt(1 + tip * tip), 1 / math.sqrt(1 + side * side)
        spot = stage.at(X + x, y, 24)
        turn = chance.uniform(0, math.pi)
        over, down = spot.x / max(flat_x, 0.35), spot.y / max(flat_y, 0.35)
        along, across = over * math.cos(turn) + down * math.sin(turn), down * math.cos(turn) - over * math.sin(turn)
        long, wide = chance.uniform(13.0, 15.5), chance.uniform(7.4, 8.6)
        taper = wide * (1 - 0.42 * np.clip(along / long, -1, 1))
        round_ = np.sqrt((along / long) ** 2 + (across / taper) ** 2)
        plump = np.sqrt(np.clip(1 - round_**2, 0, 1))
        tone = float(chance.uniform(0, 1))
        color = blend(ink("#f3dfae"), ink("#d9ab62"), np.clip(tone * 0.7 + 0.3 * shade(along / 8, across / 8), 0, 1))
        height = stage.ground(spot, 3) + 1.5 + 6.0 * plump
        stage.lay(spot, spot.inside((round_ - 1) * wide * 0.8), color, height=height, gloss=0.35, rough=0.36, glow=0.4)
