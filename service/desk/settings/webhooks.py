"""Webhooks: subscriptions to events, and their deliveries, newest first."""

from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from service.api.http.bodies import model_of
from service.core.errors import ProblemError
from service.core.events import EventType, event_named
from service.desk.desk import Desk
from service.desk.documents import DocumentForm
from service.desk.lists import Cursor, Pages
from service.desk.routing import desk_routes
from service.desk.said import Undo
from service.desk.settings.pages import WEBHOOKS, settings_page
from service.desk.visits import MayManageWebhooks, Visit
from service.desk.words import phrase
from service.schema.lists import MAX_LIMIT
from service.schema.workspace.webhook import DeliveryStatus, WebhookCreate, WebhookPatch
from service.storage.paging import PageRequest

DELIVERIES_SHOWN = 30
FORM = DocumentForm(WebhookCreate, "url", "events")

routes = desk_routes(Desk, WEBHOOKS)


def _form(visit: Visit, problem: ProblemError | None = None) -> Response:
    events = list(EventType)
    return settings_page(visit, "settings_new_webhook", problem=problem, form=FORM, given=visit.form, events=events)


def _page(
    desk: Desk,
    visit: Visit,
    webhook: str,
    *,
    status: str = "",
    cursor: str | None = None,
    problem: ProblemError | None = None,
) -> Response:
    found = desk.services.webhooks.get(visit.access.workspace, webhook)
    request = PageRequest(DELIVERIES_SHOWN, cursor, newest_first=True)
    chosen = DeliveryStatus(status) if status in set(DeliveryStatus) else None
    listed = desk.services.webhooks.deliveries(visit.access.workspace, webhook, request, status=chosen)
    at = f"{WEBHOOKS}/{webhook}"
    wanted = {f"events:{event_named(name)}": "on" for name in found.events}
    return settings_page(
        visit,
        "settings_webhook",
        problem=problem,
        webhook=found,
        form=FORM,
        given={"url": found.url, **wanted} if problem is None else visit.form,
        events=list(EventType),
        deliveries=listed.data,
        statuses=list(DeliveryStatus),
        pages=Pages(at, {"status": status}, cursor, listed.pagination.cursor),
        now=desk.services.sessions.now(),
    )


@routes.get()
def list_webhooks(desk: Desk, visit: MayManageWebhooks, cursor: Cursor = None) -> Response:
    """Returns the webhooks, oldest first."""
    found = desk.services.webhooks.list(visit.access.workspace, PageRequest(MAX_LIMIT, cursor))
    pages = Pages(WEBHOOKS, {}, cursor, found.pagination.cursor)
    return settings_page(visit, "settings_webhooks", found=found.data, pages=pages)


@routes.get("/new")
def show_new(desk: Desk, visit: MayManageWebhooks) -> Response:
    """Returns the form of a new webhook."""
    return _form(visit)


@routes.post("/new")
def create(desk: Desk, visit: MayManageWebhooks) -> Response:
    """Makes a webhook, and shows its secret, once; what is not valid shows the form again."""
    given = FORM.read(visit.form)
    try:
        made = desk.services.webhooks.create(visit.access.workspace, model_of(WebhookCreate, given))
    except ProblemError as problem:
        return _form(visit, problem)
    return settings_page(visit, "settings_webhook_secret", webhook=made)


@routes.get("/{webhook}")
def show_webhook(
    desk: Desk,
    webhook: str,
    visit: MayManageWebhooks,
    status: Annotated[str, Query(max_length=20)] = "",
    cursor: Cursor = None,
) -> Response:
    """A webhook with its deliveries."""
    return _page(desk, visit, webhook, status=status, cursor=cursor)


@routes.post("/{webhook}")
def change(desk: Desk, webhook: str, visit: MayManageWebhooks) -> Response:
    """Changes address and events."""
    before = desk.services.webhooks.get(visit.access.workspace, webhook)
    given = FORM.read(visit.form)
    try:
        desk.services.webhooks.change(visit.access.workspace, webhook, model_of(WebhookPatch, given))
    except ProblemError as problem:
        return _page(desk, visit, webhook, problem=problem)
    at = f"{WEBHOOKS}/{webhook}"
    undo = Undo(at, FORM.shown(before))
    return visit.done(phrase("The webhook is changed."), to=at, undo=undo)


@routes.post("/{webhook}/enable")
def enable(desk: Desk, webhook: str, visit: MayManageWebhooks) -> Response:
    """Enables a webhook; what waits goes first."""
    desk.services.webhooks.enable(visit.access.workspace, webhook)
    at = f"{WEBHOOKS}/{webhook}"
    sentence = phrase("The webhook is enabled. What has waited goes first.")
    return visit.done(sentence, to=at, undo=Undo(f"{at}/disable"))


@routes.post("/{webhook}/disable")
def disable(desk: Desk, webhook: str, visit: MayManageWebhooks) -> Response:
    """Disables a webhook; its events wait."""
    desk.services.webhooks.change(visit.access.workspace, webhook, WebhookPatch(enabled=False))
    at = f"{WEBHOOKS}/{webhook}"
    return visit.done(phrase("The webhook is disabled."), to=at, undo=Undo(f"{at}/enable"))


@routes.post("/{webhook}/test")
def test(desk: Desk, webhook: str, visit: MayManageWebhooks) -> Response:
    """Sends a signed ping."""
    desk.services.webhooks.test(visit.access.workspace, webhook)
    return visit.done(phrase("A test is on its way."), to=f"{WEBHOOKS}/{webhook}")


@routes.post("/{webhook}/rotate")
def rotate(desk: Desk, webhook: str, visit: MayManageWebhooks) -> Response:
    """Replaces the secret, and shows the new one, once."""
    return settings_page(
        visit, "settings_webhook_secret", webhook=desk.services.webhooks.rotate(visit.access.workspace, webhook)
    )


@routes.post("/{webhook}/remove")
def remove(desk: Desk, webhook: str, visit: MayManageWebhooks) -> Response:
    """Removes a webhook with its deliveries."""
    desk.services.webhooks.remove(visit.access.workspace, webhook)
    return visit.done(phrase("The webhook is removed."), to=WEBHOOKS)


@routes.post("/{webhook}/deliveries/{delivery}/replay")
def replay(desk: Desk, webhook: str, delivery: str, visit: MayManageWebhooks) -> Response:
    """Delivers an event again."""
    desk.services.webhooks.replay(visit.access.workspace, webhook, delivery)
    return visit.done(phrase("The event is delivered again."), to=f"{WEBHOOKS}/{webhook}")
