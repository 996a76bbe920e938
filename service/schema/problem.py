"""Problem details (RFC 9457), as the API document describes them."""

from service.schema.base import ResponseModel


class ProblemFault(ResponseModel):
    """One thing to change: `pointer` (RFC 6901) into the body, or `parameter` of the query."""

    pointer: str | None = None
    parameter: str | None = None
    code: str
    detail: str


class Problem(ResponseModel):
    """What was wrong with a request. `code` is stable; titles and details are for people."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    instance: str | None = None
    errors: list[ProblemFault] = []  # noqa: RUF012  (pydantic copies it)
