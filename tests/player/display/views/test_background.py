"""The background of a scene reaches the panel's edge, beyond the canvas and under overscan."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QImage

from menu.documents.scene import Background, Fit, Gradient
from player.display.window.panel import Panel
from player.domain.view import SceneView
from tests.player.display.conftest import Glass
from tests.player.display.scenes import scene, showing

PANELS = [((960, 540), 5.0), ((960, 600), 0.0), ((960, 480), 3.0)]
PHOTO = "b" * 64


def behind(**background: object) -> SceneView:
    return showing(scene(background=Background(**background)))  # type: ignore[arg-type]


def along_the_middle(image: QImage) -> list[tuple[int, int, int]]:
    shades = [image.pixelColor(x, image.height() // 2) for x in range(image.width())]
    shades += [image.pixelColor(image.width() // 2, y) for y in range(image.height())]
    return [(shade.red(), shade.green(), shade.blue()) for shade in shades]


@pytest.mark.parametrize(("size", "overscan"), PANELS)
@pytest.mark.parametrize("angle", [0, 37, 90, 200])
def test_a_gradient_goes_on_to_the_panel_s_edge(
    make_glass: Callable[..., Glass], size: tuple[int, int], overscan: float, angle: float
) -> None:
    glass = make_glass(size=size, panel=Panel(overscan=overscan))
    glass.show(behind(gradient=Gradient(start="#2040A0", end="#E0A020", angle=angle)))
    shades = along_the_middle(glass.grab())
    across, down = shades[: size[0]], shades[size[0] :]

    for line in (across, down):
        steps = [max(abs(a - b) for a, b in zip(one, other, strict=True)) for one, other in itertools.pairwise(line)]
        assert max(steps) <= 4, "no edge where the canvas ends"


@pytest.mark.parametrize(("size", "overscan"), PANELS)
def test_a_scrim_reaches_it_too(make_glass: Callable[..., Glass], size: tuple[int, int], overscan: float) -> None:
    glass = make_glass(size=size, panel=Panel(overscan=overscan))
    glass.show(behind(color="#808080", scrim="#80000000"))

    assert len(set(along_the_middle(glass.grab()))) == 1


@pytest.mark.parametrize(
    ("size", "overscan", "fit", "covered"),
    [
        ((960, 540), 5.0, Fit.COVER, True),
        ((960, 600), 0.0, Fit.COVER, True),
        ((960, 600), 0.0, Fit.STRETCH, True),
        ((960, 600), 0.0, Fit.CONTAIN, False),
        ((540, 960), 0.0, Fit.COVER, False),
    ],
)
def test_an_image_covers_the_panel_where_that_enlarges_it_by_little(
    make_glass: Callable[..., Glass],
    tmp_path: Path,
    size: tuple[int, int],
    overscan: float,
    fit: Fit,
    covered: bool,
) -> None:
    image = QImage(192, 108, QImage.Format.Format_RGB32)
    image.fill(QColor("#20C020"))
    assert image.save(str(tmp_path / PHOTO), "PNG")  # type: ignore[call-overload]
    glass = make_glass(size=size, panel=Panel(overscan=overscan), files={PHOTO: tmp_path / PHOTO})
    glass.show(behind(color="#400000", asset=PHOTO, fit=fit))
    glass.until(lambda: glass.display.stage.is_at_rest)
    shown = glass.grab()
    corners = {shown.pixelColor(x, y).name() for x in (1, size[0] - 2) for y in (1, size[1] - 2)}

    assert corners == ({"#20c020"} if covered else {"#400000"})
