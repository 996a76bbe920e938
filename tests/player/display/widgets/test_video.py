"""Video widgets: real files, real decoders, and what shows when a file is not a video."""

from __future__ import annotations

import ctypes
import gc
import json
import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QSize
from PySide6.QtGui import QColor, QImage
from PySide6.QtMultimedia import QMediaPlayer, QVideoFrame, QVideoSink
from pytestqt.qtbot import QtBot

import player.display
from menu.documents.box import Box
from menu.documents.scene import Background, Fit, ImageWidget, Span, Transition, TransitionKind, VideoWidget
from player.display.media.crash_guard import HARMLESS_AFTER_SECONDS, MOST_CRASHES, CrashLog
from player.display.media.frame_scaler import FrameScaler
from player.display.media.resources import MOST_DECODERS
from player.display.media.video_frames import MOST_SOFTWARE_PIXELS, NO_PICTURE, SoftwareFrames, software_size
from player.display.views.scene import DECODE_SECONDS, SceneViewModel
from player.display.views.view_model import ViewModel
from player.display.widgets.video import RETRY_SECONDS, STALL_SECONDS, VideoViewModel
from player.domain.recovery.failures import COUNT_FOR
from player.storage.state_file import StateFile
from tests.player.display.conftest import Glass
from tests.player.display.scenes import NOON, scene, showing
from tests.support.films import FRAMES_A_SECOND, film
from tests.support.obstacles import OBSTACLES, obstruct
from tests.support.patience import PATIENCE_SECONDS

FILM, POSTER, GONE, OTHER, HALF = "a" * 64, "b" * 64, "d" * 64, "e" * 64, "f" * 64
CANVAS = Box(x=0, y=0, width=1920, height=1080)
GREEN, RED, BLUE = "#20c020", "#c02020", "#2020c0"
PLAIN = f"color=c={GREEN}"
HD_COLORS = ("-vf", "scale=out_color_matrix=bt709", "-colorspace", "bt709")
"""As HD films have them; ffmpeg by itself writes those of SD."""

SUM_OF_EACH_COLOR = 0x100
"""Tolerance of red, green and blue, and so of any mixture of two of them."""
HALF_WAY = 0x60
"""The red of a fade from blue to red."""
FRAMES_WATCHED = 60
LOOPS_TO_WARM_UP = 20
LOOPS_TO_MEASURE = 12
FILMS_WITH_SOUND = 60
"""Enough: with an output made in Python the display hung within the first twenty."""
RETRIES = 4
MIB_PER_FRAME = 1920 * 1080 * 4 / 1024**2

pytestmark = pytest.mark.film("Could not open media")


def video(asset: str = FILM, **more: object) -> VideoWidget:
    return VideoWidget(**{"id": "film", "box": CANVAS, "asset": asset, "poster": POSTER, **more})  # type: ignore[arg-type]


@pytest.fixture
def cinema(glass: Glass, tmp_path: Path) -> Glass:
    """A display with a red poster at hand."""
    image = QImage(64, 36, QImage.Format.Format_RGB32)
    image.fill(QColor(RED))
    glass.files[POSTER] = tmp_path / POSTER
    assert image.save(str(glass.files[POSTER]), "PNG")
    return glass


def color_at(glass: Glass, x: int = 480, y: int = 270) -> QColor:
    return glass.grab().pixelColor(x, y)


def near(seen: QColor, wanted: str) -> bool:
    """Colours that went through YUV come back a little different."""
    other = QColor(wanted)
    pairs = ((seen.red(), other.red()), (seen.green(), other.green()), (seen.blue(), other.blue()))
    return all(abs(one - two) < 16 for one, two in pairs)


def players(glass: Glass) -> list[QMediaPlayer]:
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return glass.display.stage.findChildren(QMediaPlayer)


def views(glass: Glass) -> list[ViewModel]:
    return glass.display.stage.findChildren(ViewModel)


def reports(glass: Glass) -> list[tuple[str, str]]:
    return [(event.subject, event.code) for event in glass.undrawable]


@pytest.mark.parametrize("codec", ["h264", "hevc", "vp9"])
def test_a_video_plays(cinema: Glass, codec: str) -> None:
    cinema.files[FILM] = film(codec)
    cinema.show(showing(scene(video())))
    seen: list[QImage] = []

    def changed() -> bool:
        image = cinema.grab()
        if image not in seen:
            seen.append(image)
        return len(seen) > 5

    cinema.until(changed)
    assert reports(cinema) == []


@pytest.mark.long
def test_av1_plays_where_there_is_a_decoder_and_elsewhere_shows_its_poster(cinema: Glass) -> None:
    cinema.files[FILM] = film("av1", picture=PLAIN)
    cinema.show(showing(scene(video())))

    def settled() -> bool:
        cinema.pass_seconds(0.05)
        return bool(reports(cinema)) or near(color_at(cinema), GREEN)

    # Qt's own packages have no decoder for it without hardware, and do not say so; Debian's have one.
    cinema.until(settled)
    assert reports(cinema) in ([], [("scn_1/film", "video_stalled")])
    for event in cinema.undrawable:
        assert event.detail == "the film “film” is coded as AV1, 320 × 180: none of it could be decoded here"
    cinema.until(lambda: near(color_at(cinema), RED if reports(cinema) else GREEN))


def test_a_video_begins_again_without_a_gap(cinema: Glass) -> None:
    cinema.files[FILM] = film(seconds=1.0)
    cinema.show(showing(scene(video())))
    cinema.until(lambda: bool(cinema.find("frame")))
    [sink] = cinema.display.stage.findChildren(QVideoSink)
    came: list[int | None] = []

    def note(frame: QVideoFrame) -> None:
        came.append(frame.startTime() // 1000 if frame.isValid() else None)

    sink.videoFrameChanged.connect(note)
    cinema.until(lambda: came.count(0) >= 3)

    assert None not in came, "no empty frame between the last and the first"
    starts = [index for index, at in enumerate(came) if at == 0]
    for start, end in pairwise(starts):
        loop = came[start:end]
        assert loop == sorted(set(loop))
        assert len(loop) >= FRAMES_A_SECOND - 2, loop
        assert loop[-1] >= 1000 - 2 * 1000 // FRAMES_A_SECOND
    assert cinema.find("frame"), "the poster never came back"


@pytest.mark.parametrize(
    ("fit", "left", "middle"), [(Fit.COVER, GREEN, GREEN), (Fit.CONTAIN, BLUE, GREEN), (Fit.STRETCH, GREEN, GREEN)]
)
def test_a_video_fills_its_box_as_its_fit_says(cinema: Glass, fit: Fit, left: str, middle: str) -> None:
    cinema.files[FILM] = film(picture=PLAIN, size="160x160")
    cinema.show(showing(scene(video(fit=fit), background=Background(color=BLUE))))

    cinema.until(lambda: near(color_at(cinema), middle))
    assert near(color_at(cinema, 20, 270), left)


def test_the_box_is_never_black(cinema: Glass) -> None:
    """From the first frame: the poster, then the video, and nothing in between, also at the end of its loop."""
    cinema.files[FILM] = film(picture=PLAIN, seconds=0.4)
    cinema.show(showing(scene(video())))
    # The first view after a start does not wait for its images.
    cinema.until(lambda: near(color_at(cinema), RED) or near(color_at(cinema), GREEN))
    seen: list[str] = []

    def watched() -> bool:
        color = color_at(cinema)
        seen.append(next((name for name in (RED, GREEN) if near(color, name)), color.name()))
        return seen.count(GREEN) > 60

    cinema.until(watched)
    assert set(seen) <= {RED, GREEN}
    assert seen == sorted(seen, key=[RED, GREEN].index)


def not_a_video(folder: Path) -> Path:
    path = folder / "page"
    path.write_text("<html>no video</html>")
    return path


def playlist(folder: Path) -> Path:
    """FFmpeg would follow its references to other files and hosts."""
    path = folder / "list"
    path.write_text(f"#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile://{film()}\n#EXT-X-ENDLIST\n")
    return path


def header_only(folder: Path) -> Path:
    path = folder / "header"
    path.write_bytes(film().read_bytes()[:64])
    return path


def hollow(folder: Path) -> Path:
    """A valid header without frames that can be decoded."""
    path = folder / "hollow"
    whole = film(more=("-movflags", "+faststart")).read_bytes()
    frames = whole.index(b"mdat") + 4
    path.write_bytes(whole[:frames] + bytes(len(whole) - frames))
    return path


def sound_only(folder: Path) -> Path:
    del folder
    return film(sound=True, more=("-vn",))


@pytest.mark.parametrize("made", [not_a_video, playlist, header_only, sound_only])
def test_a_file_that_is_no_video_shows_its_poster_and_is_reported(
    cinema: Glass, tmp_path: Path, made: Callable[[Path], Path]
) -> None:
    cinema.files[FILM] = made(tmp_path)
    cinema.show(showing(scene(video())))

    cinema.until(lambda: reports(cinema) == [("scn_1/film", "asset_undecodable")])
    cinema.until(lambda: near(color_at(cinema), RED))
    assert players(cinema) == []


def test_a_video_that_fails_after_its_file_has_come_plays_all_the_same(cinema: Glass) -> None:
    cinema.files[FILM] = film(picture=PLAIN)
    view = showing(scene(video()))
    for order in (view, replace(view, lacking=frozenset({FILM})), view):
        cinema.show(order)
    cinema.until(lambda: near(color_at(cinema), GREEN))
    scene_before, [player] = cinema.display.stage.top, players(cinema)

    # A slow decoder has failed with the file that was there before.
    player.errorOccurred.emit(QMediaPlayer.Error.FormatError, "damaged")

    cinema.until(lambda: cinema.display.stage.top is not scene_before and near(color_at(cinema), GREEN))
    assert reports(cinema) == [("scn_1/film", "asset_undecodable")]


@pytest.mark.proves("pipe-socket-link")
@pytest.mark.parametrize("obstacle", OBSTACLES)
def test_what_stands_in_a_videos_place_shows_its_poster_and_is_reported(
    cinema: Glass, tmp_path: Path, obstacle: str
) -> None:
    cinema.files[FILM] = tmp_path / FILM
    obstruct(tmp_path / FILM, obstacle)
    cinema.show(showing(scene(video())))
    expected = "asset_missing" if obstacle == "a dangling link" else "asset_unreadable"
    assert reports(cinema) == [("scn_1/film", expected)]
    cinema.until(lambda: near(color_at(cinema), RED))


def test_a_video_without_a_poster_leaves_a_placeholder(cinema: Glass) -> None:
    cinema.show(showing(scene(video(GONE, poster=None), background=Background(color=BLUE))))

    assert reports(cinema) == [("scn_1/film", "asset_missing")]
    seen = color_at(cinema)
    assert seen.blue() > 0xB0
    assert seen != QColor(BLUE)


def test_a_video_that_never_shows_a_frame_gives_way_to_its_poster(cinema: Glass, tmp_path: Path) -> None:
    cinema.files[FILM] = hollow(tmp_path)
    cinema.show(showing(scene(video())))

    def given_up() -> bool:
        cinema.pass_seconds(1)
        return bool(reports(cinema))

    cinema.until(given_up)
    cinema.until(lambda: near(color_at(cinema), RED))
    assert players(cinema) == []


def halting() -> Path:
    """A film that stops after half a second."""
    halt = f"setpts=if(lt(N\\,{FRAMES_A_SECOND // 2})\\,N/{FRAMES_A_SECOND}\\,3600+N)/TB"
    return film(picture=PLAIN, more=("-vf", halt), container="mkv")


@pytest.mark.proves("slow-machine-starves")
def test_a_slow_machine_is_given_longer_for_a_film(make_glass: Callable[..., Glass]) -> None:
    slow, seconds = make_glass(slowness=1.5), 0
    slow.files[FILM] = halting()
    slow.show(showing(scene(video(poster=None))))
    slow.until(lambda: near(color_at(slow), GREEN))

    def stalled() -> bool:
        nonlocal seconds
        seconds += 1
        slow.qtbot.wait(200)
        slow.pass_seconds(1)
        return bool(reports(slow))

    slow.until(stalled)
    assert reports(slow) == [("scn_1/film", "video_stalled")]
    assert seconds > 1.5 * STALL_SECONDS


def test_a_video_that_stalls_gives_way_to_its_poster_and_is_tried_again(cinema: Glass) -> None:
    cinema.files[FILM] = halting()
    cinema.show(showing(scene(video())))
    cinema.until(lambda: near(color_at(cinema), GREEN))

    def stalled() -> bool:
        # A second of the board's for each that the file plays: a virtual clock alone would outrun the decoder.
        cinema.qtbot.wait(200)
        cinema.pass_seconds(1)
        return bool(reports(cinema))

    cinema.until(stalled)
    assert reports(cinema) == [("scn_1/film", "video_stalled")]
    while not near(color_at(cinema), RED):
        assert near(color_at(cinema), GREEN), "neither the film nor its poster shows"
        QCoreApplication.processEvents()
    assert players(cinema) == []

    cinema.pass_seconds(RETRY_SECONDS)
    cinema.until(lambda: near(color_at(cinema), GREEN))
    assert STALL_SECONDS < RETRY_SECONDS


@pytest.mark.long
def test_a_poster_that_is_decoded_after_the_film_has_begun_is_not_called_slow(cinema: Glass) -> None:
    image = QImage(4000, 3000, QImage.Format.Format_RGB32)
    image.fill(QColor(RED))
    assert image.save(str(cinema.files[POSTER]), "PNG")
    cinema.files[FILM] = film(picture=PLAIN)
    cinema.show(showing(scene(video())))
    cinema.until(lambda: near(color_at(cinema), GREEN))
    top = cinema.display.stage.top
    assert isinstance(top, SceneViewModel)

    cinema.until(lambda: top.is_ready and not top.unsettled)
    for _ in range(round(DECODE_SECONDS) + 2):
        cinema.pass_seconds(1)
        QCoreApplication.processEvents()

    assert [report for report in reports(cinema) if "poster" in report[0]] == []


@pytest.fixture
def records(cinema: Glass, tmp_path: Path) -> Path:
    """Where the display under test records which videos are open."""
    path = tmp_path / "trials"
    cinema.display.close()
    cinema.crash_records = StateFile(path, kind="trials")
    cinema.__post_init__()
    return path


def test_a_video_is_on_record_until_it_has_played_for_a_while_and_come_round(cinema: Glass, records: Path) -> None:
    cinema.files[FILM] = film(picture=PLAIN, seconds=0.4)
    cinema.show(showing(scene(video())))
    cinema.until(lambda: near(color_at(cinema), GREEN))
    assert FILM in records.read_text()
    came: list[int] = []
    players(cinema)[0].positionChanged.connect(came.append)
    cinema.until(lambda: came.count(0) >= 2)

    def plays_for(seconds: float) -> None:
        for _ in range(round(seconds)):
            came.clear()
            cinema.until(lambda: bool(came))
            cinema.pass_seconds(1)

    plays_for(HARMLESS_AFTER_SECONDS)
    assert FILM in records.read_text()
    plays_for(1)
    cinema.until(lambda: FILM not in records.read_text())
    assert near(color_at(cinema), GREEN), "it plays on"


def test_a_decoder_that_is_closed_in_order_leaves_no_record(cinema: Glass, records: Path, tmp_path: Path) -> None:
    cinema.files[FILM], cinema.files[GONE] = film(picture=PLAIN), not_a_video(tmp_path)
    cinema.files[HALF] = header_only(tmp_path)
    cinema.show(showing(scene(video(), video(HALF, id="half"), video(GONE, id="none"))))
    cinema.until(lambda: near(color_at(cinema), GREEN) or len(reports(cinema)) == 2)
    assert FILM in records.read_text()

    cinema.show(showing(scene(scene_id="other"), entry="other"))
    cinema.until(lambda: FILM not in records.read_text())
    assert HALF not in records.read_text()
    assert GONE not in records.read_text(), "which no decoder was ever asked for"


def test_a_display_that_is_closed_in_order_leaves_no_record(cinema: Glass, records: Path) -> None:
    cinema.files[FILM] = film(picture=PLAIN)
    cinema.show(showing(scene(video())))
    cinema.until(lambda: near(color_at(cinema), GREEN))
    cinema.display.close()
    assert FILM not in records.read_text()


def test_a_scene_that_leaves_before_its_video_may_begin_opens_no_decoder(cinema: Glass, records: Path) -> None:
    cinema.files[FILM] = film(picture=PLAIN)
    cinema.order(showing(scene(video())))
    cinema.show(showing(scene(scene_id="other"), entry="other"))
    cinema.until(lambda: len(views(cinema)) == 1)
    assert players(cinema) == []
    cinema.display.close()
    assert not records.exists() or FILM not in records.read_text()


def test_a_barred_video_shows_its_poster_and_plays_as_soon_as_it_may(cinema: Glass, records: Path) -> None:
    cinema.files[FILM] = film(picture=PLAIN)
    for _ in range(MOST_CRASHES):
        CrashLog(StateFile(records, kind="trials")).request(1, FILM, cinema.wall)
    cinema.show(showing(scene(video())))

    cinema.until(lambda: reports(cinema) == [("scn_1/film", "video_crashes")])
    assert "reload" in cinema.undrawable[0].detail
    cinema.until(lambda: near(color_at(cinema), RED))
    assert players(cinema) == []

    cinema.pass_seconds(COUNT_FOR.total_seconds() - RETRY_SECONDS)
    cinema.qtbot.wait(100)
    assert near(color_at(cinema), RED)

    def plays() -> bool:
        cinema.qtbot.wait(20)
        cinema.pass_seconds(1)
        return near(color_at(cinema), GREEN)

    cinema.until(plays)
    assert cinema.wall > NOON + COUNT_FOR


def test_two_videos_that_a_player_died_over_are_tried_one_after_the_other(cinema: Glass, records: Path) -> None:
    cinema.files[FILM], cinema.files[OTHER] = film(picture=PLAIN, seconds=0.4), film(picture=PLAIN, seconds=0.2)
    left = CrashLog(StateFile(records, kind="trials"))
    left.request(1, FILM, cinema.wall)
    left.request(2, OTHER, cinema.wall)
    boxes = [Box(x=960 * at, y=0, width=960, height=1080) for at in range(2)]
    cinema.show(showing(scene(video(box=boxes[0]), video(OTHER, id="other", box=boxes[1]))))

    cinema.until(lambda: near(color_at(cinema, 240), GREEN))
    assert near(color_at(cinema, 720), RED)
    assert reports(cinema) == [], "it is only a matter of seconds"

    def both() -> bool:
        # A second of the board's for some of the film's: it has to come round.
        cinema.qtbot.wait(20)
        cinema.pass_seconds(1)
        return near(color_at(cinema, 720), GREEN)

    cinema.until(both)
    assert near(color_at(cinema, 240), GREEN)


def test_two_videos_are_decoded_and_the_third_shows_its_poster(cinema: Glass) -> None:
    cinema.files[FILM] = film(picture=PLAIN)
    boxes = [Box(x=640 * at, y=0, width=640, height=1080) for at in range(3)]
    cinema.show(showing(scene(*(video(id=f"film{at}", box=box) for at, box in enumerate(boxes)))))

    points = (160, 480, 800)
    wanted = (GREEN, GREEN, RED)
    cinema.until(lambda: all(near(color_at(cinema, x), color) for x, color in zip(points, wanted, strict=True)))
    assert len(players(cinema)) == MOST_DECODERS


def test_the_next_scenes_first_frame_is_decoded_before_it_is_due(cinema: Glass) -> None:
    cinema.files[FILM] = film(picture=PLAIN)
    first, second = showing(scene(scene_id="first")), showing(scene(video(), scene_id="second"), entry="second")
    cinema.show(first, second)
    cinema.until(lambda: len(views(cinema)) == 2 and all(view.is_ready for view in views(cinema)))

    [waiting] = players(cinema)
    assert waiting.playbackState() is QMediaPlayer.PlaybackState.PausedState
    cinema.show(second)

    assert near(color_at(cinema), GREEN), "its first frame on the glass is the video's"
    assert waiting.playbackState() is QMediaPlayer.PlaybackState.PlayingState

    cinema.show(first)
    assert players(cinema) == [], "a scene that has left decodes nothing"


@pytest.mark.proves("films-come-go")
@pytest.mark.long
def test_a_loop_with_a_film_keeps_no_memory(cinema: Glass) -> None:
    """Each showing of a full-HD film that kept one frame would keep 8 MiB; a day has thousands of showings."""
    cinema.files[FILM] = film(size="1920x1080", picture=PLAIN, more=HD_COLORS)
    with_film, without = showing(scene(video(), scene_id="film")), showing(scene(scene_id="still"), entry="still")

    def come_round() -> None:
        cinema.show(with_film, without)
        cinema.until(lambda: near(color_at(cinema), GREEN))
        cinema.show(without, with_film)

    for _ in range(LOOPS_TO_WARM_UP):
        come_round()
    before = own_mib()
    for _ in range(LOOPS_TO_MEASURE):
        come_round()

    assert own_mib() - before < LOOPS_TO_MEASURE * MIB_PER_FRAME / 4
    cinema.until(lambda: cinema.display.stage.is_prepared)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    kept = [type(found).__name__ for found in gc.get_objects() if isinstance(found, QVideoSink | SoftwareFrames)]
    assert sorted(kept) == ["QVideoSink", "SoftwareFrames"], "those of the scene that comes next"


def test_a_film_has_the_memory_of_cached_images_but_those_of_the_next_scene_stay(cinema: Glass) -> None:
    cinema.files[FILM] = film(picture=PLAIN)
    photo = ImageWidget(id="photo", box=CANVAS, asset=POSTER)
    loop = [
        *(showing(scene(photo, scene_id=name, background=Background(color=BLUE)), entry=name) for name in "abc"),
        showing(scene(video(), scene_id="film")),
    ]
    for at in range(3 * len(loop)):
        cinema.show(loop[at % len(loop)], loop[(at + 1) % len(loop)])
        if at > 0 and at % len(loop) < 3:
            assert near(color_at(cinema), RED), "each scene but the very first enters with its image"
        cinema.until(lambda: cinema.display.stage.is_prepared)
        if at % len(loop) == 3:
            cinema.until(lambda: [image.property("ready") for image in cinema.find_all("image")].count(True) == 1)


@pytest.mark.goes_beyond("MOST_CORES")
@pytest.mark.parametrize(("cores", "counted"), [(1, 1), (4, 4), (32, 4)])
def test_a_film_takes_no_more_threads_on_a_large_machine(
    cinema: Glass, monkeypatch: pytest.MonkeyPatch, cores: int, counted: int
) -> None:
    """Each has some 6 MiB of a full-HD film."""
    cinema.files[FILM] = film(picture=PLAIN)
    with monkeypatch.context() as machine:
        machine.setattr("os.sched_getaffinity", lambda _: set(range(cores)))
        cinema.show(showing(scene(video())))
        cinema.until(lambda: near(color_at(cinema), GREEN))
    mapped = Path("/proc/self/maps").read_text().splitlines()
    [libavutil] = {line.split()[-1] for line in mapped if "/libavutil." in line}

    assert ctypes.CDLL(libavutil).av_cpu_count() == counted


def own_mib() -> float:
    """Private memory of this process, in MiB."""
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss_Anon:"))


def test_a_video_with_sound_plays_where_there_is_no_sound(cinema: Glass) -> None:
    cinema.files[FILM] = film(picture=PLAIN, sound=True)
    cinema.show(showing(scene(video(muted=False))))

    cinema.until(lambda: near(color_at(cinema), GREEN))
    assert reports(cinema) == []


@pytest.mark.long
@pytest.mark.proves("film-sound-closed")
def test_closing_a_film_with_sound_never_hangs() -> None:
    """In Python's lock the display once waited for FFmpeg's thread, which waited for the lock."""
    program = [sys.executable, "-m", "tests.player.display.widgets.open_and_close", str(film(sound=True))]
    done = subprocess.run(
        [*program, str(FILMS_WITH_SOUND)], capture_output=True, text=True, check=False, timeout=PATIENCE_SECONDS
    )

    assert (done.returncode, done.stdout.strip()) == (0, str(2 * FILMS_WITH_SOUND)), done.stderr[-2000:]


@pytest.mark.long
@pytest.mark.proves("film-stalls-every")
def test_retries_of_a_stalled_video_leave_nothing_behind(cinema: Glass) -> None:
    halting = f"setpts=if(lt(N\\,2)\\,N/{FRAMES_A_SECOND}\\,3600+N)/TB"
    cinema.files[FILM] = film(picture=PLAIN, more=("-vf", halting), container="mkv")
    cinema.show(showing(scene(video())))
    kept: list[Counter[str]] = []

    def given_up() -> bool:
        cinema.pass_seconds(1)
        return players(cinema) == []

    for _ in range(RETRIES):
        cinema.until(lambda: near(color_at(cinema), GREEN))
        cinema.until(given_up)
        kept.append(multimedia_objects(cinema))
        cinema.pass_seconds(RETRY_SECONDS)

    assert all(later <= kept[0] for later in kept)


def multimedia_objects(glass: Glass) -> Counter[str]:
    """Objects of films by their class: those that Python refers to, and those of the stage."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    found = {each for each in gc.get_objects() if isinstance(each, QObject)}
    names = Counter(type(each).__name__ for each in found.union(glass.display.stage.findChildren(QObject)))
    films = ("Video", "SoftwareFrames", "Media", "Audio")
    return Counter({name: number for name, number in names.items() if any(word in name for word in films)})


def test_frames_of_the_window_begin_no_second_conversion(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """The window draws for other reasons, too; two threads in one scaler end the process."""
    frames = SoftwareFrames(fit=Fit.COVER, pixels=(64, 36), parent=(parent := QObject()))
    begun: list[int] = []
    go_on = threading.Event()

    def scale(frame: QVideoFrame) -> tuple[QImage, QSize]:
        begun.append(frame.startTime())
        go_on.wait(PATIENCE_SECONDS)
        return QImage(64, 36, QImage.Format.Format_RGB32), QSize(64, 36)

    monkeypatch.setattr(frames._scaler, "scale", scale)
    for number in range(3):
        frame = QVideoFrame(QImage(64, 36, QImage.Format.Format_RGB32))
        frame.setStartTime(number)
        frames.sink.setVideoFrame(frame)
        frames._since_last.invalidate()
        frames._take()
        frames.take_next()
    qtbot.waitUntil(lambda: bool(begun))
    assert frames.picture == NO_PICTURE
    go_on.set()
    with qtbot.waitSignal(frames.drawn):
        pass

    assert begun == [0]
    frames._since_last.invalidate()
    frames._take()
    assert begun == [0], "not before the picture has been drawn"
    frames.take_next()
    frames._take()
    with qtbot.waitSignal(frames.drawn):
        pass
    assert begun == [0, 2]
    frames.stop()
    parent.deleteLater()


def test_the_window_waits_for_a_conversion_and_draws_its_result(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    frames = SoftwareFrames(fit=Fit.COVER, pixels=(64, 36), parent=(parent := QObject()))
    drawn: list[object] = []
    frames.drawn.connect(lambda: drawn.append(frames.picture["url"]))
    go_on = [threading.Event() for _ in range(2)]
    started = iter(go_on)

    def scale(_: QVideoFrame) -> tuple[QImage, QSize]:
        next(started).wait(PATIENCE_SECONDS)
        return QImage(64, 36, QImage.Format.Format_RGB32), QSize(64, 36)

    monkeypatch.setattr(frames._scaler, "scale", scale)

    def convert(number: int) -> None:
        frame = QVideoFrame(QImage(64, 36, QImage.Format.Format_RGB32))
        frame.setStartTime(number)
        frames.sink.setVideoFrame(frame)
        frames._since_last.invalidate()
        frames._take()

    convert(0)
    threading.Timer(0.02, go_on[0].set).start()
    frames.finish()
    assert drawn == [frames.picture["url"]]
    frames.take_next()
    # The signal of the first conversion has been on its way meanwhile.
    convert(1)
    QCoreApplication.processEvents()
    assert frames._converting
    assert len(drawn) == 1
    go_on[1].set()
    qtbot.waitUntil(lambda: len(drawn) == 2)
    frames.stop()
    parent.deleteLater()


def test_no_frame_of_the_window_is_drawn_while_the_picture_is_written(
    cinema: Glass, monkeypatch: pytest.MonkeyPatch
) -> None:
    writing = False
    seen: list[bool] = []
    whole = FrameScaler.scale

    def slow(scaler: FrameScaler, frame: QVideoFrame) -> tuple[QImage, QSize]:
        nonlocal writing
        writing = True
        threading.Event().wait(0.01)
        made = whole(scaler, frame)
        writing = False
        return made

    monkeypatch.setattr(FrameScaler, "scale", slow)
    cinema.files[FILM] = film()
    cinema.show(showing(scene(video())))
    cinema.until(lambda: bool(cinema.find("frame")))
    window = cinema.display.view
    window.afterSynchronizing.connect(lambda: seen.append(writing))
    window.frameSwapped.connect(window.update)

    cinema.until(lambda: len(seen) > FRAMES_WATCHED)
    assert not any(seen)


def test_the_poster_of_a_scene_that_waits_is_freed_before_its_first_frame(
    cinema: Glass, monkeypatch: pytest.MonkeyPatch
) -> None:
    posters: list[bool] = []
    whole = SoftwareFrames._convert

    def convert(frames: SoftwareFrames, frame: QVideoFrame, number: int) -> None:
        model = frames.parent()
        assert isinstance(model, VideoViewModel)
        posters.append(model.property("poster") is not None)
        whole(frames, frame, number)

    monkeypatch.setattr(SoftwareFrames, "_convert", convert)
    cinema.files[FILM] = film(picture=PLAIN)
    menu, commercial = scene(scene_id="menu"), scene(video(), scene_id="film")
    cinema.show(showing(menu), upcoming=showing(commercial))
    cinema.until(lambda: bool(posters) and cinema.display.stage.is_prepared)
    assert posters == [False]

    cinema.show(showing(commercial))
    assert near(color_at(cinema), GREEN)


def test_the_poster_stays_on_the_glass_until_the_first_frame_takes_its_place(
    cinema: Glass, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the frame comes in a fade, in which no film plays."""
    has_room, comes = SoftwareFrames._has_room, False
    monkeypatch.setattr(SoftwareFrames, "_has_room", lambda frames: comes and has_room(frames))
    cinema.files[FILM] = film(picture=PLAIN)
    fade = Transition(kind=TransitionKind.FADE, milliseconds=1000)
    cinema.show(showing(scene(background=Background(color=BLUE))))
    cinema.order(showing(scene(video(), scene_id="film", transition=fade)))
    cinema.until(lambda: bool(players(cinema)))
    cinema.display.stage._enter_unready()
    cinema.until(lambda: color_at(cinema).red() > HALF_WAY)
    comes = True
    sums: list[int] = []

    def entered() -> bool:
        seen = color_at(cinema)
        sums.append(seen.red() + seen.green() + seen.blue())
        return near(seen, GREEN)

    cinema.until(entered)
    assert min(sums) > SUM_OF_EACH_COLOR - 30, "some of the background shone through"


def test_a_frame_that_comes_as_the_item_of_its_film_goes_is_none(cinema: Glass) -> None:
    cinema.files[FILM] = film(picture=PLAIN)
    cinema.show(showing(scene(video())))
    [model] = cinema.display.stage.findChildren(VideoViewModel)
    sink = QVideoSink()
    model.useSink(sink)
    sink.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    model._first_frame_came()
    model.freeze_films()


@pytest.mark.proves("frame-ready-moment")
def test_a_frame_that_is_converted_while_its_film_closes_is_not_shown(qtbot: QtBot) -> None:
    frames = SoftwareFrames(fit=Fit.COVER, pixels=(64, 36), parent=(parent := QObject()))
    shown: list[bool] = []
    frames.drawn.connect(lambda: shown.append(True))
    image = QImage(64, 36, QImage.Format.Format_ARGB32)
    image.fill(QColor(GREEN))

    frame = QVideoFrame(image)
    frame.setStartTime(0)
    frames.sink.setVideoFrame(frame)
    frames._take()
    frames.stop()
    frames.set_running(True)
    qtbot.wait(50)

    assert (shown, frames.picture) == ([], NO_PICTURE)
    del parent


def test_a_frame_never_takes_more_pixels_than_full_hd() -> None:
    small, large = software_size(640, 360), software_size(3840, 2160)

    assert (small.width(), small.height()) == (640, 360)
    assert large.width() * large.height() <= MOST_SOFTWARE_PIXELS
    assert (software_size(0.2, 30_000).width(), software_size(0.2, 30_000).height()) == (1, 30_000)


WITHOUT_VIDEO = """
import sys
import threading
from pathlib import Path
from PySide6.QtGui import QGuiApplication
app = QGuiApplication([])
import player.display.window.window, player.display.views.scene
from tests.player.display.scenes import scene, showing, order
from player.display.window.window import Display
from player.domain.machine import WindowMode
from datetime import UTC, datetime
display = Display(mode=WindowMode.OFFSCREEN, size=(320, 180), asset_path=Path, emit=print, monotonic=lambda: 0.0,
                  wall=lambda: datetime.now(UTC), on_close=app.quit)
display.show(order(1, showing(scene())))
display.start()
display.grab_image()
display.close()
loaded = [line for line in Path("/proc/self/maps").read_text().splitlines() if "Multimedia" in line or "libav" in line]
sys.exit(f"{loaded}" if loaded or "PySide6.QtMultimedia" in sys.modules else 0)
"""


def test_a_board_without_video_loads_no_multimedia() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_VIDEO], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr[-2000:]) == (0, "")


@pytest.mark.long
def test_a_video_plays_through_a_gpus_scene_graph() -> None:
    """On Mesa's software OpenGL and a virtual screen: Qt takes another path than without a GPU."""
    program = [sys.executable, "-m", "tests.player.display.widgets.on_a_gpu", str(film())]
    # Not the backend that the other tests ask for.
    environment = {**os.environ, "QT_QPA_PLATFORM": "xcb", "QT_QUICK_BACKEND": "rhi", "QSG_RHI_BACKEND": "opengl"}
    done = subprocess.run(
        ["xvfb-run", "-a", *program], capture_output=True, text=True, check=False, timeout=60, env=environment
    )

    assert done.returncode == 0, done.stderr[-2000:]
    seen = json.loads(done.stdout)
    assert seen["backend"] != "software"
    assert seen["frames"] > 5
    assert seen["middle"] not in {"#000000", "#2020c0"}
    assert set(seen["events"]) == {"FramePresented"}


def test_nothing_in_qml_is_given_values_that_qt_keeps_for_good() -> None:
    """A Loader's setSource() of Qt 6.8 left 300 bytes in QML's heap each time that a film showed: `make bench-soak`."""
    files = sorted((Path(player.display.__file__).parent / "qml").rglob("*.qml"))
    assert files
    lines = (line for file in files for line in file.read_text().splitlines() if not line.lstrip().startswith("//"))
    assert not [line for line in lines if "setSource(" in line]


@pytest.mark.first_case
@pytest.mark.parametrize("panels", [2, None])
def test_a_film_over_two_panels_goes_to_where_it_is_on_the_other_one(cinema: Glass, panels: int | None) -> None:
    """It has run there for two rounds and twelve seconds; on a board of one panel it begins with the showing."""
    cinema.files[FILM] = film(seconds=20.0)
    span = None if panels is None else Span(panels=panels)
    view = showing(scene(video(), span=span))
    cinema.show(replace(view, counted_from=NOON - timedelta(seconds=2 * 20 + 12)))
    [player] = players(cinema)
    positions: list[int] = []
    player.positionChanged.connect(positions.append)
    cinema.until(lambda: bool(positions))
    # Time stands still here, and the film goes on: it is not to go back at each tick.
    cinema.display.stage.tick()
    cinema.display.stage.tick()
    cinema.until(lambda: len(positions) > 5)
    jumps = [(one, other) for one, other in pairwise([0, *positions]) if abs(other - one) > 5000]
    if panels is None:
        assert jumps == []
    else:
        [(_, landed)] = jumps
        assert landed == pytest.approx(12_000, abs=1000)
