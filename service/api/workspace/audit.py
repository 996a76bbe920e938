"""`/v1/audit`."""

import dataclasses
from datetime import date
from typing import Annotated, Any, Literal

from fastapi import Query
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from service.api.devices.receipts import CSV, accepts_csv
from service.api.http.authentication import MayReadAudit
from service.api.http.paging import Paged
from service.api.http.replies import JsonReply
from service.api.http.routes import api_routes
from service.schema.fields import DateText
from service.schema.lists import Listing
from service.schema.workspace.audit import AuditEntry
from service.services.access.audit import AuditFilter
from service.services.registry import Services

_AS_CSV: dict[str, Any] = {"responses": {"200": {"content": {CSV: {"schema": {"type": "string"}}}}}}

routes = api_routes("/v1/audit", tag="Team")
"""Acts of people and keys."""


@routes.get(response_model=Listing[AuditEntry], openapi_extra=_AS_CSV)
async def list_acts(
    services: Services,
    request: Request,
    access: MayReadAudit,
    page: Paged,
    actor: Annotated[str | None, Query(max_length=40, description="Only the acts of this member or key.")] = None,
    subject: Annotated[str | None, Query(max_length=64, description="Only the acts on this, by its id.")] = None,
    day: Annotated[DateText | None, Query(description="Only the acts of this day (UTC).")] = None,
    order: Annotated[Literal["oldest", "newest"], Query(description="Which come first.")] = "oldest",
) -> Response:
    """List what people and keys have done in the last 400 days, oldest first unless `order` says otherwise.

    With `Accept: text/csv` all of it, oldest first.
    """
    wanted = AuditFilter(actor, subject, None if day is None else date.fromisoformat(day))
    if accepts_csv(request):
        return StreamingResponse(services.exports.portions(services.audit.table(access, wanted)), media_type=CSV)
    asked = dataclasses.replace(page, newest_first=order == "newest")
    return await run_in_threadpool(lambda: JsonReply(services.audit.list(access, asked, wanted)))
