"""Validates the rows of a feed or of a push: returns the valid rows, and the errors of the others."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from service.core.amounts import UNKNOWN, AmountError, Notation, read_amount
from service.core.json_text import JsonTextError, read_json
from service.schema.content.pos import FeedEncoding, FeedFormat, FeedRow, FeedRowPart
from service.schema.faults import faults_of
from service.services.pos.allergens import read_allergens
from service.services.pos.csv_rows import PAIRS, CellError, RawRow, csv_rows, unknown_allergens
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
    notation: Notation = UNKNOWN,
) -> FeedContent | FeedFailure:
    """Parses the rows of a feed, which writes amounts by this notation; `columns` has the headings of fields in a CSV
    file."""
    try:
        decoded = decode(raw, encoding, language=notation.language)
        text, found = decoded.text, decoded.encoding
        rows = _json_rows(text, notation) if form == "json" else csv_rows(text, dict(columns), notation)
        return content_of(rows, FeedRow, encoding=found)
    except FeedError as fault:
        return fault.failure


def read_pushed(document: object, model: type[FeedRowPart], notation: Notation = UNKNOWN) -> FeedContent | FeedFailure:
    """Parses pushed rows: whole ones (`FeedRow`), or the fields that change."""
    try:
        return content_of(_rows_in(document, notation), model)
    except FeedError as fault:
        return fault.failure


def content_of(
    rows: Iterable[RawRow], model: type[FeedRowPart], *, encoding: FeedEncoding | None = None
) -> FeedContent | FeedFailure:
    """Builds the content from these rows. Raises FeedError for too many."""
    items: dict[str, FeedRowPart] = {}
    numbers: dict[str, int] = {}
    errors: list[FeedRowError] = []
    notes: list[FeedRowError] = []
    texts: dict[str, str] = {}
    for number, row in enumerate(_bounded(rows), start=1):
        checked = _checked(number, row, model)
        if isinstance(checked, FeedRowError):
            errors.append(checked)
        elif checked.id in items:
            detail = "This id stands in the feed already."
            column = row.columns.get("id")
            errors.append(FeedRowError(number, checked.id, "id", "duplicate", detail, column, row.text))
        else:
            items[checked.id], numbers[checked.id] = checked, number
            if row.text is not None:
                texts[checked.id] = row.text
            notes += (_error(number, row, note) for note in row.notes)
    listed = tuple(sorted((*errors, *notes), key=lambda one: one.row)[:MAX_LISTED_ROW_ERRORS])
    if errors and not items:
        first = errors[0]
        named = ", ".join(filter(None, (f"Row {first.row}", first.column or first.field)))
        return FeedFailure("no_good_row", f"{named}: {first.detail}", listed, encoding)
    return FeedContent(
        rows=tuple(items.values()),
        errors=listed,
        error_count=len(errors),
        encoding=encoding,
        numbers=numbers,
        texts=texts,
    )


def _checked(number: int, row: RawRow, model: type[FeedRowPart]) -> FeedRowPart | FeedRowError:
    for error in row.errors:
        return _error(number, row, error)
    try:
        return model.model_validate(row.values)
    except ValidationError as fault:
        errors = ({**error, "loc": ("body", *error["loc"])} for error in fault.errors())
        first = faults_of(errors, row.values)[0]
        field = (first.pointer or "").removeprefix("/")
        name, _, below = field.partition("/")
        column = row.columns.get(f"name:{below.partition('/')[0]}" if name == "translations" else name)
        return FeedRowError(number, _id_of(row.values), field, first.code, first.detail, column, row.text)


def _error(number: int, row: RawRow, error: CellError) -> FeedRowError:
    column = row.columns.get(error.field.partition("/")[0])
    identifier = _id_of(row.values)
    return FeedRowError(number, identifier, error.field, error.code, error.detail, column, row.text, error.readings)


def _id_of(row: object) -> str | None:
    identifier = row.get("id") if isinstance(row, dict) else None
    return identifier[:100] if isinstance(identifier, str) else None


def _bounded(rows: Iterable[RawRow]) -> Iterator[RawRow]:
    for number, row in enumerate(rows):
        if number == MAX_FEED_ROWS:
            raise FeedError("too_many_rows", f"A feed has at most {MAX_FEED_ROWS} rows.")
        yield row


def _json_rows(text: str, notation: Notation) -> Iterator[RawRow]:
    try:
        document = read_json(text.encode())
    except JsonTextError as fault:
        raise FeedError("bad_json", str(fault)) from None
    yield from _rows_in(document, notation)


def _rows_in(document: object, notation: Notation) -> Iterator[RawRow]:
    rows: Any = document.get("items") if isinstance(document, dict) else document
    if not isinstance(rows, list):
        raise FeedError("bad_json", _SHAPE)
    for row in rows:
        if not isinstance(row, dict):
            yield RawRow(row)
            continue
        # Some points of sale number their items; an id of the service is text.
        values = {**row, **_named_by_numbers(row)}
        notes = _read_allergens(values, notation)
        yield RawRow(values, list(_read_amounts(values, notation)), notes=notes)


def _read_allergens(row: dict[str, Any], notation: Notation) -> list[CellError]:
    """Parses the allergens of a row in place; returns the note on the unknown ones."""
    told = row.get("allergens")
    if not isinstance(told, list) or not all(isinstance(one, str) for one in told):
        return []
    row["allergens"], unknown = read_allergens("\n".join(told), dict(notation.legend))
    return unknown_allergens(unknown)


def _read_amounts(row: dict[str, Any], notation: Notation) -> Iterator[CellError]:
    """Parses the amounts of a row that are texts, in place; yields those that cannot be read."""
    parts: list[tuple[str, str, Any]] = [("price", "price", row)]
    for name, amount in PAIRS.items():
        if isinstance(row.get(name), list):
            row[name] = [dict(one) if isinstance(one, dict) else one for one in row[name]]
            parts += [(f"{name}/{at}/{amount}", amount, one) for at, one in enumerate(row[name])]
    for pointer, name, part in parts:
        if isinstance(part, dict) and isinstance(part.get(name), str):
            try:
                part[name] = read_amount(part[name], notation)
            except AmountError as error:
                yield CellError(pointer, error.code, str(error), error.readings)


def _named_by_numbers(row: Mapping[str, object]) -> dict[str, str]:
    found = ((name, row.get(name)) for name in ("id", "sku"))
    return {name: str(value) for name, value in found if isinstance(value, int) and not isinstance(value, bool)}
