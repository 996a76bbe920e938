"""Frames: Python does not run in those of an animation, and none is blank."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import FrameType

import pytest
from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QSignalSpy

from menu.documents.box import Box
from menu.documents.scene import Background, ClockWidget, TextWidget, Transition, TransitionKind
from menu.documents.theme import Theme
from player.display.views.view_model import ViewPhase
from player.display.window.panel import Panel
from player.display.window.screenshot import is_flat
from player.display.window.window import LETTERBOX
from player.domain.events import OrderFailed
from player.domain.pairing.access import Pin
from player.domain.recovery.liveness import FaultCode
from player.domain.view import PairingNotice, SceneView, Strip
from tests.player.display.conftest import Glass
from tests.player.display.scenes import listing, menu, row, scene, showing

REFRESH_SECONDS = 1 / 60
LEAST_FRAMES = 4
"""Fewer would be no fade; how many there are depends on the machine."""


def board(name: str, color: str, *, milliseconds: int, kind: TransitionKind = TransitionKind.FADE) -> SceneView:
    """A scene with a menu and a clock."""
    shown = scene(
        menu(),
        ClockWidget(id="clock", box=Box(x=1500, y=20, width=300, height=60)),
        scene_id=name,
        background=Background(color=color),
        transition=Transition(kind=kind, milliseconds=milliseconds),
    )
    return showing(shown, {"menu": listing(("", [row(f"Dish {n}") for n in range(12)]))}, entry=name)


def python_calls_and_frames(glass: Glass, order: SceneView) -> tuple[int, int]:
    """Counts Python functions on the Qt thread and swapped frames, from an order to its end."""
    swapped = QSignalSpy(glass.display.view.frameSwapped)
    loop = QEventLoop()
    end = QTimer(singleShot=True, interval=order.scene.transition.milliseconds + 150)
    end.timeout.connect(loop.quit)
    calls = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    # What is left of earlier tests would be finalised in these frames.
    gc.collect()
    gc.disable()
    glass.order(order)
    end.start()
    sys.setprofile(count)
    try:
        loop.exec()
    finally:
        sys.setprofile(None)
        gc.enable()
    glass.settle()
    return calls, swapped.count()


@pytest.mark.first_case
@pytest.mark.parametrize("kind", [TransitionKind.FADE, TransitionKind.SLIDE, TransitionKind.WIPE])
def test_python_does_not_run_in_the_frames_of_a_transition(glass: Glass, kind: TransitionKind) -> None:
    first = board("first", "#402030", milliseconds=0)
    counts = []
    for milliseconds in (200, 800):
        coming = board(f"{milliseconds} ms", "#203040", milliseconds=milliseconds, kind=kind)
        glass.show(first, coming)
        glass.until(lambda: glass.display.stage.is_prepared)
        glass.settle()
        # The tick of a clock is not part of the animation.
        glass.display._tick_timer.blockSignals(True)
        glass.display._probe_timer.stop()
        counts.append(python_calls_and_frames(glass, coming))
    (calls, frames), (more_calls, more_frames) = counts

    assert more_frames >= frames + LEAST_FRAMES
    # What else ends in this time, such as a timer or garbage, makes some calls once.
    assert more_calls - calls < (more_frames - frames) * 3 / 4, "each further frame has called Python"


def test_a_loop_has_no_blank_frame_and_makes_none_late(glass: Glass) -> None:
    colors = ("#402030", "#204030", "#203040")
    loop = [board(color, color, milliseconds=120) for color in colors]
    swaps: list[tuple[float, float]] = []
    glass.show(loop[0], loop[1])
    glass.settle()
    glass.display.view.frameSwapped.connect(lambda: swaps.append((time.monotonic(), time.thread_time())))

    work = []
    for number in range(1, 7):
        glass.settle()
        swaps.clear()
        glass.order(loop[number % 3], loop[(number + 1) % 3])
        glass.until(lambda: glass.display.stage.top.current_phase is ViewPhase.ENTERING)
        blank = {glass.grab().pixelColor(*at).name() for at in ((5, 5), (955, 535))} & {LETTERBOX, "#000000"}
        assert not blank
        swaps.clear()
        glass.until(lambda: glass.display.stage.top.current_phase is ViewPhase.SHOWING)
        work += [later - earlier for (_, earlier), (_, later) in pairwise(swaps)]
        assert QColor(glass.grab().pixelColor(5, 5)) == QColor(colors[number % 3])

    # CPU time of the Qt thread. The first two changes build scenes and may take longer.
    assert sorted(work)[len(work) // 2] < 2 * REFRESH_SECONDS


STRIP = Strip(name="Counter", version="Menu Player 0.1.0", address="http://192.168.7.20:8085", finding="", qr="")
OVER: dict[str, dict[str, object]] = {
    "nothing": {},
    "banners": {
        "strip": STRIP,
        "pin": Pin(digits="482913", until=0.0),
        "notice": PairingNotice(name="Counter", locale="en", fault="Not paired.", advice="Pair it again."),
    },
}


@pytest.mark.first_case
@pytest.mark.proves("scene-nothing-can")
@pytest.mark.goes_beyond("MOST_FLAT_FRAMES")
@pytest.mark.parametrize("over", OVER)
@pytest.mark.parametrize("behind", ["color", "picture"])
@pytest.mark.parametrize(("size", "overscan"), [((960, 540), 0.0), ((960, 540), 5.0), ((541, 960), 0.0)])
def test_text_in_the_colour_of_what_is_behind_it_is_legible_or_reported_once(
    make_glass: Callable[..., Glass], tmp_path: Path, size: tuple[int, int], overscan: float, behind: str, over: str
) -> None:
    glass = make_glass(size=size, panel=Panel(overscan=overscan), files={"picture": tmp_path / "picture.png"})
    color, picture = QColor("#203040"), QImage(96, 54, QImage.Format.Format_RGB32)
    picture.fill(color)
    assert picture.save(str(glass.files["picture"]))
    # Over a picture the theme's colours are used unchanged.
    background = Background(color="#101010", asset="picture") if behind == "picture" else Background(color=color.name())
    text = TextWidget(id="text", text="Closed on Mondays", box=Box(x=100, y=100, width=1700, height=400))
    glass.show(showing(scene(text, background=background, theme=Theme(text_color=color.name()))), **OVER[over])
    glass.settle()
    for _ in range(5):
        glass.display._tick()
    if size[0] > size[1]:
        glass.until(lambda: is_flat(glass.grab()) is (behind == "picture" and over == "nothing"))
    found = [event.code for event in glass.events if isinstance(event, OrderFailed)]
    assert found == ([FaultCode.FRAME_BLANK] if behind == "picture" else [])


def test_frames_that_come_late_for_some_time_are_told_and_one_that_does_is_not(glass: Glass) -> None:
    display = glass.display
    glass.show(board("first", "#402030", milliseconds=0))
    glass.settle()
    display._probe_timer.stop()
    display._forget_probe()

    def ask(seconds: float) -> bool:
        display._probe()
        glass.monotonic += seconds
        glass.until(lambda: display.look(0.0).frame_asked_at is None)
        return display.look(0.0).frames_late

    assert not ask(0.05)
    assert [ask(0.6) for _ in range(2)] == [False, False]
    assert not ask(0.05)
    assert [ask(0.6) for _ in range(3)] == [False, False, True]
    assert not ask(0.05), "it is over at once"
