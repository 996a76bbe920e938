"""Sets a price on its line, with the words around it and the regular price; for rows, cards and items alike. No Qt."""

from __future__ import annotations

from msgspec import Struct

from player.display.layout.runs import Ink, Run, exact_run
from player.display.layout.text.measuring import TextMeasurers
from player.domain.view import PriceText


class PriceSizes(Struct, frozen=True, kw_only=True):
    """Sizes of an amount, of words in place of one, of small words around it and of a regular price; then the
    distances of those words and of the regular price."""

    amount: int
    in_words: int
    word: int
    regular: int
    word_gap: float
    regular_gap: float


class PriceLine(Struct, frozen=True, kw_only=True):
    """A price with what stands beside it, on the baseline 0; `start` is where the amount begins."""

    runs: tuple[Run, ...]
    start: float
    width: float

    def moved(self, x: float, y: float = 0.0) -> tuple[Run, ...]:
        """The runs, so much to the right and down."""
        return tuple(run.moved(x, y) for run in self.runs)


def price_line(
    price: PriceText,
    regular: str,
    sizes: PriceSizes,
    measurers: TextMeasurers,
    *,
    ink: Ink,
    regular_first: bool = False,
) -> PriceLine:
    """The line from 0: word, amount, word, and after or before them the struck regular price."""
    kind, size = ("priceInWords", sizes.in_words) if price.in_words else ("price", sizes.amount)
    parts = [
        exact_run(measurers, "priceWord", price.before, "detail", sizes.word, ink=Ink.SECONDARY),
        exact_run(measurers, kind, price.text, "price", size, ink=ink),
        exact_run(measurers, "priceWord", price.after, "detail", sizes.word, ink=Ink.SECONDARY),
    ]
    struck = exact_run(measurers, "regular", regular, "price", sizes.regular, ink=Ink.SECONDARY, struck=True)
    parts.insert(0 if regular_first else len(parts), struck)
    runs: list[Run] = []
    x = start = 0.0
    for run in parts:
        if not run.text:
            continue
        if runs:
            x += sizes.regular_gap if run.struck or runs[-1].struck else sizes.word_gap
        if run.name == kind:
            start = x
        runs.append(run.moved(x))
        x += run.width
    return PriceLine(runs=tuple(runs), start=start, width=x)
