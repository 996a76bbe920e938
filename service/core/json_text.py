"""Reads and writes JSON with exact numbers; imports no other part of the service."""

import json
from decimal import Decimal, InvalidOperation
from typing import Any

import msgspec
from pydantic import BaseModel

_MAX_WHOLE_DIGITS = 400


class JsonTextError(Exception):
    """Raised for bytes that are not JSON, or nested too deeply. The message is for the caller."""


def read_json(raw: bytes) -> Any:
    """Parses the document, with numbers as int or Decimal.

    A number that is too large becomes an infinite decimal: every numeric field refuses it, with a pointer. `NaN` and
    `Infinity` are no JSON (RFC 8259, section 6). Raises JsonTextError.
    """
    try:
        return json.loads(raw.decode("utf-8"), parse_float=_decimal, parse_int=_whole, parse_constant=_refuse)
    except UnicodeDecodeError as fault:
        raise JsonTextError(f"The body is not UTF-8: byte {fault.start} does not belong there.") from None
    except json.JSONDecodeError as fault:
        raise JsonTextError(f"Line {fault.lineno}, column {fault.colno}: {fault.msg}.") from None
    except RecursionError:
        raise JsonTextError("The body is nested too deeply.") from None


def write_json(content: object) -> bytes:
    """Encodes the document in UTF-8; decimals are written as exact numbers."""
    return _encoder.encode(content)


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        return Decimal("Infinity")


def _refuse(constant: str) -> None:
    raise JsonTextError(f"{constant} is no number of JSON.")


def _whole(text: str) -> int | Decimal:
    # int() takes quadratic time in the number of digits.
    return int(text) if len(text) <= _MAX_WHOLE_DIGITS else Decimal("Infinity")


def _enc_hook(value: object) -> object:
    if isinstance(value, BaseModel):
        return value.model_dump(by_alias=True)
    raise NotImplementedError(f"{type(value).__name__} has no JSON form")


_encoder = msgspec.json.Encoder(decimal_format="number", enc_hook=_enc_hook)
