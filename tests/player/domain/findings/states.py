"""States of a player in which one thing is wrong, and boards that play, for the tests of findings."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from menu.documents.manifest import LinkSettings, Location, Rejection, VersionKey
from menu.documents.scene import Scene
from menu.rules.timeline import OtherEntry, Reason, Unshowable, WhyNot
from menu.text.wording import Locality
from player.domain.events import Health
from player.domain.finding import Finding
from player.domain.findings.diagnosis import diagnose, diagnosed
from player.domain.link.connection import ConnectionTest, Step, StepResult
from player.domain.link.contact import Call, Contact, FailingCall
from player.domain.link.fault import Fault
from player.domain.pairing.pairing import Code
from player.domain.standstill import Standstill
from player.domain.state import (
    Device,
    HouseReason,
    Kind,
    PairingFacts,
    PairingPhase,
    PlayerState,
    Presented,
    RunningFacts,
    Showing,
    StagedFacts,
)
from player.domain.time.clock import ClockState, Trust
from player.domain.view import HouseCard, SceneView
from tests.support.board import COFFEE, ITEMS, LUNCH, Board
from tests.support.menus import HandClock, entry

Case = tuple[str, PlayerState, str, str]
"""The fault, the facts, the code of the first finding, and words that it must hold."""


NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)

KEY = VersionKey(playlist_id="pl_0123456789abcdef0123456789abcdef", version=3)

NEXT_KEY = VersionKey(playlist_id=KEY.playlist_id, version=4)

SHA = "ab" * 32

SCENE = SceneView(
    key=KEY,
    entry_id="ent_1",
    scene=Scene(id="scn_1", name="Breakfast", width=1920, height=1080, widgets=()),
    started_at=NOW,
    revision=7,
    locality=Locality(),
    duration_seconds=10,
)

CODE = Code(
    device_code="secret",
    user_code="WDJ-BMJ",
    verification_uri="https://menus.example.com/pair",
    verification_uri_complete="https://menus.example.com/pair?code=WDJBMJ",
    interval=5.0,
    good_until=1000.0,
)

WELL = Health(
    temperature_celsius=51.2,
    disk_free_bytes=24 * 10**9,
    memory_available_bytes=512 * 10**6,
    throttled=False,
    disk_read_only=False,
    disk_free_files=10**6,
    under_voltage=False,
)

HEALTHY = PlayerState(
    at=NOW,
    device=Device(
        device_id="0123456789abcdef0123456789abcdef",
        boot_id="",
        app_version="1",
        service="https://menus.example.com",
        started_at=NOW - timedelta(hours=1),
    ),
    pairing=PairingFacts(phase=PairingPhase.PAIRED, screen_id="scr_1", screen_name="Counter"),
    contact=Contact(last_answer_at=NOW),
    settings=LinkSettings(),
    clock=ClockState(trust=Trust.TRUSTED),
    location=Location(
        id="loc_1", name="Corner Café", timezone="Europe/Berlin", currency="EUR", locale="de-DE", rotation=0
    ),
    running=RunningFacts(key=KEY, name="All day", published_at=NOW, entries=2),
    staged=None,
    revision=7,
    revision_at=NOW - timedelta(minutes=3),
    serial=5,
    view=HouseCard(),
    showing=Showing(kind=Kind.SCENE, scene_name="Breakfast"),
    presented=Presented(serial=5, kind=Kind.SCENE, key=KEY, revision=7),
    health=WELL,
)

UNPAIRED = replace(
    HEALTHY,
    pairing=PairingFacts(),
    running=None,
    location=None,
    revision=None,
    showing=Showing(kind=Kind.PAIRING),
    presented=Presented(kind=Kind.PAIRING),
    clock=ClockState(trust=Trust.TRUSTED),
)

NEW = replace(
    HEALTHY, running=None, location=None, revision=None, presented=Presented(kind=Kind.HOUSE), showing=Showing()
)


def told(state: PlayerState) -> tuple[Finding, ...]:
    """The findings of a state that has lasted for an hour."""
    return diagnose(replace(state, found=dict.fromkeys(diagnosed(state).found, state.at - timedelta(hours=1))))


def first(state: PlayerState) -> Finding:
    found = told(state)
    assert found
    return found[0]


def failing(
    fault: Fault = Fault.NO_CONNECTION, *, seconds: float = 600, detail: str = "no connection", **more: Any
) -> Contact:
    facts: dict[str, Any] = {"call": Call.MANIFEST, **more}
    call = FailingCall(fault=fault, since=NOW - timedelta(seconds=seconds), failures=3, detail=detail, **facts)
    return Contact(last_answer_at=NOW - timedelta(hours=2), failing=(call,))


def probed(step: Step, fault: Fault, *, state: PlayerState = HEALTHY, evidence: str = "") -> PlayerState:
    """The service is not reached, and the test has said at which step."""
    steps = [StepResult(step=each, passed=True, milliseconds=1.0) for each in Step]
    at = list(Step).index(step)
    steps[at] = StepResult(step=step, passed=False, fault=fault, evidence=evidence)
    steps[at + 1 :] = [StepResult(step=each.step, passed=None) for each in steps[at + 1 :]]
    test = ConnectionTest(at=NOW - timedelta(seconds=595), steps=tuple(steps))
    return replace(state, contact=failing(), connection=test)


def lost(*seconds: float) -> tuple[datetime, ...]:
    """When the link was lost: so many seconds ago, the newest first."""
    return tuple(NOW - timedelta(seconds=each) for each in reversed(seconds))


def house(reason: HouseReason, *, state: PlayerState = HEALTHY, **facts: Any) -> PlayerState:
    return replace(
        state,
        showing=Showing(kind=Kind.HOUSE, house_reason=reason, **facts),
        presented=replace(state.presented, kind=Kind.HOUSE),
    )


def lacking(reasons: Mapping[str, str], state: PlayerState = HEALTHY) -> PlayerState:
    """Files of the running version are not on the device."""
    assert state.running is not None
    parts = tuple(
        Rejection(code="asset_lacking", subject=sha, detail=why, name="Breakfast") for sha, why in reasons.items()
    )
    return replace(state, running=replace(state.running, missing=reasons), rejections=(*state.rejections, *parts))


def rejected(code: str, detail: str = "No space left on device", *, state: PlayerState = HEALTHY, **more: str) -> Any:
    part = Rejection(code=code, subject=more.pop("subject", "latest"), detail=detail, **more)
    return replace(state, rejections=(*state.rejections, part))


def passed_over(name: str, why: WhyNot, detail: str = "") -> OtherEntry:
    reason = Reason.PASSED_OVER
    return OtherEntry(entry_id=name, scene_name=name, reason=reason, unshowable=Unshowable(why, detail))


def staged(*, remaining: int = 0, missing: Mapping[str, str] | None = None, **more: Any) -> StagedFacts:
    facts: dict[str, Any] = {"takes_over_at": None, "assets": 12, "since": NOW - timedelta(minutes=5), **more}
    return StagedFacts(key=NEXT_KEY, assets_remaining=remaining, missing=missing or {}, **facts)


DAMAGED = house(
    HouseReason.NOTHING_SHOWABLE,
    state=rejected("scene_bad", "none of its widgets can be drawn", subject="scn_1", name="Breakfast"),
    others=(
        passed_over("Breakfast", WhyNot.UNREADABLE, "none of its widgets can be drawn"),
        passed_over("Lunch", WhyNot.FILE_MISSING),
    ),
)

ALL_FILES_GONE = replace(
    house(
        HouseReason.NOTHING_SHOWABLE,
        state=lacking({SHA: "it answers 404"}),
        others=(passed_over("Breakfast", WhyNot.FILE_MISSING),),
    )
)

FULL = replace(WELL, disk_free_bytes=0)

READ_ONLY = replace(WELL, disk_read_only=True)

FAILING = replace(READ_ONLY, disk_failing=True)


def stopped(**facts: Any) -> PlayerState:
    """Health of a device on which nothing else is wrong."""
    return replace(HEALTHY, standstill=Standstill(**facts))


def codes(board: Board) -> list[str]:
    return [finding.code for finding in diagnose(board.state)]


def playing(clock: HandClock | None = None) -> Board:
    board = Board(clock=clock).trust_the_clock()
    board.receive(items=ITEMS, scenes=[COFFEE, LUNCH], entries=[entry("coffee"), entry("lunch")])
    board.swap()
    return board


def parametrized(cases: list[Case]) -> pytest.MarkDecorator:
    """Runs a test for each case."""
    names = [case[0].replace(" ", "_") for case in cases]
    return pytest.mark.parametrize(("state", "code", "says"), [case[1:] for case in cases], ids=names)


def check(state: PlayerState, code: str, says: str) -> None:
    """The first finding has this code, and says this."""
    finding = first(state)
    assert finding.code == code
    assert says in f"{finding.what} {finding.why} {finding.do}"
