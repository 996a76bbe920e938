"""Sets the text of the cards of a grid, at one size and width, and places it; pure arithmetic, imports no Qt."""

from __future__ import annotations

import math

from msgspec import Struct
from msgspec.structs import replace

from player.display.layout.badges import (
    MOST_TAG_LINES,
    BadgeGeometry,
    are_whole,
    badges_height,
    badges_lines,
    lay_out_badges,
    tag_texts,
)
from player.display.layout.card_prices import BASELINE, CardPrices, set_prices
from player.display.layout.energy import row_with_energy
from player.display.layout.entry import Entry, EntryKind, Picture
from player.display.layout.runs import Ink, Line, Run, strikes
from player.display.layout.sizes import DETAIL_BASELINE, DETAIL_LINE, DETAIL_SIZE, RULE, detail_size
from player.display.layout.text.balancing import described, name_lines
from player.display.layout.text.bidi import with_base_direction
from player.display.layout.text.line_breaking import ends_early
from player.display.layout.text.measuring import TextMeasurers
from player.display.layout.text.second import with_second_below
from player.domain.documents.scene import Box
from player.domain.view import Locality, MenuRow

# In ems of the one text size.
LINE = 1.2
DETAIL_BEFORE, TAGS_BEFORE, PRICE_BEFORE = 0.22, 0.34, 0.34
MONOGRAM_SIZE = 0.42
"""Size of the letter in place of a picture, as a share of the picture's shorter side."""
MOST_LISTED_VARIANTS = 3
"""An item with more variants shows the lowest price of them."""
MOST_NAME_LINES, MOST_DETAIL_LINES = 12, 24


class CardPlan(Struct, frozen=True, kw_only=True):
    """The contents of a layout of cards: the least share of a card's height for its picture, the lines of its
    description, whether no word of a name is broken, and whether variants are listed rather than the lowest price
    told."""

    picture: float
    details: int
    whole_words: bool
    variants: bool = False


class CardText(Struct, frozen=True, kw_only=True):
    """The text of a card in lines, at one size and width."""

    names: tuple[str, ...]
    details: tuple[str, ...]
    tags: tuple[BadgeGeometry, ...]
    prices: CardPrices
    height: float
    cut: bool
    """Whether the name or a tag is."""
    shortened: bool
    """Whether the description is not whole."""


class CardSetter:
    """Sets the text of the items of one grid."""

    def __init__(self, measurers: TextMeasurers, *, locality: Locality, sold_out: str, least_detail: float) -> None:
        self._measurers, self._locality = measurers, locality
        self._sold_out, self._least_detail = sold_out, least_detail
        self._texts: dict[tuple[str, bool, float, int, CardPlan], CardText] = {}

    def detail_size(self, size: int) -> int:
        """Size of descriptions where names have this size."""
        return detail_size(size, self._least_detail)

    def text(self, row: MenuRow, width: float, size: int, plan: CardPlan, *, most: float = math.inf) -> CardText:
        """The text of a card, whose parts are left out where it would be higher than `most`."""
        key = (row.item_id, row.sold_out, width, size, plan)
        if key not in self._texts:
            self._texts[key] = self._set_text(row, width, size, plan, most=math.inf)
        whole = self._texts[key]
        return whole if whole.height <= most else self._set_text(row, width, size, plan, most=most)

    def _set_text(self, row: MenuRow, width: float, size: int, plan: CardPlan, *, most: float) -> CardText:
        """The text of a card; where it is higher than `most`, its name is cut, and tags are left out."""
        listed = plan.variants and 0 < len(row.variants) <= MOST_LISTED_VARIANTS
        lowest = row.lowest if row.variants and not listed else None
        told = row if plan.details else replace(row, description="")
        told = row_with_energy(told if lowest is None else replace(told, energy=lowest.energy), self._locality)
        told = with_second_below(told)
        fewest = 1 if told.description and not plan.details else 0
        detail = self.detail_size(size)
        prices = set_prices(
            row,
            self._measurers,
            listed=listed,
            width=width,
            size=size,
            detail=detail,
            right_to_left=self._locality.right_to_left,
        )
        texts = tag_texts(row, sold_out=self._sold_out, locale=self._locality.locale)
        limit = max(fewest, plan.details)
        names_at_most, tags_at_most = MOST_NAME_LINES, MOST_TAG_LINES
        while True:
            names = name_lines(self._measurers.name, told.name, width / size, names_at_most)
            details = described(self._measurers.detail, told.description, width / detail, limit)
            tags = lay_out_badges(
                texts,
                icons=row.icons,
                letters=row.allergens,
                measurer=self._measurers.tag,
                size=detail / DETAIL_SIZE,
                width=width,
                lines=tags_at_most,
                strong_first=row.sold_out and bool(self._sold_out),
            )
            height = LINE * size * len(names) + prices.height + (PRICE_BEFORE * size if prices.runs else 0.0)
            height += DETAIL_BEFORE * size + DETAIL_LINE * detail * len(details) if details else 0.0
            height += TAGS_BEFORE * size + badges_height(tags) if tags else 0.0
            if height <= most or (names_at_most == 1 and tags_at_most == 0):
                break
            if tags_at_most > 0:
                tags_at_most = max(0, min(tags_at_most, badges_lines(tags)) - 1)
            else:
                names_at_most = max(1, min(names_at_most, len(names)) - 1)
        return CardText(
            names=names,
            details=details,
            tags=tags,
            prices=prices,
            height=height,
            cut=ends_early(names, told.name) or not are_whole(tags, texts, row.icons),
            shortened=ends_early(details, told.description) or (bool(row.description) and not plan.details),
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
        """The card with its text in this box, from its corner; `ruled`: with a hairline above it."""
        detail, right_to_left = self.detail_size(size), self._locality.right_to_left
        name = Run(
            name="cardName",
            text=with_base_direction(text.names, right_to_left=right_to_left),
            face="name",
            size=size,
            ink=Ink.TEXT,
            x=box.x,
            y=box.y + BASELINE * size,
            width=box.width,
            line=LINE * size,
            fills=True,
            struck=row.sold_out,
        )
        runs, bottom = [name], box.y + LINE * size * len(text.names)
        if text.details:
            line, top = DETAIL_LINE * detail, bottom + DETAIL_BEFORE * size
            details = with_base_direction(text.details, right_to_left=right_to_left)
            run = replace(name, name="cardDetails", text=details, face="detail", size=detail, line=line, struck=False)
            runs.append(replace(run, ink=Ink.SECONDARY, y=top + DETAIL_BASELINE * line))
            bottom = top + line * len(text.details)
        runs += (run.moved(box.x, box.y + box.height) for run in text.prices.runs)
        rule = Line(name="cardRule", ink=Ink.RULE, x=0.0, y=0.0, width=width, thickness=RULE * size)
        place = None
        if picture is not None:
            letter = max(1, round(MONOGRAM_SIZE * min(picture.width, picture.height)))
            place = Picture(box=picture, asset=row.image, letter_size=letter)
        return Entry(
            kind=EntryKind.CARD,
            key=row.item_id,
            width=width,
            height=height,
            runs=tuple(runs),
            lines=(*((rule,) if ruled else ()), *strikes(runs, self._measurers)),
            tags=tuple(replace(tag, x=box.x + tag.x, y=bottom + TAGS_BEFORE * size + tag.y) for tag in text.tags),
            picture=place,
            sold_out=row.sold_out,
            cut=text.cut or text.shortened,
        )
