"""`/v1/screens/{screen}/receipts` and `/v1/screens/{screen}/picture`: past and future content of the display."""

import re
from typing import Annotated, Any

from fastapi import Query
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from service.api.content.scene_images import WidthQuery, image_reply
from service.api.http.authentication import MayRead
from service.api.http.paging import Paged
from service.api.http.replies import JsonReply
from service.api.http.routes import api_routes
from service.schema.devices.receipt import ReceiptResponse
from service.schema.fields import Instant
from service.schema.lists import Listing
from service.services.publishing.previews import DEFAULT_WIDTH
from service.services.registry import Services

CSV = "text/csv"
_ACCEPTS_CSV = re.compile(r"(?:^|,)\s*text/csv\s*(?:;|,|$)", re.IGNORECASE)
_AS_CSV: dict[str, Any] = {"responses": {"200": {"content": {CSV: {"schema": {"type": "string"}}}}}}

FromQuery = Annotated[Instant | None, Query(alias="from", description="Only what showed after this instant.")]
ToQuery = Annotated[Instant | None, Query(description="Only what showed before this instant.")]


def accepts_csv(request: Request) -> bool:
    return _ACCEPTS_CSV.search(",".join(request.headers.getlist("accept"))) is not None


routes = api_routes("/v1/screens/{screen}", tag="Screens")
"""The glass of a screen as it was."""


@routes.get("/receipts", response_model=Listing[ReceiptResponse], openapi_extra=_AS_CSV)
async def list_receipts(
    services: Services,
    screen: str,
    request: Request,
    access: MayRead,
    page: Paged,
    from_: FromQuery = None,
    to: ToQuery = None,
) -> Response:
    """List what the screen has presented in the last 400 days, and the gaps, in the order in which it was told.

    With `Accept: text/csv` all of it, with a row for each gap.
    """
    if accepts_csv(request):
        table = await services.exports.run(services.receipts.table, access, screen, since=from_, until=to)
        return StreamingResponse(services.exports.portions(table), media_type=CSV)
    return await run_in_threadpool(
        lambda: JsonReply(services.receipts.list(access, screen, page, since=from_, until=to))
    )


@routes.get("/picture", response_class=Response)
async def draw_screen(
    services: Services,
    screen: str,
    request: Request,
    access: MayRead,
    at: Annotated[Instant, Query(description="An instant of the last 400 days, or of the next.")],
    width: WidthQuery = DEFAULT_WIDTH,
) -> Response:
    """Get an image of what the screen showed at an instant, with the values of then; of one to come, what it will
    show by what is published and planned.

    404 `nothing_shown` says why nothing is known to have shown, or why no scene will.
    """
    shown = await services.moments.shown_at(access, screen, at)
    return await image_reply(
        request,
        services.previews,
        access,
        shown.picture,
        width=width,
        location=shown.location,
        language=shown.language,
        at=shown.at,
        then=shown.then,
    )
