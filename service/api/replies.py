"""Writing answers: exact JSON, and nothing that guesses."""

from starlette.responses import Response

from service.jsontext import write_json


class JsonReply(Response):
    """A document as JSON; decimals stay exact."""

    media_type = "application/json"

    def render(self, content: object) -> bytes:
        return write_json(content)


def created(content: object, *, at: str) -> JsonReply:
    """201 with the new resource and where it is."""
    return JsonReply(content, status_code=201, headers={"Location": at})


def nothing() -> Response:
    """204."""
    return Response(status_code=204)
