"""Lays out an item widget, from its image to its allergens; pure arithmetic, no Qt."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from functools import partial
from math import ceil

from msgspec import Struct
from msgspec.structs import replace

from menu.documents.box import Box
from menu.text.allergens import allergens_title
from player.display.layout.badges import DOT, MOST_TAG_LINES, Badge, Badges, allergen_parts, lay_out_badges
from player.display.layout.energy import poster_with_energy, with_second_below
from player.display.layout.entry import mirrored_box
from player.display.layout.item_prices import (
    BASELINE,
    DETAIL_BASELINE,
    DETAIL_LINE,
    LEAST_DETAIL,
    LINE,
    detail_size,
    item_prices,
)
from player.display.layout.prices import Prices
from player.display.layout.runs import Ink, Line, Run, mirrored, strikes
from player.display.layout.setting import Setting
from player.display.layout.sizes import largest
from player.display.layout.stack import Lined, Stack, within
from player.display.layout.text.line_breaking import ELLIPSIS, described, ends_early, flow_evenly, name_lines
from player.domain.view import MenuRow

# In ems of the name's size.
BAR_BEFORE, BAR_HEIGHT, BAR_WIDTH = 0.30, 0.085, 1.5
PRICE_BEFORE, PRICE_APART = 0.42, 0.8
# In ems of the foot's size.
FOOT_LINE, FOOT_BASELINE = 1.32, 0.98
FOOT_BEFORE, RULE_BEFORE = 1.7, 0.55
"""Space above the foot, and the hairline in it."""

NAME_LINES, DETAIL_LINES = 5, 7
"""A name has more at its least size alone; a description only where it is whole, not where it is cut anyway. There may
be a line for each day of the week."""
MOST_NAME_LINES, MOST_DETAIL_LINES = 20, 60
LEAST_SIZE = 28
"""Canvas units. A smaller name cannot be read from across the room: descriptions and tags are cut instead, and words of
the name break anywhere."""
WORD_PARTS = 6
SMALLEST_SIZE = 14
"""Canvas units. Where name, price and allergens alone do not fit, they shrink to this size before they are cut."""
MOST_SIZE = 150
TALLEST_NAME, WIDEST_NAME = 0.36, 0.19
"""Limits of the name's size, as shares of the text's height and width, so that a short name is not oversized."""
IMAGE_WIDTH, IMAGE_HEIGHT = 0.52, 0.56
"""The largest share of the widget that the image takes, beside and above the text."""
IMAGE_PADDING, TEXT_PADDING = 0.05, 0.11
"""Padding of a panel with an image and of one with text alone, as a share of the shorter side."""
LEAST_PADDING, MOST_PADDING = 16.0, 72.0


class ItemLayout(Struct, frozen=True, kw_only=True):
    """Layout of an item widget, in canvas units from its corner; text sizes are whole canvas units."""

    size: int
    names: tuple[str, ...]
    image_box: Box | None
    bar: Box
    tags: tuple[Badge, ...]
    texts: tuple[Run, ...]
    """Name, description and foot."""
    prices: tuple[Run, ...]
    """The price with everything around it, or those of variants."""
    lines: tuple[Line, ...]
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
    setting: Setting,
    *,
    with_image: bool = False,
    fills_canvas: bool = False,
    previous: ItemLayout | None = None,
) -> ItemLayout:
    """Lay out an item in its box. The name is as large as possible with everything whole. The text of one that fills
    the canvas keeps off its edges. With `previous`, size and lines of the name stay as long as everything fits, so that
    a new price moves nothing."""
    row = with_second_below(poster_with_energy(row, setting.locality))
    share = IMAGE_PADDING if with_image else TEXT_PADDING
    padding = min(MOST_PADDING, max(LEAST_PADDING, share * min(box.width, box.height)), box.width / 4, box.height / 4)
    inset = padding if setting.with_panel else 0.0
    inner = Box(x=inset, y=inset, width=box.width - 2 * inset, height=box.height - 2 * inset)
    image_box, text_box = _split(inner) if with_image else (None, inner)
    if fills_canvas and not inset:
        text_box = _within(text_box, box, padding)
    lines = previous.names if previous is not None else ()
    typesetter = _ItemTypesetter(row, text_box, setting, previous_lines=lines)
    wanted = Completeness.FULL if previous is not None and previous.whole else Completeness.ESSENTIAL
    if previous is not None and typesetter.fits(previous.size, beside=previous.beside, completeness=wanted):
        layout = typesetter.lay_out(previous.size, beside=previous.beside)
    else:
        typesetter = _ItemTypesetter(row, text_box, setting)
        size, beside = typesetter.best()
        layout = typesetter.lay_out(size, beside=beside)
    layout = replace(layout, image_box=image_box)
    return _mirrored(layout, box.width) if setting.right_to_left else layout


def _split(inner: Box) -> tuple[Box, Box]:
    gap = 0.055 * max(inner.width, inner.height)
    if inner.width >= 1.15 * inner.height:
        width = min(inner.height * 1.1, IMAGE_WIDTH * inner.width)
        return replace(inner, width=width), replace(inner, x=inner.x + width + gap, width=inner.width - width - gap)
    height = IMAGE_HEIGHT * inner.height
    return replace(inner, height=height), replace(
        inner, y=inner.y + height + gap * 0.7, height=inner.height - height - gap * 0.7
    )


def _within(text_box: Box, box: Box, margin: float) -> Box:
    """Returns the text's box without a margin at the edges of the item's box."""
    left, top = max(margin, text_box.x), max(margin, text_box.y)
    # It reaches to the item's right and lower edge.
    return Box(x=left, y=top, width=box.width - margin - left, height=box.height - margin - top)


class Completeness(Enum):
    """Share of an item's text that is whole. The value is the number of lines of the description to try."""

    FULL = MOST_DETAIL_LINES
    SHORTENED = DETAIL_LINES
    """The description's first lines."""
    ESSENTIAL = 0
    """Neither description nor tags."""


class _Text(Lined, frozen=True, kw_only=True):
    """Text of an item at one size, from 0, 0; the foot is separate. `height` includes the foot and the space above
    it."""

    names: tuple[str, ...]
    runs: tuple[Run, ...]
    bar: float
    """The top of the bar."""
    tags: Badges
    tags_top: float
    prices: Prices
    prices_top: float
    foot: tuple[Run, ...]
    foot_height: float
    cut: bool
    """Whether the name or the allergens are."""
    shortened: bool
    """Whether the description is."""


class _ItemTypesetter:
    """Lays out the text of one item in a box; `previous_lines` of the name stay where they still fit."""

    def __init__(
        self,
        row: MenuRow,
        text_box: Box,
        setting: Setting,
        *,
        previous_lines: tuple[str, ...] = (),
    ) -> None:
        # The allergens stand at the foot.
        self._row = replace(row, allergens=())
        self._text_box = text_box
        self._setting, self._measurers = setting, setting.measurers
        is_same_name = "".join("".join(previous_lines).split()) == "".join(row.name.split())
        self._previous_lines = previous_lines if is_same_name else ()
        self._foot = allergen_parts(
            allergens_title(setting.locality.locale),
            [(allergen,) for allergen in row.allergens],
            right_to_left=setting.right_to_left,
        )

    def best(self) -> tuple[int, bool]:
        """Returns the largest size at which everything is whole, and whether the price stands beside the name at it."""
        box = self._text_box
        most = int(min(MOST_SIZE * self._setting.scale, TALLEST_NAME * box.height, WIDEST_NAME * box.width))
        may_be_beside = bool(self._row.price.text) and box.width > 1.5 * box.height
        found = [
            (self.fits(size, beside=beside), size, beside)
            for beside in ((False, True) if may_be_beside else (False,))
            for size in [self._largest(most, beside=beside)]
        ]
        # Of two equal sizes, the one with the price below; where not everything fits, the price must not take width.
        _, size, beside = max(found, key=lambda one: (one[0], one[1], one[2] is not one[0]))
        return size, beside

    def fits(
        self,
        size: int,
        *,
        beside: bool,
        completeness: Completeness = Completeness.FULL,
        word_parts: int = WORD_PARTS,
    ) -> bool:
        """Whether so much of the text is whole at this size, with words of the name in no more parts; in the least size
        they break where they must."""
        box, measurers, prices = self._text_box, self._measurers, self._prices(size, beside=beside)
        if size > LEAST_SIZE:
            widest = measurers.name.widest_piece(self._row.name, parts=word_parts)
            if widest * size > self._name_width(size, prices, beside=beside):
                return False
        if prices.width > box.width:
            return False
        if any(measurers.detail.widest_piece(part) * _foot_size(size) > box.width for part in self._foot):
            return False
        tags = 0 if completeness is Completeness.ESSENTIAL else MOST_TAG_LINES
        most = self._most(size) | {"details": completeness.value, "tags": tags}
        text = self._text(size, most if tags else most | {"note": 0}, beside=beside)
        if text.cut or (completeness is Completeness.FULL and text.shortened):
            return False
        return (text.tags.whole or not tags) and text.height <= box.height

    def lay_out(self, size: int, *, beside: bool) -> ItemLayout:
        """Lays out the item at this size. Where not everything fits, lines of the description go first, then of the
        tags, then of the name, and only then of the allergens."""
        box, whole = self._text_box, self.fits(size, beside=beside)
        text = within(
            box.height,
            {**self._most(size), "details": MOST_DETAIL_LINES if whole else DETAIL_LINES, "tags": MOST_TAG_LINES},
            {"details": 0, "tags": 0, "note": 0, "names": 1, "foot": 1},
            lambda limits: self._text(size, limits, beside=beside),
        )
        top = box.y + max(0.0, box.height - text.height) / 2
        prices = tuple(run.moved(box.x, top + text.prices_top) for run in text.prices.runs)
        foot_y, foot_size = box.y + box.height - text.foot_height, _foot_size(size)
        rule = Line(
            name="itemRule",
            ink="rule",
            x=box.x,
            y=foot_y - RULE_BEFORE * foot_size,
            width=box.width,
            thickness=max(1.0, 0.05 * foot_size),
        )
        return ItemLayout(
            size=size,
            names=text.names,
            image_box=None,
            bar=Box(x=box.x, y=top + text.bar, width=BAR_WIDTH * size, height=max(2.0, BAR_HEIGHT * size)),
            tags=text.tags.moved(box.x, top + text.tags_top),
            texts=(
                *(run.moved(box.x, top) for run in text.runs),
                *(run.moved(box.x, foot_y) for run in text.foot),
            ),
            prices=prices,
            lines=(rule,) if text.foot else (),
            strikes=strikes(prices, self._measurers),
            beside=beside,
            whole=whole,
            cut=text.cut or text.height > box.height or text.prices.width > box.width,
            shortened=text.shortened or not text.tags.whole,
        )

    def _largest(self, most: int, *, beside: bool) -> int:
        """Returns the largest size for the full text, else with a shortened description, else for the essential
        text."""
        for tried in (Completeness.FULL, Completeness.SHORTENED):
            fits = partial(self.fits, beside=beside, completeness=tried)
            if fits(LEAST_SIZE):
                size = largest(LEAST_SIZE, most, partial(fits, word_parts=1))
                for parts in (2, WORD_PARTS):
                    # 0.6: the least share of the name's size to keep for hyphenating no word of it, or each only once.
                    worth = ceil(size / 0.6)
                    if worth <= most and fits(worth, word_parts=parts):
                        size = largest(worth, most, partial(fits, word_parts=parts))
                return size
        for size in range(LEAST_SIZE, SMALLEST_SIZE - 1, -1):
            if self.fits(size, beside=beside, completeness=Completeness.ESSENTIAL):
                return size
        # Not even that.
        one_each = {"names": 1, "details": 0, "tags": 0, "note": 0, "foot": 1}
        for size in range(SMALLEST_SIZE, 1, -1):
            text = self._text(size, one_each, beside=beside)
            if text.height <= self._text_box.height and text.prices.width <= self._text_box.width:
                return size
        return 1

    def _most(self, size: int) -> dict[str, int]:
        """Returns the most lines of the name, and of both parts of the foot."""
        names = NAME_LINES if size > LEAST_SIZE else MOST_NAME_LINES
        foot = max(1, int(self._text_box.height / (FOOT_LINE * _foot_size(size))))
        return {"names": names, "note": foot, "foot": foot}

    def _prices(self, size: int, *, beside: bool) -> Prices:
        return item_prices(
            self._row,
            self._setting,
            size=size,
            most=self._text_box.width,
            beside=beside,
        )

    def _name_width(self, size: int, prices: Prices, *, beside: bool) -> float:
        return self._text_box.width - (prices.width + PRICE_APART * size if beside else 0.0)

    def _names(self, size: int, width: float, limit: int) -> tuple[str, ...]:
        measurer, kept = self._measurers.name, self._previous_lines
        if kept and len(kept) <= limit and all(measurer.width(line) <= width / size for line in kept):
            return kept
        return name_lines(measurer, self._row.name, width / size, limit)

    def _text(self, size: int, limits: Mapping[str, int], *, beside: bool) -> _Text:
        """Sets the texts in no more lines than `limits`."""
        row, measurers, width = self._row, self._measurers, self._text_box.width
        detail, foot_size, prices = detail_size(size), _foot_size(size), self._prices(size, beside=beside)
        name_width = max(1.0, self._name_width(size, prices, beside=beside))
        names = self._names(size, name_width, limits["names"])
        texts = Stack(width=width, right_to_left=self._setting.right_to_left)
        texts.add("itemName", "name", names, size, LINE, BASELINE, ink="text", width=name_width)
        bar = texts.end + BAR_BEFORE * size
        texts.end = bar + BAR_HEIGHT * size
        # What is saved, below a price in the first line, ends above the details.
        lower = max(0.0, prices.height - texts.end) if beside else 0.0
        details: tuple[str, ...] = ()
        if row.description and limits["details"]:
            details = described(measurers.detail, row.description, width / detail, limits["details"])
        before = 0.46 * size
        texts.add("itemDetails", "detail", details, detail, DETAIL_LINE, DETAIL_BASELINE, before=before)
        tags = lay_out_badges(row, self._setting, detail=detail, width=width, lines=limits["tags"])
        tags_top = end = texts.end
        if tags.badges:
            tags_top += 0.42 * size
            end = tags_top + tags.height
        prices_top = 0.0
        if prices.runs and not beside:
            prices_top = end + PRICE_BEFORE * size
            end = prices_top + prices.height
        foot = Stack(width=width, right_to_left=self._setting.right_to_left)
        note = row.energy_note
        told = measurers.detail.lines(note, width / foot_size, limits["note"]) if note and limits["note"] else ()
        ink: Ink = "text" if self._setting.large_energy else "secondary"
        foot.add("energyNote", "detail", told, foot_size, FOOT_LINE, FOOT_BASELINE, ink=ink)
        explained = flow_evenly(measurers.detail, self._foot, DOT, width / foot_size, limits["foot"])
        foot.add("itemAllergens", "detail", explained, foot_size, FOOT_LINE, FOOT_BASELINE)
        return _Text(
            names=names,
            runs=tuple(texts.runs),
            bar=bar,
            tags=tags,
            tags_top=tags_top,
            prices=prices,
            prices_top=prices_top,
            foot=tuple(foot.runs),
            foot_height=foot.end,
            height=end + lower + (FOOT_BEFORE * foot_size + foot.end if foot.runs else 0.0),
            used={
                "names": len(names),
                "details": len(details),
                "tags": tags.lines,
                "note": len(told),
                "foot": len(explained),
            },
            cut=ends_early(names, row.name) or ends_early(explained, ""),
            shortened=any(
                ends_early(lines or (ELLIPSIS,), whole or ELLIPSIS)
                for lines, whole in ((details, row.description), (told, note))
            ),
        )


def _foot_size(size: int) -> int:
    return max(1, round(max(min(LEAST_DETAIL, size * 0.8), 0.3 * size)))


def _mirrored(layout: ItemLayout, width: float) -> ItemLayout:
    return replace(
        layout,
        image_box=mirrored_box(layout.image_box, width) if layout.image_box else None,
        bar=mirrored_box(layout.bar, width),
        tags=mirrored(layout.tags, width),
        lines=mirrored(layout.lines, width),
        texts=mirrored(layout.texts, width),
        prices=mirrored(layout.prices, width),
        strikes=mirrored(layout.strikes, width),
    )
