"""Previews of syncs: reads a feed on request, and reports the changes of a sync."""

from starlette.concurrency import run_in_threadpool

from service.core.errors import ProblemError
from service.schema.content.pos import PreviewResponse
from service.services.pos.connections import PosService, no_feed
from service.services.pos.connector import Connector

MAX_PREVIEWS = 4
"""Previews that a process makes at a time: a feed may keep each waiting for seconds."""


class SyncPreviews:
    """Makes previews. Call it on the event loop."""

    def __init__(self, *, pos: PosService, connector: Connector) -> None:
        self._pos = pos
        self._connector = connector
        self._running = 0

    async def preview(self, workspace: str, connection: str) -> PreviewResponse:
        """Returns the changes that a sync would make now. Raises the 404 and 409 problems, and 503 while there are too
        many."""
        source = await run_in_threadpool(self._pos.source, workspace, connection)
        if not source.feed:
            raise no_feed()
        if self._running >= MAX_PREVIEWS:
            raise ProblemError(
                503,
                "preview_busy",
                "Too many previews are being made",
                f"At most {MAX_PREVIEWS} are made at a time.",
                headers={"Retry-After": "5"},
            )
        self._running += 1
        try:
            feed = await self._connector.read(source)
            return await run_in_threadpool(self._pos.preview, workspace, connection, feed)
        finally:
            self._running -= 1
