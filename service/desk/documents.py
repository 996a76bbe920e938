"""Fields of forms that are those of a document: its schema says what the text of each means, and its bounds."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel

from service.desk.forms import Form, ticked, whole_in, words_in
from service.schema.base import ResponseModel

Kind = Literal[
    "line", "lines", "number", "choice", "check", "color", "list", "categories", "item", "items", "asset", "font"
]
_LONG = 200
"""Texts that may be longer get a box of several lines."""


class DocumentForm:
    """Reads fields of a form into a document, and shows those of one. The list `words` is typed with commas; others are
    boxes to tick."""

    def __init__(self, model: type[BaseModel], *names: str, words: str = "") -> None:
        self.names = (*names, words) if words else names
        self._model = model
        self._words = words

    @property
    def bounds(self) -> Mapping[str, "Bounds"]:
        """Fields as the schema has them."""
        return bounds_of(self._model)

    def read(self, form: Form, *, in_part: bool = False) -> dict[str, object]:
        """Returns the fields as the document has them, `in_part` only those that the form has. What is no number stays
        as it is, for the schema to refuse."""
        found: dict[str, object] = {}
        for name in self.names:
            bounds = self.bounds[name]
            if bounds.kind == "check":
                found[name] = name in form
            elif bounds.kind == "list" and name != self._words:
                ticks = ticked(form, name)
                found[name] = None if bounds.optional and not ticks else ticks
            elif name in form or not in_part:
                text = form.get(name, "")
                value = words_in(text) if name == self._words else whole_in(text) if bounds.whole else text
                found[name] = None if bounds.optional and not text else value
        return found

    def shown(self, view: ResponseModel) -> dict[str, str]:
        """Returns the fields as a browser sends them where nobody has touched them."""
        document, found = view.document(), dict[str, str]()
        for name in self.names:
            kind, value = self.bounds[name].kind, document[name]
            if name == self._words:
                found[name] = ", ".join(value)
            elif kind == "list":
                found |= {f"{name}:{one}": "on" for one in value or ()}
            elif kind != "check" or value:
                found[name] = "on" if kind == "check" else text_of(value)
        return found


def text_of(value: Any) -> str:
    """A plain value as a field has it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float | Decimal):
        return f"{value:f}".rstrip("0").rstrip(".") if "." in f"{value:f}" else f"{value:f}"
    return str(value)


@dataclass(frozen=True, slots=True)
class Bounds:
    """A field as its schema has it: texts for HTML, empty where it has no bound."""

    kind: Kind
    optional: bool
    default: Any = None
    least: str = ""
    most: str = ""
    length: str = ""
    choices: tuple[str, ...] = ()
    whole: bool = False
    """Whether its numbers are whole."""


@cache
def bounds_of(model: type[BaseModel]) -> Mapping[str, Bounds]:
    """Returns the fields of a document by their JSON names."""
    return {name: _bounds(given) for name, given in model.model_json_schema()["properties"].items()}


def _bounds(given: Mapping[str, Any]) -> Bounds:
    parts: list[Mapping[str, Any]] = [given]
    for part in parts:
        parts.extend(part.get("anyOf", ()))
    optional = any(part.get("type") == "null" for part in parts)
    default = given.get("default")

    def first(*names: str) -> str:
        return next((text_of(part[name]) for part in parts for name in names if name in part), "")

    kinds = {part.get("type") for part in parts}
    values = [value for part in parts for value in part.get("enum", ())]
    if any(part.get("const") == "auto" for part in parts):
        # A number of columns, or as many as fit.
        values = ["auto", *(str(number) for number in range(int(first("minimum")), int(first("maximum")) + 1))]
    least, most, length = first("minimum", "ge"), first("maximum", "le"), first("maxLength")
    whole = "integer" in kinds or any(isinstance(value, int) for value in values)
    if "array" in kinds:
        return Bounds("list", optional, default)
    if values:
        return Bounds("choice", optional, default, choices=(*([""] if optional else []), *values), whole=whole)
    if "boolean" in kinds and optional:
        return Bounds("choice", optional, default, choices=("", "true", "false"))
    if "boolean" in kinds:
        return Bounds("check", optional, default)
    if kinds & {"integer", "number"}:
        return Bounds("number", optional, default, least, most, whole=whole)
    if re.search(r"\[0-9A-Fa-f\]\{6\}", first("pattern")):
        return Bounds("color", optional, default)
    return Bounds("lines" if int(length or _LONG) >= _LONG else "line", optional, default, length=length)
