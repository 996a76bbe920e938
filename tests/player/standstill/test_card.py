"""The card of a player that cannot start: all of it can be read, in each language, on any panel."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtGui import QImage

from menu.text.phrase import Phrase, phrase
from player.display.window.card import PLATE, Card, Note, Notice
from player.domain.pairing.boot_file import BootFileNote
from player.settings import DEFAULT_CONFIG, Settings, SettingsError, read_settings
from player.standstill.hindrance import Hindrance, not_whole, notice, wrong_settings
from tests.support.wrong_settings import EIGHT_WRONG_SETTINGS

SIZES = [(1920, 1080), (1080, 1920), (1280, 720)]
LANGUAGES = ["en_GB.UTF-8", "de_DE.UTF-8", "ar_EG.UTF-8"]
ADDRESS = "http://192.168.178.123:8085"
NOTHING_SET = Settings(service="")


def hindrance(tmp_path: Path, config: str) -> Hindrance:
    (tmp_path / "config.toml").write_text(config)
    with pytest.raises(SettingsError) as caught:
        read_settings({"config": str(tmp_path / "config.toml")}, {})
    return wrong_settings(caught.value)


def pages(said: Notice, size: tuple[int, int], rotation: int = 0) -> list[QImage]:
    """The card, page by page, until it begins anew. With MENU_PICTURES its pictures are kept there."""
    card = Card(said, rotation=rotation)
    drawn = [card.image(*size, page=0)]
    while (following := card.image(*size, page=len(drawn))) not in drawn:
        drawn.append(following)
    if folder := os.environ.get("MENU_PICTURES"):
        for number, image in enumerate(drawn):
            name = f"mending-{len(said.notes)}-{said.title[:12]}-{size[0]}x{size[1]}-{number}.png"
            image.save(str(Path(folder) / name))
    return drawn


def edge(image: QImage, inset: int) -> list[int]:
    """The pixels along a frame at this distance from the edge."""
    right, bottom = image.width() - 1 - inset, image.height() - 1 - inset
    across = [image.pixel(x, y) for x in range(inset, right) for y in (inset, bottom)]
    return across + [image.pixel(x, y) for y in range(inset, bottom) for x in (inset, right)]


@pytest.mark.first_case
@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("config", ["", EIGHT_WRONG_SETTINGS], ids=["one", "eight"])
def test_nothing_reaches_the_edge_and_no_page_is_empty(
    qapp: object, tmp_path: Path, config: str, language: str, size: tuple[int, int]
) -> None:
    said = notice(hindrance(tmp_path, config), environment={"LANG": language})
    ground = Card(Notice(title="", notes=(), then="")).image(*size)
    inset = min(size) // 20
    drawn = pages(said, size)
    assert len(drawn) == 1 if config == "" else 2 <= len(drawn) <= 4
    for image in drawn:
        assert edge(image, inset) == edge(ground, inset)


def test_the_faults_stand_in_the_language_of_the_device_and_in_english(tmp_path: Path) -> None:
    wrong = hindrance(tmp_path, 'service = "https://a.example"\nrotate = 45\n')
    german = notice(wrong, environment={"LANG": "de_AT.UTF-8"})
    assert german.title == "Eine Einstellung dieses Bildschirms ist falsch"
    assert german.english_title == "A setting of this screen is wrong"
    (note,) = german.notes
    assert note.where == f"{tmp_path / 'config.toml'}, Zeile 2: rotate"
    assert (note.what, note.english) == ("45 gehört nicht zu 0, 90, 180, 270", "45 is none of 0, 90, 180, 270")
    arabic = notice(wrong, environment={"LC_ALL": "ar_EG", "LANG": "de_DE"})
    assert arabic.right_to_left
    chosen = hindrance(tmp_path, 'service = "https://a.example"\nrotate = 45\nlanguage = "fr"\n')
    assert notice(chosen, environment={"LANG": "de_DE"}).notes[0].what == "45 n’est aucun de 0, 90, 180, 270"
    for plain in ({}, {"LANG": "C.UTF-8"}, {"LANG": "en_US.UTF-8"}, {"LANG": "fi_FI"}, {"LANG": "???"}):
        english = notice(wrong, environment=plain)
        assert (english.notes[0].english, english.english_title, english.right_to_left) == ("", "", False)


def test_a_screen_that_is_not_set_up_says_what_to_write_and_where(tmp_path: Path) -> None:
    said = notice(hindrance(tmp_path, ""), environment={})
    assert said.title == "This screen is not set up yet"
    (note,) = said.notes
    assert note.where == str(tmp_path / "config.toml")
    assert note.line == 'service = "https://menus.example.com"'


@pytest.mark.first_case
@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("language", [*LANGUAGES, "es_ES.UTF-8", "fr_FR.UTF-8"])
def test_a_device_that_is_not_set_up_names_the_boot_file_on_its_one_page(
    qapp: object, language: str, size: tuple[int, int]
) -> None:
    not_set_up = wrong_settings(SettingsError((), NOTHING_SET, file=DEFAULT_CONFIG, lacks_service=True))
    said = notice(not_set_up, environment={"LANG": language})
    boot_file, config = said.notes
    assert (boot_file.where, boot_file.line) == ("menu-player.toml", 'service = "https://menus.example.com"')
    assert (config.where, config.line) == ("/etc/menu-player/config.toml", "")
    assert (boot_file.english != "") == (config.english != "") == (said.english_title != "") == ("en" not in language)
    (image,) = pages(said, size)
    ground = Card(Notice(title="", notes=(), then="")).image(*size)
    assert edge(image, min(size) // 20) == edge(ground, min(size) // 20)


def test_what_starts_the_board_is_said_of_each_file(tmp_path: Path) -> None:
    """Nobody looks at the boot partition before the next boot."""

    def then(
        faults: Sequence[Phrase] = (), file: Path = DEFAULT_CONFIG, *, lacks_service: bool = False, noted: bool = False
    ) -> str:
        found = replace(NOTHING_SET, boot_file=BootFileNote(faults=tuple(faults) if noted else ()))
        wrong = wrong_settings(SettingsError(faults, found, file=file, lacks_service=lacks_service))
        return notice(wrong, environment={}).then

    mistake = phrase("{where}: {what}", where="menu-player.toml, line 3", what="…")
    on_the_device, at_a_boot = "After a change of a file on the device, the board starts", "start the device again"
    assert on_the_device in then(lacks_service=True)
    assert on_the_device in then([phrase("{where}: {what}", where="config.toml", what="…")], lacks_service=True)
    assert at_a_boot in then([mistake], noted=True)
    assert "by itself as soon as this is mended" in then(lacks_service=True, file=tmp_path / "config.toml")


def test_a_file_that_cannot_be_read_is_the_fault_and_not_what_it_does_not_say(tmp_path: Path) -> None:
    (fault,) = hindrance(tmp_path, 'rotate = 90\nservice = "https://a.example\n').faults
    assert (fault.where, "not TOML" in fault.what) == (f"{tmp_path / 'config.toml'}, line 2", True)


def test_the_card_hangs_as_the_panel_does(qapp: object) -> None:
    said = Notice(title="A title", notes=(Note("/etc/file", "what"),), then="then", code=ADDRESS)
    upright = pages(said, (1080, 1920))[0]
    assert pages(said, (1920, 1080), rotation=90)[0] != pages(said, (1920, 1080))[0]
    turned = pages(said, (1920, 1080), rotation=90)[0]
    assert turned.size().transposed() == upright.size()


def test_a_line_to_write_is_not_broken(qapp: object) -> None:
    """In a file, it would be two."""
    line = 'service = "https://menus.example.com"'
    card = Card(Notice(title="A title", notes=(Note("a-file.toml", "Write:", line=line),), then="then"))
    image = card.image(1080, 1920)
    plate = [image.pixelColor(100, y).name().upper() for y in range(1920)].count(PLATE)
    assert 40 < plate < 100


def test_a_fault_that_is_longer_than_a_page_is_drawn_smaller(qapp: object) -> None:
    said = Notice(title="A title", notes=(Note("/etc/file", "word " * 200),), then="then", code=ADDRESS)
    (image,) = pages(said, (1920, 1080))
    ground = Card(Notice(title="", notes=(), then="")).image(1920, 1080)
    assert edge(image, 54) == edge(ground, 54)


@pytest.mark.parametrize(
    ("missing", "package"),
    [
        ("httpx", "python3-httpx"),
        ("starlette.routing", "python3-starlette"),
        ("PySide6.QtMultimedia", "python3-pyside6.qtmultimedia"),
        ("player.runtime.app", "menu-player-core"),
    ],
)
def test_a_part_that_is_missing_is_named_with_what_to_do(missing: str, package: str) -> None:
    said = notice(not_whole(missing), environment={"LANG": "de_DE"})
    assert [note.where for note in said.notes] == [missing, ""]
    assert said.notes[-1].line == f"sudo apt install --reinstall {package}"
