"""Owns how a text breaks into lines: greedy, from measured pieces; pure, imports no Qt."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

ELLIPSIS = "…"


class Segment(Struct, frozen=True, kw_only=True):
    """A piece that does not break, with the blanks that follow it; `width` in ems, without those blanks."""

    text: str
    width: float


def wrap(
    paragraphs: Sequence[Sequence[Segment]], *, width: float, limit: int, width_of: Callable[[str], float]
) -> tuple[str, ...]:
    """The paragraphs in at most `limit` lines of at most `width` ems.

    A piece wider than a line is cut between characters; what is too much for the last line ends in an ellipsis.
    """
    lines: list[str] = []
    for paragraph in paragraphs:
        line = ""
        for segment in paragraph:
            if len(lines) > limit:
                break
            if line and width_of((line + segment.text).rstrip()) > width:
                lines.append(line.rstrip())
                line = ""
            line += segment.text
            while len(lines) <= limit and segment.width > width and width_of(line.rstrip()) > width:
                head = _cut(line, width, width_of)
                lines.append(head)
                line = line[len(head) :]
        lines.append(line.rstrip())
        if len(lines) > limit:
            break
    if len(lines) <= limit:
        return tuple(lines)
    return (*lines[: limit - 1], _elide(lines[limit - 1], width, width_of))


def _cut(text: str, width: float, width_of: Callable[[str], float]) -> str:
    low, high = 1, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if width_of(text[:middle]) <= width:
            low = middle
        else:
            high = middle - 1
    return text[:low]


def _elide(line: str, width: float, width_of: Callable[[str], float]) -> str:
    if width_of(line + ELLIPSIS) <= width:
        return line + ELLIPSIS
    return _cut(line, max(0.0, width - width_of(ELLIPSIS)), width_of).rstrip() + ELLIPSIS
