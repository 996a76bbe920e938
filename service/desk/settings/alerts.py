"""Alerts: who is told by e-mail of what is wrong."""

from collections.abc import Collection, Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.routing import APIRoute
from starlette.responses import Response

from service.api.http.bodies import model_of
from service.core.errors import ProblemError
from service.desk.choices import Choices
from service.desk.forms import seen_in, ticked, whole_in
from service.desk.guesses import zones
from service.desk.lists import Pages
from service.desk.said import Undo
from service.desk.settings.pages import ALERTS, settings_page
from service.desk.visits import MayManageAlerts, Visit
from service.desk.words import phrase
from service.schema.lists import MAX_LIMIT
from service.schema.workspace.alert import (
    DEFAULT_OFFLINE_MINUTES,
    LEAST_OFFLINE_MINUTES,
    MOST_OFFLINE_MINUTES,
    AlertCreate,
    AlertKind,
    AlertPatch,
    AlertResponse,
)
from service.services.access.sessions import SessionService
from service.services.alerts.alerts import AlertService
from service.services.shared.etags import tag_of
from service.storage.paging import PageRequest

FIELDS = ("email", "offlineMinutes", "quietStart", "quietEnd", "quietZone")


# Over sixty lines: one router's calls, each of them short.
def alert_routes(
    *, alerts: AlertService, sessions: SessionService, choices: Choices, route: type[APIRoute]
) -> APIRouter:
    """All alerts, and the form of one."""
    router = APIRouter(prefix=ALERTS, include_in_schema=False, route_class=route)

    def form(
        visit: Visit, alert: AlertResponse | None, fields: Mapping[str, str], problem: ProblemError | None = None
    ) -> Response:
        offered: dict[str, Any] = {
            "kinds": list(AlertKind),
            "locations": choices.locations(visit.access),
            "least": LEAST_OFFLINE_MINUTES,
            "most": MOST_OFFLINE_MINUTES,
            "zones": zones(),
            "can_send": alerts.can_send,
            "now": sessions.now(),
        }
        return settings_page(
            visit,
            "settings_alert",
            problem=problem,
            alert=alert,
            tag="" if alert is None else tag_of(alert),
            given={name: fields.get(name, "") for name in FIELDS},
            chosen_kinds=ticked(fields, "kinds"),
            chosen_locations=ticked(fields, "locations"),
            **offered,
        )

    @router.get("")
    def list_alerts(visit: MayManageAlerts, cursor: Annotated[str | None, Query(max_length=200)] = None) -> Response:
        """The alerts, oldest first."""
        found = alerts.list(visit.access.workspace, PageRequest(MAX_LIMIT, cursor))
        return settings_page(
            visit,
            "settings_alerts",
            found=found.data,
            pages=Pages(ALERTS, {}, cursor, found.pagination.cursor),
            can_send=alerts.can_send,
            now=sessions.now(),
        )

    @router.get("/new")
    def show_new(visit: MayManageAlerts) -> Response:
        """The form of a new alert: to the person who makes it, of everything."""
        zone = next((one.timezone for one in choices.locations(visit.access).values()), "UTC")
        kinds = {f"kinds:{kind}": "on" for kind in AlertKind}
        minutes = str(DEFAULT_OFFLINE_MINUTES)
        return form(visit, None, {"email": visit.who.email, "offlineMinutes": minutes, "quietZone": zone, **kinds})

    @router.post("/new")
    def create(visit: MayManageAlerts) -> Response:
        """Makes an alert; what is not valid shows the form again."""
        try:
            made = alerts.create(visit.access.workspace, model_of(AlertCreate, _given(visit.form)))
        except ProblemError as problem:
            return form(visit, None, visit.form, problem)
        return visit.done(phrase("{email} is told by e-mail.", email=made.email), to=ALERTS)

    @router.get("/{alert}")
    def show_alert(alert: str, visit: MayManageAlerts) -> Response:
        """The form of an alert."""
        found = alerts.get(visit.access.workspace, alert)
        return form(visit, found, _fields(found))

    @router.post("/{alert}")
    def change(alert: str, visit: MayManageAlerts) -> Response:
        """Changes an alert; what is not valid shows the form again."""
        before = alerts.get(visit.access.workspace, alert)
        try:
            alerts.change(visit.access.workspace, alert, model_of(AlertPatch, _given(visit.form)), seen_in(visit.form))
        except ProblemError as problem:
            return form(visit, before, visit.form, problem)
        at = f"{ALERTS}/{alert}"
        return visit.done(phrase("The alert is changed."), to=at, undo=Undo(at, _fields(before)))

    @router.post("/{alert}/test")
    def test(alert: str, visit: MayManageAlerts) -> Response:
        """Sends a test mail."""
        email = alerts.test(visit.access.workspace, alert).email
        return visit.done(phrase("A test mail to {email} is on its way.", email=email), to=f"{ALERTS}/{alert}")

    @router.post("/{alert}/remove")
    def remove(alert: str, visit: MayManageAlerts) -> Response:
        """Removes an alert."""
        email = alerts.get(visit.access.workspace, alert).email
        alerts.remove(visit.access.workspace, alert)
        return visit.done(phrase("{email} is told of nothing any more.", email=email), to=ALERTS)

    return router


def _given(fields: Mapping[str, str]) -> dict[str, object]:
    start, end, zone = (fields.get(f"quiet{part}", "") for part in ("Start", "End", "Zone"))
    locations: Collection[str] = ticked(fields, "locations")
    return {
        "email": fields.get("email", ""),
        "kinds": [AlertKind(one) if one in set(AlertKind) else one for one in ticked(fields, "kinds")],
        "offlineMinutes": whole_in(fields.get("offlineMinutes", "")),
        "quiet": {"start": start, "end": end, "timezone": zone} if start or end else None,
        "locations": list(locations) or None,
    }


def _fields(alert: AlertResponse) -> dict[str, str]:
    quiet = alert.quiet
    hours = {} if quiet is None else {"quietStart": quiet.start, "quietEnd": quiet.end, "quietZone": quiet.timezone}
    return {
        "email": alert.email,
        "offlineMinutes": str(alert.offline_minutes),
        **hours,
        **{f"kinds:{kind}": "on" for kind in alert.kinds},
        **{f"locations:{one}": "on" for one in alert.locations or ()},
    }
