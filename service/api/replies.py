"""Builds the HTTP responses of handlers."""

from starlette.responses import Response

from service.core.json_text import write_json
from service.schema.base import ResponseModel
from service.services.shared.etags import tag_of


class JsonReply(Response):
    """A JSON response; decimals stay exact."""

    media_type = "application/json"

    def render(self, content: object) -> bytes:
        return write_json(content)


def resource(document: ResponseModel, *, tagged: ResponseModel | None = None) -> JsonReply:
    """200 with the resource and its entity tag; `tagged` is the resource, where the document tells more than it."""
    return JsonReply(document, headers={"ETag": _quoted(tagged or document), "Cache-Control": "private, no-cache"})


def created(document: ResponseModel, *, at: str) -> JsonReply:
    """201 with the new resource, its entity tag and its location."""
    return JsonReply(document, status_code=201, headers={"Location": at, "ETag": _quoted(document)})


def no_content() -> Response:
    """204."""
    return Response(status_code=204)


def _quoted(document: ResponseModel) -> str:
    return f'"{tag_of(document)}"'
