"""Values that all texts of a list or an item are set with; imports no Qt."""

from __future__ import annotations

import math

from msgspec import Struct

from menu.documents.theme import HeadingStyle
from menu.text.energy import is_declared_large
from menu.text.wording import Locality
from player.display.layout.text.measuring import TextMeasurers

HEADING_SIZE = 1.25
"""The size of headings, as a share of the names': what guests look for first leads."""


class Setting(Struct, frozen=True, kw_only=True):
    """Fonts of a widget, its languages and the theme's factor of text sizes. `second` is the locality of a second
    language, `sold_out` the tag of a sold-out row; `with_panel`: the text stands on a panel."""

    measurers: TextMeasurers
    locality: Locality
    second: Locality | None = None
    sold_out: str = ""
    scale: float = 1.0
    with_panel: bool = False
    heading_style: HeadingStyle = HeadingStyle.RULED
    heading_size: float = HEADING_SIZE
    """As a share of the names' size."""
    large: float = math.inf
    """The size from which on text is large, and needs less contrast."""

    @property
    def right_to_left(self) -> bool:
        return self.locality.right_to_left

    @property
    def large_energy(self) -> bool:
        """Whether the law requires energies as conspicuous as names and prices."""
        return is_declared_large(self.locality.law)
