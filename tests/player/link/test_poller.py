"""The poller finds out what the network allows, returns at once with a manifest, and backs off from failures."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from hashlib import sha256

import pytest

from menu.documents.manifest import LinkSettings, Manifest
from menu.documents.manifest_reader import read_manifest
from player.domain.events import HeartbeatWanted, ManifestArrived, ServiceAnswered, ServiceFailed
from player.domain.link.fault import Fault
from player.link import poller as link
from player.link.api import ServiceApi
from player.link.poller import WANTED_PAUSE_SECONDS, Poller
from tests.player.link.token_source import FakeTokenSource
from tests.support.hostile import Answer, Heard, HostileServer, Request, late, problem, raw, silence, whole
from tests.support.menus import document
from tests.support.patience import PATIENCE_SECONDS
from tests.support.virtual import Dice, VirtualClock

MARK = {"Menu-Display": "1"}


def fresh(content: bytes) -> Callable[[Request], Answer]:
    return whole(200, content, headers={"ETag": f'"{sha256(content).hexdigest()}"', **MARK})


UNCHANGED = whole(304)
HELD = late(25.0, UNCHANGED)


@pytest.fixture
def token_source() -> FakeTokenSource:
    return FakeTokenSource()


@pytest.fixture
def poller(api: ServiceApi, token_source: FakeTokenSource, clock: VirtualClock, heard: Heard) -> Poller:
    return Poller(
        api=api,
        token_source=token_source,
        etag=None,
        settings=LinkSettings(),
        clock=clock,
        random=Dice((0.5,)),
        emit=heard,
    )


async def test_a_manifest_is_emitted_once_and_the_next_request_follows_at_once(
    poller: Poller, server: HostileServer, heard: Heard, token_source: FakeTokenSource
) -> None:
    server.on("/manifest", fresh(document(revision=1)), HELD)
    assert await poller.poll() == link.FRESH_PAUSE_SECONDS
    assert await poller.poll() == 0.0
    (arrived,) = heard.of(ManifestArrived)
    assert arrived.body == document(revision=1)
    assert arrived.manifest.catalogue.revision == 1
    assert server.asked("/manifest")[1].headers["if-none-match"] == f'"{sha256(document(revision=1)).hexdigest()}"'
    assert server.asked("/manifest")[1].headers["prefer"] == "wait=25"
    assert "menu-heartbeat" in server.asked("/manifest")[1].headers, "a command may end it"
    assert heard.kinds() == ["ServiceAnswered", "ManifestArrived", "ServiceAnswered"]
    assert token_source.reports == ["accepted tok", "accepted tok"]


@pytest.mark.proves("manifest-mib-takes")
async def test_the_network_goes_on_while_a_manifest_is_read(
    poller: Poller, server: HostileServer, heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.on("/manifest", fresh(document(revision=1)))
    loop, turned = asyncio.get_running_loop(), threading.Event()

    def slow(body: bytes, *, etag: str) -> Manifest:
        loop.call_soon_threadsafe(turned.set)
        assert turned.wait(PATIENCE_SECONDS), "nothing else runs: a heartbeat would be late"
        return read_manifest(body, etag=etag)

    monkeypatch.setattr(link, "read_manifest", slow)

    await poller.poll()

    assert len(heard.of(ManifestArrived)) == 1


@pytest.mark.proves("answer-service-arrives")
@pytest.mark.parametrize("token", [None, "another"])
@pytest.mark.parametrize(
    ("during", "rule"),
    [
        ("the reading", fresh(document(revision=1))),
        *(("the call", rule) for rule in (fresh(document(revision=1)), UNCHANGED, problem(401), problem(500))),
    ],
)
async def test_an_answer_to_the_screen_that_this_was_before_says_nothing(
    poller: Poller,
    server: HostileServer,
    heard: Heard,
    token_source: FakeTokenSource,
    monkeypatch: pytest.MonkeyPatch,
    during: str,
    token: str | None,
    rule: Callable[[Request], Answer],
) -> None:
    def change(request: Request) -> Answer:
        token_source.token = token
        return rule(request)

    def read(body: bytes, *, etag: str) -> Manifest:
        token_source.token = token
        return read_manifest(body, etag=etag)

    if during == "the call":
        server.on("/manifest", change)
    else:
        server.on("/manifest", rule)
        monkeypatch.setattr(link, "read_manifest", read)
    await poller.poll()
    assert heard.events == []
    token_source.token = "another"
    await poller.poll()
    assert "if-none-match" not in server.asked("/manifest")[-1].headers


@pytest.mark.parametrize("asked", [5, 0])
async def test_a_hold_that_was_cut_does_not_outlast_what_the_service_asked_for_meanwhile(
    poller: Poller, server: HostileServer, asked: int
) -> None:
    poller.use(LinkSettings(wait_seconds=45))
    server.on("/manifest", late(40.0, raw(b"")))
    polling = asyncio.ensure_future(poller.poll())
    await asyncio.sleep(1)
    poller.use(LinkSettings(wait_seconds=asked))
    await polling
    assert poller.wait_seconds <= asked


async def test_an_unpaired_device_sends_no_request(
    poller: Poller, server: HostileServer, token_source: FakeTokenSource
) -> None:
    token_source.token = None
    assert await poller.poll() == link.IDLE_SECONDS
    assert server.requests == []


async def test_a_service_that_does_not_hold_is_polled_plainly(poller: Poller, server: HostileServer) -> None:
    server.on("/manifest", UNCHANGED)
    assert await poller.poll() == LinkSettings().poll_seconds


@pytest.mark.parametrize(("dice", "seconds"), [(0.0, 16.0), (0.5, 20.0), (1.0, 24.0)])
async def test_plain_polls_are_spread(
    api: ServiceApi, server: HostileServer, clock: VirtualClock, heard: Heard, dice: float, seconds: float
) -> None:
    server.on("/manifest", UNCHANGED)
    poller = Poller(
        api=api,
        token_source=FakeTokenSource(),
        etag="e",
        settings=LinkSettings(wait_seconds=0),
        clock=clock,
        random=Dice((dice,)),
        emit=heard,
    )
    assert await poller.poll() == pytest.approx(seconds)
    assert "prefer" not in server.requests[0].headers


async def test_a_service_that_ignores_the_etag_does_not_spin(
    poller: Poller, server: HostileServer, heard: Heard
) -> None:
    server.on("/manifest", fresh(document(revision=1)))
    await poller.poll()
    assert await poller.poll() == LinkSettings().poll_seconds
    assert len(heard.of(ManifestArrived)) == 1


async def test_what_the_service_says_that_it_has_is_asked_for_around_a_cache(
    poller: Poller, server: HostileServer, heard: Heard
) -> None:
    """It keeps answers by their address, whatever the request says of caches."""
    old, new = document(revision=1), document(revision=2)
    newest = sha256(new).hexdigest()
    server.on("/manifest", lambda request: fresh(new if "unlike=" in request.path else old)(request))
    await poller.poll()
    assert server.requests[0].headers["cache-control"] == "no-cache, no-store"
    assert poller.expect(newest, asked_at=1e9)
    assert await poller.poll() == 0.0
    await poller.poll()
    assert [arrived.body for arrived in heard.of(ManifestArrived)] == [old, new]
    assert heard.of(ServiceFailed) == []
    assert not poller.expect(newest, asked_at=1e9)
    await poller.poll()
    paths = [request.path for request in server.requests]
    assert len({path for path in paths if "unlike=" in path}) == 2, "once met, it has no answer to any request"


@pytest.mark.parametrize("answer", [UNCHANGED, fresh(document(revision=1))])
async def test_an_old_manifest_that_nothing_gets_around_is_a_failure_until_a_newer_one_comes(
    poller: Poller, server: HostileServer, heard: Heard, answer: Callable[[Request], Answer]
) -> None:
    server.on("/manifest", fresh(document(revision=1)), answer, answer, fresh(document(revision=2)))
    await poller.poll()
    poller.expect("e" * 64, asked_at=1e9)
    assert await poller.poll() == 0.0
    assert heard.of(ServiceFailed) == []
    await poller.poll()
    (failed,) = heard.of(ServiceFailed)
    assert (failed.call, failed.fault) == ("manifest", Fault.OLD_MENU)
    await poller.poll()
    assert heard.kinds()[-2:] == ["ServiceAnswered", "ManifestArrived"]


async def test_what_the_service_had_before_the_newest_manifest_came_is_nothing_to_wait_for(
    poller: Poller, server: HostileServer, clock: VirtualClock, heard: Heard
) -> None:
    server.on("/manifest", fresh(document(revision=1)), HELD)
    asked_at = clock.monotonic()
    await asyncio.sleep(1.0)
    await poller.poll()
    assert not poller.expect("e" * 64, asked_at=asked_at), "the answer to the heartbeat was on its way for longer"
    assert not poller.expect(sha256(document(revision=1)).hexdigest(), asked_at=1e9)
    await poller.poll()
    assert heard.kinds()[-1] == "ServiceAnswered"


async def test_held_requests_that_are_cut_get_shorter_until_they_get_through(
    poller: Poller, server: HostileServer, heard: Heard
) -> None:
    def cutting(request: Request) -> Answer:
        asked = int(request.headers.get("prefer", "wait=0").removeprefix("wait="))
        return (late(8.0, raw(b"")) if asked > 8 else late(asked, UNCHANGED))(request)

    server.on("/manifest", cutting)
    pauses = [await poller.poll() for _ in range(4)]
    assert pauses == [0.0, 0.0, 0.0, 0.0]
    assert [request.headers["prefer"] for request in server.requests] == ["wait=25", "wait=12", "wait=6", "wait=6"]
    assert heard.of(ServiceFailed) == []


async def test_a_network_that_holds_nothing_ends_in_plain_polling_and_recovers(
    poller: Poller, server: HostileServer
) -> None:
    def cutting(request: Request) -> Answer:
        return (late(2.5, raw(b"")) if "prefer" in request.headers else UNCHANGED)(request)

    server.on("/manifest", cutting)
    while poller.wait_seconds:
        assert await poller.poll() == 0.0
    assert len(server.requests) == 4
    for _ in range(link.RECOVER_AFTER_POLLS):
        assert await poller.poll() == LinkSettings().poll_seconds
    server.on("/manifest", late(3.0, UNCHANGED))
    waits = []
    for _ in range(4 * link.RECOVER_AFTER_POLLS):
        await poller.poll()
        waits.append(poller.wait_seconds)
    assert waits[-1] == LinkSettings().wait_seconds
    assert waits == sorted(waits)


async def test_two_cuts_in_a_row_cost_a_minute_and_no_more(poller: Poller, server: HostileServer) -> None:
    """A network that fails for a moment must not make what is sold out late for long."""
    poller.use(LinkSettings(wait_seconds=10))
    server.on("/manifest", late(4.0, raw(b"")), late(4.0, raw(b"")), UNCHANGED)
    plain = 0.0
    while (pause := await poller.poll()) == 0.0:
        pass
    while poller.wait_seconds == 0:
        plain += pause
        pause = await poller.poll()
    assert 0 < plain <= 60.0


async def test_what_is_sold_out_comes_within_twelve_seconds_where_held_requests_are_cut(
    poller: Poller, server: HostileServer
) -> None:
    """A request that is not held costs the service no more than one that is."""
    poller.use(LinkSettings(wait_seconds=10, poll_seconds=20))
    server.on("/manifest", late(4.0, raw(b"")), late(4.0, raw(b"")), UNCHANGED)
    while (pause := await poller.poll()) == 0.0:
        pass
    assert pause == 10.0
    poller.use(LinkSettings(wait_seconds=0, poll_seconds=20))
    assert await poller.poll() == 20.0, "the service wants it so"


async def test_an_answer_that_comes_early_is_no_reason_to_ask_seldom(poller: Poller, server: HostileServer) -> None:
    """As from a service that stops, and answers what it holds."""
    early = late(1.0, whole(304, headers={"Preference-Applied": "wait=25"}))
    server.on("/manifest", early, HELD, early, early, HELD)
    assert [await poller.poll() for _ in range(5)] == [1.0, 0.0, 1.0, 2.0, 0.0]
    server.on("/manifest", early)
    assert [await poller.poll() for _ in range(7)][-1] == LinkSettings().poll_seconds, "one that never holds"


async def test_a_proxy_that_gives_up_counts_as_a_cut(poller: Poller, server: HostileServer, heard: Heard) -> None:
    server.on("/manifest", late(10.0, problem(504)))
    await poller.poll()
    assert poller.wait_seconds == 12
    assert heard.events == []


async def test_a_cut_is_no_reason_to_hold_for_less_where_the_service_was_gone(
    poller: Poller, server: HostileServer, heard: Heard
) -> None:
    for gone in (problem(500), problem(502), raw(b"")):
        server.on("/manifest", late(10.0, raw(b"")), gone, UNCHANGED)
        await poller.poll()
        assert heard.of(ServiceFailed) == []
        await poller.poll()
        assert heard.of(ServiceFailed) != []
        assert poller.wait_seconds == 25
        await poller.poll()
        heard.events.clear()


async def test_silence_counts_as_a_cut(poller: Poller, server: HostileServer) -> None:
    server.on("/manifest", silence())
    assert await poller.poll() == 0.0
    assert poller.wait_seconds == 12


async def test_a_connection_that_breaks_at_once_is_a_failure_and_no_cut(
    poller: Poller, server: HostileServer, heard: Heard
) -> None:
    server.on("/manifest", raw(b""))
    pauses = [await poller.poll() for _ in range(8)]
    assert poller.wait_seconds == 25
    assert pauses == [0.5, 1.0, 1.75, 1.75, 1.75, 1.75, 1.75, 1.75]
    assert len(heard.of(ServiceFailed)) == 8


async def test_the_backoff_ends_with_the_failures(poller: Poller, server: HostileServer) -> None:
    server.on("/manifest", *[problem(500)] * 6, HELD, problem(500))
    for _ in range(7):
        await poller.poll()
    assert await poller.poll() == 0.5


async def test_retry_after_is_obeyed(poller: Poller, server: HostileServer) -> None:
    server.on("/manifest", problem(429, Retry_After="77"))
    assert await poller.poll() == 77.0


async def test_a_refusal_is_reported_to_pairing_and_tried_again_when_it_would_count(
    poller: Poller, server: HostileServer, heard: Heard, token_source: FakeTokenSource
) -> None:
    server.on("/manifest", problem(401))
    assert await poller.poll() == 60.0
    assert token_source.reports == ["refused tok"]
    assert heard.of(ServiceFailed)[0].fault is Fault.SCREEN_REFUSED


@pytest.mark.parametrize(
    ("rule", "fault"),
    [
        (whole(200, document(revision=1), headers={"ETag": '"' + "0" * 64 + '"', **MARK}), Fault.NOT_UNDERSTOOD),
        (whole(200, document(revision=1), headers=MARK), Fault.NOT_UNDERSTOOD),
        (whole(200, b"{}"), Fault.NOT_THE_SERVICE),
        (fresh(b'{"format": 2}'), Fault.NOT_UNDERSTOOD),
        (whole(200, b"<html>", kind="text/html"), Fault.PORTAL),
    ],
)
async def test_what_cannot_be_used_changes_nothing(
    poller: Poller, server: HostileServer, heard: Heard, rule: Callable[[Request], Answer], fault: Fault
) -> None:
    server.on("/manifest", rule, fresh(document(revision=2)))
    assert await poller.poll() == 0.5
    assert [failed.fault for failed in heard.of(ServiceFailed)] == [fault]
    assert heard.of(ServiceAnswered) == []
    await poller.poll()
    assert "if-none-match" not in server.requests[1].headers
    assert heard.of(ManifestArrived)[0].manifest.catalogue.revision == 2


async def test_who_wants_the_menu_fetched_again_does_not_wait_for_a_request_that_is_held(
    poller: Poller, server: HostileServer, heard: Heard
) -> None:
    """`reload` took 11 s where the next request had begun before the command came."""
    server.on("/manifest", silence(), fresh(document(revision=1)))
    held = asyncio.ensure_future(poller.poll())
    while not server.asked("/manifest"):  # noqa: ASYNC110  (no event signals it)
        await asyncio.sleep(0)

    poller.forget()

    assert await held == 0.0
    assert await poller.poll() == link.FRESH_PAUSE_SECONDS
    assert heard.kinds() == ["ServiceAnswered", "ManifestArrived"], "nothing has failed"


@pytest.mark.parametrize("forgotten", [False, True])
async def test_a_held_request_ends_with_the_player(poller: Poller, server: HostileServer, *, forgotten: bool) -> None:
    server.on("/manifest", silence())
    held = asyncio.ensure_future(poller.poll())
    while not server.asked("/manifest"):  # noqa: ASYNC110  (no event signals it)
        await asyncio.sleep(0)

    if forgotten:
        poller.forget()
    held.cancel()

    with pytest.raises(asyncio.CancelledError):
        await held


async def test_a_manifest_on_disk_is_not_fetched_again_until_the_poller_forgets_it(
    api: ServiceApi, server: HostileServer, clock: VirtualClock, heard: Heard
) -> None:
    poller = Poller(
        api=api,
        token_source=FakeTokenSource(),
        etag="stored",
        settings=LinkSettings(),
        clock=clock,
        random=Dice(),
        emit=heard,
    )
    server.on("/manifest", UNCHANGED)
    await poller.poll()
    poller.forget()
    await poller.poll()
    assert server.requests[0].headers["if-none-match"] == '"stored"'
    assert "if-none-match" not in server.requests[1].headers


async def test_settings_in_a_manifest_wait_until_they_are_applied(
    poller: Poller, server: HostileServer, heard: Heard
) -> None:
    server.on("/manifest", fresh(document(settings={"waitSeconds": 10, "pollSeconds": 40})), UNCHANGED)
    await poller.poll()
    assert poller.wait_seconds == LinkSettings().wait_seconds
    poller.use(heard.of(ManifestArrived)[0].manifest.settings)
    assert poller.wait_seconds == 10


async def test_the_service_sets_the_pace(poller: Poller, server: HostileServer) -> None:
    server.on("/manifest", UNCHANGED)
    poller.use(LinkSettings(wait_seconds=10, poll_seconds=40))
    assert await poller.poll() == 40.0
    poller.use(LinkSettings(wait_seconds=30, poll_seconds=40))
    await poller.poll()
    assert [request.headers["prefer"] for request in server.requests] == ["wait=10", "wait=30"]


async def test_an_answer_may_ask_for_a_heartbeat(poller: Poller, server: HostileServer, heard: Heard) -> None:
    server.on("/manifest", late(1.0, whole(304, headers={"Menu-Heartbeat": "now"})))
    assert await poller.poll() == WANTED_PAUSE_SECONDS
    assert heard.of(HeartbeatWanted) == [HeartbeatWanted()]
    assert poller.wait_seconds == 25


async def test_an_hour_of_held_polls_is_a_request_every_25_seconds(poller: Poller, server: HostileServer) -> None:
    server.on("/manifest", HELD)
    assert [await poller.poll() for _ in range(144)] == [0.0] * 144
    assert asyncio.get_running_loop().time() == pytest.approx(3600)


async def test_the_service_is_told_what_the_board_holds_until_it_sends_another_manifest(
    server: HostileServer, poller: Poller
) -> None:
    server.on("/manifest", fresh(document(revision=1)), HELD, HELD, fresh(document(revision=2)), HELD)
    await poller.poll()
    poller.contradict("epoch_1 4")
    for _ in range(4):
        await poller.poll()
    assert [request.headers.get("menu-holds") for request in server.requests] == [None, *["epoch_1 4"] * 3, None]


async def test_the_pause_after_manifests_grows_up_to_that_of_plain_polls(server: HostileServer, poller: Poller) -> None:
    pauses = []
    for number in range(link.MAX_SLOWDOWNS + 10):
        server.on("/manifest", fresh(document(revision=number)))
        pauses.append(await poller.poll())
        poller.contradict("epoch_1 4")
    assert pauses[:3] == [link.FRESH_PAUSE_SECONDS, 2 * link.FRESH_PAUSE_SECONDS, 4 * link.FRESH_PAUSE_SECONDS]
    assert pauses[-10:] == [LinkSettings().poll_seconds] * 10
