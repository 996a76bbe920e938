"""Signing in by a mailed link, and choosing a new password by one."""

from collections.abc import Callable
from html import unescape

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from service.api.http.bodies import model_of
from service.core.errors import ProblemError
from service.desk.desk import Desk
from service.desk.routing import desk_routes
from service.desk.visits import HOME, SIGN_IN, AnyVisit, Visit
from service.desk.words import Phrase, phrase, phrases, translated
from service.schema.workspace.person import LinkRequest, NewPassword
from service.services.access.people import MAILED_LIFETIME, LinkPurpose
from service.services.alerts.rules import Mail

MAILED_SIGN_IN = "/desk/mailed/sign-in"
MAILED_PASSWORD = "/desk/mailed/password"  # noqa: S105  (a path)
MINUTES = MAILED_LIFETIME.seconds // 60

_ASKED: dict[str, LinkPurpose] = {"link": LinkPurpose.MAILED, "password": LinkPurpose.PASSWORD}
"""The last part of the address of a form, and the link that is asked for there."""
_LEADS_TO = {LinkPurpose.MAILED: MAILED_SIGN_IN, LinkPurpose.PASSWORD: MAILED_PASSWORD}
_SUBJECT = {
    LinkPurpose.MAILED: phrase("Your link to sign in"),
    LinkPurpose.PASSWORD: phrase("Choose a new password"),
}
_BODY = {
    LinkPurpose.MAILED: phrase("Open this link to sign in to the menu boards:"),
    LinkPurpose.PASSWORD: phrase("Open this link to choose a new password for the menu boards:"),
}

routes = desk_routes(Desk)


def _form(visit: Visit, what: str, problem: ProblemError | None = None) -> Response:
    return visit.page("mail_link", fault=problem, what=what, email=visit.form.get("email", ""))


def _new_password(visit: Visit, token: str, problem: ProblemError | None = None) -> Response:
    return visit.page("new_password", fault=problem, token=token)


@routes.get(f"{SIGN_IN}/link")
@routes.get(f"{SIGN_IN}/password")
async def show(desk: Desk, visit: AnyVisit) -> Response:
    """Returns the form for the address."""
    return _form(visit, _what(visit)) if desk.services.mailed_links.can_mail else visit.go(SIGN_IN)


@routes.post(f"{SIGN_IN}/link")
@routes.post(f"{SIGN_IN}/password")
async def ask(desk: Desk, visit: AnyVisit) -> Response:
    """Mails a link, if somebody has the address; says the same if not."""
    asked = _what(visit)
    purpose = _ASKED[asked]
    if not desk.services.mailed_links.can_mail:
        return visit.go(SIGN_IN)
    try:
        body = model_of(LinkRequest, {"email": visit.form.get("email", "")})
        mail = _mail(purpose, visit.language)
        await desk.services.mailed_links.send(body, purpose, visit.caller, path=_LEADS_TO[purpose], mail=mail)
    except ProblemError as problem:
        return await run_in_threadpool(_form, visit, asked, problem)
    return visit.page("mail_sent", email=body.email, minutes=MINUTES)


@routes.get(MAILED_SIGN_IN)
async def arrive(desk: Desk, visit: AnyVisit, token: str = "") -> Response:
    """A button: programs that open the links of mails must not use them up."""
    return visit.page("mailed_sign_in", token=token)


@routes.post(MAILED_SIGN_IN)
def follow(desk: Desk, visit: AnyVisit) -> Response:
    """Signs in by the link."""
    return visit.enter(
        desk.services.people.follow(visit.form.get("token", ""), visit.caller, LinkPurpose.MAILED), to=HOME
    )


@routes.get(MAILED_PASSWORD)
async def show_password(desk: Desk, visit: AnyVisit, token: str = "") -> Response:
    """Returns the form for the new password."""
    return _new_password(visit, token)


@routes.post(MAILED_PASSWORD)
def choose(desk: Desk, visit: AnyVisit) -> Response:
    """Changes the password, ends all sessions and begins one; what is not valid shows the form again."""
    given = {name: visit.form.get(name, "") for name in ("token", "password")}
    try:
        return visit.enter(desk.services.people.choose_password(model_of(NewPassword, given), visit.caller), to=HOME)
    except ProblemError as problem:
        if problem.status != 422:
            raise
        return _new_password(visit, given["token"], problem)


def _what(visit: Visit) -> str:
    return visit.request.url.path.rpartition("/")[2]


def _mail(purpose: LinkPurpose, language: str) -> Callable[[str], Mail]:
    """Returns a function that writes the mail around the link, in the user's language."""

    def words(said: Phrase) -> str:
        return unescape(translated(said, language))

    ends = phrases(
        "It works once, for {count} minute. If you have not asked for it, do nothing: without it nobody gets in.",
        "It works once, for {count} minutes. If you have not asked for it, do nothing: without it nobody gets in.",
        count=MINUTES,
    )
    return lambda link: Mail(words(_SUBJECT[purpose]), f"{words(_BODY[purpose])}\n\n{link}\n\n{words(ends)}\n")
