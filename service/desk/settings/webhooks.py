"""Webhooks: subscriptions to events, and their deliveries, newest first."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.routing import APIRoute
from starlette.responses import Response

from service.api.http.bodies import model_of
from service.core.errors import ProblemError
from service.core.events import EventType, event_named
from service.desk.forms import ticked
from service.desk.lists import Pages
from service.desk.said import Undo
from service.desk.settings.pages import WEBHOOKS, settings_page
from service.desk.visits import MayManageWebhooks, Visit
from service.desk.words import phrase
from service.schema.lists import MAX_LIMIT
from service.schema.workspace.webhook import DeliveryStatus, WebhookCreate, WebhookPatch
from service.services.access.sessions import SessionService
from service.services.webhooks.webhooks import WebhookService
from service.storage.paging import PageRequest

DELIVERIES_SHOWN = 30


# Over sixty lines: one router's calls, each of them short.
def webhook_routes(*, webhooks: WebhookService, sessions: SessionService, route: type[APIRoute]) -> APIRouter:
    """All webhooks, and the page of one with its deliveries."""
    router = APIRouter(prefix=WEBHOOKS, include_in_schema=False, route_class=route)

    def form(visit: Visit, problem: ProblemError | None = None) -> Response:
        given = {"url": visit.form.get("url", "")}
        chosen = ticked(visit.form, "events")
        return settings_page(
            visit, "settings_new_webhook", problem=problem, given=given, chosen=chosen, events=list(EventType)
        )

    def page(
        visit: Visit, webhook: str, *, status: str = "", cursor: str | None = None, problem: ProblemError | None = None
    ) -> Response:
        found = webhooks.get(visit.access.workspace, webhook)
        request = PageRequest(DELIVERIES_SHOWN, cursor, newest_first=True)
        chosen = DeliveryStatus(status) if status in set(DeliveryStatus) else None
        listed = webhooks.deliveries(visit.access.workspace, webhook, request, status=chosen)
        at = f"{WEBHOOKS}/{webhook}"
        given = visit.form if problem is not None else {"url": found.url}
        wanted = {event_named(name).value for name in found.events}
        return settings_page(
            visit,
            "settings_webhook",
            problem=problem,
            webhook=found,
            given={"url": given.get("url", "")},
            chosen=wanted if problem is None else ticked(visit.form, "events"),
            events=list(EventType),
            deliveries=listed.data,
            statuses=list(DeliveryStatus),
            pages=Pages(at, {"status": status}, cursor, listed.pagination.cursor),
            now=sessions.now(),
        )

    @router.get("")
    def list_webhooks(
        visit: MayManageWebhooks, cursor: Annotated[str | None, Query(max_length=200)] = None
    ) -> Response:
        """The webhooks, oldest first."""
        found = webhooks.list(visit.access.workspace, PageRequest(MAX_LIMIT, cursor))
        pages = Pages(WEBHOOKS, {}, cursor, found.pagination.cursor)
        return settings_page(visit, "settings_webhooks", found=found.data, pages=pages)

    @router.get("/new")
    def show_new(visit: MayManageWebhooks) -> Response:
        """The form of a new webhook."""
        return form(visit)

    @router.post("/new")
    def create(visit: MayManageWebhooks) -> Response:
        """Makes a webhook, and shows its secret, once; what is not valid shows the form again."""
        given = {"url": visit.form.get("url", ""), "events": ticked(visit.form, "events")}
        try:
            made = webhooks.create(visit.access.workspace, model_of(WebhookCreate, given))
        except ProblemError as problem:
            return form(visit, problem)
        return settings_page(visit, "settings_webhook_secret", webhook=made)

    @router.get("/{webhook}")
    def show_webhook(
        webhook: str,
        visit: MayManageWebhooks,
        status: Annotated[str, Query(max_length=20)] = "",
        cursor: Annotated[str | None, Query(max_length=200)] = None,
    ) -> Response:
        """A webhook with its deliveries."""
        return page(visit, webhook, status=status, cursor=cursor)

    @router.post("/{webhook}")
    def change(webhook: str, visit: MayManageWebhooks) -> Response:
        """Changes address and events."""
        before = webhooks.get(visit.access.workspace, webhook)
        given = {"url": visit.form.get("url", ""), "events": ticked(visit.form, "events")}
        try:
            webhooks.change(visit.access.workspace, webhook, model_of(WebhookPatch, given))
        except ProblemError as problem:
            return page(visit, webhook, problem=problem)
        at = f"{WEBHOOKS}/{webhook}"
        undo = Undo(at, {"url": before.url, **{f"events:{name}": "on" for name in before.events}})
        return visit.done(phrase("The webhook is changed."), to=at, undo=undo)

    @router.post("/{webhook}/enable")
    def enable(webhook: str, visit: MayManageWebhooks) -> Response:
        """Enables a webhook; what waits goes first."""
        webhooks.enable(visit.access.workspace, webhook)
        at = f"{WEBHOOKS}/{webhook}"
        sentence = phrase("The webhook is enabled. What has waited goes first.")
        return visit.done(sentence, to=at, undo=Undo(f"{at}/disable"))

    @router.post("/{webhook}/disable")
    def disable(webhook: str, visit: MayManageWebhooks) -> Response:
        """Disables a webhook; its events wait."""
        webhooks.change(visit.access.workspace, webhook, WebhookPatch(enabled=False))
        at = f"{WEBHOOKS}/{webhook}"
        return visit.done(phrase("The webhook is disabled."), to=at, undo=Undo(f"{at}/enable"))

    @router.post("/{webhook}/test")
    def test(webhook: str, visit: MayManageWebhooks) -> Response:
        """Sends a signed ping."""
        webhooks.test(visit.access.workspace, webhook)
        return visit.done(phrase("A test is on its way."), to=f"{WEBHOOKS}/{webhook}")

    @router.post("/{webhook}/rotate")
    def rotate(webhook: str, visit: MayManageWebhooks) -> Response:
        """Replaces the secret, and shows the new one, once."""
        return settings_page(visit, "settings_webhook_secret", webhook=webhooks.rotate(visit.access.workspace, webhook))

    @router.post("/{webhook}/remove")
    def remove(webhook: str, visit: MayManageWebhooks) -> Response:
        """Removes a webhook with its deliveries."""
        webhooks.remove(visit.access.workspace, webhook)
        return visit.done(phrase("The webhook is removed."), to=WEBHOOKS)

    @router.post("/{webhook}/deliveries/{delivery}/replay")
    def replay(webhook: str, delivery: str, visit: MayManageWebhooks) -> Response:
        """Delivers an event again."""
        webhooks.replay(visit.access.workspace, webhook, delivery)
        return visit.done(phrase("The event is delivered again."), to=f"{WEBHOOKS}/{webhook}")

    return router
