"""Reads a point of sale's menu from a CSV or JSON feed: the valid rows, and the errors of the others.

Independent of the database and the items. Another kind of point of sale is another `Connector`.
"""

import csv
import errno
import io
import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Protocol

from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool

from service.core.json_text import JsonTextError, read_json
from service.schema.faults import faults_of
from service.schema.pos import FeedFormat, FeedRow
from service.services.shared.outbound import Outbound, Unanswered, check_url

FEEDS_NAME = "feeds"
"""The folder of feed files, under the data folder."""
MAX_FEED_BYTES = 4 * 1024 * 1024
MAX_FEED_ROWS = 10_000
MAX_LISTED_ROW_ERRORS = 50
"""Row errors that are listed; all of them are counted."""

_FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", re.ASCII)
_BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False, "": None}
_NAMES = ("id", "name", "category", "price", "priceKind", "priceUnit", "soldOut", "variants")
_CSV_NAMES = {name.lower(): name for name in _NAMES}
_NAME_IN = re.compile(r"\s*name\s*:\s*([A-Za-z0-9_-]+)\s*", re.IGNORECASE)
"""A column of names in another language: `name:en`."""
_NOT_A_FILE = (errno.EINVAL, errno.EISDIR, errno.ELOOP, errno.ENOTDIR, errno.ENXIO)
_REQUIRED = ("id", "name", "category", "price")


@dataclass(frozen=True, slots=True)
class Source:
    """The URL or file name of a feed, and its format."""

    feed: str
    format: FeedFormat
    folder: str = ""
    """For a file: the workspace's folder in the folder of feeds, or "" for that itself."""

    @property
    def file(self) -> str | None:
        """Where the file belongs, under the data folder; None for a URL."""
        return None if is_url(self.feed) else "/".join(filter(None, (FEEDS_NAME, self.folder, self.feed)))


@dataclass(frozen=True, slots=True)
class FeedRowError:
    """An error in a row: the row's number from 1 and id, the field, and what is wrong with it."""

    row: int
    id: str | None
    field: str
    code: str
    detail: str


@dataclass(frozen=True, slots=True)
class FeedContent:
    """The content of a feed."""

    rows: tuple[FeedRow, ...]
    errors: tuple[FeedRowError, ...]
    """The first `MAX_LISTED_ROW_ERRORS`."""
    error_count: int


@dataclass(frozen=True, slots=True)
class FeedFailure:
    """A feed that cannot be read: `reason` is a short word, `detail` a sentence for people."""

    reason: str
    detail: str


class Connector(Protocol):
    """Reads the menu of a point of sale. Does not raise for what the other side does."""

    async def read(self, source: Source) -> FeedContent | FeedFailure: ...


class FeedConnector:
    """Reads feeds at https URLs, and files below a data folder that only the operator can write to."""

    def __init__(self, *, data: Path, outbound: Outbound) -> None:
        self._data = data
        self._outbound = outbound

    async def read(self, source: Source) -> FeedContent | FeedFailure:
        """The current content of the feed."""
        if is_url(source.feed):
            return await self._fetch(source)
        return await run_in_threadpool(self._read_file, source)

    async def _fetch(self, source: Source) -> FeedContent | FeedFailure:
        fetched = await self._outbound.fetch(source.feed, limit=MAX_FEED_BYTES)
        if isinstance(fetched, Unanswered):
            return FeedFailure(fetched.reason, "The feed did not answer.")
        if not 200 <= fetched.status < 300:
            return FeedFailure("bad_status", f"The feed answered with status {fetched.status}.")
        if fetched.body is None:
            return _too_large()
        return await run_in_threadpool(read_feed, fetched.body, source.format)

    def _read_file(self, source: Source) -> FeedContent | FeedFailure:
        if not is_file_name(source.feed):
            return FeedFailure("no_file", "This is no name of a file.")
        names = [FEEDS_NAME, *filter(None, (source.folder, source.feed))]
        try:
            with _open_plain(self._data, names) as file:
                raw = file.read(MAX_FEED_BYTES + 1)
        except OSError as fault:
            if fault.errno in _NOT_A_FILE:
                detail = (
                    f"{source.file} is no plain file in a plain folder. Links are not followed: put the file there."
                )
                return FeedFailure("not_a_file", detail)
            return FeedFailure("no_file", f"The service's data folder holds no file {source.file} that can be read.")
        return _too_large() if len(raw) > MAX_FEED_BYTES else read_feed(raw, source.format)


def _open_plain(folder: Path, names: Sequence[str]) -> io.BufferedReader:
    """The file at the end of `names`, below `folder`. Follows no link and waits for no pipe. Raises OSError."""
    at = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for name in names[:-1]:
            below = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=at)
            os.close(at)
            at = below
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
        opened = os.open(names[-1], flags, dir_fd=at)
    finally:
        os.close(at)
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        os.close(opened)
        raise OSError(errno.EINVAL, "not a plain file")
    return os.fdopen(opened, "rb")


def is_url(feed: str) -> bool:
    """Whether the feed is a URL rather than a file in the folder."""
    return "://" in feed


def feed_key(feed: str) -> str:
    """A form of the feed in which two spellings of one URL are equal."""
    return str(check_url(feed, allow_private=True)) if is_url(feed) else feed


def is_file_name(feed: str) -> bool:
    """Whether the feed can be a file in the folder: a plain name without a path."""
    return _FILE_NAME.fullmatch(feed) is not None


def read_feed(raw: bytes, form: FeedFormat) -> FeedContent | FeedFailure:
    """Reads the rows of a feed."""
    try:
        rows = list(_bounded(_json_rows(raw) if form == "json" else _csv_rows(raw)))
    except _FeedError as fault:
        return fault.failure
    items: dict[str, FeedRow] = {}
    errors: list[FeedRowError] = []
    for number, row in enumerate(rows, start=1):
        try:
            item = FeedRow.model_validate(row)
        except ValidationError as fault:
            errors.append(_row_error(number, row, fault))
            continue
        if item.id in items:
            errors.append(FeedRowError(number, item.id, "id", "duplicate", "This id stands in the feed already."))
        else:
            items[item.id] = item
    if errors and not items:
        return FeedFailure("no_good_row", f"Row {errors[0].row}, {errors[0].field}: {errors[0].detail}")
    return FeedContent(
        rows=tuple(items.values()), errors=tuple(errors[:MAX_LISTED_ROW_ERRORS]), error_count=len(errors)
    )


class _FeedError(Exception):
    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.failure = FeedFailure(reason, detail)


def _too_large() -> FeedFailure:
    return FeedFailure("too_large", f"A feed has at most {MAX_FEED_BYTES} bytes.")


def _bounded(rows: Iterable[Any]) -> Iterator[Any]:
    for number, row in enumerate(rows):
        if number == MAX_FEED_ROWS:
            raise _FeedError("too_many_rows", f"A feed has at most {MAX_FEED_ROWS} rows.")
        yield row


def _json_rows(raw: bytes) -> Iterator[Any]:
    try:
        document = read_json(raw.removeprefix(b"\xef\xbb\xbf"))
    except JsonTextError as fault:
        raise _FeedError("bad_json", str(fault)) from None
    rows = document.get("items") if isinstance(document, dict) else document
    if not isinstance(rows, list):
        raise _FeedError("bad_json", "A feed is an array of items, or an object with such an array as `items`.")
    for row in rows:
        # Some points of sale number their items; an id of the service is text.
        numbered = isinstance(row, dict) and isinstance(row.get("id"), int) and not isinstance(row["id"], bool)
        yield {**row, "id": str(row["id"])} if numbered else row


def _csv_rows(raw: bytes) -> Iterator[Any]:
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        raise _FeedError("not_utf8", f"The feed is not UTF-8: byte {fault.start} does not belong there.") from None
    header, _, _ = text.partition("\n")
    delimiter = ";" if header.count(";") > header.count(",") else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        written = next(reader, [])
        names = [_CSV_NAMES.get(re.sub(r"[\s_-]", "", name).lower()) for name in written]
        languages = [found[1] if (found := _NAME_IN.fullmatch(name)) else None for name in written]
        missing = [name for name in _REQUIRED if name not in names]
        if missing:
            raise _FeedError("bad_csv", f"The first line has to name the columns; {', '.join(missing)} is missing.")
        for cells in filter(None, reader):
            row = {name: _cell(name, cell) for name, cell in zip(names, cells, strict=False) if name is not None}
            told = {
                language: {"name": cell.strip()}
                for language, cell in zip(languages, cells, strict=False)
                if language is not None and cell.strip()
            }
            yield {**row, **({"translations": told} if told else {})}
    except csv.Error as fault:
        raise _FeedError("bad_csv", f"Line {reader.line_num}: {fault}.") from None


def _cell(name: str, text: str) -> object:
    text = text.strip()
    match name:
        case "price":
            return _price(text) if text else None
        case "priceKind" | "priceUnit":
            return text or None
        case "soldOut":
            return _BOOLEANS.get(text.lower(), text)
        case "variants":
            # `S = 8.50 | M = 10.50`; an empty cell is no list.
            parts = [part.rpartition("=") for part in text.split("|")]
            return (
                [{"name": label.strip(), "price": _price(price.strip())} for label, _, price in parts] if text else None
            )
        case _:
            return text


def _price(text: str) -> Decimal | str:
    try:
        return Decimal(text)
    except InvalidOperation:
        return text


def _row_error(number: int, row: object, fault: ValidationError) -> FeedRowError:
    errors = ({**error, "loc": ("body", *error["loc"])} for error in fault.errors())
    first = faults_of(errors, row)[0]
    identifier = row.get("id") if isinstance(row, dict) else None
    shown = identifier[:100] if isinstance(identifier, str) else None
    return FeedRowError(number, shown, (first.pointer or "").removeprefix("/"), first.code, first.detail)
