"""A device becomes a screen by itself, keeps its code fresh by itself, and does not give up its token lightly."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest
from msgspec.structs import replace

from player.domain.events import PairingChanged, ServiceFailed
from player.domain.link.fault import Fault
from player.domain.pairing import pairing as domain
from player.domain.pairing.pairing import (
    CONFIRM_SECONDS,
    REFUSED_RETRY_SECONDS,
    Code,
    Credentials,
    EnrolmentRefusal,
    LastPairing,
    PendingCode,
    Refusal,
)
from player.link import pairing as link
from player.link.api import ServiceApi
from player.link.pairing import MAX_LOCALE, MAX_NAME, Pairing
from tests.support.hostile import Answer, Heard, HostileServer, Request, document, late, problem, raw, silence, whole
from tests.support.virtual import Dice, VirtualClock

PENDING = document(400, {"error": "authorization_pending"})
HELD = document(400, {"error": "authorization_pending"}, Preference_Applied="wait=25")
SLOW_DOWN = document(400, {"error": "slow_down"})
BUSY = problem(503, Retry_After="300")
TOKEN = document(200, {"access_token": "tok-1", "token_type": "Bearer", "screen_id": "scr_1", "screen_name": "Counter"})


def code(user_code: str = "WDJBMJ", *, device_code: str = "secret", **changes: object) -> Callable[[Request], Answer]:
    uri = "https://menus.example.com/pair"
    return document(
        200,
        {
            "device_code": device_code,
            "user_code": user_code,
            "verification_uri": uri,
            "verification_uri_complete": f"{uri}?code={user_code}",
            "expires_in": 900,
            "interval": 5,
            **changes,
        },
        Menu_Display="1",
    )


def codes(heard: Heard) -> list[Code]:
    """The codes that were shown."""
    return [each.code for each in heard.of(PairingChanged) if each.code is not None]


def new_screens(heard: Heard) -> list[PairingChanged]:
    return [each for each in heard.of(PairingChanged) if each.is_new]


def deleted(heard: Heard) -> bool:
    """Whether the programs of a revoked screen were to be deleted."""
    return any(each.forgets and not each.is_new for each in heard.of(PairingChanged))


def story(heard: Heard) -> list[str]:
    """The events, in order; changes of the pairing by their fields."""
    return [
        (
            "new screen"
            if event.is_new
            else "code"
            if event.code
            else "refused"
            if event.refusal
            else "paired"
            if event.screen_id
            else "no code"
        )
        if isinstance(event, PairingChanged)
        else type(event).__name__
        for event in heard.events
    ]


class Memory:
    """A credential store, and how often it refuses."""

    def __init__(self, heard: Heard) -> None:
        self.kept: Credentials | PendingCode | None = None
        self.last: LastPairing | None = None
        self.done: list[str] = []
        self.refusals = 0
        self._heard = heard
        self.told_before_kept = False

    def keep_credentials(self, credentials: Credentials | PendingCode) -> None:
        if isinstance(credentials, Credentials):
            self.told_before_kept |= bool(new_screens(self._heard))
        if self.refusals:
            self.refusals -= 1
            raise OSError(28, "No space left on device")
        self.kept = credentials

    def forget_credentials(self) -> None:
        self.done.append("forgot")
        self.kept = None

    def keep(self, last: LastPairing) -> None:
        self.last = last

    async def write(self, work: Callable[[], None], files: frozenset[str]) -> bool:
        """Earlier orders are on the disk by then."""
        assert files
        if deleted(self._heard) and not self.done:
            self.done.append("programs written")
        try:
            work()
        except OSError:
            return False
        return True


@pytest.fixture
def memory(heard: Heard) -> Memory:
    return Memory(heard)


Start = Callable[..., Pairing]


@pytest.fixture
def build(api: ServiceApi, memory: Memory, clock: VirtualClock, heard: Heard) -> Start:
    def make(
        saved: Credentials | PendingCode | None = None, *, last: LastPairing | None = None, enrolment: str | None = None
    ) -> Pairing:
        if last is None and isinstance(saved, Credentials):
            last = LastPairing.of(saved)
        return Pairing(
            api=api,
            keep=memory.keep_credentials,
            forget=memory.forget_credentials,
            saved=saved,
            keep_last=memory.keep,
            last=last,
            write=memory.write,
            device_id="ab" * 16,
            enrolment_token=enrolment,
            clock=clock,
            random=Dice((0.5,)),
            emit=heard,
        )

    return make


@asynccontextmanager
async def running(pairing: Pairing) -> AsyncIterator[None]:
    task = asyncio.ensure_future(pairing.run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_the_code_is_shown_and_the_token_kept_before_it_is_told(
    build: Start, server: HostileServer, heard: Heard, memory: Memory, clock: VirtualClock
) -> None:
    server.on("/device_authorization", code())
    server.on("/token", PENDING, PENDING, TOKEN)
    pairing = build()
    async with running(pairing):
        await asyncio.sleep(16)
    (shown,) = codes(heard)
    assert shown.user_code == "WDJ-BMJ"
    assert shown.verification_uri_complete == "https://menus.example.com/pair?code=WDJBMJ"
    assert shown.good_until == pytest.approx(900, abs=1)
    assert new_screens(heard) == [PairingChanged(is_new=True, forgets=True, screen_id="scr_1", screen_name="Counter")]
    assert memory.kept == Credentials(service=server.url, token="tok-1", screen_id="scr_1")
    assert not memory.told_before_kept
    assert pairing.token == "tok-1"
    assert len(server.asked("/token")) == 3


async def test_an_enrolment_token_needs_nobody_who_enters_a_code(
    build: Start, server: HostileServer, heard: Heard
) -> None:
    server.on("/device_authorization", code(enrolment="accepted"))
    server.on("/token", TOKEN)
    async with running(build(enrolment="ment_0123456789abcdef")):
        await asyncio.sleep(1)
    assert new_screens(heard)
    assert not codes(heard), "a code that nobody has to enter does not show"
    (asked,) = server.asked("/device_authorization")
    assert b"enrolment_token=ment_0123456789abcdef" in asked.body


@pytest.mark.proves("enrolment-token-used")
@pytest.mark.parametrize(
    ("answer", "refusal"),
    [
        ({"enrolment": "used_up"}, EnrolmentRefusal.USED_UP),
        ({"enrolment": "expired"}, EnrolmentRefusal.EXPIRED),
        ({"enrolment": "known_device"}, EnrolmentRefusal.KNOWN_DEVICE),
        ({"enrolment": "moon"}, EnrolmentRefusal.UNKNOWN),
        ({"enrolment": None}, EnrolmentRefusal.UNKNOWN),
        ({}, EnrolmentRefusal.UNKNOWN),
    ],
)
async def test_an_enrolment_token_that_is_refused_leaves_the_code_and_says_why(
    build: Start, server: HostileServer, heard: Heard, answer: dict[str, object], refusal: EnrolmentRefusal
) -> None:
    server.on("/device_authorization", code(**answer))
    server.on("/token", PENDING)
    async with running(build(enrolment="ment_0123456789abcdef")):
        await asyncio.sleep(1)
    assert [(each.code.user_code, each.enrolment) for each in heard.of(PairingChanged) if each.code] == [
        ("WDJ-BMJ", refusal)
    ]


@pytest.mark.parametrize(("elsewhere", "sent"), [(False, False), (True, True)])
async def test_a_device_that_was_a_screen_of_the_service_does_not_enrol_again(
    build: Start, server: HostileServer, elsewhere: bool, sent: bool
) -> None:
    """Staff or the service has ended that: a token must not undo it."""
    server.on("/device_authorization", code())
    server.on("/token", PENDING)
    service = "https://another.example" if elsewhere else server.url
    last = LastPairing(service=service, screen_id="scr_1", workspace_id="ws_1")
    async with running(build(last=last, enrolment="ment_0123456789abcdef")):
        await asyncio.sleep(1)
    (asked,) = server.asked("/device_authorization")
    assert (b"enrolment_token" in asked.body) is sent


async def test_slow_down_is_obeyed(build: Start, server: HostileServer) -> None:
    server.on("/device_authorization", code())
    server.on("/token", SLOW_DOWN, PENDING)
    async with running(build()):
        await asyncio.sleep(10 + 9)
        assert len(server.asked("/token")) == 2
        await asyncio.sleep(2)
        assert len(server.asked("/token")) == 3


async def test_a_service_that_does_not_hold_is_asked_at_its_interval(build: Start, server: HostileServer) -> None:
    server.on("/device_authorization", code())
    server.on("/token", late(2.0, PENDING))
    async with running(build()):
        await asyncio.sleep(6.9)
        assert len(server.asked("/token")) == 1
        await asyncio.sleep(0.2)
        assert len(server.asked("/token")) == 2, "5 s after its answer, however late that was"


async def test_a_held_call_is_answered_as_soon_as_the_code_is_claimed(
    build: Start, server: HostileServer, heard: Heard
) -> None:
    server.on("/device_authorization", code())
    server.on("/token", late(25.0, HELD), late(7.25, TOKEN))
    async with running(build()):
        await asyncio.sleep(25.5)
        assert len(server.asked("/token")) == 2, "the time for which it was held counts towards the interval"
        assert not new_screens(heard)
        await asyncio.sleep(7.0)
    assert new_screens(heard)
    assert [request.headers["prefer"] for request in server.asked("/token")] == ["wait=25", "wait=25"]


async def test_a_service_that_ends_a_hold_at_once_is_not_asked_in_a_loop(build: Start, server: HostileServer) -> None:
    server.on("/device_authorization", code())
    server.on("/token", HELD)
    async with running(build()):
        await asyncio.sleep(14.5)
    assert len(server.asked("/token")) == 3


async def test_slow_down_counts_for_held_calls_too(build: Start, server: HostileServer) -> None:
    server.on("/device_authorization", code(interval=28))
    server.on("/token", SLOW_DOWN, late(25.0, HELD))
    async with running(build()):
        await asyncio.sleep(33 + 33 - 0.5)
        assert len(server.asked("/token")) == 2
        await asyncio.sleep(1)
        assert len(server.asked("/token")) == 3


async def test_no_call_is_held_beyond_the_end_of_the_code(build: Start, server: HostileServer, heard: Heard) -> None:
    server.on("/device_authorization", code("BBBBBB", expires_in=37.5), code("CCCCCC"))
    server.on("/token", late(25.0, HELD), late(12.0, HELD), PENDING)
    async with running(build()):
        await asyncio.sleep(38)
    assert [request.headers.get("prefer") for request in server.asked("/token")][:3] == ["wait=25", "wait=12", None]
    assert [each.user_code for each in codes(heard)] == ["BBB-BBB", "CCC-CCC"]


async def test_a_network_that_cuts_held_calls_costs_no_pairing_and_is_no_trouble(
    build: Start, server: HostileServer, heard: Heard
) -> None:
    server.on("/device_authorization", code())
    server.on("/token", silence(9.0), late(9.0, raw(b"")), late(6.0, HELD), TOKEN)
    async with running(build()):
        await asyncio.sleep(30)
    assert [request.headers["prefer"] for request in server.asked("/token")][:3] == ["wait=25", "wait=12", "wait=6"]
    assert new_screens(heard)
    assert not heard.of(ServiceFailed)


async def test_a_code_renews_itself(build: Start, server: HostileServer, heard: Heard) -> None:
    server.on("/device_authorization", code("BBBBBB"), code("CCCCCC"))
    server.on("/token", PENDING)
    async with running(build()):
        await asyncio.sleep(899)
        assert "no code" not in story(heard)
        await asyncio.sleep(2)
    assert [each.user_code for each in codes(heard)] == ["BBB-BBB", "CCC-CCC"]
    assert story(heard).count("no code") == 1


async def test_a_claim_in_the_last_seconds_counts(build: Start, server: HostileServer, heard: Heard) -> None:
    server.on("/device_authorization", code(expires_in=32, interval=30))
    server.on("/token", PENDING, TOKEN)
    async with running(build()):
        await asyncio.sleep(33)
    assert new_screens(heard)
    assert "no code" not in story(heard)


@pytest.mark.parametrize("error", ["expired_token", "access_denied", "invalid_grant"])
async def test_a_dead_code_makes_room_for_a_new_one(
    build: Start, server: HostileServer, heard: Heard, error: str
) -> None:
    server.on("/device_authorization", code("BBBBBB"), code("CCCCCC"))
    server.on("/token", document(400, {"error": error}), PENDING)
    async with running(build()):
        await asyncio.sleep(6)
    assert story(heard) == [
        "ServiceAnswered",
        "code",
        "ServiceAnswered",
        "no code",
        "ServiceAnswered",
        "code",
        "ServiceAnswered",
    ]


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("rule", "fault"),
    [
        (problem(503, Retry_After="120"), Fault.SERVICE_FAILS),
        (problem(401), Fault.SERVICE_DECLINES),
        (whole(304), Fault.NOT_UNDERSTOOD),
        (raw(b""), Fault.NO_CONNECTION),
        (whole(200, b"<html>", kind="text/html"), Fault.PORTAL),
        (document(200, {"device_code": "x"}, Menu_Display="1"), Fault.NOT_UNDERSTOOD),
        (document(200, {"device_code": "x"}), Fault.NOT_THE_SERVICE),
        (code(device_code="two\r\nlines"), Fault.NOT_UNDERSTOOD),
        (code("<script>"), Fault.NOT_UNDERSTOOD),
        (code(verification_uri="javascript:alert(1)"), Fault.NOT_UNDERSTOOD),
        (code(expires_in=-1), Fault.NOT_UNDERSTOOD),
        (code(expires_in="soon"), Fault.NOT_UNDERSTOOD),
        (document(400, {"error": "invalid_client"}), Fault.SERVICE_DECLINES),
    ],
)
async def test_no_code_is_said_and_asked_for_again(
    build: Start, server: HostileServer, heard: Heard, rule: Callable[[Request], Answer], fault: Fault
) -> None:
    server.on("/device_authorization", rule, code())
    server.on("/token", PENDING)
    async with running(build()):
        await asyncio.sleep(121)
    (failed,) = heard.of(ServiceFailed)
    assert (failed.call, failed.fault) == ("pairing", fault)
    assert codes(heard)


async def test_retry_after_is_obeyed(build: Start, server: HostileServer) -> None:
    server.on("/device_authorization", problem(503, Retry_After="120"))
    async with running(build()):
        await asyncio.sleep(119)
        assert len(server.requests) == 1
        await asyncio.sleep(2)
        assert len(server.requests) == 2


@pytest.mark.long
@pytest.mark.goes_beyond("MAX_SECONDS")
async def test_a_long_outage_is_met_with_patience(build: Start, server: HostileServer) -> None:
    server.on("/device_authorization", problem(500))
    async with running(build()):
        await asyncio.sleep(3600)
    assert 3600 / 30 < len(server.requests) < 3600 / 15 + 10


@pytest.mark.goes_beyond("MAX_CODE_SECONDS")
async def test_bounds_hold_whatever_the_service_says(build: Start, server: HostileServer, heard: Heard) -> None:
    server.on("/device_authorization", code(expires_in=1e8, interval=0))
    server.on("/token", PENDING)
    async with running(build()):
        await asyncio.sleep(10.5)
    assert codes(heard)[0].good_until == pytest.approx(3600, abs=1)
    assert len(server.asked("/token")) == 11


async def test_a_full_disk_costs_no_pairing(build: Start, server: HostileServer, heard: Heard, memory: Memory) -> None:
    server.on("/device_authorization", code())
    server.on("/token", TOKEN)
    memory.refusals = 2  # the code, and the first token
    async with running(build()):
        await asyncio.sleep(12)
    assert new_screens(heard)
    assert isinstance(memory.kept, Credentials)


@pytest.mark.parametrize(
    "answer",
    [
        {"token_type": "Bearer", "screen_id": "scr_1"},
        {"access_token": "bad token\r\nX: y", "token_type": "Bearer", "screen_id": "scr_1"},
        {"access_token": "tok", "token_type": "mac", "screen_id": "scr_1"},
    ],
)
async def test_a_token_that_is_none_is_not_taken(
    build: Start, server: HostileServer, heard: Heard, answer: dict[str, str]
) -> None:
    server.on("/device_authorization", code())
    server.on("/token", document(200, answer, Menu_Display="1"), TOKEN)
    async with running(build()):
        await asyncio.sleep(3)
        assert heard.of(ServiceFailed)[0].fault is Fault.NOT_UNDERSTOOD
        assert not new_screens(heard)
        await asyncio.sleep(6)
    assert new_screens(heard)


async def test_a_restart_goes_on_with_the_code_that_is_shown(
    build: Start, server: HostileServer, heard: Heard, memory: Memory
) -> None:
    server.on("/device_authorization", code())
    server.on("/token", PENDING, PENDING, PENDING, TOKEN)
    async with running(build()):
        await asyncio.sleep(7)
    assert isinstance(memory.kept, PendingCode)
    heard.events.clear()
    async with running(build(memory.kept)):
        await asyncio.sleep(7)
    assert story(heard) == ["code", "ServiceAnswered", "ServiceAnswered", "new screen"]
    assert heard.events[0].code.user_code == "WDJ-BMJ"
    assert heard.events[0].code.good_until == pytest.approx(900, abs=1)
    assert len(server.asked("/device_authorization")) == 1


@pytest.mark.parametrize("step", [timedelta(days=400), timedelta(days=-400)])
async def test_a_wrong_clock_does_not_keep_a_dead_code_alive(
    build: Start, server: HostileServer, heard: Heard, memory: Memory, clock: VirtualClock, step: timedelta
) -> None:
    server.on("/device_authorization", code("BBBBBB"), code("CCCCCC"))
    server.on("/token", PENDING, document(400, {"error": "expired_token"}), PENDING)
    async with running(build()):
        await asyncio.sleep(7)
    clock.step(step)
    async with running(build(memory.kept)):
        await asyncio.sleep(1)
    assert codes(heard)[-1].user_code == "CCC-CCC"


PAIRED = Credentials(service="", token="tok-1", screen_id="scr_1")


async def test_a_screen_rests(build: Start, server: HostileServer, heard: Heard) -> None:
    pairing = build(replace(PAIRED, service=server.url))
    async with running(pairing):
        await asyncio.sleep(1e6)
    assert pairing.token == "tok-1"
    assert (server.requests, heard.events) == ([], [])


async def test_a_token_is_never_used_with_another_service(build: Start, server: HostileServer) -> None:
    pairing = build(replace(PAIRED, service="https://other.example.com"))
    assert pairing.token is None


async def test_one_refusal_is_not_believed(build: Start, server: HostileServer, heard: Heard) -> None:
    pairing = build(replace(PAIRED, service=server.url))
    async with running(pairing):
        pairing.refused("tok-1", revoked=True)
        assert pairing.retry_in == CONFIRM_SECONDS
        await asyncio.sleep(CONFIRM_SECONDS - 1)
        pairing.refused("tok-1", revoked=True)
        await asyncio.sleep(0)
        assert pairing.token == "tok-1"
        pairing.accepted("tok-1")
        assert pairing.retry_in is None
        await asyncio.sleep(CONFIRM_SECONDS)
        pairing.refused("tok-1", revoked=True)
        await asyncio.sleep(1)
    assert pairing.token == "tok-1"
    assert heard.events == []


async def refuse(pairing: Pairing, *, revoked: bool, token: str = "tok-1") -> None:
    """The service refuses the token, and refuses it again a minute later."""
    pairing.refused(token, revoked=revoked)
    await asyncio.sleep(CONFIRM_SECONDS)
    pairing.refused(token, revoked=revoked)
    await asyncio.sleep(1)


@pytest.mark.parametrize(("revoked", "refusal"), [(True, Refusal.REVOKED), (False, Refusal.UNKNOWN)])
async def test_a_confirmed_refusal_brings_a_code_and_the_token_is_tried_on(
    build: Start, server: HostileServer, heard: Heard, memory: Memory, revoked: bool, refusal: Refusal
) -> None:
    server.on("/device_authorization", code())
    server.on("/token", PENDING)
    memory.kept = replace(PAIRED, service=server.url)
    pairing = build(memory.kept)
    async with running(pairing):
        await refuse(pairing, revoked=revoked)
        first, *_ = heard.of(PairingChanged)
        assert first == PairingChanged(screen_id="scr_1", refusal=refusal)
        assert [each.refusal for each in heard.of(PairingChanged)] == [refusal, refusal]
        assert story(heard)[-2:] == ["code", "ServiceAnswered"]
        assert (pairing.token, pairing.retry_in) == ("tok-1", REFUSED_RETRY_SECONDS)
        assert memory.kept == replace(PAIRED, service=server.url), "the code does not take its place"

        pairing.accepted("tok-1")
        await asyncio.sleep(10)
        asked = len(server.requests)
        await asyncio.sleep(1000)
        assert len(server.requests) == asked, "a screen rests"
    assert heard.of(PairingChanged)[-1] == PairingChanged(screen_id="scr_1")
    assert (pairing.token, pairing.retry_in) == ("tok-1", None)


GRACE = 20_000.0
"""Shorter than the real one, which the tests of the state machine use: each second here costs real calls."""


@pytest.fixture
def short_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(domain, "GRACE_SECONDS", GRACE)
    monkeypatch.setattr(link, "GRACE_NOTED_SECONDS", 300.0)


@pytest.mark.usefixtures("short_grace")
async def test_the_token_is_deleted_when_the_grace_is_over_and_the_programs_before_it(
    build: Start, server: HostileServer, heard: Heard, memory: Memory
) -> None:
    server.on("/device_authorization", BUSY)
    memory.kept = replace(PAIRED, service=server.url)
    pairing = build(memory.kept)
    async with running(pairing):
        await refuse(pairing, revoked=True)
        await asyncio.sleep(GRACE - 100)
        pairing.refused("tok-1", revoked=True)
        await asyncio.sleep(1000)
        assert not deleted(heard), "only the service's own word ends it"
        pairing.refused("tok-1", revoked=True)
        assert pairing.token is None
        server.on("/device_authorization", code())
        server.on("/token", PENDING)
        await asyncio.sleep(301)
    assert deleted(heard)
    assert memory.done == ["programs written", "forgot"]
    assert codes(heard)
    assert isinstance(memory.kept, PendingCode)


@pytest.mark.proves("service-says-screen")
@pytest.mark.usefixtures("short_grace")
async def test_the_grace_is_counted_over_restarts(
    build: Start, server: HostileServer, heard: Heard, memory: Memory
) -> None:
    server.on("/device_authorization", BUSY)
    saved = replace(PAIRED, service=server.url)
    for run in range(1, 6):
        pairing = build(saved, last=memory.last)
        async with running(pairing):
            await refuse(pairing, revoked=True)
            await asyncio.sleep(GRACE / 6)
            pairing.refused("tok-1", revoked=True)
        assert memory.last is not None
        # A restart loses little of the count, and adds nothing to it.
        assert run * (GRACE / 6 - 700) < memory.last.grace_used <= run * (GRACE / 6 + 1)
    assert not deleted(heard)
    pairing = build(saved, last=memory.last)
    async with running(pairing):
        await refuse(pairing, revoked=True)
        await asyncio.sleep(GRACE / 6 + 6 * 700)
        pairing.refused("tok-1", revoked=True)
        await asyncio.sleep(301)
    assert deleted(heard)


async def test_an_accepted_call_gives_the_whole_grace_back(build: Start, server: HostileServer, memory: Memory) -> None:
    saved = replace(PAIRED, service=server.url)
    pairing = build(saved, last=LastPairing.of(saved, grace_used=GRACE))
    async with running(pairing):
        pairing.accepted("tok-1")
        await asyncio.sleep(1)
    assert memory.last == LastPairing.of(saved)


@pytest.mark.proves("service-know-token")
@pytest.mark.usefixtures("short_grace")
async def test_an_unknown_token_is_never_deleted(
    build: Start, server: HostileServer, heard: Heard, memory: Memory
) -> None:
    server.on("/device_authorization", BUSY)
    memory.kept = replace(PAIRED, service=server.url)
    pairing = build(memory.kept)
    async with running(pairing):
        for _ in range(4):
            pairing.refused("tok-1", revoked=False)
            await asyncio.sleep(GRACE / 2)
    assert not deleted(heard)
    assert pairing.token == "tok-1"
    assert memory.kept == replace(PAIRED, service=server.url)


@pytest.mark.parametrize(("workspace", "goes_on"), [("ws_1", True), ("ws_2", False)])
async def test_a_refused_screen_can_be_paired_at_once(
    build: Start, server: HostileServer, heard: Heard, memory: Memory, workspace: str, goes_on: bool
) -> None:
    answer = {"access_token": "tok-2", "token_type": "Bearer", "screen_id": "scr_9", "workspace_id": workspace}
    answer["screen_name"], answer["locale"] = "N" * (MAX_NAME + 1), "de-DE" + "x" * 100
    server.on("/device_authorization", code())
    server.on("/token", PENDING, document(200, answer))
    saved = replace(PAIRED, service=server.url, workspace_id="ws_1")
    pairing = build(saved)
    async with running(pairing):
        await refuse(pairing, revoked=True)
        await asyncio.sleep(15)
        pairing.refused("tok-1", revoked=True)  # late: of the token before
        assert pairing.token == "tok-2"
        await asyncio.sleep(1)
    locale = ("de-DE" + "x" * 100)[:MAX_LOCALE]
    done = PairingChanged(
        is_new=True, screen_id="scr_9", screen_name="N" * MAX_NAME, locale=locale, forgets=not goes_on
    )
    assert new_screens(heard) == [done]
    assert memory.last == LastPairing(service=server.url, screen_id="scr_9", workspace_id=workspace)


async def test_a_device_that_lost_its_credentials_goes_on_in_its_workspace(
    build: Start, server: HostileServer, heard: Heard
) -> None:
    server.on("/device_authorization", code())
    server.on("/token", TOKEN)
    pairing = build(None, last=LastPairing(service=server.url, screen_id="scr_1", workspace_id="ws_1"))
    async with running(pairing):
        await asyncio.sleep(6)
    assert new_screens(heard) == [PairingChanged(is_new=True, screen_id="scr_1", screen_name="Counter")]


async def test_a_token_that_is_accepted_while_a_code_is_asked_for_ends_the_asking(
    build: Start, server: HostileServer, heard: Heard
) -> None:
    server.on("/device_authorization", late(5.0, code()))
    server.on("/token", PENDING)
    pairing = build(replace(PAIRED, service=server.url))
    async with running(pairing):
        await refuse(pairing, revoked=False)
        pairing.accepted("tok-1")
        await asyncio.sleep(1000)
    assert pairing.token == "tok-1"
    assert not server.asked("/token")
    assert heard.of(PairingChanged)[-1] == PairingChanged(screen_id="scr_1")
    assert not codes(heard), "nobody is told a code that nobody asks with"


async def test_a_late_refusal_of_the_old_token_does_not_count(build: Start, server: HostileServer) -> None:
    pairing = build(replace(PAIRED, service=server.url))
    async with running(pairing):
        await refuse(pairing, revoked=True, token="tok-0")
    assert pairing.token == "tok-1"
