"""Invites to the team, by e-mail if there is a mail server."""

from starlette.concurrency import run_in_threadpool

from service.core.clock import Clock
from service.core.errors import ProblemError
from service.core.mail_server import MailServer
from service.schema.workspace.team import InviteCreate, NewInviteResponse
from service.services.access.access import Access
from service.services.access.team import TeamService
from service.services.alerts.mail_sender import send_now
from service.services.alerts.mails import QueuedMail
from service.services.alerts.rules import Mail


class Invitations:
    """Invites people. Call it on the event loop."""

    def __init__(self, *, team: TeamService, server: MailServer | None, clock: Clock) -> None:
        self._team = team
        self._server = server
        self._clock = clock

    @property
    def can_mail(self) -> bool:
        """True if there is a mail server."""
        return self._server is not None

    async def invite(
        self, access: Access, body: InviteCreate, *, by_mail: bool
    ) -> tuple[NewInviteResponse, str | None]:
        """Invites a person, and returns why a mail could not be sent; it is sent at once, as the link is stored
        nowhere. Raises the problems of the team, and 409 without a mail server."""
        if by_mail and self._server is None:
            detail = "Start the service with --smtp and --mail-from, the mail server and the sender's address."
            raise ProblemError(409, "no_mail_server", "There is no mail server", detail)
        made = await run_in_threadpool(self._team.invite, access, body)
        if self._server is None or not by_mail:
            return made, None
        mail = QueuedMail(0, made.email, _mail(made), self._clock.now())
        return made, await send_now(self._server, mail)


def _mail(made: NewInviteResponse) -> Mail:
    return Mail(
        "You are invited to run menu boards",
        f"Open this link, and choose a password:\n\n{made.desk_link}\n\n"
        f"It works once, until {made.expires_at[:10]}. Your role is {made.role}.\n",
    )
