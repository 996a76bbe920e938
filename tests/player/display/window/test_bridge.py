"""The bridge between the threads: orders in, screenshots and a sign of life out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest
from PySide6.QtCore import QByteArray, QCoreApplication
from PySide6.QtGui import QColor, QImage

from menu.documents.scene import Background, Transition, TransitionKind
from player.display.media.crash_guard import MOST_CRASHES, CrashLog
from player.display.window.bridge import MOST_GRABS, Bridge
from player.display.window.screenshot import LEAST_INTERVAL_SECONDS, Screenshot
from player.domain.events import DetailsAsked
from player.domain.machine import WindowMode
from player.domain.view import DisplayOrder, SceneView
from player.storage.state_file import StateFile
from tests.player.display.conftest import Glass
from tests.player.display.scenes import NOON, order, scene, showing


def plain(color: str) -> SceneView:
    cut = Transition(kind=TransitionKind.CUT)
    return showing(scene(scene_id=color, background=Background(color=color), transition=cut), entry=color)


def on_another_thread(call: Callable[[], object]) -> None:
    thread = Thread(target=call)
    thread.start()
    thread.join()


def middle(png: bytes) -> str:
    image = QImage.fromData(QByteArray(png))
    return image.pixelColor(image.width() // 2, image.height() // 2).name()


@pytest.fixture
def bridge(glass: Glass) -> Bridge:
    glass.show(plain("#102030"))
    return Bridge(glass.display, monotonic=lambda: glass.monotonic)


def test_of_orders_posted_while_the_display_is_busy_only_the_last_is_shown(glass: Glass, bridge: Bridge) -> None:
    def post() -> None:
        for serial, color in ((11, "#aa0000"), (12, "#00aa00"), (13, "#0000aa")):
            bridge.post(order(serial, plain(color)))

    on_another_thread(post)
    glass.until(lambda: 13 in glass.presented)

    assert glass.presented == [1, 13]
    assert glass.grab().pixelColor(480, 270) == QColor("#0000aa")


def test_an_order_posted_later_is_shown_too(glass: Glass, bridge: Bridge) -> None:
    on_another_thread(lambda: bridge.post(order(11, plain("#aa0000"))))
    glass.until(lambda: 11 in glass.presented)
    on_another_thread(lambda: bridge.post(order(12, plain("#00aa00"))))
    glass.until(lambda: 12 in glass.presented)

    assert glass.presented == [1, 11, 12]


def test_a_fault_in_one_order_leaves_the_view_and_the_bridge_working(
    glass: Glass, bridge: Bridge, caplog: pytest.LogCaptureFixture
) -> None:
    bridge.post(DisplayOrder(serial=66, view=None))  # type: ignore[arg-type]
    QCoreApplication.processEvents()
    assert "order 66" in caplog.text
    assert glass.grab().pixelColor(480, 270) == QColor("#102030")

    bridge.post(order(67, plain("#00aa00")))
    glass.until(lambda: 67 in glass.presented)


def test_a_screenshot_is_delivered_and_encoded_on_another_thread(glass: Glass, bridge: Bridge) -> None:
    got: list[Screenshot] = []
    on_another_thread(lambda: bridge.grab(got.append))
    glass.until(lambda: bool(got))
    pictures: list[bytes] = []
    on_another_thread(lambda: pictures.extend((got[0].png(), got[0].jpeg(480))))

    assert [middle(each) for each in pictures] == ["#102030", "#102030"]


def test_a_screenshot_asked_for_in_a_fade_is_of_the_whole_scene_after_it(glass: Glass, bridge: Bridge) -> None:
    fade = Transition(kind=TransitionKind.FADE, milliseconds=300)
    glass.order(showing(scene(scene_id="next", background=Background(color="#20c020"), transition=fade), entry="next"))
    glass.until(lambda: glass.moving)
    got: list[Screenshot] = []
    bridge.grab(got.append)
    QCoreApplication.processEvents()
    assert not got
    glass.until(lambda: bool(got))
    assert middle(got[0].png()) == "#20c020"


def test_a_stage_that_never_rests_gives_a_screenshot_of_what_there_is(glass: Glass) -> None:
    glass.show(plain("#102030"))
    bridge = Bridge(glass.display, monotonic=lambda: glass.monotonic, rest_seconds=0.2)
    fade = Transition(kind=TransitionKind.FADE, milliseconds=2000)
    glass.order(showing(scene(scene_id="next", background=Background(color="#20c020"), transition=fade), entry="next"))
    glass.until(lambda: glass.moving)
    got: list[Screenshot] = []
    bridge.grab(got.append)
    glass.until(lambda: bool(got))
    assert glass.moving


def test_callers_that_wait_together_share_one_screenshot_and_are_bounded(glass: Glass, bridge: Bridge) -> None:
    got: list[Screenshot] = []

    def ask() -> None:
        for _ in range(MOST_GRABS + 5):
            bridge.grab(got.append)

    on_another_thread(ask)
    glass.until(lambda: len(got) >= MOST_GRABS)
    QCoreApplication.processEvents()

    assert len(got) == MOST_GRABS
    assert len({id(shot) for shot in got}) == 1


def test_the_sign_of_life_follows_the_display_s_own_turns(glass: Glass, bridge: Bridge) -> None:
    assert bridge.look().turned_at == glass.monotonic
    glass.monotonic += 30
    assert bridge.look().turned_at == glass.monotonic - 30, "a display that hangs is not alive"

    bridge._alive_timer.timeout.emit()

    assert bridge.look().turned_at == glass.monotonic


def test_crashes_are_forgiven_from_another_thread(make_glass: Callable[..., Glass], tmp_path: Path) -> None:
    records = StateFile(tmp_path / "trials", kind="trials")
    for _ in range(MOST_CRASHES):
        CrashLog(records).request(1, "a" * 64, NOON)
    glass = make_glass(crash_records=records)
    bridge = Bridge(glass.display, monotonic=lambda: glass.monotonic)

    on_another_thread(bridge.forgive_crashes)

    glass.until(lambda: records.load() == b"{}")


def test_quit_ends_the_loop(glass: Glass, bridge: Bridge) -> None:
    thread = Thread(target=bridge.quit)
    thread.start()

    assert QCoreApplication.exec() == 0

    thread.join()
    assert glass.display.view.isVisible(), "whoever ends the program closes the window in its own order"


def test_the_snapshot_holds_what_was_presented_and_the_last_one_is_always_written(
    make_glass: Callable[..., Glass], tmp_path: Path
) -> None:
    path = tmp_path / "glass.png"
    glass = make_glass(snapshot=path)
    glass.show(plain("#aa0000"))
    glass.until(path.exists)
    assert middle(path.read_bytes()) == "#aa0000"

    glass.show(plain("#00aa00"))
    glass.show(plain("#0000aa"))
    assert middle(path.read_bytes()) == "#aa0000", "written more often than twice a second"
    assert glass.display._snapshot is not None
    pause = glass.display._snapshot._pause
    assert pause.interval() == LEAST_INTERVAL_SECONDS * 1000

    pause.stop()
    pause.timeout.emit()
    glass.until(lambda: middle(path.read_bytes()) == "#0000aa")
    assert [file.name for file in tmp_path.iterdir()] == ["glass.png"], "a half-written file was left behind"


def test_the_last_snapshot_is_written_when_the_display_closes(make_glass: Callable[..., Glass], tmp_path: Path) -> None:
    path = tmp_path / "glass.png"
    glass = make_glass(snapshot=path)
    glass.show(plain("#aa0000"))
    glass.until(path.exists)
    glass.show(plain("#00aa00"))

    glass.display.close()

    assert middle(path.read_bytes()) == "#00aa00"


def test_a_snapshot_that_cannot_be_written_is_logged_and_the_board_goes_on(
    make_glass: Callable[..., Glass], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    glass = make_glass(snapshot=tmp_path / "no such folder" / "glass.png")
    glass.show(plain("#aa0000"))
    glass.until(lambda: "was not written" in caplog.text)
    glass.show(plain("#00aa00"))

    assert glass.presented == [1, 2]


@pytest.mark.parametrize(("mode", "closes"), [(WindowMode.WINDOWED, 1), (WindowMode.FULLSCREEN, 0)])
def test_escape_leaves_a_window_and_nothing_else(
    make_glass: Callable[..., Glass], mode: WindowMode, closes: int
) -> None:
    glass = make_glass(mode=mode)
    glass.show(plain("#102030"))
    glass.display.view.requestActivate()
    glass.until(glass.root.hasActiveFocus)

    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest

    QTest.keyClick(glass.display.view, Qt.Key.Key_Escape)

    assert glass.closed == closes


@pytest.mark.parametrize("mode", [WindowMode.WINDOWED, WindowMode.FULLSCREEN])
def test_f1_asks_for_details_once(make_glass: Callable[..., Glass], mode: WindowMode) -> None:
    glass = make_glass(mode=mode)
    glass.show(plain("#102030"))
    glass.display.view.requestActivate()
    glass.until(glass.root.hasActiveFocus)

    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest

    QTest.keyClick(glass.display.view, Qt.Key.Key_F1)
    QTest.keyClick(glass.display.view, Qt.Key.Key_F2)

    assert [event for event in glass.events if isinstance(event, DetailsAsked)] == [DetailsAsked()]
    assert glass.closed == 0


def test_closing_the_window_by_its_frame_is_reported_once(make_glass: Callable[..., Glass]) -> None:
    glass = make_glass(mode=WindowMode.WINDOWED)
    glass.show(plain("#102030"))

    glass.display.view.close()

    assert glass.closed == 1


def test_a_kiosk_has_no_frame_and_no_cursor(make_glass: Callable[..., Glass]) -> None:
    from PySide6.QtCore import Qt

    glass = make_glass(mode=WindowMode.FULLSCREEN)
    glass.show(plain("#102030"))

    assert glass.display.view.flags() & Qt.WindowType.FramelessWindowHint
    assert glass.display.view.cursor().shape() is Qt.CursorShape.BlankCursor
    assert glass.display.view.windowStates() & Qt.WindowState.WindowFullScreen


def test_nothing_on_the_glass_follows_a_pointer(make_glass: Callable[..., Glass]) -> None:
    """Over a pointer that rests, Qt Quick would ask a handler again at each frame, and remember that for good."""
    from PySide6.QtCore import QObject

    glass = make_glass(mode=WindowMode.FULLSCREEN)
    glass.show(plain("#102030"))

    parts = glass.display.view.contentItem().findChildren(QObject)
    assert parts
    assert not [part.metaObject().className() for part in parts if part.inherits("QQuickPointerHandler")]
