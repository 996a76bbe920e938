"""A feed of a point of sale: its location and format, and its content or the error."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from service.core.amounts import UNKNOWN, Notation
from service.schema.content.pos import FeedEncoding, FeedFormat, FeedRowPart

FEEDS_NAME = "feeds"
"""The folder of feed files, under the data folder."""
MAX_FEED_BYTES = 4 * 1024 * 1024
MAX_FEED_ROWS = 10_000
MAX_ROW_TEXT = 200
"""Characters of a row that an error shows."""
MAX_LISTED_ROW_ERRORS = 50
"""Row errors that are listed; all of them are counted."""

_FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Source:
    """URL or file name of a feed, and its format."""

    feed: str
    """Empty where items are pushed."""
    format: FeedFormat
    folder: str = ""
    """For a file: the workspace's folder in the folder of feeds, or "" for that itself."""
    encoding: FeedEncoding | None = None
    """None where the encoding is to be found."""
    columns: tuple[tuple[str, str], ...] = ()
    """Fields and the headings of their columns, where those differ."""
    notation: Notation = UNKNOWN
    """The way in which it writes amounts: that of its location, or of the workspace's first."""

    @property
    def file(self) -> str | None:
        """Path of the file under the data folder; None for a URL."""
        if not self.feed or is_url(self.feed):
            return None
        return "/".join(filter(None, (FEEDS_NAME, self.folder, self.feed)))


@dataclass(frozen=True, slots=True)
class FeedRowError:
    """An error in a row: the row's number from 1 and id, the field and its column, and the error."""

    row: int
    id: str | None
    field: str
    code: str
    detail: str
    column: str | None = None
    """The heading of a CSV file."""
    text: str | None = None
    """The row or the line as it is written, where it is a text."""
    readings: tuple[Decimal, ...] = ()
    """The amounts that an ambiguous one may be."""


@dataclass(frozen=True, slots=True)
class FeedContent:
    rows: tuple[FeedRowPart, ...]
    errors: tuple[FeedRowError, ...]
    """The first `MAX_LISTED_ROW_ERRORS`."""
    error_count: int
    encoding: FeedEncoding | None = None
    """The encoding that was read; None for pushed items."""
    numbers: Mapping[str, int] = field(default_factory=dict)
    """The number of each row, by its id."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """Each row as it is written, by its id, where it is a text."""


@dataclass(frozen=True, slots=True)
class FeedFailure:
    """A feed that cannot be read: `reason` is a short word, `detail` a sentence for people."""

    reason: str
    detail: str
    errors: tuple[FeedRowError, ...] = ()
    """The first errors of its rows, where none of them is good."""
    encoding: FeedEncoding | None = None


class FeedError(Exception):
    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.failure = FeedFailure(reason, detail)


def is_url(feed: str) -> bool:
    return "://" in feed


def is_file_name(feed: str) -> bool:
    """Returns whether the feed can be a file in the folder: a plain name without a path."""
    return _FILE_NAME.fullmatch(feed) is not None
