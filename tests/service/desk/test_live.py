"""Live pages: what a page is told of changes, also of those while it was being loaded."""

import asyncio
import json

import pytest

from service.core.changes import ContentChanged, ScreenChanged
from service.core.errors import ProblemError
from service.core.permissions import Role
from service.desk.live import MAX_RECENT, MAX_STREAMS_OF_SESSION, LiveStreams, topics_of
from service.services.access.access import Access
from tests.service.support.application import VirtualClock


@pytest.fixture
async def live(clock: VirtualClock) -> LiveStreams:
    live = LiveStreams(clock=clock)
    live.open()
    return live


async def test_live_streams_name_what_changes_in_their_workspace_and_end_with_the_service(
    clock: VirtualClock, live: LiveStreams
) -> None:
    ours, theirs = (Access(workspace=name, role=Role.VIEWER, key="mem") for name in ("ws_1", "ws_2"))
    first = live.stream(ours, "ses", since=live.mark, lasts=lambda: True)
    other = live.stream(theirs, "ses", since=live.mark, lasts=lambda: True)
    assert b"event:" not in await anext(first)
    await anext(other)

    live.on_change(ContentChanged("ws_1", items=(("itm_1", "Coffee"),)))
    waiting = asyncio.ensure_future(anext(first))
    await clock.advance(1)
    assert b'event: changed\ndata: {"topics": ["item:itm_1", "menu"]}\n\n' in await waiting

    quiet = asyncio.ensure_future(anext(other))
    await clock.advance(1)
    assert not quiet.done()
    live.close()
    with pytest.raises(StopAsyncIteration):
        await quiet
    assert topics_of(ContentChanged("ws_1")) == ("menu",)


async def first_event(clock: VirtualClock, live: LiveStreams, since: str) -> bytes | None:
    """What a stream with this mark is told within a second, if anything."""
    stream = live.stream(Access(workspace="ws", role=Role.VIEWER, key="mem"), "ses", since=since, lasts=lambda: True)
    await anext(stream)
    event = asyncio.ensure_future(anext(stream))
    await clock.advance(1)
    if event.done():
        return await event
    event.cancel()
    return None


async def test_a_stream_begins_with_what_has_changed_since_its_page_was_made(
    clock: VirtualClock, live: LiveStreams
) -> None:
    marks = [live.mark]
    for change in (ContentChanged("ws", items=(("itm_1", "Coffee"),)), ScreenChanged("ws", "scr_1")):
        live.on_change(change)
        live.on_change(ContentChanged("ws_of_others"))
        await clock.advance(1)
        marks.append(live.mark)
    told = [["item:itm_1", "menu", "screen:scr_1", "screens"], ["screen:scr_1", "screens"]]
    for mark, topics in zip(marks, told, strict=False):
        event = await first_event(clock, live, mark)
        assert event is not None
        assert json.dumps({"topics": topics}).encode() in event
        # A browser that lost the stream names the last event that it got.
        assert await first_event(clock, live, event.split(b"\n")[0].removeprefix(b"id: ").decode()) is None
    assert await first_event(clock, live, marks[-1]) is None


async def test_a_stream_begins_with_everything_where_it_may_have_missed_what_is_forgotten(
    clock: VirtualClock, live: LiveStreams
) -> None:
    mark, of_another_process = live.mark, LiveStreams(clock=clock).mark
    for strange in (of_another_process, "", "x", f"{mark}x", mark + "9" * 5000):
        assert b"everything" in (await first_event(clock, live, strange) or b""), strange
    for count, expected in ((MAX_RECENT, b"menu"), (1, b"everything")):
        for _ in range(count):
            live.on_change(ContentChanged("ws"))
        await clock.advance(1)
        assert expected in (await first_event(clock, live, mark) or b"")


async def test_a_session_has_so_many_streams_at_most_and_none_after_it_has_ended(
    clock: VirtualClock, live: LiveStreams
) -> None:
    access = Access(workspace="ws", role=Role.VIEWER, key="mem")
    lasts = [True]
    streams = [
        live.stream(access, "ses", since=live.mark, lasts=lambda: lasts[0]) for _ in range(MAX_STREAMS_OF_SESSION)
    ]
    for stream in streams:
        await anext(stream)
    with pytest.raises(ProblemError, match="Too many pages"):
        live.stream(access, "ses", since=live.mark, lasts=lambda: True)
    assert live.streaming == MAX_STREAMS_OF_SESSION
    lasts[0] = False
    rest = asyncio.ensure_future(anext(streams[0]))
    await clock.advance(26)
    with pytest.raises(StopAsyncIteration):
        await rest
    assert live.streaming == MAX_STREAMS_OF_SESSION - 1
