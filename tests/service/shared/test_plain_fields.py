"""Fields that answers have by the struct of a document."""

from enum import StrEnum

from msgspec import Struct

from menu.documents.manifest import FullName, Words
from service.schema.base import ResponseModel
from service.schema.documents import with_plain_fields


class Roast(StrEnum):
    LIGHT = "light"
    DARK = "dark"


class Coffee(Struct):
    name: FullName
    origin: FullName | None = None
    roast: Roast = Roast.DARK
    grind: Roast | None = None
    organic: bool = False
    notes: Words = ()
    grams: int = 0


class Computed(ResponseModel):
    name: str


def test_an_answer_has_the_plain_fields_of_a_document_beside_its_own() -> None:
    described = with_plain_fields(Coffee, Computed).model_json_schema()
    words = {"type": "string", "enum": ["light", "dark"]}
    assert described["required"] == ["name"]
    assert {name: {k: v for k, v in one.items() if k != "title"} for name, one in described["properties"].items()} == {
        "name": {"type": "string"},
        "origin": {"type": "string", "default": ""},
        "roast": {**words, "default": "dark"},
        "grind": {"anyOf": [words, {"type": "null"}], "default": None},
        "organic": {"type": "boolean", "default": False},
        "notes": {"type": "array", "items": {"type": "string"}, "default": []},
    }
