"""Boards draw with a chain's own font; whatever is wrong with its file, the usual family draws."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QFontDatabase
from pytestqt.qtbot import QtBot

from menu.documents.box import Box
from menu.documents.scene import Background, Scene, TextWidget
from menu.documents.theme import Theme
from menu.fonts import MAX_FONT_BYTES
from player.display.media.crash_guard import HARMLESS_AFTER_SECONDS, MOST_CRASHES
from player.display.media.font_files import MAX_FONTS, MAX_LOADED_BYTES
from player.display.typography.letters import Letters, boxes
from player.domain.events import WidgetDrawn, WidgetUndrawable
from player.storage.state_file import StateFile
from tests.player.display.conftest import Glass
from tests.player.display.scenes import scene, showing
from tests.support.fonts import LATIN, font_file

BOX = Box(x=0, y=0, width=1920, height=1080)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def stored(glass: Glass, folder: Path, content: bytes) -> str:
    """Puts a font where the board has its assets; returns its hash."""
    digest = hashlib.sha256(content).hexdigest()
    glass.files[digest] = folder / digest
    glass.files[digest].write_bytes(content)
    return digest


def board(*fonts: str, text: str = "AAAA", scene_id: str = "scn_1") -> Scene:
    """A scene with a text in each of these fonts."""
    widgets = (
        TextWidget(
            id=f"text-{number}",
            box=Box(x=0, y=0, width=1920, height=600),
            text=text,
            size=200.0,
            theme=Theme(font_family=font, text_color="#FFFFFF"),
        )
        for number, font in enumerate(fonts)
    )
    return scene(*widgets, scene_id=scene_id, background=Background(color="#000000"))


def named(digest: str) -> str:
    return f"sha256:{digest}"


def ink(glass: Glass) -> int:
    """The white pixels: boxes have far more than letters."""
    image = glass.grab()
    return sum(
        image.pixelColor(x, y).lightness() > 200
        for x in range(0, image.width(), 2)
        for y in range(0, image.height(), 2)
    )


def families() -> set[str]:
    return {family for family in QFontDatabase.families() if family.startswith("sha256:")}


def faults(glass: Glass) -> list[tuple[str, str, str]]:
    return [(one.subject, one.code, one.asset) for one in glass.undrawable]


@pytest.fixture
def usual(glass: Glass) -> int:
    glass.show(showing(board("Inter", scene_id="usual")))
    glass.settle()
    return ink(glass)


def test_a_board_draws_with_its_own_font(glass: Glass, folder: Path, usual: int) -> None:
    digest = stored(glass, folder, font_file())
    glass.show(showing(board(named(digest))))
    glass.settle()

    assert ink(glass) > 2 * usual
    assert faults(glass) == []
    assert families() == {named(digest)}


def test_letters_that_it_lacks_are_drawn_in_the_usual_family(glass: Glass, folder: Path) -> None:
    digest = stored(glass, folder, font_file("A"))
    glass.show(showing(board(named(digest), text="éééé")))
    glass.settle()
    lacking = ink(glass)
    glass.show(showing(board("Inter", text="éééé", scene_id="usual")))
    glass.settle()

    assert lacking == pytest.approx(ink(glass), rel=0.02)
    assert faults(glass) == []


def test_it_does_not_stand_in_for_an_installed_family(glass: Glass, folder: Path, usual: int) -> None:
    digest = stored(glass, folder, font_file(family="Inter"))
    glass.show(showing(board(named(digest), "Inter")))
    glass.show(showing(board("Inter", scene_id="usual again")))
    glass.settle()
    assert ink(glass) == usual


def test_it_is_removed_when_no_scene_uses_it(glass: Glass, folder: Path) -> None:
    first, second = (stored(glass, folder, font_file(LATIN, family=name)) for name in ("One", "Two"))
    glass.show(showing(board(named(first))))
    glass.show(showing(board(named(first), named(second), scene_id="both")))
    glass.settle()
    assert families() == {named(first), named(second)}

    for number in range(4):
        glass.show(showing(board("Inter", text=str(number), scene_id=f"other-{number}")))
        glass.settle()
    glass.until(lambda: families() == set())


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "font_bad"),
        (b"\x89PNG\r\n\x1a\n" + bytes(100), "font_bad"),
        (font_file()[:-100], "font_bad"),
        (font_file(glyf=None), "font_bad"),
        (font_file(DSIG=bytes(MAX_FONT_BYTES)), "font_bad"),
        (None, "asset_missing"),
    ],
    ids=["empty", "picture", "cut", "no outlines", "large", "missing"],
)
@pytest.mark.goes_beyond("MAX_FONT_BYTES")
def test_a_file_that_cannot_be_loaded_is_reported_and_the_usual_family_draws(
    glass: Glass, folder: Path, usual: int, content: bytes | None, code: str
) -> None:
    digest = "0" * 64 if content is None else stored(glass, folder, content)
    glass.show(showing(board(named(digest))))
    glass.settle()

    assert ink(glass) == pytest.approx(usual, rel=0.02)
    assert faults(glass) == [("scn_1/text-0/theme/fontFamily", code, digest)]
    assert families() == set()


def test_a_font_that_comes_later_is_drawn_with_at_once(glass: Glass, folder: Path, usual: int) -> None:
    content = font_file()
    digest = hashlib.sha256(content).hexdigest()
    view = showing(board(named(digest)))
    glass.show(replace(view, lacking=frozenset({digest})))
    glass.settle()
    assert ink(glass) == pytest.approx(usual, rel=0.02)

    stored(glass, folder, content)
    glass.show(view)
    glass.until(lambda: ink(glass) > 2 * usual)


def test_a_file_that_is_damaged_on_the_device_is_not_handed_to_qt(glass: Glass, folder: Path) -> None:
    digest = stored(glass, folder, font_file())
    glass.files[digest].write_bytes(font_file(family="Another"))
    glass.show(showing(board(named(digest))))

    assert faults(glass) == [("scn_1/text-0/theme/fontFamily", "font_bad", digest)]
    assert "damaged" in glass.undrawable[0].detail
    assert families() == set()


@pytest.mark.goes_beyond("MAX_FONTS")
def test_more_fonts_than_are_loaded_at_a_time(glass: Glass, folder: Path) -> None:
    fonts = [stored(glass, folder, font_file(family=f"Font {number}")) for number in range(MAX_FONTS + 1)]
    glass.show(showing(board(*map(named, fonts))))

    assert len(families()) == MAX_FONTS
    assert faults(glass) == [(f"scn_1/text-{MAX_FONTS}/theme/fontFamily", "font_bad", fonts[-1])]


@pytest.mark.goes_beyond("MAX_LOADED_BYTES")
def test_the_memory_of_fonts_is_bounded(glass: Glass, folder: Path) -> None:
    size = MAX_FONT_BYTES - 4096
    contents = (font_file(family=f"Font {number}", GPOS=bytes(size)) for number in range(1 + MAX_LOADED_BYTES // size))
    fonts = [stored(glass, folder, content) for content in contents]
    assert len(fonts) <= MAX_FONTS
    glass.show(showing(board(*map(named, fonts))))

    assert len(families()) == len(fonts) - 1
    assert [code for _, code, _ in faults(glass)] == ["font_bad"]


@pytest.fixture
def watched(qtbot: QtBot, folder: Path) -> Iterator[Glass]:
    """A board that keeps records of crashes."""
    one = Glass(qtbot, crash_records=StateFile(folder / "trials", kind="trials"))
    yield one
    one.display.close()


def test_a_font_over_which_players_have_died_is_not_loaded(watched: Glass, folder: Path) -> None:
    digest = stored(watched, folder, font_file())
    records = folder / "trials"
    for _ in range(MOST_CRASHES):
        watched.show(showing(board(named(digest))))
        at_death = records.read_bytes()
        watched.display.close()
        # The process that dies leaves the record as it was.
        records.write_bytes(at_death)
        again = Glass(watched.qtbot, files=watched.files, crash_records=StateFile(records, kind="trials"))
        watched.display, watched.events, watched.started = again.display, again.events, False
    watched.show(showing(board(named(digest))))

    assert faults(watched) == [("scn_1/text-0/theme/fontFamily", "font_bad", digest)]
    assert families() == set()


def test_a_font_that_is_drawn_without_harm_leaves_no_record(watched: Glass, folder: Path) -> None:
    digest = stored(watched, folder, font_file())
    watched.show(showing(board(named(digest))))
    watched.settle()
    assert digest in (folder / "trials").read_text()
    assert watched.display.stage.wants_ticks

    watched.pass_seconds(1)
    watched.pass_seconds(HARMLESS_AFTER_SECONDS)
    watched.until(lambda: digest not in (folder / "trials").read_text())
    QCoreApplication.processEvents()
    assert not watched.display.stage.wants_ticks


def test_letters_that_only_a_boards_own_font_has_are_not_missed(glass: Glass, folder: Path) -> None:
    rare = next(letter for letter in map(chr, range(0x2C00, 0xABFF)) if letter.isalpha() and boxes(letter))
    own = named(stored(glass, folder, font_file(f"A{rare}")))
    events = list[WidgetUndrawable | WidgetDrawn]()
    letters = Letters(events.append)
    glass.show(showing(board(own, text=rare)))

    letters.look(showing(board(own, text=rare)))
    assert events == []
