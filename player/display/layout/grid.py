"""Lays out a grid widget: cards of one size, all with one text size; pure arithmetic, imports no Qt."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from menu.documents.box import Box
from menu.documents.scene import MAX_COLUMNS, GridWidget, SoldOut
from player.display.layout.card import MOST_DETAIL_LINES, CardPlan, CardSetter
from player.display.layout.card_prices import PRICE_SIZE
from player.display.layout.entry import ListLayout
from player.display.layout.foot import Foot, set_foot
from player.display.layout.setting import Setting
from player.display.layout.sizes import LEAST_DETAIL, MARK_BELOW, MARK_HEIGHT, largest, least_size
from player.domain.view import MenuListing, MenuRow

# In ems of the one text size.
TEXT_BEFORE = 0.5
"""Between a picture above and the name."""
PADDING = 0.62
"""Padding of a card with a panel, around its text."""
FOOT_BEFORE, RULE_BEFORE = 0.8, 0.3
"""Between the cards and the legend, and between the hairline in that space and the legend."""

GAP, GAP_WITHOUT_PANELS = 0.026, 0.042
"""Between cards, as shares of the widget's shorter side."""
LEAST_GAP, MOST_GAP = 12.0, 64.0
MOST_CARDS_A_PAGE = 24
PICTURE_BESIDE = 0.42
"""Share of a card's width, at most."""
NARROWEST_PICTURE, WIDEST_PICTURE = 0.8, 1.6
"""Ratios of width to height between which pictures are good to look at. A higher one is lowered."""
LEAST_PICTURED, FEWEST_PICTURED = 0.5, 3
"""The share of items that have a picture, and the cards of one of several pages, with fewer of which none has one."""
NARROWEST_TEXT_CARD, WIDEST_CARD = 0.75, 3.0
"""The same of cards without pictures, and of all."""


LARGE_PICTURE, PICTURE, SMALL_PICTURE = 0.5, 0.36, 0.25
PLANS = (
    *(
        CardPlan(picture=picture, details=MOST_DETAIL_LINES, whole_words=whole_words, variants=variants)
        for whole_words in (True, False)
        for variants in (True, False)
        for picture in (LARGE_PICTURE, PICTURE)
    ),
    *(
        CardPlan(picture=PICTURE, details=lines, whole_words=whole_words)
        for lines in (4, 3, 2, 1, 0)
        for whole_words in (True, False)
    ),
    CardPlan(picture=SMALL_PICTURE, details=0, whole_words=False),
)
"""From the best to the least. The last one fits, or there are more pages."""
_WITHOUT = tuple(dict.fromkeys(replace(plan, picture=0.0) for plan in PLANS))
TEXT_PLANS = (*(replace(plan, beside=True) for plan in _WITHOUT if plan.details and plan.whole_words), *_WITHOUT)
"""The same without pictures; first with the price beside the name, for which wide cards have room."""
LEAST_BESIDE = 15.0
"""The least width of a card, in ems, with the price beside the name."""
LEAST_SHARE_BESIDE = 0.8
"""Text with prices beside the names has at least this share of its size with prices below them."""


class CardShape(Struct, frozen=True, kw_only=True):
    """Columns and rows of a page, with the most room of a card."""

    columns: int
    rows: int
    width: float
    height: float
    gap: float


class GridBasis(Struct, frozen=True, kw_only=True):
    """Part of a layout that a changed list keeps, so that as little as possible moves. `text_height` is that of the
    longest text."""

    shape: CardShape
    size: int
    plan: CardPlan
    pages: int
    text_height: float = 0.0


class GridLayout(ListLayout, frozen=True, kw_only=True):
    basis: GridBasis

    @property
    def form(self) -> object:
        return self.basis.shape, self.basis.size, self.basis.plan


def lay_out_grid(
    widget: GridWidget, listing: MenuListing, setting: Setting, *, basis: GridBasis | None = None
) -> GridLayout:
    """Lay out a listing in its widget: as many columns as let the text be largest, within the widget's bounds. What
    does not fit goes on further pages. With `basis`, cards and text keep their size as long as the list fits."""
    typesetter = _GridTypesetter(widget, listing, setting)
    kept = basis if basis is not None and typesetter.suits(basis) else None
    layout = typesetter.build(kept or typesetter.choose())
    return layout.mirrored(widget.box.width) if setting.right_to_left else layout


class _GridTypesetter:
    """Chooses columns and text size for one listing, then builds the layout."""

    def __init__(self, widget: GridWidget, listing: MenuListing, setting: Setting) -> None:
        self._widget, self._listing, self._setting = widget, listing, setting
        self._rows = [row for section in listing.sections for row in section.rows]
        self._smallest = least_size(widget.min_text_size * setting.scale, self._rows, price=PRICE_SIZE)
        self._largest = max(self._smallest, round(widget.max_text_size * setting.scale))
        self._cards = CardSetter(setting, least_detail=LEAST_DETAIL * widget.min_text_size * setting.scale)
        pictured = sum(row.image is not None for row in self._rows)
        self._with_images = pictured > 0 and pictured >= LEAST_PICTURED * len(self._rows)
        shorter = min(widget.box.width, widget.box.height)
        self._gap = min(MOST_GAP, max(LEAST_GAP, (GAP if setting.with_panel else GAP_WITHOUT_PANELS) * shorter))
        self._feet: dict[int, Foot] = {}
        self._foot_left_out = not self._feet_of(self._smallest).whole
        if self._foot_left_out:
            self._listing = replace(listing, legend=(), energy_note="", icons=())
            self._feet.clear()
        # The longest first: what does not fit is found out early.
        self._by_length = sorted(self._rows, key=_length, reverse=True)
        if widget.sold_out is SoldOut.MARK:
            # Whatever sells out, its tag moves nothing.
            self._by_length = [replace(row, sold_out=True) for row in self._by_length]

    # -- choosing columns and size

    def choose(self) -> GridBasis:
        """Chooses the best layout on the fewest pages."""
        if not self._rows:
            box = self._widget.box
            shape = CardShape(columns=1, rows=1, width=box.width, height=box.height, gap=0.0)
            return GridBasis(shape=shape, size=self._smallest, plan=TEXT_PLANS[0], pages=1)
        count = len(self._rows)
        # The numbers of pages that differ, from the fewest on.
        most = min(count, MOST_CARDS_A_PAGE)
        numbers = sorted({math.ceil(count / cards) for cards in range(1, most + 1)})
        few = max(1, count // FEWEST_PICTURED)
        pictured = [(pages, plan) for pages in numbers if pages <= few for plan in PLANS if self._with_images]
        for pages, plan in (*pictured, *itertools.product(numbers, TEXT_PLANS)):
            if pages * MOST_CARDS_A_PAGE >= count and (found := self._best(pages, plan)) is not None:
                below = self._best(pages, replace(plan, beside=False)) if plan.beside else None
                return below if below is not None and found.size < LEAST_SHARE_BESIDE * below.size else found
        shape = self._shape(1, 1, self._smallest, paged=count > 1)
        return GridBasis(shape=shape, size=self._smallest, plan=TEXT_PLANS[-1], pages=count)

    def suits(self, basis: GridBasis) -> bool:
        """Whether the changed list fits the previous layout."""
        if not self._rows:
            return False
        shape = basis.shape
        pages = math.ceil(len(self._rows) / (shape.columns * shape.rows))
        rows = math.ceil(math.ceil(len(self._rows) / pages) / shape.columns)
        there = self._shape(shape.columns, shape.rows, basis.size, paged=pages > 1)
        return (
            (pages, rows) == (basis.pages, shape.rows)
            and there.height >= basis.shape.height - 0.5
            and (self._with_images or not basis.plan.picture)
            and self._fits(basis.shape, basis.size, basis.plan)
        )

    def _best(self, pages: int, plan: CardPlan) -> GridBasis | None:
        on_page = math.ceil(len(self._rows) / pages)
        best: tuple[float, GridBasis] | None = None
        for columns in self._column_choices(on_page):
            rows = math.ceil(on_page / columns)
            smallest = self._shape(columns, rows, self._smallest, paged=pages > 1)
            if smallest.width < 1 or smallest.height < 1:
                continue
            worth = self._worth(smallest, on_page, plan)
            floor = self._smallest - 1 if best is None else max(self._smallest - 1, int(best[0] / worth))
            size = self._search(columns, rows, floor, plan, paged=pages > 1)
            if size is not None and (best is None or worth * size > best[0]):
                shape = self._shape(columns, rows, size, paged=pages > 1)
                best = (worth * size, GridBasis(shape=shape, size=size, plan=plan, pages=pages))
        return best[1] if best is not None else None

    def _column_choices(self, on_page: int) -> Sequence[int]:
        if self._widget.columns is not None:
            return [min(self._widget.columns, on_page)]
        # No more columns than the rows need: none is empty.
        return [n for n in range(1, min(MAX_COLUMNS, on_page) + 1) if math.ceil(on_page / math.ceil(on_page / n)) == n]

    def _search(self, columns: int, rows: int, floor: int, plan: CardPlan, *, paged: bool) -> int | None:
        def suits(size: int) -> bool:
            shape = self._shape(columns, rows, size, paged=paged)
            return self._feet_of(size).whole and self._fits(shape, size, plan)

        found = largest(floor, self._largest, suits)
        return found if found > floor else None

    def _worth(self, shape: CardShape, on_page: int, plan: CardPlan) -> float:
        """Rates the shape of such cards, at most 1."""
        places = shape.columns * shape.rows
        worth = 1.0 - (places - on_page) / places
        if plan.picture:
            width, height = _picture_at_least(shape, plan)
            worth *= _within(width / max(1.0, height), NARROWEST_PICTURE, WIDEST_PICTURE)
            return worth * _within(shape.width / shape.height, 0.0, WIDEST_CARD)
        return worth * _within(shape.width / shape.height, NARROWEST_TEXT_CARD, WIDEST_CARD)

    # -- measurements at one size, in canvas units

    def _shape(self, columns: int, rows: int, size: int, *, paged: bool) -> CardShape:
        box, gap, foot = self._widget.box, self._gap, self._feet_of(size)
        if not self._setting.with_panel:
            gap = max(gap, float(round(1.4 * size)))  # Closer, names side by side read as one.
        below = (foot.height + FOOT_BEFORE * size if foot.height else 0.0) + (MARK_HEIGHT * size if paged else 0.0)
        return CardShape(
            columns=columns,
            rows=rows,
            width=math.floor((box.width - (columns - 1) * gap) / columns),
            height=math.floor((box.height - below - (rows - 1) * gap) / rows),
            gap=gap,
        )

    def _feet_of(self, size: int) -> Foot:
        if size not in self._feet:
            # Explanations that need more of the height are left out.
            detail, most = self._cards.detail_size(size), 0.35 * self._widget.box.height
            self._feet[size] = set_foot(
                self._listing,
                self._setting,
                width=self._widget.box.width,
                most=most,
                most_note=most,
                size=size,
                detail=detail,
                apart=RULE_BEFORE,
            )
        return self._feet[size]

    def _fits(self, shape: CardShape, size: int, plan: CardPlan) -> bool:
        """Whether every card has room for the plan's contents, and no word of a name is broken needlessly."""
        box = self._text_box(shape, size, plan)
        width = box.width
        # A name on a card narrower than 5 em breaks after each word.
        if width < 5.0 * self._smallest or shape.height < size:
            return False
        if plan.beside and width < LEAST_BESIDE * size:
            return False
        shortened = 0
        for row in self._by_length:
            # A word longer than 8 em is hyphenated rather than making cards wider.
            piece = min(self._setting.measurers.name.widest_piece(row.name), 8.0)
            if (size > self._smallest or plan.whole_words) and piece * size > width:
                return False
            text = self._cards.text(row, width, size, plan)
            if text.prices.width > width or text.height > box.height or text.cut:
                return False
            if text.shortened and plan.details == MOST_DETAIL_LINES:
                return False
            # A name has more in the smallest text size alone.
            if size > self._smallest and text.used["names"] > (2 if text.beside else 3):
                return False
            shortened += text.shortened
        # Rather none than the first words of most.
        return not plan.details or shortened <= max(1, 0.25 * len(self._rows))

    def _padding(self, size: int) -> float:
        return float(round(PADDING * size)) if self._setting.with_panel else 0.0

    def _is_ruled(self, plan: CardPlan) -> bool:
        """Whether a hairline above each card sets it apart because nothing else does."""
        return not self._setting.with_panel and not plan.picture

    def _text_box(self, shape: CardShape, size: int, plan: CardPlan) -> Box:
        """Returns the box of a card's text where the picture has its least size."""
        padding = self._padding(size)
        if not plan.picture:
            y = float(round(PADDING * size)) if self._is_ruled(plan) else padding
            return Box(x=padding, y=y, width=shape.width - 2 * padding, height=shape.height - y - padding)
        if _is_beside(shape):
            x = float(round(min(shape.height, PICTURE_BESIDE * shape.width) + max(padding, TEXT_BEFORE * size)))
            return Box(x=x, y=padding, width=shape.width - x - padding, height=shape.height - 2 * padding)
        y = _picture_at_least(shape, plan)[1] + TEXT_BEFORE * size
        return Box(x=padding, y=y, width=shape.width - 2 * padding, height=shape.height - y - padding)

    # -- positions

    def build(self, chosen: GridBasis) -> GridLayout:
        shape, size, plan = chosen.shape, chosen.size, chosen.plan
        box = self._text_box(shape, size, plan)
        texts = [self._cards.text(row, box.width, size, plan, most=box.height) for row in self._rows]
        heights = (self._cards.text(row, box.width, size, plan, most=box.height).height for row in self._by_length)
        highest = min(box.height, max((chosen.text_height, *heights)))
        picture, box, height = self._arranged(shape, box, highest, size, plan)
        foot = self._feet_of(size)
        bottom = self._widget.box.height - (MARK_HEIGHT * size if chosen.pages > 1 else 0.0)
        below = bottom - foot.height - FOOT_BEFORE * size if foot.height else bottom
        used = shape.rows * (height + shape.gap) - shape.gap
        top = max(0.0, float(round((below - used) / 2)))
        on_page = math.ceil(len(self._rows) / chosen.pages) if self._rows else 1
        width = shape.columns * (shape.width + shape.gap) - shape.gap
        left = float(round((self._widget.box.width - width) / 2))
        cards = []
        for at, (row, text) in enumerate(zip(self._rows, texts, strict=True)):
            page, place = divmod(at, on_page)
            here = min(on_page, len(self._rows) - page * on_page)
            line, column = divmod(place, shape.columns)
            # The last line of a page stands in the middle, unless pages would differ.
            beside = min(shape.columns, here - line * shape.columns)
            indent = (shape.columns - beside) * (shape.width + shape.gap) / 2 if here == on_page else 0.0
            x, y = left + indent + column * (shape.width + shape.gap), top + line * (height + shape.gap)
            card = self._cards.card(
                row, text, box, picture=picture, width=shape.width, height=height, size=size, ruled=self._is_ruled(plan)
            )
            cards.append(replace(card, page=page, x=float(round(x)), y=y))
        detail = self._cards.detail_size(size)
        return GridLayout(
            size=size,
            detail_size=detail,
            entries=tuple(cards),
            left=left,
            width=width,
            page_baseline=self._widget.box.height - MARK_BELOW * size,
            foot=foot.placed(left, bottom, width),
            legend_cut=self._foot_left_out,
            pages=chosen.pages,
            basis=replace(chosen, text_height=highest),
            overflows=any(text.height > box.height + 0.5 for text in texts),
            cut=tuple(row.name for row, card in zip(self._rows, cards, strict=True) if card.cut),
        )

    def _arranged(
        self, shape: CardShape, box: Box, highest: float, size: int, plan: CardPlan
    ) -> tuple[Box | None, Box, float]:
        """Returns the picture, as large as the text allows, the text's box beside or below it, and the height of the
        card."""
        padding = self._padding(size)
        if not plan.picture:
            # A card without a picture is no higher than 1.4 times its text.
            height = float(round(min(shape.height, highest * 1.4 + box.y + padding)))
            return None, replace(box, height=height - box.y - padding), height
        if _is_beside(shape):
            width = box.x - max(padding, TEXT_BEFORE * size)
            return Box(x=0.0, y=0.0, width=float(round(width)), height=shape.height), box, shape.height
        most = shape.width / NARROWEST_PICTURE
        height = float(round(min(most, shape.height - highest - TEXT_BEFORE * size - padding)))
        y = height + TEXT_BEFORE * size
        card = min(shape.height, float(round(y + highest + padding)))
        return (
            Box(x=0.0, y=0.0, width=shape.width, height=height),
            replace(box, y=y, height=card - y - padding),
            card,
        )


def _length(row: MenuRow) -> int:
    return len(row.name) + len(row.description) + sum(len(tag) for tag in row.tags)


def _picture_at_least(shape: CardShape, plan: CardPlan) -> tuple[float, float]:
    """Returns the least width and height of a card's picture."""
    if _is_beside(shape):
        return min(shape.height, PICTURE_BESIDE * shape.width), shape.height
    return shape.width, max(plan.picture * shape.height, shape.width / WIDEST_PICTURE)


def _is_beside(shape: CardShape) -> bool:
    return shape.width >= 1.55 * shape.height


def _within(ratio: float, least: float, most: float) -> float:
    """Returns 1 for a ratio within the bounds, and less the farther it is from them."""
    if least <= ratio <= most:
        return 1.0
    return float((ratio / least if ratio < least else most / ratio) ** 0.5)
