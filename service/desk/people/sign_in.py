"""Signing in and out: by password, by a link that works once, and the set-up of the first owner."""

from typing import Any

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.responses import Response

from service.api.http.bodies import model_of
from service.core.errors import ProblemError
from service.desk.problems import sentence_of
from service.desk.said import Said
from service.desk.visits import HOME, SIGN_IN, AnyVisit, local_path
from service.desk.words import LANGUAGES
from service.schema.workspace.person import FirstOwner, SignIn
from service.services.access.people import PeopleService
from service.services.access.sessions import SessionService

ENTER = "/desk/enter"


# Over sixty lines: one router's calls, each of them short.
def sign_in_routes(
    *, people: PeopleService, sessions: SessionService, can_mail: bool, provider: str | None, route: type[APIRoute]
) -> APIRouter:
    """Pages of people who are not signed in yet."""
    router = APIRouter(include_in_schema=False, route_class=route)
    ways: dict[str, Any] = {"can_mail": can_mail, "provider": provider}

    @router.get(SIGN_IN)
    def show_sign_in(visit: AnyVisit, next: str = "") -> Response:  # noqa: A002  (the name in the address)
        """The form for e-mail address and password."""
        to = local_path(next)
        return visit.go(to) if visit.is_signed_in else visit.page("sign_in", to=to, email="", **ways)

    @router.post(SIGN_IN)
    def sign_in(visit: AnyVisit) -> Response:
        """Begins a session; a wrong password shows the form again."""
        to, email = local_path(visit.form.get("next", "")), visit.form.get("email", "")
        try:
            body = model_of(SignIn, {"email": email, "password": visit.form.get("password", "")})
            return visit.enter(people.sign_in(body, visit.caller), to=to)
        except ProblemError as problem:
            said = Said(sentence_of(problem), kind="fault")
            return visit.page("sign_in", status=problem.status, said=said, to=to, email=email, **ways)

    @router.get(ENTER)
    def enter(visit: AnyVisit, token: str = "") -> Response:
        """Follows a link: signs in, or shows the form of the first owner."""
        if people.awaits_owner(token):
            return visit.page("set_up", token=token, name="", email="")
        return visit.enter(people.follow(token, visit.caller), to=HOME)

    @router.post(ENTER)
    def set_up(visit: AnyVisit) -> Response:
        """Makes the first owner and signs them in; what is not valid shows the form again."""
        given = {name: visit.form.get(name, "") for name in ("token", "name", "email", "password")}
        try:
            return visit.enter(people.set_up(model_of(FirstOwner, given), visit.caller), to=HOME)
        except ProblemError as problem:
            said = Said(sentence_of(problem), kind="fault")
            shown = {name: given[name] for name in ("token", "name", "email")}
            return visit.page("set_up", status=problem.status, said=said, **shown)

    @router.post("/desk/sign-out")
    def sign_out(visit: AnyVisit) -> Response:
        """Ends the session."""
        sessions.end(visit.session_token)
        return visit.leave(to=SIGN_IN)

    @router.post("/desk/language")
    async def speak(visit: AnyVisit) -> Response:
        """Chooses the language before signing in."""
        language = visit.form.get("language", "")
        to = local_path(visit.form.get("next", SIGN_IN))
        return visit.speak(language, to=to) if language in LANGUAGES else visit.go(to)

    @router.get("/desk")
    @router.get("/desk/")
    async def first(visit: AnyVisit) -> Response:
        """The first page."""
        return visit.go(HOME)

    @router.get("/desk/{rest:path}")
    async def nowhere(visit: AnyVisit) -> Response:
        """A page that does not exist."""
        raise ProblemError(404, "no_such_path", "There is no such page", "There is no such page.")

    return router
