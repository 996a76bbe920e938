"""Owns where everything in an item widget stands, from its picture to its allergens; pure arithmetic, no Qt."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from msgspec import Struct
from msgspec.structs import replace

from player.display.layout.badges import DOT, BadgeGeometry, allergen_parts, place_badges
from player.display.layout.measuring import TextMeasurer
from player.display.layout.row import DETAIL_SIZE as MENU_DETAIL_SIZE
from player.domain.allergens import allergens_title
from player.domain.scene import Box
from player.domain.view import Locality, MenuRow
from player.domain.wording import capitals

# In ems of the name's size.
LINE = 1.18
BASELINE = 0.92
BAR_BEFORE, BAR_HEIGHT, BAR_WIDTH = 0.30, 0.085, 1.5
DETAIL_BEFORE, DETAIL_SIZE = 0.46, 0.4
TAGS_BEFORE = 0.42
PRICE_BEFORE, PRICE_SIZE, PRICE_APART = 0.42, 0.92, 0.8
FOOT_SIZE = 0.3
"""Of the words at the poster's foot, which say the allergens."""
# In ems of the description's size.
DETAIL_LINE, DETAIL_BASELINE = 1.42, 1.02
# In ems of the foot's size.
FOOT_LINE, FOOT_BASELINE = 1.32, 0.98
FOOT_BEFORE, RULE_BEFORE = 1.7, 0.55
"""Above the foot: the room, and in it a hairline."""
RULE_HEIGHT = 0.05

NAME_LINES, DETAIL_LINES = 5, 7
"""At most; a description may have a line for each day of the week."""
LEAST_SIZE = 28
"""Canvas units: a name any smaller is not read from across the room, so that descriptions and tags are cut instead."""
SMALLEST_SIZE = 14
"""Canvas units: where name, price and allergens alone are too much, they shrink so far before one of them is cut."""
LEAST_DETAIL = 20.0
"""Canvas units, of the description and of the foot."""
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


class ItemMeasurers(Struct, frozen=True, kw_only=True):
    """One ruler for each face that a dish is set in."""

    name: TextMeasurer
    detail: TextMeasurer
    price: TextMeasurer
    tag: TextMeasurer


class ItemLayout(Struct, frozen=True, kw_only=True):
    """An item widget, placed; canvas units from its corner. Sizes are whole canvas units; `picture` None is none."""

    size: int
    picture: Box | None
    name: tuple[str, ...]
    name_box: Box
    bar: Box
    details: tuple[str, ...]
    details_box: Box
    detail_size: int
    tags: tuple[BadgeGeometry, ...]
    tags_size: float
    """The text size of a menu whose tags are as large."""
    foot: tuple[str, ...]
    foot_box: Box
    foot_size: int
    rule: Box
    """The hairline above the foot."""
    price: str
    price_box: Box
    price_size: int
    beside: bool
    """Whether the price stands beside the name rather than below everything."""
    whole: bool
    """Whether everything fits at this size."""
    cut: bool
    """Whether the name or the allergens are not whole, or something does not fit into the box even so."""


def lay_out_item(
    row: MenuRow,
    box: Box,
    *,
    measurers: ItemMeasurers,
    scale: float = 1.0,
    pictured: bool = False,
    panelled: bool = False,
    locality: Locality,
    kept: ItemLayout | None = None,
) -> ItemLayout:
    """Place a dish in its box. The name is as large as lets everything be read; with `kept`, and as long as all fits
    that way, it stays as it was, so that a new price moves nothing."""
    share = PICTURE_PADDING if pictured else WORDS_PADDING
    inset = min(MOST_PADDING, max(LEAST_PADDING, share * min(box.width, box.height))) if panelled else 0.0
    inset = min(inset, box.width / 4, box.height / 4)
    inner = Box(x=inset, y=inset, width=box.width - 2 * inset, height=box.height - 2 * inset)
    picture, words = _parted(inner) if pictured else (None, inner)
    setter = _Setter(row, words, measurers, locality, names=kept.name if kept is not None else ())
    if kept is not None and setter.fits(kept.size, beside=kept.beside, read=Read.ALL if kept.whole else Read.TERSE):
        plan = setter.place(kept.size, beside=kept.beside)
    else:
        setter = _Setter(row, words, measurers, locality)
        size, beside = setter.best(scale)
        plan = setter.place(size, beside=beside)
    plan = replace(plan, picture=picture)
    return _mirrored(plan, box.width) if locality.right_to_left else plan


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


class Read(Enum):
    """How much of a dish's words is to be read; the value is how many lines of its description to look at."""

    ALL = DETAIL_LINES + 1
    """A line more than there may be tells that it would be needed."""
    TRIMMED = DETAIL_LINES
    """The description's first lines."""
    TERSE = 0
    """Neither description nor tags."""


class _Limits(Struct, frozen=True, kw_only=True):
    """How many lines each of a dish's words may have."""

    names: int
    details: int
    tags: int
    foot: int


class _Lines(Struct, frozen=True, kw_only=True):
    """A dish's words in lines, at one size."""

    names: tuple[str, ...]
    details: tuple[str, ...]
    tags: tuple[BadgeGeometry, ...]
    foot: tuple[str, ...]


class _Setter:
    """Sets one dish's words in a box; `names` is the name in lines that are to stay where they still fit."""

    def __init__(
        self, row: MenuRow, words: Box, measurers: ItemMeasurers, locality: Locality, *, names: tuple[str, ...] = ()
    ) -> None:
        self._row = row
        self._words = words
        self._measurers = measurers
        self._names = names if "".join("".join(names).split()) == "".join(row.name.split()) else ()
        self._tags = [capitals(tag, locality.locale) for tag in row.tags if tag]
        self._foot = allergen_parts(
            allergens_title(locality.locale),
            [(allergen,) for allergen in row.allergens],
            right_to_left=locality.right_to_left,
        )

    def best(self, scale: float) -> tuple[int, bool]:
        """The largest size at which everything is whole, and whether the price stands beside the name for it."""
        words = self._words
        most = int(min(MOST_SIZE * scale, TALLEST_NAME * words.height, WIDEST_NAME * words.width))
        found = [
            (self.fits(size, beside=beside), size, beside)
            for beside in self._arrangements()
            for size in [self._largest(most, beside=beside)]
        ]
        # Of two that are alike the price goes below; where not everything fits, it must not take the room.
        _, size, beside = max(found, key=lambda one: (one[0], one[1], one[2] is not one[0]))
        return size, beside

    def fits(self, size: int, *, beside: bool, read: Read = Read.ALL) -> bool:
        """Whether that much is whole at this size."""
        wide, width = self._width(size, beside=beside), self._words.width
        measurers, foot_size = self._measurers, _foot_size(size)
        if wide <= 0 or measurers.name.widest_piece(self._row.name) * size > wide:
            return False
        if self._price_width(size) > width:
            return False
        if any(measurers.detail.widest_piece(part) * foot_size > width for part in self._foot):
            return False
        # A line more than there may be tells that it would be needed.
        limits = _Limits(
            names=NAME_LINES + 1,
            details=read.value,
            tags=0 if read is Read.TERSE else len(self._tags),
            foot=self._foot_room(size) + 1,
        )
        lines = self._lines(size, limits, beside=beside)
        if len(lines.names) > NAME_LINES or len(lines.details) > DETAIL_LINES:
            return False
        if read is not Read.TERSE and len(lines.tags) < len(self._tags):
            return False
        return self._height(size, lines, beside=beside) <= self._words.height

    def place(self, size: int, *, beside: bool) -> ItemLayout:
        """Everything at this size; what does not fit even so loses lines of its description, then of its tags, then of
        its name, and only then of its allergens."""
        row, words = self._row, self._words
        lines, cut = self._cut(size, beside=beside)
        detail_size, foot_size = _detail_size(size), _foot_size(size)
        price_size = max(1, round(PRICE_SIZE * size))
        price_width = self._price_width(size)

        top = words.y + max(0.0, words.height - self._height(size, lines, beside=beside)) / 2
        name_box = Box(
            x=words.x,
            y=top,
            width=max(1.0, self._width(size, beside=beside)),
            height=LINE * size * len(lines.names),
        )
        bar_y = top + name_box.height + BAR_BEFORE * size
        bar = Box(x=words.x, y=bar_y, width=BAR_WIDTH * size, height=max(2.0, BAR_HEIGHT * size))
        bottom = bar_y + BAR_HEIGHT * size
        details_box = Box(
            x=words.x,
            y=bottom + DETAIL_BEFORE * size,
            width=words.width,
            height=DETAIL_LINE * detail_size * len(lines.details),
        )
        if lines.details:
            bottom = details_box.y + details_box.height
        tags = tuple(replace(tag, x=words.x + tag.x, y=bottom + TAGS_BEFORE * size + tag.y) for tag in lines.tags)
        if tags:
            bottom = tags[-1].y + tags[-1].height
        if beside:
            price_x, price_y = words.x + words.width - price_width, top + (LINE * size - LINE * price_size) / 2
        else:
            price_x, price_y = words.x, bottom + PRICE_BEFORE * size
        foot_height = FOOT_LINE * foot_size * len(lines.foot)
        foot_y = words.y + words.height - foot_height
        return ItemLayout(
            size=size,
            picture=None,
            name=lines.names,
            name_box=name_box,
            bar=bar,
            details=lines.details,
            details_box=details_box,
            detail_size=detail_size,
            tags=tags,
            tags_size=_tags_size(size),
            foot=lines.foot,
            foot_box=Box(x=words.x, y=foot_y, width=words.width, height=foot_height),
            foot_size=foot_size,
            rule=Box(
                x=words.x,
                y=foot_y - RULE_BEFORE * foot_size,
                width=words.width,
                height=max(1.0, RULE_HEIGHT * foot_size),
            ),
            price=row.price.text,
            price_box=Box(x=price_x, y=price_y, width=price_width, height=LINE * price_size),
            price_size=price_size,
            beside=beside,
            whole=self.fits(size, beside=beside),
            cut=cut,
        )

    def _arrangements(self) -> Iterator[bool]:
        yield False
        if self._row.price.text and self._words.width > BANNER * self._words.height:
            yield True

    def _largest(self, most: int, *, beside: bool) -> int:
        """The largest size for everything, or for all but a description's end, or for what cannot be done without."""
        low, high = LEAST_SIZE, max(LEAST_SIZE, most)
        read = next((read for read in (Read.ALL, Read.TRIMMED) if self.fits(low, beside=beside, read=read)), None)
        if read is None:
            return self._least(beside=beside)
        while low < high:
            middle = (low + high + 1) // 2
            if self.fits(middle, beside=beside, read=read):
                low = middle
            else:
                high = middle - 1
        return low

    def _least(self, *, beside: bool) -> int:
        """The size where there is too little room for everything."""
        for size in range(LEAST_SIZE, SMALLEST_SIZE - 1, -1):
            if self.fits(size, beside=beside, read=Read.TERSE):
                return size
        one_each = _Limits(names=1, details=0, tags=0, foot=1)
        for size in range(SMALLEST_SIZE, 1, -1):
            high = self._height(size, self._lines(size, one_each, beside=beside), beside=beside)
            if high <= self._words.height and self._price_width(size) <= self._words.width:
                return size
        return 1

    def _width(self, size: int, *, beside: bool) -> float:
        return self._words.width - (self._price_width(size) + PRICE_APART * size if beside else 0.0)

    def _price_width(self, size: int) -> float:
        return self._measurers.price.width(self._row.price.text) * max(1, round(PRICE_SIZE * size))

    def _foot_room(self, size: int) -> int:
        return max(1, int(self._words.height / (FOOT_LINE * _foot_size(size))))

    def _cut(self, size: int, *, beside: bool) -> tuple[_Lines, bool]:
        """As much as there is room for, and whether it is cut."""
        tried = (self._lines(size, limits, beside=beside) for limits in self._limits(size))
        for lines in tried:
            if self._height(size, lines, beside=beside) <= self._words.height:
                break
        most = _Limits(names=NAME_LINES + 1, details=0, tags=0, foot=self._foot_room(size) + 1)
        whole = self._lines(size, most, beside=beside)
        sticks_out = (
            self._height(size, lines, beside=beside) > self._words.height or self._price_width(size) > self._words.width
        )
        return lines, sticks_out or (lines.names, lines.foot) != (whole.names, whole.foot)

    def _limits(self, size: int) -> Iterator[_Limits]:
        """From all that there may be to the least; what a guest can do without goes first."""
        now = _Limits(names=NAME_LINES, details=DETAIL_LINES, tags=len(self._tags), foot=self._foot_room(size))
        yield now
        for details in reversed(range(now.details)):
            yield (now := replace(now, details=details))
        for tags in reversed(range(now.tags)):
            yield (now := replace(now, tags=tags))
        for names in reversed(range(1, now.names)):
            yield (now := replace(now, names=names))
        for foot in reversed(range(1, now.foot)):
            yield (now := replace(now, foot=foot))

    def _lines(self, size: int, limits: _Limits, *, beside: bool) -> _Lines:
        row, measurers, width = self._row, self._measurers, self._words.width
        names_width = max(1.0, self._width(size, beside=beside)) / size
        stay = self._names and all(measurers.name.width(line) <= names_width for line in self._names)
        return _Lines(
            names=self._names
            if stay and len(self._names) <= limits.names
            else measurers.name.lines(row.name, names_width, limits.names),
            details=measurers.detail.lines(row.description, width / _detail_size(size), limits.details)
            if row.description and limits.details
            else (),
            tags=place_badges(self._tags, measurer=measurers.tag, size=_tags_size(size), width=width, lines=limits.tags)
            if limits.tags
            else (),
            foot=measurers.detail.flow(self._foot, DOT, width / _foot_size(size), limits.foot) if self._foot else (),
        )

    def _height(self, size: int, lines: _Lines, *, beside: bool) -> float:
        high = (LINE * len(lines.names) + BAR_BEFORE + BAR_HEIGHT) * size
        if lines.details:
            high += DETAIL_BEFORE * size + DETAIL_LINE * _detail_size(size) * len(lines.details)
        if lines.tags:
            high += TAGS_BEFORE * size + lines.tags[-1].y + lines.tags[-1].height
        if self._row.price.text and not beside:
            high += PRICE_BEFORE * size + LINE * max(1, round(PRICE_SIZE * size))
        if lines.foot:
            high += (FOOT_BEFORE + FOOT_LINE * len(lines.foot)) * _foot_size(size)
        return high


def _detail_size(size: int) -> int:
    return max(1, round(max(min(LEAST_DETAIL, size * 0.8), DETAIL_SIZE * size)))


def _foot_size(size: int) -> int:
    return max(1, round(max(min(LEAST_DETAIL, size * 0.8), FOOT_SIZE * size)))


def _tags_size(size: int) -> float:
    """Tags stand to the description as they do on a menu."""
    return _detail_size(size) / MENU_DETAIL_SIZE


def _mirrored(plan: ItemLayout, width: float) -> ItemLayout:
    def other(box: Box) -> Box:
        return replace(box, x=width - box.x - box.width)

    return replace(
        plan,
        picture=other(plan.picture) if plan.picture else None,
        name_box=other(plan.name_box),
        bar=other(plan.bar),
        details_box=other(plan.details_box),
        tags=tuple(replace(tag, x=width - tag.x - tag.width) for tag in plan.tags),
        foot_box=other(plan.foot_box),
        rule=other(plan.rule),
        price_box=other(plan.price_box),
    )
