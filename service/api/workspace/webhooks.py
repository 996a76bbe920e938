"""`/v1/public/webhooks`."""

import dataclasses
from typing import Annotated, Literal

from fastapi import Query
from starlette.responses import Response

from service.api.http.authentication import MayManageWebhooks
from service.api.http.paging import Paged
from service.api.http.preconditions import Expected
from service.api.http.replies import NO_STORE, JsonReply, created, resource
from service.api.http.routes import api_routes
from service.schema.lists import Listing
from service.schema.workspace.webhook import (
    DeliveryResponse,
    DeliveryStatus,
    WebhookCreate,
    WebhookPatch,
    WebhookResponse,
    WebhookSecretResponse,
)
from service.services.registry import Services

routes = api_routes("/v1/public/webhooks", tag="Webhooks")
"""Webhooks and their deliveries."""


@routes.get(response_model=Listing[WebhookResponse])
def list_webhooks(services: Services, access: MayManageWebhooks, page: Paged) -> Response:
    """List webhooks, oldest first."""
    return JsonReply(services.webhooks.list(access.workspace, page))


@routes.post(status_code=201, response_model=WebhookSecretResponse)
def create_webhook(services: Services, body: WebhookCreate, access: MayManageWebhooks) -> Response:
    """Create a webhook. The secret is shown only in this answer."""
    return created(services.webhooks.create(access.workspace, body), at="/v1/public/webhooks", secret=True)


@routes.get("/{webhook}", response_model=WebhookResponse)
def get_webhook(services: Services, webhook: str, access: MayManageWebhooks) -> Response:
    """Get one webhook."""
    return resource(services.webhooks.get(access.workspace, webhook))


@routes.patch("/{webhook}", response_model=WebhookResponse)
def change_webhook(
    services: Services, webhook: str, body: WebhookPatch, access: MayManageWebhooks, expected: Expected
) -> Response:
    """Change some fields."""
    return resource(services.webhooks.change(access.workspace, webhook, body, expected))


@routes.delete("/{webhook}")
def delete_webhook(services: Services, webhook: str, access: MayManageWebhooks, expected: Expected) -> None:
    """Delete a webhook and its deliveries."""
    services.webhooks.remove(access.workspace, webhook, expected)


@routes.post("/{webhook}/enable", response_model=WebhookResponse)
def enable_webhook(services: Services, webhook: str, access: MayManageWebhooks) -> Response:
    """Enable a disabled webhook; waiting deliveries go first."""
    return resource(services.webhooks.enable(access.workspace, webhook))


@routes.post("/{webhook}/rotate-secret", response_model=WebhookSecretResponse)
def rotate_webhook_secret(services: Services, webhook: str, access: MayManageWebhooks) -> Response:
    """Replace the secret; the new one is shown only in this answer. For 24 hours the old one signs as well."""
    answer = resource(services.webhooks.rotate(access.workspace, webhook))
    answer.headers.update(NO_STORE)
    return answer


@routes.post("/{webhook}/test", status_code=202, response_model=DeliveryResponse)
def test_webhook(services: Services, webhook: str, access: MayManageWebhooks) -> Response:
    """Send a signed `ping`, without retries."""
    return JsonReply(services.webhooks.test(access.workspace, webhook), status_code=202)


@routes.get("/{webhook}/deliveries", response_model=Listing[DeliveryResponse])
def list_deliveries(
    services: Services,
    webhook: str,
    access: MayManageWebhooks,
    page: Paged,
    status: Annotated[DeliveryStatus | None, Query(description="Only deliveries with this status.")] = None,
    order: Annotated[Literal["oldest", "newest"], Query(description="Which come first.")] = "oldest",
) -> Response:
    """List deliveries of the last 14 days with their attempts, oldest first unless `order` says otherwise."""
    request = dataclasses.replace(page, newest_first=order == "newest")
    return JsonReply(services.webhooks.deliveries(access.workspace, webhook, request, status=status))


@routes.post("/{webhook}/deliveries/{delivery}/replay", status_code=202, response_model=DeliveryResponse)
def replay_delivery(services: Services, webhook: str, delivery: str, access: MayManageWebhooks) -> Response:
    """Deliver an event again, with the same id and body."""
    return JsonReply(services.webhooks.replay(access.workspace, webhook, delivery), status_code=202)
