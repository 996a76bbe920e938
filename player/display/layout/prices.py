"""Sets a price on its line, with the words around it and the regular price; for rows, cards and items alike. No Qt."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from menu.text.price import PriceText
from player.display.layout.runs import Ink, Run, exact_run
from player.display.layout.setting import Setting
from player.display.layout.text.bidi import with_base_direction
from player.display.layout.text.measuring import TextMeasurers
from player.domain.view import VariantText


class Prices(Struct, frozen=True, kw_only=True):
    """Prices of an item at their positions; `width` is what they need, `cut`: a variant's name is cut."""

    runs: tuple[Run, ...] = ()
    width: float = 0.0
    height: float = 0.0
    cut: bool = False


class PriceLine(Struct, frozen=True, kw_only=True):
    """A price with what stands beside it, on the baseline 0; `start` is where the amount begins."""

    runs: tuple[Run, ...]
    start: float
    width: float

    def moved(self, x: float, y: float = 0.0) -> tuple[Run, ...]:
        return tuple(run.moved(x, y) for run in self.runs)


def price_line(
    price: PriceText,
    regular: str,
    measurers: TextMeasurers,
    *,
    size: int,
    word: int = 0,
    small: int = 0,
    word_gap: float = 0.0,
    regular_gap: float = 0.0,
    ink: Ink = "accent",
    regular_first: bool = False,
) -> PriceLine:
    """Returns the line from 0: word, amount, word, and after or before them the struck regular price. `word` is the
    size of words around an amount, `small` that of the regular price; a price without them needs neither, and no gaps.
    """
    kind = "priceInWords" if price.in_words else "price"
    parts = [exact_run(measurers, kind, price.text, "price", size, ink=ink)] if price.text else []
    if price.before:
        parts.insert(0, exact_run(measurers, "priceWord", price.before, "detail", word, ink="secondary"))
    if price.suffix:
        parts.append(exact_run(measurers, "priceWord", price.suffix, "detail", word, ink="secondary"))
    if regular:
        parts.insert(0 if regular_first else len(parts), struck_price("regular", regular, small, measurers))
    runs: list[Run] = []
    x = start = 0.0
    for run in parts:
        if runs:
            x += regular_gap if run.struck or runs[-1].struck else word_gap
        if run.name == kind:
            start = x
        runs.append(run.moved(x))
        x += run.width
    return PriceLine(runs=tuple(runs), start=start, width=x)


def struck_price(name: str, text: str, size: int, measurers: TextMeasurers) -> Run:
    """Sets a struck price, one that does not apply."""
    return exact_run(measurers, name, text, "price", size, ink="secondary", struck=True)


def variant_price(place: str, variant: VariantText, size: int, measurers: TextMeasurers, *, ink: Ink = "text") -> Run:
    """Sets the price of a variant, struck through where it is sold out."""
    if variant.sold_out:
        return struck_price(f"{place}Struck", variant.price.text, size, measurers)
    name = f"{place}Offer" if variant.regular else f"{place}Price"
    ink = "accent" if variant.regular else ink
    return exact_run(measurers, name, variant.price.text, "price", size, ink=ink)


def variant_name(
    place: str,
    variant: VariantText,
    text: str,
    size: int,
    setting: Setting,
    *,
    ink: Ink,
) -> Run:
    """Sets a line of the name of a variant that has lines of its own, struck through where it is sold out."""
    name = f"{place}StruckName" if variant.sold_out else f"{place}Name"
    ink = "secondary" if variant.sold_out else ink
    run = exact_run(setting.measurers, name, text, "name", size, ink=ink, struck=variant.sold_out)
    return replace(run, text=with_base_direction((text,), right_to_left=setting.right_to_left))
