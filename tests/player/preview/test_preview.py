"""The preview: files in, the image that a board would show out, and every fault with its file and place."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QColor, QImage

from menu.documents.manifest_reader import MAX_BODY
from player.preview.folder import Preview, read_preview
from tests.support.fonts import font_file

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
BOX = {"x": 0, "y": 0, "width": 400, "height": 300}
RED, BLUE, DARK = "#c02020", "#2020c0", "#101418"


def scene(*widgets: dict[str, Any], color: str = RED, **fields: Any) -> dict[str, Any]:
    return {"name": "S", "width": 400, "height": 300, "background": {"color": color}, "widgets": widgets, **fields}


def text(words: str = "Hello", **fields: Any) -> dict[str, Any]:
    return {"id": "t", "type": "text", "text": words, **BOX, **fields}


def write(folder: Path, name: str, document: object) -> Path:
    path = folder / name
    path.write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
    return path


def view(path: Path, color: str = "#20c020") -> Path:
    path.parent.mkdir(exist_ok=True)
    image = QImage(60, 60, QImage.Format.Format_RGB32)
    image.fill(QColor(color))
    assert image.save(str(path), "PNG")  # type: ignore[call-overload]
    return path


def read(path: Path, items: Path | None = None) -> Preview:
    return read_preview(path, items, at=NOON)


def told(preview: Preview) -> list[tuple[str, str]]:
    return [(fault.file.name, fault.pointer) for fault in preview.faults]


# -- what is read


def test_a_fault_is_named_by_its_file_and_its_place(tmp_path: Path) -> None:
    widgets = [text(), {**text(), "id": "b", "text": 7}, {**text(), "id": "c", "theme": {"textColor": "red"}}]
    path = write(tmp_path, "lunch.json", scene(*widgets, {"id": "d", "type": "hologram", **BOX}, width=0.5))
    items = write(tmp_path, "items.json", {"data": [{"name": "Tea", "price": 3}, {"name": "Milk", "price": "3"}]})

    assert told(read(path, items)) == [("lunch.json", "/width"), ("items.json", "/data/1/price")]

    write(tmp_path, "lunch.json", scene(*widgets, {"id": "d", "type": "hologram", **BOX}))
    found = read(path, items)
    assert told(found) == [
        ("lunch.json", "/widgets/1/text"),
        ("lunch.json", "/widgets/2/theme/textColor"),
        ("lunch.json", "/widgets/3"),
        ("items.json", "/data/1/price"),
    ]
    assert str(found.faults[0]).startswith(f"{path}: /widgets/1/text: ")


def test_all_faults_of_a_widget_are_told_and_not_the_first_alone(tmp_path: Path) -> None:
    bad = {**text(), "x": "left", "width": -1, "text": 7, "size": "big"}
    timer = {"id": "z", "type": "countdown", **BOX, "height": 0, "text": "soon"}
    found = read(write(tmp_path, "lunch.json", scene(text(), bad | {"id": "b"}, timer)))
    assert [(fault.pointer, fault.detail) for fault in found.faults] == [
        ("/widgets/1/size", '"size" is not a number'),
        ("/widgets/1", '"x" is not a number; "width" is not between 1 and 32768; "text" is not a string'),
        ("/widgets/2/text", '"text" does not hold {time} once'),
        ("/widgets/2/height", '"height" is not between 1 and 32768'),
    ]


def test_a_price_that_is_missing_beside_variants_says_what_it_is_for(tmp_path: Path) -> None:
    sizes = [{"name": "S", "price": 3}]
    items = write(tmp_path, "items.json", [{"name": "Tea", "variants": sizes}, {"name": "Milk"}])
    found = read(write(tmp_path, "s.json", scene(text())), items)
    assert [(fault.pointer, fault.detail) for fault in found.faults] == [
        ("/0/price", '"price" is missing: players of an earlier release show it in place of "variants"'),
        ("/1/price", '"price" is missing'),
    ]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("{", "line 1, column 2"),
        ("[]", "is not a JSON object"),
        ('{"scenes": []}', "is of a playlist"),
        ("[" * 100_000, "is not JSON"),
        ('"' + "x" * MAX_BODY + '"', "is larger than 4.2 MB"),
    ],
)
def test_a_document_that_cannot_be_read_says_why(tmp_path: Path, body: str, said: str) -> None:
    found = read(write(tmp_path, "bad.json", body))
    assert found.manifest is None
    assert said in str(found.faults[0])


def test_a_file_that_is_no_text_says_so(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_bytes(b"\xff\xfe{")
    [fault] = read(tmp_path / "bad.json").faults
    assert str(fault).endswith("bad.json: is not text in UTF-8")


@pytest.mark.parametrize("name", ["none.json", "."])
def test_a_file_that_is_not_there_is_said(tmp_path: Path, name: str) -> None:
    found = read(tmp_path / name)
    assert found.manifest is None
    assert len(found.faults) == 1


def test_images_are_found_by_name_or_hash_here_and_in_the_assets_folder(tmp_path: Path) -> None:
    here, there = view(tmp_path / "here.png"), view(tmp_path / "assets" / "there.png", BLUE)
    digest = sha256(there.read_bytes()).hexdigest()
    by_hash = there.rename(there.with_name(digest))
    there = view(there, "#a0a0a0")
    widgets = [
        {"id": name, "type": "image", "asset": name, **BOX} for name in ("here.png", "there.png", f"sha256:{digest}")
    ]
    found = read(write(tmp_path, "s.json", scene(*widgets)))

    assert found.faults == ()
    assert set(found.paths.values()) == {here, there, by_hash}


def test_slides_are_found_like_other_images_and_each_fault_has_its_place(tmp_path: Path) -> None:
    here = view(tmp_path / "here.png")
    slides = [{"asset": name, "durationSeconds": 5} for name in ("here.png", "gone.png", "here.png")]
    slides[2]["durationSeconds"] = 1
    found = read(write(tmp_path, "s.json", scene({"id": "z", "type": "slideshow", "slides": slides, **BOX})))

    assert here in found.paths.values()
    assert told(found) == [("s.json", "/widgets/0/slides/1/asset"), ("s.json", "/widgets/0/slides/2/durationSeconds")]


@pytest.mark.parametrize("name", ["../secret.png", "/etc/passwd", "none.png", "sha256:" + "0" * 64, ""])
def test_a_image_is_never_sought_outside_the_folder(tmp_path: Path, name: str) -> None:
    view(tmp_path / "secret.png")
    inner = tmp_path / "inner"
    inner.mkdir()
    found = read(write(inner, "s.json", scene({"id": "i", "type": "image", "asset": name, **BOX}, text())))

    assert told(found) == [("s.json", "/widgets/0/asset")]
    assert not any(path.exists() for path in found.paths.values())
    assert found.manifest is not None, "the rest of the scene is drawn"


# -- what is drawn, by the command itself


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "player", "preview", *map(str, arguments)]


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name not in {"DISPLAY", "WAYLAND_DISPLAY"}}
    return subprocess.run(command(*arguments), capture_output=True, text=True, check=False, timeout=60, env=environment)


def color_of(path: Path, x: int = 5, y: int = 5) -> str:
    return QImage(str(path)).pixelColor(x, y).name()


def test_a_scene_is_drawn_with_its_images_and_items(tmp_path: Path) -> None:
    view(tmp_path / "assets" / "tart.png")
    items = write(
        tmp_path,
        "items.json",
        {
            "location": {"currency": "EUR", "locale": "de-DE"},
            "items": [{"id": "tart", "name": "T", "price": 4, "image": "tart.png"}],
        },
    )
    widget = {"id": "p", "type": "item", "itemId": "tart", **BOX}
    path = write(tmp_path, "poster.json", scene(widget, {"id": "x", "type": "text", **BOX}))

    done = run(path, "--items", items, "--out", tmp_path / "out.png", "--size", "800x600")

    assert done.returncode == 0, done.stderr
    assert f'{path}: /widgets/1: "text" is missing' in done.stderr
    image = QImage(str(tmp_path / "out.png"))
    assert (image.width(), image.height()) == (800, 600)
    assert "#20c020" in {image.pixelColor(x, 300).name() for x in range(0, 800, 10)}


@pytest.mark.long
def test_a_slideshow_is_drawn_with_its_first_slide_that_can_be(tmp_path: Path) -> None:
    view(tmp_path / "green.png")
    (tmp_path / "bad.png").write_bytes(b"no picture")
    slides = [{"asset": name, "durationSeconds": 7} for name in ("bad.png", "green.png")]
    path = write(tmp_path, "s.json", scene({"id": "z", "type": "slideshow", "slides": slides, **BOX}))

    for at in ("2026-11-20T12:00:01", "2026-11-20T12:00:08"):
        done = run(path, "--at", at, "--out", tmp_path / "out.png")
        assert done.returncode == 0, done.stderr
        assert f"{path}: /widgets/0/slides/0: " in done.stderr
        assert color_of(tmp_path / "out.png") == "#20c020"


@pytest.mark.long
def test_a_slow_machine_draws_the_first_page_too(tmp_path: Path) -> None:
    items = write(tmp_path, "i.json", {"items": [{"name": f"Dish {n}", "price": n} for n in range(60)]})
    path = write(tmp_path, "s.json", scene({"id": "m", "type": "menu", **BOX}))
    quick, slow = (command(path, "--items", items, "--out", tmp_path / f"{name}.png") for name in ("quick", "slow"))
    clock = "import itertools, runpy, time; time.monotonic = itertools.count(0.0, 10.0).__next__"
    slow[1:3] = ["-c", f"{clock}; runpy.run_module('player', run_name='__main__')"]
    for arguments in (quick, slow):
        subprocess.run(arguments, capture_output=True, check=True, timeout=60)

    assert QImage(str(tmp_path / "slow.png")) == QImage(str(tmp_path / "quick.png"))


@pytest.mark.long
def test_the_clock_shows_the_time_of_the_location(tmp_path: Path) -> None:
    clock = {"id": "c", "type": "clock", **BOX}
    path, items = write(tmp_path, "s.json", scene(clock)), tmp_path / "items.json"
    out, seen = tmp_path / "out.png", []
    for zone, at in (("UTC", "2026-11-20T08:00"), ("Asia/Tokyo", "2026-11-20T08:00"), ("UTC", "2026-11-20T09:00")):
        write(tmp_path, "items.json", {"location": {"timezone": zone}, "items": []})
        assert run(path, "--items", items, "--at", at, "--out", out).returncode == 0
        seen.append(out.read_bytes())
    assert seen[0] == seen[1] != seen[2]


def test_what_is_no_file_is_not_replaced_by_the_image(tmp_path: Path) -> None:
    """Such as a device, by a program that runs as root."""
    path, pipe = write(tmp_path, "s.json", scene(text())), tmp_path / "out.png"
    os.mkfifo(pipe)

    done = run(path, "--out", pipe)

    assert (done.returncode, pipe.is_fifo()) == (1, True)
    assert done.stderr == f"{pipe}: no file, but something else of that name\n"


def test_the_image_has_the_name_of_the_scene_by_itself(tmp_path: Path) -> None:
    path = write(tmp_path, "s.json", scene(text()))
    done = subprocess.run(
        command(path),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={
            **{name: value for name, value in os.environ.items() if name not in {"DISPLAY", "WAYLAND_DISPLAY"}},
            "PYTHONPATH": str(Path(__file__).parents[3]),
        },
    )
    assert done.returncode == 0, done.stderr
    assert color_of(tmp_path / "s.png") == RED


def test_what_cannot_be_drawn_or_is_asked_wrongly_has_its_exit_code(tmp_path: Path) -> None:
    assert run(tmp_path / "none.json", "--out", tmp_path / "o.png").returncode == 1
    for flag, value, said in (
        ("--size", "huge", "'huge' is not a size like 1920x1080"),
        ("--at", "noon", "'noon'"),
        ("--language", "?", "'?'"),
    ):
        wrong = run(tmp_path / "none.json", flag, value, "--out", tmp_path / "o.png")
        assert wrong.returncode == 2
        assert f"argument {flag}: " in wrong.stderr
        assert said in wrong.stderr
    assert not (tmp_path / "o.png").exists()


MENU = {"id": "m", "type": "menu", **BOX}


@pytest.mark.long
def test_a_board_without_items_is_a_note_and_no_success(tmp_path: Path) -> None:
    poster = {"id": "p", "type": "item", "itemId": "tart", **BOX}
    path, out = write(tmp_path, "lunch.json", scene(MENU, poster, color=DARK)), tmp_path / "out.png"
    items = write(tmp_path, "items.json", [{"id": "tea", "name": "Tea", "price": 3, "eightySixed": True}])

    bare = run(path, "--out", out)
    assert (bare.returncode, color_of(out)) == (3, DARK), "a picture all the same, of what else is there"
    assert bare.stderr.splitlines() == [
        f"{path}: lists items, and none are given: name their file with --items",
        f"{path}: /widgets/1/itemId: no item “tart” that can be had",
        f"{path}: no item of it can be had: a board passes over it",
        f"{path}: /widgets/0: no item of this menu can be had",
    ]
    assert run(path, "--items", items, "--out", out).returncode == 3
    write(tmp_path, "items.json", [{"id": "tea", "name": "Tea", "price": 3}])
    there = run(path, "--items", items, "--out", out)
    assert (there.returncode, there.stderr) == (0, f"{path}: /widgets/1/itemId: no item “tart” that can be had\n")
    assert run(write(tmp_path, "s.json", scene(text())), "--out", out).stderr == ""


def test_an_image_is_a_jpeg_if_its_name_says_so(tmp_path: Path) -> None:
    out = tmp_path / "x.jpg"
    assert run(write(tmp_path, "s.json", scene(text())), "--out", out).stderr == ""
    assert out.read_bytes().startswith(b"\xff\xd8\xff")
    assert QImage(str(out)).width() == 400


@pytest.mark.parametrize("name", ["x.gif", "x", "x.jpg.txt"])
def test_an_image_that_is_no_png_or_jpeg_is_refused(tmp_path: Path, name: str) -> None:
    done = run(write(tmp_path, "s.json", scene(text())), "--out", tmp_path / name)
    assert (done.returncode, (tmp_path / name).exists()) == (2, False)
    assert f"argument --out: {tmp_path / name} does not end in .png or .jpg" in done.stderr


@pytest.mark.long
def test_all_choices_of_columns_are_in_one_image(tmp_path: Path) -> None:
    dishes = [{"name": f"Dish {n}", "price": n} for n in range(1, 13)]
    items, out = write(tmp_path, "items.json", dishes), tmp_path / "out.png"
    wide = {**MENU, "width": 1600, "height": 900, "columns": 2}
    path = write(tmp_path, "lunch.json", {**scene(wide, color=DARK), "width": 1600, "height": 900})

    done = run(path, "--items", items, "--all-columns", "--size", "640x360", "--out", out)

    assert (done.returncode, done.stderr) == (0, "")
    image = QImage(str(out))
    tiles = columns_sheet(image, 640, 360)
    assert len(tiles) == 9, "automatic, and one to eight"
    assert len({tile.constBits().tobytes() for tile in tiles[1:]}) >= 5, "each number that has room looks different"
    assert tiles[0] in tiles[1:], "automatic is one of them"
    assert {tile.pixelColor(2, 2).name() for tile in tiles} == {DARK}

    # A fault of every choice is told once, one of some with the choice.
    write(tmp_path, "items.json", [{"name": "Words " * 30, "price": 1, "category": str(n)} for n in range(3)])
    low = {**wide, "y": 0, "height": 300, "theme": {"textColor": "#181818"}}
    write(tmp_path, "lunch.json", {**scene(low, color=DARK), "width": 1600, "height": 900})
    lines = run(path, "--items", items, "--all-columns", "--size", "640x360", "--out", out).stderr.splitlines()
    assert sum("can hardly be read" in line for line in lines) == 1
    pages = [line for line in lines if "pages" in line]
    assert pages[0] == f"columns: auto: {path}: /widgets/0: has more pages than the first, which is drawn"
    assert not any(line.startswith("columns: 4") for line in pages)

    none = run(write(tmp_path, "s.json", scene(text())), "--all-columns", "--out", out)
    assert (none.returncode, none.stderr) == (
        1,
        f"{tmp_path / 's.json'}: has no menu or grid, whose columns could be chosen\n",
    )


def columns_sheet(image: QImage, width: int, height: int) -> list[QImage]:
    """The boards of an image of all columns: three in a row, each below its heading."""
    heading, gap = image.height() // 3 - height, (image.width() - 3 * width) // 2
    assert gap > 0 < heading
    places = [(column * (width + gap), row * (heading + height) + heading) for row in range(3) for column in range(3)]
    return [image.copy(x, y, width, height) for x, y in places]


def test_fonts_are_found_by_their_files_and_each_fault_has_its_place(tmp_path: Path) -> None:
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "brand.ttf").write_bytes(font_file())
    own = text(theme={"titleFamily": "gone.otf"})
    theme = {"fontFamily": "brand.ttf", "titleFamily": "Noto Serif"}
    preview = read(write(tmp_path, "lunch.json", scene(own, theme=theme)))

    assert told(preview) == [("lunch.json", "/widgets/0/theme/titleFamily")]
    digest = sha256(font_file()).hexdigest()
    assert preview.paths[digest] == tmp_path / "assets" / "brand.ttf"
    assert preview.manifest is not None
    [found] = preview.manifest.version.scenes.values()
    assert (found.theme.font_family, found.theme.title_family) == (f"sha256:{digest}", "Noto Serif")


def test_a_scene_is_drawn_with_its_fonts(tmp_path: Path) -> None:
    (tmp_path / "brand.ttf").write_bytes(font_file())
    (tmp_path / "bad.ttf").write_bytes(font_file()[:-100])
    shown = text("IIII", size=100, theme={"textColor": "#FFFFFF"})
    white = {}
    for name, faults in (("brand.ttf", 0), ("bad.ttf", 1)):
        path = write(tmp_path, "lunch.json", scene(shown, color="#000000", theme={"fontFamily": name}))
        done = run(path, "--out", tmp_path / "out.png", "--size", "400x300")
        assert done.stderr.count(f"{path}: /theme/fontFamily: ") == faults, done.stderr
        image = QImage(str(tmp_path / "out.png"))
        white[name] = sum(image.pixelColor(x, y).lightness() > 200 for x in range(400) for y in range(300))
    assert white["brand.ttf"] > 3 * white["bad.ttf"] > 0
