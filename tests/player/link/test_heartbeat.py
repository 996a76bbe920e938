"""Heartbeats keep to the protocol and its bounds, and tolerate what the service answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone

import pytest
from msgspec.structs import replace

from menu.documents.manifest import LinkSettings, Rejection, VersionKey
from player.domain.commands import Outcome, Result
from player.domain.events import Command, Health, HeartbeatAnswered, ServiceAnswered, ServiceFailed
from player.domain.finding import Finding, Severity, Who
from player.domain.link.fault import Fault
from player.domain.panel.panel import MAX_OVERSCAN, PowerRule, ScreenDisplay
from player.domain.state import Kind, Presented, StagedFacts, TakenBack
from player.domain.time.clock import ClockState, Trust
from player.link import heartbeat as link
from player.link.answers import MAX_COMMANDS
from player.link.api import ServiceApi
from player.link.heartbeat import Heartbeat
from tests.player.domain.findings.states import HEALTHY
from tests.player.link.token_source import FakeTokenSource
from tests.support.hostile import Answer, Heard, HostileServer, Request, document, late, problem, whole
from tests.support.virtual import VirtualClock

SERVER_TIME = "2026-11-20T12:00:07.500Z"
ANSWER = {
    "serverTime": SERVER_TIME,
    "screen": {"id": "scr_1", "name": "Counter left"},
    "settings": {"waitSeconds": 30, "pollSeconds": 1, "heartbeatSeconds": 600},
    "commands": [{"id": "c1", "type": "identify"}, {"id": "c2", "type": "juggle"}],
}
REPORT = replace(
    HEALTHY,
    presented=Presented(
        kind=Kind.SCENE,
        key=VersionKey(playlist_id="pl_1", version=3),
        revision=42,
        scene_id="scn_1",
        entry_id="ent_1",
        since=datetime(2026, 11, 20, 13, 0, 0, 123456, tzinfo=timezone(timedelta(hours=1))),
        latency=timedelta(milliseconds=312),
    ),
    staged=StagedFacts(
        key=VersionKey(playlist_id="pl_1", version=4),
        assets_remaining=0,
        missing={},
        takes_over_at=datetime(2026, 11, 20, 12, 0, 45, tzinfo=UTC),
    ),
    clock=ClockState(trust=Trust.TRUSTED, offset=timedelta(milliseconds=-12)),
    health=Health(temperature_celsius=51.2, throttled=False),
    findings=(
        Finding(
            code="hot",
            severity=Severity.WARNING,
            what="The device is too hot.",
            why="It measures 85 °C.",
            do="Give it air.",
            who=Who.HERE,
            since=datetime(2026, 11, 20, 11, 40, tzinfo=UTC),
        ),
        Finding(
            code="no_playlist",
            severity=Severity.FAULT,
            what="Nothing to show.",
            why="",
            do="Assign one.",
            who=Who.OPERATOR,
        ),
    ),
    rejections=(Rejection(code="widget_unknown", subject="scn_1/ticker-1", detail='no widget of type "ticker"'),),
    results=(
        Result(id="c7", outcome=Outcome.DONE, detail="Sent.", at=datetime(2026, 11, 20, 12, 0, 1, tzinfo=UTC)),
        Result(id="c8" + 300 * "x", outcome=Outcome.FAILED, detail="a\x00b"),
    ),
)
TALL = ScreenDisplay(rotation=90, overscan=2.5, mode="1920x1080@60", power=PowerRule.ALWAYS)
HOUSE = replace(HEALTHY, presented=Presented(kind=Kind.HOUSE), staged=None, health=Health(), clock=ClockState())


@pytest.fixture
def token_source() -> FakeTokenSource:
    return FakeTokenSource()


@pytest.fixture
def heartbeat(api: ServiceApi, token_source: FakeTokenSource, clock: VirtualClock, heard: Heard) -> Heartbeat:
    return make(api, token_source, clock, heard)


def make(api: ServiceApi, token_source: FakeTokenSource, clock: VirtualClock, heard: Heard) -> Heartbeat:
    return Heartbeat(api=api, token_source=token_source, boot_id="0f3c", app_version="0.1.0", clock=clock, emit=heard)


@pytest.mark.proves("answer-service-arrives")
@pytest.mark.parametrize("token", [None, "another"])
@pytest.mark.parametrize("rule", [document(200, ANSWER), problem(401), problem(500)])
async def test_an_answer_to_the_screen_that_this_was_before_says_nothing(
    heartbeat: Heartbeat,
    server: HostileServer,
    token_source: FakeTokenSource,
    heard: Heard,
    token: str | None,
    rule: Callable[[Request], Answer],
) -> None:
    def change(request: Request) -> Answer:
        token_source.token = token
        return rule(request)

    server.on("/heartbeat", change)
    await heartbeat.beat(REPORT)
    assert heard.events == []


async def test_a_heartbeat_says_what_is_on_the_glass(
    heartbeat: Heartbeat, server: HostileServer, token_source: FakeTokenSource
) -> None:
    server.on("/heartbeat", document(200, ANSWER))
    await heartbeat.beat(REPORT)
    (request,) = server.asked("/heartbeat")
    assert request.headers["authorization"] == "Bearer tok"
    assert request.headers["content-type"] == "application/json"
    assert request.json == {
        "sequence": 1,
        "bootId": "0f3c",
        "runId": request.json["runId"],
        "appVersion": "0.1.0",
        "presented": {
            "kind": "scene",
            "playlistId": "pl_1",
            "version": 3,
            "revision": 42,
            "sceneId": "scn_1",
            "entryId": "ent_1",
            "since": "2026-11-20T12:00:00.123Z",
            "latencyMilliseconds": 312,
        },
        "staged": {"playlistId": "pl_1", "version": 4, "waitingFor": "2026-11-20T12:00:45.000Z"},
        "displayPower": "on",
        "clock": {"state": "trusted", "offsetMilliseconds": -12},
        "health": {"temperatureCelsius": 51.2, "throttled": False},
        "findings": [
            {
                "code": "hot",
                "severity": "warning",
                "what": "The device is too hot.",
                "do": "Give it air.",
                "who": "here",
                "since": "2026-11-20T11:40:00.000Z",
            },
            {
                "code": "no_playlist",
                "severity": "fault",
                "what": "Nothing to show.",
                "do": "Assign one.",
                "who": "operator",
            },
        ],
        "errors": [{"code": "widget_unknown", "subject": "scn_1/ticker-1", "detail": 'no widget of type "ticker"'}],
        "results": [
            {"id": "c7", "outcome": "done", "detail": "Sent.", "at": "2026-11-20T12:00:01.000Z"},
            {"id": "c8" + 198 * "x", "outcome": "failed", "detail": "a b"},
        ],
    }
    assert token_source.reports == ["accepted tok"]


async def test_unknown_facts_are_left_out(heartbeat: Heartbeat, server: HostileServer) -> None:
    server.on("/heartbeat", document(200, ANSWER))
    await heartbeat.beat(HOUSE)
    said = server.requests[0].json
    assert said["presented"] == {"kind": "house"}
    assert (said["staged"], said["health"], said["errors"]) == (None, {}, [])


@pytest.mark.goes_beyond("MAX_SPAN")
async def test_a_clock_that_is_decades_off_does_not_cost_the_heartbeat(
    heartbeat: Heartbeat, server: HostileServer
) -> None:
    server.on("/heartbeat", document(200, ANSWER))
    years = timedelta(milliseconds=1_800_000_000_000)
    presented, off = Presented(kind=Kind.SCENE, latency=years), ClockState(trust=Trust.CORRECTED, offset=-years)
    await heartbeat.beat(replace(HOUSE, presented=presented, clock=off))
    said = server.requests[0].json
    assert said["clock"] == {"state": "corrected"}
    assert said["presented"] == {"kind": "scene"}


async def test_the_answer_is_emitted(heartbeat: Heartbeat, server: HostileServer, heard: Heard) -> None:
    server.on("/heartbeat", late(0.25, document(200, ANSWER)))
    await heartbeat.beat(HOUSE)
    answered, event = heard.events
    assert answered == ServiceAnswered(call="heartbeat")
    assert event == HeartbeatAnswered(
        server_time=datetime(2026, 11, 20, 12, 0, 7, 500000, tzinfo=UTC),
        sent=event.sent,
        received=event.received,
        screen_name="Counter left",
        settings=LinkSettings(wait_seconds=30, poll_seconds=5, heartbeat_seconds=60),
        commands=(Command(id="c1", type="identify"), Command(id="c2", type="juggle")),
    )
    assert event.received - event.sent == pytest.approx(0.25, abs=0.01)


@pytest.mark.parametrize(
    "answer",
    [
        {"serverTime": SERVER_TIME},
        {"serverTime": SERVER_TIME, "settings": "fast", "commands": [5, {"id": "c"}, None], "future": {}},
    ],
)
async def test_an_answer_may_lack_fields_and_have_unknown_ones(
    heartbeat: Heartbeat, server: HostileServer, heard: Heard, answer: dict[str, object]
) -> None:
    server.on("/heartbeat", document(200, answer))
    await heartbeat.beat(HOUSE)
    (event,) = heard.of(HeartbeatAnswered)
    assert (event.settings, event.commands) == (LinkSettings(), ())


@pytest.mark.parametrize(
    "answer",
    [
        [],
        {},
        {"serverTime": "noon"},
        {"serverTime": "2026-11-20T12:00:00"},
        {"serverTime": "0001-01-01T00:00:00+14:00"},
        {"serverTime": "9999-12-31T23:59:59-14:00"},
        {"serverTime": "1970-01-01T00:00:00Z"},
    ],
)
async def test_an_answer_without_the_time_is_garbage(
    heartbeat: Heartbeat, server: HostileServer, heard: Heard, answer: object
) -> None:
    server.on("/heartbeat", document(200, answer, Menu_Display="1"))
    await heartbeat.beat(HOUSE)
    assert heard.kinds() == ["ServiceFailed"]
    assert heard.events[0].fault is Fault.NOT_UNDERSTOOD


async def test_commands_are_bounded(heartbeat: Heartbeat, server: HostileServer, heard: Heard) -> None:
    many = [{"id": f"c{number}", "type": "identify"} for number in range(500)]
    server.on("/heartbeat", document(200, ANSWER | {"commands": many}))
    await heartbeat.beat(HOUSE)
    assert len(heard.of(HeartbeatAnswered)[0].commands) == MAX_COMMANDS


@pytest.mark.parametrize(
    ("told", "read"),
    [
        ({}, ScreenDisplay()),
        ({"rotation": 90, "overscan": 2.5, "mode": "1920x1080@60", "power": "always"}, TALL),
        ({"rotation": 45, "overscan": MAX_OVERSCAN + 1, "mode": "1080p", "power": "eco"}, ScreenDisplay()),
        ({"rotation": "90", "overscan": 1, "mode": 7, "power": None, "more": []}, ScreenDisplay(overscan=1)),
        (None, None),
        ("wide", None),
    ],
)
async def test_settings_of_the_panel_are_read_one_by_one(
    heartbeat: Heartbeat, server: HostileServer, heard: Heard, told: object, read: ScreenDisplay | None
) -> None:
    screen = {"id": "scr_1", "name": "Counter", "display": told}
    server.on("/heartbeat", document(200, ANSWER | {"screen": screen}))
    await heartbeat.beat(HOUSE)
    assert heard.of(HeartbeatAnswered)[0].display == read


async def test_an_older_service_says_nothing_of_the_panel(
    heartbeat: Heartbeat, server: HostileServer, heard: Heard
) -> None:
    server.on("/heartbeat", document(200, ANSWER))
    await heartbeat.beat(HOUSE)
    assert heard.of(HeartbeatAnswered)[0].display is None


async def test_beats_are_a_second_apart(heartbeat: Heartbeat, server: HostileServer) -> None:
    loop = asyncio.get_running_loop()
    at: list[float] = []
    server.on("/heartbeat", lambda request: (at.append(loop.time()), document(200, ANSWER)(request))[1])
    for _ in range(4):
        await heartbeat.beat(HOUSE)
    assert at == pytest.approx([0, 1, 2, 3], abs=0.1)
    assert [request.json["sequence"] for request in server.requests] == [1, 2, 3, 4]


async def test_sequence_numbers_grow_across_a_restart_of_the_player(
    api: ServiceApi, server: HostileServer, token_source: FakeTokenSource, clock: VirtualClock, heard: Heard
) -> None:
    server.on("/heartbeat", document(200, ANSWER))
    for _ in range(3):
        heartbeat = make(api, token_source, clock, heard)
        for _ in range(5):
            await heartbeat.beat(HOUSE)
        await asyncio.sleep(1)
    numbers = [request.json["sequence"] for request in server.requests]
    assert numbers == sorted(set(numbers))


async def test_errors_are_bounded_and_printable(heartbeat: Heartbeat, server: HostileServer) -> None:
    server.on("/heartbeat", document(200, ANSWER))
    fault = Rejection(code="c" * 5000, subject="s\x00\ud800" * 5000, detail="é" * 50_000)
    await heartbeat.beat(replace(HOUSE, rejections=(fault,) * 500))
    (request,) = server.requests
    assert len(request.body) <= link.MAX_BODY_BYTES
    assert 0 < len(request.json["errors"]) <= link.MAX_ERRORS
    assert request.json["errors"][0]["subject"] == ("s  " * 67)[: link.MAX_WORD]


async def test_a_heartbeat_of_wide_letters_still_fits(heartbeat: Heartbeat, server: HostileServer) -> None:
    server.on("/heartbeat", document(200, ANSWER))
    fault = Rejection(code="c", subject="s", detail="🍕" * 50_000)
    await heartbeat.beat(replace(HOUSE, rejections=(fault,) * 500))
    (request,) = server.requests
    assert len(request.body) <= link.MAX_BODY_BYTES
    assert len(request.json["errors"]) == 16


@pytest.mark.parametrize("letter", ["x", "🍕"])
async def test_findings_are_bounded_and_the_last_to_go(
    heartbeat: Heartbeat, server: HostileServer, letter: str
) -> None:
    server.on("/heartbeat", document(200, ANSWER))
    long = letter * 50_000
    findings = (Finding(code=long, severity=Severity.FAULT, what=long, why="", do=f"\x00{long}", who=Who.HERE),) * 50
    errors = (Rejection(code="c", subject="s", detail=long),) * 50
    await heartbeat.beat(replace(HOUSE, findings=findings, rejections=errors))
    (request,) = server.requests
    said = request.json["findings"]
    assert len(request.body) <= link.MAX_BODY_BYTES
    assert 5 < len(said) <= link.MAX_FINDINGS
    assert len(said) == link.MAX_FINDINGS or request.json["errors"] == []
    assert (said[0]["code"], said[0]["do"]) == (letter * link.MAX_WORD, f" {letter * (link.MAX_DETAIL - 1)}")


async def test_an_unpaired_device_sends_nothing(
    heartbeat: Heartbeat, server: HostileServer, token_source: FakeTokenSource
) -> None:
    token_source.token = None
    await heartbeat.beat(HOUSE)
    assert server.requests == []


async def test_a_refusal_is_reported_to_pairing(
    heartbeat: Heartbeat, server: HostileServer, token_source: FakeTokenSource
) -> None:
    server.on("/heartbeat", problem(401))
    await heartbeat.beat(HOUSE)
    assert token_source.reports == ["refused tok"]


async def test_a_failure_is_emitted_and_the_next_beat_is_sent(
    heartbeat: Heartbeat, server: HostileServer, heard: Heard
) -> None:
    server.on("/heartbeat", whole(200, b"<html>", kind="text/html"), document(200, ANSWER))
    await heartbeat.beat(HOUSE)
    await heartbeat.beat(HOUSE)
    assert heard.of(ServiceFailed)[0].fault is Fault.PORTAL
    assert heard.of(HeartbeatAnswered)


async def test_a_strange_answer_without_the_mark_of_the_service_is_of_something_else(
    heartbeat: Heartbeat, server: HostileServer, heard: Heard
) -> None:
    server.on("/heartbeat", document(200, {}))
    await heartbeat.beat(HOUSE)
    (failed,) = heard.of(ServiceFailed)
    assert failed.fault is Fault.NOT_THE_SERVICE


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({"wantedVersion": "0.2.0+5.g1a2b"}, "0.2.0+5.g1a2b"),
        ({"wantedVersion": None}, ""),
        ({}, ""),
        ({"wantedVersion": 2}, ""),
        ({"wantedVersion": "*"}, ""),
        ({"wantedVersion": "0.2.0\nPin-Priority: 1001"}, ""),
        ({"wantedVersion": "1" * 200}, ""),
    ],
)
async def test_the_wanted_version_is_read_and_what_is_none_is_passed_over(
    heartbeat: Heartbeat, server: HostileServer, heard: Heard, given: dict[str, object], read: str
) -> None:
    server.on("/heartbeat", document(200, {**ANSWER, **given}))
    await heartbeat.beat(HOUSE)
    (event,) = heard.of(HeartbeatAnswered)
    assert (event.wanted_version, len(event.commands)) == (read, 2)


async def test_a_version_that_was_taken_back_is_reported(heartbeat: Heartbeat, server: HostileServer) -> None:
    server.on("/heartbeat", document(200, ANSWER))
    taken_back = TakenBack(version="0.3.0", why="a\x00b")
    for known in (taken_back, replace(taken_back, code="not_started")):
        await heartbeat.beat(replace(HOUSE, device=replace(HOUSE.device, taken_back=known)))
    old, new = (request.json["takenBack"] for request in server.asked("/heartbeat"))
    assert old == {"version": "0.3.0", "why": "a b"}
    assert new == old | {"code": "not_started"}
