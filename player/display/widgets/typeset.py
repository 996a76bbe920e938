"""Describes to QML the typeset parts of a row, a card, a heading or an item: runs of text, lines and badges."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType

from msgspec.structs import asdict, replace
from PySide6.QtGui import QFont

from menu.documents.theme import Weight
from menu.text.wording import Locality
from player.display.layout.badges import Badge
from player.display.layout.runs import Line, Run
from player.display.layout.text.line_breaking import hang
from player.display.layout.text.measuring import Face, TextMeasurers
from player.display.typography.theme import MeasuredFont, ResolvedTheme, family_chain

_RING = tuple((math.cos(turn * math.pi / 4), math.sin(turn * math.pi / 4)) for turn in range(8))
SHADOW_WIDTH = 0.045
"""The width of a shadow around letters, in ems."""
SHADOWED: frozenset[Face] = frozenset({"title", "heading"})
"""Faces of a list that have a shadow: so many texts as rows have would take too long to draw."""


class Fonts:
    """Fonts of a list or an item, and their measurers."""

    def __init__(
        self,
        theme: ResolvedTheme,
        locality: Locality,
        second: Locality | None = None,
        others: Mapping[Face, MeasuredFont] = MappingProxyType({}),
        shadowed: frozenset[Face] = SHADOWED,
    ) -> None:
        """`second` is the locality of a second language, with Han characters in its own forms; `others` are used in
        place of the usual fonts. `shadowed` have the theme's shadow."""
        weight, locale = QFont.Weight, locality.locale
        title, heading = theme.tracking
        detail = MeasuredFont(theme.body_families, weight.Normal, locale=locale, italic=theme.italic_details)
        below = detail
        if second is not None:
            families = family_chain(theme.body_families[0], locale=second.locale)
            below = MeasuredFont(families, weight.Normal, locale=second.locale)
        self.shadowed = shadowed if theme.shadow.alpha() else frozenset()
        self._fonts: Mapping[Face, MeasuredFont] = {
            "title": MeasuredFont(theme.title_families, weight.Bold, tracking=title, italic=theme.italic_titles),
            "heading": MeasuredFont(
                theme.heading_families,
                weight.Bold if theme.heading_weight is Weight.BOLD else weight.Normal,
                tracking=heading,
                italic=theme.italic_titles,
                locale=locale,
            ),
            "name": MeasuredFont(theme.body_families, weight.Medium, locale=locale),
            "price": MeasuredFont(theme.body_families, weight.DemiBold, tabular=True, in_cells=True),
            "detail": detail,
            "tag": MeasuredFont(theme.body_families, weight.DemiBold),
            "second": below,
            "second_detail": below,
            **others,
        }
        self.measurers = TextMeasurers(**self._fonts)

    def font(self, face: Face, size: int) -> QFont:
        return self._fonts[face].at_size(size)

    def of(self, face: Face) -> MeasuredFont:
        return self._fonts[face]


def describe_typeset(
    runs: Iterable[Run],
    lines: Iterable[Line],
    badges: Iterable[Badge] = (),
    *,
    fonts: Fonts,
    right_to_left: bool,
    icon_look: Callable[[str], dict[str, object]] = lambda icon: {"icon": icon, "own": None},
) -> dict[str, object]:
    """Describes the texts, lines and badges to QML; a strike-through is as strong as its text. `icon_look` is the
    drawing of an icon, and its own colour, if it has one."""
    return {
        "runs": [
            {
                **asdict(run),
                "first": run.text.split("\n")[0],
                "more": run.text.split("\n")[1:],
                "hangs": [hang(line) * run.size if run.fills else 0.0 for line in run.text.split("\n")],
                "font": fonts.font(run.face, run.size),
                "atRight": run.fills and right_to_left,
                "cells": _cells(run, fonts.of(run.face)),
            }
            for run in (_with_shadows(runs, fonts.shadowed) if fonts.shadowed else runs)
        ],
        "lines": [asdict(line) for line in lines],
        "tags": [{**asdict(badge), **icon_look(badge.icon), "font": fonts.font("tag", badge.size)} for badge in badges],
    }


def _cells(run: Run, font: MeasuredFont) -> list[dict[str, object]]:
    """Describes the parts of a run whose figures stand in cells; empty where it is drawn as one."""
    cells = font.cells(run.text)
    return [{"x": cell.x * run.size, "text": cell.text} for cell in cells.parts] if cells is not None else []


def shadow_offsets(size: float) -> list[tuple[float, float]]:
    """Returns the offsets from a text of this size of the copies that are its shadow."""
    return [(x * SHADOW_WIDTH * size, y * SHADOW_WIDTH * size) for x, y in _RING]


def _with_shadows(runs: Iterable[Run], shadowed: frozenset[Face]) -> Iterator[Run]:
    """Puts a shadow below each run of these faces."""
    for run in runs:
        if run.face in shadowed and run.ink not in {"onAccent", "onLargeAccent"}:
            shadow = replace(run, name="shadow", ink="shadow")
            yield from (shadow.moved(x, y) for x, y in shadow_offsets(run.size))
        yield run
