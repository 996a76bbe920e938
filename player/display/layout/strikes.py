"""Places the lines that strike texts, each at one height whatever faces its letters have; imports no Qt."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

# In ems of the struck text.
NAME_MIDDLE, PRICE_MIDDLE = 0.29, 0.35
"""From the baseline up to the middle of small letters, and of figures."""
THICKNESS = 0.07


class Strike(Struct, frozen=True, kw_only=True):
    """A line through a text; canvas units, `y` is that of its middle. `quiet`: it strikes what is not in the colour of
    the text."""

    x: float
    y: float
    width: float
    thickness: float
    quiet: bool = True


def strike(*, x: float, baseline: float, width: float, size: float, figures: bool = True, quiet: bool = True) -> Strike:
    """The line through a text of this size on this baseline."""
    middle = (PRICE_MIDDLE if figures else NAME_MIDDLE) * size
    return Strike(x=x, y=baseline - middle, width=width, thickness=THICKNESS * size, quiet=quiet)


def struck_lines(widths: Sequence[float], *, x: float, baseline: float, line: float, size: float) -> tuple[Strike, ...]:
    """The lines through the lines of a name, each as wide as its text, in the name's colour."""
    return tuple(
        strike(x=x, baseline=baseline + number * line, width=width, size=size, figures=False, quiet=False)
        for number, width in enumerate(widths)
    )


def describe_strikes(strikes: Sequence[Strike]) -> list[dict[str, object]]:
    """The lines as QML draws them."""
    return [
        {"x": one.x, "y": one.y, "width": one.width, "thickness": one.thickness, "quiet": one.quiet} for one in strikes
    ]
