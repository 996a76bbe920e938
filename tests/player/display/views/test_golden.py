"""Each scene of the design kit looks like its golden image, at three resolutions."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QImage
from PySide6.QtQuick import QQuickItem

from benchmarks.sheets import menu_of
from menu.documents.scene import TickerWidget
from player.domain.view import SceneView
from service.schema.content.template import Orientation
from tests.player.display.conftest import Glass, descendants
from tests.player.display.views.golden import (
    AT_EACH,
    JPEG_QUALITY,
    MOST_CHANGED,
    RESOLUTIONS,
    changed_share,
    golden_file,
    reduced,
)
from tests.player.display.views.kit import ARABIC, LAYOUTS, MIRRORED, KitScenes

KEEP = os.environ.get("MENU_TEST_KEEP_GOLDEN") == "1"
"""Whether the images drawn now become the golden ones: `make golden`."""

WIDE_FIRST = [pytest.param(*one, marks=[pytest.mark.long] if one[1] == "portrait" else []) for one in LAYOUTS]

pytestmark = pytest.mark.film


@pytest.fixture(scope="module")
def kit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KitScenes]:
    made = KitScenes(tmp_path_factory.mktemp("kit"))
    yield made
    made.close()


def drawn(make_glass: Callable[..., Glass], kit: KitScenes, view: SceneView, size: tuple[int, int]) -> QImage:
    upright = view.scene.height > view.scene.width
    glass = make_glass(size=size[::-1] if upright else size, files=kit.files)
    glass.show(view)
    glass.until(lambda: glass.display.stage.is_at_rest and not _moving(glass))
    assert glass.undrawable == []
    grabbed = glass.grab()
    glass.display.close()
    QCoreApplication.processEvents()
    return grabbed


def _moving(glass: Glass) -> list[QQuickItem]:
    """Images that are still being decoded."""
    return [item for item in descendants(glass.root) if item.property("loading") is True]


def still(view: SceneView) -> SceneView:
    """The view without tickers, which look different in each frame."""
    widgets = tuple(widget for widget in view.scene.widgets if not isinstance(widget, TickerWidget))
    return replace(view, scene=replace(view.scene, widgets=widgets))


def assert_golden(image: QImage, name: str, orientation: Orientation, resolution: tuple[int, int]) -> None:
    now = reduced(image)
    golden = golden_file(name, orientation, resolution)
    if KEEP:
        golden.parent.mkdir(parents=True, exist_ok=True)
        assert now.save(str(golden), quality=JPEG_QUALITY)
    assert golden.exists(), f"no golden image for this version of the fonts: `make golden` draws {golden}"
    share = changed_share(now, QImage(str(golden)))
    assert share <= MOST_CHANGED, f"{share:.2%} of {golden.name} looks different: see `make golden`"


@pytest.mark.parametrize(("template", "orientation"), WIDE_FIRST)
def test_a_scene_looks_like_its_golden_image(
    make_glass: Callable[..., Glass], kit: KitScenes, template: str, orientation: Orientation
) -> None:
    view = still(kit.view(template, orientation))

    for resolution in RESOLUTIONS if template in AT_EACH else RESOLUTIONS[1:2]:
        assert_golden(drawn(make_glass, kit, view, resolution), template, orientation, resolution)


@pytest.mark.first_case
@pytest.mark.parametrize("count", [pytest.param(12, marks=pytest.mark.long), 60])
@pytest.mark.parametrize(("template", "orientation"), WIDE_FIRST)
def test_the_service_knows_about_how_many_pages_a_scene_has(
    make_glass: Callable[..., Glass], kit: KitScenes, template: str, orientation: Orientation, count: int
) -> None:
    menu = f"{template} {count}"
    kit.menus[menu] = menu_of(count, template)
    view = still(kit.view(template, orientation, menu))
    glass = make_glass(size=(480, 480), files=kit.files)
    glass.show(view)

    lists = [one for kind in ("menu", "grid") for one in glass.find(kind)]
    pages = max((one.property("list").property("pages") for one in lists), default=1)
    assert abs(kit.pages[view.scene.id] - pages) <= 1 + 0.2 * max(kit.pages[view.scene.id], pages)


@pytest.mark.first_case
@pytest.mark.parametrize(("template", "orientation"), MIRRORED)
def test_a_mirrored_scene_looks_like_its_golden_image(
    make_glass: Callable[..., Glass], kit: KitScenes, template: str, orientation: Orientation
) -> None:
    view = still(kit.view(template, orientation, ARABIC))
    assert view.locality.right_to_left
    assert_golden(drawn(make_glass, kit, view, RESOLUTIONS[1]), f"{template}-ar", orientation, RESOLUTIONS[1])


@pytest.mark.parametrize(
    ("template", "orientation", "theme"), [("burgers", "landscape", "bistro"), ("drinks", "portrait", "night")]
)
def test_a_theme_looks_like_its_golden_image(
    make_glass: Callable[..., Glass], kit: KitScenes, template: str, orientation: Orientation, theme: str
) -> None:
    name = f"{template}-{theme}"
    menu = kit.menus[template]
    kit.menus[name] = {**menu, "scene": {**menu.get("scene", {}), "theme": theme}}
    view = still(kit.view(template, orientation, name))
    assert_golden(drawn(make_glass, kit, view, RESOLUTIONS[1]), name, orientation, RESOLUTIONS[1])


def test_a_missing_item_is_noticed(make_glass: Callable[..., Glass], kit: KitScenes) -> None:
    view = kit.view("burgers", "portrait")
    resolution = RESOLUTIONS[1]
    menus = dict(view.menus)
    listed = menus["mains"]
    [section] = listed.sections
    menus["mains"] = replace(listed, sections=(replace(section, rows=section.rows[:-1]),))

    now = reduced(drawn(make_glass, kit, replace(view, menus=menus), resolution))

    assert changed_share(now, QImage(str(golden_file("burgers", "portrait", resolution)))) > MOST_CHANGED
