"""Values of a location: texts and numbers that the operator's own programs keep current, for texts of scenes."""

import re
from decimal import Decimal
from typing import Annotated, Any

from annotated_types import MaxLen
from pydantic import AfterValidator, BeforeValidator, WithJsonSchema

from menu.documents.manifest_reader import MAX_VALUES
from service.core.errors import pointer_part
from service.schema.base import ABSENT, Input, Patch, ResponseModel
from service.schema.fields import (
    NAME_LENGTH,
    WHOLE_NUMBER_LIMIT,
    Instant,
    InstantText,
    fault,
    faults_at,
    not_blank,
    one_line,
)

VALUE_NAME = r"[A-Za-z][A-Za-z0-9_.-]{0,49}"

_NAME = re.compile(VALUE_NAME, re.ASCII)
_PLACEHOLDER = re.compile(r"\{\{(.*?)\}\}")
_VALUE_SCHEMA = {
    "anyOf": [
        {"type": "string", "minLength": 1, "maxLength": NAME_LENGTH, "pattern": r"\S"},
        {"type": "number", "minimum": -WHOLE_NUMBER_LIMIT, "maximum": WHOLE_NUMBER_LIMIT},
    ]
}


def _value(value: object) -> str | int | float:
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        raise fault("wrong_type", "This must be a text or a number.")
    if not isinstance(value, str):
        # Written this way round, NaN is refused as well.
        if not -WHOLE_NUMBER_LIMIT <= value <= WHOLE_NUMBER_LIMIT:
            raise fault("out_of_range", f"Numbers here lie between -{WHOLE_NUMBER_LIMIT} and {WHOLE_NUMBER_LIMIT}.")
        return int(value) if value == int(value) else float(value)
    if len(value) > NAME_LENGTH:
        raise fault("text_too_long", f"A text here has at most {NAME_LENGTH} characters.")
    return one_line(not_blank(value))


LiveText = Annotated[str | int | float, BeforeValidator(_value), WithJsonSchema(_VALUE_SCHEMA)]


class LiveValue(Input):
    """A text or a number, and until when it may be told. Numbers are written as the location does."""

    value: LiveText
    expires_at: Instant


class LiveValueResponse(ResponseModel):
    """A value. After `expiresAt` no screen tells it."""

    value: Annotated[Any, WithJsonSchema(_VALUE_SCHEMA)]
    expires_at: InstantText


def _have_names(values: dict[str, LiveValue | None]) -> dict[str, LiveValue | None]:
    for name in values:
        if not _NAME.fullmatch(name):
            detail = "A value has a name of at most 50 letters of a-z, digits, _, - and ., and begins with a letter."
            raise faults_at([f"/{pointer_part(name)}"], "bad_name", detail)
    return values


class LiveValuesPatch(Patch):
    """Values by name, to add or to replace; null takes one away. All others stay as they are."""

    values: Annotated[dict[str, LiveValue | None], MaxLen(MAX_VALUES), AfterValidator(_have_names)] = ABSENT


class LiveValuesResponse(ResponseModel):
    """The values of a location by name."""

    values: dict[str, LiveValueResponse]


def names_values(text: str) -> str:
    """Checks that all placeholders of a text name values."""
    for found in _PLACEHOLDER.findall(text):
        if not _NAME.fullmatch(found.strip(" \t")):
            detail = f"{{{{{found[:50]}}}}} names no value: a name has letters of a-z, digits, _, - and . only."
            raise fault("bad_placeholder", detail)
    return text


def holds_values(text: str) -> bool:
    """Returns whether the text contains values."""
    return _PLACEHOLDER.search(text) is not None
