"""Reads a pasted or uploaded menu as rows of a feed: a table with tabs, semicolons or commas, or lines.

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
from service.core.currencies import is_sign_of
from service.schema.content.pos import FeedRow
from service.services.imports.grid import Grid
from service.services.imports.lines import NO_PRICE, menu_lines, unusual_price
from service.services.imports.table_rows import Passed, Row, sizes_of
from service.services.imports.tables import Column, find_table
from service.services.pos.csv_rows import CellError, RawRow, row_of
from service.services.pos.feed import (
    MAX_LISTED_ROW_ERRORS,
    FeedContent,
    FeedError,
    FeedFailure,
    FeedRowError,
)
from service.services.pos.rows import content_of


@dataclass(frozen=True, slots=True)
class ImportSettings:
    """Fields of headings, and allergens of codes, as the users of a workspace have chosen them."""

    columns: Mapping[str, str] = field(default_factory=dict)
    legend: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SheetReading:
    """Rows of a menu, the columns that they were read from, and the lines that are not rows."""

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
    """Reads the rows of a menu; `category` is that of rows above the first one that names any, `notation` that of its
    amounts. `guesses` says whether the user sees the columns before anything changes."""
    if settings.legend:
        notation = replace(notation, legend=tuple(settings.legend.items()))
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    try:
        known = notation.currency if notation.has_currency else ""
        table = find_table(text, category=category, chosen=settings.columns, guesses=guesses, currency=known)
        if table is None:
            return SheetReading(_of_lines(menu_lines(text, notation), category, notation))
        notation = replace(notation, delimiter=table.delimiter)
        rows = [_raw(row, at, notation) for at, row in enumerate(table.rows)]
        others = [row.others for row in table.rows]
        content = _content(rows, [row.number for row in table.rows], further=others)
        return SheetReading(content, table.columns, table.passed)
    except FeedError as fault:
        return SheetReading(fault.failure)


def _raw(row: Row, at: int, notation: Notation) -> RawRow:
    values = {name: text for name, text in row.values.items() if name != "variants" or "=" in text}
    sizes = sizes_of(row)
    if sizes or (row.sizes and "price" not in values):
        values["price"] = row.sizes[0][1]
    elif "price" not in values and "variants" in values:
        values["price"] = values["variants"].partition("|")[0].rpartition("=")[2].strip()
    elif "priceKind" not in values and (found := unusual_price(values.get("price", ""), notation)):
        values["price"], values["priceKind"] = found
    # Two tables may stand beside each other.
    values.setdefault("id", f"line-{row.number}-{at}")
    places = {name: place for place, name in enumerate(values)}
    raw = row_of(list(values.values()), places, notation, text=row.text)
    if wrong := _fault(row, sizes, notation):
        return replace(raw, errors=[wrong])
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


def _fault(row: Row, sizes: Sequence[tuple[str, str]], notation: Notation) -> CellError | None:
    """Returns the error for which a row is refused although each of its cells could be read; None without one."""
    if row.has_surplus:
        return CellError("", "too_many_cells", "This row has more cells than columns.")
    if row.currency and notation.has_currency and not is_sign_of(row.currency, notation.currency, notation.locales):
        detail = f"{row.currency} is another currency than that of the menu, {notation.currency}."
        return CellError("price", "other_currency", detail)
    if len(sizes) > 1 and any(not name for name, _ in sizes):
        return CellError("variants", "size_without_name", "One of the sizes of this item has no name.")
    return None


def _of_lines(grid: Grid, category: str, notation: Notation) -> FeedContent | FeedFailure:
    """Parses the rows from the lines of a menu. Raises FeedError."""
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
    rows: Sequence[RawRow],
    lines: Sequence[int],
    others: Sequence[FeedRowError] = (),
    further: Sequence[Sequence[tuple[int, str]]] = (),
) -> FeedContent | FeedFailure:
    """Builds the content from these rows, whose line numbers are `lines`; `others` are lines that cannot be read,
    `further` the lines of the other sizes of each item. Raises FeedError."""
    feed = content_of(rows, FeedRow)
    if not rows:
        errors = tuple(others[:MAX_LISTED_ROW_ERRORS])
        first = next((one for one in errors if one.code != NO_PRICE), None)
        if first is not None:
            return FeedFailure("no_good_row", f"Line {first.row}: {first.detail}", errors)
        return FeedFailure("empty", "There is no item with a price in it.", errors)
    at_lines = [replace(one, row=lines[one.row - 1], id=None, column=None) for one in feed.errors]
    read = set() if isinstance(feed, FeedFailure) else set(feed.numbers.values())
    lost = [
        FeedRowError(number, None, "", "size_of_refused", f"This is a size of the item in line {line}.", text=text)
        for at, (line, sizes) in enumerate(zip(lines, further, strict=False), start=1)
        if at not in read
        for number, text in sizes
    ]
    others = [*others, *lost]
    errors = tuple(sorted((*at_lines, *others), key=lambda one: one.row)[:MAX_LISTED_ROW_ERRORS])
    if isinstance(feed, FeedFailure):
        return replace(feed, errors=errors)
    return replace(
        feed,
        errors=errors,
        error_count=feed.error_count + len(others),
        numbers={identifier: lines[number - 1] for identifier, number in feed.numbers.items()},
    )
