"""Reads the rows of a CSV feed: finds the columns of the fields, and turns their cells into values."""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from service.schema.content.pos import FEED_FIELDS, REQUIRED_FIELDS
from service.services.pos.csv_numbers import NumberError, number_in
from service.services.pos.feed import FeedError

_DELIMITERS = (",", ";", "\t")
_BOOLEANS = {
    **dict.fromkeys(("true", "yes", "1", "ja", "oui"), True),
    **dict.fromkeys(("false", "no", "0", "nein", "non"), False),
    "": None,
}
_FIELDS = {name.lower(): name for name in FEED_FIELDS}
_NAME_IN = re.compile(r"\s*name\s*:\s*([A-Za-z0-9_-]+)\s*", re.IGNORECASE)
"""A column of names in another language: `name:en`."""


@dataclass(frozen=True, slots=True)
class CellError:
    """An error in a cell."""

    field: str
    code: str
    detail: str


@dataclass(frozen=True, slots=True)
class RawRow:
    """A row of a feed before its check."""

    values: object
    errors: Sequence[CellError] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    """The heading of each field."""


def csv_rows(text: str, columns: Mapping[str, str]) -> Iterator[RawRow]:
    """The rows; `columns` has the headings of fields, where they differ from the fields' names. Raises FeedError."""
    header, _, _ = text.partition("\n")
    delimiter = max(_DELIMITERS, key=header.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        headings = next(reader, [])
        places = _places(headings, columns)
        shown = {name: headings[at].strip() for name, at in places.items()}
        unnamed = [at for at, heading in enumerate(headings) if not heading.strip()]
        for cells in filter(None, reader):
            values, errors = _values(cells, places, delimiter)
            surplus = [*cells[len(headings) :], *(cells[at] for at in unnamed if at < len(cells))]
            if any(cell.strip() for cell in surplus):
                detail = f"The row has more cells than the {len(headings) - len(unnamed)} columns. A decimal comma?"
                errors = [CellError("", "too_many_cells", detail)]
            yield RawRow(values, errors, shown)
    except csv.Error as fault:
        raise FeedError("bad_csv", f"Line {reader.line_num}: {fault}.") from None


def _places(headings: Sequence[str], columns: Mapping[str, str]) -> dict[str, int]:
    """The column of each field. Raises FeedError for one that is missing or stands twice."""
    found: dict[str, list[int]] = {}
    mapped = {name: _folded(heading) for name, heading in columns.items()}
    for at, heading in enumerate(headings):
        for name, wanted in mapped.items():
            if _folded(heading) == wanted:
                found.setdefault(name, []).append(at)
        own = _own_field(heading)
        if own is not None and own not in mapped:
            found.setdefault(own, []).append(at)
    missing = [columns.get(name, name) for name in (*REQUIRED_FIELDS, *columns) if name not in found]
    if missing:
        named = ", ".join(dict.fromkeys(missing))
        raise FeedError("bad_csv", f"The first line has to name the columns; {named} is missing.")
    for name, places in found.items():
        if len(places) > 1:
            detail = f"The first line names the column {headings[places[0]].strip()} of {name} twice."
            raise FeedError("bad_csv", detail)
    return {name: places[0] for name, places in found.items()}


def _folded(heading: str) -> str:
    return re.sub(r"[\s_-]", "", heading).casefold()


def _own_field(heading: str) -> str | None:
    """The field that a heading names by itself."""
    if language := _NAME_IN.fullmatch(heading):
        return f"name:{language[1]}"
    return _FIELDS.get(_folded(heading))


def _values(
    cells: Sequence[str], places: Mapping[str, int], delimiter: str
) -> tuple[dict[str, object], list[CellError]]:
    values: dict[str, object] = {}
    translations: dict[str, object] = {}
    errors: list[CellError] = []
    for name, at in places.items():
        if at >= len(cells):
            continue
        text = cells[at].strip()
        if name.startswith("name:"):
            if text:
                translations[name.removeprefix("name:")] = {"name": text}
            continue
        try:
            values[name] = _cell(name, text, delimiter)
        except NumberError as fault:
            errors.append(CellError(name, fault.code, str(fault)))
    if translations:
        values["translations"] = translations
    return values, errors


def _cell(field: str, text: str, delimiter: str) -> object:
    """The value of a cell; None for an empty one, unless the field needs a text."""
    match field:
        case "id" | "name" | "category":
            return text
        case "soldOut":
            return _BOOLEANS.get(text.lower(), text)
        case _ if not text:
            return None
        case "price" | "sortIndex":
            return number_in(text, delimiter)
        case "variants":
            # `S = 8.50 | M = 10.50`
            return [{"name": name, "price": number_in(price, delimiter)} for name, price in _pairs(text)]
        case "modifiers":
            return [{"name": name, "priceDelta": number_in(price, delimiter)} for name, price in _pairs(text)]
        case "tags":
            return _words(text)
        case "allergens":
            return [word.lower() for word in _words(text)]
        case _:
            return text


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    for part in text.split("|"):
        name, _, price = part.rpartition("=")
        yield name.strip(), price.strip()


def _words(text: str) -> list[str]:
    return [word for part in re.split(r"[|,]", text) if (word := part.strip())]
