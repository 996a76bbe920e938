"""Models of the API from the documents that both programs share, each as strict as a request has to be.

A struct of `menu.documents` defines the fields and their bounds; the player reads it tolerantly, the service refuses
deviations.
"""

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, Literal

import msgspec
from annotated_types import Ge, Le, MaxLen, MinLen
from msgspec import NODEFAULT, Struct
from pydantic import (
    AfterValidator,
    BeforeValidator,
    GetCoreSchemaHandler,
    WithJsonSchema,
    create_model,
    model_validator,
)
from pydantic.alias_generators import to_snake
from pydantic_core import CoreSchema

from menu.documents import converters as convert
from menu.documents.converters import INLINE, REQUIRED, Form
from menu.documents.scene import MAX_COLUMNS, TIME_LEFT, read_columns, read_countdown_text
from menu.documents.schedule import read_begin, read_days, read_end, zone
from menu.documents.tolerant import kind_and_marks
from service.schema.base import Input, ResponseModel, wire_name
from service.schema.content.translation import LANGUAGES_DIFFER
from service.schema.fields import (
    AssetName,
    Color,
    FontFamily,
    Language,
    Name,
    Number,
    Whole,
    WrittenInstant,
    fault,
    not_blank,
    not_blank_text,
    one_line,
    readable,
    storable,
)
from service.schema.places.live_value import names_values
from service.schema.publishing.schedule import Days, End, Start, Zone


def _columns(value: object) -> object:
    if value == "auto":
        return value
    if isinstance(value, int | Decimal) and not isinstance(value, bool) and value in range(1, MAX_COLUMNS + 1):
        return int(value)
    raise fault("out_of_range", f'This must be a whole number from 1 to {MAX_COLUMNS}, or "auto".')


def _holds_time(text: str) -> str:
    if text.count(TIME_LEFT) != 1:
        raise fault("no_time", f"This holds {TIME_LEFT} once: the time that is left stands there.")
    return text


_COLUMNS = {"anyOf": [{"type": "integer", "minimum": 1, "maximum": MAX_COLUMNS}, {"const": "auto"}]}
_CHECKS: dict[Form, tuple[Callable[[str], str], ...]] = {
    Form.LINE: (one_line, not_blank),
    Form.LINES: (readable, not_blank),
    Form.TEXT: (readable,),
    Form.LIVE: (readable, names_values),
    Form.ANY: (storable,),
}
_TYPES: dict[Any, Any] = {
    convert.asset: AssetName,
    convert.color: Color,
    convert.family: FontFamily,
    convert.flag: bool,
    convert.instant: WrittenInstant,
    read_begin: Start,
    read_columns: Annotated[int | Literal["auto"], BeforeValidator(_columns), WithJsonSchema(_COLUMNS)],
    read_countdown_text: Annotated[Name, AfterValidator(_holds_time)],
    read_days: Days,
    read_end: End,
    zone: Zone,
}
"""The type of a field in requests by what reads it in documents."""
_NONE_IS_WRITTEN = {read_columns: "auto", zone: "location"}
"""The word for None of fields that are never null."""


class Of:
    """The type of a field, in place of one that a type checker knows: a model that is made here."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def __get_pydantic_core_schema__(self, _source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return handler.generate_schema(self._model)


@cache
def model_of(document: type[Struct], check: Callable[[Any], Any] | None = None, **defaults: Any) -> type[Input]:
    """Makes the model with the fields of a document. `check` validates several at once; `defaults` replace those of the
    document where a request may contain null."""
    fields: dict[str, Any] = {name: (kind, default) for name, kind, default in _fields(document)}
    fields |= {name: (fields[name][0] | None, default) for name, default in defaults.items()}
    validators: dict[str, Any] = {} if check is None else {"check": model_validator(mode="after")(check)}
    texts: dict[str, Any] = {"__doc__": document.__doc__, "__module__": __name__}
    made: type[Input] = create_model(document.__name__, __base__=Input, __validators__=validators, **texts, **fields)
    return made


def _fields(document: type[Struct]) -> Iterator[tuple[str, Any, Any]]:
    """Yields name, type and default of each field."""
    for info in msgspec.structs.fields(document):
        kind, marks = kind_and_marks(info.type)
        if INLINE in marks:
            yield from _fields(kind)
        elif (found := _type(kind, marks)) is not None:
            name = to_snake(info.encode_name)
            name = name if wire_name(name) == info.encode_name else f"{name}_"
            yield name, *_with_default(found, info, marks)
    if (tag := document.__struct_config__.tag) is not None:
        yield "type", Literal[tag], ...


def _with_default(kind: Any, info: msgspec.structs.FieldInfo, marks: list[Any]) -> tuple[Any, Any]:
    default = info.default if info.default_factory is NODEFAULT else None
    if info.required or REQUIRED in marks:
        return kind, ...
    if default is None or isinstance(default, tuple | frozenset | Struct):
        written = next((_NONE_IS_WRITTEN[mark] for mark in marks if callable(mark) and mark in _NONE_IS_WRITTEN), None)
        return (kind | None, None) if written is None else (kind, written)
    for mark in marks:
        if isinstance(mark, convert.Either):
            return kind, mark.yes if default else mark.no
    if isinstance(default, StrEnum):
        return kind, default.value
    return kind, int(default) if isinstance(default, float) and default.is_integer() else default


def _type(kind: Any, marks: list[Any]) -> Any:
    """Returns the type of a field in requests; None for one that no request has."""
    for mark in marks:
        match mark:
            case convert.Characters():
                return _text(mark)
            case convert.Strings(most, each):
                return Annotated[list[_text(each)], MaxLen(most)]  # type: ignore[misc]
            case convert.Number(low, high, whole):
                return Annotated[Whole if whole else Number, Ge(low), Le(high)]
            case convert.Whole(low, high):
                return Annotated[Whole, Ge(low), Le(high)]
            case convert.Either(no, yes):
                return Literal[no, yes]
            case convert.OneOf(words):
                return Literal[tuple(word.value for word in words)]
            case convert.LanguageTags(most):
                return Annotated[list[Language], MaxLen(most), LANGUAGES_DIFFER]
            case convert.Parts(part, _, limit, _, least):
                return Annotated[list[model_of(part)], *((MinLen(least),) if least else ()), MaxLen(limit)]  # type: ignore[misc]
            case _ if callable(mark) and mark in _TYPES:
                return _TYPES[mark]
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return Literal[tuple(word.value for word in kind)]
    return model_of(kind) if isinstance(kind, type) and issubclass(kind, Struct) else None


@cache
def plain_fields(document: type[Struct]) -> Mapping[str, tuple[Any, Any]]:
    """Returns type and default in answers of the fields that are flags, words, texts or lists of texts. One without a
    value is left out of an answer: a number, whose 0 may be a value, is not plain."""
    found: dict[str, tuple[Any, Any]] = {}
    for info in msgspec.structs.fields(document):
        kind, _ = kind_and_marks(info.type)
        if isinstance(kind, type) and issubclass(kind, StrEnum):
            words: Any = Literal[tuple(word.value for word in kind)]
            found[info.name] = (words | None, None) if info.default is None else (words, info.default)
        elif kind in (bool, str):
            found[info.name] = kind, kind()
        elif kind == tuple[str, ...]:
            found[info.name] = list[str], []
    return found


def with_plain_fields(document: type[Struct], base: type[ResponseModel]) -> type[ResponseModel]:
    """Adds to a model of answers the plain fields of a document that it lacks."""
    lacking: dict[str, Any] = {n: one for n, one in plain_fields(document).items() if n not in base.model_fields}
    return create_model(base.__name__, __base__=base, **lacking)


@cache
def _text(read: convert.Characters) -> Any:
    seen = read.form in (Form.LINE, Form.LINES)
    least = 1 if seen else read.least
    return Annotated[
        str,
        *((MinLen(least),) if least else ()),
        MaxLen(read.most),
        *(AfterValidator(check) for check in _CHECKS[read.form]),
        *((not_blank_text(read.most),) if seen else ()),
    ]
