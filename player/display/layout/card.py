"""Sets the text of the cards of a grid, at one size and width, and places it; pure arithmetic, imports no Qt."""

from __future__ import annotations

import math
from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from menu.documents.box import Box
from player.display.layout.badges import MOST_TAG_LINES, Badges, lay_out_badges
from player.display.layout.card_prices import BASELINE, PRICE_SIZE, card_prices
from player.display.layout.energy import row_with_energy, with_second_below
from player.display.layout.entry import Entry, picture_of
from player.display.layout.prices import Prices
from player.display.layout.runs import Line, Run, strikes
from player.display.layout.setting import Setting
from player.display.layout.sizes import DETAIL_BASELINE, DETAIL_LINE, RULE, detail_size
from player.display.layout.stack import Lined, Stack, within
from player.display.layout.text.line_breaking import described, ends_early, name_lines
from player.domain.view import MenuRow

# In ems of the one text size.
DETAIL_BEFORE, TAGS_BEFORE, PRICE_BEFORE = 0.22, 0.34, 0.34
PRICE_BESIDE, PRICE_ABOVE = 0.8, BASELINE * (PRICE_SIZE - 1)
"""Between a name and the price beside it, and by how much the top of that is above the name's."""
MOST_LISTED_VARIANTS = 3
"""An item with more variants shows the lowest price of them."""
MOST_NAME_LINES, MOST_DETAIL_LINES = 12, 24


class CardPlan(Struct, frozen=True, kw_only=True):
    """Contents of a layout of cards: the least share of a card's height for its picture, the lines of its description,
    whether no word of a name is broken, whether variants are listed rather than the lowest price shown, and whether the
    price stands beside the name rather than at the foot."""

    picture: float
    details: int
    whole_words: bool
    variants: bool = False
    beside: bool = False


class CardText(Lined, frozen=True, kw_only=True):
    """Text of a card at one size and width, from 0, 0 on."""

    runs: tuple[Run, ...]
    tags: Badges
    tags_top: float
    prices: Prices
    cut: bool
    """Whether the name or a tag is."""
    shortened: bool
    """Whether the description is not whole."""
    beside: bool
    """Whether the prices stand at the end of the name's line."""


class CardSetter:
    """Sets the text of the items of one grid."""

    def __init__(self, setting: Setting, *, least_detail: float) -> None:
        self._setting, self._measurers = setting, setting.measurers
        self._least_detail = least_detail
        self._texts: dict[tuple[str, bool, float, int, CardPlan], CardText] = {}

    def detail_size(self, size: int) -> int:
        """Size of descriptions where names have this size."""
        return detail_size(size, self._least_detail)

    def text(self, row: MenuRow, width: float, size: int, plan: CardPlan, *, most: float = math.inf) -> CardText:
        """Sets the text of a card; where it is higher than `most`, tags are left out and its name is cut."""
        key = (row.item_id, row.sold_out, width, size, plan)
        if key not in self._texts:
            self._texts[key] = self._within(math.inf, row, width, size, plan)
        whole = self._texts[key]
        return whole if whole.height <= most else self._within(most, row, width, size, plan)

    def _within(self, most: float, row: MenuRow, width: float, size: int, plan: CardPlan) -> CardText:
        listed = plan.variants and 0 < len(row.variants) <= MOST_LISTED_VARIANTS
        lowest = row.lowest if row.variants and not listed else None
        told = row if plan.details else replace(row, description="")
        told = row_with_energy(told if lowest is None else replace(told, energy=lowest.energy), self._setting.locality)
        told = with_second_below(told)
        prices = card_prices(
            row,
            self._setting,
            listed=listed,
            width=width,
            size=size,
            detail=self.detail_size(size),
        )
        cut = bool(row.description) and not plan.details
        # An energy stays.
        details = plan.details or 1
        return within(
            most,
            {"tags": MOST_TAG_LINES, "names": MOST_NAME_LINES},
            {"tags": 0, "names": 1},
            lambda limits: self._text(
                told, prices, width, size, limits, details=details, cut=cut, beside=plan.beside and not listed
            ),
        )

    def _text(
        self,
        row: MenuRow,
        prices: Prices,
        width: float,
        size: int,
        limits: Mapping[str, int],
        *,
        details: int,
        cut: bool,
        beside: bool,
    ) -> CardText:
        """Sets the text in no more lines than `limits`, with the prices `beside` it or below; `cut`: without its
        description."""
        detail, measurers = self.detail_size(size), self._measurers
        below = prices.height + (PRICE_BEFORE * size if prices.runs else 0.0)
        if beside and prices.runs:
            width, below = max(1.0, width - prices.width - PRICE_BESIDE * size), 0.0
        texts = Stack(width=width, right_to_left=self._setting.right_to_left)
        names = name_lines(measurers.name, row.name, width / size, limits["names"])
        texts.add("cardName", "name", names, size, 1.2, BASELINE, ink="text", struck=row.sold_out)
        told = described(measurers.detail, row.description, width / detail, details)
        baseline = DETAIL_BASELINE * DETAIL_LINE
        texts.add("cardDetails", "detail", told, detail, DETAIL_LINE, baseline, before=DETAIL_BEFORE * size)
        tags = lay_out_badges(row, self._setting, detail=detail, width=width, lines=limits["tags"])
        tags_top = texts.end + TAGS_BEFORE * size
        height = tags_top + tags.height if tags.badges else texts.end
        return CardText(
            runs=tuple(texts.runs),
            tags=tags,
            tags_top=tags_top,
            prices=prices,
            height=max(height + below, prices.height),
            used={"tags": tags.lines, "names": len(names)},
            cut=ends_early(names, row.name) or not tags.whole,
            shortened=ends_early(told, row.description) or cut,
            beside=beside,
        )

    def card(
        self,
        row: MenuRow,
        text: CardText,
        box: Box,
        *,
        picture: Box | None,
        width: float,
        height: float,
        size: int,
        ruled: bool,
    ) -> Entry:
        """Builds the card with its text in this box, from its corner; `ruled`: with a hairline above it."""
        top = box.y
        if text.beside:
            # The text stands in the middle, with the price's baseline on that of the name.
            top += max(0.0, float(round((box.height - text.height) / 2)))
            at, end = box.x + box.width - text.prices.width, top + text.prices.height - PRICE_ABOVE * size
        else:
            at, end = box.x, box.y + box.height
        runs = [run.moved(box.x, top) for run in text.runs]
        runs += (run.moved(at, end) for run in text.prices.runs)
        rule = Line(name="cardRule", ink="rule", width=width, thickness=RULE * size)
        place = None
        if picture is not None:
            # The letter in place of a picture is no larger than 2 em: it is no picture.
            letter = max(1, round(min(0.42 * min(picture.width, picture.height), 2.0 * size)))
            place = picture_of(row, picture, letter_size=letter)
        return Entry(
            kind="card",
            key=row.item_id,
            width=width,
            height=height,
            runs=tuple(runs),
            lines=(*((rule,) if ruled else ()), *strikes(runs, self._measurers)),
            tags=text.tags.moved(box.x, top + text.tags_top),
            picture=place,
            sold_out=row.sold_out,
            cut=text.cut or text.shortened,
        )
