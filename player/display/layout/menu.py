"""Lays out a menu widget: one text size, columns, pages; pure arithmetic, imports no Qt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from msgspec.structs import replace

from menu.documents.box import Box
from menu.documents.scene import Align, ItemWidget, ListWidget, MenuWidget, Scene, TextWidget, VerticalAlign
from player.display.layout.entry import Entry, ListLayout
from player.display.layout.menu_columns import ColumnChooser, FilledColumns, LayoutBasis
from player.display.layout.menu_measures import (
    GUTTER,
    INTO_GAP,
    SPARING,
    TITLE_AFTER,
    TITLE_LINE,
    UNDIVIDING,
    USUAL,
    Economy,
    MenuMeasures,
    placed,
)
from player.display.layout.menu_rating import Rating
from player.display.layout.row import RowCache
from player.display.layout.runs import Run
from player.display.layout.setting import Setting
from player.display.layout.sizes import MARK_BELOW, MARK_HEIGHT
from player.domain.view import MenuListing

# Everything below is in ems: multiples of the widget's one text size.
BAR_BEFORE, BAR_WIDTH, BAR_HEIGHT = 0.55, 1.9, 0.1
"""The accent bar below the title's baseline."""
WHOLE_WORTH = 0.7
"""A category of few rows is divided where the text of the board, if it were whole, would be worth less than this share
of what it is then."""
SPARED_WORTH = 0.9
"""A menu that saves more room is worth this share of one that saves less."""
MOST_SHORTENED = 1 / 3
"""The share of rows whose description may be shortened to save a page."""


class MenuLayout(ListLayout, frozen=True, kw_only=True):
    padding: float
    top: float
    """Top of the title, or of the list without one."""
    basis: LayoutBasis

    @property
    def form(self) -> object:
        return self.basis.size, self.basis.columns, self.basis.step


def lay_out_menu(
    widget: MenuWidget,
    listing: MenuListing,
    setting: Setting,
    *,
    basis: LayoutBasis | None = None,
    align: VerticalAlign = VerticalAlign.TOP,
    at_edge: bool = False,
) -> MenuLayout:
    """Lay out a listing in its widget.

    All rows have one text size: the largest, within the widget's bounds, at which everything fits; those in a second
    language are in proportion. Rows that do not fit even at the smallest go on further pages. With `basis`, size and
    columns stay as long as the list fits. `align` says where in its widget a short list stands; a narrow one stands
    `at_edge`, where reading begins, or in the middle.
    """
    menu, kept, cache = None, None, basis.row_cache if basis is not None else {}
    if basis is not None:
        menu = MenuMeasures(widget, listing, setting, row_cache=cache, economy=basis.economy)
        kept = ColumnChooser(menu, align=align).refill_columns(basis)
    if menu is None or kept is None:
        menu, _, chosen = choose(widget, listing, setting, align=align, row_cache=cache)
    layout = _build(menu, kept or chosen, at_edge=at_edge)
    return layout.mirrored(widget.box.width) if setting.right_to_left else layout


def choose(
    widget: MenuWidget, listing: MenuListing, setting: Setting, *, align: VerticalAlign, row_cache: RowCache
) -> tuple[MenuMeasures, Rating, FilledColumns]:
    """Chooses text size and columns: with categories whole where that costs little, and as sparing of room as it takes
    to need no other page."""

    def chooser(economy: Economy) -> ColumnChooser:
        menu = MenuMeasures(widget, listing, setting, row_cache=row_cache, economy=economy)
        return ColumnChooser(menu, align=align)

    usual = chooser(USUAL)
    best = (usual.menu, *usual.choose_columns())
    if best[1].divided:
        whole = chooser(UNDIVIDING)
        rating, chosen = whole.choose_columns()
        if rating.worth >= WHOLE_WORTH * best[1].worth and rating.overflows <= best[1].overflows:
            best = whole.menu, rating, chosen
    if best[1].pages == 1 and not best[1].overflows:
        return best
    spared: tuple[MenuMeasures, Rating, FilledColumns] | None = None
    for economy in SPARING:
        sparing = chooser(economy)
        if sparing.may_fit_one_page():
            rating, chosen = sparing.choose_columns()
            fits = rating.pages == 1 and not rating.overflows and chosen.shortened <= MOST_SHORTENED * rating.rows
            if fits and (spared is None or SPARED_WORTH * rating.worth > spared[1].worth):
                spared = sparing.menu, rating, chosen
    return spared or best


def vertical_align(widget: MenuWidget, scene: Scene) -> VerticalAlign:
    """Returns the widget's alignment if set. Otherwise a menu stands in the middle of its height; below a heading text,
    or beside another menu or an item, it begins at the top, so that what belongs together is in one line."""
    if widget.vertical_align is not None:
        return widget.vertical_align
    others = [other for other in scene.widgets if other is not widget]
    headed = next(_above(widget, scene), None) is not None
    beside = any(isinstance(other, ListWidget | ItemWidget) and other.box.shares_lines(widget.box) for other in others)
    return VerticalAlign.TOP if (headed and not widget.title) or beside else VerticalAlign.MIDDLE


def begins_at_edge(widget: MenuWidget, scene: Scene) -> bool:
    """Whether a menu that is narrower than its widget begins where a text above does."""
    return any(text.align is Align.LEFT for text in _above(widget, scene))


def _above(widget: MenuWidget, scene: Scene) -> Iterator[TextWidget]:
    lower = widget.box
    for other in scene.widgets:
        upper = other.box
        ends_above = upper.y + upper.height <= lower.y + lower.height / 2
        if isinstance(other, TextWidget) and ends_above and upper.shares_columns(lower):
            yield other


def _build(menu: MenuMeasures, chosen: FilledColumns, *, at_edge: bool) -> MenuLayout:
    size, columns = chosen.size, chosen.columns
    column_width, list_width = menu.column_width(columns, size), menu.list_width(columns, size)
    # The title is above the columns' beginning, whichever is wider.
    left = menu.padding + (0.0 if at_edge else (menu.width - list_width) / 2)
    top = menu.padding + chosen.above
    list_top = top + ((TITLE_LINE + TITLE_AFTER) * size if menu.widget.title else 0.0)
    entries, column_of = _entries(menu, chosen, left, list_top)
    rows = [entry for entry in entries if entry.kind == "row"]
    pages = max(1, -(-len(chosen.filled) // columns))
    title = _title(menu, left, top, list_width, size)
    foot, page_mark = menu.foot(columns, size), MARK_HEIGHT * size if pages > 1 else 0.0
    bottom = menu.widget.box.height - menu.padding
    names = {row.item_id: row.name for row in menu.rows}
    edge = menu.widget.box.height + INTO_GAP * chosen.step
    return MenuLayout(
        size=size,
        detail_size=menu.row_typesetter.detail_size(size),
        padding=menu.padding,
        title=title,
        bar=_bar(title, size) if title is not None else None,
        entries=tuple(entries),
        top=top,
        left=left,
        width=list_width,
        pages=pages,
        page_baseline=bottom - MARK_BELOW * size,
        basis=LayoutBasis(
            size=size,
            columns=columns,
            step=chosen.step,
            top=chosen.above,
            column_of=column_of,
            row_cache=menu.row_typesetter.cached(column_width, size),
            apart=chosen.apart,
            economy=menu.economy,
        ),
        overflows=any(row.y + row.height > edge for row in rows),
        cut=(
            *dict.fromkeys(one.key for one in chosen.entries() if one.kind == "heading" and one.cut),
            *(names[row.key] for row in rows if row.cut or row.y + row.height > edge),
        ),
        foot=foot.placed(left, bottom - page_mark, list_width),
        legend_cut=menu.left_out or not foot.whole,
    )


def _entries(menu: MenuMeasures, chosen: FilledColumns, left: float, top: float) -> tuple[list[Entry], dict[str, int]]:
    """Returns headings and rows at their positions, and the column of each row."""
    size, columns = chosen.size, chosen.columns
    column_width = menu.column_width(columns, size)
    entries: list[Entry] = []
    column_of: dict[str, int] = {}
    seen: Counter[str] = Counter()
    for number, column in enumerate(chosen.filled):
        page, x = number // columns, left + (number % columns) * (column_width + GUTTER * size)
        for entry, entry_top in placed(column, size, chosen.step, menu.economy.row_gap, chosen.apart[number]):
            key = entry.key
            if entry.kind == "row":
                column_of[key] = number
            else:
                seen[key] += 1
                key = f"{key}/{seen[key]}"
            entries.append(replace(entry, key=key, page=page, x=x, y=top + entry_top))
    return sorted(entries, key=lambda entry: entry.kind == "row"), column_of


def _title(menu: MenuMeasures, x: float, top: float, width: float, size: int) -> Run | None:
    if not menu.widget.title:
        return None
    own = menu.title_size(size)
    text = menu.measurers.title.lines(menu.widget.title, menu.width / own, 1)[0]
    y = top + 1.5 * size
    return Run(name="title", text=text, face="title", size=own, ink="text", x=x, y=y, width=width, fills=True)


def _bar(title: Run, size: int) -> Box:
    """Returns the accent bar below the title, at the start of the line."""
    y = title.y + BAR_BEFORE * size
    return Box(x=title.x, y=y, width=BAR_WIDTH * size, height=max(2.0, BAR_HEIGHT * size))
