"""Findings about the glass: each with its cause and something to do."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from menu.documents.manifest import Rejection
from player.domain.machine import Glass
from player.domain.recovery.fault_texts import DISPLAY
from player.domain.state import (
    PlayerState,
)
from tests.player.domain.findings.states import (
    HEALTHY,
    SCENE,
    Case,
    check,
    first,
    parametrized,
)

CASES: list[Case] = [
    ("no screen", replace(HEALTHY, faults=(Rejection(code="no_screen", subject="display", detail="none"),)),
     "no_screen", "Switch the screen on"),
    ("a scene that cannot be drawn",
     replace(HEALTHY, faults=(Rejection(code="scene_fails", subject="scn_1", detail="x", name="Lunch"),)),
     "scene_fails", "“Lunch”"),
    ("a screen that fell back to a coarse picture", replace(HEALTHY, glass=Glass(width=640, height=480)),
     "display_small", "640 × 480"),
    ("a small screen", replace(HEALTHY, glass=Glass(width=1024, height=600)), "display_small", "1024 × 600"),
    ("an upright screen, scenes across",
     replace(HEALTHY, view=SCENE, glass=Glass(width=1080, height=1920, upright=True)), "display_turned", "upright"),
    ("scenes that stand upright, on a picture without a screen that lies across",
     replace(HEALTHY, view=replace(SCENE, scene=replace(SCENE.scene, width=1080, height=1920)),
             glass=Glass(width=640, height=360, is_screen=False)), "display_turned", "stand upright"),
    ("a screen turned back by its location",
     replace(HEALTHY, view=SCENE, glass=Glass(width=1920, height=1080, upright=True)), "display_turned", "1920 × 1080"),
    ("frames that come late", replace(HEALTHY, frames_late=True), "frames_late", "jerk"),
]  # fmt: skip


@parametrized(CASES)
def test_the_fault_is_the_first_finding(state: PlayerState, code: str, says: str) -> None:
    check(state, code, says)


@pytest.mark.parametrize("code", sorted(DISPLAY))
def test_every_fault_of_the_display_has_something_to_do(code: str) -> None:
    finding = first(replace(HEALTHY, faults=(Rejection(code=code, subject="display", detail="it is so"),)))
    assert (finding.code, finding.do != "") == (code, True)
    assert "{" not in finding.what
