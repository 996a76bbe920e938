"""Live pages: one server-sent stream per page names the changed topics; the page then fetches the parts that show them.

The streams are fed by the change hub, as held polls are. Runs on the event loop; `on_change` is safe from any thread.
"""

import asyncio
import json
import logging
import secrets
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping
from itertools import islice
from typing import Annotated

from fastapi import APIRouter, Header, Query
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response, StreamingResponse

from service.core.changes import Change, ChangesMissed, ContentChanged, RolloutsChanged, ScreenChanged, ScreenReported
from service.core.clock import Clock, sleep
from service.core.errors import too_many_requests
from service.desk.visits import HEADERS, MayRead
from service.services.access.access import Access

MAX_STREAMS = 1000
"""Streams of all people in this process."""
MAX_STREAMS_OF_SESSION = 12
"""Streams of one session: open tabs. A hidden tab has none."""
HEARTBEAT_SECONDS = 25
"""Interval of a comment, by which both ends and proxies notice a lost connection."""
LOOK_SECONDS = 1.0
"""Interval in which the sessions of all streams are looked at, by one query: those that have ended, or may do something
else, get no more topics."""
GATHER_SECONDS = 0.2
"""Changes that follow each other so soon go as one event."""
MAX_TOPICS = 100
"""Topics of one event. More are told as everything."""
EVERYTHING = "everything"
RETRY_MILLISECONDS = 2000
MAX_RECENT = 1000
"""Changes that are kept for streams that begin later than their page, or come back. Who may have missed an older one is
told everything."""

_log = logging.getLogger(__name__)


class _Stream:
    def __init__(self, access: Access) -> None:
        self.access = access
        self.topics: set[str] = set()
        self.woken = asyncio.Event()
        self.over = False

    def tell(self, workspace: str | None, topics: Iterable[str]) -> None:
        """Queues topics of a change in that workspace, or in all for None."""
        if workspace not in (None, self.access.workspace):
            return
        self.topics.update(topics)
        if len(self.topics) > MAX_TOPICS:
            self.topics = {EVERYTHING}
        self.woken.set()

    def take(self) -> list[str]:
        """Returns the topics to send; none once the stream is over."""
        topics, self.topics = sorted(self.topics), set()
        return [] if self.over else topics

    def end(self) -> None:
        self.over = True
        self.woken.set()


class LiveStreams:
    def __init__(self, *, clock: Clock, accesses: Callable[[Collection[str]], Mapping[str, Access]]) -> None:
        """`accesses` returns the current access of each of these sessions; it may block."""
        self._clock = clock
        self._accesses = accesses
        self._look: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._streams: dict[_Stream, str] = {}
        self._of_session: Counter[str] = Counter()
        self._closed = False
        self._process = secrets.token_hex(4)
        self._count = 0
        self._recent: deque[tuple[str | None, tuple[str, ...]]] = deque(maxlen=MAX_RECENT)

    def open(self) -> None:
        """Starts to forward changes, on the running loop."""
        self._loop = asyncio.get_running_loop()

    def close(self) -> None:
        """Ends every stream, and opens none from now on."""
        self._closed = True
        for stream in self._streams:
            stream.end()
        if self._look is not None:
            self._look.cancel()

    @property
    def streaming(self) -> int:
        return len(self._streams)

    @property
    def mark(self) -> str:
        """Identifies the changes that this process has sent so far. A page has the mark from before it was rendered."""
        return f"{self._process}-{self._count}"

    def on_change(self, change: Change) -> None:
        """Sends a change to the streams of the workspace, from this or another process."""
        loop = self._loop
        topics = topics_of(change)
        if topics and loop is not None and not loop.is_closed():
            workspace = getattr(change, "workspace", None)
            loop.call_soon_threadsafe(self._tell, workspace, topics)

    def _tell(self, workspace: str | None, topics: tuple[str, ...]) -> None:
        self._count += 1
        self._recent.append((workspace, topics))
        for stream in self._streams:
            stream.tell(workspace, topics)

    def stream(self, access: Access, session: str, *, since: str) -> AsyncIterator[bytes]:
        """Opens a stream of events, first of those after the mark `since`; it ends soon after the session has ended or
        its role has changed. Raises the 429 problem for too many."""
        if self._closed or len(self._streams) >= MAX_STREAMS or self._of_session[session] >= MAX_STREAMS_OF_SESSION:
            raise too_many_requests("Too many pages of the desk are open.", HEARTBEAT_SECONDS)
        return self._events(_Stream(access), session, since)

    def _tell_missed(self, stream: _Stream, since: str) -> None:
        """Sends the changes after the mark to a stream."""
        process, _, number = since.partition("-")
        forgotten = self._count - len(self._recent)
        if process != self._process or not number.isdecimal() or len(number) > 18 or int(number) < forgotten:
            stream.tell(None, (EVERYTHING,))
            return
        for workspace, topics in islice(self._recent, int(number) - forgotten, None):
            stream.tell(workspace, topics)

    async def _look_at_sessions(self) -> None:
        """Ends the streams of sessions that have ended or changed, as long as there are streams."""
        while self._streams:
            await sleep(self._clock, LOOK_SECONDS)
            streams = dict(self._streams)
            try:
                now = await run_in_threadpool(self._accesses, set(streams.values()))
            except Exception:
                _log.exception("cannot look at the sessions of live pages; ending their streams")
                now = {}
            for stream, session in streams.items():
                if now.get(session) != stream.access:
                    stream.end()

    async def _events(self, stream: _Stream, session: str, since: str) -> AsyncIterator[bytes]:
        # Here, not in `stream`: an answer that is never begun would stay counted.
        self._streams[stream] = session
        self._of_session[session] += 1
        self._tell_missed(stream, since)
        if self._look is None or self._look.done():
            self._look = asyncio.create_task(self._look_at_sessions())
        timer = self._clock.call_later(HEARTBEAT_SECONDS, stream.woken.set)
        try:
            # A comment: an event named "open" would be taken for the browser's own, that of a stream that came back.
            yield b"retry: %d\n: open\n\n" % RETRY_MILLISECONDS
            while not stream.over:
                await stream.woken.wait()
                stream.woken.clear()
                if stream.topics and not stream.over:
                    await sleep(self._clock, GATHER_SECONDS)
                    if topics := stream.take():
                        data = json.dumps({"topics": topics})
                        yield f"id: {self.mark}\nevent: changed\ndata: {data}\n\n".encode()
                elif not stream.over:
                    timer = self._clock.call_later(HEARTBEAT_SECONDS, stream.woken.set)
                    yield b": still here\n\n"
        finally:
            timer.cancel()
            del self._streams[stream]
            self._of_session[session] -= 1
            if not self._of_session[session]:
                del self._of_session[session]


def topics_of(change: Change) -> tuple[str, ...]:
    """Returns the topics of a change: `data-live` of the parts of pages names some of them."""
    match change:
        case ContentChanged(items=items, playlist=playlist):
            published = () if playlist is None else ("playlists", f"playlist:{playlist}")
            return ("menu", *(f"item:{item}" for item, _ in items), *published)
        case ScreenChanged(screen=screen):
            return "screens", f"screen:{screen}"
        case ScreenReported(screen=screen):
            return "reports", f"screen:{screen}"
        case RolloutsChanged():
            return ("rollouts",)
        case ChangesMissed():
            return (EVERYTHING,)
        case _:
            return ()


def live_routes(*, live: LiveStreams, route: type[APIRoute]) -> APIRouter:
    router = APIRouter(include_in_schema=False, route_class=route)

    @router.get("/desk/live")
    async def stream(
        visit: MayRead,
        since: Annotated[str, Query()] = "",
        last: Annotated[str, Header(alias="Last-Event-ID")] = "",
    ) -> Response:
        """Streams the topics of changes, as long as the page is open."""
        events = live.stream(visit.access, visit.who.session, since=last or since)
        return StreamingResponse(events, media_type="text/event-stream", headers={**HEADERS, "X-Accel-Buffering": "no"})

    return router
