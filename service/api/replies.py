"""Writing answers: exact JSON, and nothing that guesses."""

from starlette.responses import Response

from service.core.json_text import write_json
from service.schema.base import ResponseModel
from service.services.shared.etags import tag_of


class JsonReply(Response):
    """A document as JSON; decimals stay exact."""

    media_type = "application/json"

    def render(self, content: object) -> bytes:
        return write_json(content)


def resource(view: ResponseModel) -> JsonReply:
    """A resource with its entity tag."""
    return JsonReply(view, headers={"ETag": _quoted(view), "Cache-Control": "private, no-cache"})


def created(view: ResponseModel, *, at: str) -> JsonReply:
    """201 with the new resource, its entity tag and where it is."""
    return JsonReply(view, status_code=201, headers={"Location": at, "ETag": _quoted(view)})


def nothing() -> Response:
    """204."""
    return Response(status_code=204)


def _quoted(view: ResponseModel) -> str:
    return f'"{tag_of(view)}"'
