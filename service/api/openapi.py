"""The API document (OpenAPI 3.1): what the routes say of themselves, and what all of them have in common.

The framework knows paths, parameters and models. The problems, conditions and headers of a call follow from its kind,
and are put in here by rule, so that no route can forget them.
"""

import copy
from collections.abc import Iterator, Mapping
from typing import Any

from fastapi import FastAPI

from service.api.problems import PROBLEM_MEDIA_TYPE

Document = dict[str, Any]

PROBLEM_WORDS = {
    400: "The request cannot be read, or its cursor or a header is not one of the service's.",
    401: "No key or token, or one that is not known.",
    403: "The role of the key may not do this.",
    404: "There is no such thing in this workspace.",
    409: "It cannot be done as things are.",
    410: "It was there, and is no more.",
    412: "It is no longer what `If-Match` names.",
    413: "The body is too large.",
    415: "The content type is not accepted here.",
    416: "The range lies behind the end.",
    422: "Understood, and not allowed: `errors` names every fault.",
    429: "Too many requests: wait for `Retry-After` seconds.",
    500: "A fault of the service. It is safe to try again.",
    503: "It cannot be sent at the moment.",
    507: "The disk of the service is full.",
}
_OAUTH_PATHS = ("/v1/player/device_authorization", "/v1/player/token")
_OAUTH_STATUSES = (400, 413, 429, 503)
_MORE_PROBLEMS: Mapping[tuple[str, str], tuple[int, ...]] = {
    ("post", "/v1/screens/pair"): (404,),
    ("post", "/v1/team/invites/preview"): (404, 410),
    ("post", "/v1/team/invites/accept"): (404, 410),
    ("post", "/v1/billing/callback"): (401, 404),
    ("post", "/v1/assets"): (400, 413, 415, 507),
    ("get", "/v1/assets/{asset}"): (416, 503),
    ("get", "/v1/player/assets/{asset}"): (416, 503),
    ("get", "/v1/player/manifest"): (503,),
    ("post", "/v1/player/heartbeat"): (400, 413, 415, 422),
}
"""What a call can answer beside what its kind does."""

_TEXT = {"type": "string"}
_BINARY = {"schema": {"type": "string", "format": "binary"}}
_PICTURES = dict.fromkeys(("image/png", "image/jpeg", "image/webp"), _BINARY)
_OAUTH_ERROR = {
    "type": "object",
    "description": "A refusal as RFC 6749, section 5.2 writes it.",
    "required": ["error", "error_description"],
    "properties": {"error": _TEXT, "error_description": _TEXT},
}
_HEADERS: Mapping[str, Document] = {
    "Location": {"description": "Where the new resource is.", "schema": _TEXT},
    "ETag": {"description": "Names this state of the resource (RFC 9110, section 8.8.3).", "schema": _TEXT},
    "RetryAfter": {
        "description": "Seconds to wait before another try.",
        "schema": {"type": "integer", "minimum": 1},
    },
    "RateLimitPolicy": {
        "description": "How often the key may call (draft-ietf-httpapi-ratelimit-headers).",
        "schema": _TEXT,
    },
    "RateLimit": {"description": "How often it still may, and until when.", "schema": _TEXT},
    "WwwAuthenticate": {"description": "The challenge (RFC 6750).", "schema": _TEXT},
}
_PARAMETERS: Mapping[str, Document] = {
    "IdempotencyKey": {
        "name": "Idempotency-Key",
        "in": "header",
        "description": "The same key with the same request gets the same answer for 24 hours.",
        "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
    },
    "IfMatch": {
        "name": "If-Match",
        "in": "header",
        "description": "Do it only if the resource is still what this ETag names, or 412.",
        "schema": _TEXT,
    },
    "IfNoneMatch": {
        "name": "If-None-Match",
        "in": "header",
        "description": "Answer 304 if the resource is still what this ETag names.",
        "schema": _TEXT,
    },
}


def api_document(app: FastAPI) -> Document:
    """The whole document. Made anew by each call, from the routes that the application has."""
    document: Document = copy.deepcopy(app.openapi())
    components = document["components"]
    components["responses"] = {f"Problem{status}": _problem(status, words) for status, words in PROBLEM_WORDS.items()}
    components["headers"] = dict(_HEADERS)
    components["parameters"] = dict(_PARAMETERS)
    components["schemas"]["OAuthError"] = _OAUTH_ERROR
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            _complete(operation, method, path)
    return document


def _complete(operation: Document, method: str, path: str) -> None:
    operation["operationId"] = operation["operationId"].partition("_v1_")[0]
    operation.setdefault("security", [])
    answers: Document = operation["responses"]
    answers.pop("default", None)
    if path in _OAUTH_PATHS:
        content = {"application/json": {"schema": {"$ref": "#/components/schemas/OAuthError"}}}
        for status in _OAUTH_STATUSES:
            answers[str(status)] = {"description": "Refused as RFC 6749 says.", "content": content}
        answers["500"] = {"$ref": "#/components/responses/Problem500"}
        return
    for status in sorted({*_problems(operation, method, path), *_MORE_PROBLEMS.get((method, path), ())}):
        answers.setdefault(str(status), {"$ref": f"#/components/responses/Problem{status}"})
    _complete_parameters(operation, method, path)
    _complete_answers(answers, method, path)
    if {"apiKey": []} in operation["security"]:
        for answer in (answer for answer in answers.values() if "$ref" not in answer):
            _add_header(answer, "RateLimit-Policy", "RateLimitPolicy")
            _add_header(answer, "RateLimit", "RateLimit")
    operation["responses"] = dict(sorted(answers.items()))


def _problems(operation: Document, method: str, path: str) -> Iterator[int]:
    places = {parameter.get("in") for parameter in operation.get("parameters", ())}
    yield from (429, 500)
    if operation["security"]:
        yield 401
    if {"apiKey": []} in operation["security"]:
        yield 403
    if "path" in places:
        yield 404
    if "query" in places:
        yield from (400, 422)
    if "requestBody" in operation:
        yield from (400, 413, 415, 422)
    if method in ("post", "patch") and not _is_players(path):
        yield from (400, 409, 422)
    if _is_conditional(method, path):
        yield from (409, 412)


def _complete_parameters(operation: Document, method: str, path: str) -> None:
    wanted: list[str] = []
    if method in ("post", "patch") and {"apiKey": []} in operation["security"]:
        wanted.append("IdempotencyKey")
    if _is_conditional(method, path):
        wanted.append("IfMatch")
    if _is_single(method, path):
        wanted.append("IfNoneMatch")
    parameters: list[Document] = operation.setdefault("parameters", [])
    known = {parameter.get("name", "").lower() for parameter in parameters}
    parameters += [
        {"$ref": f"#/components/parameters/{name}"} for name in wanted if _PARAMETERS[name]["name"].lower() not in known
    ]
    if not parameters:
        del operation["parameters"]


def _complete_answers(answers: Document, method: str, path: str) -> None:
    if "201" in answers:
        _add_header(answers["201"], "Location", "Location")
    if "202" in answers:
        _add_header(answers["202"], "Location", "Location")
    if _is_single(method, path) or path == "/v1/player/manifest":
        _add_header(answers["200"], "ETag", "ETag")
        answers["304"] = {"description": "It is still what `If-None-Match` names."}
    if path.endswith("/assets/{asset}"):
        answers["200"]["content"] = _PICTURES
        answers["206"] = {"description": "The part that `Range` asks for.", "content": _PICTURES}
    if path == "/v1/player/manifest":
        answers["200"]["content"] = {"application/json": {"schema": {"type": "object"}}}
    if (method, path) == ("post", "/v1/assets"):
        answers["200"] = {**answers["201"], "description": "The same bytes were there already."}


def _problem(status: int, words: str) -> Document:
    problem: Document = {
        "description": words,
        "content": {PROBLEM_MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    if status == 401:
        _add_header(problem, "WWW-Authenticate", "WwwAuthenticate")
    if status == 429:
        _add_header(problem, "Retry-After", "RetryAfter")
    return problem


def _add_header(answer: Document, header: str, component: str) -> None:
    answer.setdefault("headers", {}).setdefault(header, {"$ref": f"#/components/headers/{component}"})


def _is_players(path: str) -> bool:
    return path.startswith("/v1/player/")


def _is_single(method: str, path: str) -> bool:
    """Whether the call gets one resource."""
    return method == "get" and path.endswith("}")


def _is_conditional(method: str, path: str) -> bool:
    """Whether the call changes or removes one resource."""
    return method in ("patch", "delete") and path.endswith("}")
