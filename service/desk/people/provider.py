"""Signing in by the identity provider of a chain (OpenID Connect)."""

from urllib.parse import quote, unquote

from starlette.responses import Response

from service.core.errors import ProblemError
from service.desk.desk import Desk
from service.desk.problems import sentence_of
from service.desk.routing import desk_routes
from service.desk.said import Said
from service.desk.visits import SIGN_IN, AnyVisit, Visit, local_path
from service.services.access.identity import PROVIDER_DONE
from service.services.registry import Services
from service.services.shared.threads import Threads

PROVIDER = f"{SIGN_IN}/provider"
MAX_CODE = 4000
CALLS_AT_A_TIME = 4


class Provider(Desk):
    """Calls the provider. One that does not answer takes no threads from other requests."""

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self.calls = Threads(CALLS_AT_A_TIME)


routes = desk_routes(Provider)


@routes.get(PROVIDER)
async def leave(desk: Provider, visit: AnyVisit, next: str = "") -> Response:  # noqa: A002  (the name in the address)
    """To the provider. Not by a form: the policy of pages lets none lead to another host."""
    departure = await desk.calls.run(desk.services.identity.begin)
    return visit.depart(departure.url, f"{departure.token}.{quote(local_path(next), safe='')}")


@routes.get(PROVIDER_DONE)
async def arrive(desk: Provider, visit: AnyVisit, code: str = "", state: str = "", error: str = "") -> Response:
    """Back from the provider: signs in, or says why not."""
    return await desk.calls.run(_arrived, desk, visit, code, state, error)


def _arrived(desk: Provider, visit: Visit, code: str, state: str, error: str) -> Response:
    token, _, to = visit.provider_token.partition(".")
    try:
        if error or len(code) > MAX_CODE:
            return _back(visit, ProblemError(403, "provider_refused", "The sign-in was refused", error[:100]))
        desk.services.people.check_address(visit.caller)
        who = desk.services.identity.finish(token, state=state, code=code)
        return visit.forget_departure(
            visit.enter(desk.services.people.vouched(who, visit.caller), to=local_path(unquote(to)))
        )
    except ProblemError as problem:
        if problem.status == 403:
            desk.services.people.count_wrong(visit.caller)
        return _back(visit, problem)


def _back(visit: Visit, problem: ProblemError) -> Response:
    """Returns the page with the reason why the sign-in failed; ends the attempt."""
    said = Said(sentence_of(problem), kind="fault")
    page = visit.page("problem", status=problem.status, problem=problem, sentence=said.sentence)
    return visit.forget_departure(page)
