"""`/v1/alerts`."""

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.responses import Response

from service.api.http.authentication import MayManageAlerts
from service.api.http.paging import Paged
from service.api.http.preconditions import Expected
from service.api.http.replies import JsonReply, created, no_content, resource
from service.api.http.routing import public_router
from service.schema.lists import Listing
from service.schema.workspace.alert import AlertCreate, AlertPatch, AlertResponse
from service.services.alerts.alerts import AlertService


def alert_routes(*, alerts: AlertService, route: type[APIRoute]) -> APIRouter:
    """Alerts by e-mail."""
    router = public_router("/v1/alerts", tag="Alerts", route=route)

    @router.get("", response_model=Listing[AlertResponse])
    def list_alerts(access: MayManageAlerts, page: Paged) -> Response:
        """List alerts, oldest first."""
        return JsonReply(alerts.list(access.workspace, page))

    @router.post("", status_code=201, response_model=AlertResponse)
    def create_alert(body: AlertCreate, access: MayManageAlerts) -> Response:
        """Have an e-mail address told of what is wrong, and of when it is over."""
        document = alerts.create(access.workspace, body)
        return created(document, at=f"/v1/alerts/{document.id}")

    @router.get("/{alert}", response_model=AlertResponse)
    def get_alert(alert: str, access: MayManageAlerts) -> Response:
        """Get one alert."""
        return resource(alerts.get(access.workspace, alert))

    @router.patch("/{alert}", response_model=AlertResponse)
    def change_alert(alert: str, body: AlertPatch, access: MayManageAlerts, expected: Expected) -> Response:
        """Change some fields."""
        return resource(alerts.change(access.workspace, alert, body, expected))

    @router.delete("/{alert}", status_code=204, response_model=None)
    def delete_alert(alert: str, access: MayManageAlerts, expected: Expected) -> Response:
        """Delete an alert, with the mails that wait."""
        alerts.remove(access.workspace, alert, expected)
        return no_content()

    @router.post("/{alert}/test", status_code=202, response_model=AlertResponse)
    def test_alert(alert: str, access: MayManageAlerts) -> Response:
        """Send a test mail; `mailedAt` or `failure` says within a minute what became of it."""
        return JsonReply(alerts.test(access.workspace, alert), status_code=202)

    return router
