"""Headers `If-Match`, `If-None-Match` (RFC 9110, section 13.1) and `Prefer: handling` (RFC 7240, section 4.4)."""

import re
from typing import Annotated

from fastapi import Depends, Header
from starlette.requests import Request
from starlette.responses import Response

from service.api.content.asset_reply import matches
from service.services.shared.etags import ALWAYS, Condition

_TAG = re.compile(r'(W/)?"([!#-~\x80-\xff]*)"')

_HANDLING = re.compile(r'(?:^|,)\s*handling\s*=\s*"?([A-Za-z]+)"?\s*(?=$|[,;])', re.IGNORECASE)


def condition_of(request: Request) -> Condition:
    """Parses the `If-Match` condition of the request. Weak and unquoted tags match nothing."""
    headers = request.headers.getlist("if-match")
    # `*` only demands that the resource exists.
    if not headers or any(header.strip() == "*" for header in headers):
        return ALWAYS
    tags = _TAG.findall(",".join(headers))
    return Condition(tuple(tag for weak, tag in tags if not weak))


async def _condition(
    request: Request,
    _if_match: Annotated[
        str | None, Header(alias="If-Match", description="`ETag` that the resource must have.")
    ] = None,
) -> Condition:
    return condition_of(request)


Expected = Annotated[Condition, Depends(_condition)]


async def _lenient(
    request: Request,
    _prefer: Annotated[
        str | None, Header(alias="Prefer", description="`handling=lenient`: apply the good entries.")
    ] = None,
) -> bool:
    asked = _HANDLING.findall(",".join(request.headers.getlist("prefer")))
    # The first of several counts (RFC 7240, section 2).
    return bool(asked) and asked[0].lower() == "lenient"


Lenient = Annotated[bool, Depends(_lenient)]


def apply_conditions(request: Request, response: Response) -> Response:
    """Returns the response to a read, or 304 if `If-None-Match` names it. Raises the 412 problem."""
    quoted = response.headers.get("etag")
    if request.method != "GET" or response.status_code != 200 or quoted is None:
        return response
    if not any(name in (b"if-match", b"if-none-match") for name, _ in request.scope["headers"]):
        return response
    tag = quoted.strip('"')
    condition_of(request).check_tag(tag)
    if not matches(",".join(request.headers.getlist("if-none-match")) or None, tag):
        return response
    headers = {name: value for name, value in response.headers.items() if name in ("etag", "cache-control", "vary")}
    return Response(status_code=304, headers=headers)
