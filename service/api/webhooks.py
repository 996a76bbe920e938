"""`/v1/public/webhooks`."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from fastapi.routing import APIRoute
from starlette.responses import Response

from service.api.guard import Paged, WebhookKeeper
from service.api.preconditions import Expected
from service.api.replies import JsonReply, created, nothing, resource
from service.api.routing import public_router
from service.core.errors import narrowed
from service.core.permissions import Permission
from service.schema.lists import Listing
from service.schema.webhook import (
    DeliveryResponse,
    DeliveryStatus,
    WebhookCreate,
    WebhookPatch,
    WebhookResponse,
    WebhookSecretResponse,
)
from service.services.access.access import Access
from service.services.webhooks.webhooks import WebhookService


async def _whole(access: WebhookKeeper) -> Access:
    # Events are of all locations.
    if access.locations is not None:
        raise narrowed(Permission.WEBHOOKS)
    return access


Keeper = Annotated[Access, Depends(_whole)]
_SECRET = {"Cache-Control": "no-store"}


def webhook_routes(*, webhooks: WebhookService, route: type[APIRoute]) -> APIRouter:
    """Where events are delivered."""
    router = public_router("/v1/public/webhooks", tag="Webhooks", route=route)

    @router.get("", response_model=Listing[WebhookResponse])
    def list_webhooks(access: Keeper, page: Paged) -> Response:
        """List webhooks, oldest first."""
        return JsonReply(webhooks.list(access.workspace, page))

    @router.post("", status_code=201, response_model=WebhookSecretResponse)
    def create_webhook(body: WebhookCreate, access: Keeper) -> Response:
        """Register a webhook. The secret is shown this once."""
        view = webhooks.create(access.workspace, body)
        answer = created(view, at=f"/v1/public/webhooks/{view.id}")
        answer.headers.update(_SECRET)
        return answer

    @router.get("/{webhook}", response_model=WebhookResponse)
    def get_webhook(webhook: str, access: Keeper) -> Response:
        """Get one webhook."""
        return resource(webhooks.get(access.workspace, webhook))

    @router.patch("/{webhook}", response_model=WebhookResponse)
    def change_webhook(webhook: str, body: WebhookPatch, access: Keeper, expected: Expected) -> Response:
        """Change some fields."""
        return resource(webhooks.change(access.workspace, webhook, body, expected))

    @router.delete("/{webhook}", status_code=204, response_model=None)
    def delete_webhook(webhook: str, access: Keeper, expected: Expected) -> Response:
        """Remove a webhook and its deliveries."""
        webhooks.remove(access.workspace, webhook, expected)
        return nothing()

    @router.post("/{webhook}/enable", response_model=WebhookResponse)
    def enable_webhook(webhook: str, access: Keeper) -> Response:
        """Deliver again to a webhook that was disabled; what has waited comes first."""
        return resource(webhooks.enable(access.workspace, webhook))

    @router.post("/{webhook}/rotate-secret", response_model=WebhookSecretResponse)
    def rotate_webhook_secret(webhook: str, access: Keeper) -> Response:
        """Make a new secret, shown this once. For 24 hours deliveries carry a signature by the old one as well."""
        answer = resource(webhooks.rotate(access.workspace, webhook))
        answer.headers.update(_SECRET)
        return answer

    @router.post("/{webhook}/test", status_code=202, response_model=DeliveryResponse)
    def test_webhook(webhook: str, access: Keeper) -> Response:
        """Send a signed `ping`, once."""
        return JsonReply(webhooks.test(access.workspace, webhook), status_code=202)

    @router.get("/{webhook}/deliveries", response_model=Listing[DeliveryResponse])
    def list_deliveries(
        webhook: str,
        access: Keeper,
        page: Paged,
        status: Annotated[DeliveryStatus | None, Query(description="Only those that stand so.")] = None,
    ) -> Response:
        """List deliveries of the last 14 days with their attempts, oldest first."""
        return JsonReply(webhooks.deliveries(access.workspace, webhook, page, status=status))

    @router.post("/{webhook}/deliveries/{delivery}/replay", status_code=202, response_model=DeliveryResponse)
    def replay_delivery(webhook: str, delivery: str, access: Keeper) -> Response:
        """Deliver an event once more, with the same id and body."""
        return JsonReply(webhooks.replay(access.workspace, webhook, delivery), status_code=202)

    return router
