"""The second factor: the step of signing in that asks for it, and turning it on and off in the profile."""

from collections.abc import Callable

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.responses import Response

from service.api.http.bodies import model_of
from service.core.errors import ProblemError
from service.desk.people.profile import PROFILE
from service.desk.people.qr import qr_code
from service.desk.problems import sentence_of
from service.desk.said import Said
from service.desk.settings.pages import settings_page
from service.desk.visits import SECOND_STEP, SIGN_IN, AnyVisit, Visit, local_path
from service.desk.words import phrase
from service.schema.workspace.person import FactorCode, FactorEnd
from service.services.access.entries import Entries, Step
from service.services.access.second_factors import SecondFactorService
from service.services.access.sessions import Caller, SignedIn

SECOND_FACTOR = f"{PROFILE}/second-factor"


def second_step_routes(*, entries: Entries, factors: SecondFactorService, route: type[APIRoute]) -> APIRouter:
    """The second step of signing in: a code, or setting the second factor up where the workspace needs one."""
    router = APIRouter(include_in_schema=False, route_class=route)

    def page(visit: Visit, to: str, problem: ProblemError | None = None) -> Response:
        pending = entries.pending(visit.pending_token)
        if pending is None:
            return visit.go(SIGN_IN)
        said = None if problem is None else Said(sentence_of(problem), kind="fault")
        status = 200 if problem is None else problem.status
        offer = factors.offer(pending.person) if pending.step is Step.SET_UP else None
        drawn = None if offer is None else qr_code(offer.uri)
        return visit.page(
            "second_step", status=status, said=said, to=to, pending=pending, offer=offer, qr=drawn, is_secret=True
        )

    @router.get(SECOND_STEP)
    def show(visit: AnyVisit, next: str = "") -> Response:  # noqa: A002  (the name in the address)
        """The form for the code; the first time with the key to scan."""
        return page(visit, local_path(next))

    @router.post(SECOND_STEP)
    def finish(visit: AnyVisit) -> Response:
        """Begins the session; a wrong code shows the form again, and new recovery codes are shown once."""
        to = local_path(visit.form.get("next", ""))
        try:
            body = model_of(FactorCode, {"code": visit.form.get("code", "")})
            done = entries.finish(visit.pending_token, body, visit.caller)
        except ProblemError as problem:
            return page(visit, to, problem)
        if not done.recovery_codes:
            return visit.begin(visit.go(to), done.token)
        return visit.begin(visit.page("recovery_codes_first", codes=done.recovery_codes, to=to), done.token)

    return router


def second_factor_routes(*, factors: SecondFactorService, route: type[APIRoute]) -> APIRouter:
    """Turning it on and off."""
    router = APIRouter(prefix=SECOND_FACTOR, include_in_schema=False, route_class=route)

    def page(visit: Visit, problem: ProblemError | None = None) -> Response:
        state, offer = factors.state(visit.who), factors.offer(visit.who.person)
        if state.since is None and offer is None:
            return visit.go(PROFILE)
        drawn = None if offer is None else qr_code(offer.uri)
        return settings_page(
            visit, "second_factor", problem=problem, state=state, offer=offer, qr=drawn, is_secret=True
        )

    def codes_page(
        visit: Visit, field: str, make: Callable[[SignedIn, FactorCode, Caller], tuple[str, ...]]
    ) -> Response:
        try:
            codes = make(visit.who, model_of(FactorCode, {"code": visit.form.get(field, "")}), visit.caller)
        except ProblemError as problem:
            return page(visit, problem)
        return settings_page(visit, "recovery_codes", codes=codes)

    @router.get("")
    def show(visit: AnyVisit) -> Response:
        """The key to scan; or since when it is on, how to get new recovery codes, and how to turn it off."""
        return page(visit)

    @router.post("/begin")
    def begin(visit: AnyVisit) -> Response:
        """Makes a key."""
        factors.begin(visit.who)
        return visit.go(SECOND_FACTOR)

    @router.post("/on")
    def turn_on(visit: AnyVisit) -> Response:
        """Turns it on by its first code, and shows the recovery codes, once."""
        return codes_page(visit, "code", factors.turn_on)

    @router.post("/codes")
    def renew_codes(visit: AnyVisit) -> Response:
        """Shows new recovery codes, once; the others no longer work."""
        return codes_page(visit, "renewal", factors.renew_codes)

    @router.post("/off")
    def turn_off(visit: AnyVisit) -> Response:
        """Turns it off, by password and code."""
        try:
            given = {name: visit.form.get(name, "") for name in ("password", "code")}
            factors.turn_off(visit.who, model_of(FactorEnd, given), visit.caller)
        except ProblemError as problem:
            return page(visit, problem)
        return visit.done(phrase("The second factor is turned off."), to=PROFILE)

    return router
