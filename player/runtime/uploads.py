"""Sends the service a picture of the display or the log, for a command of the operator."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from player.display.window.screenshot import fit_png
from player.domain import events as ev
from player.domain.actions import Upload
from player.domain.commands import Outcome
from player.link.api import ServiceApi
from player.link.outcomes import Fresh
from player.page.picture import Pictures
from player.recent_log import HIDDEN, RECENT_LOG

log = logging.getLogger(__name__)

PICTURE_SECONDS = 10.0
"""A picture of the glass may take this long."""

MAX_SCREENSHOT_BYTES = 8 * 1024**2
MAX_LOG_BYTES = 256 * 1024
"""The service accepts no more."""

BROKEN_COMMAND = "The player could not do it because of an error of its own; see its log."

Done = tuple[Outcome, str]


class Uploads:
    """Carries the commands out, and reports `CommandEnded`. `token` is that of the screen, None if there is none."""

    def __init__(
        self,
        *,
        api: ServiceApi,
        token: Callable[[], str | None],
        pictures: Pictures,
        emit: Callable[[ev.Event], None],
    ) -> None:
        self._api = api
        self._token = token
        self._pictures = pictures
        self._emit = emit

    async def send(self, action: Upload) -> None:
        try:
            outcome, detail = await (self._screenshot() if action.what == "screenshot" else self._logs())
        except Exception:
            log.exception("command failed")
            outcome, detail = Outcome.FAILED, BROKEN_COMMAND
        (log.info if outcome is Outcome.DONE else log.warning)("command of the service ended: %s", detail)
        self._emit(ev.CommandEnded(id=action.command, outcome=outcome, detail=detail))

    async def _screenshot(self) -> Done:
        try:
            async with asyncio.timeout(PICTURE_SECONDS):
                picture = await self._pictures.take()
        except TimeoutError:
            return Outcome.FAILED, f"The display gave no picture within {PICTURE_SECONDS:g} seconds."
        if picture.secret:
            return (
                Outcome.REFUSED,
                f"No picture was taken, because the {picture.secret} is on the screen. Ask again in two minutes.",
            )
        image: bytes | None = picture.content
        if len(picture.content) > MAX_SCREENSHOT_BYTES:
            image = await asyncio.to_thread(fit_png, picture.content, MAX_SCREENSHOT_BYTES)
        if image is None:
            return Outcome.FAILED, f"The picture cannot be made smaller than {MAX_SCREENSHOT_BYTES} bytes."
        return await self._upload("/screenshot", image, "image/png", done="A picture of the screen was sent.")

    async def _logs(self) -> Done:
        # What looks like a token is hidden when a line is kept; this one is hidden whatever it looks like.
        lines = RECENT_LOG.tail(max_bytes=MAX_LOG_BYTES).replace(self._token() or HIDDEN, HIDDEN)
        return await self._upload("/logs", lines.encode(), "text/plain; charset=utf-8", done="The log was sent.")

    async def _upload(self, path: str, content: bytes, media_type: str, *, done: str) -> Done:
        token = self._token()
        if token is None:
            return Outcome.FAILED, "The screen is not paired any more."
        outcome = await self._api.upload(path, token=token, content=content, media_type=media_type)
        if isinstance(outcome, Fresh):
            return Outcome.DONE, done
        return Outcome.FAILED, f"The service did not take it: {outcome.detail}. Send the command again."
