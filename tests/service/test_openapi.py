"""The API document: current, complete, and true of what the service answers."""

from collections.abc import Iterator
from typing import Any

import pytest

from service.api.openapi import PROBLEM_WORDS
from service.describe import KEPT, describe
from service.jsontext import read_json
from tests.service.support import Running, body_of

Operation = dict[str, Any]


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, Operation]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield method, path, operation


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    kept: dict[str, Any] = read_json(KEPT.read_bytes())
    return kept


def test_the_kept_document_is_current() -> None:
    assert KEPT.read_text(encoding="utf-8") == describe(), "run `make openapi`"


async def test_the_kept_document_is_the_one_that_is_served(service: Running, document: dict[str, Any]) -> None:
    assert body_of(await service.client.get("/openapi.json")) == document


def test_every_problem_is_declared_with_its_media_type(document: dict[str, Any]) -> None:
    for status in PROBLEM_WORDS:
        problem = document["components"]["responses"][f"Problem{status}"]
        assert list(problem["content"]) == ["application/problem+json"]
    assert "WWW-Authenticate" in document["components"]["responses"]["Problem401"]["headers"]
    assert "Retry-After" in document["components"]["responses"]["Problem429"]["headers"]
    for method, path, operation in operations(document):
        assert "500" in operation["responses"], (method, path)
        assert "default" not in operation["responses"], (method, path)
        if operation["security"]:
            assert "401" in operation["responses"], (method, path)
        if "{" in path:
            assert "404" in operation["responses"], (method, path)


def test_every_call_says_who_may_make_it(document: dict[str, Any]) -> None:
    schemes = document["components"]["securitySchemes"]
    for method, path, operation in operations(document):
        for one in operation["security"]:
            assert set(one) <= set(schemes), (method, path)


def test_every_call_has_a_name_of_its_own(document: dict[str, Any]) -> None:
    names = [operation["operationId"] for _, _, operation in operations(document)]

    assert len(set(names)) == len(names)
    assert all(name.isidentifier() for name in names)


def test_every_reference_leads_somewhere(document: dict[str, Any]) -> None:
    for reference in references(document):
        place: Any = document
        for part in reference.removeprefix("#/").split("/"):
            assert part in place, reference
            place = place[part]


def references(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for part in value.values():
            yield from references(part)
    elif isinstance(value, list):
        for part in value:
            yield from references(part)
