"""QR widgets, read back from the pixels by an independent decoder; and shapes."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtGui import QColor, QImage

from menu.documents.box import Box
from menu.documents.scene import Background, QrWidget, ShapeKind, ShapeWidget, StrokeStyle, TextWidget
from menu.documents.theme import Theme
from menu.text.wording import Locality
from player.display.typography.contrast import LEAST_CONTRAST, contrast
from player.display.widgets.shape import MOST_DOTS
from player.domain.view import SceneView
from tests.player.display.conftest import Glass, object_of
from tests.player.display.scenes import ARABIC, GERMAN, scene, showing

ADDRESS = "https://menu.example.com/corner-café/order?table=7&at=noon"


def code(box: Box, data: str = ADDRESS, *, locality: Locality = GERMAN, caption: str | None = None) -> SceneView:
    widget = QrWidget(id="code", box=box, data=data, caption=caption)
    return showing(scene(widget, background=Background(color="#101418")), locality=locality)


def decoded(image: QImage, folder: Path) -> str:
    """Reads the code as a phone would, by zbar."""
    path = folder / "glass.png"
    assert image.save(str(path))
    done = subprocess.run(
        ["zbarimg", "--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip()


@pytest.mark.first_case
@pytest.mark.parametrize(
    "box",
    [
        Box(x=101.3, y=77.7, width=600, height=800),
        Box(x=400, y=200, width=900.5, height=331),
        Box(x=0, y=0, width=1920, height=1080),
    ],
)
@pytest.mark.parametrize("size", [(960, 540), (1366, 768), (1080, 1920)])
def test_a_code_is_readable_and_its_modules_are_crisp(
    make_glass: Callable[..., Glass], tmp_path: Path, box: Box, size: tuple[int, int]
) -> None:
    glass = make_glass(size=size)
    glass.show(code(box, caption="Order here"))
    [modules] = glass.find("qrModules")
    image = glass.grab()

    assert decoded(image, tmp_path) == ADDRESS
    corner = modules.mapToScene(modules.boundingRect().topLeft())
    side = round(modules.mapRectToScene(modules.boundingRect()).width())
    inside = image.copy(round(corner.x()), round(corner.y()), side, side)
    shades = {inside.pixelColor(x, y).name() for x in range(side) for y in range(0, side, 3)}
    assert shades == {"#000000", "#ffffff"}, "an edge that is not on a whole pixel is grey"


def test_a_caption_stands_below_or_beside_in_reading_direction(glass: Glass) -> None:
    def middle(name: str) -> tuple[float, float]:
        [item] = glass.find(name)
        point = item.mapRectToScene(item.boundingRect()).center()
        return point.x(), point.y()

    wide = Box(x=100, y=100, width=1400, height=400)
    glass.show(code(Box(x=100, y=100, width=500, height=800), caption="Order here"))
    assert middle("qrCaption")[1] > middle("qrModules")[1]
    glass.show(code(wide, caption="Order here"))
    assert middle("qrCaption")[0] > middle("qrModules")[0]
    glass.show(code(wide, caption="اطلب هنا", locality=ARABIC))
    assert middle("qrCaption")[0] < middle("qrModules")[0]


@pytest.mark.parametrize(
    ("box", "data", "fault"),
    [
        (Box(x=0, y=0, width=40, height=40), "x" * 300, "qr_too_small"),
        (Box(x=0, y=0, width=900, height=900), "🍜" * 1000, "qr_too_long"),
    ],
)
def test_a_code_that_cannot_be_read_is_not_drawn_but_reported(glass: Glass, box: Box, data: str, fault: str) -> None:
    glass.show(code(box, data, caption="Order here"))

    assert glass.find("qrModules") == []
    assert glass.texts("qrCaption") != [""]
    assert [(event.subject, event.code) for event in glass.undrawable] == [("scn_1/code", fault)]


def shape(**more: object) -> SceneView:
    usual = ShapeWidget(
        id="s", box=Box(x=200, y=200, width=400, height=200), shape=ShapeKind.RECTANGLE, color="#C02020"
    )
    return showing(scene(replace(usual, **more), background=Background(color="#101418")))  # type: ignore[arg-type]


def test_a_rectangle_fills_its_box_and_a_radius_rounds_its_corners(glass: Glass) -> None:
    glass.show(shape())
    assert [glass.grab().pixelColor(*at).name() for at in ((101, 101), (298, 198), (99, 99))] == [
        "#c02020",
        "#c02020",
        "#101418",
    ]

    glass.show(shape(radius=100))
    assert [glass.grab().pixelColor(*at).name() for at in ((101, 101), (200, 150))] == ["#101418", "#c02020"]


@pytest.mark.parametrize("box", [Box(x=100, y=301, width=800, height=1), Box(x=301, y=100, width=1, height=800)])
def test_a_hairline_never_vanishes(make_glass: Callable[..., Glass], box: Box) -> None:
    glass = make_glass(size=(480, 270))
    glass.show(shape(shape=ShapeKind.LINE, box=box))

    image = glass.grab()
    across = [image.pixelColor(100, y) if box.width > box.height else image.pixelColor(y, 100) for y in range(60, 90)]
    assert [color for color in across if color == QColor("#C02020")], "one whole pixel of its colour"


RED, WHITE, GROUND = "#c02020", "#ffffff", "#101418"


# On the glass the box is from 100, 100 to 300, 200.
@pytest.mark.parametrize(
    ("more", "seen"),
    [
        ({"shape": ShapeKind.CIRCLE}, {(200, 150): RED, (152, 150): RED, (148, 150): GROUND, (155, 105): GROUND}),
        ({"shape": ShapeKind.BURST}, {(200, 150): RED, (152, 150): RED, (200, 102): RED, (155, 105): GROUND}),
        (
            {"border_color": "#FFFFFF", "border_width": 20},
            {(101, 150): WHITE, (108, 150): WHITE, (112, 150): RED, (298, 150): WHITE, (99, 150): GROUND},
        ),
        (
            {"border_color": "#FFFFFF", "border_width": 24, "style": StrokeStyle.DOUBLE},
            {(102, 150): WHITE, (106, 150): RED, (110, 150): WHITE, (114, 150): RED},
        ),
        (
            {"shape": ShapeKind.LINE, "style": StrokeStyle.DOUBLE, "box": Box(x=200, y=200, width=400, height=24)},
            {(200, 101): RED, (200, 106): GROUND, (200, 110): RED},
        ),
        (
            {"shape": ShapeKind.ORNAMENT, "box": Box(x=200, y=200, width=400, height=40)},
            {(200, 110): RED, (200, 102): RED, (110, 110): RED, (110, 104): GROUND, (185, 104): GROUND},
        ),
        (
            {"shape": ShapeKind.ORNAMENT, "box": Box(x=200, y=200, width=40, height=400)},
            {(110, 200): RED, (102, 200): RED, (110, 110): RED, (104, 110): GROUND},
        ),
    ],
)
def test_shapes_and_borders(glass: Glass, more: dict[str, object], seen: dict[tuple[int, int], str]) -> None:
    glass.show(shape(**more))
    image = glass.grab()
    assert {at: image.pixelColor(*at).name() for at in seen} == seen


@pytest.mark.first_case
@pytest.mark.parametrize("kind", [ShapeKind.LINE, ShapeKind.RECTANGLE, ShapeKind.CIRCLE])
def test_dots_are_evenly_apart_and_have_a_bound(glass: Glass, kind: ShapeKind) -> None:
    box = Box(x=100, y=100, width=1600, height=8 if kind is ShapeKind.LINE else 800)
    glass.show(shape(shape=kind, box=box, style=StrokeStyle.DOTTED, border_color="#FFFFFF", border_width=8))
    dots = [part for part in glass.find("shapePart") if part.width() == 8]
    assert 90 <= len(dots) <= 300
    assert all(0 <= dot.x() <= box.width - 8 and 0 <= dot.y() <= box.height - 8 for dot in dots)

    glass.show(shape(shape=kind, box=box, style=StrokeStyle.DOTTED, border_color="#FFFFFF", border_width=0.01))
    assert len(glass.find("shapePart")) <= MOST_DOTS + 1


def test_a_text_in_a_frame_stays_readable(glass: Glass) -> None:
    frame = ShapeWidget(
        id="frame",
        box=Box(x=40, y=40, width=1000, height=600),
        shape=ShapeKind.RECTANGLE,
        color="#00000000",
        border_color="#FFFFFF",
    )
    faint = TextWidget(id="t", box=Box(x=80, y=80, width=900, height=200), text="Hi", theme=Theme(text_color="#181C20"))
    glass.show(showing(scene(frame, faint, background=Background(color="#101418"))))
    assert [fault.code for fault in glass.undrawable] == ["contrast_low"]


@pytest.mark.parametrize("kind", [ShapeKind.RECTANGLE, ShapeKind.CIRCLE, ShapeKind.BURST])
def test_a_text_on_a_badge_can_be_read_also_above_a_picture(glass: Glass, kind: ShapeKind) -> None:
    badge = ShapeWidget(id="badge", box=Box(x=40, y=40, width=400, height=400), shape=kind, color="#FFD23F")
    yellow = TextWidget(
        id="t", box=Box(x=80, y=120, width=300, height=200), text="£5", theme=Theme(text_color="#FFE9A0")
    )
    glass.show(showing(scene(badge, yellow, background=Background(asset="f" * 64))))
    [drawn] = glass.find("text")
    assert contrast(object_of(drawn, "facts")["color"], QColor("#FFD23F")) >= LEAST_CONTRAST
    assert "contrast_low" in [fault.code for fault in glass.undrawable]
