"""Sets the prices of an item widget: one with its words and regular price, or those of variants; imports no Qt."""

from __future__ import annotations

from msgspec.structs import replace

from player.display.layout.energy import BESIDE
from player.display.layout.prices import Prices, price_line, struck_price
from player.display.layout.runs import Run, exact_run
from player.display.layout.setting import Setting
from player.display.layout.text.measuring import TextMeasurers
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
VARIANT_SIZE, VARIANT_APART, VARIANT_LINES_APART = 0.62, 0.8, 0.3
"""Size of the prices of variants, and the distances between them, side by side and from line to line."""
DETAIL_LINE, DETAIL_BASELINE = 1.42, 1.02
LEAST_DETAIL = 20.0
"""Least size of the description and of the foot, in canvas units."""


def item_prices(row: MenuRow, setting: Setting, *, size: int, most: float, beside: bool) -> Prices:
    """Sets the price with the saving below it, or those of the variants, in a box `most` wide; `beside` a name of this
    size, at its end, or from 0, 0 on."""
    measurers = setting.measurers
    if row.variants:
        return _variants(row, measurers, size, most)
    if not row.price.text:
        return Prices()
    own = max(1, round((0.62 if row.price.in_words else PRICE_SIZE) * size))
    small = detail_size(size, REGULAR_SIZE)
    line = price_line(
        row.price,
        row.regular,
        measurers,
        size=own,
        word=detail_size(size, WORD_SIZE),
        small=small,
        word_gap=WORD_APART * size,
        regular_gap=REGULAR_APART * size,
    )
    if line.width > most and not beside:
        return _stacked(row, setting, size, own)
    x, y = (most - line.width, (LINE * size - LINE * own) / 2) if beside else (0.0, 0.0)
    runs, width, height = line.moved(x, y + BASELINE * own), line.width, y + LINE * own
    if row.saving:
        saving = exact_run(measurers, "saving", row.saving, "price", small, ink="text")
        at = most - saving.width if beside else 0.0
        runs = (*runs, saving.moved(at, height + SAVING_BEFORE * size + BASELINE * small))
        width, height = max(width, saving.width), height + SAVING_BEFORE * size + LINE * small
    return Prices(runs=runs, width=width, height=height)


def _stacked(row: MenuRow, setting: Setting, size: int, own: int) -> Prices:
    """Sets the price, the regular one and the energy below each other, with the saving."""
    measurers, small = setting.measurers, detail_size(size, REGULAR_SIZE)
    amount, _, energy = row.price.text.partition(BESIDE)
    word, gap = detail_size(size, WORD_SIZE), WORD_APART * size
    price = price_line(replace(row.price, text=amount), "", measurers, size=own, word=word, word_gap=gap)
    runs, width, height = price.moved(0.0, BASELINE * own), price.width, LINE * own
    for run in (
        struck_price("regular", row.regular, small, measurers),
        exact_run(measurers, "price", energy, "price", own, ink="accent"),
        exact_run(measurers, "saving", row.saving, "price", small, ink="text"),
    ):
        if run.text:
            runs = (*runs, run.moved(0.0, height + BASELINE * run.size))
            width, height = max(width, run.width), height + LINE * run.size
    return Prices(runs=runs, width=width, height=height)


def _variants(row: MenuRow, measurers: TextMeasurers, size: int, most: float) -> Prices:
    """Sets the variants side by side, in as many lines as they need."""
    detail, small = detail_size(size), detail_size(size, VARIANT_SIZE)
    line, gap = DETAIL_LINE * detail + LINE * small, 0.25 * size
    names = [exact_run(measurers, "variantName", one.name, "detail", detail, ink="secondary") for one in row.variants]
    prices = [
        price_line(
            replace(one.price, before="", after="", per=""),
            one.regular,
            measurers,
            size=small,
            small=detail,
            regular_gap=gap,
        )
        for one in row.variants
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
    return Prices(runs=tuple(found), width=max(widths), height=y + line)


def detail_size(size: int, share: float = DETAIL_SIZE) -> int:
    """Returns the size of the description where the name has this size, or of another text that is this share of it, no
    smaller."""
    least = max(1, round(max(min(LEAST_DETAIL, size * 0.8), DETAIL_SIZE * size)))
    return max(least, round(share * size))
