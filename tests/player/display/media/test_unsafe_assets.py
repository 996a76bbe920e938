"""Malicious assets and texts: each costs its widget at most, reads no other file and contacts no host."""

from __future__ import annotations

import re
import socket
import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QFontDatabase, QImage, QImageReader, QImageWriter
from PySide6.QtQml import QQmlExpression, qmlContext
from PySide6.QtQuick import QQuickItem

from menu.documents.box import Box
from menu.documents.scene import ClockWidget, ImageWidget, TextWidget
from menu.documents.theme import Theme
from player.display.media.asset_format import AssetFormat, format_of
from player.display.media.asset_images import BYTES_PER_PIXEL, SCENE_BYTES, AssetImages
from player.display.media.image_plan import DECODING_MEGABYTES, MOST_FILE_BYTES, MOST_PIXELS, ImageRefused, plan_image
from player.display.views.scene import DECODE_SECONDS
from player.domain.view import Identity, Strip
from tests.player.display.conftest import Glass, descendants
from tests.player.display.scenes import listing, menu, one_menu, row, scene, showing
from tests.support.films import still

QML = sorted((Path(__file__).parents[4] / "player" / "display" / "qml").rglob("*.qml"))
PHOTO = "a" * 64
CANVAS = Box(x=0, y=0, width=1920, height=1080)


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """A host that must not be contacted."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


def contacted(listener: socket.socket) -> bool:
    try:
        listener.accept()[0].close()
    except BlockingIOError:
        return False
    return True


def drawing(host: str) -> bytes:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9" height="9">'
        f'<image xlink:href="http://{host}/x.png" width="9" height="9"/><image xlink:href="file:///etc/passwd"/></svg>'
    ).encode()


OTHER_FORMATS = {
    "gif": b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff!\xf9\x04\0\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;",
    "bmp": b"BM" + bytes(100),
    "tiff": b"II*\0" + bytes(100),
    "pdf": b"%PDF-1.7\n" + bytes(100),
    "xpm": b'/* XPM */ static char *x[]={"1 1 1 1","a c red","a"};',
    "svg": drawing("127.0.0.1:9"),
    "svg with a comment": b"<!-- \x89PNG -->" + drawing("127.0.0.1:9"),
    "html": b"<html><img src=x></html>",
    "nothing": b"",
}


@pytest.mark.parametrize("content", OTHER_FORMATS.values(), ids=OTHER_FORMATS)
def test_only_named_formats_are_read(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / PHOTO
    path.write_bytes(content)

    refused = plan_image(path, width=10, height=10)
    assert isinstance(refused, ImageRefused)
    assert refused.code == "asset_undecodable"


@pytest.mark.parametrize(("made", "found"), [("png", "png"), ("jpg", "jpeg"), ("webp", "webp")])
def test_a_format_is_known_by_its_bytes(tmp_path: Path, made: str, found: str) -> None:
    path = tmp_path / "name.svg"
    path.write_bytes(still(made).read_bytes())

    assert format_of(path) is AssetFormat(found)
    assert not isinstance(plan_image(path, width=10, height=10), ImageRefused)


def test_a_drawing_contacts_no_host_and_costs_its_widget_only(
    glass: Glass, tmp_path: Path, listener: socket.socket
) -> None:
    glass.files[PHOTO] = tmp_path / PHOTO
    glass.files[PHOTO].write_bytes(drawing(f"127.0.0.1:{listener.getsockname()[1]}"))
    view = one_menu(listing(("", [row("Soup")])))
    widget = ImageWidget(id="photo", box=CANVAS, asset=PHOTO)
    glass.show(showing(scene(widget, *view.scene.widgets), view.menus))
    glass.grab()

    assert [(event.subject, event.code) for event in glass.undrawable] == [("scn_1/photo", "asset_undecodable")]
    assert glass.texts("name") == ["Soup"]
    assert not contacted(listener)


def test_a_file_has_a_largest_size(tmp_path: Path) -> None:
    path = tmp_path / PHOTO
    path.write_bytes(still("png").read_bytes())
    with path.open("ab") as file:
        file.truncate(MOST_FILE_BYTES)
    assert not isinstance(plan_image(path, width=10, height=10), ImageRefused)

    with path.open("ab") as file:
        file.truncate(MOST_FILE_BYTES + 1)
    refused = plan_image(path, width=10, height=10)
    assert isinstance(refused, ImageRefused)
    assert refused.code == "asset_too_large"


def test_decoding_has_a_memory_limit(glass: Glass) -> None:
    del glass
    assert QImageReader.allocationLimit() == DECODING_MEGABYTES
    assert MOST_PIXELS * 4 <= DECODING_MEGABYTES * 1024 * 1024


def chunked_png(*extra: bytes) -> bytes:
    """A green dot, with chunks of its own before the pixels."""
    rows = b"".join(b"\0" + b"\x20\xc0\x20" * 4 for _ in range(4))
    head = b"IHDR" + struct.pack(">IIBBBBB", 4, 4, 8, 2, 0, 0, 0)
    chunks = [head, *extra, b"IDAT" + zlib.compress(rows), b"IEND"]
    framed = (struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk)) for chunk in chunks)
    return b"\x89PNG\r\n\x1a\n" + b"".join(framed)


@pytest.mark.qt_log_ignore("iCCP", "ICC", "icc", "libpng", "colorspace", "QColorSpace")
@pytest.mark.parametrize(
    "chunk",
    [
        b"iCCPjunk\0\0" + zlib.compress(b"\xff" * 4000),
        b"zTXtbomb\0\0" + zlib.compress(bytes(20_000_000)),
        b"eXIfMM\0*junk",
    ],
    ids=["colour profile", "text that swells", "orientation"],
)
def test_junk_chunks_do_no_harm(glass: Glass, tmp_path: Path, chunk: bytes) -> None:
    glass.files[PHOTO] = tmp_path / PHOTO
    glass.files[PHOTO].write_bytes(chunked_png(chunk))
    glass.show(showing(scene(ImageWidget(id="photo", box=CANVAS, asset=PHOTO))))

    glass.until(lambda: glass.grab().pixelColor(480, 270).name() == "#20c020")
    assert glass.undrawable == []


@pytest.mark.qt_log_ignore("jpeg", "JPEG", "premature", "Premature", "Error decoding", "Failed to get image")
@pytest.mark.parametrize("container", ["jpg", "webp", "png"])
def test_a_truncated_image_leaves_the_rest_of_the_scene(glass: Glass, tmp_path: Path, container: str) -> None:
    whole = still(container, size="640x360").read_bytes()
    glass.files[PHOTO] = tmp_path / PHOTO
    glass.files[PHOTO].write_bytes(whole[: len(whole) // 3])
    view = one_menu(listing(("", [row("Soup")])))
    widget = ImageWidget(id="photo", box=CANVAS, asset=PHOTO)
    glass.show(showing(scene(widget, *view.scene.widgets), view.menus))
    glass.settle()

    assert glass.texts("name") == ["Soup"]


def test_the_images_of_a_scene_fit_in_their_bound_however_many_they_are(tmp_path: Path) -> None:
    path = tmp_path / PHOTO
    image = QImage(3840, 2160, QImage.Format.Format_RGB32)
    image.fill(QColor("#204060"))
    assert QImageWriter(str(path), b"jpg").write(image)
    images = AssetImages("scn_1", asset_path=lambda _: path, pixels_per_unit=1.0, emit=print)

    plans = [images.plan(f"photo{at}", PHOTO, 3840, 2160) for at in range(500)]

    sizes = [(plan["pixelWidth"], plan["pixelHeight"]) for plan in plans if plan is not None]
    assert len(sizes) == 500
    assert sum(width * height * 4 for width, height in sizes) <= SCENE_BYTES + 500 * BYTES_PER_PIXEL
    assert sizes[0][0] >= 3800, "the first, alone in most scenes, is as sharp as the glass"
    again = images.plan("photo0", PHOTO, 3840, 2160)
    assert again is not None
    assert again["pixelWidth"] < 3840, "planned again, it replaces its first plan"


@pytest.mark.long
def test_memory_does_not_grow_with_the_scenes_shown(make_glass: Callable[..., Glass]) -> None:
    glass = make_glass(size=(1920, 1080))
    glass.files[PHOTO] = still("jpg", size="1920x1080")
    taken = []
    for at in range(30):
        shown = scene(ImageWidget(id="photo", box=CANVAS, asset=PHOTO), scene_id=f"scn_{at}")
        glass.show(showing(shown, entry=f"ent_{at}"))
        glass.settle()
        taken.append(resident_megabytes())

    # Twenty that stay would be 160 MB.
    assert taken[-1] - taken[9] < 50


def resident_megabytes() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1024**2


@pytest.mark.parametrize("slowness", [1.0, 2.5])
def test_an_image_that_is_never_decoded_is_reported_and_the_scene_shows(
    make_glass: Callable[..., Glass], slowness: float
) -> None:
    """A decoder cannot be stopped; what it does not finish is reported while everything else is drawn."""
    glass = make_glass(slowness=slowness)
    glass.files[PHOTO] = still("png")
    first = showing(scene(scene_id="first"))
    slow = showing(scene(ImageWidget(id="photo", box=CANVAS, asset=PHOTO), scene_id="slow"), entry="slow")
    glass.show(first)
    glass.order(first, slow)
    # The event loop does not run in between: the image cannot have been decoded yet.
    glass.display.stage._prepare()
    glass.pass_seconds(0)
    glass.pass_seconds(slowness * DECODE_SECONDS - 1)
    assert glass.undrawable == []
    glass.pass_seconds(1)

    assert [(event.subject, event.code) for event in glass.undrawable] == [("slow/photo", "asset_slow")]


MARKUP = [
    "<b>Soup</b>",
    "<img src='http://{host}/x.png'>",
    "<a href='http://{host}'>x</a>",
    "# Soup\n\n![x](http://{host}/x)",
]


def test_markup_is_drawn_as_it_is_written(glass: Glass, listener: socket.socket) -> None:
    markup = [text.format(host=f"127.0.0.1:{listener.getsockname()[1]}") for text in MARKUP]
    rows = [row(text, description=text, modifiers=[(text, "")], tags=(text,)) for text in markup]
    box = Box(x=0, y=0, width=1920, height=200)
    widgets = [TextWidget(id=f"text{at}", box=box, text=text) for at, text in enumerate(markup)]
    clock = ClockWidget(id="clock", box=box, pattern="'<b>'HH:mm'</b>'")
    glass.show(
        showing(scene(menu(title=markup[0]), *widgets, clock), {"menu": listing((markup[1], rows))}),
        identify=Identity(name=markup[1], location=markup[0], short_id="7F3A9C", address=markup[1]),
        strip=Strip(name=markup[0], version="1", address=markup[1], finding=markup[0]),
    )
    glass.grab()

    texts = [item for item in descendants(glass.root) if item.inherits("QQuickText")]
    assert {"<b>12:00</b>", "<b>13:00</b>"} & {str(item.property("text")) for item in texts}
    assert [item.objectName() for item in texts if not plain(item)] == []
    assert markup[0] in " ".join(glass.texts("text"))
    assert not contacted(listener)


def plain(item: QQuickItem) -> bool:
    """Not Text.AutoText, the default, which would interpret markup."""
    # The binding cannot convert the enumeration; QML's own number for Text.PlainText is 0.
    return QQmlExpression(qmlContext(item), item, "Number(textFormat)").evaluate() in (0, (0, False))


@pytest.mark.parametrize("path", QML, ids=lambda path: path.name)
def test_every_text_in_qml_is_plain_text(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    for start in re.finditer(r"\bText\s*\{", source):
        assert "textFormat: Text.PlainText" in block(source, start.end()), f"{path.name}: a Text without its format"


def block(source: str, at: int) -> str:
    depth, end = 1, at
    while depth:
        depth += {"{": 1, "}": -1}.get(source[end], 0)
        end += 1
    return source[at:end]


@pytest.mark.parametrize("path", QML, ids=lambda path: path.name)
def test_qml_neither_runs_nor_loads_anything_from_outside(path: Path) -> None:
    source = re.sub(r"//.*", "", path.read_text(encoding="utf-8"))
    # One of two files of ours, as player/display/widgets/video.py says.
    source = source.replace("Qt.createComponent(root.video.surface)", "")
    forbidden = (
        r"TextEdit|TextInput|TextArea|Label|StyledText|RichText|MarkdownText|Web\w+|eval\(|Function\(|"
        r"createQmlObject|createComponent|XMLHttpRequest|openUrlExternally|Qt\.include|https?:"
    )
    assert re.findall(forbidden, source) == []
    assert {line.split()[1] for line in source.splitlines() if line.startswith("import ")} <= {
        *("QtQuick", "QtMultimedia", '"../widgets"')
    }


@pytest.mark.parametrize("family", ["<b>", "/etc/passwd", "file:///tmp/x.ttf", "http://{host}/x.ttf", "qrc:/x", "\0"])
def test_a_font_is_a_name_and_nothing_else(glass: Glass, listener: socket.socket, family: str) -> None:
    families = QFontDatabase.families()
    named = Theme(font_family=family.format(host=f"127.0.0.1:{listener.getsockname()[1]}"))
    listed = listing(("Coffee", [row("Flat white")]))
    glass.show(one_menu(listed))
    usual = glass.grab()

    glass.show(showing(scene(menu(), theme=Theme(title_family="Inter Display")), {"menu": listed}, entry="usual"))
    glass.show(
        showing(
            scene(menu(), scene_id="other", theme=Theme(font_family=named.font_family, title_family="Inter Display")),
            {"menu": listed},
            entry="other",
        )
    )
    glass.settle()

    assert glass.grab() == usual, "the player's own font replaces one that is not installed"
    assert QFontDatabase.families() == families
    assert not contacted(listener)
