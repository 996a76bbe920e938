"""Signing in and out: by password, by a single-use link, and the set-up of the first owner."""

from typing import Any

from starlette.responses import Response

from service.api.http.bodies import model_of
from service.core.errors import ProblemError
from service.desk.desk import Desk
from service.desk.routing import desk_routes
from service.desk.visits import HOME, SIGN_IN, AnyVisit, local_path
from service.desk.words import LANGUAGES
from service.schema.workspace.person import FirstOwner, SignIn

ENTER = "/desk/enter"

routes = desk_routes(Desk)


def _ways(desk: Desk) -> dict[str, Any]:
    return {"can_mail": desk.services.mailed_links.can_mail, "provider": desk.services.identity.name}


@routes.get(SIGN_IN)
def show_sign_in(desk: Desk, visit: AnyVisit, next: str = "") -> Response:  # noqa: A002  (the name in the address)
    """Returns the form for e-mail address and password."""
    to = local_path(next)
    return visit.go(to) if visit.is_signed_in else visit.page("sign_in", to=to, email="", **_ways(desk))


@routes.post(SIGN_IN)
def sign_in(desk: Desk, visit: AnyVisit) -> Response:
    """Begins a session; a wrong password shows the form again."""
    to, email = local_path(visit.form.get("next", "")), visit.form.get("email", "")
    try:
        body = model_of(SignIn, {"email": email, "password": visit.form.get("password", "")})
        return visit.enter(desk.services.people.sign_in(body, visit.caller), to=to)
    except ProblemError as problem:
        return visit.page("sign_in", fault=problem, to=to, email=email, **_ways(desk))


@routes.get(ENTER)
def enter(desk: Desk, visit: AnyVisit, token: str = "") -> Response:
    """Follows a link: signs in, or shows the form of the first owner."""
    if desk.services.people.awaits_owner(token):
        return visit.page("set_up", token=token, name="", email="")
    return visit.enter(desk.services.people.follow(token, visit.caller), to=HOME)


@routes.post(ENTER)
def set_up(desk: Desk, visit: AnyVisit) -> Response:
    """Makes the first owner and signs them in; what is not valid shows the form again."""
    given = {name: visit.form.get(name, "") for name in ("token", "name", "email", "password")}
    try:
        return visit.enter(desk.services.people.set_up(model_of(FirstOwner, given), visit.caller), to=HOME)
    except ProblemError as problem:
        token, name, email, _ = given.values()
        return visit.page("set_up", fault=problem, token=token, name=name, email=email)


@routes.post("/desk/sign-out")
def sign_out(desk: Desk, visit: AnyVisit) -> Response:
    """Ends the session."""
    desk.services.sessions.end(visit.session_token)
    return visit.leave(to=SIGN_IN)


@routes.post("/desk/language")
async def speak(desk: Desk, visit: AnyVisit) -> Response:
    """Chooses the language before signing in."""
    language = visit.form.get("language", "")
    to = local_path(visit.form.get("next", SIGN_IN))
    return visit.speak(language, to=to) if language in LANGUAGES else visit.go(to)


@routes.get("/desk")
@routes.get("/desk/")
async def first(desk: Desk, visit: AnyVisit) -> Response:
    """Returns the first page."""
    return visit.go(HOME)


@routes.get("/desk/{rest:path}")
async def nowhere(desk: Desk, visit: AnyVisit) -> Response:
    """A page that does not exist."""
    raise ProblemError(404, "no_such_path", "There is no such page", "There is no such page.")
