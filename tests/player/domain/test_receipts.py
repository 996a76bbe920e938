"""Receipts tell what a guest could see, scene by scene, in few words."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from menu.documents.manifest import Rejection, VersionKey
from player.domain import receipts as module
from player.domain.panel.panel import PanelFacts, Power
from player.domain.receipts import LONGEST, Receipts, batch
from player.domain.state import Kind, PairingFacts, PlayerState, Presented
from tests.player.domain.findings.states import HEALTHY, NOW

KEY = VersionKey(playlist_id="pl_1", version=3)
LOOP = (("a", 15.0), ("b", 10.0), ("c", 5.0))


class Glass:
    """A player whose glass changes as a test says; monotonic seconds are those since `NOW`."""

    def __init__(self) -> None:
        self.now = 0.0
        self.serial = 0
        self.receipts = Receipts()
        self.more: dict[str, Any] = {}
        self.presented = Presented()
        self.shown: list[tuple[float, str | None]] = []
        """What showed from when on."""

    @property
    def state(self) -> PlayerState:
        at = NOW + timedelta(seconds=self.now)
        return replace(HEALTHY, at=at, monotonic=self.now, presented=self.presented, **self.more)

    def look(self) -> None:
        self.receipts = self.receipts.look(self.state)

    def show(self, scene: str, at: float | None = None, *, revision: int = 7, **more: Any) -> None:
        """A frame of this scene was swapped."""
        self.now = self.now if at is None else at
        self.serial += 1
        self.presented = Presented(
            serial=self.serial,
            kind=Kind.SCENE,
            key=KEY,
            revision=revision,
            scene_id=scene,
            entry_id=f"ent_{scene}",
            history=f"h{revision}",
            at=NOW + timedelta(seconds=self.now),
            **more,
        )
        self.shown.append((self.now, scene))
        self.look()

    def loop(self, until: float, *, revision: int = 7, jitter: float = 0.0) -> None:
        """The loop goes on, with frames that come a little late."""
        start, place = 0.0, 0
        while start < until:
            if start >= self.now:
                late = jitter if place % 2 else 0.0
                self.show(LOOP[place % 3][0], start + late, revision=revision)
            start, place = start + LOOP[place % 3][1], place + 1
        self.now = until
        self.look()

    def told(self) -> list[dict[str, Any]]:
        state = self.state
        return list(batch(self.receipts.stretches, now=state.at, monotonic=state.monotonic).values())

    def guests_saw(self, at: float) -> str | None:
        return next((scene for begin, scene in reversed(self.shown) if begin <= at), None)


def says(told: list[dict[str, Any]], at: float) -> str | None:
    """The scene at this second, as the service reads it from the receipts."""
    for one in told:
        begin, end = ((_seconds(one[name])) for name in ("from", "to"))
        if begin <= at < end and one["kind"] == "scene":
            passed, steps, period = 1000 * (at - begin), one["steps"], one.get("period")
            if period and passed >= steps[1]["at"]:
                passed = steps[1]["at"] + (passed - steps[1]["at"]) % period
            return str([step["sceneId"] for step in steps if step["at"] <= passed][-1])
    return None


def _seconds(instant: str) -> float:
    return (datetime.fromisoformat(instant) - NOW).total_seconds()


@pytest.fixture
def glass() -> Glass:
    return Glass()


def test_a_loop_that_goes_round_for_hours_is_one_receipt(glass: Glass) -> None:
    glass.loop(8 * 3600.0, jitter=0.1)
    [told] = glass.told()
    assert [step["sceneId"] for step in told["steps"]] == ["a", "b", "c", "a"]
    assert (told["revision"], told["history"]) == (7, "h7")
    assert told["period"] == pytest.approx(30_000, abs=1)
    assert (_seconds(told["from"]), _seconds(told["to"])) == (0, 8 * 3600)


@pytest.mark.long
def test_each_moment_of_a_day_can_be_told_from_it(glass: Glass) -> None:
    """Prices change within a scene, and the loop goes on."""
    for number, until in enumerate((700.0, 703.0, 5000.0, 5011.0, 5012.5, 9000.0)):
        glass.show(glass.guests_saw(glass.now) or "a", revision=number)
        glass.loop(until, revision=number, jitter=0.2)
    told = glass.told()
    assert len(told) == 6
    for tenth in range(0, 90_000, 7):
        at = tenth / 10
        if not any(abs(at - begin) <= 0.5 for begin, _ in glass.shown):
            assert says(told, at) == glass.guests_saw(at), at


def test_a_showing_that_comes_late_or_not_at_all_is_not_told(glass: Glass) -> None:
    glass.loop(600.0)
    glass.now = 900.0
    glass.look()
    told = glass.told()
    assert [(_seconds(one["from"]), _seconds(one["to"])) for one in told] == [(0, 600), (600, 900)]
    assert says(told, 800) == "c", "it has shown on"
    glass.show("a")
    assert says(glass.told(), 899) == "c"


def test_what_shows_in_place_of_scenes_is_told(glass: Glass) -> None:
    glass.show("a", 0)
    glass.now = 10
    glass.more = {"panel": PanelFacts(wanted=Power.OFF_BY_SCHEDULE, obeys=True)}
    glass.look()
    glass.now, glass.more = 20, {"faults": (Rejection(code="frames_stopped", subject="display", detail=""),)}
    shown, glass.presented = glass.presented, Presented()
    glass.look()
    glass.now, glass.more, glass.presented = 30, {}, shown
    glass.look()
    glass.now, glass.presented = 40, Presented(serial=9, kind=Kind.HOUSE, at=NOW + timedelta(seconds=40))
    glass.look()
    glass.now = 50
    glass.look()
    assert [(one["kind"], one.get("why"), _seconds(one["from"]), _seconds(one["to"])) for one in glass.told()] == [
        ("scene", None, 0, 10),
        ("off", None, 10, 20),
        ("nothing", "frames_stopped", 20, 30),
        ("scene", None, 30, 40),
        ("house", None, 40, 50),
    ]
    assert [one["kind"] for one in glass.told() if "steps" in one] == ["scene", "scene"]


def test_a_device_that_is_no_screen_and_one_before_its_first_frame_tell_nothing(glass: Glass) -> None:
    glass.look()
    glass.more = {"pairing": PairingFacts()}
    glass.show("a", 1)
    glass.now = 100
    glass.look()
    assert glass.told() == []


def test_a_correction_of_the_clock_moves_no_receipt(glass: Glass) -> None:
    """The time is told when it is known: what showed before it was known has the right time, too."""
    glass.loop(300.0)
    state = glass.state
    [one] = batch(glass.receipts.stretches, now=state.at + timedelta(days=7), monotonic=state.monotonic).values()
    assert _seconds(one["from"]) == 7 * 24 * 3600


def test_what_is_stored_is_told_again_only_while_it_goes_on(glass: Glass) -> None:
    glass.show("a", 0)
    glass.show("a", 10, revision=8)
    glass.now = 20
    glass.look()
    glass.receipts = glass.receipts.stored(2)
    assert [one["revision"] for one in glass.told()] == [8]
    glass.now = 30
    glass.look()
    [again] = glass.told()
    assert _seconds(again["to"]) == 30
    assert [one.number for one in glass.receipts.stretches] == [2]


def test_receipts_are_bounded(glass: Glass) -> None:
    for number in range(module.MOST_WAITING + 3):
        glass.show("a", number * 10.0, revision=number)
    glass.now += 10
    glass.look()
    first, *_ = told = glass.told()
    assert len(told) == module.MOST_WAITING
    assert first["before"] == "dropped"
    glass.loop(glass.now + 2 * LONGEST)
    assert all(_seconds(one["to"]) - _seconds(one["from"]) <= LONGEST + 30 for one in glass.told())
    glass = Glass()
    for number in range(2 * module.MOST_STEPS):
        glass.show(f"s{number}", number * 5.0)
    assert max(len(one["steps"]) for one in glass.told()) == module.MOST_STEPS


def test_a_scene_of_several_languages_tells_which(glass: Glass) -> None:
    for loop in range(4):
        for place, scene in enumerate("ab"):
            language = ("de", "en")[loop % 2] if scene == "a" else None
            glass.show(scene, loop * 20.0 + place * 10.0, language=language)
    [told] = glass.told()
    assert [step.get("language") for step in told["steps"]] == ["de", None, "en", None, "de", None, "en", None]
    glass.show("a", 80, language="de")
    [told] = glass.told()
    assert [step.get("language") for step in told["steps"]] == ["de", None, "en", None, "de"]
    assert told["period"] == pytest.approx(40_000)
