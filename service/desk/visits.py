"""A request to the desk: the user, the language, and the responses of pages and acts.

A page answers with a whole document; an act with the part that htmx requested and its message, or, without JavaScript,
with a redirect to the page.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Depends
from starlette.datastructures import URL
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from service.api.http.authentication import address_of
from service.api.http.compression import compress
from service.core.errors import ProblemError
from service.core.ids import masked
from service.core.permissions import Permission
from service.desk.forms import Form
from service.desk.navigation import sections_for
from service.desk.problems import sentence_of
from service.desk.rendering import render
from service.desk.said import Said, Undo, packed, unpacked
from service.desk.words import Phrase, language_of
from service.services.access.access import Access
from service.services.access.entries import PENDING_LIFETIME, Entry, Step
from service.services.access.sessions import LONGEST, Caller, SignedIn

HOME = "/desk/screens"
SIGN_IN = "/desk/sign-in"
SECOND_STEP = f"{SIGN_IN}/code"
SURE = "sure"
"""The field of a form that is sent again after a question."""

_POLICY = "; ".join(
    (
        "default-src 'self'",
        "img-src 'self' data:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}
_LANGUAGE = "desk-language"


@dataclass(frozen=True, slots=True)
class Cookies:
    """Names of the cookies. `__Host-` ties one to this host and to HTTPS; a service without HTTPS cannot have it."""

    secure: bool

    @property
    def session(self) -> str:
        return "__Host-desk" if self.secure else "desk"

    @property
    def pending(self) -> str:
        return "__Host-desk-step" if self.secure else "desk-step"

    @property
    def provider(self) -> str:
        """Name of the cookie of a sign-in that continues at the identity provider."""
        return "__Host-desk-provider" if self.secure else "desk-provider"

    @property
    def said(self) -> str:
        """Name of the cookie with the message of an act."""
        return "__Host-desk-said" if self.secure else "desk-said"

    def set(self, reply: Response, name: str, value: str, *, seconds: int | None = None) -> None:
        """Sets a cookie that scripts cannot read and that other sites' forms do not send."""
        reply.set_cookie(name, value, max_age=seconds, path="/", secure=self.secure, httponly=True, samesite="lax")

    def remove(self, reply: Response, name: str) -> None:
        reply.delete_cookie(name, path="/", secure=self.secure, httponly=True, samesite="lax")


class Visit:
    """A request with its session, form and language."""

    def __init__(self, request: Request, *, cookies: Cookies, who: SignedIn | None, live_mark: str) -> None:
        self.request = request
        self.form: Form = {}
        self.live_mark = live_mark
        self.file, self.file_name = b"", ""
        self._cookies = cookies
        self._who = who
        chosen = (None if who is None else who.language, request.cookies.get(_LANGUAGE))
        self.language = language_of(chosen, request.headers.get("accept-language", ""))

    @property
    def who(self) -> SignedIn:
        if self._who is None:
            raise TypeError("this route lets in who is not signed in: make it with desk_route")
        return self._who

    @property
    def is_signed_in(self) -> bool:
        return self._who is not None

    @property
    def access(self) -> Access:
        """Caller of services: the user's workspace, role and member."""
        return self.who.access

    @property
    def wants_part(self) -> bool:
        """Whether htmx requests a part of the page."""
        headers = self.request.headers
        return "hx-request" in headers and "hx-history-restore-request" not in headers

    @property
    def address(self) -> str:
        """Path and query of this page, for links back to it."""
        url = self.request.url
        return f"{url.path}?{url.query}" if url.query else url.path

    def page(
        self,
        template: str,
        /,
        *,
        status: int = 200,
        said: Said | None = None,
        fault: ProblemError | None = None,
        **values: Any,
    ) -> Response:
        """A whole page; `template` is a name in `templates/pages`. With a `fault` it is one that is shown again."""
        if fault is not None:
            status, said = fault.status, Said(sentence_of(fault), kind="fault")
        waiting = unpacked(self.request.cookies.get(self._cookies.said, ""))
        reply = self._html(f"pages/{template}", status, said=said or waiting, **values)
        if waiting is not None:
            self._cookies.remove(reply, self._cookies.said)
        return reply

    def part(self, template: str, /, *, said: Said | None = None, **values: Any) -> Response:
        """Renders a part of a page, with the message `said`; `template` is a name in `templates/parts`."""
        return self._html(f"parts/{template}", 200, said=said, is_part=True, **values)

    def refusal(self, said: Said, *, status: int) -> Response:
        """Returns the sentence alone, for htmx: nothing else on the page changes."""
        reply = self._html("parts/said", status, said=said, is_part=True)
        reply.headers["HX-Reswap"] = "none"
        return reply

    def done(self, sentence: Phrase, *, to: str, undo: Undo | None = None) -> Response:
        """Redirects to a page, which shows the result of the act."""
        return self._go_saying(Said(sentence, undo), to)

    @property
    def is_sure(self) -> bool:
        """Whether the user has confirmed, or undoes an act."""
        return SURE in self.form

    def ask(self, question: Phrase, *, because: Phrase, yes: Phrase, back: str, **values: Any) -> Response:
        """Asks before an act: the same form again, with `SURE`, or back to a page."""
        fields = {name: value for name, value in self.form.items() if name != "csrf"} | {SURE: "1"}
        reply = self.page("ask", question=question, because=because, yes=yes, back=back, fields=fields, **values)
        if self.wants_part:
            # The question takes the place of the page, not of the part that it comes from.
            reply.headers.update({"HX-Retarget": "body", "HX-Reswap": "innerHTML"})
        return reply

    def late(self, sentence: Phrase) -> Response:
        """Returns to the current page of a form, which shows why nothing was done."""
        return self._go_saying(Said(sentence, kind="fault"), self.request.url.path)

    def _go_saying(self, said: Said, to: str) -> Response:
        # An undo that is too long for the cookie is left out; what was done is said all the same.
        # What undoes a large change does not fit into a cookie: then it is told alone.
        text = packed(said) or packed(Said(said.sentence, kind=said.kind))
        # 204 with HX-Location would not show the sentence: the page itself does, as without JavaScript.
        reply = Response(headers={"HX-Redirect": to}) if self.wants_part else RedirectResponse(to, status_code=303)
        reply.headers.update(HEADERS)
        if text is not None:
            self._cookies.set(reply, self._cookies.said, text, seconds=60)
        return reply

    def go(self, to: str) -> Response:
        reply = Response(headers={"HX-Redirect": to}) if self.wants_part else RedirectResponse(to, status_code=303)
        reply.headers.update(HEADERS)
        return reply

    def enter(self, entry: Entry, *, to: str) -> Response:
        """Redirects to a page with a new session, or first to the second step of signing in."""
        if entry.step is Step.SIGNED_IN:
            return self.begin(self.go(to), entry.token)
        reply = self.go(f"{SECOND_STEP}?{urlencode({'next': to})}")
        self._cookies.set(reply, self._cookies.pending, entry.token, seconds=int(PENDING_LIFETIME.total_seconds()))
        return reply

    def begin(self, reply: Response, token: str) -> Response:
        """Sets a new session in the response: it replaces any former one of the browser."""
        self._cookies.set(reply, self._cookies.session, token, seconds=int(LONGEST.total_seconds()))
        if self.pending_token:
            self._cookies.remove(reply, self._cookies.pending)
        return reply

    def depart(self, url: str, value: str) -> Response:
        """Redirects to the identity provider; the browser keeps the value that its answer has to match."""
        reply = RedirectResponse(url, status_code=303, headers=HEADERS)
        self._cookies.set(reply, self._cookies.provider, value, seconds=int(PENDING_LIFETIME.total_seconds()))
        return reply

    def forget_departure(self, reply: Response) -> Response:
        """Ends the sign-in by the provider in the response."""
        self._cookies.remove(reply, self._cookies.provider)
        return reply

    def leave(self, *, to: str) -> Response:
        """Redirects to a page without a session."""
        reply = self.go(to)
        self._cookies.remove(reply, self._cookies.session)
        return reply

    def speak(self, language: str, *, to: str) -> Response:
        """Redirects to a page in another language, before signing in."""
        reply = self.go(to)
        self._cookies.set(reply, _LANGUAGE, language, seconds=int(LONGEST.total_seconds()))
        return reply

    @property
    def session_token(self) -> str:
        return self.request.cookies.get(self._cookies.session, "")

    @property
    def pending_token(self) -> str:
        return self.request.cookies.get(self._cookies.pending, "")

    @property
    def provider_token(self) -> str:
        return self.request.cookies.get(self._cookies.provider, "")

    @property
    def caller(self) -> Caller:
        """Address and browser, for limits and for the list of sessions."""
        return Caller(address=address_of(self.request), agent=self.request.headers.get("user-agent", ""))

    def _html(self, template: str, status: int, **values: Any) -> Response:
        fixed: Mapping[str, Any] = {
            "visit": self,
            "who": self._who,
            "csrf": "" if self._who is None else masked(self._who.csrf),
            "sections": [] if self._who is None else sections_for(self._who.access),
            "here": self.request.url.path,
            "is_part": False,
            "is_secret": False,
        }
        shown = {**fixed, **values}
        text = render(template, self.language, **shown)
        if shown["is_part"] and shown["said"] is not None and template != "parts/said":
            text += render("parts/said", self.language, **shown)
        reply = HTMLResponse(text, status_code=status, headers=HEADERS)
        # The size of a compressed page tells of a secret that it repeats.
        return reply if shown["is_secret"] else compress(self.request, reply)


def local_path(text: str) -> str:
    """Returns the path within the desk that a form or a link named to go back to; its first page for any other."""
    url = URL(text)
    inside = text.startswith("/desk/") and not url.netloc and "\\" not in text and text.isprintable()
    return text if inside else HOME


def the_visit(request: Request) -> Visit:
    """Returns the visit that `desk_route` has prepared."""
    visit = request.state.visit
    if not isinstance(visit, Visit):
        raise TypeError("the route is not of the desk: make it with desk_route")
    return visit


def allow(permission: Permission, *, everywhere: bool = False) -> Any:
    """Returns a visit of a user who has the permission. Raises the 403 problem."""

    async def check(request: Request) -> Visit:
        visit = the_visit(request)
        visit.access.require(permission)
        if everywhere:
            visit.access.reach_all()
        return visit

    return Depends(check)


AnyVisit = Annotated[Visit, Depends(the_visit)]
MayRead = Annotated[Visit, allow(Permission.READ)]
MayEdit = Annotated[Visit, allow(Permission.EDIT)]
MayEditEverywhere = Annotated[Visit, allow(Permission.EDIT, everywhere=True)]
MayPublish = Annotated[Visit, allow(Permission.PUBLISH)]
MayManageScreens = Annotated[Visit, allow(Permission.SCREENS)]
MayManageKeys = Annotated[Visit, allow(Permission.KEYS)]
MayManageTeam = Annotated[Visit, allow(Permission.TEAM)]
MayManageWebhooks = Annotated[Visit, allow(Permission.WEBHOOKS)]
MayManageAlerts = Annotated[Visit, allow(Permission.ALERTS)]
MayManagePos = Annotated[Visit, allow(Permission.POS)]
MayReadAudit = Annotated[Visit, allow(Permission.AUDIT)]
MayDecideSignIn = Annotated[Visit, allow(Permission.SIGN_IN)]
MayChangeSubscription = Annotated[Visit, allow(Permission.BILLING)]
