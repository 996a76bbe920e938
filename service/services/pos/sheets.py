"""Reads a menu that a person pastes or uploads, as rows of a feed: a table with tabs, semicolons or commas, or lines.

| text | read as |
|---|---|
| headings, wherever they stand, in a language of the desk or those of a till's export | those columns |
| two columns without headings | name and price |
| three columns without headings | category, name and price |
| other columns, for a person who sees them | as their cells look (`tables`) |
| anything else | the lines of a menu (`menu_lines`) |
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from service.core.amounts import UNKNOWN, AmountError, Notation, read_amount
from service.schema.content.pos import FeedRow
from service.services.pos.csv_rows import CellError, RawRow, row_of
from service.services.pos.feed import (
    MAX_LISTED_ROW_ERRORS,
    FeedContent,
    FeedError,
    FeedFailure,
    FeedRowError,
)
from service.services.pos.grid import Grid
from service.services.pos.menu_lines import NO_PRICE, menu_lines
from service.services.pos.rows import content_of
from service.services.pos.tables import Column, Passed, Row, find_table, sizes_of


@dataclass(frozen=True, slots=True)
class ImportSettings:
    """The fields of headings, and the allergens of codes, as the people of a workspace have chosen them."""

    columns: Mapping[str, str] = field(default_factory=dict)
    legend: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SheetReading:
    """The rows of a menu, the columns that they were read from, and the lines that are no rows."""

    content: FeedContent | FeedFailure
    columns: Sequence[Column] = ()
    passed: Sequence[Passed] = ()


_NO_SETTINGS = ImportSettings()


def read_sheet(
    text: str,
    *,
    category: str,
    notation: Notation = UNKNOWN,
    settings: ImportSettings = _NO_SETTINGS,
    guesses: bool = False,
) -> SheetReading:
    """Reads the rows of a menu; `category` is that of rows above the first one that names any, `notation` the way in
    which its amounts are written. `guesses` says whether a person sees the columns before anything changes."""
    if settings.legend:
        notation = replace(notation, legend=tuple(settings.legend.items()))
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    try:
        table = find_table(text, category=category, chosen=settings.columns, guesses=guesses)
        if table is None:
            return SheetReading(_of_lines(menu_lines(text, notation), category, notation))
        notation = replace(notation, delimiter=table.delimiter)
        rows = [_raw(row, notation) for row in table.rows]
        content = _content(rows, [row.number for row in table.rows])
        return SheetReading(content, table.columns, table.passed)
    except FeedError as fault:
        return SheetReading(fault.failure)


def _raw(row: Row, notation: Notation) -> RawRow:
    """The values of an item of a table."""
    values = {name: text for name, text in row.values.items() if name != "variants" or "=" in text}
    sizes = sizes_of(row)
    if sizes or (row.sizes and "price" not in values):
        values["price"] = row.sizes[0][1]
    values.setdefault("id", f"line-{row.number}")
    places = {name: at for at, name in enumerate(values)}
    raw = row_of(list(values.values()), places, notation, text=row.text)
    if not values.get("name"):
        return replace(raw, errors=[CellError("name", "no_name", "This line has a price without a name."), *raw.errors])
    if not sizes or not isinstance(raw.values, dict):
        return raw
    variants, errors = [], [one for one in raw.errors if one.field != "price"]
    for name, price in sizes:
        try:
            variants.append({"name": name, "price": read_amount(price, notation)})
        except AmountError as fault:
            errors.append(CellError("price", fault.code, str(fault), fault.readings))
    return replace(raw, values={**raw.values, "variants": variants}, errors=errors)


def _of_lines(grid: Grid, category: str, notation: Notation) -> FeedContent | FeedFailure:
    """The rows of the lines of a menu. Raises FeedError."""
    columns = {field: at for at, field in enumerate(grid.fields) if field is not None}
    fields = list(dict.fromkeys((*columns, "id", "category")))
    places = {field: at for at, field in enumerate(fields)}
    rows: list[RawRow] = []
    for row in grid.rows:
        values = {field: row.cells[at] if at < len(row.cells) else "" for field, at in columns.items()}
        values["category"] = values.get("category") or category
        values["id"] = f"line-{row.line}"
        rows.append(row_of([values[field] for field in fields], places, notation, text=row.text))
    return _content(rows, [row.line for row in grid.rows], grid.errors)


def _content(
    rows: Sequence[RawRow], lines: Sequence[int], others: Sequence[FeedRowError] = ()
) -> FeedContent | FeedFailure:
    """The content of these rows, whose lines these are; `others` are lines that cannot be read. Raises FeedError."""
    feed = content_of(rows, FeedRow)
    if not rows:
        errors = tuple(others[:MAX_LISTED_ROW_ERRORS])
        first = next((one for one in errors if one.code != NO_PRICE), None)
        if first is not None:
            return FeedFailure("no_good_row", f"Line {first.row}: {first.detail}", errors)
        return FeedFailure("empty", "There is no item with a price in it.", errors)
    at_lines = (replace(one, row=lines[one.row - 1], id=None, column=None) for one in feed.errors)
    errors = tuple(sorted((*at_lines, *others), key=lambda one: one.row)[:MAX_LISTED_ROW_ERRORS])
    if isinstance(feed, FeedFailure):
        return replace(feed, errors=errors)
    return replace(
        feed,
        errors=errors,
        error_count=feed.error_count + len(others),
        numbers={identifier: lines[number - 1] for identifier, number in feed.numbers.items()},
    )
