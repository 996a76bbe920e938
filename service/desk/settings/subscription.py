"""Page of the workspace's subscription."""

from starlette.responses import Response

from service.api.http.bodies import model_of
from service.desk.desk import Desk
from service.desk.documents import DocumentForm
from service.desk.routing import desk_routes
from service.desk.said import Undo
from service.desk.settings.pages import SUBSCRIPTION, settings_page
from service.desk.visits import MayChangeSubscription, MayRead
from service.desk.words import phrase
from service.schema.workspace.subscription import SubscriptionPatch

FORM = DocumentForm(SubscriptionPatch, "plan", "status")
STATUSES = ("trialing", "active", "past_due", "paused", "canceled")

routes = desk_routes(Desk, SUBSCRIPTION)


@routes.get()
def show(desk: Desk, visit: MayRead) -> Response:
    """Returns the plan and the status; an owner changes them."""
    found = desk.services.subscriptions.get(visit.access.workspace)
    return settings_page(visit, "settings_subscription", subscription=found, statuses=STATUSES)


@routes.post()
def change(desk: Desk, visit: MayChangeSubscription) -> Response:
    """Changes plan and status."""
    before = desk.services.subscriptions.get(visit.access.workspace)
    desk.services.subscriptions.change(visit.access.workspace, model_of(SubscriptionPatch, FORM.read(visit.form)))
    undo = Undo(SUBSCRIPTION, FORM.shown(before))
    return visit.done(phrase("The subscription is changed."), to=SUBSCRIPTION, undo=undo)
