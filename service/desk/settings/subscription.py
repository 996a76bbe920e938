"""The subscription of the workspace."""

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.responses import Response

from service.api.http.bodies import model_of
from service.desk.said import Undo
from service.desk.settings.pages import SUBSCRIPTION, settings_page
from service.desk.visits import MayChangeSubscription, MayRead
from service.desk.words import phrase
from service.schema.workspace.subscription import SubscriptionPatch
from service.services.access.subscription import SubscriptionService

STATUSES = ("trialing", "active", "past_due", "paused", "canceled")


def subscription_routes(*, subscriptions: SubscriptionService, route: type[APIRoute]) -> APIRouter:
    """Plan and status."""
    router = APIRouter(prefix=SUBSCRIPTION, include_in_schema=False, route_class=route)

    @router.get("")
    def show(visit: MayRead) -> Response:
        """The plan and the status; an owner changes them."""
        found = subscriptions.get(visit.access.workspace)
        return settings_page(visit, "settings_subscription", subscription=found, statuses=STATUSES)

    @router.post("")
    def change(visit: MayChangeSubscription) -> Response:
        """Changes plan and status."""
        before = subscriptions.get(visit.access.workspace)
        given = {name: visit.form.get(name, "") for name in ("plan", "status")}
        subscriptions.change(visit.access.workspace, model_of(SubscriptionPatch, given))
        undo = Undo(SUBSCRIPTION, {"plan": before.plan, "status": before.status})
        return visit.done(phrase("The subscription is changed."), to=SUBSCRIPTION, undo=undo)

    return router
