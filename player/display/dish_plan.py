"""Owns where everything in an item widget stands: picture, name, description, price; pure arithmetic, no Qt."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from player.display.ruler import Ruler
from player.domain.picture import MenuRow
from player.domain.scene import Box

# In ems of the name's size.
LINE = 1.18
BASELINE = 0.92
BAR_BEFORE, BAR_HEIGHT, BAR_WIDTH = 0.30, 0.085, 1.5
DETAIL_BEFORE, DETAIL_SIZE = 0.46, 0.4
PRICE_BEFORE, PRICE_SIZE, PRICE_APART = 0.42, 0.92, 0.8
# In ems of the description's size.
DETAIL_LINE, DETAIL_BASELINE = 1.42, 1.02

NAME_LINES, DETAIL_LINES = 3, 6
LEAST_SIZE = 28
"""Canvas units: a name any smaller is not read from across the room, so that descriptions are cut instead."""
LEAST_DETAIL = 20.0
MOST_SIZE = 150
TALLEST_NAME, WIDEST_NAME = 0.36, 0.19
"""The name's size as a share of the text's height and width: a short name must not shout."""
BANNER = 1.5
"""From this width for a height on, the price may stand beside the name."""
SIDE_BY_SIDE = 1.15
"""From this width for a height on, the picture stands beside the text, otherwise above."""
PICTURE_WIDTH, PICTURE_HEIGHT = 0.52, 0.56
"""The most of a widget that its picture takes, beside and above."""
GAP = 0.055
"""Between picture and text, as a share of the longer side."""
PICTURE_PADDING, WORDS_PADDING = 0.05, 0.11
"""Within a panel, around a picture and around words alone, as a share of the shorter side."""
LEAST_PADDING, MOST_PADDING = 16.0, 72.0


class DishRulers(Struct, frozen=True, kw_only=True):
    """One ruler for each face that a dish is set in."""

    name: Ruler
    detail: Ruler
    price: Ruler


class DishPlan(Struct, frozen=True, kw_only=True):
    """An item widget, placed; canvas units from its corner. Sizes are whole canvas units; `picture` None is none."""

    size: int
    picture: Box | None
    name: tuple[str, ...]
    name_box: Box
    bar: Box
    details: tuple[str, ...]
    details_box: Box
    detail_size: int
    price: str
    price_box: Box
    price_size: int
    beside: bool
    """Whether the price stands beside the name rather than below everything."""


def plan_dish(
    row: MenuRow,
    box: Box,
    *,
    rulers: DishRulers,
    scale: float = 1.0,
    pictured: bool = False,
    panelled: bool = False,
    right_to_left: bool = False,
    kept: DishPlan | None = None,
) -> DishPlan:
    """Place a dish in its box. The name is as large as lets everything be read; with `kept`, and as long as all fits
    that way, it stays as it was, so that a new price moves nothing."""
    share = PICTURE_PADDING if pictured else WORDS_PADDING
    inset = min(MOST_PADDING, max(LEAST_PADDING, share * min(box.width, box.height))) if panelled else 0.0
    inset = min(inset, box.width / 4, box.height / 4)
    inner = Box(x=inset, y=inset, width=box.width - 2 * inset, height=box.height - 2 * inset)
    picture, words = _parted(inner) if pictured else (None, inner)
    setter = _Setter(row, words, rulers)
    size, beside = (
        setter.best(scale)
        if kept is None or not setter.fits(kept.size, beside=kept.beside)
        else (
            kept.size,
            kept.beside,
        )
    )
    plan = replace(setter.place(size, beside=beside), picture=picture)
    return _mirrored(plan, box.width) if right_to_left else plan


def _parted(inner: Box) -> tuple[Box, Box]:
    """Room for the picture, and for the words."""
    gap = GAP * max(inner.width, inner.height)
    if inner.width >= SIDE_BY_SIDE * inner.height:
        wide = min(inner.height * 1.1, PICTURE_WIDTH * inner.width)
        words = inner.width - wide - gap
        return replace(inner, width=wide), replace(inner, x=inner.x + wide + gap, width=words)
    high = PICTURE_HEIGHT * inner.height
    return replace(inner, height=high), replace(
        inner, y=inner.y + high + gap * 0.7, height=inner.height - high - gap * 0.7
    )


class _Setter:
    """Sets one dish's words in a box."""

    def __init__(self, row: MenuRow, words: Box, rulers: DishRulers) -> None:
        self._row = row
        self._words = words
        self._rulers = rulers

    def best(self, scale: float) -> tuple[int, bool]:
        """The largest size at which everything is whole, and whether the price stands beside the name for it."""
        words = self._words
        most = int(min(MOST_SIZE * scale, TALLEST_NAME * words.height, WIDEST_NAME * words.width))
        sizes = [(self._largest(most, beside=beside), not beside) for beside in self._arrangements()]
        size, below = max(sizes)
        return size, not below

    def fits(self, size: int, *, beside: bool) -> bool:
        """Whether everything is whole at this size."""
        wide = self._width(size, beside=beside)
        if wide <= 0 or self._rulers.name.widest_piece(self._row.name) * size > wide:
            return False
        if self._price_width(size) > self._words.width:
            return False
        names = self._rulers.name.lines(self._row.name, wide / size, NAME_LINES + 1)
        details = self._details(size, DETAIL_LINES + 1)
        if len(names) > NAME_LINES or len(details) > DETAIL_LINES:
            return False
        return self._height(size, len(names), len(details), beside=beside) <= self._words.height

    def place(self, size: int, *, beside: bool) -> DishPlan:
        """Everything at this size; what does not fit even so loses lines of its description, then of its name."""
        row, words = self._row, self._words
        wide = max(1.0, self._width(size, beside=beside))
        names, details = NAME_LINES, DETAIL_LINES
        while details and self._too_high(size, names, details, wide, beside=beside):
            details -= 1
        while names > 1 and self._too_high(size, names, details, wide, beside=beside):
            names -= 1
        name_lines = self._rulers.name.lines(row.name, wide / size, names)
        detail_lines = self._details(size, details)
        detail_size = _detail_size(size)
        price_size = max(1, round(PRICE_SIZE * size))
        price_width = self._rulers.price.width(row.price.text) * price_size

        top = (
            words.y + max(0.0, words.height - self._height(size, len(name_lines), len(detail_lines), beside=beside)) / 2
        )
        name_box = Box(x=words.x, y=top, width=wide, height=LINE * size * len(name_lines))
        bar_y = top + name_box.height + BAR_BEFORE * size
        bar = Box(x=words.x, y=bar_y, width=BAR_WIDTH * size, height=max(2.0, BAR_HEIGHT * size))
        details_y = bar_y + (BAR_HEIGHT + DETAIL_BEFORE) * size
        details_box = Box(
            x=words.x, y=details_y, width=words.width, height=DETAIL_LINE * detail_size * len(detail_lines)
        )
        if beside:
            price_x, price_y = words.x + words.width - price_width, top + (LINE * size - LINE * price_size) / 2
        else:
            bottom = details_box.y + details_box.height if detail_lines else bar_y + BAR_HEIGHT * size
            price_x, price_y = words.x, bottom + PRICE_BEFORE * size
        return DishPlan(
            size=size,
            picture=None,
            name=name_lines,
            name_box=name_box,
            bar=bar,
            details=detail_lines,
            details_box=details_box,
            detail_size=detail_size,
            price=row.price.text,
            price_box=Box(x=price_x, y=price_y, width=price_width, height=LINE * price_size),
            price_size=price_size,
            beside=beside,
        )

    def _arrangements(self) -> Iterator[bool]:
        yield False
        if self._row.price.text and self._words.width > BANNER * self._words.height:
            yield True

    def _largest(self, most: int, *, beside: bool) -> int:
        low, high = LEAST_SIZE, max(LEAST_SIZE, most)
        if not self.fits(low, beside=beside):
            # Too little room for everything: the name goes down to what the box can hold of one line.
            return max(1, min(low, int(self._words.height / (LINE + PRICE_BEFORE + LINE * PRICE_SIZE))))
        while low < high:
            middle = (low + high + 1) // 2
            if self.fits(middle, beside=beside):
                low = middle
            else:
                high = middle - 1
        return low

    def _width(self, size: int, *, beside: bool) -> float:
        return self._words.width - (self._price_width(size) + PRICE_APART * size if beside else 0.0)

    def _price_width(self, size: int) -> float:
        return self._rulers.price.width(self._row.price.text) * max(1, round(PRICE_SIZE * size))

    def _details(self, size: int, limit: int) -> tuple[str, ...]:
        if not self._row.description or limit <= 0:
            return ()
        return self._rulers.detail.lines(self._row.description, self._words.width / _detail_size(size), limit)

    def _too_high(self, size: int, names: int, details: int, wide: float, *, beside: bool) -> bool:
        set_names = self._rulers.name.lines(self._row.name, wide / size, names)
        set_details = self._details(size, details)
        return self._height(size, len(set_names), len(set_details), beside=beside) > self._words.height

    def _height(self, size: int, names: int, details: int, *, beside: bool) -> float:
        high = (LINE * names + BAR_BEFORE + BAR_HEIGHT) * size
        if details:
            high += DETAIL_BEFORE * size + DETAIL_LINE * _detail_size(size) * details
        if self._row.price.text and not beside:
            high += PRICE_BEFORE * size + LINE * max(1, round(PRICE_SIZE * size))
        return high


def _detail_size(size: int) -> int:
    return max(1, round(max(min(LEAST_DETAIL, size * 0.8), DETAIL_SIZE * size)))


def _mirrored(plan: DishPlan, width: float) -> DishPlan:
    def other(box: Box) -> Box:
        return replace(box, x=width - box.x - box.width)

    return replace(
        plan,
        picture=other(plan.picture) if plan.picture else None,
        name_box=other(plan.name_box),
        bar=other(plan.bar),
        details_box=other(plan.details_box),
        price_box=other(plan.price_box),
    )
