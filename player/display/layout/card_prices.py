"""Sets the prices at the foot of a card: one with what stands around it, or those of variants in lines; no Qt."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from player.display.layout.energy import named_variant
from player.display.layout.price import PriceSizes, price_line
from player.display.layout.runs import Ink, Run, exact_run
from player.display.layout.sizes import DETAIL_LINE, line_size
from player.display.layout.text.bidi import with_base_direction
from player.display.layout.text.measuring import TextMeasurers
from player.domain.view import MenuRow

# In ems of the one text size.
PRICE_SIZE, PRICE_LINE = 1.12, 1.2
BASELINE = 0.92
VARIANT_LINE, VARIANT_BASELINE = 1.04, 0.8
REGULAR_APART, WORD_APART = 0.4, 0.2


class CardPrices(Struct, frozen=True, kw_only=True):
    """The prices of a card; baselines are from the end of the card's text. `width` is what they need."""

    runs: tuple[Run, ...] = ()
    width: float = 0.0
    height: float = 0.0


def set_prices(
    row: MenuRow,
    measurers: TextMeasurers,
    *,
    listed: bool,
    width: float,
    size: int,
    detail: int,
    right_to_left: bool,
) -> CardPrices:
    """The prices of an item in a card with text of this width; its variants in lines if they are `listed`."""
    if listed:
        return _variants(row, measurers, width, size, detail, right_to_left=right_to_left)
    price = row.lowest.price if row.variants and row.lowest is not None else row.price
    if not price.text:
        return CardPrices()
    small, amount = line_size(size, detail), max(1, round(PRICE_SIZE * size))
    sizes = PriceSizes(
        amount=amount,
        in_words=small,
        word=detail,
        regular=small,
        word_gap=WORD_APART * size,
        regular_gap=REGULAR_APART * size,
    )
    height = PRICE_LINE * amount
    baseline = -(1 - BASELINE / PRICE_LINE) * height
    # A full-width sign has a blank before its ink.
    begins = not (price.before or price.in_words or right_to_left)
    x = -measurers.price.blank_before(price.text) * amount if begins else 0.0
    line = price_line(price, row.regular, sizes, measurers, ink=Ink.ACCENT)
    runs, needed = list(line.moved(x, baseline)), x + line.width
    if row.regular and needed > width:
        struck = runs.pop()
        needed = max(struck.x - sizes.regular_gap, struck.width)
        runs.append(replace(struck, x=0.0, y=baseline - height))
        height += VARIANT_LINE * size
    if row.saving:
        saving = exact_run(measurers, "saving", row.saving, "price", detail, ink=Ink.ACCENT)
        runs.append(saving.moved(0.0, baseline - height))
        height, needed = height + DETAIL_LINE * detail, max(needed, saving.width)
    return CardPrices(runs=tuple(runs), width=needed, height=height)


def _variants(
    row: MenuRow, measurers: TextMeasurers, width: float, size: int, detail: int, *, right_to_left: bool
) -> CardPrices:
    """The variants in lines, the names where reading begins, the prices at the other end."""
    small, runs, needed = line_size(size, detail), list[Run](), 0.0
    for number, variant in enumerate(reversed(row.variants)):
        y = -(VARIANT_LINE - VARIANT_BASELINE) * size - number * VARIANT_LINE * size
        struck, prefix = variant.sold_out, "variantStruck" if variant.sold_out else "variant"
        told = named_variant(variant, right_to_left=right_to_left)
        name = exact_run(
            measurers,
            f"{prefix}Name",
            told,
            "name",
            small,
            ink=Ink.SECONDARY if struck else Ink.TEXT,
            struck=struck,
        )
        price = exact_run(
            measurers,
            f"{prefix}Price",
            variant.price.text,
            "price",
            small,
            ink=Ink.SECONDARY if struck else Ink.ACCENT,
            struck=struck,
        )
        regular = exact_run(
            measurers, "variantRegular", variant.regular, "price", detail, ink=Ink.SECONDARY, struck=True
        )
        at = width - price.width
        if variant.regular:
            at -= REGULAR_APART * size + regular.width
            runs.append(regular.moved(at, y))
        needed = max(needed, name.width + small + width - at)
        directed = with_base_direction((told,), right_to_left=right_to_left)
        runs += (replace(name, text=directed, y=y), price.moved(width - price.width, y))
    return CardPrices(runs=tuple(runs), width=needed, height=VARIANT_LINE * size * len(row.variants))
