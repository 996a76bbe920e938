"""The boards by which templates are judged can be made: the service accepts each, and a player all of its scene."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from menu.documents.scene import ItemWidget, TextRole, TextWidget
from tests.player.display.views.boards import BOARDS, board_views
from tests.player.display.views.kit import KitScenes


@pytest.fixture(scope="module")
def kit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KitScenes]:
    made = KitScenes(tmp_path_factory.mktemp("boards"))
    yield made
    made.close()


@pytest.mark.parametrize("board", BOARDS)
def test_a_board_has_a_title_and_all_of_its_items(kit: KitScenes, board: str) -> None:
    for name, view in board_views(kit, board).items():
        listed = {row.item_id for menu in view.menus.values() for section in menu.sections for row in section.rows}
        shown = listed | {widget.item_id for widget in view.scene.widgets if isinstance(widget, ItemWidget)}
        assert len(shown) == len(kit.menus[name]["items"])
        [title] = [one for one in view.scene.widgets if isinstance(one, TextWidget) and one.role is TextRole.TITLE]
        assert title.text
