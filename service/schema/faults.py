"""Turns the validator's error list into faults with RFC 6901 pointers and stable codes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from service.core.errors import Fault, pointer_part

_CODES = {
    "missing": "required",
    "union_tag_not_found": "required",
    "union_tag_invalid": "unknown_type",
    "literal_error": "not_allowed",
    "string_too_short": "too_short",
    "string_too_long": "too_long",
    "too_short": "too_short",
    "too_long": "too_long",
    "greater_than": "out_of_range",
    "greater_than_equal": "out_of_range",
    "less_than": "out_of_range",
    "less_than_equal": "out_of_range",
    "int_parsing": "wrong_type",
    "int_parsing_size": "out_of_range",
    "string_unicode": "bad_text",
}
_WRONG_TYPES = {
    "bool_type": "true or false",
    "dict_type": "an object",
    "int_type": "a whole number",
    "list_type": "an array",
    "model_attributes_type": "an object",
    "model_type": "an object",
    "string_type": "a string",
}
_TAG_FIELD = "type"


def faults_of(errors: Iterable[Mapping[str, Any]], body: object) -> list[Fault]:
    """Converts every error to a fault. Its `loc` starts with the source of the value: the body or a query parameter."""
    faults: dict[Fault, None] = {}
    for error in errors:
        source, *path = error["loc"]
        for fault in _faults(error, str(source), path, body):
            faults[fault] = None
    return list(faults)


def _faults(error: Mapping[str, Any], source: str, path: list[str | int], body: object) -> Iterator[Fault]:
    kind = str(error["type"])
    context = error.get("ctx", {})
    code = _code(kind)
    detail = str(error["msg"])
    if source != "body":
        yield Fault(code=code, detail=detail, parameter=".".join(str(part) for part in path))
        return
    pointer = pointer_to(path, body)
    match kind:
        case "missing":
            detail = "This field is required." if path else "A body is required here."
        case _ if kind in _WRONG_TYPES:
            detail = f"This must be {_WRONG_TYPES[kind]}."
        case "union_tag_not_found":
            pointer, detail = f"{pointer}/{_TAG_FIELD}", "This field is required."
        case "union_tag_invalid":
            pointer, detail = f"{pointer}/{_TAG_FIELD}", f"This must be one of {context['expected_tags']}."
        case "too_long" | "string_too_long":
            things = "characters" if isinstance(error.get("input"), str) else "elements"
            detail = f"At most {context['max_length']} {things} are allowed here."
        case _:
            pass
    for below in context.get("pointers", ("",)):
        yield Fault(code=code, detail=detail, pointer=pointer + below)


def _code(kind: str) -> str:
    return "wrong_type" if kind in _WRONG_TYPES else _CODES.get(kind, kind)


def pointer_to(path: Sequence[str | int], body: object) -> str:
    """Returns an RFC 6901 pointer into the body as it was sent.

    The validator's path holds keys and indexes, but also the branches of unions that it tried. A part that does not
    exist in the body is such a branch and is skipped, except for the last part, which may be a missing field.
    """
    pointer = ""
    place = body
    branch_named = False
    for index, part in enumerate(path):
        # The branch of a union by its tag. A field may have the same name: a `shape` widget has a `shape`.
        if not branch_named and isinstance(place, dict) and place.get(_TAG_FIELD) == part and part != _TAG_FIELD:
            branch_named = True
            continue
        below = _below(place, part)
        if below is not _NOWHERE:
            place, branch_named = below, False
        elif not isinstance(place, dict) or index < len(path) - 1:
            continue
        pointer += "/" + pointer_part(str(part))
    return pointer


_NOWHERE = object()


def _below(place: object, part: str | int) -> object:
    if isinstance(place, dict):
        return place.get(part, _NOWHERE)
    if isinstance(place, list) and isinstance(part, int) and part < len(place):
        return place[part]
    return _NOWHERE
