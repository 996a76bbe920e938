"""Base classes of all documents: camelCase names, strict types, unknown fields ignored."""

import functools
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any, ClassVar, TypeVar, cast

import msgspec
from pydantic import BaseModel, ConfigDict, GetJsonSchemaHandler, TypeAdapter, model_validator
from pydantic.alias_generators import to_camel
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticKnownError

from service.core.ignored import ignored_fields

ABSENT: Any = None
"""Default of a field that a PATCH may omit but not set to null. Never read: `given` skips it.

Not `Field(default_factory=...)`: merging a `Field` into an annotation keeps one validator of each kind (pydantic 2.10).
"""


def wire_name(name: str) -> str:
    return to_camel(name.rstrip("_"))


class Input(BaseModel):
    """A request body. A string is not a number and `1` is not `true`; unknown fields are ignored, and noted."""

    model_config = ConfigDict(
        strict=True, frozen=True, extra="ignore", alias_generator=wire_name, populate_by_name=False
    )

    @model_validator(mode="before")
    @classmethod
    def _object(cls, value: object) -> object:
        # The framework would read a model from the attributes of a Decimal.
        if isinstance(value, Decimal):
            raise PydanticKnownError("model_attributes_type")
        ignored = ignored_fields.get()
        if ignored is not None and isinstance(value, dict):
            ignored.note(value, _known_names(cls))
        return value

    def given(self) -> dict[str, Any]:
        """Returns the fields that the caller sent, by their Python names."""
        return {name: getattr(self, name) for name in type(self).model_fields if name in self.model_fields_set}

    def everything(self) -> dict[str, Any]:
        """Returns all fields, by their Python names, with defaults for those that the caller omitted."""
        return {name: getattr(self, name) for name in type(self).model_fields}

    def document(self) -> dict[str, Any]:
        """Returns the document as it was sent, without the fields that the caller omitted."""
        return self.model_dump(by_alias=True, exclude_unset=True)


def json_names(model: type[BaseModel]) -> dict[str, str]:
    """Returns the JSON names of a model's fields by the Python names."""
    return {name: field.alias or name for name, field in model.model_fields.items()}


@functools.cache
def _known_names(model: type[Input]) -> frozenset[str]:
    return frozenset(json_names(model).values())


class Patch(Input):
    """A request that changes the given fields of a resource."""

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        described = handler(schema)
        for field in handler.resolve_ref_schema(described).get("properties", {}).values():
            field.pop("default", None)
        return described


class SchemaOf:
    """Gives a stored JSON document, which is sent as it is, the schema of a model in the API document."""

    def __init__(self, model: Any) -> None:
        # As a part: newer versions of pydantic write a whole document without a reference to its model.
        self._schema = TypeAdapter(list[model]).core_schema

    def __get_pydantic_json_schema__(self, _schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        described: JsonSchemaValue = handler(self._schema)["items"]
        return described


def _title(model: type) -> str:
    return re.sub(r"Listing\[(\w+)\]", r"List of \1", model.__name__).removesuffix("Response")


class ResponseModel(BaseModel):
    """An answer. Fields without a value are null, never omitted."""

    volatile: ClassVar[frozenset[str]] = frozenset()
    """JSON names of fields that change by themselves. They do not count for `If-Match`."""

    model_config = ConfigDict(
        frozen=True, alias_generator=wire_name, populate_by_name=True, model_title_generator=_title
    )

    def document(self) -> dict[str, Any]:
        """Returns the document by its JSON names; decimals stay Decimal."""
        return self.model_dump(by_alias=True)


class _Unchecked(msgspec.Struct, frozen=True):
    """An answer that `unchecked` makes."""

    volatile: ClassVar[frozenset[str]] = frozenset()

    def document(self) -> dict[str, Any]:
        """Returns the document by its JSON names; decimals stay Decimal."""
        document: dict[str, Any] = msgspec.to_builtins(self, builtin_types=(Decimal,))
        return document


M = TypeVar("M", bound=ResponseModel)


def unchecked(model: type[M]) -> Callable[..., M]:
    """Makes a class for responses with the model's fields, which is built in a tenth of the time: for values of the
    service itself, which need no validation. They are serialised as those of the model (docs/adr/0192), but are no
    instances of it."""
    fields = [(name, Any) for name in model.model_fields]
    known = {"volatile": model.volatile}
    made = msgspec.defstruct(
        model.__name__, fields, bases=(_Unchecked,), namespace=known, rename=json_names(model), frozen=True, gc=False
    )
    return cast("Callable[..., M]", made)
