"""Converts JSON values of untrusted documents to Python's, within bounds; pure.

It knows JSON values; the types of `manifest.py` and `scene.py` name the converters of their fields.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, TypeVar

from msgspec import Struct

MAX_ID = 100
MAX_NAME = 200

T = TypeVar("T")
E = TypeVar("E", bound=StrEnum)
Convert = Callable[[object], T]
"""Converts a JSON value (never null); raises `FieldError`."""

_CONTROLS = {code: None for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\t\n"}
_INSTANT = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
_YEARS = range(1970, 9000)
"""Years that an instant may have, so that arithmetic with it stays far from the ends of the calendar."""
_COLOR = re.compile(r"#([0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})", re.ASCII)
_ASSET = re.compile(r"sha256:([0-9a-f]{64})", re.ASCII)
LANGUAGE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,7}", re.ASCII)
"""A language or locale (BCP 47), as far as its form goes."""


class FieldError(Exception):
    """A value that cannot be used. `code` is that of the rejection, None for the code of the part being read; `pointer`
    (RFC 6901) leads to the value from that part."""

    def __init__(self, detail: str, code: str | None = None, pointer: str = "") -> None:
        """`detail` follows the name of the field: `is not a number`."""
        super().__init__(detail)
        self.detail = detail
        self.code = code
        self.pointer = pointer


def all_of(errors: list[FieldError]) -> FieldError:
    """One error that tells all of these, at least one."""
    return errors[0] if len(errors) == 1 else FieldError("; ".join(one.detail for one in errors), errors[0].code)


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


def either(no: str, yes: str) -> Convert[bool]:
    """Whether a value is the second of two words."""

    def convert(value: object) -> bool:
        if value not in (no, yes):
            raise FieldError(f"is not one of {no}, {yes}")
        return value == yes

    return convert


def matching(pattern: re.Pattern[str], what: str, code: str | None = None) -> Convert[str]:
    """A string of this form."""

    def convert(value: object) -> str:
        if not isinstance(value, str) or not pattern.fullmatch(value):
            raise FieldError(f"is not {what}", code)
        return value

    return convert


color = matching(_COLOR, "a colour of the form #RRGGBB or #AARRGGBB", "color_bad")
language_tag = matching(LANGUAGE, "a language tag (BCP 47)")


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


def asset(value: object) -> str:
    """The hex SHA-256 of a reference `sha256:…`."""
    found = _ASSET.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise FieldError("is not an asset of the form sha256:<64 hex digits>", "asset_bad")
    return found[1]


def language_tags(limit: int) -> Convert[tuple[str, ...]]:
    """At most so many languages, each once."""
    return lambda value: tuple(dict.fromkeys(language_tag(one) for one in array(limit)(value)))


def members(value: object) -> dict[str, object]:
    """An object."""
    if not isinstance(value, dict):
        raise FieldError("is not an object")
    return value


class Parts(Struct, frozen=True):
    """The mark of a field that lists parts, of which a bad one is left out and recorded with this code; where they
    count as a `whole`, it costs all."""

    kind: type[Struct]
    code: str
    limit: int
    whole: bool = False


COSTS_PART = "costs part"
"""The mark of a field that costs its part where it is bad: its default would change the meaning."""

name = text(MAX_NAME)
Flag = Annotated[bool, flag]
Color = Annotated[str, color]
Asset = Annotated[str, asset]
Instant = Annotated[datetime, instant]
