"""Checks the rows of a feed or of a push: the valid rows, and the errors of the others."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from service.core.json_text import JsonTextError, read_json
from service.schema.content.pos import FeedEncoding, FeedFormat, FeedRow, FeedRowPart
from service.schema.faults import faults_of
from service.services.pos.csv_rows import RawRow, csv_rows
from service.services.pos.encodings import decode
from service.services.pos.feed import (
    MAX_FEED_ROWS,
    MAX_LISTED_ROW_ERRORS,
    FeedContent,
    FeedError,
    FeedFailure,
    FeedRowError,
)

_SHAPE = "A feed is an array of items, or an object with such an array as `items`."


def read_feed(
    raw: bytes,
    form: FeedFormat,
    *,
    encoding: FeedEncoding | None = None,
    columns: Iterable[tuple[str, str]] = (),
) -> FeedContent | FeedFailure:
    """Reads the rows of a feed; `columns` has the headings of fields in a CSV file."""
    try:
        text, found = decode(raw, encoding)
        rows = _json_rows(text) if form == "json" else csv_rows(text, dict(columns))
        return _content(_bounded(rows), FeedRow, encoding=found)
    except FeedError as fault:
        return fault.failure


def read_pushed(document: object, model: type[FeedRowPart]) -> FeedContent | FeedFailure:
    """Reads pushed rows: whole ones (`FeedRow`), or the fields that change."""
    try:
        return _content(_bounded(_rows_in(document)), model, encoding=None)
    except FeedError as fault:
        return fault.failure


def _content(
    rows: Iterable[RawRow], model: type[FeedRowPart], *, encoding: FeedEncoding | None
) -> FeedContent | FeedFailure:
    items: dict[str, FeedRowPart] = {}
    numbers: dict[str, int] = {}
    errors: list[FeedRowError] = []
    for number, row in enumerate(rows, start=1):
        checked = _checked(number, row, model)
        if isinstance(checked, FeedRowError):
            errors.append(checked)
        elif checked.id in items:
            detail = "This id stands in the feed already."
            errors.append(FeedRowError(number, checked.id, "id", "duplicate", detail, row.columns.get("id")))
        else:
            items[checked.id], numbers[checked.id] = checked, number
    listed = tuple(errors[:MAX_LISTED_ROW_ERRORS])
    if errors and not items:
        first = errors[0]
        named = ", ".join(filter(None, (f"Row {first.row}", first.column or first.field)))
        return FeedFailure("no_good_row", f"{named}: {first.detail}", listed, encoding)
    return FeedContent(
        rows=tuple(items.values()), errors=listed, error_count=len(errors), encoding=encoding, numbers=numbers
    )


def _checked(number: int, row: RawRow, model: type[FeedRowPart]) -> FeedRowPart | FeedRowError:
    for error in row.errors:
        column = row.columns.get(error.field)
        return FeedRowError(number, _id_of(row.values), error.field, error.code, error.detail, column)
    try:
        return model.model_validate(row.values)
    except ValidationError as fault:
        errors = ({**error, "loc": ("body", *error["loc"])} for error in fault.errors())
        first = faults_of(errors, row.values)[0]
        field = (first.pointer or "").removeprefix("/")
        name, _, below = field.partition("/")
        column = row.columns.get(f"name:{below.partition('/')[0]}" if name == "translations" else name)
        return FeedRowError(number, _id_of(row.values), field, first.code, first.detail, column)


def _id_of(row: object) -> str | None:
    identifier = row.get("id") if isinstance(row, dict) else None
    return identifier[:100] if isinstance(identifier, str) else None


def _bounded(rows: Iterable[RawRow]) -> Iterator[RawRow]:
    for number, row in enumerate(rows):
        if number == MAX_FEED_ROWS:
            raise FeedError("too_many_rows", f"A feed has at most {MAX_FEED_ROWS} rows.")
        yield row


def _json_rows(text: str) -> Iterator[RawRow]:
    try:
        document = read_json(text.encode())
    except JsonTextError as fault:
        raise FeedError("bad_json", str(fault)) from None
    yield from _rows_in(document)


def _rows_in(document: object) -> Iterator[RawRow]:
    rows: Any = document.get("items") if isinstance(document, dict) else document
    if not isinstance(rows, list):
        raise FeedError("bad_json", _SHAPE)
    for row in rows:
        # Some points of sale number their items; an id of the service is text.
        yield RawRow({**row, **_named_by_numbers(row)} if isinstance(row, dict) else row)


def _named_by_numbers(row: Mapping[str, object]) -> dict[str, str]:
    found = ((name, row.get(name)) for name in ("id", "sku"))
    return {name: str(value) for name, value in found if isinstance(value, int) and not isinstance(value, bool)}
