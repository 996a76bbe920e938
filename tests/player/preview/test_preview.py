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

from player.domain.documents.manifest_reader import MAX_BODY
from player.preview.folder import Preview, read_preview

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
BOX = {"x": 0, "y": 0, "width": 400, "height": 300}
RED, BLUE = "#c02020", "#2020c0"


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


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("{", "line 1, column 2"),
        ("[]", "is not a JSON object"),
        ('{"scenes": []}', "is of a playlist"),
        ("[" * 100_000, "is not JSON"),
        ('"' + "x" * MAX_BODY + '"', "is larger than"),
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
