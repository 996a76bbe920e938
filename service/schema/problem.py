"""Problem details (RFC 9457)."""

from service.schema.base import ResponseModel


class ProblemFault(ResponseModel):
    """One thing to change: `pointer` (RFC 6901) into the body, or `parameter` of the query."""

    pointer: str | None = None
    parameter: str | None = None
    code: str
    detail: str


class Problem(ResponseModel):
    """A problem with a request. `code` is stable; titles and details are for people."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    instance: str | None = None
    token_digest: str | None = None
    """With `token_revoked`: the lowercase hex SHA-256 of the token that was sent."""
    errors: list[ProblemFault] = []  # noqa: RUF012  (pydantic copies it)
