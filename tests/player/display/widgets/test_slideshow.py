"""Slideshows on the glass: pictures and films by turns, cross-faded, whatever single ones of them cost."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtGui import QColor, QImage
from PySide6.QtMultimedia import QMediaPlayer

from menu.documents.box import Box
from menu.documents.scene import Background, Fit, Focus, Slide, SlideshowWidget
from player.display.views.scene import SceneViewModel
from player.display.views.view_model import ViewModel
from player.display.widgets.slideshow import MOST_SLIDESHOWS, RETRY_SECONDS, SlideshowViewModel, SlideViewModel
from player.display.widgets.video import VideoViewModel
from player.domain.view import SceneView
from tests.player.display.conftest import Glass
from tests.player.display.scenes import NOON, listing, menu, row, scene, showing
from tests.support.films import film
from tests.support.obstacles import OBSTACLES, obstruct

RED, GREEN, BLUE, WHITE = "#c02020", "#20c020", "#2020c0", "#e0e0e0"
PICTURES = {RED: "1" * 64, GREEN: "2" * 64, WHITE: "3" * 64}
FILM, OTHER_FILM, BROKEN = "a" * 64, "b" * 64, "e" * 64
CANVAS = Box(x=0, y=0, width=1920, height=1080)
FADE, LONG_FADE = 200, 2000
"""Milliseconds; a busy machine may draw no frame of a short one."""

pytestmark = pytest.mark.film("Could not open media")


@pytest.fixture
def board(glass: Glass, tmp_path: Path) -> Glass:
    """A display with a red, a green and a white picture at hand."""
    for color, digest in PICTURES.items():
        image = QImage(64, 36, QImage.Format.Format_RGB32)
        image.fill(QColor(color))
        glass.files[digest] = tmp_path / digest
        assert image.save(str(tmp_path / digest), "PNG")
    return glass


def test_the_focus_of_a_picture_stays_visible(board: Glass, tmp_path: Path) -> None:
    image = QImage(64, 36, QImage.Format.Format_RGB32)
    image.fill(QColor(RED))
    for x in range(48, 64):
        for y in range(36):
            image.setPixelColor(x, y, QColor(GREEN))
    board.files["4" * 64] = tmp_path / "two"
    assert image.save(str(tmp_path / "two"), "PNG")
    slide = Slide(asset="4" * 64, seconds=5, focus=Focus(x=1.0, y=0.5))

    board.show(view_of(zone([slide], box=Box(x=0, y=0, width=480, height=1080))))
    shows(board, GREEN, x=120, y=270)


def pictures(*colors: str, seconds: int = 5, fit: Fit = Fit.COVER) -> list[Slide]:
    return [Slide(asset=PICTURES.get(color, color), seconds=seconds, fit=fit) for color in colors]


def zone(slides: Sequence[Slide], **more: object) -> SlideshowWidget:
    given = {"id": "zone", "box": CANVAS, "slides": tuple(slides), "fade_milliseconds": FADE, **more}
    return SlideshowWidget(**given)  # type: ignore[arg-type]


def view_of(*widgets: object, name: str = "scn_1", **more: object) -> SceneView:
    shown = showing(scene(*widgets, scene_id=name, background=Background(color=BLUE)), entry=name)
    return replace(shown, **more)  # type: ignore[arg-type]


def color_at(glass: Glass, x: int = 480, y: int = 270) -> str:
    """The nearest of our colours, or the exact one: those of films come back a little different."""
    seen = glass.grab().pixelColor(x, y)
    for name in (RED, GREEN, BLUE, WHITE):
        other = QColor(name)
        if all(abs(a - b) < 16 for a, b in zip(seen.getRgb(), other.getRgb(), strict=True)):  # type: ignore[arg-type]
            return name
    return seen.name()


def shows(glass: Glass, color: str, *, x: int = 480, y: int = 270) -> None:
    glass.until(lambda: color_at(glass, x, y) == color)


def slides(glass: Glass) -> list[SlideViewModel]:
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return glass.display.stage.findChildren(SlideViewModel)


def both_ready(glass: Glass) -> None:
    """Wait until one slide shows whole and the next is decoded: virtual time outruns a fade."""
    glass.until(lambda: len(slides(glass)) == 2 and all(slide.is_ready for slide in slides(glass)))
    glass.until(lambda: sorted(item.opacity() for item in glass.find_all("slide")) == [0, 1])


def players(glass: Glass) -> list[QMediaPlayer]:
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return glass.display.stage.findChildren(QMediaPlayer)


def pass_seconds(glass: Glass, seconds: int) -> None:
    """Tick as a board does, with time for the event loop after each second."""
    for _ in range(seconds):
        glass.pass_seconds(1)
        QCoreApplication.processEvents()


def reports(glass: Glass) -> list[tuple[str, str]]:
    return [(event.subject, event.code) for event in glass.undrawable]


def test_pictures_follow_each_other_again_and_again(board: Glass) -> None:
    board.show(view_of(zone([*pictures(RED), *pictures(GREEN, seconds=3), *pictures(WHITE, seconds=4)])))
    for _ in range(3):
        for color, seconds in ((RED, 5), (GREEN, 3), (WHITE, 4)):
            shows(board, color)
            pass_seconds(board, seconds - 1)
            assert color_at(board) == color, "for its whole time"
            board.pass_seconds(1)
    assert reports(board) == []


def test_one_slide_just_stays(board: Glass) -> None:
    board.show(view_of(zone(pictures(RED))))
    shows(board, RED)
    made = slides(board)
    for _ in range(20):
        pass_seconds(board, 1)
        assert color_at(board) == RED
    assert slides(board) == made


@pytest.mark.long
def test_a_picture_fades_into_the_next_and_the_background_never_shines_through(board: Glass) -> None:
    board.show(view_of(zone(pictures(RED, GREEN), fade_milliseconds=LONG_FADE)))
    shows(board, RED)
    pass_seconds(board, 4)
    both_ready(board)
    board.pass_seconds(1)
    greens = []
    while len(slides(board)) == 2:
        QCoreApplication.processEvents()
        seen = board.grab().pixelColor(480, 270)
        assert seen.red() + seen.green() == pytest.approx(0xE0, abs=6)
        assert seen.blue() == pytest.approx(0x20, abs=4)
        greens.append(seen.green())

    assert greens == sorted(greens)
    assert any(0x28 < green < 0xB8 for green in greens), "a frame between the two was seen"
    assert color_at(board) == GREEN


def test_without_a_fade_it_is_a_cut(board: Glass) -> None:
    board.show(view_of(zone(pictures(RED, GREEN), fade_milliseconds=0)))
    shows(board, RED)
    pass_seconds(board, 4)
    both_ready(board)
    seen = []
    board.pass_seconds(1)
    while len(slides(board)) == 2:
        QCoreApplication.processEvents()
        seen.append(color_at(board))
    assert set(seen) <= {RED, GREEN}
    assert color_at(board) == GREEN


def test_a_picture_that_does_not_cover_leaves_nothing_of_the_one_before_it(board: Glass, tmp_path: Path) -> None:
    tall = QImage(20, 40, QImage.Format.Format_RGB32)
    tall.fill(QColor(GREEN))
    assert tall.save(str(tmp_path / "tall"), "PNG")
    board.files[BROKEN] = tmp_path / "tall"
    board.show(view_of(zone([*pictures(RED), *pictures(BROKEN, fit=Fit.CONTAIN)])))
    shows(board, RED)
    pass_seconds(board, 5)

    shows(board, GREEN)
    shows(board, BLUE, x=20)
    pass_seconds(board, 5)
    shows(board, RED)
    shows(board, RED, x=20)


def test_it_begins_where_its_loop_is(board: Glass) -> None:
    began = NOON - timedelta(seconds=1000 * 10 + 7)
    board.show(view_of(zone(pictures(RED, GREEN)), counted_from=began))

    shows(board, GREEN)
    pass_seconds(board, 3)
    shows(board, RED)


def test_a_change_of_items_does_not_disturb_it(board: Glass) -> None:
    widgets = (zone(pictures(RED, GREEN, WHITE)), menu(box=Box(x=0, y=0, width=500, height=500)))
    before, after = ({"menu": listing(("", [row(name)]))} for name in ("Soup", "Salad"))
    board.show(view_of(*widgets, menus=before))
    pass_seconds(board, 7)
    shows(board, GREEN, x=900)
    made = slides(board)

    board.show(view_of(*widgets, menus=after, revision=2))
    assert slides(board) == made
    assert color_at(board, 900) == GREEN
    pass_seconds(board, 3)
    shows(board, WHITE, x=900)


def test_a_scene_that_is_prepared_has_the_slide_of_its_beginning(board: Glass) -> None:
    starts_at = NOON + timedelta(seconds=30)
    first = view_of(name="first")
    second = view_of(
        zone(pictures(RED, GREEN)), name="second", started_at=starts_at, counted_from=starts_at - timedelta(seconds=5)
    )
    board.show(first, second)
    board.until(lambda: board.display.stage.is_prepared)
    pass_seconds(board, 30)
    [slide] = slides(board)
    assert (slide.number, slide.is_ready) == (1, True)

    board.show(second)
    assert color_at(board) == GREEN, "from its first frame"
    pass_seconds(board, 5)
    shows(board, RED)


def test_a_cached_scene_goes_on_where_it_is_then(board: Glass) -> None:
    def turn(number: int, starts: int, counted: int) -> SceneView:
        slideshow = (zone(pictures(RED, GREEN)),) if number == 1 else ()
        start = NOON + timedelta(seconds=starts)
        return view_of(
            *slideshow, name=f"scene {number}", started_at=start, counted_from=start - timedelta(seconds=counted)
        )

    board.show(turn(1, 0, 0), turn(2, 5, 0))
    shows(board, RED)
    board.until(lambda: board.display.stage.is_prepared)
    pass_seconds(board, 5)
    # Virtual time outruns the fade, which goes on while the scene is cached.
    board.until(lambda: [item.opacity() for item in board.find("slide")] == [1])
    # Its second showing is the second five seconds of its loop.
    board.show(turn(2, 5, 0), turn(1, 10, 5))
    shows(board, BLUE)
    board.until(lambda: board.display.stage.is_prepared)
    assert len(board.display.stage.findChildren(ViewModel)) == 2, "it was kept"
    pass_seconds(board, 5)
    board.show(turn(1, 10, 5))
    assert color_at(board) == GREEN


@pytest.mark.first_case
@pytest.mark.proves("picture-film-slideshow")
@pytest.mark.parametrize("obstacle", OBSTACLES)
def test_a_picture_that_cannot_be_read_gives_its_time_to_the_next(board: Glass, tmp_path: Path, obstacle: str) -> None:
    board.files[BROKEN] = tmp_path / BROKEN
    obstruct(tmp_path / BROKEN, obstacle)
    board.show(view_of(zone(pictures(RED, BROKEN, GREEN))))
    shows(board, RED)
    pass_seconds(board, 5)
    shows(board, GREEN)
    pass_seconds(board, 9)
    assert color_at(board) == GREEN
    pass_seconds(board, 1)
    shows(board, RED)

    expected = "asset_missing" if obstacle == "a dangling link" else "asset_unreadable"
    assert reports(board) == [("scn_1/zone/slides/1", expected)]


@pytest.mark.film("libpng error")
def test_a_damaged_picture_gives_its_time_to_the_next(board: Glass, tmp_path: Path) -> None:
    whole = board.files[PICTURES[RED]].read_bytes()
    board.files[BROKEN] = tmp_path / BROKEN
    board.files[BROKEN].write_bytes(whole[:40] + bytes(len(whole) - 40))
    board.show(view_of(zone(pictures(BROKEN, GREEN, RED))))

    shows(board, GREEN)
    pass_seconds(board, 10)
    shows(board, RED)
    assert reports(board) == [("scn_1/zone/slides/0", "asset_undecodable")]


def test_a_slide_that_comes_back_is_shown_again_and_no_longer_reported(board: Glass, tmp_path: Path) -> None:
    board.files[BROKEN] = tmp_path / BROKEN
    board.show(view_of(zone(pictures(RED, BROKEN))))
    pass_seconds(board, 7)
    shows(board, RED)
    assert reports(board) == [("scn_1/zone/slides/1", "asset_missing")]

    (tmp_path / BROKEN).write_bytes(board.files[PICTURES[GREEN]].read_bytes())
    pass_seconds(board, round(RETRY_SECONDS))
    assert board.wall == NOON + timedelta(seconds=RETRY_SECONDS + 7)
    shows(board, GREEN)
    [drawn] = [event for event in board.drawn if event.subject == "scn_1/zone/slides/1"]
    assert "asset_missing" in drawn.codes


def test_where_no_slide_can_be_shown_there_is_a_panel(board: Glass) -> None:
    board.show(view_of(zone(pictures(BROKEN, "f" * 64))))
    pass_seconds(board, 20)

    assert board.find("slideshowPlaceholder")
    assert board.grab().pixelColor(480, 270).name() not in (BLUE, "#000000")
    assert len(reports(board)) == 2
    top = board.display.stage.top
    assert isinstance(top, SceneViewModel)
    assert top.is_ready


def test_a_film_plays_between_pictures_and_its_decoder_is_closed(board: Glass) -> None:
    board.files[FILM] = film(picture=f"color=c={GREEN}")
    board.show(view_of(zone([*pictures(RED), Slide(asset=FILM, seconds=5)])))
    for _ in range(2):
        shows(board, RED)
        board.until(lambda: not players(board))
        pass_seconds(board, 4)
        both_ready(board)
        [waiting] = players(board)
        assert waiting.playbackState() is QMediaPlayer.PlaybackState.PausedState
        assert color_at(board) == RED
        board.pass_seconds(1)
        shows(board, GREEN)
        board.until(lambda: players(board)[0].playbackState() is QMediaPlayer.PlaybackState.PlayingState)
        pass_seconds(board, 5)


@pytest.mark.long
def test_a_film_follows_a_film_with_one_decoder_and_without_a_hole(board: Glass) -> None:
    board.files[FILM] = film(picture=f"color=c={GREEN}")
    board.files[OTHER_FILM] = film(picture=f"color=c={RED}")
    board.show(view_of(zone([Slide(asset=FILM, seconds=3), Slide(asset=OTHER_FILM, seconds=3)])))
    shows(board, GREEN)
    decoders = []
    for color in (RED, GREEN, RED):
        pass_seconds(board, 3)
        while color_at(board) != color:
            decoders.append(len(players(board)))
            seen = board.grab().pixelColor(480, 270)
            assert seen.red() + seen.green() == pytest.approx(0xE0, abs=24), "the one, the other, or a mixture"
            QCoreApplication.processEvents()
        board.until(lambda: len(slides(board)) == 1)
    assert max(decoders) == 1
    assert reports(board) == []


def test_a_film_that_is_none_gives_its_time_to_the_next(board: Glass, tmp_path: Path) -> None:
    board.files[FILM] = tmp_path / "film"
    board.files[FILM].write_bytes(film().read_bytes()[:64])
    board.show(view_of(zone([Slide(asset=FILM, seconds=5), *pictures(RED, GREEN)])))

    shows(board, RED)
    pass_seconds(board, 10)
    shows(board, GREEN)
    pass_seconds(board, 5)
    shows(board, RED)
    assert reports(board) == [("scn_1/zone/slides/0", "asset_undecodable")]


@pytest.mark.long
def test_films_follow_each_other_through_a_gpus_scene_graph_too() -> None:
    """On Mesa's software OpenGL and a virtual screen: the last frame of a film stays there in another way."""
    films = [str(film(picture=f"color=c={color}")) for color in (GREEN, RED)]
    environment = {**os.environ, "QT_QPA_PLATFORM": "xcb", "QT_QUICK_BACKEND": "rhi", "QSG_RHI_BACKEND": "opengl"}
    program = [sys.executable, "-m", "tests.player.display.widgets.slideshow_on_a_gpu", *films]
    done = subprocess.run(
        ["xvfb-run", "-a", *program], capture_output=True, text=True, check=False, timeout=60, env=environment
    )

    assert done.returncode == 0, done.stderr[-2000:]
    seen = json.loads(done.stdout)
    assert (seen["backend"] != "software", seen["turns"], seen["decoders"]) == (True, 4, 1)
    first_turn = seen["middles"].index("turn")
    for color in (QColor(name) for name in seen["middles"][first_turn:] if name != "turn"):
        assert color.red() + color.green() == pytest.approx(0xE0, abs=24), "the one, the other, or a mixture"
        assert color.blue() == pytest.approx(0x20, abs=16)


@pytest.mark.long
def test_two_slides_exist_at_most_and_loops_leave_nothing_behind(board: Glass) -> None:
    board.show(view_of(zone(pictures(RED, GREEN, WHITE, seconds=3), fade_milliseconds=20)))
    top = board.display.stage.top
    assert isinstance(top, SceneViewModel)

    def loop(times: int) -> int:
        for _ in range(times):
            for color in (RED, GREEN, WHITE):
                shows(board, color)
                for _ in range(3):
                    pass_seconds(board, 1)
                    assert len(slides(board)) <= 2
                    assert top.pixels <= 2 * 64 * 36
        gc.collect()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        return sys.getallocatedblocks()

    after_a_few = loop(4)
    assert loop(10) - after_a_few < 500


@pytest.mark.long
def test_films_leave_nothing_behind(board: Glass) -> None:
    board.files[FILM] = film(picture=f"color=c={GREEN}")
    board.show(view_of(zone([*pictures(RED, seconds=3), Slide(asset=FILM, seconds=3)], fade_milliseconds=0)))

    def loop(times: int) -> int:
        for _ in range(times):
            shows(board, RED)
            pass_seconds(board, 3)
            shows(board, GREEN)
            pass_seconds(board, 3)
        shows(board, RED)
        gc.collect()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        return sys.getallocatedblocks()

    after_a_few = loop(4)
    assert loop(8) - after_a_few < 500
    assert len(slides(board)) <= 2


def test_of_a_scene_so_many_slideshows_turn(board: Glass) -> None:
    boxes = [Box(x=200 * n, y=0, width=200, height=200) for n in range(MOST_SLIDESHOWS + 1)]
    board.show(view_of(*(zone(pictures(RED), id=f"{n}", box=box) for n, box in enumerate(boxes))))

    assert len(board.display.stage.findChildren(SlideshowViewModel)) == MOST_SLIDESHOWS
    assert reports(board) == [(f"scn_1/{MOST_SLIDESHOWS}", "slideshow_too_many")]


def test_a_scene_that_leaves_closes_its_film_at_once(board: Glass) -> None:
    board.files[FILM] = film(picture=f"color=c={GREEN}")
    board.show(view_of(zone([Slide(asset=FILM, seconds=5)])))
    shows(board, GREEN)
    board.show(view_of(name="other"))
    board.until(lambda: not players(board))


@pytest.mark.long
def test_scenes_with_slideshows_that_come_and_go_leave_nothing_behind(board: Glass) -> None:
    board.files[FILM] = film(picture=f"color=c={GREEN}")
    boards = [view_of(zone([Slide(asset=FILM, seconds=5), *pictures(RED)]), name=f"{n}") for n in range(2)]

    def come_and_go(times: int) -> Counter[str]:
        for _ in range(times):
            for shown in boards:
                board.show(shown)
                shows(board, GREEN)
        board.settle()
        gc.collect()
        kinds = (SlideViewModel, SlideshowViewModel, VideoViewModel, QMediaPlayer)
        return Counter(type(each).__name__ for each in gc.get_objects() if isinstance(each, kinds))

    before = come_and_go(2)
    assert come_and_go(4) == before
    assert before["SlideshowViewModel"] == 1


@pytest.mark.parametrize(
    "box",
    [
        Box(x=0, y=0, width=1, height=1),
        Box(x=-30_000, y=-30_000, width=32_000, height=32_000),
        Box(x=1919, y=0, width=32_768, height=3),
    ],
)
def test_a_slideshow_of_any_size_turns(board: Glass, box: Box) -> None:
    board.show(view_of(zone([*pictures(RED), *pictures(GREEN, fit=Fit.CONTAIN)], box=box)))
    for _ in range(12):
        pass_seconds(board, 1)
        board.grab()

    assert reports(board) == []


def test_pictures_alone_load_no_multimedia(tmp_path: Path) -> None:
    image = QImage(8, 8, QImage.Format.Format_RGB32)
    image.fill(QColor(RED))
    assert image.save(str(tmp_path / "red.png"), "PNG")
    box = {"x": 0, "y": 0, "width": 1920, "height": 1080}
    widget = {"id": "z", "type": "slideshow", "slides": [{"asset": "red.png", "durationSeconds": 5}], **box}
    (tmp_path / "scene.json").write_text(json.dumps({"widgets": [widget]}))
    program = (
        "import sys; from player.cli import main; main(sys.argv[1:]); print('PySide6.QtMultimedia' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "preview", "scene.json", "--out", "glass.png"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    assert (done.stdout.strip(), done.stderr) == ("False", "")
    assert QImage(str(tmp_path / "glass.png")).pixelColor(960, 540).name() == RED


def test_it_is_drawn_upright_and_wide_alike(make_glass: Callable[..., Glass], board: Glass) -> None:
    tall = make_glass(size=(540, 960), files=board.files)
    box = Box(x=0, y=960, width=1080, height=960)
    shown = scene(zone(pictures(RED, GREEN), box=box), background=Background(color=BLUE), width=1080, height=1920)
    tall.show(showing(shown))

    shows(tall, RED, x=270, y=720)
    assert color_at(tall, 270, 240) == BLUE
    pass_seconds(tall, 5)
    shows(tall, GREEN, x=270, y=720)
