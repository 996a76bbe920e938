"""Runs of text and the lines that strike or part them, in rows, cards and items alike; imports no Qt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from player.display.layout.text.bidi import RIGHT_TO_LEFT_MARK
from player.display.layout.text.measuring import Face, TextMeasurers

# In ems of the struck text.
NAME_MIDDLE, PRICE_MIDDLE = 0.29, 0.35
"""From the baseline up to the middle of small letters, and of figures."""
THICKNESS = 0.07


class Ink(StrEnum):
    """The colour of a text or line in its theme; names are those of the facts that QML reads."""

    TEXT = "text"
    SECONDARY = "secondary"
    ACCENT = "accent"
    RULE = "rule"


class Run(Struct, frozen=True, kw_only=True):
    """A text in one font and colour, perhaps in lines `line` apart; canvas units, `y` is the first line's baseline.

    With `fills` it begins in its width where reading begins, otherwise it is as wide as it. `name` is that of its QML
    item.
    """

    name: str
    text: str
    face: Face
    size: int
    ink: Ink
    x: float = 0.0
    y: float = 0.0
    width: float = 0.0
    line: float = 0.0
    fills: bool = False
    struck: bool = False

    def moved(self, x: float, y: float = 0.0) -> Run:
        """The run, so much to the right and down."""
        return replace(self, x=self.x + x, y=self.y + y)


class Line(Struct, frozen=True, kw_only=True):
    """A hairline, or a line through a text; canvas units, `y` is that of its top."""

    name: str
    ink: Ink
    x: float
    y: float
    width: float
    thickness: float


def exact_run(
    measurers: TextMeasurers, name: str, text: str, face: Face, size: int, *, ink: Ink, struck: bool = False
) -> Run:
    """A run as wide as its text, from 0, 0."""
    width = measurers.of(face).width(text) * size
    return Run(name=name, text=text, face=face, size=size, ink=ink, width=width, struck=struck)


def strikes(runs: Iterable[Run], measurers: TextMeasurers) -> tuple[Line, ...]:
    """The lines through struck runs, each at one height whatever faces its letters have."""
    return tuple(line for run in runs if run.struck for line in _through(run, measurers.of(run.face).width))


def _through(run: Run, width_of: Callable[[str], float]) -> Iterable[Line]:
    middle = (NAME_MIDDLE if run.face == "name" else PRICE_MIDDLE) * run.size
    for number, text in enumerate(run.text.split("\n")):
        yield Line(
            name="strike",
            # A name is struck in its own colour.
            ink=Ink.TEXT if run.fills else Ink.SECONDARY,
            x=run.x,
            y=run.y + number * run.line - middle - THICKNESS * run.size / 2,
            width=width_of(text.lstrip(RIGHT_TO_LEFT_MARK)) * run.size if run.fills else run.width,
            thickness=THICKNESS * run.size,
        )


def mirrored_runs(runs: Sequence[Run], width: float) -> tuple[Run, ...]:
    """The runs mirrored in this width. The digits of a price keep their order: only its position is mirrored."""
    return tuple(replace(run, x=width - run.x - run.width) for run in runs)


def mirrored_lines(lines: Sequence[Line], width: float) -> tuple[Line, ...]:
    """The lines mirrored in this width."""
    return tuple(replace(line, x=width - line.x - line.width) for line in lines)
