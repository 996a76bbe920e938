"""What every document has in common: camelCase names, strict types, unknown fields passed over."""

import re
from decimal import Decimal
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, GetJsonSchemaHandler, TypeAdapter, model_validator
from pydantic.alias_generators import to_camel
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticKnownError

ABSENT: Any = None
"""Default of a field that a PATCH may leave out, but may not set to null. Never read: `given` skips it.

Not `Field(default_factory=...)`: merging a `Field` into an annotation keeps one validator of each kind (pydantic 2.10).
"""


def _wire_name(name: str) -> str:
    return to_camel(name.rstrip("_"))


class Input(BaseModel):
    """A request body. A string is not a number and `1` is not `true`; unknown fields are passed over."""

    model_config = ConfigDict(
        strict=True, frozen=True, extra="ignore", alias_generator=_wire_name, populate_by_name=False
    )

    @model_validator(mode="before")
    @classmethod
    def _no_number(cls, value: object) -> object:
        # The framework reads models from the attributes of any object, and the body's decimals are objects.
        if isinstance(value, Decimal):
            raise PydanticKnownError("model_attributes_type")
        return value

    def given(self) -> dict[str, Any]:
        """The fields that the caller sent, by their Python names."""
        return {name: getattr(self, name) for name in type(self).model_fields if name in self.model_fields_set}

    def everything(self) -> dict[str, Any]:
        """All fields, by their Python names, with defaults for those that the caller left out."""
        return {name: getattr(self, name) for name in type(self).model_fields}

    def document(self) -> dict[str, Any]:
        """The document as it was sent, without what the caller left out."""
        return self.model_dump(by_alias=True, exclude_unset=True)


class Patch(Input):
    """A request that changes some fields of a resource and leaves the others alone."""

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        described = handler(schema)
        for field in handler.resolve_ref_schema(described).get("properties", {}).values():
            field.pop("default", None)
        return described


class Like:
    """Marks a document that goes out as it was kept: the API document says that it is like a model."""

    def __init__(self, model: Any) -> None:
        self._described = TypeAdapter(model).core_schema

    def __get_pydantic_json_schema__(self, _schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return handler(self._described)


def _title(model: type) -> str:
    return re.sub(r"Listing\[(\w+)\]", r"List of \1", model.__name__).removesuffix("View")


class ResponseModel(BaseModel):
    """An answer; fields that have no value are null, never left out."""

    passing: ClassVar[frozenset[str]] = frozenset()
    """Fields, by their names on the wire, that change by themselves: to change others in between is no conflict."""

    model_config = ConfigDict(
        frozen=True, alias_generator=_wire_name, populate_by_name=True, model_title_generator=_title
    )

    def document(self) -> dict[str, Any]:
        """The document as it goes onto the wire; decimals are still decimals."""
        return self.model_dump(by_alias=True)
