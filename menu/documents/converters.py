"""Converts JSON values of untrusted documents to Python's, within bounds; pure.

It knows JSON values; the types of `manifest.py` and `scene.py` name the converters of their fields.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, TypeVar

from msgspec import Struct

MAX_ID = 100
MAX_NAME = 200

T = TypeVar("T")
Convert = Callable[[object], T]
"""Converts a JSON value (never null); raises `FieldError`."""

_CONTROLS = {code: None for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\t\n"}
_INSTANT = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
_YEARS = range(1970, 9000)
"""Years that an instant may have, so that arithmetic with it stays far from the ends of the calendar."""
_COLOR = re.compile(r"#([0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})", re.ASCII)
ASSET_PREFIX = "sha256:"
_ASSET = re.compile(ASSET_PREFIX + r"([0-9a-f]{64})", re.ASCII)
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
    """Combines at least one error into a single error."""
    return errors[0] if len(errors) == 1 else FieldError("; ".join(one.detail for one in errors), errors[0].code)


class Form(StrEnum):
    """Form of a string that this program writes. Strings read have it too, unless another program wrote them."""

    LINE = "line"
    """One line, of which something can be seen."""
    LINES = "lines"
    """The same, of one or several lines."""
    TEXT = "text"
    """Lines that may be blank."""
    LIVE = "live"
    """The same, with values in place of `{{name}}`."""
    ANY = "any"
    """Any characters: what is read by programs."""


class Characters(Struct, frozen=True):
    """A string of `least` to `most` characters; control characters other than tab and line feed are dropped."""

    most: int
    least: int = 0
    form: Form = Form.TEXT

    def __call__(self, value: object) -> str:
        if not isinstance(value, str):
            raise FieldError("is not a string")
        if not self.least <= len(value) <= self.most:
            raise FieldError(f"has {len(value)} characters, {self.least} to {self.most} are allowed")
        return value.translate(_CONTROLS)


class Strings(Struct, frozen=True):
    """A list of at most `most` strings."""

    most: int
    each: Characters

    def __call__(self, value: object) -> tuple[str, ...]:
        return tuple(self.each(part) for part in array(self.most)(value))


identifier = Characters(MAX_ID, 1, Form.ANY)
"""The id of a part."""


def array(limit: int | None = None) -> Convert[list[object]]:
    def convert(value: object) -> list[object]:
        if not isinstance(value, list):
            raise FieldError("is not a list")
        if limit is not None and len(value) > limit:
            raise FieldError(f"has {len(value)} elements, at most {limit} are allowed")
        return value

    return convert


class Amount(Struct, frozen=True):
    """A JSON number from `low` to `high`, exactly as written."""

    low: float
    high: float

    def __call__(self, value: object) -> Decimal:
        if isinstance(value, bool) or not isinstance(value, int | Decimal):
            raise FieldError("is not a number")
        exact = Decimal(value)
        # Not-a-number can't be compared: check it before the bounds.
        if not exact.is_finite() or not self.low <= exact <= self.high:
            raise FieldError(f"is not between {self.low:g} and {self.high:g}")
        return exact if exact else Decimal(0)


class Number(Struct, frozen=True):
    """A JSON number from `low` to `high`, as a float; `whole`: it is written without a fraction."""

    low: float
    high: float
    whole: bool = False

    def __call__(self, value: object) -> float:
        return float(Amount(self.low, self.high)(value))


class Whole(Struct, frozen=True):
    """A JSON number without a fraction, from `low` to `high`."""

    low: int
    high: int

    def __call__(self, value: object) -> int:
        found = Amount(self.low, self.high)(value)
        if found != int(found):
            raise FieldError("is not a whole number")
        return int(found)


def flag(value: object) -> bool:
    """Accepts only true or false."""
    if not isinstance(value, bool):
        raise FieldError("is neither true nor false")
    return value


class OneOf(Struct, frozen=True):
    """One of these words of an enumeration, all of one type."""

    words: tuple[StrEnum, ...]

    def __call__(self, value: object) -> Any:
        for word in self.words:
            if value == word:
                return word
        raise FieldError(f"is not one of {', '.join(self.words)}")


class Either(Struct, frozen=True):
    """Whether a value is the second of two words."""

    no: str
    yes: str

    def __call__(self, value: object) -> bool:
        if value not in (self.no, self.yes):
            raise FieldError(f"is not one of {self.no}, {self.yes}")
        return value == self.yes


def matching(pattern: re.Pattern[str], what: str, code: str | None = None) -> Convert[str]:
    """Accepts strings that match."""

    def convert(value: object) -> str:
        if not isinstance(value, str) or not pattern.fullmatch(value):
            raise FieldError(f"is not {what}", code)
        return value

    return convert


color = matching(_COLOR, "a colour of the form #RRGGBB or #AARRGGBB", "color_bad")
language_tag = matching(LANGUAGE, "a language tag (BCP 47)")


def instant(value: object) -> datetime:
    """Parses an RFC 3339 instant; in UTC."""
    found = _INSTANT.fullmatch(value) if isinstance(value, str) else None
    try:
        t = datetime.fromisoformat(found[0].upper()) if found else None
    except ValueError:
        t = None
    if t is None or t.year not in _YEARS:
        raise FieldError("is not an instant of the form 2026-11-20T08:00:00Z")
    return t.astimezone(UTC)


def asset(value: object) -> str:
    """Parses a reference `sha256:…`; returns the hex SHA-256."""
    found = _ASSET.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise FieldError("is not an asset of the form sha256:<64 hex digits>", "asset_bad")
    return found[1]


class LanguageTags(Struct, frozen=True):
    """At most so many languages, each once."""

    most: int

    def __call__(self, value: object) -> tuple[str, ...]:
        return tuple(dict.fromkeys(language_tag(one) for one in array(self.most)(value)))


def members(value: object) -> dict[str, object]:
    """Accepts only a JSON object."""
    if not isinstance(value, dict):
        raise FieldError("is not an object")
    return value


class Parts(Struct, frozen=True):
    """Marks a field that lists parts, of which a bad one is left out and recorded with this code; if they count as a
    `whole`, a bad one costs all."""

    kind: type[Struct]
    code: str
    limit: int
    whole: bool = False
    least: int = 0
    """The fewest that are written."""


COSTS_PART = "costs part"
"""The mark of a field that costs its part where it is bad: its default would change the meaning."""
REQUIRED = "required"
"""The mark of a field that is always written; where it is bad its default stands in."""
INLINE = "inline"
"""The mark of a field whose own fields stand among those around it."""


class Reference(StrEnum):
    """Marks a field that names something of the workspace."""

    ITEM = "item"
    PICTURE = "picture"
    FILM = "film"
    MEDIA = "media"
    """A picture or a film."""
    FONT = "font"
    """A font, where the field does not name an installed one."""


name = Characters(MAX_NAME, form=Form.LINE)


def family(value: object) -> str:
    """Reads the name of a font family, or a reference to a font, which stays as it is written."""
    if isinstance(value, str) and value.startswith(ASSET_PREFIX):
        asset(value)
        return value
    return name(value)


Flag = Annotated[bool, flag]
Color = Annotated[str, color]
Asset = Annotated[str, asset]
Instant = Annotated[datetime, instant]
