"""Lays out an item widget, from its image to its allergens; pure arithmetic, no Qt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum

from msgspec import Struct
from msgspec.structs import replace

from player.display.layout.badges import DOT, BadgeGeometry, allergen_parts, are_whole, lay_out_badges
from player.display.layout.energy import poster_with_energy
from player.display.layout.entry import mirrored_box
from player.display.layout.item_prices import (
    BASELINE,
    DETAIL_BASELINE,
    DETAIL_LINE,
    LEAST_DETAIL,
    LINE,
    ItemPrices,
    detail_size,
)
from player.display.layout.runs import Ink, Line, Run, mirrored_lines, mirrored_runs, strikes
from player.display.layout.sizes import DETAIL_SIZE as MENU_DETAIL_SIZE
from player.display.layout.text.bidi import with_base_direction
from player.display.layout.text.line_breaking import ELLIPSIS, ends_early
from player.display.layout.text.measuring import Face, TextMeasurers
from player.display.layout.text.second import with_second_below
from player.domain.documents.scene import Box
from player.domain.menu.allergens import allergens_title
from player.domain.view import Locality, MenuRow
from player.domain.words.wording import capitals

# In ems of the name's size.
BAR_BEFORE, BAR_HEIGHT, BAR_WIDTH = 0.30, 0.085, 1.5
DETAIL_BEFORE = 0.46
TAGS_BEFORE = 0.42
PRICE_BEFORE, PRICE_APART = 0.42, 0.8
FOOT_SIZE = 0.3
"""Size of the allergens at the foot."""
# In ems of the description's size.
# In ems of the foot's size.
FOOT_LINE, FOOT_BASELINE = 1.32, 0.98
FOOT_BEFORE, RULE_BEFORE = 1.7, 0.55
"""Space above the foot, and the hairline in it."""
RULE_HEIGHT = 0.05

NAME_LINES, DETAIL_LINES = 5, 7
"""A name has more at its least size alone; a description only where it is whole, not where it is cut anyway. There may
be a line for each day of the week."""
MOST_NAME_LINES, MOST_DETAIL_LINES = 20, 60
LEAST_SIZE = 28
"""Canvas units. A smaller name cannot be read from across the room: descriptions and tags are cut instead."""
SMALLEST_SIZE = 14
"""Canvas units. Where name, price and allergens alone do not fit, they shrink to this size before they are cut."""
MOST_SIZE = 150
TALLEST_NAME, WIDEST_NAME = 0.36, 0.19
"""Limits of the name's size, as shares of the text's height and width, so that a short name is not oversized."""
BANNER = 1.5
"""From this ratio of width to height, the price may stand beside the name."""
SIDE_BY_SIDE = 1.15
"""From this ratio of width to height, the image stands beside the text, otherwise above it."""
IMAGE_WIDTH, IMAGE_HEIGHT = 0.52, 0.56
"""The largest share of the widget that the image takes, beside and above the text."""
GAP = 0.055
"""Between image and text, as a share of the longer side."""
IMAGE_PADDING, TEXT_PADDING = 0.05, 0.11
"""Padding of a panel with an image and of one with text alone, as a share of the shorter side."""
LEAST_PADDING, MOST_PADDING = 16.0, 72.0


class ItemLayout(Struct, frozen=True, kw_only=True):
    """The layout of an item widget, in canvas units from its corner; text sizes are whole canvas units."""

    size: int
    image_box: Box | None
    name: tuple[str, ...]
    name_box: Box
    bar: Box
    details: tuple[str, ...]
    tags: tuple[BadgeGeometry, ...]
    tags_size: float
    """The text size of a menu with tags of this size."""
    foot: tuple[str, ...]
    foot_box: Box
    price_box: Box
    texts: tuple[Run, ...]
    """Name, description and foot."""
    prices: tuple[Run, ...]
    """The price with everything around it, or those of variants."""
    rule: Line | None
    """The hairline above the foot."""
    strikes: tuple[Line, ...]
    """The lines through the regular prices."""
    beside: bool
    """Whether the price stands beside the name rather than below everything."""
    whole: bool
    """Whether everything fits at this size."""
    cut: bool
    """Whether the name or the allergens are cut, or something still sticks out of the box."""
    shortened: bool
    """Whether some of the description or of the tags is left out."""


def lay_out_item(
    row: MenuRow,
    box: Box,
    *,
    measurers: TextMeasurers,
    scale: float = 1.0,
    with_image: bool = False,
    with_panel: bool = False,
    locality: Locality,
    previous: ItemLayout | None = None,
) -> ItemLayout:
    """Lay out an item in its box. The name is as large as possible with everything whole. With `previous`, size and
    lines of the name stay as long as everything fits, so that a new price moves nothing."""
    row = with_second_below(poster_with_energy(row, locality))
    share = IMAGE_PADDING if with_image else TEXT_PADDING
    inset = min(MOST_PADDING, max(LEAST_PADDING, share * min(box.width, box.height))) if with_panel else 0.0
    inset = min(inset, box.width / 4, box.height / 4)
    inner = Box(x=inset, y=inset, width=box.width - 2 * inset, height=box.height - 2 * inset)
    image_box, text_box = _split(inner) if with_image else (None, inner)
    lines = previous.name if previous is not None else ()
    typesetter = _ItemTypesetter(row, text_box, measurers, locality, previous_lines=lines)
    wanted = Completeness.FULL if previous is not None and previous.whole else Completeness.ESSENTIAL
    if previous is not None and typesetter.fits(previous.size, beside=previous.beside, completeness=wanted):
        layout = typesetter.lay_out(previous.size, beside=previous.beside)
    else:
        typesetter = _ItemTypesetter(row, text_box, measurers, locality)
        size, beside = typesetter.best(scale)
        layout = typesetter.lay_out(size, beside=beside)
    layout = replace(layout, image_box=image_box)
    return _mirrored(layout, box.width) if locality.right_to_left else layout


def _split(inner: Box) -> tuple[Box, Box]:
    """The boxes of image and text."""
    gap = GAP * max(inner.width, inner.height)
    if inner.width >= SIDE_BY_SIDE * inner.height:
        width = min(inner.height * 1.1, IMAGE_WIDTH * inner.width)
        return replace(inner, width=width), replace(inner, x=inner.x + width + gap, width=inner.width - width - gap)
    height = IMAGE_HEIGHT * inner.height
    return replace(inner, height=height), replace(
        inner, y=inner.y + height + gap * 0.7, height=inner.height - height - gap * 0.7
    )


class Completeness(Enum):
    """The share of an item's text that is whole. The value is the number of lines of the description to try."""

    FULL = MOST_DETAIL_LINES
    SHORTENED = DETAIL_LINES
    """The description's first lines."""
    ESSENTIAL = 0
    """Neither description nor tags."""


class _Limits(Struct, frozen=True, kw_only=True):
    """The most lines of each text of an item."""

    names: int
    details: int
    tags: int
    foot: int


class _Lines(Struct, frozen=True, kw_only=True):
    """The texts of an item in lines, at one size."""

    names: tuple[str, ...]
    details: tuple[str, ...]
    tags: tuple[BadgeGeometry, ...]
    foot: tuple[str, ...]


class _ItemTypesetter:
    """Lays out the text of one item in a box; `previous_lines` of the name stay where they still fit."""

    def __init__(
        self,
        row: MenuRow,
        text_box: Box,
        measurers: TextMeasurers,
        locality: Locality,
        *,
        previous_lines: tuple[str, ...] = (),
    ) -> None:
        self._row = row
        self._right_to_left = locality.right_to_left
        self._text_box = text_box
        self._measurers = measurers
        self._priced = ItemPrices(row, text_box, measurers, right_to_left=locality.right_to_left)
        is_same_name = "".join("".join(previous_lines).split()) == "".join(row.name.split())
        self._previous_lines = previous_lines if is_same_name else ()
        self._tags = [capitals(tag, locality.locale) for tag in row.tags if tag]
        self._foot = allergen_parts(
            allergens_title(locality.locale),
            [(allergen,) for allergen in row.allergens],
            right_to_left=locality.right_to_left,
        )

    def best(self, scale: float) -> tuple[int, bool]:
        """The largest size at which everything is whole, and whether the price stands beside the name at it."""
        text_box = self._text_box
        most = int(min(MOST_SIZE * scale, TALLEST_NAME * text_box.height, WIDEST_NAME * text_box.width))
        found = [
            (self.fits(size, beside=beside), size, beside)
            for beside in self._arrangements()
            for size in [self._largest(most, beside=beside)]
        ]
        # Of two equal sizes, the one with the price below; where not everything fits, the price must not take width.
        _, size, beside = max(found, key=lambda one: (one[0], one[1], one[2] is not one[0]))
        return size, beside

    def fits(self, size: int, *, beside: bool, completeness: Completeness = Completeness.FULL) -> bool:
        """Whether so much of the text is whole at this size."""
        width_beside, width = self._width(size, beside=beside), self._text_box.width
        measurers, foot_size = self._measurers, _foot_size(size)
        if width_beside <= 0 or measurers.name.widest_piece(self._row.name) * size > width_beside:
            return False
        if self._priced.width(size) > width:
            return False
        if any(measurers.detail.widest_piece(part) * foot_size > width for part in self._foot):
            return False
        # One line more than allowed, to see whether it would be needed.
        limits = _Limits(
            names=_name_lines(size) + 1,
            details=completeness.value,
            tags=0 if completeness is Completeness.ESSENTIAL else len(self._tags),
            foot=self._foot_room(size) + 1,
        )
        lines = self._lines(size, limits, beside=beside)
        if len(lines.names) > _name_lines(size):
            return False
        if completeness is Completeness.FULL and ends_early(lines.details, self._row.description):
            return False
        if completeness is not Completeness.ESSENTIAL and not are_whole(lines.tags, self._tags):
            return False
        return self._height(size, lines, beside=beside) <= self._text_box.height

    def lay_out(self, size: int, *, beside: bool) -> ItemLayout:
        """The layout at this size. Where not everything fits, lines of the description go first, then of the tags, then
        of the name, and only then of the allergens."""
        text_box = self._text_box
        lines, cut = self._cut(size, beside=beside)
        top = text_box.y + max(0.0, text_box.height - self._height(size, lines, beside=beside)) / 2
        width = max(1.0, self._width(size, beside=beside))
        name_box = Box(x=text_box.x, y=top, width=width, height=LINE * size * len(lines.names))
        bar_y = top + name_box.height + BAR_BEFORE * size
        bar = Box(x=text_box.x, y=bar_y, width=BAR_WIDTH * size, height=max(2.0, BAR_HEIGHT * size))
        texts, bottom = self._texts(size, lines, name_box, bar_y + BAR_HEIGHT * size)
        tags = tuple(replace(tag, x=text_box.x + tag.x, y=bottom + TAGS_BEFORE * size + tag.y) for tag in lines.tags)
        if tags:
            bottom = tags[-1].y + tags[-1].height
        price_size = self._priced.size(size)
        if beside:
            price_x = text_box.x + text_box.width - self._priced.line_width(size)
            price_y = top + (LINE * size - LINE * price_size) / 2
        else:
            price_x, price_y = text_box.x - self._priced.hanging(size), bottom + PRICE_BEFORE * size
        prices = self._priced.set(size, price_x, price_y, beside=beside)
        foot_size, foot_height = _foot_size(size), FOOT_LINE * _foot_size(size) * len(lines.foot)
        foot_y = text_box.y + text_box.height - foot_height
        rule = Line(
            name="itemRule",
            ink=Ink.RULE,
            x=text_box.x,
            y=foot_y - RULE_BEFORE * foot_size,
            width=text_box.width,
            thickness=max(1.0, RULE_HEIGHT * foot_size),
        )
        return ItemLayout(
            size=size,
            image_box=None,
            name=lines.names,
            name_box=name_box,
            bar=bar,
            details=lines.details,
            tags=tags,
            tags_size=_tags_size(size),
            foot=lines.foot,
            foot_box=Box(x=text_box.x, y=foot_y, width=text_box.width, height=foot_height),
            price_box=Box(x=price_x, y=price_y, width=self._priced.line_width(size), height=LINE * price_size),
            texts=tuple(texts),
            prices=prices,
            rule=rule if lines.foot else None,
            strikes=strikes(prices, self._measurers),
            beside=beside,
            whole=self.fits(size, beside=beside),
            cut=cut,
            shortened=not are_whole(lines.tags, self._tags)
            or ends_early(lines.details or (ELLIPSIS,), self._row.description or ELLIPSIS),
        )

    def _texts(self, size: int, lines: _Lines, name_box: Box, bottom: float) -> tuple[list[Run], float]:
        """Name, description from `bottom` on, and foot; and where the description ends."""
        text_box, detail, foot = self._text_box, detail_size(size), _foot_size(size)
        details_y = bottom + DETAIL_BEFORE * size
        foot_y = text_box.y + text_box.height - FOOT_LINE * foot * len(lines.foot)
        runs = [
            Run(
                name=name,
                text=with_base_direction(text, right_to_left=self._right_to_left),
                face=face,
                size=own,
                ink=Ink.TEXT if face == "name" else Ink.SECONDARY,
                x=text_box.x,
                y=y,
                width=name_box.width if face == "name" else text_box.width,
                line=line,
                fills=True,
            )
            for name, face, text, own, y, line in _texts_of(lines, size, name_box.y, details_y, foot_y)
        ]
        return runs, details_y + DETAIL_LINE * detail * len(lines.details) if lines.details else bottom

    def _arrangements(self) -> Iterator[bool]:
        yield False
        if self._row.price.text and self._text_box.width > BANNER * self._text_box.height:
            yield True

    def _largest(self, most: int, *, beside: bool) -> int:
        """The largest size for the full text, else with a shortened description, else for the essential text."""
        low, high = LEAST_SIZE, max(LEAST_SIZE, most)
        choices = (Completeness.FULL, Completeness.SHORTENED)
        completeness = next((tried for tried in choices if self.fits(low, beside=beside, completeness=tried)), None)
        if completeness is None:
            return self._least(beside=beside)
        while low < high:
            middle = (low + high + 1) // 2
            if self.fits(middle, beside=beside, completeness=completeness):
                low = middle
            else:
                high = middle - 1
        return low

    def _least(self, *, beside: bool) -> int:
        """The size where only the essential text fits, or not even that."""
        for size in range(LEAST_SIZE, SMALLEST_SIZE - 1, -1):
            if self.fits(size, beside=beside, completeness=Completeness.ESSENTIAL):
                return size
        one_each = _Limits(names=1, details=0, tags=0, foot=1)
        for size in range(SMALLEST_SIZE, 1, -1):
            height = self._height(size, self._lines(size, one_each, beside=beside), beside=beside)
            if height <= self._text_box.height and self._priced.width(size) <= self._text_box.width:
                return size
        return 1

    def _width(self, size: int, *, beside: bool) -> float:
        return self._text_box.width - (self._priced.width(size) + PRICE_APART * size if beside else 0.0)

    def _foot_room(self, size: int) -> int:
        return max(1, int(self._text_box.height / (FOOT_LINE * _foot_size(size))))

    def _cut(self, size: int, *, beside: bool) -> tuple[_Lines, bool]:
        """As many lines as fit, and whether name or allergens are cut."""
        tried = (self._lines(size, limits, beside=beside) for limits in self._limits(size))
        for lines in tried:
            if self._height(size, lines, beside=beside) <= self._text_box.height:
                break
        most = _Limits(names=_name_lines(size) + 1, details=0, tags=0, foot=self._foot_room(size) + 1)
        whole = self._lines(size, most, beside=beside)
        sticks_out = (
            self._height(size, lines, beside=beside) > self._text_box.height
            or self._priced.width(size) > self._text_box.width
        )
        return lines, sticks_out or (lines.names, lines.foot) != (whole.names, whole.foot)

    def _limits(self, size: int) -> Iterator[_Limits]:
        """Limits from the most lines to the fewest; the least important text goes first."""
        now = _Limits(
            names=_name_lines(size), details=MOST_DETAIL_LINES, tags=len(self._tags), foot=self._foot_room(size)
        )
        yield now
        for details in reversed(range(DETAIL_LINES + 1)):
            yield (now := replace(now, details=details))
        for tags in reversed(range(now.tags)):
            yield (now := replace(now, tags=tags))
        for names in reversed(range(1, now.names)):
            yield (now := replace(now, names=names))
        for foot in reversed(range(1, now.foot)):
            yield (now := replace(now, foot=foot))

    def _lines(self, size: int, limits: _Limits, *, beside: bool) -> _Lines:
        row, measurers, width = self._row, self._measurers, self._text_box.width
        name_width = max(1.0, self._width(size, beside=beside)) / size
        stay = self._previous_lines and all(measurers.name.width(line) <= name_width for line in self._previous_lines)
        return _Lines(
            names=self._previous_lines
            if stay and len(self._previous_lines) <= limits.names
            else measurers.name.lines(row.name, name_width, limits.names),
            details=measurers.detail.lines(row.description, width / detail_size(size), limits.details)
            if row.description and limits.details
            else (),
            tags=lay_out_badges(
                self._tags, measurer=measurers.tag, size=_tags_size(size), width=width, lines=limits.tags
            )
            if limits.tags
            else (),
            foot=measurers.detail.flow(self._foot, DOT, width / _foot_size(size), limits.foot) if self._foot else (),
        )

    def _height(self, size: int, lines: _Lines, *, beside: bool) -> float:
        height = (LINE * len(lines.names) + BAR_BEFORE + BAR_HEIGHT) * size
        if beside:
            # What is saved, below a price in the first line, ends above the details.
            price = LINE * (size + self._priced.size(size)) / 2 + self._priced.saving_height(size)
            height = max(height, price)
        if lines.details:
            height += DETAIL_BEFORE * size + DETAIL_LINE * detail_size(size) * len(lines.details)
        if lines.tags:
            height += TAGS_BEFORE * size + lines.tags[-1].y + lines.tags[-1].height
        if self._row.price.text and not beside:
            height += PRICE_BEFORE * size + LINE * self._priced.size(size) + self._priced.saving_height(size)
        if self._row.variants:
            height += PRICE_BEFORE * size + self._priced.variants_height(size)
        if lines.foot:
            height += (FOOT_BEFORE + FOOT_LINE * len(lines.foot)) * _foot_size(size)
        return height


def _texts_of(
    lines: _Lines, size: int, name_y: float, details_y: float, foot_y: float
) -> Iterator[tuple[str, Face, Sequence[str], int, float, float]]:
    """Name, font, lines, size, first baseline and distance of lines of each text."""
    detail, foot = detail_size(size), _foot_size(size)
    yield "itemName", "name", lines.names, size, name_y + BASELINE * size, LINE * size
    yield "itemDetails", "detail", lines.details, detail, details_y + DETAIL_BASELINE * detail, DETAIL_LINE * detail
    yield "itemAllergens", "detail", lines.foot, foot, foot_y + FOOT_BASELINE * foot, FOOT_LINE * foot


def _name_lines(size: int) -> int:
    return NAME_LINES if size > LEAST_SIZE else MOST_NAME_LINES


def _foot_size(size: int) -> int:
    return max(1, round(max(min(LEAST_DETAIL, size * 0.8), FOOT_SIZE * size)))


def _tags_size(size: int) -> float:
    """Tags and description have the same ratio of sizes as on a menu."""
    return detail_size(size) / MENU_DETAIL_SIZE


def _mirrored(layout: ItemLayout, width: float) -> ItemLayout:
    rule = layout.rule
    return replace(
        layout,
        image_box=mirrored_box(layout.image_box, width) if layout.image_box else None,
        name_box=mirrored_box(layout.name_box, width),
        bar=mirrored_box(layout.bar, width),
        tags=tuple(replace(tag, x=width - tag.x - tag.width) for tag in layout.tags),
        foot_box=mirrored_box(layout.foot_box, width),
        rule=mirrored_lines((rule,), width)[0] if rule is not None else None,
        price_box=mirrored_box(layout.price_box, width),
        texts=mirrored_runs(layout.texts, width),
        prices=mirrored_runs(layout.prices, width),
        strikes=mirrored_lines(layout.strikes, width),
    )
