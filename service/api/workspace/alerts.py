"""`/v1/alerts`."""

from starlette.responses import Response

from service.api.http.authentication import MayManageAlerts
from service.api.http.paging import Paged
from service.api.http.preconditions import Expected
from service.api.http.replies import JsonReply, created, resource
from service.api.http.routes import api_routes
from service.schema.lists import Listing
from service.schema.workspace.alert import AlertCreate, AlertPatch, AlertResponse
from service.services.registry import Services

routes = api_routes("/v1/alerts", tag="Alerts")
"""Alerts by e-mail."""


@routes.get(response_model=Listing[AlertResponse])
def list_alerts(services: Services, access: MayManageAlerts, page: Paged) -> Response:
    """List alerts, oldest first."""
    return JsonReply(services.alerts.list(access.workspace, page))


@routes.post(status_code=201, response_model=AlertResponse)
def create_alert(services: Services, body: AlertCreate, access: MayManageAlerts) -> Response:
    """Have an e-mail address told of what is wrong, and of when it is over."""
    return created(services.alerts.create(access.workspace, body), at="/v1/alerts")


@routes.get("/{alert}", response_model=AlertResponse)
def get_alert(services: Services, alert: str, access: MayManageAlerts) -> Response:
    """Get one alert."""
    return resource(services.alerts.get(access.workspace, alert))


@routes.patch("/{alert}", response_model=AlertResponse)
def change_alert(
    services: Services, alert: str, body: AlertPatch, access: MayManageAlerts, expected: Expected
) -> Response:
    """Change some fields."""
    return resource(services.alerts.change(access.workspace, alert, body, expected))


@routes.delete("/{alert}")
def delete_alert(services: Services, alert: str, access: MayManageAlerts, expected: Expected) -> None:
    """Delete an alert, with the mails that wait."""
    services.alerts.remove(access.workspace, alert, expected)


@routes.post("/{alert}/test", status_code=202, response_model=AlertResponse)
def test_alert(services: Services, alert: str, access: MayManageAlerts) -> Response:
    """Send a test mail; `mailedAt` or `failure` says within a minute what became of it."""
    return JsonReply(services.alerts.test(access.workspace, alert), status_code=202)
