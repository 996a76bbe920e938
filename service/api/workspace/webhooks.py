"""`/v1/public/webhooks`."""

import dataclasses
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from fastapi.routing import APIRoute
from starlette.responses import Response

from service.api.http.authentication import MayManageWebhooks
from service.api.http.paging import Paged
from service.api.http.preconditions import Expected
from service.api.http.replies import JsonReply, created, no_content, resource
from service.api.http.routing import public_router
from service.schema.lists import Listing
from service.schema.workspace.webhook import (
    DeliveryResponse,
    DeliveryStatus,
    WebhookCreate,
    WebhookPatch,
    WebhookResponse,
    WebhookSecretResponse,
)
from service.services.webhooks.webhooks import WebhookService

_NO_STORE = {"Cache-Control": "no-store"}


# Over sixty lines: one router's calls, each of them short.
def webhook_routes(*, webhooks: WebhookService, route: type[APIRoute]) -> APIRouter:
    """Webhooks and their deliveries."""
    router = public_router("/v1/public/webhooks", tag="Webhooks", route=route)

    @router.get("", response_model=Listing[WebhookResponse])
    def list_webhooks(access: MayManageWebhooks, page: Paged) -> Response:
        """List webhooks, oldest first."""
        return JsonReply(webhooks.list(access.workspace, page))

    @router.post("", status_code=201, response_model=WebhookSecretResponse)
    def create_webhook(body: WebhookCreate, access: MayManageWebhooks) -> Response:
        """Create a webhook. The secret is shown only in this answer."""
        document = webhooks.create(access.workspace, body)
        answer = created(document, at=f"/v1/public/webhooks/{document.id}")
        answer.headers.update(_NO_STORE)
        return answer

    @router.get("/{webhook}", response_model=WebhookResponse)
    def get_webhook(webhook: str, access: MayManageWebhooks) -> Response:
        """Get one webhook."""
        return resource(webhooks.get(access.workspace, webhook))

    @router.patch("/{webhook}", response_model=WebhookResponse)
    def change_webhook(webhook: str, body: WebhookPatch, access: MayManageWebhooks, expected: Expected) -> Response:
        """Change some fields."""
        return resource(webhooks.change(access.workspace, webhook, body, expected))

    @router.delete("/{webhook}", status_code=204, response_model=None)
    def delete_webhook(webhook: str, access: MayManageWebhooks, expected: Expected) -> Response:
        """Delete a webhook and its deliveries."""
        webhooks.remove(access.workspace, webhook, expected)
        return no_content()

    @router.post("/{webhook}/enable", response_model=WebhookResponse)
    def enable_webhook(webhook: str, access: MayManageWebhooks) -> Response:
        """Enable a disabled webhook; waiting deliveries go first."""
        return resource(webhooks.enable(access.workspace, webhook))

    @router.post("/{webhook}/rotate-secret", response_model=WebhookSecretResponse)
    def rotate_webhook_secret(webhook: str, access: MayManageWebhooks) -> Response:
        """Replace the secret; the new one is shown only in this answer. For 24 hours the old one signs as well."""
        answer = resource(webhooks.rotate(access.workspace, webhook))
        answer.headers.update(_NO_STORE)
        return answer

    @router.post("/{webhook}/test", status_code=202, response_model=DeliveryResponse)
    def test_webhook(webhook: str, access: MayManageWebhooks) -> Response:
        """Send a signed `ping`, without retries."""
        return JsonReply(webhooks.test(access.workspace, webhook), status_code=202)

    @router.get("/{webhook}/deliveries", response_model=Listing[DeliveryResponse])
    def list_deliveries(
        webhook: str,
        access: MayManageWebhooks,
        page: Paged,
        status: Annotated[DeliveryStatus | None, Query(description="Only deliveries with this status.")] = None,
        order: Annotated[Literal["oldest", "newest"], Query(description="Which come first.")] = "oldest",
    ) -> Response:
        """List deliveries of the last 14 days with their attempts, oldest first unless `order` says otherwise."""
        request = dataclasses.replace(page, newest_first=order == "newest")
        return JsonReply(webhooks.deliveries(access.workspace, webhook, request, status=status))

    @router.post("/{webhook}/deliveries/{delivery}/replay", status_code=202, response_model=DeliveryResponse)
    def replay_delivery(webhook: str, delivery: str, access: MayManageWebhooks) -> Response:
        """Deliver an event again, with the same id and body."""
        return JsonReply(webhooks.replay(access.workspace, webhook, delivery), status_code=202)

    return router
