"""Sends links by e-mail to people who request one: to sign in, or to choose a new password.

A link is mailed at once and not queued, as its token is stored nowhere: a person who gets no mail asks again.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable

from starlette.concurrency import run_in_threadpool

from service.core.clock import Clock
from service.core.mail_server import MailServer
from service.schema.workspace.person import LinkRequest
from service.services.access.people import LinkPurpose, PeopleService
from service.services.access.sessions import Caller
from service.services.alerts.mail_sender import send_now
from service.services.alerts.mails import QueuedMail
from service.services.alerts.rules import Mail
from service.storage.full_disk import is_full_disk

MAX_SENDING = 50
"""Mails that wait for the mail server; further ones are not sent."""

_log = logging.getLogger(__name__)


class MailedLinks:
    """Sends links. Call it on the event loop."""

    def __init__(self, *, people: PeopleService, server: MailServer | None, clock: Clock, public_url: str) -> None:
        self._people = people
        self._server = server
        self._clock = clock
        self._public_url = public_url
        self._sending: set[asyncio.Task[None]] = set()

    @property
    def can_mail(self) -> bool:
        """True if there is a mail server."""
        return self._server is not None

    async def send(
        self, body: LinkRequest, purpose: LinkPurpose, caller: Caller, *, path: str, mail: Callable[[str], Mail]
    ) -> None:
        """Mails a link to `path`, if somebody has the address. The answer comes before the look-up: neither its words
        nor its time reveal the result. Raises 429 after too many requests, of whichever address."""
        await run_in_threadpool(self._people.ask_for_link, body, caller)
        if self._server is None:
            return
        if len(self._sending) >= MAX_SENDING:
            _log.error("%d links wait for the mail server: no further one is sent", MAX_SENDING)
            return
        task = asyncio.create_task(self._send(self._server, body, purpose, f"{self._public_url}{path}", mail))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    async def finish(self) -> None:
        """Waits for the mails that are being sent."""
        await asyncio.gather(*self._sending)

    async def close(self) -> None:
        for task in tuple(self._sending):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _send(
        self, server: MailServer, body: LinkRequest, purpose: LinkPurpose, at: str, mail: Callable[[str], Mail]
    ) -> None:
        try:
            token = await run_in_threadpool(self._people.mailed_token, body, purpose)
        except Exception as fault:
            if not is_full_disk(fault):
                _log.exception("a link cannot be made")
            return
        if token is None:
            return
        made = QueuedMail(0, body.email.strip(), mail(f"{at}?token={token}"), self._clock.now())
        failure = await send_now(server, made)
        if failure is not None:
            _log.warning("a mail with a link was not accepted: %s", failure)
