"""Builds the HTTP responses of handlers."""

from collections.abc import Sequence

from starlette.responses import Response

from service.core.json_text import write_json
from service.schema.base import ResponseModel
from service.services.shared.etags import tag_of

NO_STORE = {"Cache-Control": "no-store"}
"""For answers with a secret."""


class JsonReply(Response):
    """A JSON response; decimals stay exact."""

    media_type = "application/json"

    def render(self, content: object) -> bytes:
        return write_json(content)


class PreparedReply(Response):
    """A response with headers that were encoded in advance, as the same ones go to many callers."""

    def __init__(self, status: int, headers: Sequence[tuple[bytes, bytes]], body: bytes = b"") -> None:
        # Not the one of the base class, which encodes headers.
        self.status_code, self.body, self.background = status, body, None
        self.raw_headers = list(headers)


def resource(tagged: ResponseModel, *, told: object = None) -> JsonReply:
    """Responds 200 with the resource and its entity tag; `told` is the document if it has more than the resource."""
    headers = {"ETag": _quoted(tagged), "Cache-Control": "private, no-cache"}
    return JsonReply(tagged if told is None else told, headers=headers)


def created(document: ResponseModel, *, at: str, secret: bool = False) -> JsonReply:
    """201 with the new resource, its entity tag and its location, which is its id below `at`."""
    headers = {"Location": f"{at}/{document.document()['id']}", "ETag": _quoted(document)}
    return JsonReply(document, status_code=201, headers=headers | (NO_STORE if secret else {}))


def no_content() -> Response:
    """Responds 204."""
    return Response(status_code=204)


def _quoted(document: ResponseModel) -> str:
    return f'"{tag_of(document)}"'
