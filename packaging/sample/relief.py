"""The table-top that dishes are modelled on: height, colour and gloss of every point, and the light that falls on it.

A dish lays shapes on a `Relief`; `lit` then photographs it from above, with a key light from the side, soft shadows,
the dark of crevices, wet highlights and light that bleeds through what is translucent.
Lengths are in units of which the picture's side has 1280, whatever the size it is rendered at.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtGui import QColor, QImage

UNITS = 1280
LATTICE = 256
STEEPEST = 5.0
Field = np.ndarray


def ink(color: str) -> Field:
    """A colour as the light that it reflects: linear red, green and blue of 0 to 1."""
    named = QColor(color)
    return linear(np.array([named.redF(), named.greenF(), named.blueF()], np.float32))


def linear(shown: Field) -> Field:
    """Converts values of a screen to light."""
    return np.where(shown <= 0.04045, shown / 12.92, ((shown + 0.055) / 1.055) ** 2.4).astype(np.float32)


def shown(light: Field) -> Field:
    """Light, as what a screen shows."""
    light = np.clip(light, 0, 1)
    return np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055).astype(np.float32)


def step(low: float, high: float, value: Field) -> Field:
    """0 up to `low`, 1 from `high` (which may be the lower of the two), and smooth between."""
    share = np.clip((value - low) / (high - low), 0, 1)
    return share * share * (3 - 2 * share)


def blend(one: Field, other: Field, share: Field | float) -> Field:
    """Colours between two."""
    share = np.asarray(share, np.float32)
    return one + (other - one) * (share[..., None] if share.ndim else share)


class Noise:
    """Smooth noise of -1 to 1 over a plane; the same seed gives the same."""

    def __init__(self, seed: int) -> None:
        self.lattice = np.random.default_rng(seed).random((LATTICE, LATTICE), np.float32) * 2 - 1

    def __call__(self, x: Field, y: Field, octaves: int = 1) -> Field:
        """Noise with one hill a unit, and finer ones of half the size and height for each further octave."""
        total: Field | float = 0.0
        weight = 1.0
        for octave in range(octaves):
            total = total + weight * self._single(x + 17.3 * octave, y + 9.1 * octave)
            x, y, weight = x * 2.03, y * 2.03, weight * 0.5
        return total / (2 - 2 * weight) if octaves > 1 else total

    def _single(self, x: Field, y: Field) -> Field:
        left, top = np.floor(x), np.floor(y)
        fx, fy = x - left, y - top
        fx, fy = fx * fx * (3 - 2 * fx), fy * fy * (3 - 2 * fy)
        column, row = left.astype(np.int32) % LATTICE, top.astype(np.int32) % LATTICE
        right, below = (column + 1) % LATTICE, (row + 1) % LATTICE
        table = self.lattice
        upper = table[row, column] * (1 - fx) + table[row, right] * fx
        lower = table[below, column] * (1 - fx) + table[below, right] * fx
        return upper * (1 - fy) + lower * fy


def blur(field: Field, sigma: float) -> Field:
    """A field gone soft by `sigma` pixels; what lies beyond its edge is taken to be like the edge."""
    if sigma < 0.3:
        return field
    factor = int(sigma // 6)
    if factor > 1:
        height, width = field.shape[:2]
        padded = np.pad(field, [(0, -height % factor), (0, -width % factor)] + [(0, 0)] * (field.ndim - 2), mode="edge")
        small = padded.reshape(padded.shape[0] // factor, factor, -1, factor, *field.shape[2:]).mean(axis=(1, 3))
        return _enlarged(blur(small, sigma / factor), factor, height, width)
    reach = max(1, math.ceil(sigma * 3))
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2).astype(np.float32)
    weights /= weights.sum()
    for axis in (0, 1):
        pad = [(0, 0)] * field.ndim
        pad[axis] = (reach, reach)
        wide = np.pad(field, pad, mode="edge")
        length = field.shape[axis]
        field = sum(
            weight * wide[(slice(None),) * axis + (slice(at, at + length),)] for at, weight in enumerate(weights)
        )
    return field


def _enlarged(small: Field, factor: int, height: int, width: int) -> Field:
    for axis, length in ((0, height), (1, width)):
        at = np.clip((np.arange(length) + 0.5) / factor - 0.5, 0, small.shape[axis] - 1)
        low = np.floor(at).astype(int)
        high = np.minimum(low + 1, small.shape[axis] - 1)
        share = (at - low).astype(np.float32).reshape([-1 if a == axis else 1 for a in range(small.ndim)])
        small = np.take(small, low, axis) * (1 - share) + np.take(small, high, axis) * share
    return small


@dataclass
class Spot:
    """A part of the table, seen from a shape's own middle and turn."""

    rows: slice
    columns: slice
    x: Field
    y: Field
    pixel: float

    @property
    def reach(self) -> Field:
        """The distance to the middle."""
        return np.hypot(self.x, self.y)

    @property
    def border(self) -> Field:
        """The distance to the middle as a square with round corners measures it."""
        return (np.abs(self.x) ** 3.2 + np.abs(self.y) ** 3.2) ** (1 / 3.2)

    @property
    def angle(self) -> Field:
        """The direction from the middle, in radians."""
        return np.arctan2(self.y, self.x)

    def inside(self, distance: Field, soft: float = 0.8) -> Field:
        """1 where `distance` to an outline is negative, 0 where it is positive, and smooth over `soft` pixels."""
        return step(soft * self.pixel, -soft * self.pixel, distance)


@dataclass(frozen=True)
class Lamp:
    """The key light: where it comes from, how low it stands, and its colours."""

    azimuth: float = 225.0
    elevation: float = 42.0
    key: str = "#ffe2bd"
    fill: str = "#b9c4d6"
    strength: float = 2.6
    ambient: float = 0.42
    softness: float = 0.30


class Relief:
    """Height, colour, gloss, roughness and translucency of every point of the table."""

    def __init__(self, scale: float, width: int = UNITS, height: int = UNITS) -> None:
        self.scale = scale
        self.columns, self.rows = round(width * scale), round(height * scale)
        shape = (self.rows, self.columns)
        self.height = np.zeros(shape, np.float32)
        self.color = np.zeros((*shape, 3), np.float32)
        self.gloss = np.zeros(shape, np.float32)
        self.rough = np.full(shape, 0.5, np.float32)
        self.glow = np.zeros(shape, np.float32)

    def everywhere(self) -> Spot:
        """The whole table, with its upper left corner as the middle."""
        return self.at(0, 0, 1e9)

    def at(self, x: float, y: float, reach: float, turn: float = 0.0) -> Spot:
        """The part within `reach` of a place, turned by degrees."""
        scale = self.scale
        rows = slice(max(0, int((y - reach) * scale)), min(self.rows, max(0, int((y + reach) * scale) + 1)))
        columns = slice(max(0, int((x - reach) * scale)), min(self.columns, max(0, int((x + reach) * scale) + 1)))
        down, across = np.mgrid[rows, columns].astype(np.float32)
        across, down = (across + 0.5) / scale - x, (down + 0.5) / scale - y
        cosine, sine = math.cos(math.radians(turn)), math.sin(math.radians(turn))
        return Spot(rows, columns, across * cosine + down * sine, down * cosine - across * sine, 1 / scale)

    def ground(self, spot: Spot, softness: float = 0.0) -> Field:
        """The height there."""
        found = self.height[spot.rows, spot.columns]
        return blur(found, softness * self.scale) if softness and found.size else found

    def lay(
        self,
        spot: Spot,
        cover: Field,
        color: Field,
        *,
        height: Field | float | None = None,
        gloss: Field | float = 0.0,
        rough: Field | float = 0.5,
        glow: Field | float = 0.0,
    ) -> None:
        """Lay a shape over what is there, where `cover` is above 0; without a height it takes the ground's."""
        place = (spot.rows, spot.columns)
        self.color[place] = blend(self.color[place], color, cover)
        layers = [(self.gloss, gloss), (self.rough, rough), (self.glow, glow)]
        if height is not None:
            layers.append((self.height, height))
        for layer, value in layers:
            layer[place] += (value - layer[place]) * cover

    def lit(self, lamp: Lamp) -> Field:
        """The light that reaches the camera."""
        scale = self.scale
        azimuth, elevation = math.radians(lamp.azimuth), math.radians(lamp.elevation)
        toward = (math.cos(azimuth) * math.cos(elevation), math.sin(azimuth) * math.cos(elevation), math.sin(elevation))
        down, across = np.gradient(self.height * scale)
        steep = np.maximum(np.hypot(down, across), 1e-6)
        tame = STEEPEST * np.tanh(steep / STEEPEST) / steep
        nx, ny = -across * tame, -down * tame
        length = np.sqrt(nx * nx + ny * ny + 1)
        nx, ny, nz = nx / length, ny / length, 1 / length
        facing = nx * toward[0] + ny * toward[1] + nz * toward[2]
        key = np.clip(facing, 0, 1) * (1 - self._shadow(lamp))
        through = np.clip((facing + 0.45) / 1.45, 0, 1) * (1 - 0.7 * self._shadow(lamp))
        bled = np.stack([blur(through, sigma * scale) for sigma in (11.0, 5.0, 2.5)], axis=-1)
        direct = blend(key[..., None].repeat(3, axis=-1), bled, self.glow)
        open_sky = self._openness()
        sky = open_sky * (0.62 + 0.38 * nz) * (1 + 0.25 * (nx * toward[0] + ny * toward[1]))
        light = direct * ink(lamp.key) * lamp.strength + sky[..., None] * ink(lamp.fill) * lamp.ambient
        lit = light * self.color
        lit += blur(lit, 26 * scale) * self.color * 0.55 * open_sky[..., None]
        lit += self._mirrored(nx, ny, nz, toward, open_sky)[..., None] * ink(lamp.key) * lamp.strength
        return lit

    def _shadow(self, lamp: Lamp) -> Field:
        azimuth = math.radians(lamp.azimuth)
        rise = math.tan(math.radians(lamp.elevation))
        longest = min(float(np.ptp(self.height)) / rise + 8, 420)
        dark = np.zeros_like(self.height)
        away, rows, columns = 1.5, self.rows, self.columns
        while away < longest:
            dx = round(math.cos(azimuth) * away * self.scale)
            dy = round(math.sin(azimuth) * away * self.scale)
            here = (slice(max(0, -dy), rows - max(0, dy)), slice(max(0, -dx), columns - max(0, dx)))
            there = (slice(max(0, dy), rows + min(0, dy)), slice(max(0, dx), columns + min(0, dx)))
            over = (self.height[there] - self.height[here] - away * rise) / (lamp.softness * away + 1.5) + 0.35
            np.maximum(dark[here], np.clip(over, 0, 1), out=dark[here])
            away *= 1.085
        return blur(dark * dark * (3 - 2 * dark), 1.2 * self.scale)

    def _openness(self) -> Field:
        closed = np.zeros_like(self.height)
        for sigma, weight in ((3.0, 0.34), (9.0, 0.42), (26.0, 0.50), (70.0, 0.45)):
            closed += weight * np.clip((blur(self.height, sigma * self.scale) - self.height) / (sigma * 0.9), 0, 1)
        return np.exp(-1.5 * closed)

    def _mirrored(self, nx: Field, ny: Field, nz: Field, toward: Sequence[float], open_sky: Field) -> Field:
        half = np.array([toward[0], toward[1], toward[2] + 1])
        half /= np.linalg.norm(half)
        cosine = np.clip(nx * half[0] + ny * half[1] + nz * half[2], 0, 1)
        power = 2 / np.maximum(self.rough, 0.04) ** 2.6
        glint = cosine**power * (power + 2) / 26
        rx, ry = 2 * nz * nx, 2 * nz * ny
        along = rx * toward[0] + ry * toward[1]
        aside = rx * toward[1] - ry * toward[0]
        edge = 0.10 + self.rough * 0.6
        window = step(0.42 - edge, 0.42 + edge, along) * step(1.02 + edge, 1.02 - edge, along)
        window *= step(0.46 + edge, 0.46 - edge, np.abs(aside))
        grazing = 0.05 + 0.6 * (1 - nz) ** 4
        return self.gloss * (glint * 0.10 + (window * 0.5 + 0.02) * (grazing + 0.10)) * open_sky


def finished(
    light: Field,
    *,
    seed: int,
    exposure: float = 1.0,
    edge: str,
    fade: Field,
    grain: float = 0.012,
    bloom: float = 0.10,
    warmth: tuple[float, float, float] = (1.0, 1.0, 1.0),
) -> Field:
    """The developed picture: bloom, film curve, fading into `edge` where `fade` is 0, and grain. Values of 0 to 1."""
    light = light * exposure * np.array(warmth, np.float32)
    wide = light.shape[1] / UNITS
    light = light + bloom * blur(np.maximum(light - 0.75, 0), 14 * wide) + bloom * 0.5 * blur(light, 60 * wide)
    filmic = np.clip(light * (2.51 * light * 0.62 + 0.03) / (light * (2.43 * light * 0.62 + 0.59) + 0.14), 0, 1)
    # The curve above is Narkowicz's fit to ACES, with its shoulder moved up.
    picture = blend(linear(_shown_color(edge)), filmic, fade)
    picture = shown(picture)
    chance = np.random.default_rng(seed)
    dots = blur(chance.standard_normal(picture.shape[:2], np.float32), 0.6)
    return np.clip(picture + dots[..., None] * grain * (0.3 + fade[..., None]), 0, 1)


def _shown_color(color: str) -> Field:
    named = QColor(color)
    return np.array([named.redF(), named.greenF(), named.blueF()], np.float32)


def pictured(picture: Field) -> QImage:
    """Values of 0 to 1 as an image."""
    rows, columns = picture.shape[:2]
    dots = np.ascontiguousarray((picture * 255 + 0.5).astype(np.uint8))
    return QImage(dots.tobytes(), columns, rows, columns * 3, QImage.Format.Format_RGB888).copy()
