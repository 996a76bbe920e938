"""Alerts: recipients of e-mails about faults."""

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from service.api.http.bodies import model_of
from service.core.errors import ProblemError
from service.desk.desk import Desk
from service.desk.documents import DocumentForm
from service.desk.forms import Form, seen_in
from service.desk.guesses import zones
from service.desk.lists import Cursor, Pages
from service.desk.routing import desk_routes
from service.desk.said import Undo
from service.desk.settings.pages import ALERTS, settings_page
from service.desk.visits import MayManageAlerts, Visit
from service.desk.words import phrase
from service.schema.lists import MAX_LIMIT
from service.schema.workspace.alert import DEFAULT_OFFLINE_MINUTES, AlertCreate, AlertKind, AlertPatch, AlertResponse
from service.storage.paging import PageRequest

FORM = DocumentForm(AlertCreate, "email", "offlineMinutes", "kinds", "locations")
QUIET = {"quietStart": "start", "quietEnd": "end", "quietZone": "timezone"}

routes = desk_routes(Desk, ALERTS)


def _form(
    desk: Desk,
    visit: Visit,
    alert: AlertResponse | None,
    fields: Mapping[str, str],
    problem: ProblemError | None = None,
) -> Response:
    offered: dict[str, Any] = {
        "kinds": list(AlertKind),
        "locations": desk.locations(visit.access),
        "zones": zones(),
        "can_send": desk.services.alerts.can_send,
        "now": desk.services.sessions.now(),
    }
    return settings_page(
        visit, "settings_alert", problem=problem, alert=alert, form=FORM, of=alert, given=fields, **offered
    )


@routes.get()
def list_alerts(desk: Desk, visit: MayManageAlerts, cursor: Cursor = None) -> Response:
    """Returns the alerts, oldest first."""
    found = desk.services.alerts.list(visit.access.workspace, PageRequest(MAX_LIMIT, cursor))
    return settings_page(
        visit,
        "settings_alerts",
        found=found.data,
        pages=Pages(ALERTS, {}, cursor, found.pagination.cursor),
        can_send=desk.services.alerts.can_send,
        now=desk.services.sessions.now(),
    )


@routes.get("/new")
def show_new(desk: Desk, visit: MayManageAlerts) -> Response:
    """Returns the form of a new alert: to the person who makes it, of everything."""
    zone = next((one.timezone for one in desk.locations(visit.access).values()), "UTC")
    kinds = {f"kinds:{kind}": "on" for kind in AlertKind}
    minutes = str(DEFAULT_OFFLINE_MINUTES)
    return _form(desk, visit, None, {"email": visit.who.email, "offlineMinutes": minutes, "quietZone": zone, **kinds})


@routes.post("/new")
def create(desk: Desk, visit: MayManageAlerts) -> Response:
    """Makes an alert; what is not valid shows the form again."""
    try:
        made = desk.services.alerts.create(visit.access.workspace, model_of(AlertCreate, _given(visit.form)))
    except ProblemError as problem:
        return _form(desk, visit, None, visit.form, problem)
    return visit.done(phrase("{email} is told by e-mail.", email=made.email), to=ALERTS)


@routes.get("/{alert}")
def show_alert(desk: Desk, alert: str, visit: MayManageAlerts) -> Response:
    """Returns the form of an alert."""
    found = desk.services.alerts.get(visit.access.workspace, alert)
    return _form(desk, visit, found, _fields(found))


@routes.post("/{alert}")
def change(desk: Desk, alert: str, visit: MayManageAlerts) -> Response:
    """Changes an alert; what is not valid shows the form again."""
    before = desk.services.alerts.get(visit.access.workspace, alert)
    try:
        desk.services.alerts.change(
            visit.access.workspace, alert, model_of(AlertPatch, _given(visit.form)), seen_in(visit.form)
        )
    except ProblemError as problem:
        return _form(desk, visit, before, visit.form, problem)
    at = f"{ALERTS}/{alert}"
    return visit.done(phrase("The alert is changed."), to=at, undo=Undo(at, _fields(before)))


@routes.post("/{alert}/test")
def test(desk: Desk, alert: str, visit: MayManageAlerts) -> Response:
    """Sends a test mail."""
    email = desk.services.alerts.test(visit.access.workspace, alert).email
    return visit.done(phrase("A test mail to {email} is on its way.", email=email), to=f"{ALERTS}/{alert}")


@routes.post("/{alert}/remove")
def remove(desk: Desk, alert: str, visit: MayManageAlerts) -> Response:
    """Removes an alert."""
    email = desk.services.alerts.get(visit.access.workspace, alert).email
    desk.services.alerts.remove(visit.access.workspace, alert)
    return visit.done(phrase("{email} is told of nothing any more.", email=email), to=ALERTS)


def _given(form: Form) -> dict[str, object]:
    quiet = {part: form.get(name, "") for name, part in QUIET.items()}
    return {**FORM.read(form), "quiet": quiet if quiet["start"] or quiet["end"] else None}


def _fields(alert: AlertResponse) -> dict[str, str]:
    quiet = {} if alert.quiet is None else alert.quiet.document()
    return {**FORM.shown(alert), **{name: quiet[part] for name, part in QUIET.items() if quiet}}
