"""Reads rows as plain values with the columns of their table, in a fifth of the time of a session's objects.

Instants and prices stay the numbers of the database until they are read here, JSON its text; rows are not cached. For
reads alone: a plain row cannot be changed (docs/adr/0192).
"""

import json
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, TypeVar, cast

import msgspec
from sqlalchemy import JSON, BigInteger, Connection, Select, Text, select, type_coerce
from sqlalchemy import cast as as_type
from sqlalchemy.orm import Session

from service.storage.columns import InstantColumn, PriceColumn, instants_of, prices_of
from service.storage.tables.base import Base

Row = TypeVar("Row", bound=Base)
Source = Connection | Session
Read = Callable[[Iterable[Any]], Sequence[Any]]
"""Reads the stored values of a column."""

_decode = msgspec.json.Decoder().decode


def plain_select(table: type[Row]) -> Select[Any]:
    """Builds the statement for all columns of the table, to which conditions are added. Building it takes longest: keep
    it."""
    return select(*(_stored(column) for column in table.__table__.columns))


def plain_rows(source: Source, table: type[Row], statement: Select[Any], **parameters: object) -> Sequence[Row]:
    """Returns the rows of a statement that `plain_select` began."""
    make, reads = _reader(table)
    # Not by the session, which would look for objects in the rows.
    connection = source if isinstance(source, Connection) else source.connection()
    columns: list[Iterable[Any]] = list(zip(*connection.execute(statement, parameters).all(), strict=True))
    if not columns:
        return []
    for at, read in reads:
        columns[at] = read(columns[at])
    return list(map(make, *columns))


def _stored(column: Any) -> Any:
    if isinstance(column.type, InstantColumn | PriceColumn):
        return type_coerce(column, BigInteger).label(column.key)
    # The driver of PostgreSQL would read it by itself, in Python.
    return as_type(column, Text).label(column.key) if isinstance(column.type, JSON) else column


@cache
def _reader(table: type[Row]) -> tuple[Callable[..., Row], Sequence[tuple[int, Read]]]:
    """Returns a function that makes a row from its values, and the columns to parse first."""
    columns = table.__table__.columns
    made = msgspec.defstruct(table.__name__, [(column.key, Any) for column in columns], frozen=True, gc=False)
    reads = ((at, _read_of(column.type)) for at, column in enumerate(columns))
    return cast("Callable[..., Row]", made), [(at, read) for at, read in reads if read is not None]


def _read_of(kind: object) -> Read | None:
    match kind:
        case InstantColumn():
            return instants_of
        case PriceColumn():
            return prices_of
        case JSON():
            return _documents
        case _:
            return None


def _documents(texts: Iterable[str | None]) -> list[Any]:
    try:
        # As one document, which takes a third of the time.
        documents: list[Any] = _decode(f"[{','.join(['null' if text is None else text for text in texts])}]")
        return documents
    except msgspec.DecodeError:
        # Half of a pair of surrogates, or a number beyond a float, which a player may have reported.
        return [None if text is None else json.loads(text) for text in texts]
