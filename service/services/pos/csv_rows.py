"""Reads the rows of a CSV feed: finds the columns of the fields, and parses their cells."""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from service.core.amounts import AmountError, Notation, read_amount
from service.schema.content.pos import FEED_FIELDS, REQUIRED_FIELDS
from service.services.pos.allergens import read_allergens
from service.services.pos.feed import MAX_ROW_TEXT, FeedError

UNKNOWN_ALLERGEN = "unknown_allergen"
"""The code of a note on a row that is read without some of its allergens."""
_BOOLEANS = {
    **dict.fromkeys(("true", "yes", "y", "1", "x", "✓", "ja", "j", "wahr", "oui", "o", "vrai"), True),
    **dict.fromkeys(("sí", "si", "s", "verdadero", "نعم", "صحيح"), True),
    **dict.fromkeys(("false", "no", "n", "0", "-", "nein", "falsch", "non", "faux", "falso", "لا", "خطأ"), False),
    "": None,
}
_FIELDS = {name.lower(): name for name in FEED_FIELDS}
PAIRS = {"variants": "price", "modifiers": "priceDelta"}
"""Fields with several names in a cell, each with an amount."""
_NAME_IN = re.compile(r"\s*name\s*:\s*([A-Za-z0-9_-]+)\s*", re.IGNORECASE)
"""A column of names in another language: `name:en`."""


@dataclass(frozen=True, slots=True)
class CellError:
    field: str
    code: str
    detail: str
    readings: tuple[Decimal, ...] = ()
    """The amounts that an ambiguous one may be."""


@dataclass(frozen=True, slots=True)
class RawRow:
    """A row of a feed before its check."""

    values: object
    errors: Sequence[CellError] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    """The heading of each field."""
    text: str | None = None
    """The row as it is written."""
    notes: Sequence[CellError] = ()
    """Parts of cells that are left out of a row that is good otherwise."""


def csv_rows(text: str, columns: Mapping[str, str], notation: Notation) -> Iterator[RawRow]:
    """Yields the rows; `columns` has the headings of fields, where they differ from the fields' names. Raises
    FeedError."""
    header, _, _ = text.partition("\n")
    delimiter = max((",", ";", "\t"), key=header.count)
    notation = replace(notation, delimiter=delimiter)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        headings = next(reader, [])
        places = _places(headings, columns)
        shown = {name: headings[at].strip() for name, at in places.items()}
        unnamed = [at for at, heading in enumerate(headings) if not heading.strip()]
        for cells in filter(None, reader):
            row = row_of(cells, places, notation, text=delimiter.join(cells))
            surplus = [*cells[len(headings) :], *(cells[at] for at in unnamed if at < len(cells))]
            if any(cell.strip() for cell in surplus):
                detail = f"The row has more cells than the {len(headings) - len(unnamed)} columns. A decimal comma?"
                row = replace(row, errors=[CellError("", "too_many_cells", detail)])
            yield replace(row, columns=shown)
    except csv.Error as fault:
        raise FeedError("bad_csv", f"Line {reader.line_num}: {fault}.") from None


def _places(headings: Sequence[str], columns: Mapping[str, str]) -> dict[str, int]:
    """Finds the column of each field. Raises FeedError for one that is missing or occurs twice."""
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
    """Returns the field that a heading names by itself."""
    if language := _NAME_IN.fullmatch(heading):
        return f"name:{language[1]}"
    return _FIELDS.get(_folded(heading))


def row_of(cells: Sequence[str], places: Mapping[str, int], notation: Notation, *, text: str) -> RawRow:
    """Parses the cells of a row; `places` has the column of each field, `text` the row as it is written."""
    values: dict[str, object] = {}
    translations: dict[str, object] = {}
    errors: list[CellError] = []
    notes: list[CellError] = []
    for name, at in places.items():
        if at >= len(cells):
            continue
        cell = cells[at].strip()
        if name.startswith("name:"):
            if cell:
                translations[name.removeprefix("name:")] = {"name": cell}
            continue
        if name in PAIRS:
            values[name] = list(_parts(name, cell, notation, errors)) if cell else None
            continue
        if name == "allergens" and cell:
            values[name], unknown = read_allergens(cell, dict(notation.legend))
            notes += unknown_allergens(unknown)
            continue
        try:
            values[name] = _cell(name, cell, notation)
        except AmountError as fault:
            errors.append(CellError(name, fault.code, str(fault), fault.readings))
    if translations:
        values["translations"] = translations
    shown = text if len(text) <= MAX_ROW_TEXT else f"{text[:MAX_ROW_TEXT]}…"
    return RawRow(values, errors, text=shown, notes=notes)


def unknown_allergens(told: Sequence[str]) -> list[CellError]:
    """Returns the note on a row that is read without these allergens; empty if there are none."""
    detail = f"No known allergen: {', '.join(told)}. The row has its others. Say what the codes of the menu mean."
    return [CellError("allergens", UNKNOWN_ALLERGEN, detail)] if told else []


def _cell(field: str, text: str, notation: Notation) -> object:
    """Parses a cell; None for an empty one, unless the field needs a text. Raises AmountError."""
    match field:
        case "id" | "name" | "category":
            return text
        case "soldOut":
            return _BOOLEANS.get(text.lower(), text)
        case _ if not text:
            return None
        case "price":
            return read_amount(text, notation)
        case "sortIndex":
            return read_amount(text, replace(notation, currency=""))
        case "tags":
            return _words(text)
        case _:
            return text


def _parts(field: str, text: str, notation: Notation, errors: list[CellError]) -> Iterator[dict[str, object]]:
    """Parses the variants or modifiers in a cell, `S = 8.50 | M = 10.50`; adds the errors in their amounts."""
    for at, part in enumerate(text.split("|")):
        name, _, told = (one.strip() for one in part.rpartition("="))
        amount: object = told
        try:
            amount = read_amount(told, notation)
        except AmountError as fault:
            if name:
                errors.append(CellError(f"{field}/{at}/{PAIRS[field]}", fault.code, str(fault), fault.readings))
        yield {"name": name, PAIRS[field]: amount}


def _words(text: str) -> list[str]:
    return [word for part in re.split(r"[|,]", text) if (word := part.strip())]
