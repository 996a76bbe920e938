"""Sends mails by SMTP (RFC 5321), over TLS except to this machine."""

import asyncio
import contextlib
import hashlib
import logging
from collections.abc import Sequence
from email.message import EmailMessage
from email.utils import format_datetime, make_msgid, parseaddr

import aiosmtplib
from starlette.concurrency import run_in_threadpool

from service.core.clock import Clock
from service.core.mail_server import MailServer
from service.services.alerts.mails import MailQueue, QueuedMail
from service.storage.full_disk import is_full_disk

MAX_FAILURE_LENGTH = 300

_log = logging.getLogger(__name__)


class MailSender:
    """Sends due mails. Call its methods on the event loop."""

    def __init__(self, *, queue: MailQueue, server: MailServer, clock: Clock) -> None:
        self._queue = queue
        self._server = server
        self._clock = clock
        self._task: asyncio.Task[None] | None = None

    def tick(self) -> None:
        """Sends due mails, unless that is under way."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._round())

    async def close(self) -> None:
        """Stops at once. A mail that is just being sent may be sent again."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def _round(self) -> None:
        try:
            mails = await run_in_threadpool(self._queue.due, self._clock.now())
            if mails:
                await self._send(mails)
        except Exception as fault:
            if not is_full_disk(fault):
                _log.exception("mails cannot be read or recorded; trying again")

    async def _send(self, mails: Sequence[QueuedMail]) -> None:
        """Sends all of them over one connection; a broken connection fails the rest."""
        server = self._server
        smtp = _connection(server)
        broken: str | None = None
        try:
            await smtp.connect()
        except (aiosmtplib.SMTPException, OSError, ValueError) as fault:
            broken = _words(fault)
        for mail in mails:
            failure = broken
            if failure is None:
                try:
                    await smtp.send_message(_message(mail, server.sender, _id_of(mail, server.sender)))
                except (aiosmtplib.SMTPException, OSError, ValueError) as fault:
                    failure = _words(fault)
                    broken = None if smtp.is_connected else failure
            await run_in_threadpool(self._queue.sent, mail.number, failure)
            if failure is not None:
                _log.warning("a mail was not accepted: %s", failure)
        smtp.close()


async def send_now(server: MailServer, mail: QueuedMail) -> str | None:
    """Sends one mail; returns None, or why it was not accepted."""
    smtp = _connection(server)
    try:
        await smtp.connect()
        await smtp.send_message(_message(mail, server.sender, make_msgid(domain=_domain_of(server.sender))))
    except (aiosmtplib.SMTPException, OSError, ValueError) as fault:
        return _words(fault)
    finally:
        smtp.close()
    return None


def _connection(server: MailServer) -> aiosmtplib.SMTP:
    return aiosmtplib.SMTP(
        hostname=server.host,
        port=server.port,
        username=server.user,
        password=server.password,
        use_tls=server.tls,
        start_tls=not (server.tls or server.is_local),
        timeout=30.0,  # For each answer.
    )


def _id_of(mail: QueuedMail, sender: str) -> str:
    """Returns the Message-ID, the same in each try: a receiver shows a mail that was accepted twice once. Only those
    with the mail know it."""
    parts = (str(mail.number), mail.to, mail.at.isoformat(), mail.mail.subject, mail.mail.body)
    return f"<{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()}@{_domain_of(sender)}>"


def _domain_of(sender: str) -> str:
    return parseaddr(sender)[1].rpartition("@")[2]


def _message(mail: QueuedMail, sender: str, identifier: str) -> EmailMessage:
    message = EmailMessage()
    message["From"] = sender
    message["To"] = mail.to
    message["Subject"] = mail.mail.subject
    message["Date"] = format_datetime(mail.at)
    message["Message-ID"] = identifier
    # RFC 3834: no program answers it.
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(mail.mail.body)
    return message


def _words(fault: Exception) -> str:
    if isinstance(fault, aiosmtplib.SMTPRecipientsRefused):
        fault = fault.recipients[0]
    text = fault.message if isinstance(fault, aiosmtplib.SMTPResponseException) else str(fault)
    return " ".join(text.split())[:MAX_FAILURE_LENGTH] or type(fault).__name__
