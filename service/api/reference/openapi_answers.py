"""Shared problems and headers of the API document."""

from collections.abc import Mapping
from typing import Any

from service.api.http.ignored import IGNORED_FIELDS
from service.api.http.problems import PROBLEM_MEDIA_TYPE
from service.api.http.rate_limits import RATE_HEADERS, RATE_LIMIT_HEADER, RATE_POLICY_HEADER
from service.api.http.request_log import MARK, MARK_VALUE, NO_SNIFF, REQUEST_ID

Document = dict[str, Any]

PROBLEM_DESCRIPTIONS = {
    400: "The request cannot be read, or its cursor or a header is malformed.",
    401: "The key or token is missing or unknown.",
    403: "The role of the key does not allow this.",
    404: "The workspace has no such resource.",
    409: "The call conflicts with the current state.",
    410: "The resource no longer exists.",
    412: "The resource no longer has the ETag in `If-Match`.",
    413: "The body is too large, or the answer is too large to be stored for a retry.",
    415: "The content type is not accepted here, or the bytes do not match it.",
    416: "The range starts after the end.",
    422: "The request is not valid: `errors` lists every fault.",
    429: "Too many requests: wait for `Retry-After` seconds.",
    431: "The headers are too long.",
    500: "The service failed. It is safe to retry.",
    501: "This installation does not support it.",
    503: "Temporarily unavailable: the service is busy, or its database does not answer.",
    507: "The disk of the service is full.",
}

OFFSET = "Upload-Offset"

EVERYWHERE = (REQUEST_ID, MARK, NO_SNIFF)
"""The headers of every answer."""

_TEXT = {"type": "string"}
_ETAG = {"type": "string", "pattern": '^"[!#-~]+"$'}
_HEADERS: Mapping[str, tuple[str, Document]] = {
    REQUEST_ID: ("The id of this call in the service's log: the caller's own, or a new one.", _TEXT),
    MARK: ("The mark of the service: an answer without it was given by something on the way.", {"const": MARK_VALUE}),
    "Location": ("The path of the resource, or of the one to poll.", {"type": "string", "format": "uri-reference"}),
    "ETag": ("The entity tag of the resource (RFC 9110, section 8.8.3).", _ETAG),
    "Cache-Control": ("How the answer may be cached (RFC 9111).", _TEXT),
    "Vary": ("The request headers that the answer depends on.", _TEXT),
    "Pragma": ("The same as `Cache-Control`, for old caches (RFC 6749, section 5.1).", _TEXT),
    "Preference-Applied": ("The preference that was applied (RFC 7240).", _TEXT),
    "Accept-Encoding": ("The content codings of bodies that are accepted: none.", {"const": "identity"}),
    OFFSET: ("How many bytes of the upload have come.", {"type": "integer", "minimum": 0}),
    "Accept-Ranges": ("Single byte ranges are supported.", {"const": "bytes"}),
    "Content-Range": ("The range of the bytes, and their total number.", {"type": "string", "pattern": "^bytes "}),
    NO_SNIFF: ("The content type is not to be guessed.", {"const": "nosniff"}),
    "Content-Security-Policy": ("Nothing in the content may run.", _TEXT),
    IGNORED_FIELDS: (
        "Unknown fields of the body, which were ignored: percent-encoded pointers (RFC 6901), as strings (RFC 9651).",
        _TEXT,
    ),
    "Retry-After": ("Seconds to wait before a retry.", {"type": "integer", "minimum": 1}),
    "WWW-Authenticate": ("The challenge (RFC 6750).", _TEXT),
    RATE_POLICY_HEADER: (
        "The quota of the key (draft-ietf-httpapi-ratelimit-headers); left out where there is no limit.",
        _TEXT,
    ),
    RATE_LIMIT_HEADER: ("The calls that remain, and the seconds until the quota is full again.", _TEXT),
}


def shared_headers() -> Document:
    """Returns the header components: each one required (`…`) and optional (`…IfAny`)."""
    found: Document = {}
    for name, (words, schema) in _HEADERS.items():
        found[_component(name, always=True)] = {"description": words, "required": True, "schema": schema}
        found[_component(name, always=False)] = {"description": words, "schema": schema}
    return found


def shared_problems() -> Document:
    """Returns the response components of the problems."""
    return {f"Problem{status}": _problem(status, words) for status, words in PROBLEM_DESCRIPTIONS.items()}


def problem_at(status: int) -> Document:
    """Returns a reference to a shared problem."""
    return {"$ref": f"#/components/responses/Problem{status}"}


def add_headers(answer: Document, *always: str, maybe: tuple[str, ...] = ()) -> None:
    """Declares the headers of a response: required ones, and optional ones."""
    headers = answer.setdefault("headers", {})
    for name in always:
        headers[name] = {"$ref": f"#/components/headers/{_component(name, always=True)}"}
    for name in maybe:
        headers.setdefault(name, {"$ref": f"#/components/headers/{_component(name, always=False)}"})


def _problem(status: int, words: str) -> Document:
    problem: Document = {
        "description": words,
        "content": {PROBLEM_MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    add_headers(problem, *EVERYWHERE, maybe=(IGNORED_FIELDS,))
    match status:
        case 401:
            add_headers(problem, "WWW-Authenticate")
        case 409:
            add_headers(problem, maybe=(OFFSET, *RATE_HEADERS))
        case 415:
            add_headers(problem, maybe=("Accept-Encoding", *RATE_HEADERS))
        case 416:
            add_headers(problem, "Content-Range", maybe=RATE_HEADERS)
        case 429:
            add_headers(problem, "Retry-After", maybe=RATE_HEADERS)
        case 503:
            add_headers(problem, maybe=("Retry-After", *RATE_HEADERS))
        case _:
            add_headers(problem, maybe=RATE_HEADERS)
    return problem


def _component(name: str, *, always: bool) -> str:
    return name.replace("-", "") + ("" if always else "IfAny")
