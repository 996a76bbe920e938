"""Runs an X server for the comparison and reads its pixels.

The start of every program therefore ends at the same moment: when one whole scene is on the screen. The server is Xvfb;
XGetImage reads a few pixels at a time. Nothing is asked of the programs themselves.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import time
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Self

from benchmarks import content

TOLERANCE = 16
"""Tolerance of a channel of 0 to 255: programs round differently."""
BACKGROUND_AT = ((20, 20), (1900, 1060), (1210, 600))
BAR_AT = (960, 156)
IMAGE_AT = ((1300, 300), (1540, 608), (1780, 950))
PRICES = (1080, 800, 100, 216)
"""The area of the last prices in every program: x, y, width, height."""
LEAST_INK = 200
"""Bright pixels in that area once the last prices are drawn."""
BRIGHT = 160

Color = tuple[int, int, int]


class _XImage(ctypes.Structure):
    """The first members of Xlib's XImage."""

    _fields_ = (
        *((name, ctypes.c_int) for name in ("width", "height", "xoffset", "format")),
        ("data", ctypes.c_void_p),
        *(
            (name, ctypes.c_int)
            for name in ("byte_order", "unit", "bit_order", "pad", "depth", "bytes_per_line", "bits_per_pixel")
        ),
    )


class Screen:
    """A running Xvfb of full HD. `name` is its DISPLAY."""

    def __init__(self) -> None:
        reader, writer = os.pipe()
        size = f"{content.WIDTH}x{content.HEIGHT}x24"
        self._server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writer), "-screen", "0", size, "-nolisten", "tcp", "-noreset"],
            pass_fds=[writer],
            stderr=subprocess.DEVNULL,
        )
        os.close(writer)
        with os.fdopen(reader) as told:
            number = told.readline().strip()
        if not number:
            raise RuntimeError("Xvfb does not start")
        self.name = f":{number}"
        x = self._x = ctypes.CDLL("libX11.so.6")
        x.XOpenDisplay.restype = ctypes.c_void_p
        x.XDefaultRootWindow.argtypes = x.XCloseDisplay.argtypes = [ctypes.c_void_p]
        x.XDefaultRootWindow.restype = ctypes.c_ulong
        x.XGetImage.restype = ctypes.POINTER(_XImage)
        x.XGetImage.argtypes = [
            ctypes.c_void_p,
            ctypes.c_ulong,
            *[ctypes.c_int] * 2,
            *[ctypes.c_uint] * 2,
            ctypes.c_ulong,
            ctypes.c_int,
        ]
        x.XDestroyImage.argtypes = [ctypes.POINTER(_XImage)]
        self._display = x.XOpenDisplay(self.name.encode())
        self._root = x.XDefaultRootWindow(self._display)

    @property
    def server(self) -> int:
        """The process id of the server, which does part of the drawing."""
        return self._server.pid

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._x.XCloseDisplay(self._display)
        self._server.terminate()
        self._server.wait()

    def area(self, x: int, y: int, width: int, height: int) -> bytes:
        """The pixels of an area, four bytes each: blue, green, red and padding."""
        whole_pixels, all_planes = 2, ctypes.c_ulong(-1).value
        image = self._x.XGetImage(self._display, self._root, x, y, width, height, all_planes, whole_pixels)
        if not image:
            raise RuntimeError("XGetImage failed")
        try:
            found = image.contents
            return ctypes.string_at(found.data, found.bytes_per_line * found.height)
        finally:
            self._x.XDestroyImage(image)

    def color(self, x: int, y: int) -> Color:
        """The colour of one pixel."""
        blue, green, red, _ = self.area(x, y, 1, 1)
        return red, green, blue

    def whole_scene(self) -> int | None:
        """The number of the scene on the screen; None while it is not complete."""
        bar = self.color(*BAR_AT)
        for number, looks in enumerate(LOOKS):
            if near(bar, looks.accent):
                return number if self._is_whole(looks) else None
        return None

    def _is_whole(self, looks: Looks) -> bool:
        if not all(near(self.color(*at), looks.background) for at in BACKGROUND_AT):
            return False
        if all(near(self.color(*at), looks.background) for at in IMAGE_AT):
            return False
        return sum(blue > BRIGHT for blue in self.area(*PRICES)[::4]) > LEAST_INK

    def fades(self, seconds: float) -> Fades:
        """Watch the bar, and count its changes while it is between the colours of two scenes."""
        changes: list[tuple[float, Color]] = []
        end = time.monotonic() + seconds
        while (now := time.monotonic()) < end:
            seen = self.color(*BAR_AT)
            if not changes or changes[-1][1] != seen:
                changes.append((now, seen))
            time.sleep(0.001)
        return _judge(changes)

    def save(self, path: Path) -> None:
        """Save the whole screen as an image, for a person to look at."""
        from PySide6.QtGui import QImage

        pixels = self.area(0, 0, content.WIDTH, content.HEIGHT)
        QImage(pixels, content.WIDTH, content.HEIGHT, QImage.Format.Format_RGB32).save(str(path))


@dataclass(frozen=True)
class Looks:
    """The colours that identify a scene."""

    background: Color
    accent: Color


@dataclass(frozen=True)
class Fades:
    """The fades: how many, frames a second in them, the longest time without a new frame in ms."""

    seen: int
    frames_a_second: float
    longest_gap_ms: float


def near(one: Color, other: Color) -> bool:
    """Whether two colours are equal within TOLERANCE."""
    return max(abs(a - b) for a, b in zip(one, other, strict=True)) <= TOLERANCE


def _judge(changes: list[tuple[float, Color]]) -> Fades:
    fades: list[list[float]] = []
    current: list[float] = []
    rested = False
    for moment, color in changes:
        if any(near(color, looks.accent) for looks in LOOKS):
            # The first may have begun before the measurement.
            if rested and len(current) > 2:
                fades.append(current)
            rested, current = True, []
        else:
            current.append(moment)
    lengths = [(len(fade) - 1, fade[-1] - fade[0]) for fade in fades]
    gaps = [later - earlier for fade in fades for earlier, later in pairwise(fade)]
    return Fades(
        seen=len(fades),
        frames_a_second=sum(steps for steps, _ in lengths) / max(1e-9, sum(length for _, length in lengths)),
        longest_gap_ms=1000 * max(gaps, default=0.0),
    )


def _rgb(written: str) -> Color:
    red, green, blue = bytes.fromhex(written.removeprefix("#"))
    return red, green, blue


LOOKS = tuple(Looks(_rgb(scene["background"]), _rgb(scene["accent"])) for scene in content.SCENES)
