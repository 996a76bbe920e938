"""Reads forms (application/x-www-form-urlencoded) into the documents of the API, whose bounds they share."""

import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import TypeVar
from urllib.parse import parse_qsl

from pydantic import BaseModel, ValidationError
from starlette.requests import Request

from service.api.routing import read_body
from service.core.errors import Fault, invalid, malformed, unsupported_media_type
from service.schema.faults import faults_of

MAX_FORM_BYTES = 256 * 1024
MAX_FIELDS = 2_000
MAX_DIGITS = 10
"""Digits of a whole number that is read as one."""
_FORM = "application/x-www-form-urlencoded"

M = TypeVar("M", bound=BaseModel)
Form = Mapping[str, str]
"""The fields of a form; of one that is given twice the last."""


async def read_form(request: Request) -> Form:
    """The form in the body, blanks around values cut. Raises the 400, 413 and 415 problems."""
    raw = await read_body(request, limit=MAX_FORM_BYTES)
    if not raw:
        return {}
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _FORM:
        raise unsupported_media_type(_FORM)
    try:
        pairs = parse_qsl(raw.decode("ascii"), keep_blank_values=True, max_num_fields=MAX_FIELDS, errors="strict")
    except (UnicodeError, ValueError):
        raise malformed("The form cannot be read.") from None
    return {name: value.strip() for name, value in pairs}


def document(model: type[M], given: Mapping[str, object]) -> M:
    """The values as a document of the API. Raises the 422 problem."""
    try:
        return model.model_validate(given)
    except ValidationError as fault:
        errors = ({**error, "loc": ("body", *error["loc"])} for error in fault.errors())
        raise invalid(faults_of(errors, given)) from None


def ticked(form: Form, field: str) -> list[str]:
    """The values of the ticked boxes of a field, each a field of its own: `field:value`."""
    return [name.removeprefix(f"{field}:") for name in form if name.startswith(f"{field}:")]


def listed(text: str) -> list[str]:
    """The values in a text, separated by commas or blanks."""
    return [part for part in re.split(r"[\s,;،]+", text) if part]


def whole_in(text: str) -> object:
    """A whole number as people type it; any other text as it is, which no document of the API takes."""
    plain = text.translate(_DIGITS)
    return int(plain) if plain.isascii() and plain.isdigit() and len(plain) < MAX_DIGITS else text
def words_in(text: str) -> list[str]:
    """The words of a list with commas, each once."""
    return list(dict.fromkeys(word for part in text.split(",") if (word := part.strip())))


def price_in(text: str) -> Decimal:
    """A price as people type it, with a point or a comma. Raises the 422 problem."""
    plain = text.replace("\N{NO-BREAK SPACE}", "").replace(" ", "").translate(_DIGITS)
    if "," in plain and "." not in plain:
        plain = plain.replace(",", ".")
    try:
        return Decimal(plain)
    except InvalidOperation:
        raise invalid([Fault("not_a_number", "This must be a price, such as 3.40.", "/price")]) from None


_DIGITS = {ord("٠") + digit: str(digit) for digit in range(10)} | {ord("٫"): "."}
"""Arabic digits and decimal sign."""
