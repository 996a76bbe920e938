"""Sets the prices of an item widget: one with what stands around it, or those of variants; imports no Qt."""

from __future__ import annotations

from msgspec.structs import replace

from player.display.layout.price import PriceLine, PriceSizes, price_line
from player.display.layout.runs import Ink, Run, exact_run
from player.display.layout.text.measuring import TextMeasurers
from player.domain.documents.scene import Box
from player.domain.view import MenuRow

# In ems of the name's size; lines of the description in ems of that.
PRICE_SIZE, DETAIL_SIZE = 0.92, 0.4
LINE = 1.18
BASELINE = 0.92
REGULAR_SIZE, REGULAR_APART = 0.55, 0.4
"""Size of a struck regular price, and its distance from the price of the offer."""
SAVING_BEFORE = 0.14
"""Between a price and what is saved."""
WORD_SIZE, WORD_APART = 0.45, 0.2
"""Size of the words around a price, and their distance from it."""
VARIANT_REGULAR_APART = 0.25
"""Between the price of a variant on offer and its regular price."""
IN_WORDS_SIZE = 0.62
"""Size of a price that is no amount."""
VARIANT_SIZE, VARIANT_APART, VARIANT_LINES_APART = 0.62, 0.8, 0.3
"""Size of the prices of variants, and the distances between them, side by side and from line to line."""
DETAIL_LINE, DETAIL_BASELINE = 1.42, 1.02
LEAST_DETAIL = 20.0
"""Least size of the description and of the foot, in canvas units."""


class ItemPrices:
    """The prices of one item in a box."""

    def __init__(self, row: MenuRow, text_box: Box, measurers: TextMeasurers, *, right_to_left: bool) -> None:
        self._row, self._measurers, self._right_to_left = row, measurers, right_to_left
        self._left, self._most = text_box.x, text_box.width

    def hanging(self, size: int) -> float:
        """By how much a price that begins a line hangs: a full-width sign has a blank before its ink."""
        price = self._row.price
        begins = not (price.before or price.in_words or self._right_to_left)
        return self._measurers.price.blank_before(price.text) * self.size(size) if begins else 0.0

    def width(self, size: int) -> float:
        """Width of the price with what is saved, or of the widest variant."""
        return max(self.line_width(size), self._saving(size).width)

    def line_width(self, size: int) -> float:
        """Width of the price with all that stands beside it, or of the widest variant."""
        if self._row.variants:
            return self._variants(size)[2]
        return self._price_line(size).width

    def size(self, size: int) -> int:
        """Size of the price."""
        return max(1, round((IN_WORDS_SIZE if self._row.price.in_words else PRICE_SIZE) * size))

    def saving_height(self, size: int) -> float:
        """Height of the line that says what is saved."""
        return SAVING_BEFORE * size + LINE * _regular_size(size) if self._row.saving else 0.0

    def set(self, size: int, x: float, y: float, *, beside: bool) -> tuple[Run, ...]:
        """The price from this corner on, with what is saved below it, or those of the variants."""
        row, left, most = self._row, self._left, self._most
        runs = [run.moved(left, y) for run in self._variants(size)[0]]
        if not row.variants:
            runs += self._price_line(size).moved(x, y + BASELINE * self.size(size))
        if row.saving:
            saving = self._saving(size)
            baseline = y + LINE * self.size(size) + SAVING_BEFORE * size + BASELINE * saving.size
            runs.append(saving.moved(left + most - saving.width if beside else left, baseline))
        return tuple(runs)

    def _saving(self, size: int) -> Run:
        return exact_run(self._measurers, "saving", self._row.saving, "price", _regular_size(size), ink=Ink.TEXT)

    def _price_line(self, size: int) -> PriceLine:
        own = self.size(size)
        sizes = PriceSizes(
            amount=own,
            in_words=own,
            word=_word_size(size),
            regular=_regular_size(size),
            word_gap=WORD_APART * size,
            regular_gap=REGULAR_APART * size,
        )
        return price_line(self._row.price, self._row.regular, sizes, self._measurers, ink=Ink.ACCENT)

    def _variants(self, size: int) -> tuple[list[Run], float, float]:
        """The variants side by side, in as many lines as they need, from 0, 0; their height, and the width of the
        widest."""
        detail, small, most = detail_size(size), _variant_size(size), self._most
        line, gap = DETAIL_LINE * detail + LINE * small, VARIANT_REGULAR_APART * size
        sizes = PriceSizes(amount=small, in_words=small, word=detail, regular=detail, word_gap=gap, regular_gap=gap)
        names = [
            exact_run(self._measurers, "variantName", one.name, "detail", detail, ink=Ink.SECONDARY)
            for one in self._row.variants
        ]
        prices = [
            price_line(replace(one.price, before="", after=""), one.regular, sizes, self._measurers, ink=Ink.ACCENT)
            for one in self._row.variants
        ]
        widths = [max(name.width, price.width) for name, price in zip(names, prices, strict=True)]
        if sum(widths) + VARIANT_APART * size * (len(widths) - 1) > most:
            # In several lines they stand under each other.
            widths = [max(widths)] * len(widths)
        found, x, y = list[Run](), 0.0, 0.0
        for name, price, width in zip(names, prices, widths, strict=True):
            if x > 0 and x + width > most:
                x, y = 0.0, y + line + VARIANT_LINES_APART * size
            found.append(replace(name.moved(x, y + DETAIL_BASELINE * detail), width=width, fills=True))
            amount, *regular = price.moved(x, y + DETAIL_LINE * detail + BASELINE * small)
            found.append(replace(amount, name="variantPrice", width=width, fills=True))
            found += (replace(run, name="variantRegular") for run in regular)
            x += width + VARIANT_APART * size
        return found, y + line if found else 0.0, max(widths, default=0.0)

    def variants_height(self, size: int) -> float:
        """Height of all lines of variants."""
        return self._variants(size)[1]


def detail_size(size: int) -> int:
    """Size of the description where the name has this size."""
    return max(1, round(max(min(LEAST_DETAIL, size * 0.8), DETAIL_SIZE * size)))


def _regular_size(size: int) -> int:
    return max(detail_size(size), round(REGULAR_SIZE * size))


def _word_size(size: int) -> int:
    return max(detail_size(size), round(WORD_SIZE * size))


def _variant_size(size: int) -> int:
    return max(detail_size(size), round(VARIANT_SIZE * size))
