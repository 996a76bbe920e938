"""What the API document says of answers: the problems that are shared, and the headers of every kind of answer."""

from collections.abc import Mapping
from typing import Any

from service.api.limits import POLICY_HEADER, RATE_HEADERS, STANDING_HEADER
from service.api.observing import HEADER as REQUEST_ID
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
    413: "The body is too large, or the answer that was to be kept.",
    415: "The content type is not accepted here, or the bytes are not what it says.",
    416: "The range lies behind the end.",
    422: "Understood, and not allowed: `errors` names every fault.",
    429: "Too many requests: wait for `Retry-After` seconds.",
    500: "A fault of the service. It is safe to try again.",
    501: "This installation cannot do it.",
    503: "It cannot be done at the moment: the service works on something else, or has lost its database.",
    507: "The disk of the service is full.",
}

_TEXT = {"type": "string"}
_ETAG = {"type": "string", "pattern": '^"[!#-~]+"$'}
_HEADERS: Mapping[str, tuple[str, Document]] = {
    REQUEST_ID: ("Names this answer in the service's log: the caller's own, or a new one.", _TEXT),
    "Location": ("Where the resource is, or the one to watch.", {"type": "string", "format": "uri-reference"}),
    "ETag": ("Names this state of the resource (RFC 9110, section 8.8.3).", _ETAG),
    "Cache-Control": ("Who may keep the answer (RFC 9111).", _TEXT),
    "Vary": ("The headers of the request that the answer depends on.", _TEXT),
    "Pragma": ("What `Cache-Control` says, for old caches (RFC 6749, section 5.1).", _TEXT),
    "Preference-Applied": ("Which part of `Prefer` was followed (RFC 7240).", _TEXT),
    "Accept-Ranges": ("That single byte ranges are served.", {"const": "bytes"}),
    "Content-Range": ("Which bytes these are, of how many.", {"type": "string", "pattern": "^bytes "}),
    "X-Content-Type-Options": ("That the content type is right.", {"const": "nosniff"}),
    "Content-Security-Policy": ("That nothing in it may run.", _TEXT),
    "Retry-After": ("Seconds to wait before another try.", {"type": "integer", "minimum": 1}),
    "WWW-Authenticate": ("The challenge (RFC 6750).", _TEXT),
    POLICY_HEADER: (
        "How often the key may call (draft-ietf-httpapi-ratelimit-headers); left out where there is no limit.",
        _TEXT,
    ),
    STANDING_HEADER: ("How often it still may, and when it has the whole quota again.", _TEXT),
}


def shared_headers() -> Document:
    """The components to which answers refer: each header, always there (`…`) or sometimes (`…IfAny`)."""
    found: Document = {}
    for name, (words, schema) in _HEADERS.items():
        found[_component(name, always=True)] = {"description": words, "required": True, "schema": schema}
        found[_component(name, always=False)] = {"description": words, "schema": schema}
    return found


def shared_problems() -> Document:
    """The components to which operations refer for what may go wrong."""
    return {f"Problem{status}": _problem(status, words) for status, words in PROBLEM_WORDS.items()}


def problem_at(status: int) -> Document:
    """The reference to a shared problem."""
    return {"$ref": f"#/components/responses/Problem{status}"}


def add_headers(answer: Document, *always: str, maybe: tuple[str, ...] = ()) -> None:
    """Say that an answer carries these headers always, and those maybe."""
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
    add_headers(problem, REQUEST_ID)
    match status:
        case 401:
            add_headers(problem, "WWW-Authenticate")
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
