"""Sets the texts of a row, a card or an item below each other, in no more lines than there is room for; no Qt."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TypeVar

from msgspec import Struct

from player.display.layout.runs import Ink, Run
from player.display.layout.sizes import largest
from player.display.layout.text.bidi import with_base_direction
from player.display.layout.text.measuring import Face


class Stack:
    """Texts below each other, each in lines that fill a width; from 0, 0 on."""

    def __init__(self, *, width: float, right_to_left: bool) -> None:
        self._width, self._right_to_left = width, right_to_left
        self.runs: list[Run] = []
        self.end = 0.0
        """The end of the last one."""

    def add(
        self,
        name: str,
        face: Face,
        lines: Sequence[str] | str,
        size: int,
        line: float,
        baseline: float,
        *,
        ink: Ink = "secondary",
        before: float = 0.0,
        width: float | None = None,
        struck: bool = False,
    ) -> None:
        """Adds a text, if there is one, `before` below the last; `line` and `baseline`, of its first line from its top,
        are in ems. Lines that are one text already keep their direction."""
        if not lines:
            return
        directed = lines if isinstance(lines, str) else with_base_direction(lines, right_to_left=self._right_to_left)
        top = self.end + before
        self.runs.append(
            Run(
                name=name,
                text=directed,
                face=face,
                size=size,
                ink=ink,
                y=top + baseline * size,
                width=self._width if width is None else width,
                line=line * size,
                fills=True,
                struck=struck,
            )
        )
        self.end = top + line * size * (directed.count("\n") + 1)


class Lined(Struct, frozen=True, kw_only=True):
    """Texts in lines, and how many of them each text has."""

    height: float
    used: Mapping[str, int]


Texts = TypeVar("Texts", bound=Lined)


def within(
    room: float, most: Mapping[str, int], fewest: Mapping[str, int], lay_out: Callable[[Mapping[str, int]], Texts]
) -> Texts:
    """Lays out the texts in at most so many lines each. Where they are higher than the room, they lose a line one after
    the other, down to the `fewest`, in whose order the least important text goes first."""
    limits = dict(most)
    found = lay_out(limits)
    for text, least in fewest.items():
        used = min(limits[text], found.used[text])
        if found.height > room and used > least:
            limits[text], found = _fewer(text, least, used - 1, room, limits, lay_out)
    return found


def _fewer(
    text: str,
    least: int,
    most: int,
    room: float,
    limits: Mapping[str, int],
    lay_out: Callable[[Mapping[str, int]], Texts],
) -> tuple[int, Texts]:
    """Returns the most lines of a text with which all have room, or the least; and the texts with so many."""

    @cache
    def tried(lines: int) -> Texts:
        return lay_out({**limits, text: lines})

    lines = largest(least, most, lambda lines: tried(lines).height <= room)
    return lines, tried(lines)
