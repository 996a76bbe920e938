"""Lays out one row of a menu at a text size: name, price on the decimal line, details, tags; imports no Qt."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from menu.documents.box import Box
from menu.documents.scene import MenuWidget
from menu.text.wording import joined
from player.display.layout.badges import DOT, MOST_TAG_LINES, NAME_GAP, TAG_GAP, Badge, Badges, lay_out_badges
from player.display.layout.entry import Entry, Leader, picture_of
from player.display.layout.prices import Prices
from player.display.layout.row_prices import PRICE_GAP, PriceSetter, has_below
from player.display.layout.runs import Run, exact_run, strikes
from player.display.layout.setting import Setting
from player.display.layout.sizes import (
    BASELINE,
    BLEED,
    BLEED_ABOVE,
    DETAIL_BASELINE,
    DETAIL_LINE,
    FEATURED_SIZE,
    LEAST_DETAIL,
    LINE,
    name_size,
)
from player.display.layout.stack import Lined, Stack, within
from player.display.layout.text.bidi import join_isolated, with_base_direction
from player.display.layout.text.line_breaking import ELLIPSIS, described, ends_early, flow, name_lines
from player.display.layout.variants import PriceColumns
from player.domain.view import MenuRow, MenuSection, SecondText

# Everything below is in ems: multiples of the widget's one text size.
MIDDLE = 0.35
"""From a baseline up to the middle of the letters."""
SECOND_LINE = 1.26
THUMB_SIZE = 2.1
THUMB_GAP = 0.5
LEADER_STEP, LEADER_DOT = 0.42, 0.06
LEADER_GAP = 0.35
LEAST_DOTS = 5
"""A shorter leader is a stub: the price is beside the name without it."""

MOST_NAME_LINES, MOST_DETAIL_LINES = 20, 60
"""Lines of one item. A row has fewer where it would otherwise be higher than its column."""


_MOST = {
    "description": MOST_DETAIL_LINES,
    "tags": MOST_TAG_LINES,
    "modifiers": MOST_DETAIL_LINES,
    "names": MOST_NAME_LINES,
}
_NO_SECOND = SecondText(name="", description="")


class _RowText(Lined, frozen=True, kw_only=True):
    """Text of a row, from 0, 0 on; `height` includes its prices and tags."""

    runs: tuple[Run, ...]
    prices: Prices
    tags: tuple[Badge, ...]
    name_end: float
    """The end of the first line of the name, with the tags after it."""
    cut: bool


_Key = tuple[MenuRow, tuple[PriceColumns | None, float, bool], bool, float, int]
RowCache = Mapping[_Key, Entry]
"""Rows laid out before, by content, what the prices of others add, room for an image, column width and text size."""


class RowTypesetter:
    """Lays out the rows of one menu."""

    def __init__(
        self,
        widget: MenuWidget,
        sections: Sequence[MenuSection],
        setting: Setting,
        *,
        cache: RowCache,
        most_description: int = MOST_DETAIL_LINES,
    ) -> None:
        self._most = {**_MOST, "description": most_description}
        self._widget = widget
        self._setting, self._measurers = setting, setting.measurers
        self._right_to_left, second = setting.right_to_left, setting.second
        self._second_right_to_left = second is not None and second.right_to_left
        self._cache, self._cut = dict(cache), dict[tuple[_Key, float], Entry]()
        self._rows = [row for section in sections for row in section.rows]
        self._thumb = THUMB_SIZE + THUMB_GAP if any(self._has_image(row) for row in self._rows) else 0.0
        """Width in ems that images take beside the names, where any row has one."""
        self._indented = frozenset(
            row.item_id
            for section in sections
            if any(self._has_image(one) for one in section.rows)
            for row in section.rows
        )
        """Items of sections with an image: their names are in line, whether they have one themselves or not."""
        self.prices = PriceSetter(
            sections, setting, least_detail=LEAST_DETAIL * widget.min_text_size * setting.scale, thumb=self._thumb
        )
        """The prices of all rows."""
        self.detail_size = self.prices.detail_size
        """Size of descriptions and options, where names have this size."""

    def natural_width(self, row: MenuRow) -> float:
        """Column width in ems at which the row's name takes one line."""
        name = self._measurers.name.width(row.name) * (FEATURED_SIZE if row.featured else 1.0)
        return name + PRICE_GAP + self.prices.natural_width(row) + 0.01

    def least_width(self) -> float:
        """Least column width in ems for every row: an image, the beginning of a name, and the price."""
        saving = max((self._measurers.price.width(row.saving) for row in self._rows), default=0.0) * LEAST_DETAIL
        # With less than 3 em for a name beside its price, the menu gets fewer columns or smaller text.
        return self._thumb + max(3.0 + PRICE_GAP + self.prices.least_width(), saving)

    def name_width(self, row: MenuRow, width: float, size: int) -> float:
        """Width that a column leaves for the row's name, in canvas units."""
        prices = self.prices.width_beside(row, width, size)
        return max(float(size), width - prices - (PRICE_GAP * size if prices else 0.0) - self._name_x(row, size))

    def _last_width(self, row: MenuRow, names: Sequence[str], width: float, size: int) -> float:
        """Returns the width that the last line of a name and what follows it have: prices stand beside the first."""
        if len(names) == 1 or self._has_below(row, width, size):
            return self.name_width(row, width, size)
        return width - self._name_x(row, size)

    def second_size(self, size: int) -> int:
        return max(self.detail_size(size), round(0.75 * size))

    def lay_out(self, row: MenuRow, width: float, size: int, *, height: float = math.inf) -> Entry:
        """Lays out the row in a column `width` canvas units wide, at the corner of the widget; cut where it would be
        higher than `height`."""
        key = self._key(row, width, size)
        if key not in self._cache:
            self._cache[key] = self._lay_out(row, width, size, math.inf)
        whole = self._cache[key]
        if whole.height <= height:
            return whole
        if (key, height) not in self._cut:
            self._cut[key, height] = self._lay_out(row, width, size, height)
        return self._cut[key, height]

    def cached(self, width: float, size: int) -> RowCache:
        keys = [self._key(row, width, size) for row in self._rows]
        return {key: self._cache[key] for key in keys if key in self._cache}

    def _key(self, row: MenuRow, width: float, size: int) -> _Key:
        return row, self.prices.beside(row), row.item_id in self._indented, width, size

    def _lay_out(self, row: MenuRow, width: float, size: int, height: float) -> Entry:
        """Lays out the row without the lines for which there is no room: first those of the description, then tags,
        options, and last the name."""
        energy = 1 if row.energy and not self._setting.large_energy else 0
        fewest = {"description": energy, "tags": 0, "modifiers": 0, "names": 1}
        text = within(height, self._most, fewest, lambda limits: self._text(row, width, size, limits))
        picture = None
        if self._has_image(row):
            picture = picture_of(row, Box(x=0.0, y=0.0, width=THUMB_SIZE * size, height=THUMB_SIZE * size))
        return Entry(
            kind="row",
            key=row.item_id,
            width=width,
            height=text.height,
            runs=text.runs,
            lines=strikes(text.runs, self._measurers),
            tags=text.tags,
            leader=self._leader(row, text.prices, text.name_end, width, size),
            picture=picture,
            panel=_panel(width, text.height, size) if row.featured else None,
            sold_out=row.sold_out,
            cut=text.cut,
        )

    def _text(self, row: MenuRow, width: float, size: int, limits: Mapping[str, int]) -> _RowText:
        """Sets name and details in both languages below each other, prices and tags, in no more lines than `limits`."""
        own, detail, measurers = name_size(row, size), self.detail_size(size), self._measurers
        name_x, name_width = self._name_x(row, size), self.name_width(row, width, size)
        (details_width, details_top), second_size = self._details_room(row, width, size), self.second_size(size)
        ems, described_in = max(1.0, details_width / detail), limits["description"]
        second = row.second if row.second is not None and self._setting.second is not None else _NO_SECOND
        below = self._second_names(second.name, details_width / second_size, limits["names"])
        told = described(measurers.detail, row.description, ems, described_in)
        more = described(measurers.second_detail, second.description, ems, described_in)
        options = self._options(row, ems, limits["modifiers"])
        alone = bool(told) and not options and not more
        told_room = details_width - measurers.detail.width(told[-1]) * detail if alone else 0.0
        names, groups = self._named(row, width, size, limits, told_room)
        texts = Stack(width=width - name_x, right_to_left=self._right_to_left)
        texts.add("name", "name", names, own, LINE, BASELINE, ink="text", width=name_width, struck=row.sold_out)
        name_end, line = texts.end, DETAIL_LINE * detail
        second_name = with_base_direction(below, right_to_left=self._second_right_to_left)
        texts.add("second", "second", second_name, second_size, SECOND_LINE, 0.95, ink="text")
        first, last = (told, options) if more else (told + options, ())
        before = max(0.0, details_top - texts.end)
        texts.add("details", "detail", first, detail, DETAIL_LINE, DETAIL_BASELINE * DETAIL_LINE, before=before)
        both = self._second_details(more, last)
        texts.add("secondDetails", "second_detail", both, detail, DETAIL_LINE, DETAIL_BASELINE * DETAIL_LINE)
        prices = self.prices.set(row, name_x=name_x, width=width, size=size, below=texts.end)
        runs, height = [*(run.moved(name_x) for run in texts.runs), *prices.runs], prices.height
        if row.saving:
            has_details = bool(below or told or options or more)
            saving, bottom = self._placed_saving(row, width, size, (name_end, height), has_details=has_details)
            runs.append(saving)
            height = max(height, bottom)
        middle = texts.end - line + DETAIL_BASELINE * line - MIDDLE * detail
        told_end = (details_width - told_room, middle, details_width) if alone else None
        # Beside energies and regular prices there is room for a line of tags.
        is_beside = self._has_below(row, width, size) and groups[-1].lines == 1 and groups[-1].width <= name_width
        below_name = texts.end if is_beside else height
        tail = self._last_width(row, names, width, size)
        tags, name_end, end = self._placed_tags(row, names, groups, tail, size, below_name, told_end)
        height = max(height, end)
        return _RowText(
            runs=tuple(runs),
            prices=prices,
            tags=tags,
            name_end=name_x + (name_end if len(names) == 1 else measurers.name.width(names[0]) * own),
            height=max(height, THUMB_SIZE * size) if self._has_image(row) else height,
            used={
                "description": max(len(told), len(more)),
                "tags": groups[-1].lines,
                "modifiers": len(options),
                "names": max(len(names), len(below)),
            },
            cut=prices.cut
            or not groups[-1].whole
            or ends_early(names, row.name)
            or ends_early(below, second.name)
            or ends_early(told or (ELLIPSIS,), row.description or ELLIPSIS)
            or ends_early(more or (ELLIPSIS,), second.description or ELLIPSIS)
            or ends_early(options or (ELLIPSIS,), row.modifiers[-1].delta if row.modifiers else ELLIPSIS),
        )

    def _placed_saving(
        self, row: MenuRow, width: float, size: int, tops: tuple[float, float], *, has_details: bool
    ) -> tuple[Run, float]:
        """Places the saving of an offer and returns its end: below the name if nothing else is there, else below the
        prices."""
        top = tops[0 if not has_details or self._is_beside_saving(row, width, size) else 1]
        saving, line = self._saving(row, size), DETAIL_LINE * self.detail_size(size)
        return saving.moved(width - saving.width, top + DETAIL_BASELINE * line), top + line

    def _named(
        self, row: MenuRow, width: float, size: int, limits: Mapping[str, int], told_room: float
    ) -> tuple[tuple[str, ...], tuple[Badges, ...]]:
        """Returns the lines of the name, and the badges, for which it breaks earlier: a line of badges costs about as
        much as one of the name, unless a second language is below. Allergen letters are separate where only they have
        room after it. After the description there is `told_room`."""
        measurer, own, detail = self._measurers.name, name_size(row, size), self.detail_size(size)
        room, name_width, most = width - self._name_x(row, size), self.name_width(row, width, size), limits["names"]
        gap, below = NAME_GAP * size, 0.0 if self._has_below(row, width, size) else room - name_width
        names = name_lines(measurer, row.name, name_width / own, most)

        def beside(badges: Badges) -> tuple[str, ...] | None:
            """Breaks the name so that the badges have room after its last word, if they can have."""
            tail = (gap + badges.width) / own
            longer = name_lines(measurer, row.name, name_width / own, most, tail, below / own)
            fits = measurer.width(longer[-1]) + tail <= self._last_width(row, longer, width, size) / own
            return longer if fits and badges.lines == 1 else None

        badges = lay_out_badges(row, self._setting, detail=detail, width=room, lines=limits["tags"])
        tags = replace(row, allergens=())
        others = lay_out_badges(tags, self._setting, detail=detail, width=room, lines=limits["tags"])
        last = self._last_width(row, names, width, size)
        fits = badges.lines == 1 and measurer.width(names[-1]) * own + gap + badges.width <= last
        after_told = others.lines == 1 and 2 * TAG_GAP * size + others.width <= told_room
        if fits or not badges.badges:
            return names, (badges,)
        if not after_told and row.second is None and (longer := beside(badges)) is not None:
            return longer, (badges,)
        if not row.allergens:
            return names, (badges,)
        lettered = replace(row, tags=(), icons=(), sold_out=False)
        letters = lay_out_badges(lettered, self._setting, detail=detail, width=name_width)
        if (longer := beside(letters)) is None:
            return names, (badges,)
        return longer, (letters, others)

    def _second_names(self, text: str, ems: float, limit: int) -> tuple[str, ...]:
        """Sets the names in further languages: beside each other where that is one line, else below each other."""
        if not text:
            return ()
        measurer, names = self._measurers.second, text.split("\n")
        together = joined(names)
        if len(names) == 1 or limit == 1 or measurer.width(together) <= ems:
            return name_lines(measurer, together, ems, limit)
        lines = [line for name in names for line in name_lines(measurer, name, ems, limit)]
        return tuple(lines) if len(lines) <= limit else name_lines(measurer, together, ems, limit)

    def _second_details(self, described: Sequence[str], options: Sequence[str]) -> str:
        """Joins the second language's description and the options after it, each in its direction."""
        directed = (
            with_base_direction(described, right_to_left=self._second_right_to_left),
            with_base_direction(options, right_to_left=self._right_to_left),
        )
        return "\n".join(part for part in directed if part)

    def _placed_tags(
        self,
        row: MenuRow,
        names: Sequence[str],
        groups: Sequence[Badges],
        room: float,
        size: int,
        top: float,
        told_end: tuple[float, float, float] | None,
    ) -> tuple[tuple[Badge, ...], float, float]:
        """Places the allergen letters after the name, where its last line has room for them, and the tags after those,
        or after the description, whose last line has its end, middle and room in `told_end`; or in a line of their own
        from `top` on. Also returns the ends of the name's last line and of the tags."""
        own, name_x = name_size(row, size), self._name_x(row, size)
        end, gap, placed = self._measurers.name.width(names[-1]) * own, NAME_GAP * size, list[Badge]()
        middle = LINE * own * (len(names) - 1) + (BASELINE - MIDDLE) * own
        for badges in groups:
            if not badges.badges:
                continue
            if end + gap + badges.width > room + 0.01 or badges.lines > 1:
                if told_end is not None and badges.lines == 1:
                    left, middle, beside = told_end[0] + 2 * TAG_GAP * size, *told_end[1:]
                    if left + badges.width <= beside:
                        placed += _beside(badges, name_x + left, middle)
                        return tuple(placed), end, top
                top += 0.12 * size
                # Frames lie on whole pixels.
                return (*placed, *badges.moved(name_x, top)), end, math.ceil(top + badges.height)
            placed += _beside(badges, name_x + end + gap, middle)
            end, gap = end + gap + badges.width, TAG_GAP * size
        return tuple(placed), end, top

    def _has_below(self, row: MenuRow, width: float, size: int) -> bool:
        """Whether there are prices below the first line: energies or regular ones below columns, or sizes in lines."""
        if self.prices.are_beside(row, width, size):
            return len(row.variants) > 1
        return has_below(row) and self.prices.columns_here(row, width, size) is not None

    def _details_room(self, row: MenuRow, width: float, size: int) -> tuple[float, float]:
        """Returns the width of the details, and their earliest start. Energies and regular prices below columns of
        prices leave them the width of the name; the details go below these where they are then lower."""
        details = width - self._name_x(row, size)
        if self._is_beside_saving(row, width, size):
            return self._beside_saving(row, width, size), 0.0
        if not self._has_below(row, width, size):
            return details, 0.0
        name, detail = self.name_width(row, width, size), self.detail_size(size)
        end = self.prices.set(row, name_x=0.0, width=width, size=size, below=0.0).height
        beside, below = (LINE * size + self._lines(row, ems / detail) * DETAIL_LINE * detail for ems in (name, details))
        is_lower = below + end - LINE * size > beside - detail
        return (name, 0.0) if is_lower or row.second is not None else (details, end)

    def _lines(self, row: MenuRow, ems: float) -> int:
        """Counts the lines of the description in this width."""
        return len(self._measurers.detail.lines(row.description, max(1.0, ems), self._most["description"]))

    def _beside_saving(self, row: MenuRow, width: float, size: int) -> float:
        return width - self._name_x(row, size) - self._saving(row, size).width - PRICE_GAP * size

    def _options(self, row: MenuRow, ems: float, limit: int) -> tuple[str, ...]:
        parts = [
            join_isolated((modifier.name, modifier.delta), right_to_left=self._right_to_left)
            for modifier in row.modifiers
        ]
        return flow(self._measurers.detail, parts, DOT, ems, limit) if parts and limit else ()

    def _leader(self, row: MenuRow, prices: Prices, begin: float, width: float, size: int) -> Leader | None:
        has_prices = row.price.text or self.prices.width_beside(row, width, size)
        if not (self._widget.leader and has_prices):
            return None
        end, step = width - prices.width - LEADER_GAP * size, LEADER_STEP * size
        dots = int((end - begin - LEADER_GAP * size) / step)
        y = BASELINE * name_size(row, size)
        found = Leader(x=end - dots * step, y=y, width=dots * step, dots=dots, step=step, dot=LEADER_DOT * size)
        return found if dots >= LEAST_DOTS else None

    def _saving(self, row: MenuRow, size: int) -> Run:
        return exact_run(self._measurers, "saving", row.saving, "price", self.detail_size(size), ink="accent")

    def _is_beside_saving(self, row: MenuRow, width: float, size: int) -> bool:
        """Whether a combo's saving stands in the first line of the details, below the price: where these have room
        enough, and take no more lines than with a separate line below."""
        if not row.saving:
            return False
        details, left = width - self._name_x(row, size), self._beside_saving(row, width, size)
        if left < 6.0 * size:  # For less, the saving has a line of its own.
            return False
        detail = self.detail_size(size)
        return self._lines(row, left / detail) <= self._lines(row, details / detail) + 1

    def _name_x(self, row: MenuRow, size: int) -> float:
        return (THUMB_SIZE + THUMB_GAP) * size if row.item_id in self._indented else 0.0

    def _has_image(self, row: MenuRow) -> bool:
        return self._widget.show_images and row.image is not None


def _beside(badges: Badges, left: float, middle: float) -> Iterator[Badge]:
    """Places badges in one line, from `left` on, at the height of the letters that have this middle."""
    return (replace(badge, x=left + badge.x, y=middle - badge.height / 2) for badge in badges.badges)


def _panel(width: float, height: float, size: int) -> Box:
    """Returns the panel behind a featured row: a little larger than the row."""
    x, y = BLEED * size, BLEED_ABOVE * size
    return Box(x=-x, y=-y, width=width + 2 * x, height=height + 2 * y)
