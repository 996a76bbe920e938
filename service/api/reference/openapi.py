"""Builds the API document (OpenAPI 3.1) from the routes and from rules that hold for all of them.

The framework contributes paths, parameters and models. Problems, conditions and headers follow from the kind of a
call, and are added here by rule, so that no route can forget them.
"""

import copy
from collections.abc import Iterator, Mapping
from typing import get_args

from fastapi import FastAPI
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from service.api.content.asset_uploads import UPLOADS
from service.api.http.authentication import SECURITY_SCHEMES
from service.api.http.idempotency import IDEMPOTENCY_KEY, MAX_NAME_CHARACTERS
from service.api.http.ignored import IGNORED_FIELDS
from service.api.http.rate_limits import RATE_HEADERS
from service.api.http.request_log import REQUEST_ID
from service.api.reference.openapi_answers import (
    EVERYWHERE,
    OFFSET,
    Document,
    add_headers,
    problem_at,
    shared_headers,
    shared_problems,
)
from service.api.reference.openapi_forms import levelled
from service.api.reference.openapi_links import add_links
from service.schema.devices.device import Heartbeat
from service.schema.devices.pairing import DeviceForm, OAuthErrorResponse, TokenForm
from service.schema.devices.receipt import ReceiptReport
from service.schema.event import EVENTS, Event
from service.schema.workspace.subscription import BillingNotice
from service.schema.workspace.team import InviteAcceptance, InviteLookup
from service.services.assets.checks import MEDIA_TYPES
from service.services.webhooks.signatures import EVENT_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER

_NOT_IN_ROUTES: tuple[type[BaseModel], ...] = (
    BillingNotice,
    DeviceForm,
    Heartbeat,
    InviteAcceptance,
    ReceiptReport,
    InviteLookup,
    OAuthErrorResponse,
    TokenForm,
    *EVENTS,
)
"""Models that no route declares."""

_OAUTH_PATHS = ("/v1/player/device_authorization", "/v1/player/token")
_OAUTH_STATUSES = (400, 413, 415, 429, 503)
_ACCEPT_PATH = "/v1/team/invites/accept"
_NO_RESOURCES = (
    "/v1/assets",
    UPLOADS,
    UPLOADS + "/{upload}",
    "/v1/content/items/import",
    "/v1/content/items/import/preview",
    "/v1/pos/connections/{connection}/items",
    "/v1/pos/connections/{connection}/preview",
)
"""Paths whose answers are no resources with an entity tag."""
_VERSION_PATH = "/v1/playlists/{playlist}/versions/{version}"
_IMAGE_PATHS = (
    "/v1/scenes/{scene}/preview.png",
    "/v1/scenes/templates/{template}/preview.png",
    "/v1/approvals/{approval}/scenes/{scene}/image",
    _VERSION_PATH + "/scenes/{scene}/image",
    "/v1/screens/{screen}/picture",
)
_MORE_PROBLEMS: Mapping[tuple[str, str], tuple[int, ...]] = {
    ("post", "/v1/screens/pair"): (404,),
    ("get", "/v1/screens"): (404,),
    ("patch", "/v1/screens"): (404,),
    ("post", "/v1/team/invites/preview"): (404, 410),
    ("post", _ACCEPT_PATH): (404, 409, 410),
    ("post", "/v1/billing/callback"): (401, 404),
    ("post", "/v1/pos/connections/{connection}/preview"): (409,),
    ("put", "/v1/pos/connections/{connection}/items"): (409,),
    ("post", "/v1/assets"): (400, 413, 415, 507),
    ("get", "/v1/assets/{asset}"): (416,),
    ("get", "/v1/player/assets/{asset}"): (416,),
    ("get", _VERSION_PATH): (410, 422),
    ("post", _VERSION_PATH + "/restore"): (410,),
    **{("get", path): (410, 501) if path.startswith(_VERSION_PATH) else (501,) for path in _IMAGE_PATHS},
}
"""Statuses of single calls, beyond those of their kind."""

_BINARY = {"schema": {"type": "string", "format": "binary"}}
_ASSETS = dict.fromkeys(MEDIA_TYPES, _BINARY)
_ASSET_HEADERS = ("ETag", "Cache-Control", "Accept-Ranges", "Content-Security-Policy")
_TEXT = {"type": "string"}
_PARAMETERS: Mapping[str, Document] = {
    "IdempotencyKey": {
        "name": IDEMPOTENCY_KEY,
        "in": "header",
        "description": "For 24 hours the same key with the same request gets the same answer.",
        "schema": {"type": "string", "minLength": 1, "maxLength": MAX_NAME_CHARACTERS, "pattern": "^[!-~]+$"},
    },
    "IfMatch": {
        "name": "If-Match",
        "in": "header",
        "description": "Apply the change only if the resource still has this ETag; otherwise 412.",
        "schema": _TEXT,
    },
    "IfNoneMatch": {
        "name": "If-None-Match",
        "in": "header",
        "description": "Answer 304 if the resource still has this ETag.",
        "schema": _TEXT,
    },
    "RequestId": {
        "name": REQUEST_ID,
        "in": "header",
        "description": "An id for the call, used in the service's log and in the answer.",
        "schema": _TEXT,
    },
}
_KEYS = ("tags", "summary", "description", "operationId", "security", "parameters", "requestBody", "responses")
TAGS: Mapping[str, str] = {
    "Screens": "Paired display devices: their places and playlists, pictures, logs and commands.",
    "Rollouts": "Versions of the player, and the screens that get them.",
    "Content items": "The dishes and drinks of the menu, sold out or to be had, and imports of whole menus.",
    "Items at a place": "Prices and 86s of a location or a group.",
    "Planned changes": "Prices and 86s that take effect at a local time.",
    "Playlists": "Ordered scenes, published as versions.",
    "Approvals": "Requests to publish, and their decisions.",
    "Overrides": "Scenes or playlists in place of others, until a time.",
    "Scenes": "Boards of widgets, and templates of them.",
    "Schedules": "Times at which a scene shows.",
    "Assets": "Images and films.",
    "Locations": "Places with their time zone, currency, language and opening hours.",
    "Groups": "Locations that have values in common.",
    "Points of sale": "Feeds of tills, and items that they push.",
    "Webhooks": "Subscriptions to events, and their deliveries.",
    "Alerts": "People who are told of troubles by e-mail.",
    "Team": "Members, invitations, sign-in and the audit.",
    "Keys": "Keys of programs.",
    "Subscription": "The plan of the workspace.",
    "Players": "Calls of the devices themselves.",
    "Events": "Deliveries of webhooks.",
}
"""Parts of the API, in the order of the document."""
_DELIVERY_HEADERS = {
    EVENT_HEADER: "The event type.",
    TIMESTAMP_HEADER: "When the delivery was made (ISO 8601).",
    SIGNATURE_HEADER: '`t=<seconds>,v1=<hex HMAC-SHA256 of "<seconds>.<raw body>" with the secret>`, perhaps two `v1`.',
}


def api_document(app: FastAPI) -> Document:
    """Builds the whole document from the routes of the application, on every call."""
    document: Document = copy.deepcopy(app.openapi())
    components = document["components"]
    components["responses"] = shared_problems()
    components["headers"] = shared_headers()
    components["parameters"] = dict(_PARAMETERS)
    components["securitySchemes"] = SECURITY_SCHEMES
    _, more = models_json_schema(
        [(model, "validation") for model in _NOT_IN_ROUTES], ref_template="#/components/schemas/{model}"
    )
    components["schemas"] = {**more["$defs"], **components["schemas"]}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            _complete(operation, method, path)
            # Whatever order a version of the framework gives them.
            methods[method] = {key: operation[key] for key in _KEYS if key in operation}
    add_links(document)
    document["servers"] = [{"url": "/", "description": "This service."}]
    document["tags"] = [{"name": name, "description": words} for name, words in TAGS.items()]
    document["webhooks"] = {_type_of(event): {"post": _delivery(event)} for event in EVENTS}
    return levelled(document)


def _complete(operation: Document, method: str, path: str) -> None:
    operation["operationId"] = operation["operationId"].partition("_v1_")[0]
    operation.setdefault("security", [])
    answers: Document = operation["responses"]
    answers.pop("default", None)
    for answer in answers.values():
        add_headers(answer, *EVERYWHERE)
    parameters: list[Document] = operation.setdefault("parameters", [])
    for parameter in parameters:
        _forbid_null(parameter)
    parameters.append({"$ref": "#/components/parameters/RequestId"})
    if path in _OAUTH_PATHS:
        _complete_pairing(answers)
        return
    _complete_answers(operation, method, path)
    _complete_parameters(operation, method, path)
    for status in {*_problems(operation, method, path), *_MORE_PROBLEMS.get((method, path), ())}:
        answers.setdefault(str(status), problem_at(status))
    if _is_keyed(operation):
        for answer in (answer for answer in answers.values() if "$ref" not in answer):
            add_headers(answer, maybe=RATE_HEADERS)
    if method in ("post", "put", "patch"):
        for answer in (answer for answer in answers.values() if "$ref" not in answer):
            add_headers(answer, maybe=(IGNORED_FIELDS,))
    operation["responses"] = dict(sorted(answers.items()))


def _complete_pairing(answers: Document) -> None:
    add_headers(answers["200"], "Cache-Control", "Pragma")
    refusal = {"schema": {"$ref": f"#/components/schemas/{OAuthErrorResponse.__name__}"}}
    for status in _OAUTH_STATUSES:
        answers[str(status)] = {"description": "An OAuth error (RFC 6749).", "content": {"application/json": refusal}}
        add_headers(answers[str(status)], *EVERYWHERE, maybe=("Cache-Control", "Pragma", "Retry-After"))
    add_headers(answers["429"], "Retry-After")
    # Without the database every call answers with the same problem.
    answers["503"]["content"] |= {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    for status in (431, 500):
        answers[str(status)] = problem_at(status)


def _complete_answers(operation: Document, method: str, path: str) -> None:
    answers: Document = operation["responses"]
    if method == "get" and path.endswith("/assets/{asset}"):
        answers["200"] |= {"description": "The whole asset.", "content": _ASSETS}
        answers["206"] = {"description": "The part that `Range` asks for.", "content": _ASSETS}
        add_headers(answers["206"], *EVERYWHERE, "Content-Range", *_ASSET_HEADERS)
        add_headers(answers["200"], *_ASSET_HEADERS)
    if path == "/v1/assets/{asset}/thumbnail":
        answers["200"] |= {"description": "The picture.", "content": {"image/jpeg": _BINARY, "image/png": _BINARY}}
        add_headers(answers["200"], "ETag", "Cache-Control")
    if path in _IMAGE_PATHS:
        answers["200"] |= {"description": "The image.", "content": {"image/png": _BINARY}}
        add_headers(answers["200"], "ETag", "Cache-Control")
    if path == "/v1/player/manifest":
        add_headers(answers["200"], "ETag", "Cache-Control", "Vary", maybe=("Preference-Applied",))
    if (method, path) == ("post", "/v1/assets"):
        add_headers(answers["201"], "Location")
        answers["200"] = {**answers["201"], "description": "The same bytes were uploaded before."}
    elif "201" in answers:
        add_headers(answers["201"], "Location", maybe=("Cache-Control",))
    if path.startswith(UPLOADS):
        for status in {"200", "201"} & set(answers):
            add_headers(answers[status], OFFSET)
    if path == "/v1/team/invites/preview":
        add_headers(answers["200"], "Cache-Control")
    if path.endswith(("/publish", "/restore", "/sync", "/commands")) and "202" in answers:
        add_headers(answers["202"], "Location")
    if path == "/v1/content/items/bulk":
        add_headers(answers["200"], maybe=("Preference-Applied",))
    if _is_resource(operation, path):
        for status in {"200", "201"} & set(answers):
            add_headers(answers[status], "ETag", maybe=("Cache-Control",))
    if method == "get" and "ETag" in answers["200"]["headers"]:
        answers["304"] = {"description": "The resource still has the ETag in `If-None-Match`."}
        add_headers(answers["304"], *EVERYWHERE, "ETag", maybe=tuple(answers["200"]["headers"]))


def _complete_parameters(operation: Document, method: str, path: str) -> None:
    wanted: list[str] = []
    # A preview has no effect that a second call could repeat.
    changes = method in ("post", "patch") and not path.endswith("/preview")
    if changes and (_is_keyed(operation) or path == _ACCEPT_PATH):
        wanted.append("IdempotencyKey")
    if "304" in operation["responses"]:
        wanted += ["IfMatch", "IfNoneMatch"] if _is_keyed(operation) else ["IfNoneMatch"]
    operation["parameters"] += [{"$ref": f"#/components/parameters/{name}"} for name in wanted]


def _problems(operation: Document, method: str, path: str) -> Iterator[int]:
    places = {parameter.get("in") for parameter in operation["parameters"]}
    names = {parameter.get("name") or parameter["$ref"].rpartition("/")[2] for parameter in operation["parameters"]}
    yield from (429, 431, 500, 503, 507)
    if operation["security"]:
        yield 401
    if _is_keyed(operation):
        yield 403
    if "path" in places:
        yield 404
    if "query" in places:
        yield from (400, 422)
    if "requestBody" in operation:
        yield from (400, 413, 415, 422)
    if "IdempotencyKey" in names:
        yield from (400, 409, 413, 422)
    if {"If-Match", "IfMatch"} & names:
        yield 412
    if method == "delete":
        yield 409


def _is_keyed(operation: Document) -> bool:
    return {"apiKey": []} in operation["security"]


def _is_resource(operation: Document, path: str) -> bool:
    """Returns whether a success is a single resource, which has an entity tag."""
    if not _is_keyed(operation) or path in _NO_RESOURCES:
        return False
    schemas = [operation["responses"].get(status, {}).get("content", {}) for status in ("200", "201")]
    names = [content.get("application/json", {}).get("schema", {}).get("$ref", "") for content in schemas]
    return any(name and not name.rpartition("/")[2].startswith("Listing_") for name in names)


def _forbid_null(parameter: Document) -> None:
    """Drops null from an optional parameter: nothing in a URL or a header can be null."""
    schema = parameter["schema"]
    kinds = [kind for kind in schema.get("anyOf", ()) if kind != {"type": "null"}]
    if len(kinds) == 1:
        del schema["anyOf"]
        parameter["schema"] = {**kinds[0], **schema}


def _type_of(event: type[Event]) -> str:
    return str(get_args(event.model_fields["type"].annotation)[0])


def _delivery(event: type[Event]) -> Document:
    return {
        "tags": ["Events"],
        "operationId": "on_" + _type_of(event).replace(".", "_"),
        "summary": _type_of(event),
        "description": event.__doc__ or "",
        "security": [],
        "parameters": [
            {"name": name, "in": "header", "required": True, "description": words, "schema": _TEXT}
            for name, words in _DELIVERY_HEADERS.items()
        ],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{event.__name__}"}}},
        },
        "responses": {"2XX": {"description": "Accepted. Any other status is retried."}},
    }
