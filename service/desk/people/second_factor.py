"""Second factor: the sign-in step that asks for it, and turning it on and off in the profile."""

from collections.abc import Callable

from starlette.responses import Response

from service.api.http.bodies import model_of
from service.core.errors import ProblemError
from service.desk.desk import Desk
from service.desk.people.profile import PROFILE
from service.desk.people.qr import qr_code
from service.desk.routing import desk_routes
from service.desk.settings.pages import settings_page
from service.desk.visits import SECOND_STEP, SIGN_IN, AnyVisit, Visit, local_path
from service.desk.words import phrase
from service.schema.workspace.person import FactorCode, FactorEnd
from service.services.access.entries import Step
from service.services.access.sessions import Caller, SignedIn

SECOND_FACTOR = f"{PROFILE}/second-factor"

second_step = desk_routes(Desk)


def _step_page(desk: Desk, visit: Visit, to: str, problem: ProblemError | None = None) -> Response:
    pending = desk.services.entries.pending(visit.pending_token)
    if pending is None:
        return visit.go(SIGN_IN)
    offer = desk.services.factors.offer(pending.person) if pending.step is Step.SET_UP else None
    drawn = None if offer is None else qr_code(offer.uri)
    return visit.page("second_step", fault=problem, to=to, pending=pending, offer=offer, qr=drawn, is_secret=True)


@second_step.get(SECOND_STEP)
def show_step(desk: Desk, visit: AnyVisit, next: str = "") -> Response:  # noqa: A002  (the name in the address)
    """Returns the form for the code; the first time with the key to scan."""
    return _step_page(desk, visit, local_path(next))


@second_step.post(SECOND_STEP)
def finish_step(desk: Desk, visit: AnyVisit) -> Response:
    """Begins the session; a wrong code shows the form again, and new recovery codes are shown once."""
    to = local_path(visit.form.get("next", ""))
    try:
        body = model_of(FactorCode, {"code": visit.form.get("code", "")})
        done = desk.services.entries.finish(visit.pending_token, body, visit.caller)
    except ProblemError as problem:
        return _step_page(desk, visit, to, problem)
    if not done.recovery_codes:
        return visit.begin(visit.go(to), done.token)
    return visit.begin(visit.page("recovery_codes_first", codes=done.recovery_codes, to=to), done.token)


routes = desk_routes(Desk, SECOND_FACTOR)


def _page(desk: Desk, visit: Visit, problem: ProblemError | None = None) -> Response:
    state, offer = desk.services.factors.state(visit.who), desk.services.factors.offer(visit.who.person)
    if state.since is None and offer is None:
        return visit.go(PROFILE)
    drawn = None if offer is None else qr_code(offer.uri)
    return settings_page(visit, "second_factor", problem=problem, state=state, offer=offer, qr=drawn, is_secret=True)


def _codes_page(
    desk: Desk, visit: Visit, field: str, make: Callable[[SignedIn, FactorCode, Caller], tuple[str, ...]]
) -> Response:
    try:
        codes = make(visit.who, model_of(FactorCode, {"code": visit.form.get(field, "")}), visit.caller)
    except ProblemError as problem:
        return _page(desk, visit, problem)
    return settings_page(visit, "recovery_codes", codes=codes)


@routes.get()
def show(desk: Desk, visit: AnyVisit) -> Response:
    """Returns the key to scan; or since when it is on, how to get new recovery codes, and how to turn it off."""
    return _page(desk, visit)


@routes.post("/begin")
def begin(desk: Desk, visit: AnyVisit) -> Response:
    """Makes a key."""
    desk.services.factors.begin(visit.who)
    return visit.go(SECOND_FACTOR)


@routes.post("/on")
def turn_on(desk: Desk, visit: AnyVisit) -> Response:
    """Turns it on by its first code, and shows the recovery codes, once."""
    return _codes_page(desk, visit, "code", desk.services.factors.turn_on)


@routes.post("/codes")
def renew_codes(desk: Desk, visit: AnyVisit) -> Response:
    """Shows new recovery codes, once; the others no longer work."""
    return _codes_page(desk, visit, "renewal", desk.services.factors.renew_codes)


@routes.post("/off")
def turn_off(desk: Desk, visit: AnyVisit) -> Response:
    """Turns it off, by password and code."""
    try:
        given = {name: visit.form.get(name, "") for name in ("password", "code")}
        desk.services.factors.turn_off(visit.who, model_of(FactorEnd, given), visit.caller)
    except ProblemError as problem:
        return _page(desk, visit, problem)
    return visit.done(phrase("The second factor is turned off."), to=PROFILE)
