"""Accepts an invitation by its link: the user chooses a name and a password, and is signed in."""

from starlette.responses import Response

from service.api.http.authentication import address_of
from service.api.http.bodies import model_of
from service.core.errors import ProblemError
from service.desk.desk import Desk
from service.desk.routing import desk_routes
from service.desk.visits import HOME, AnyVisit, Visit
from service.schema.workspace.person import Joining
from service.schema.workspace.team import InviteLookup
from service.services.access.team import DESK_JOIN

routes = desk_routes(Desk)


def _form(desk: Desk, visit: Visit, token: str, name: str, problem: ProblemError | None = None) -> Response:
    invite = desk.services.team.preview(model_of(InviteLookup, {"token": token}), address=address_of(visit.request))
    return visit.page("join", fault=problem, token=token, name=name, invite=invite)


@routes.get(DESK_JOIN)
def show_invitation(desk: Desk, visit: AnyVisit, token: str = "") -> Response:
    """Returns the invitation, and the form for name and password."""
    return _form(desk, visit, token, "")


@routes.post(DESK_JOIN)
def join(desk: Desk, visit: AnyVisit) -> Response:
    """Joins the team and signs in; what is not valid shows the form again."""
    given = {name: visit.form.get(name, "") for name in ("token", "name", "password")}
    try:
        return visit.enter(desk.services.people.join(model_of(Joining, given), visit.caller), to=HOME)
    except ProblemError as problem:
        if problem.status in (404, 410):
            raise
        return _form(desk, visit, given["token"], given["name"], problem)
