"""Profile of the signed-in user: language, password and sessions."""

from starlette.responses import Response

from service.api.http.bodies import model_of
from service.desk.desk import Desk
from service.desk.routing import desk_routes
from service.desk.settings.pages import settings_page
from service.desk.visits import AnyVisit
from service.desk.words import phrase
from service.schema.workspace.person import PasswordChange, PersonPatch

PROFILE = "/desk/profile"

routes = desk_routes(Desk)


@routes.get(PROFILE)
def show_profile(desk: Desk, visit: AnyVisit) -> Response:
    """Returns the person, and where they are signed in."""
    return settings_page(
        visit,
        "profile",
        sessions=desk.services.sessions.list(visit.who),
        factor=desk.services.factors.state(visit.who),
        now=desk.services.sessions.now(),
    )


@routes.post(f"{PROFILE}/language")
def choose_language(desk: Desk, visit: AnyVisit) -> Response:
    """Changes the language of the desk."""
    desk.services.people.change(visit.who, model_of(PersonPatch, {"language": visit.form.get("language") or None}))
    return visit.done(phrase("The language is changed."), to=PROFILE)


@routes.post(f"{PROFILE}/password")
def change_password(desk: Desk, visit: AnyVisit) -> Response:
    """Changes the password, and ends the other sessions."""
    given = {name: visit.form.get(name, "") for name in ("current", "password")}
    desk.services.people.change_password(visit.who, model_of(PasswordChange, given))
    return visit.done(phrase("The password is changed. Your other sessions have ended."), to=PROFILE)


@routes.post(f"{PROFILE}/sessions/{{session}}/end")
def end_session(desk: Desk, session: str, visit: AnyVisit) -> Response:
    """Ends one of the person's sessions."""
    desk.services.sessions.revoke(visit.who, session)
    return visit.done(phrase("The session has ended."), to=PROFILE)
