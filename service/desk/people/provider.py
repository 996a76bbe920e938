"""Signing in by the identity provider of a chain (OpenID Connect)."""

from urllib.parse import quote, unquote

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.responses import Response

from service.core.errors import ProblemError
from service.desk.problems import sentence_of
from service.desk.said import Said
from service.desk.visits import SIGN_IN, AnyVisit, Visit, local_path
from service.services.access.identity import PROVIDER_DONE, IdentityService
from service.services.access.people import PeopleService
from service.services.shared.threads import Threads

PROVIDER = f"{SIGN_IN}/provider"
MAX_CODE = 4000
CALLS_AT_A_TIME = 4


def provider_routes(*, identity: IdentityService, people: PeopleService, route: type[APIRoute]) -> APIRouter:
    """The way to the provider and back."""
    router = APIRouter(include_in_schema=False, route_class=route)
    # A provider that does not answer takes no threads from other requests.
    calls = Threads(CALLS_AT_A_TIME)

    @router.get(PROVIDER)
    async def leave(visit: AnyVisit, next: str = "") -> Response:  # noqa: A002  (the name in the address)
        """To the provider. Not by a form: the policy of pages lets none lead to another host."""
        departure = await calls.run(identity.begin)
        return visit.depart(departure.url, f"{departure.token}.{quote(local_path(next), safe='')}")

    @router.get(PROVIDER_DONE)
    async def arrive(visit: AnyVisit, code: str = "", state: str = "", error: str = "") -> Response:
        """Back from the provider: signs in, or says why not."""
        return await calls.run(arrived, visit, code, state, error)

    def arrived(visit: Visit, code: str, state: str, error: str) -> Response:
        token, _, to = visit.provider_token.partition(".")
        try:
            if error or len(code) > MAX_CODE:
                return _back(visit, ProblemError(403, "provider_refused", "The sign-in was refused", error[:100]))
            people.check_address(visit.caller)
            who = identity.finish(token, state=state, code=code)
            return visit.forget_departure(visit.enter(people.vouched(who, visit.caller), to=local_path(unquote(to))))
        except ProblemError as problem:
            if problem.status == 403:
                people.count_wrong(visit.caller)
            return _back(visit, problem)

    return router


def _back(visit: Visit, problem: ProblemError) -> Response:
    """The page that says why nobody is signed in; what was begun is over."""
    said = Said(sentence_of(problem), kind="fault")
    page = visit.page("problem", status=problem.status, problem=problem, sentence=said.sentence)
    return visit.forget_departure(page)
