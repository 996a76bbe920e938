"""`/v1/subscription` and `/v1/billing/callback`."""

import functools
from typing import Any

from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from service.api.http.authentication import MayChangeSubscription, MayRead
from service.api.http.bodies import body_schema, read_document
from service.api.http.replies import JsonReply, resource
from service.api.http.routes import api_routes
from service.schema.workspace.subscription import BillingNotice, SubscriptionPatch, SubscriptionResponse
from service.services.registry import Services
from service.services.webhooks.signatures import SIGNATURE_HEADER

routes = api_routes("/v1/subscription", tag="Subscription")
"""The subscription of the workspace."""


@routes.get(response_model=SubscriptionResponse)
def get_subscription(services: Services, access: MayRead) -> Response:
    """Get the plan and the status of the workspace."""
    return resource(services.subscriptions.get(access.workspace))


@routes.patch(response_model=SubscriptionResponse)
def change_subscription(services: Services, body: SubscriptionPatch, access: MayChangeSubscription) -> Response:
    """Change the plan or the status."""
    return resource(services.subscriptions.change(access.workspace, body))


_SIGNATURE = {"name": SIGNATURE_HEADER, "in": "header", "required": True, "schema": {"type": "string"}}
_SIGNED: dict[str, Any] = {**body_schema(BillingNotice), "parameters": [_SIGNATURE]}

billing = api_routes("/v1/billing", tag="Subscription", route=APIRoute)
"""The callback of a billing provider, signed as the service signs its own deliveries."""


@billing.post("/callback", response_model=SubscriptionResponse, openapi_extra=_SIGNED)
async def take_billing_notice(services: Services, request: Request) -> Response:
    """Report a changed subscription. Needs `X-Service-Signature`; 404 while the operator has set no secret."""
    signature = request.headers.get(SIGNATURE_HEADER, "")
    check = functools.partial(services.subscriptions.check_notice, signature)
    notice = await read_document(request, BillingNotice, check=check)
    return JsonReply(await run_in_threadpool(services.subscriptions.apply_notice, notice))
