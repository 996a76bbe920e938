"""Lays out a menu widget: one text size, columns, pages; pure arithmetic, imports no Qt."""

from __future__ import annotations

from collections import Counter

from msgspec.structs import replace

from player.display.layout.columns import tops
from player.display.layout.entry import Entry, EntryKind, ListLayout
from player.display.layout.menu_columns import ColumnChooser, FilledColumns, LayoutBasis
from player.display.layout.menu_measures import (
    GUTTER,
    HEADING_SIZE,
    HEADING_SPACE,
    LABELS_LINE,
    MARK_HEIGHT,
    TITLE_AFTER,
    TITLE_LINE,
    Heading,
    MenuMeasures,
    grid_step,
)
from player.display.layout.runs import Line, Run
from player.display.layout.sizes import RULE
from player.display.layout.text.measuring import TextMeasurers
from player.domain.documents.scene import Box, MenuWidget, VerticalAlign
from player.domain.view import Locality, MenuListing
from player.domain.words.wording import capitals

# Everything below is in ems: multiples of the widget's one text size.
HEADING_BASELINE = 0.76
TITLE_BASELINE = 1.5
PAGE_BASELINE = 0.14
"""From the page number's baseline to the widget's foot."""
RULE_ABOVE = 0.27
"""From a heading's baseline up to its hairline."""
BAR_BEFORE, BAR_WIDTH, BAR_HEIGHT = 0.55, 1.9, 0.1
"""The accent bar below the title's baseline."""


class MenuLayout(ListLayout, frozen=True, kw_only=True):
    """The layout of a menu widget."""

    padding: float
    top: float
    """Top of the title, or of the list without one."""
    basis: LayoutBasis


def lay_out_menu(
    widget: MenuWidget,
    listing: MenuListing,
    *,
    measurers: TextMeasurers,
    scale: float = 1.0,
    with_panel: bool = False,
    locality: Locality,
    second: Locality | None = None,
    sold_out: str = "",
    basis: LayoutBasis | None = None,
    align: VerticalAlign = VerticalAlign.TOP,
) -> MenuLayout:
    """Lay out a listing in its widget.

    All rows have one text size: the largest, within the widget's bounds, at which everything fits; those in a `second`
    language are in proportion. Rows that do not fit even at the smallest go on further pages. With `basis`, size and
    columns stay as long as the list fits. `sold_out` is the tag of a sold-out row. `align` says where in its
    widget a short list stands.
    """
    menu = MenuMeasures(
        widget,
        listing,
        measurers,
        scale,
        with_panel=with_panel,
        locality=locality,
        second=second,
        sold_out=sold_out,
        row_cache=basis.row_cache if basis is not None else {},
    )
    chooser = ColumnChooser(menu, align=align)
    kept = chooser.refill_columns(basis) if basis is not None else None
    typesetter = _MenuTypesetter(menu)
    layout = typesetter.build(kept or chooser.choose_columns(), refitted=kept is None)
    return layout.mirrored(widget.box.width) if locality.right_to_left else layout


class _MenuTypesetter:
    """Places what was chosen."""

    def __init__(self, menu: MenuMeasures) -> None:
        self._menu = menu

    def build(self, chosen: FilledColumns, *, refitted: bool) -> MenuLayout:
        size, columns = chosen.size, chosen.columns
        column_width, list_width = self._menu.column_width(columns, size), self._menu.list_width(columns, size)
        # The title is above the columns' beginning, whichever is wider.
        left = self._menu.padding + (self._menu.width - list_width) / 2
        top = self._menu.padding + chosen.above
        list_top = top + ((TITLE_LINE + TITLE_AFTER) * size if self._menu.widget.title else 0.0)
        headings, rows, column_of = self._entries(chosen, left, list_top)
        pages = max(1, -(-len(chosen.filled) // columns))
        title = self._title(left, top, list_width, size)
        foot, page_mark = self._menu.foot(columns, size), MARK_HEIGHT * size if pages > 1 else 0.0
        bottom = self._menu.widget.box.height - self._menu.padding
        names = {row.item_id: row.name for row in self._menu.rows}
        return MenuLayout(
            size=size,
            detail_size=self._menu.row_typesetter.detail_size(size),
            padding=self._menu.padding,
            title=title,
            bar=_bar(title, size) if title is not None else None,
            entries=(*headings, *rows),
            top=top,
            left=left,
            width=list_width,
            pages=pages,
            page_baseline=bottom - PAGE_BASELINE * size,
            basis=LayoutBasis(
                size=size,
                columns=columns,
                step=chosen.step,
                top=chosen.above,
                column_of=column_of,
                row_cache=self._menu.row_typesetter.cached(column_width, size),
            ),
            overflows=any(row.y + row.height > self._menu.widget.box.height for row in rows),
            cut=tuple(names[row.key] for row in rows if row.cut),
            foot=foot.placed(left, bottom - page_mark, list_width),
            legend_cut=self._menu.left_out or not foot.whole,
            refitted=refitted,
        )

    def _entries(
        self, chosen: FilledColumns, left: float, top: float
    ) -> tuple[list[Entry], list[Entry], dict[str, int]]:
        """Headings and rows where they stand, and the column of each row."""
        size, columns = chosen.size, chosen.columns
        column_width = self._menu.column_width(columns, size)
        stretch = chosen.step / grid_step(size)
        entries: dict[EntryKind, list[Entry]] = {EntryKind.HEADING: [], EntryKind.ROW: []}
        column_of: dict[str, int] = {}
        seen: Counter[str] = Counter()
        for number, column in enumerate(chosen.filled):
            page, x = number // columns, left + (number % columns) * (column_width + GUTTER * size)
            for part, part_top in tops(column):
                if isinstance(part, Entry):
                    column_of[part.key] = number
                    entry = part
                else:
                    seen[part.text] += 1
                    entry = self._place_heading(f"{part.text}/{seen[part.text]}", part, column_width, size)
                entries[entry.kind].append(replace(entry, page=page, x=x, y=top + part_top * stretch))
        return entries[EntryKind.HEADING], entries[EntryKind.ROW], column_of

    def _place_heading(self, key: str, heading: Heading, width: float, size: int) -> Entry:
        measurer, own = self._menu.measurers.heading, max(1, round(HEADING_SIZE * size))
        text = capitals(heading.text, self._menu.locale)
        if measurer.width(text) * HEADING_SIZE * size > width:
            text = capitals(heading.short, self._menu.locale)
        shown = measurer.lines(text, width / (HEADING_SIZE * size), 1)[0] if text else ""
        space, baseline = HEADING_SPACE * size, HEADING_BASELINE * size
        rule_x = measurer.width(shown) * HEADING_SIZE * size + space if shown else 0.0
        beside = heading.labels and not heading.own_line
        rule_end = heading.labels[0].x - space if beside else width
        labels_y = baseline + (LABELS_LINE * grid_step(size) if heading.own_line else 0.0)
        name = Run(
            name="headingText",
            text=shown,
            face="heading",
            size=own,
            ink="accent",
            y=baseline,
            width=width,
            fills=True,
        )
        rule = Line(
            name="headingRule",
            ink="rule",
            x=rule_x,
            y=baseline - RULE_ABOVE * size,
            width=max(0.0, rule_end - rule_x),
            thickness=RULE * size,
        )
        return Entry(
            kind=EntryKind.HEADING,
            key=key,
            width=width,
            height=self._menu.heading_height(heading, size),
            runs=(name, *(label.moved(0.0, labels_y) for label in heading.labels)),
            lines=(rule,),
        )

    def _title(self, x: float, top: float, width: float, size: int) -> Run | None:
        if not self._menu.widget.title:
            return None
        own = self._menu.title_size(size)
        text = self._menu.measurers.title.lines(self._menu.widget.title, self._menu.width / own, 1)[0]
        y = top + TITLE_BASELINE * size
        return Run(name="title", text=text, face="title", size=own, ink="text", x=x, y=y, width=width, fills=True)


def _bar(title: Run, size: int) -> Box:
    """The accent bar below the title, where reading begins."""
    y = title.y + BAR_BEFORE * size
    return Box(x=title.x, y=y, width=BAR_WIDTH * size, height=max(2.0, BAR_HEIGHT * size))
