"""Live pages: what a page is told of changes, also of those while it was being loaded."""

import asyncio
import json
from collections.abc import Awaitable, Callable

import pytest

from service.core.changes import ContentChanged, ScreenChanged
from service.core.errors import ProblemError
from service.core.permissions import Role
from service.desk.live import MAX_RECENT, MAX_STREAMS_OF_SESSION, LiveStreams, topics_of
from service.services.access.access import Access
from tests.service.support.application import Cafe, Caller, Service, VirtualClock, until
from tests.service.support.desk import Person, person

VIEWER = Access(workspace="ws", role=Role.VIEWER, key="mem")


@pytest.fixture
def sessions() -> dict[str, Access]:
    """The sessions that last, with what they may do."""
    return {"ses": VIEWER}


@pytest.fixture
async def live(clock: VirtualClock, sessions: dict[str, Access]) -> LiveStreams:
    live = LiveStreams(clock=clock, accesses=lambda _: sessions)
    live.open()
    return live


async def test_live_streams_name_what_changes_in_their_workspace_and_end_with_the_service(
    clock: VirtualClock, live: LiveStreams, sessions: dict[str, Access]
) -> None:
    sessions |= {name: Access(workspace=name, role=Role.VIEWER, key="mem") for name in ("ws_1", "ws_2")}
    first, other = (live.stream(sessions[name], name, since=live.mark) for name in ("ws_1", "ws_2"))
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
    stream = live.stream(VIEWER, "ses", since=since)
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
    mark, of_another_process = live.mark, LiveStreams(clock=clock, accesses=dict).mark
    for strange in (of_another_process, "", "x", f"{mark}x", mark + "9" * 5000):
        assert b"everything" in (await first_event(clock, live, strange) or b""), strange
    for count, expected in ((MAX_RECENT, b"menu"), (1, b"everything")):
        for _ in range(count):
            live.on_change(ContentChanged("ws"))
        await clock.advance(1)
        assert expected in (await first_event(clock, live, mark) or b"")


async def test_a_session_has_so_many_streams_at_most(clock: VirtualClock, live: LiveStreams) -> None:
    for _ in range(MAX_STREAMS_OF_SESSION):
        await anext(live.stream(VIEWER, "ses", since=live.mark))
    with pytest.raises(ProblemError, match="Too many pages"):
        live.stream(VIEWER, "ses", since=live.mark)
    assert live.streaming == MAX_STREAMS_OF_SESSION


async def test_sessions_that_cannot_be_looked_at_have_no_streams(
    clock: VirtualClock, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_: object) -> dict[str, Access]:
        raise OSError

    live = LiveStreams(clock=clock, accesses=fail)
    stream = live.stream(VIEWER, "ses", since=live.mark)
    await anext(stream)
    rest = asyncio.ensure_future(anext(stream))
    await clock.advance(1.5)
    with pytest.raises(StopAsyncIteration):
        await rest
    assert "cannot look at the sessions" in caplog.text


async def removed(desk: Person, owner: Caller, member: str) -> None:
    assert (await owner.delete(f"/v1/team/members/{member}")).status_code == 204


async def demoted(desk: Person, owner: Caller, member: str) -> None:
    assert (await owner.patch(f"/v1/team/members/{member}", {"role": "Viewer"})).status_code == 200


async def signed_out(desk: Person, owner: Caller, member: str) -> None:
    assert (await desk.submit("/desk/sign-out")).status_code in (200, 303)


async def signed_out_by_an_owner(desk: Person, owner: Caller, member: str) -> None:
    assert (await owner.delete(f"/v1/team/members/{member}/sessions")).status_code == 204


@pytest.mark.parametrize("ends", [removed, demoted, signed_out, signed_out_by_an_owner])
async def test_the_page_of_somebody_who_may_no_longer_is_told_nothing(
    service: Service, owner: Caller, cafe: Cafe, ends: Callable[[Person, Caller, str], Awaitable[None]]
) -> None:
    async with person(service, Role.EDITOR) as desk:
        await desk.open("/desk/menu")
        token = desk.session
        assert token is not None
        who = service.services.sessions.of(token)
        assert who is not None
        # Its timers are not those that the service's tests wait for.
        clock = VirtualClock()
        live = LiveStreams(clock=clock, accesses=service.services.sessions.accesses)
        live.open()
        stream = live.stream(who.access, who.session, since=live.mark)
        await anext(stream)
        rest = asyncio.ensure_future(anext(stream))
        for _ in range(5):
            await clock.advance(1)
            await until(lambda: clock.waiting == len(("look", "heartbeat")))
        assert not rest.done(), "it lasts as long as the session"

        await ends(desk, owner, who.access.key)
        await clock.advance(1)
        await until(lambda: live.streaming == 0)
        live.on_change(ContentChanged(who.access.workspace))
        await clock.advance(1)
        with pytest.raises(StopAsyncIteration):
            await rest
