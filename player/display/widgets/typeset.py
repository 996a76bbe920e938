"""Describes to QML what a row, a card, a heading or an item has typeset: runs of text, lines and badges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from msgspec.structs import asdict
from PySide6.QtGui import QFont

from player.display.layout.badges import Badge
from player.display.layout.runs import Line, Run
from player.display.layout.text.measuring import Face, TextMeasurers
from player.display.typography.theme import MeasuredFont, ResolvedTheme, family_chain
from player.domain.view import Locality

HEADING_TRACKING = 0.07


class Fonts:
    """The fonts of a list or an item, and their measurers."""

    def __init__(
        self,
        theme: ResolvedTheme,
        locality: Locality,
        second: Locality | None = None,
        others: Mapping[Face, MeasuredFont] = MappingProxyType({}),
    ) -> None:
        """`second` is the locality of a second language, with Han characters in its own forms; `others` are used in
        place of the usual fonts."""
        weight, locale = QFont.Weight, locality.locale
        detail = MeasuredFont(theme.body_families, weight.Normal, locale=locale)
        below = detail
        if second is not None:
            families = family_chain(theme.body_families[0], locale=second.locale)
            below = MeasuredFont(families, weight.Normal, locale=second.locale)
        # No letter spacing in a joined script.
        tracking = 0.0 if locality.right_to_left else HEADING_TRACKING
        self._fonts: Mapping[Face, MeasuredFont] = {
            "title": MeasuredFont(theme.title_families, weight.Bold),
            "heading": MeasuredFont(theme.body_families, weight.Bold, tracking=tracking),
            "name": MeasuredFont(theme.body_families, weight.Medium, locale=locale),
            "price": MeasuredFont(theme.body_families, weight.DemiBold, tabular=True),
            "detail": detail,
            "tag": MeasuredFont(theme.body_families, weight.DemiBold),
            "second": below,
            "second_detail": below,
            **others,
        }
        self.measurers = TextMeasurers(**self._fonts)

    def font(self, face: Face, size: int) -> QFont:
        """A font at a size, for QML."""
        return self._fonts[face].at_size(size)

    def of(self, face: Face) -> MeasuredFont:
        """A font with its measurements."""
        return self._fonts[face]


def describe_typeset(
    runs: Iterable[Run], lines: Iterable[Line], badges: Iterable[Badge] = (), *, fonts: Fonts, right_to_left: bool
) -> dict[str, object]:
    """The texts, the lines and the badges as QML draws them; what strikes a text is as strong as it."""
    return {
        "runs": [
            {
                **asdict(run),
                "first": run.text.split("\n")[0],
                "more": run.text.split("\n")[1:],
                "font": fonts.font(run.face, run.size),
                "atRight": run.fills and right_to_left,
            }
            for run in runs
        ],
        "lines": [asdict(line) for line in lines],
        "tags": [{**asdict(badge), "font": fonts.font("tag", badge.size)} for badge in badges],
    }
