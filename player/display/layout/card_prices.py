"""Sets the prices at the foot of a card: one with its words and regular price, or those of variants in lines; no Qt."""

from __future__ import annotations

from msgspec.structs import replace

from player.display.layout.energy import named_variant
from player.display.layout.prices import Prices, price_line, struck_price, variant_name, variant_price
from player.display.layout.runs import Run, exact_run
from player.display.layout.setting import Setting
from player.display.layout.sizes import DETAIL_LINE, line_size
from player.domain.view import MenuRow

# In ems of the one text size.
PRICE_SIZE, PRICE_LINE = 1.12, 1.2
BASELINE = 0.92
VARIANT_LINE, VARIANT_BASELINE = 1.04, 0.8
REGULAR_APART, WORD_APART = 0.4, 0.2


def card_prices(
    row: MenuRow,
    setting: Setting,
    *,
    listed: bool,
    width: float,
    size: int,
    detail: int,
) -> Prices:
    """Sets the prices of an item in a card with text of this width; its variants in lines if they are `listed`.
    Baselines are from the end of the card's text."""
    if listed:
        return _variants(row, setting, width, size, detail)
    measurers = setting.measurers
    price = row.lowest.price if row.variants and row.lowest is not None else row.price
    if not price.text:
        return Prices()
    small, amount = line_size(size, detail), max(1, round(PRICE_SIZE * size))
    height, gap = PRICE_LINE * amount, REGULAR_APART * size
    baseline = -(1 - BASELINE / PRICE_LINE) * height
    line = price_line(
        price,
        row.regular,
        measurers,
        size=small if price.in_words else amount,
        word=detail,
        small=small,
        word_gap=WORD_APART * size,
        regular_gap=gap,
    )
    runs, needed = list(line.moved(0.0, baseline)), line.width
    if row.regular and needed > width:
        struck = runs.pop()
        needed = max(struck.x - gap, struck.width)
        runs.append(replace(struck, x=0.0, y=baseline - height))
        height += VARIANT_LINE * size
    if row.saving:
        saving = exact_run(measurers, "saving", row.saving, "price", detail, ink="accent")
        runs.append(saving.moved(0.0, baseline - height))
        height, needed = height + DETAIL_LINE * detail, max(needed, saving.width)
    return Prices(runs=tuple(runs), width=needed, height=height)


def _variants(row: MenuRow, setting: Setting, width: float, size: int, detail: int) -> Prices:
    """Sets the variants in lines, names at the start of the line, prices at the other end."""
    measurers = setting.measurers
    small, runs, needed = line_size(size, detail), list[Run](), 0.0
    for number, variant in enumerate(reversed(row.variants)):
        y = -(VARIANT_LINE - VARIANT_BASELINE) * size - number * VARIANT_LINE * size
        told = named_variant(variant, right_to_left=setting.right_to_left)
        name = variant_name("variant", variant, told, small, setting, ink="text")
        price = variant_price("variant", variant, small, measurers, ink="accent")
        regular = struck_price("variantRegular", variant.regular, detail, measurers)
        at = width - price.width
        if variant.regular:
            at -= REGULAR_APART * size + regular.width
            runs.append(regular.moved(at, y))
        needed = max(needed, name.width + small + width - at)
        runs += (name.moved(0.0, y), price.moved(width - price.width, y))
    return Prices(runs=tuple(runs), width=needed, height=VARIANT_LINE * size * len(row.variants))
