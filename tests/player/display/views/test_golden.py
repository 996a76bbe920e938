"""Each board of the design kit looks as it did when somebody last looked at it, at three resolutions."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QImage
from PySide6.QtQuick import QQuickItem

from player.domain.scene import TickerWidget
from player.domain.view import SceneView
from service.schema.template import Orientation
from tests.player.display.conftest import Glass, descendants
from tests.player.display.views.golden import (
    JPEG_QUALITY,
    MOST_CHANGED,
    RESOLUTIONS,
    changed_share,
    golden_file,
    reduced,
)
from tests.player.display.views.kit import LAYOUTS, KitBoards
from tests.support.films import CHATTER

KEEP = os.environ.get("MENU_TEST_KEEP_GOLDEN") == "1"
"""Whether what is drawn now is to be the golden picture from now on: `make golden`."""

pytestmark = pytest.mark.qt_log_ignore(*CHATTER)


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KitBoards]:
    made = KitBoards(tmp_path_factory.mktemp("kit"))
    yield made
    made.close()


def drawn(make_glass: Callable[..., Glass], boards: KitBoards, view: SceneView, size: tuple[int, int]) -> QImage:
    upright = view.scene.height > view.scene.width
    glass = make_glass(size=size[::-1] if upright else size, files=boards.files)
    glass.show(view)
    glass.until(lambda: glass.display.stage.is_at_rest and not _moving(glass))
    assert glass.undrawable == []
    grabbed = glass.grab()
    glass.display.close()
    QCoreApplication.processEvents()
    return grabbed


def _moving(glass: Glass) -> list[QQuickItem]:
    """What would look different in a moment: images that are still decoded."""
    return [item for item in descendants(glass.root) if item.property("loading") is True]


def still(view: SceneView) -> SceneView:
    """The picture without what runs: a line that moves looks different each time."""
    widgets = tuple(widget for widget in view.scene.widgets if not isinstance(widget, TickerWidget))
    return replace(view, scene=replace(view.scene, widgets=widgets))


@pytest.mark.parametrize(("template", "orientation"), LAYOUTS)
def test_a_board_looks_as_it_did(
    make_glass: Callable[..., Glass], boards: KitBoards, template: str, orientation: Orientation
) -> None:
    view = still(boards.view(template, orientation))

    for resolution in RESOLUTIONS:
        now = reduced(drawn(make_glass, boards, view, resolution))
        kept = golden_file(template, orientation, resolution)
        if KEEP:
            kept.parent.mkdir(parents=True, exist_ok=True)
            assert now.save(str(kept), quality=JPEG_QUALITY)
        assert kept.exists(), f"nobody has looked at the boards in these faces yet: `make golden` draws {kept}"
        share = changed_share(now, QImage(str(kept)))
        assert share <= MOST_CHANGED, f"{share:.2%} of {kept.name} looks different: see `make golden`"


def test_a_dish_that_is_gone_is_noticed(make_glass: Callable[..., Glass], boards: KitBoards) -> None:
    view = boards.view("burgers", "portrait")
    resolution = RESOLUTIONS[1]
    menus = dict(view.menus)
    listed = menus["mains"]
    [section] = listed.sections
    menus["mains"] = replace(listed, sections=(replace(section, rows=section.rows[:-1]),))

    now = reduced(drawn(make_glass, boards, replace(view, menus=menus), resolution))

    assert changed_share(now, QImage(str(golden_file("burgers", "portrait", resolution)))) > MOST_CHANGED
