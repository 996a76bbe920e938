"""The API document: current, complete and consistent."""

from collections.abc import Iterator
from typing import Any

import pytest

from service.api.reference.openapi_answers import PROBLEM_DESCRIPTIONS
from service.cli.api_document import OPENAPI_FILE, api_document_text
from service.core.events import PING, EventType
from service.core.json_text import read_json
from tests.service.support.application import Service, body_of

Operation = dict[str, Any]


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, Operation]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield method, path, operation


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    stored: dict[str, Any] = read_json(OPENAPI_FILE.read_bytes())
    return stored


def test_the_stored_document_is_current() -> None:
    assert OPENAPI_FILE.read_text(encoding="utf-8") == api_document_text(), "run `make openapi`"


async def test_the_stored_document_is_served(service: Service, document: dict[str, Any]) -> None:
    assert body_of(await service.client.get("/openapi.json")) == document


def test_no_schema_is_named_after_a_module(document: dict[str, Any]) -> None:
    """The framework does that where two documents have one name."""
    assert [name for name in document["components"]["schemas"] if "__" in name] == []


def test_every_problem_is_declared_with_its_media_type(document: dict[str, Any]) -> None:
    for status in PROBLEM_DESCRIPTIONS:
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


def test_answers_of_uploads_and_of_lists_by_group_are_declared(document: dict[str, Any]) -> None:
    calls = [operation for _, path, operation in operations(document) if path.startswith("/v1/assets/uploads")]
    answers = [
        calls[0]["responses"]["201"],
        *(call["responses"]["200"] for call in calls if "200" in call["responses"]),
    ]
    assert len(answers) == 3
    for answer in answers:
        assert "Upload-Offset" in answer["headers"]
        assert "ETag" not in answer["headers"]
    assert "404" in document["paths"]["/v1/screens"]["get"]["responses"]


def test_every_call_declares_that_headers_may_be_too_long(document: dict[str, Any]) -> None:
    assert [path for _, path, operation in operations(document) if "431" not in operation["responses"]] == []


def test_every_answer_declares_the_request_id(document: dict[str, Any]) -> None:
    shared = document["components"]
    for method, path, operation in operations(document):
        for status, answer in operation["responses"].items():
            found = shared["responses"][answer["$ref"].rpartition("/")[2]] if "$ref" in answer else answer
            assert found["headers"]["X-Request-Id"] == {"$ref": "#/components/headers/XRequestId"}, (
                method,
                path,
                status,
            )
            assert "Menu-Display" in found["headers"], (method, path, status)
    assert shared["headers"]["XRequestId"]["required"] is True


def test_every_success_with_a_body_has_a_schema(document: dict[str, Any]) -> None:
    for method, path, operation in operations(document):
        for status, answer in operation["responses"].items():
            if not status.startswith("2") or status == "204":
                continue
            schemas = [content.get("schema") for content in answer["content"].values()]
            assert schemas, (method, path, status)
            assert all(schemas), (method, path, status)


def test_every_event_is_described_with_its_headers(document: dict[str, Any]) -> None:
    assert set(document["webhooks"]) == {*EventType, PING}
    for delivery in document["webhooks"].values():
        assert {one["name"] for one in delivery["post"]["parameters"]} == {
            "X-Webhook-Event",
            "X-Webhook-Timestamp",
            "X-Service-Signature",
        }


def test_links_lead_to_calls_and_fill_their_parameters(document: dict[str, Any]) -> None:
    paths = {operation["operationId"]: path for _, path, operation in operations(document)}
    count = 0
    for _, _, operation in operations(document):
        for answer in operation["responses"].values():
            for link in answer.get("links", {}).values():
                count += 1
                names = {part.partition("}")[0] for part in paths[link["operationId"]].split("{")[1:]}
                assert set(link.get("parameters", {})) in (names, set()), link
    assert count > 50


def test_every_call_declares_its_security(document: dict[str, Any]) -> None:
    schemes = document["components"]["securitySchemes"]
    for method, path, operation in operations(document):
        for one in operation["security"]:
            assert set(one) <= set(schemes), (method, path)


def test_operation_ids_are_unique(document: dict[str, Any]) -> None:
    names = [operation["operationId"] for _, _, operation in operations(document)]

    assert len(set(names)) == len(names)
    assert all(name.isidentifier() for name in names)


def test_every_reference_resolves(document: dict[str, Any]) -> None:
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
