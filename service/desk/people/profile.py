"""The profile of the person who is signed in: language, password and sessions."""

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.responses import Response

from service.api.http.bodies import model_of
from service.desk.settings.pages import settings_page
from service.desk.visits import AnyVisit
from service.desk.words import phrase
from service.schema.workspace.person import PasswordChange, PersonPatch
from service.services.access.people import PeopleService
from service.services.access.second_factors import SecondFactorService
from service.services.access.sessions import SessionService

PROFILE = "/desk/profile"


def profile_routes(
    *, people: PeopleService, sessions: SessionService, factors: SecondFactorService, route: type[APIRoute]
) -> APIRouter:
    """Language, password and sessions."""
    router = APIRouter(include_in_schema=False, route_class=route)

    @router.get(PROFILE)
    def show_profile(visit: AnyVisit) -> Response:
        """The person, and where they are signed in."""
        return settings_page(
            visit,
            "profile",
            sessions=sessions.list(visit.who),
            factor=factors.state(visit.who),
            now=sessions.now(),
        )

    @router.post(f"{PROFILE}/language")
    def choose_language(visit: AnyVisit) -> Response:
        """Changes the language of the desk."""
        people.change(visit.who, model_of(PersonPatch, {"language": visit.form.get("language") or None}))
        return visit.done(phrase("The language is changed."), to=PROFILE)

    @router.post(f"{PROFILE}/password")
    def change_password(visit: AnyVisit) -> Response:
        """Changes the password, and ends the other sessions."""
        given = {name: visit.form.get(name, "") for name in ("current", "password")}
        people.change_password(visit.who, model_of(PasswordChange, given))
        return visit.done(phrase("The password is changed. Your other sessions have ended."), to=PROFILE)

    @router.post(f"{PROFILE}/sessions/{{session}}/end")
    def end_session(session: str, visit: AnyVisit) -> Response:
        """Ends one of the person's sessions."""
        sessions.revoke(visit.who, session)
        return visit.done(phrase("The session has ended."), to=PROFILE)

    return router
