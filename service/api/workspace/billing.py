"""`/v1/subscription` and `/v1/billing/callback`."""

import functools
from typing import Any

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from service.api.http.authentication import MayChangeSubscription, MayRead
from service.api.http.bodies import body_schema, read_document
from service.api.http.replies import JsonReply, resource
from service.api.http.routing import PROBLEMS, public_router
from service.schema.workspace.subscription import BillingNotice, SubscriptionPatch, SubscriptionResponse
from service.services.access.subscription import SubscriptionService
from service.services.webhooks.signatures import SIGNATURE_HEADER


def subscription_routes(*, subscriptions: SubscriptionService, route: type[APIRoute]) -> APIRouter:
    """The subscription of the workspace."""
    router = public_router("/v1/subscription", tag="Subscription", route=route)

    @router.get("", response_model=SubscriptionResponse)
    def get_subscription(access: MayRead) -> Response:
        """Get the plan and the status of the workspace."""
        return resource(subscriptions.get(access.workspace))

    @router.patch("", response_model=SubscriptionResponse)
    def change_subscription(body: SubscriptionPatch, access: MayChangeSubscription) -> Response:
        """Change the plan or the status."""
        return resource(subscriptions.change(access.workspace, body))

    return router


def billing_routes(*, subscriptions: SubscriptionService) -> APIRouter:
    """The callback of a billing provider, signed as the service signs its own deliveries."""
    router = APIRouter(prefix="/v1/billing", tags=["Subscription"], responses=PROBLEMS)
    signature = {"name": SIGNATURE_HEADER, "in": "header", "required": True, "schema": {"type": "string"}}
    described: dict[str, Any] = {**body_schema(BillingNotice), "parameters": [signature]}

    @router.post("/callback", response_model=SubscriptionResponse, openapi_extra=described)
    async def take_billing_notice(request: Request) -> Response:
        """Report a changed subscription. Needs `X-Service-Signature`; 404 while the operator has set no secret."""
        signature = request.headers.get(SIGNATURE_HEADER, "")
        check = functools.partial(subscriptions.check_notice, signature)
        notice = await read_document(request, BillingNotice, check=check)
        return JsonReply(await run_in_threadpool(subscriptions.apply_notice, notice))

    return router
