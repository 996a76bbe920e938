"""Parses forms into the documents of the API, whose bounds they share: application/x-www-form-urlencoded, and
multipart/form-data for one with a file."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl

from starlette.requests import Request

from service.api.http.routing import read_body
from service.core.errors import malformed, unsupported_media_type
from service.services.shared.etags import ALWAYS, Condition

MAX_FORM_BYTES = 256 * 1024
MAX_FIELDS = 6_000
MAX_DIGITS = 10
"""Digits of a whole number that is read as one."""
_FORM = "application/x-www-form-urlencoded"
MAX_UPLOAD_BYTES = 9 * 1024 * 1024
"""A form with a file: a text and a file, each as large as a feed may be."""
_FORM, _UPLOAD = "application/x-www-form-urlencoded", "multipart/form-data"
_PART = "application/offset+octet-stream"
_BOUNDARY = re.compile(r'boundary="?([!-~]{1,70}?)"?(?:;|$)')
_FIELD = re.compile(rb'^content-disposition:\s*form-data;.*?\bname="([^"]*)"(?:;\s*filename="([^"]*)")?', re.I | re.M)

Form = Mapping[str, str]
"""The fields of a form; of one that is given twice the last."""


@dataclass(frozen=True, slots=True)
class Sent:
    """Fields of a form, and the content of its file, with its name; empty without one."""

    fields: Form
    file: bytes = b""
    file_name: str = ""


async def read_form(request: Request, *, files: bool = False) -> Sent:
    """Reads the form in the body, and strips blanks around values. Raises the 400, 413 and 415 problems."""
    declared = request.headers.get("content-type", "")
    kind = declared.partition(";")[0].strip().lower()
    is_upload = files and kind == _UPLOAD
    # A part of an upload is no form: it comes with the token in a header.
    is_part = files and kind == _PART
    raw = await read_body(request, limit=MAX_UPLOAD_BYTES if is_upload or is_part else MAX_FORM_BYTES)
    if not raw:
        return Sent({})
    if is_part:
        return Sent({}, raw)
    if is_upload:
        return _read_parts(raw, declared)
    if kind != _FORM:
        raise unsupported_media_type(_FORM)
    try:
        pairs = parse_qsl(raw.decode("ascii"), keep_blank_values=True, max_num_fields=MAX_FIELDS, errors="strict")
    except (UnicodeError, ValueError):
        raise malformed("The form cannot be read.") from None
    return Sent({name: value.strip() for name, value in pairs})


def _read_parts(raw: bytes, declared: str) -> Sent:
    """Parses a multipart form (RFC 7578). Raises the 400 problem."""
    boundary = _BOUNDARY.search(declared)
    fields: dict[str, str] = {}
    file, file_name = b"", ""
    try:
        if boundary is None:
            raise ValueError(declared)
        parts = (b"\r\n" + raw).split(b"\r\n--" + boundary[1].encode(), MAX_FIELDS)
        for part in parts[1:]:
            if part.startswith(b"--"):
                return Sent(fields, file, file_name)
            head, _, content = part.partition(b"\r\n\r\n")
            told = _FIELD.search(head)
            if told is None:
                raise ValueError(head)
            if told[2] is None:
                fields[told[1].decode()] = content.decode().strip(" \r\n")
            else:
                file, file_name = content, told[2].decode()
    except ValueError:
        pass
    # Broken off, or no form of a browser.
    raise malformed("The form cannot be read.")


def seen_in(form: Form) -> Condition:
    """Returns the condition that a resource is as the form shows it; none if the form has no tag."""
    tag = form.get("tag")
    return ALWAYS if tag is None else Condition((tag,))


def ticked(form: Form, field: str) -> list[str]:
    """Returns the values of the ticked boxes of a field, each a field of its own: `field:value`."""
    return [name.removeprefix(f"{field}:") for name in form if name.startswith(f"{field}:")]


def listed(text: str) -> list[str]:
    """Splits a text at commas or blanks."""
    return [part for part in re.split(r"[\s,;،]+", text) if part]


def whole_in(text: str) -> object:
    """Parses a whole number; returns any other text unchanged, which no document of the API accepts."""
    plain = text.translate(_DIGITS)
    return int(plain) if plain.isascii() and plain.isdigit() and len(plain) < MAX_DIGITS else text


def words_in(text: str) -> list[str]:
    """Returns the words of a list with commas, each once."""
    return list(dict.fromkeys(word for part in text.split(",") if (word := part.strip())))


_DIGITS = {ord("٠") + digit: str(digit) for digit in range(10)}
"""Arabic digits."""


def moved(order: Sequence[str], form: Form) -> list[str]:
    """Moves the `entry` of the form a place up or down, or to the place in `to`, from 1."""
    found, entry, to = list(order), form.get("entry", ""), form.get("to", "")
    if entry not in found:
        return found
    at = found.index(entry)
    place = int(to) - 1 if to.isascii() and to.isdigit() and len(to) < 6 else at + (1 if to == "down" else -1)
    found.insert(max(0, min(len(found) - 1, place)), found.pop(at))
    return found
