"""Runs of text, and the lines that strike or separate them, in rows, cards and items alike; imports no Qt."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, Self, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from player.display.layout.text.bidi import RIGHT_TO_LEFT_MARK
from player.display.layout.text.measuring import Face, TextMeasurers

# In ems of the struck text.
NAME_MIDDLE, PRICE_MIDDLE = 0.29, 0.35
"""From the baseline up to the middle of small letters, and of figures."""
THICKNESS = 0.07

Ink = Literal["text", "secondary", "accent", "rule", "shadow", "onAccent", "largeAccent", "onLargeAccent"]
"""The colour of a text or line in its theme; names are those of the facts that QML reads."""


class Placed(Struct, frozen=True, kw_only=True):
    """A part of a list or an item; canvas units, from the corner of its container."""

    x: float = 0.0
    y: float = 0.0
    width: float = 0.0

    def moved(self, x: float, y: float = 0.0) -> Self:
        """Shifts the part right and down."""
        return replace(self, x=self.x + x, y=self.y + y)


PlacedPart = TypeVar("PlacedPart", bound=Placed)


def mirrored(parts: Iterable[PlacedPart], width: float) -> tuple[PlacedPart, ...]:
    """Mirrors the parts in this width. The digits of a price keep their order: only its position is mirrored."""
    return tuple(replace(part, x=width - part.x - part.width) for part in parts)


class Run(Placed, frozen=True, kw_only=True):
    """A text in one font and colour, possibly in lines `line` apart; `y` is the first line's baseline.

    With `fills` it starts at the reading side of its width, otherwise it is as wide as it. `name` is that of its QML
    item.
    """

    name: str
    text: str
    face: Face
    size: int
    ink: Ink
    line: float = 0.0
    fills: bool = False
    struck: bool = False


class Line(Placed, frozen=True, kw_only=True):
    """A hairline, or a line through a text; `y` is that of its top."""

    name: str
    ink: Ink
    thickness: float


def exact_run(
    measurers: TextMeasurers, name: str, text: str, face: Face, size: int, *, ink: Ink, struck: bool = False
) -> Run:
    """Sets a run as wide as its text, from 0, 0."""
    width = measurers.of(face).width(text) * size
    return Run(name=name, text=text, face=face, size=size, ink=ink, width=width, struck=struck)


def strikes(runs: Iterable[Run], measurers: TextMeasurers) -> tuple[Line, ...]:
    """Returns the lines through struck runs, each at one height whatever faces its letters have."""
    return tuple(
        Line(
            name="strike",
            # A name is struck in its own colour.
            ink="text" if run.fills else "secondary",
            x=run.x,
            y=run.y
            + number * run.line
            - (NAME_MIDDLE if run.face == "name" else PRICE_MIDDLE) * run.size
            - THICKNESS * run.size / 2,
            width=measurers.of(run.face).width(text.lstrip(RIGHT_TO_LEFT_MARK)) * run.size if run.fills else run.width,
            thickness=THICKNESS * run.size,
        )
        for run in runs
        if run.struck
        for number, text in enumerate(run.text.split("\n"))
    )
