"""Reads untrusted JSON tolerantly: typed fields, bounds, and a rejection for each part that cannot be used.

It knows JSON values and rejections; its callers know what a field means.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from enum import StrEnum
from itertools import islice
from typing import TypeVar

import msgspec

from player.domain.documents.manifest import Rejection

MAX_REJECTIONS = 100
"""Rejections recorded for one document; the rest are counted."""
MAX_DETAIL = 200
"""Characters of a rejection's subject; its detail and pointer may have twice as many."""
MAX_ID = 100

NOT_THE_DOCUMENT = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
"""What msgspec raises for bytes that are not JSON, or another document than was asked for."""

T = TypeVar("T")
D = TypeVar("D")
E = TypeVar("E", bound=StrEnum)
Convert = Callable[[object], T]
"""Converts a JSON value (never null); raises `FieldError`."""

_CONTROLS = {code: None for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\t\n"}
_INSTANT = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
_YEARS = range(1970, 9000)
"""Years that an instant may have, so that arithmetic with it stays far from the ends of the calendar."""
_COLOR = re.compile(r"#([0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})", re.ASCII)


class FieldError(Exception):
    """A value that cannot be used. `code` is that of the rejection, None for the code of the part being read; `pointer`
    (RFC 6901) leads to the value from that part."""

    def __init__(self, detail: str, code: str | None = None, pointer: str = "") -> None:
        """`detail` follows the name of the field: `is not a number`."""
        super().__init__(detail)
        self.detail = detail
        self.code = code
        self.pointer = pointer


class RejectionLog:
    """The rejections of one document, up to `MAX_REJECTIONS`."""

    __slots__ = ("_more", "_recorded")

    def __init__(self) -> None:
        """Nothing is recorded yet."""
        self._recorded: list[Rejection] = []
        self._more = 0

    def add(self, code: str, subject: str, detail: str, pointer: str = "", name: str = "") -> None:
        """Record one rejection; `pointer` is its place in the document, `name` what people call it."""
        if len(self._recorded) < MAX_REJECTIONS:
            self._recorded.append(
                Rejection(
                    code=code,
                    subject=subject[:MAX_DETAIL],
                    detail=detail[: 2 * MAX_DETAIL],
                    pointer=pointer[: 2 * MAX_DETAIL],
                    name=name[:MAX_DETAIL],
                )
            )
        else:
            self._more += 1

    def recorded(self) -> tuple[Rejection, ...]:
        """All of them; a last one counts those above the bound."""
        if not self._more:
            return tuple(self._recorded)
        more = Rejection(code="rejections_cut", subject="manifest", detail=f"{self._more} more faults are not listed")
        return (*self._recorded, more)


class Fields:
    """The fields of one JSON object, read by name. Null counts as absent; unknown fields are ignored.

    `subject` names the object in rejections, `pointer` is its place in the document. `called` is its name, or that of
    the object around it.
    """

    __slots__ = ("_raw", "_rejections", "called", "pointer", "subject")

    def __init__(
        self, raw: object, *, subject: str, rejections: RejectionLog, pointer: str = "", within: str = ""
    ) -> None:
        """Raises `FieldError` if `raw` is not an object."""
        if not isinstance(raw, dict):
            raise FieldError("is not an object")
        self._raw: Mapping[str, object] = raw
        self._rejections = rejections
        self.subject = subject
        self.pointer = pointer
        name = raw.get("name")
        self.called = name if isinstance(name, str) and name else within

    def required(self, name: str, convert: Convert[T]) -> T:
        """A field that must be there and right; raises `FieldError`."""
        value = self._raw.get(name)
        if value is None:
            raise FieldError(f'"{name}" is missing')
        try:
            return convert(value)
        except FieldError as error:
            raise FieldError(f'"{name}" {error.detail}', error.code, f"/{name}{error.pointer}") from None

    def optional(self, name: str, convert: Convert[T], default: D) -> T | D:
        """A field that may be absent; raises `FieldError` if it is bad, where the default would change the meaning."""
        return default if self._raw.get(name) is None else self.required(name, convert)

    def lenient(self, name: str, convert: Convert[T], default: D) -> T | D:
        """A field that may be absent or bad: its default stands in, and a bad value is recorded."""
        try:
            return self.optional(name, convert, default)
        except FieldError as error:
            self.reject(error, "field_bad")
            return default

    def everything(self) -> Mapping[str, object]:
        """All fields, where their names are data."""
        return self._raw

    def part(self, name: str) -> Fields:
        """An object within this one; empty if it is absent or bad, and a bad one is recorded."""

        def inner(value: object) -> Fields:
            pointer = f"{self.pointer}/{name}"
            return Fields(value, subject=self.subject, rejections=self._rejections, pointer=pointer, within=self.called)

        return self.lenient(name, inner, None) or inner({})

    def parts(
        self,
        name: str,
        values: list[object] | dict[str, object],
        read: Callable[[str, Fields], T],
        *,
        subject: str,
        code: str,
        limit: int,
        id_prefix: str | None = None,
        errors: list[FieldError] | None = None,
    ) -> dict[str, T]:
        """The first `limit` parts of the list or object `name`, in order, by key: id, name or index.

        A part that `read` or its key refuses is left out and recorded with `code` (and added to `errors`). Its subject
        is `subject[index]` or `subject/name`. With `id_prefix` a part has an id, unique among those that were read;
        from then on its subject is `id_prefix` and the id.
        """
        if len(values) > limit:
            detail = f"{len(values)} are listed, only the first {limit} are used"
            self._rejections.add("too_many", subject, detail, name=self.called)
        members, form = (values.items(), "{}/{}") if isinstance(values, dict) else (enumerate(values), "{}[{}]")
        found: dict[str, T] = {}
        for position, value in islice(members, limit):
            key, part_subject = str(position), form.format(subject, position)
            pointer, called = f"{self.pointer}/{name}/{position}", self.called
            try:
                fields = Fields(
                    value, subject=part_subject, rejections=self._rejections, pointer=pointer, within=self.called
                )
                called = fields.called
                if id_prefix is not None:
                    key = fields.required("id", identifier)
                    fields.subject = part_subject = id_prefix + key
                    if key in found:
                        raise FieldError("another has the same id", "duplicate_id")
                found[key] = read(key, fields)
            except FieldError as error:
                self._rejections.add(error.code or code, part_subject, error.detail, pointer + error.pointer, called)
                if errors is not None:
                    errors.append(error)
        return found

    def reject(self, error: FieldError, code: str) -> None:
        """Record a rejection of this object; `code` counts unless the error has one of its own."""
        self._rejections.add(error.code or code, self.subject, error.detail, self.pointer + error.pointer, self.called)


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


identifier = text(MAX_ID, least=1)
"""The id of a part."""


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
        # Not-a-number can't be compared: check it before the bounds.
        if not exact.is_finite() or not low <= exact <= high:
            raise FieldError(f"is not between {low:g} and {high:g}")
        return exact if exact else Decimal(0)

    return convert


def number(low: float, high: float) -> Convert[float]:
    """A JSON number from `low` to `high`, as a float."""
    exact = amount(low, high)
    return lambda value: float(exact(value))


def integer(low: int, high: int) -> Convert[int]:
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
    """A value of an enumeration."""

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


def instant(value: object) -> datetime:
    """An RFC 3339 instant, in UTC."""
    found = _INSTANT.fullmatch(value) if isinstance(value, str) else None
    try:
        t = datetime.fromisoformat(found[0].upper()) if found else None
    except ValueError:
        t = None
    if t is None or t.year not in _YEARS:
        raise FieldError("is not an instant of the form 2026-11-20T08:00:00Z")
    return t.astimezone(UTC)
