"""Owns the tolerant reading of documents that nobody vouches for: typed fields, bounds, and a note of each fault.

It knows JSON values and rejections; what a field means is its callers' business.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from enum import StrEnum
from typing import TypeVar

from player.domain.manifest import Rejection

MAX_REJECTIONS = 100
"""Faults noted of one document; the rest are counted."""
MAX_DETAIL = 200
"""Characters of a value that a fault quotes, and of a subject."""

T = TypeVar("T")
D = TypeVar("D")
E = TypeVar("E", bound=StrEnum)
Convert = Callable[[object], T]
"""From a JSON value (never null) to what is wanted; raises `Unusable`."""

_CONTROLS = {code: None for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\t\n"}
_INSTANT = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
_YEARS = range(1970, 9000)
"""Years that an instant may name: arithmetic with it stays far from the ends of the calendar."""
_COLOR = re.compile(r"#([0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})", re.ASCII)


class FieldError(Exception):
    """A value that cannot be used; `code` is the rejection's where the fault has one of its own, `pointer` the way to
    it from the part that is read."""

    def __init__(self, detail: str, code: str | None = None, pointer: str = "") -> None:
        """`detail` follows the name of the field: `is not a number`."""
        super().__init__(detail)
        self.detail = detail
        self.code = code
        self.pointer = pointer


class RejectionLog:
    """What could not be used of one document, up to `MAX_REJECTIONS`."""

    __slots__ = ("_more", "_noted")

    def __init__(self) -> None:
        """Nothing is wrong so far."""
        self._noted: list[Rejection] = []
        self._more = 0

    def add(self, code: str, subject: str, detail: str, pointer: str = "") -> None:
        """Note one fault; `pointer` is where in the document it stands."""
        if len(self._noted) < MAX_REJECTIONS:
            self._noted.append(
                Rejection(
                    code=code,
                    subject=subject[:MAX_DETAIL],
                    detail=detail[: 2 * MAX_DETAIL],
                    pointer=pointer[: 2 * MAX_DETAIL],
                )
            )
        else:
            self._more += 1

    def noted(self) -> tuple[Rejection, ...]:
        """All of them, with a last one that counts those left out."""
        if not self._more:
            return tuple(self._noted)
        more = Rejection(code="rejections_cut", subject="manifest", detail=f"{self._more} more faults are not listed")
        return (*self._noted, more)


class Fields:
    """The fields of one JSON object, read by name. Null counts as absent, unknown fields are passed over.

    `subject` is what faults call the object, `pointer` where it stands in the document.
    """

    __slots__ = ("_faults", "_raw", "pointer", "subject")

    def __init__(self, raw: object, *, subject: str, faults: RejectionLog, pointer: str = "") -> None:
        """Raises `Unusable` if `raw` is not an object."""
        if not isinstance(raw, dict):
            raise FieldError("is not an object")
        self._raw: Mapping[str, object] = raw
        self._faults = faults
        self.subject = subject
        self.pointer = pointer

    def need(self, name: str, convert: Convert[T]) -> T:
        """A field without which the whole part is of no use; raises `Unusable`."""
        value = self._raw.get(name)
        if value is None:
            raise FieldError(f'"{name}" is missing')
        try:
            return convert(value)
        except FieldError as fault:
            raise FieldError(f'"{name}" {fault.detail}', fault.code, f"/{name}{fault.pointer}") from None

    def given(self, name: str, convert: Convert[T], default: D) -> T | D:
        """A field that may be absent, but whose default in place of a bad value would change what the part means."""
        return default if self._raw.get(name) is None else self.need(name, convert)

    def take(self, name: str, convert: Convert[T], default: D) -> T | D:
        """A field that gives way to its default if it is bad; the fault is noted."""
        try:
            return self.given(name, convert, default)
        except FieldError as fault:
            self.spoil(fault, "field_bad")
            return default

    def part(self, name: str) -> Fields:
        """An object within this one; empty if absent, and if it is none, which is noted."""

        def inner(value: object) -> Fields:
            return Fields(value, subject=self.subject, faults=self._faults, pointer=f"{self.pointer}/{name}")

        return self.take(name, inner, None) or inner({})

    def spoil(self, fault: FieldError, code: str) -> None:
        """Note a fault of this object; `code` counts unless the fault has one of its own."""
        self._faults.add(fault.code or code, self.subject, fault.detail, self.pointer + fault.pointer)


def bounded(values: list[T], limit: int, *, subject: str, faults: RejectionLog) -> Iterator[tuple[int, T]]:
    """The first `limit` of a list with their indexes; that there are more is noted."""
    if len(values) > limit:
        faults.add("too_many", subject, f"{len(values)} are listed, only the first {limit} are used")
    return enumerate(values[:limit])


def text(limit: int, *, least: int = 0) -> Convert[str]:
    """A string of `least` to `limit` characters; control characters other than tab and line feed are dropped."""

    def convert(value: object) -> str:
        if not isinstance(value, str):
            raise FieldError("is not a string")
        if not least <= len(value) <= limit:
            raise FieldError(f"has {len(value)} characters, {least} to {limit} are allowed")
        return value.translate(_CONTROLS)

    return convert


def texts(limit: int, *, each: int) -> Convert[tuple[str, ...]]:
    """A list of at most `limit` strings of at most `each` characters."""
    one = text(each)

    def convert(value: object) -> tuple[str, ...]:
        return tuple(one(part) for part in array(limit)(value))

    return convert


def array(limit: int | None = None) -> Convert[list[object]]:
    """A list, of at most `limit` elements."""

    def convert(value: object) -> list[object]:
        if not isinstance(value, list):
            raise FieldError("is not a list")
        if limit is not None and len(value) > limit:
            raise FieldError(f"has {len(value)} elements, at most {limit} are allowed")
        return value

    return convert


def amount(low: float, high: float) -> Convert[Decimal]:
    """A JSON number from `low` to `high`, exactly as written."""

    def convert(value: object) -> Decimal:
        if isinstance(value, bool) or not isinstance(value, int | Decimal):
            raise FieldError("is not a number")
        exact = Decimal(value)
        # Not-a-number can't be compared: look before the bounds.
        if not exact.is_finite() or not low <= exact <= high:
            raise FieldError(f"is not between {low:g} and {high:g}")
        return exact if exact else Decimal(0)

    return convert


def number(low: float, high: float) -> Convert[float]:
    """A JSON number from `low` to `high`, where its last digits do not matter."""
    exact = amount(low, high)
    return lambda value: float(exact(value))


def whole(low: int, high: int) -> Convert[int]:
    """A JSON number without a fraction, from `low` to `high`."""
    exact = amount(low, high)

    def convert(value: object) -> int:
        found = exact(value)
        if found != int(found):
            raise FieldError("is not a whole number")
        return int(found)

    return convert


def flag(value: object) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise FieldError("is neither true nor false")
    return value


def one_of(words: type[E]) -> Convert[E]:
    """One of an enumeration's values."""

    def convert(value: object) -> E:
        if not isinstance(value, str) or value not in list(words):
            raise FieldError(f"is not one of {', '.join(words)}")
        return words(value)

    return convert


def color(value: object) -> str:
    """`#RRGGBB` or `#AARRGGBB`."""
    if not isinstance(value, str) or not _COLOR.fullmatch(value):
        raise FieldError("is not a colour of the form #RRGGBB or #AARRGGBB", "color_bad")
    return value


def moment(value: object) -> datetime:
    """An RFC 3339 instant, in UTC."""
    found = _INSTANT.fullmatch(value) if isinstance(value, str) else None
    try:
        t = datetime.fromisoformat(found[0].upper()) if found else None
    except ValueError:
        t = None
    if t is None or t.year not in _YEARS:
        raise FieldError("is not an instant of the form 2026-11-20T08:00:00Z")
    return t.astimezone(UTC)
