"""The stage: how views replace each other without a blank frame, are cached and freed, and when one is presented."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPointF
from PySide6.QtGui import QColor, QImage

from menu.documents.box import Box
from menu.documents.scene import (
    Background,
    ClockWidget,
    Gradient,
    ImageWidget,
    QrWidget,
    TextWidget,
    TickerWidget,
    Transition,
    TransitionKind,
)
from menu.documents.theme import Theme
from menu.text.wording import Locality
from player.display.views.view_model import ViewModel
from player.display.window import window
from player.display.window.frame_watch import RENDER_LOOP_VARIABLE, FrameWatch, swaps_needed
from player.display.window.stage import MOST_CACHED, MOST_PIXELS_CACHED, READY_WITHIN_SECONDS
from player.domain.events import FramePresented
from player.domain.view import HouseCard, Identity, PairingCard, SceneView, View
from tests.player.display.conftest import Glass
from tests.player.display.scenes import listing, menu, row, scene, showing
from tests.support.patience import PATIENCE_SECONDS

RED, GREEN, BLUE = "#C02020", "#20C020", "#2020C0"
MILLISECONDS = 160
FADES_WATCHED = 20
MOST_VIEWS = 3 + MOST_CACHED
"""One that leaves, one that enters, one being prepared, and the cached ones."""


def plain(
    color: str, name: str, *, kind: TransitionKind = TransitionKind.FADE, milliseconds: int = MILLISECONDS
) -> SceneView:
    transition = Transition(kind=kind, milliseconds=milliseconds)
    return showing(scene(scene_id=name, background=Background(color=color), transition=transition), entry=name)


def middle(image: QImage) -> QColor:
    return image.pixelColor(image.width() // 2, image.height() // 2)


def frames_until_entered(glass: Glass) -> Iterator[QImage]:
    """The views after each turn of the event loop, until the transition has ended."""
    while glass.moving:
        QCoreApplication.processEvents()
        yield glass.grab()


def alive(glass: Glass) -> list[ViewModel]:
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return [child for child in glass.display.stage.children() if isinstance(child, ViewModel)]


def test_a_fade_goes_from_the_old_scene_to_the_new_without_a_blank_frame(glass: Glass) -> None:
    between = 0
    for _ in range(FADES_WATCHED):  # a busy machine may draw no frame in half a second
        glass.show(plain(RED, "red"), plain(GREEN, "green"))
        glass.settle()
        glass.until(lambda: glass.display.stage.is_prepared)
        glass.order(plain(GREEN, "green"))
        shares = []

        for image in frames_until_entered(glass):
            color = middle(image)
            # From red to green: at every moment the two add up, over nothing darker.
            assert color.red() + color.green() == pytest.approx(0xC0 + 0x20, abs=6)
            assert color.blue() == pytest.approx(0x20, abs=4)
            shares.append(color.green())

        assert shares == sorted(shares)
        assert middle(glass.grab()) == QColor(GREEN)
        between = sum(0x28 < share < 0xB8 for share in shares)
        if between:
            break
    assert between, "no frame between the two was seen"


def test_a_view_that_fades_away_is_freed_when_its_picture_is_taken(glass: Glass) -> None:
    """So that two films, or a film and a layer, are never in memory at once."""
    glass.show(plain(RED, "red"))
    glass.settle()
    leaving = glass.display.stage.top
    glass.order(plain(GREEN, "green"))
    glass.until(lambda: glass.moving)

    assert glass.display.stage.top is not leaving
    assert glass.display.stage.rowCount() == 1 + len(glass.display.stage._cache.scenes)
    assert middle(glass.grab()).red() > 0xA0, "it is on the glass no more"


def test_a_banner_stays_as_it_is_in_a_fade(glass: Glass) -> None:
    glass.show(plain(RED, "red"), identify=Identity(name="Bar 2", short_id="7F3A9C"))
    glass.settle()
    [banner] = glass.find("banner")
    corner = banner.mapToScene(QPointF(banner.width() / 2, 6)).toPoint()
    before = glass.grab().pixelColor(corner).getRgb()
    glass.order(plain(GREEN, "green"), identify=Identity(name="Bar 2", short_id="7F3A9C"))
    glass.until(lambda: glass.moving)

    for image in frames_until_entered(glass):
        assert image.pixelColor(corner).getRgb() == pytest.approx(before, abs=2)


@pytest.mark.parametrize("software", [True, False])
def test_overlapping_widgets_do_not_shine_through_in_a_fade(
    make_glass: Callable[..., Glass], monkeypatch: pytest.MonkeyPatch, *, software: bool
) -> None:
    """Without a GPU the picture of what leaves is faded out, with one the layer of what enters is faded in."""
    monkeypatch.setattr(window, "is_software", lambda: software)
    glass = make_glass()
    box = Box(x=0, y=0, width=1920, height=1080)
    covered = scene(
        menu("below", box=box, theme=Theme(panel_color=RED)),
        menu("above", box=box, theme=Theme(panel_color=GREEN)),
        scene_id="covered",
        background=Background(color=GREEN),
        transition=Transition(kind=TransitionKind.FADE, milliseconds=MILLISECONDS),
    )
    glass.show(plain(GREEN, "green"))
    glass.order(showing(covered, entry="covered"))
    glass.until(lambda: glass.moving)

    colors = {middle(image).name().upper() for image in frames_until_entered(glass)}

    assert all(QColor(seen).red() - 0x20 <= 2 for seen in colors), colors


def test_a_wipe_of_an_old_scene_is_a_fade(glass: Glass) -> None:
    glass.show(plain(RED, "red"))
    glass.order(plain(GREEN, "green", kind=TransitionKind.WIPE))
    glass.until(lambda: glass.moving)
    # No frame has an edge.
    assert all(
        len({image.pixelColor(x, 200).name() for x in (5, 480, 955)}) == 1 for image in frames_until_entered(glass)
    )
    assert middle(glass.grab()) == QColor(GREEN)


def test_a_scene_can_slide_in_over_the_old_one(glass: Glass) -> None:
    glass.show(plain(RED, "red"))
    glass.order(plain(GREEN, "green", kind=TransitionKind.SLIDE))
    glass.until(lambda: glass.moving)
    seen = set()

    for image in frames_until_entered(glass):
        seen |= {image.pixelColor(x, 200).name().upper() for x in (5, 480, 955)}

    assert seen == {RED, GREEN}
    assert middle(glass.grab()) == QColor(GREEN)


def test_a_cut_changes_from_one_frame_to_the_next(glass: Glass) -> None:
    glass.show(plain(RED, "red"))
    glass.show(plain(GREEN, "green", kind=TransitionKind.CUT))

    assert middle(glass.grab()) == QColor(GREEN)
    assert len(glass.find("host")) == 1


def test_the_next_scene_is_prepared_before_it_is_due_and_not_seen(glass: Glass) -> None:
    upcoming = plain(GREEN, "green")
    glass.show(plain(RED, "red"), upcoming)
    glass.until(lambda: len(alive(glass)) == 2 and all(view.is_ready for view in alive(glass)))
    prepared = alive(glass)[1]
    assert middle(glass.grab()) == QColor(RED)
    assert len(glass.find("host")) == 1

    glass.show(upcoming)
    glass.settle()

    assert glass.display.stage.top is prepared


def test_a_prepared_scene_comes_with_the_rows_as_they_are_when_it_is_due(glass: Glass) -> None:
    widget = menu()
    later = scene(widget, scene_id="later")
    glass.show(plain(RED, "red"), showing(later, {"menu": listing(("", [row("Soup"), row("Stew")]))}))
    glass.until(lambda: len(alive(glass)) == 2)

    glass.show(showing(later, {"menu": listing(("", [row("Soup")]))}))

    assert glass.texts("name") == ["Soup"]


def test_views_that_have_left_are_freed(glass: Glass) -> None:
    most = 0
    for number in range(6):
        upcoming = plain(BLUE if number % 2 else GREEN, f"scene {number + 1}", milliseconds=20)
        glass.show(plain(GREEN if number % 2 else BLUE, f"scene {number}", milliseconds=20), upcoming)
        most = max(most, len(alive(glass)))
        glass.settle()
    glass.show(plain(RED, "last", kind=TransitionKind.CUT))
    glass.settle()

    assert most <= MOST_VIEWS
    glass.until(lambda: len(alive(glass)) == 1 + MOST_CACHED)
    assert len(glass.find("canvas")) <= 1


@pytest.mark.long
def test_a_view_that_has_left_leaves_nothing_in_qmls_heap() -> None:
    """The values that a Loader's setSource() of Qt 6.8 is given stay for good: 128 bytes of each view that is built."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.player.display.window.many_showings"],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_SECONDS,
        env={**os.environ, "QT_LOGGING_RULES": "qt.qml.gc.allocatorStats=true", "QV4_GC_TIMELIMIT": "0"},
    )

    if "says nothing of its heap" in done.stderr:
        pytest.skip("this version of Qt does not log the size of QML's heap")
    assert (done.returncode, done.stdout.strip(), done.stderr[-2000:]) == (0, "0", "")


def test_a_loop_returns_to_cached_scenes(glass: Glass) -> None:
    loop = [plain(color, color, milliseconds=20) for color in (RED, GREEN, BLUE)]
    shown = []
    for number in range(9):
        glass.show(loop[number % 3], loop[(number + 1) % 3])
        glass.settle()
        assert middle(glass.grab()) == QColor(loop[number % 3].entry_id)
        shown.append(glass.display.stage.top)

    assert len({id(view) for view in shown}) == 3


@pytest.mark.first_case
@pytest.mark.parametrize(("scenes", "built"), [(3, 3), (4, 8)])
def test_cached_scenes_never_have_more_pixels_than_allowed(
    make_glass: Callable[..., Glass], tmp_path: Path, scenes: int, built: int
) -> None:
    """Photographs that fill the screen and stick out of it: a loop of three needs one cached, of four two."""
    glass = make_glass(size=(1920, 1080))
    photo = QImage(1920, 1440, QImage.Format.Format_RGB32)
    photo.fill(QColor(GREEN))
    glass.files["photo"] = tmp_path / "photo"
    assert photo.save(str(glass.files["photo"]), "PNG")
    box = Box(x=0, y=0, width=1920, height=1080)
    loop = [
        showing(scene(ImageWidget(id="photo", box=box, asset="photo"), scene_id=name), entry=name)
        for name in "abcd"[:scenes]
    ]
    shown = []
    for number in range(3 * scenes):
        glass.show(loop[number % scenes], loop[(number + 1) % scenes])
        glass.settle()
        glass.until(lambda: glass.display.stage.is_prepared)
        shown.append(glass.display.stage.top)
        assert sum(view.pixels for view in glass.display.stage._cache.scenes) <= MOST_PIXELS_CACHED

    assert len({id(view) for view in shown}) == built


def test_a_cached_scene_returns_up_to_date(glass: Glass) -> None:
    shown = scene(menu(), scene_id="listed")
    glass.show(showing(shown, {"menu": listing(("", [row("Soup"), row("Stew")]))}))
    view = glass.display.stage.top

    glass.show(plain(RED, "red"))
    glass.settle()
    glass.show(showing(shown, {"menu": listing(("", [row("Soup")]))}))
    glass.settle()

    assert glass.display.stage.top is view
    glass.until(lambda: glass.texts("name") == ["Soup"])


def test_behind_a_card_no_scene_is_cached(glass: Glass) -> None:
    glass.show(plain(RED, "red"), plain(GREEN, "green"))
    glass.settle()
    glass.show(plain(GREEN, "green"))
    glass.settle()
    glass.show(HouseCard(location_name="Corner Café"))
    glass.settle()

    glass.until(lambda: len(alive(glass)) == 1)


def test_of_orders_that_come_during_a_transition_the_last_is_shown_next(glass: Glass) -> None:
    glass.show(plain(RED, "red"))
    glass.order(plain(GREEN, "green"))
    glass.until(lambda: glass.moving)
    skipped = glass.order(plain("#202020", "grey"))
    last = glass.order(plain(BLUE, "blue"))
    assert len(alive(glass)) <= MOST_VIEWS

    glass.until(lambda: last in glass.presented)
    glass.settle()

    assert skipped not in glass.presented
    assert middle(glass.grab()) == QColor(BLUE)


def test_the_next_scene_fades_in_over_the_last_also_in_the_moment_in_which_that_has_entered(glass: Glass) -> None:
    stage = glass.display.stage
    glass.show(plain(RED, "red"))
    glass.order(plain(GREEN, "green"))
    glass.until(lambda: glass.moving)
    glass.order(plain(BLUE, "blue"))
    entering, waiting = stage.top, glass.hidden[-1]
    assert entering is not None
    glass.until(lambda: waiting.is_ready)
    assert stage.top is entering

    entering.finish()
    waiting.progressed.emit()

    sums = []

    def has_entered() -> bool:
        color = middle(glass.grab())
        sums.append(color.red() + color.green() + color.blue())
        return stage.top is waiting and not glass.moving

    glass.until(has_entered)
    # One colour turns into the next, over nothing darker.
    assert sums == pytest.approx([0xC0 + 0x20 + 0x20] * len(sums), abs=8)


def test_presented_is_emitted_once_in_order_and_only_for_swapped_frames(glass: Glass) -> None:
    first = glass.order(plain(RED, "red"))
    assert glass.presented == []
    glass.until(lambda: glass.presented == [first])

    second = glass.order(plain(RED, "red"))
    third = glass.order(plain(RED, "red"))
    glass.until(lambda: third in glass.presented)

    assert glass.presented == [first, third]
    assert second not in glass.presented


def test_a_fading_scene_is_presented_with_the_first_frame_in_which_it_shows(glass: Glass) -> None:
    glass.show(plain("#000000", "black"), plain("#FFFFFF", "white"))
    glass.settle()
    glass.until(lambda: len(alive(glass)) == 2 and all(view.is_ready for view in alive(glass)))

    glass.show(plain("#FFFFFF", "white"))

    assert glass.moving, "the transition is over before it was reported"
    assert middle(glass.grab()).red() > 0


def test_presented_carries_the_moment_on_the_monotonic_clock(glass: Glass) -> None:
    glass.monotonic = 5000.25
    glass.show(plain(RED, "red"))

    assert [event.at for event in glass.events if isinstance(event, FramePresented)] == [5000.25]


@pytest.mark.parametrize(
    ("view", "ticks"),
    [
        (plain(RED, "red"), False),
        (showing(scene(ClockWidget(id="clock", box=Box(x=0, y=0, width=400, height=200)))), True),
        (HouseCard(location_name="Café", locality=Locality()), True),
        (PairingCard(user_code="WDJBMJ", good_until=9000.0), True),
        (PairingCard(), False),
    ],
    ids=["still", "clock", "house", "code", "no code"],
)
def test_seconds_are_counted_only_while_something_is_due(glass: Glass, view: View, ticks: bool) -> None:
    timer, stage = glass.display._tick_timer, glass.display.stage

    def goes_on() -> bool:
        """Whether another tick follows this one."""
        timer.stop()
        glass.display._tick()
        return timer.isActive()

    glass.show(plain(BLUE, "blue"))
    glass.until(lambda: not goes_on())
    glass.show(view)
    assert timer.isActive(), "an order begins the count anew"
    glass.until(lambda: stage.is_at_rest and (goes_on() is ticks))
    glass.until(lambda: not stage._prepare_timer.isActive())
    assert goes_on() is ticks


def test_a_still_view_draws_no_frames(glass: Glass) -> None:
    glass.show(plain(RED, "red"))
    glass.settle()
    swapped = []
    glass.display.view.frameSwapped.connect(lambda: swapped.append(1))

    for _ in range(50):
        glass.display.stage.tick()
        QCoreApplication.processEvents()

    assert swapped == []


def test_a_scene_waits_for_its_images_for_a_limited_time(make_glass: Callable[..., Glass], tmp_path: Path) -> None:
    glass = make_glass()
    glass.show(plain(RED, "red"))
    slow = plain(GREEN, "green", kind=TransitionKind.CUT)
    glass.order(slow)
    [_, waiting] = sorted(alive(glass), key=lambda view: view.current_phase != "showing")
    waiting.expect("an image that never comes")
    timeout = glass.display.stage._ready_timeout
    glass.until(lambda: waiting.is_built)
    assert middle(glass.grab()) == QColor(RED)
    assert timeout.isActive()
    assert timeout.interval() == READY_WITHIN_SECONDS * 1000

    timeout.stop()
    timeout.timeout.emit()

    assert middle(glass.grab()) == QColor(GREEN)


def test_a_scene_that_is_not_built_in_time_is_built_at_once(glass: Glass) -> None:
    glass.show(plain(RED, "red"))
    serial = glass.order(plain(GREEN, "green", kind=TransitionKind.CUT))
    waiting = glass.hidden[-1]
    timeout = glass.display.stage._ready_timeout
    assert not waiting.is_built
    assert middle(glass.grab()) == QColor(RED)

    timeout.stop()
    timeout.timeout.emit()

    assert waiting.is_built
    assert middle(glass.grab()) == QColor(GREEN)
    glass.until(lambda: serial in glass.presented)


def test_a_scene_is_not_built_at_once_while_another_fades_in(glass: Glass) -> None:
    glass.show(plain(RED, "red"))
    glass.order(plain(BLUE, "blue"))
    glass.until(lambda: glass.moving)
    glass.order(plain(GREEN, "green", kind=TransitionKind.CUT))
    waiting = glass.hidden[-1]
    timeout = glass.display.stage._ready_timeout
    timeout.stop()
    timeout.timeout.emit()

    assert glass.hidden[-1] is waiting
    assert not waiting.is_built
    glass.until(lambda: glass.display.stage.top is waiting)


def test_with_a_render_thread_the_second_swap_counts(glass: Glass, monkeypatch: pytest.MonkeyPatch) -> None:
    # Not in the real environment, which threads of Qt may be reading.
    threaded = partial(swaps_needed, {RENDER_LOOP_VARIABLE: "threaded"})
    monkeypatch.setattr("player.display.window.frame_watch.swaps_needed", threaded)
    # The first one may be of the frame before.
    glass.show(plain(RED, "red"))
    glass.settle()
    swaps: list[int] = []
    swaps_when_presented: list[int] = []
    # Connected first, so that a swap is counted before the watch gets it.
    glass.display.view.frameSwapped.connect(lambda: swaps.append(1))
    watch = FrameWatch(glass.display.view, parent=glass.display)
    watch.presented.connect(lambda _: swaps_when_presented.append(len(swaps)))

    watch.expect(7)
    glass.until(lambda: bool(swaps_when_presented))

    assert swaps_when_presented == [2]


def test_the_same_scene_in_another_showing_goes_on_without_a_transition(glass: Glass) -> None:
    view = plain(RED, "red")
    glass.show(view)
    [host] = glass.find("host")

    glass.show(plain(RED, "red", kind=TransitionKind.FADE))

    assert glass.find("host") == [host]
    assert not host.property("moving")


@pytest.mark.parametrize(
    ("size", "bars"),
    [((960, 800), [(480, 5), (480, 795)]), ((1400, 540), [(5, 270), (1395, 270)])],
)
def test_the_canvas_is_scaled_as_a_whole_and_letterboxed_in_its_background(
    make_glass: Callable[..., Glass], size: tuple[int, int], bars: list[tuple[int, int]]
) -> None:
    glass = make_glass(size=size)
    box = Box(x=0, y=0, width=1920, height=1080)
    glass.show(
        showing(
            scene(
                ImageWidget(id="missing", box=box, asset="0" * 64),
                background=Background(color=BLUE),
            )
        )
    )
    image = glass.grab()
    [canvas] = glass.find("canvas")

    assert canvas.scale() == pytest.approx(min(size[0] / 1920, size[1] / 1080))
    assert [image.pixelColor(x, y).name().upper() for x, y in bars] == [BLUE, BLUE]
    assert middle(image) != QColor(BLUE), "the canvas itself is filled by its widget"


def test_a_gradient_runs_at_its_angle_from_corner_to_corner(glass: Glass) -> None:
    gradient = Gradient(start="#000000", end="#FFFFFF", angle=0)
    glass.show(showing(scene(scene_id="a", background=Background(gradient=gradient))))
    across = glass.grab()
    down_gradient = Gradient(start="#000000", end="#FFFFFF", angle=90)
    glass.show(showing(scene(scene_id="b", background=Background(gradient=down_gradient))))
    down = glass.grab()

    assert across.pixelColor(2, 270).red() < 8
    assert across.pixelColor(957, 270).red() > 247
    assert across.pixelColor(480, 5).red() == pytest.approx(across.pixelColor(480, 535).red(), abs=2)
    assert down.pixelColor(480, 2).red() < 8
    assert down.pixelColor(480, 537).red() > 247


@pytest.mark.long
@pytest.mark.proves("scenes-come-go")
def test_scenes_that_have_left_leave_nothing_to_the_garbage_collector(glass: Glass) -> None:
    """Garbage that only the collector frees stays for hundreds of scenes: it rarely looks at old objects."""

    def menu_board(name: str) -> SceneView:
        shown = scene(
            menu(),
            ClockWidget(id="clock", box=Box(x=1500, y=20, width=300, height=60)),
            TextWidget(id="text", box=Box(x=20, y=20, width=600, height=60), text="Lunch until 3 pm"),
            TickerWidget(id="ticker", box=Box(x=0, y=1000, width=1920, height=60), text="Fresh bread every day"),
            QrWidget(id="code", box=Box(x=1500, y=700, width=200, height=240), data="https://cafe.example/menu"),
            scene_id=name,
        )
        return showing(shown, {"menu": listing(("", [row(f"Dish {n}") for n in range(12)]))}, entry=name)

    # More than are cached, so each is built anew whenever it comes round.
    boards = [menu_board(f"{n}") for n in range(MOST_VIEWS + 1)]

    def come_round() -> None:
        for shown, upcoming in zip(boards, boards[1:] + boards[:1], strict=True):
            glass.show(shown, upcoming)
        alive(glass)

    come_round()
    gc.collect()
    gc.disable()
    try:
        come_round()
        assert gc.collect() == 0
    finally:
        gc.enable()
