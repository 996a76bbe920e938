"""The sample café on the glass: everything in it is drawn, legible, and on one page."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.player.display.conftest import Glass
from tests.player.display.views.sample import SampleCafe


@pytest.fixture(scope="module")
def cafe(tmp_path_factory: pytest.TempPathFactory) -> SampleCafe:
    return SampleCafe(tmp_path_factory.mktemp("cafe"))


@pytest.mark.long
def test_the_player_reads_it_without_a_fault(cafe: SampleCafe) -> None:
    assert [manifest.rejections for manifest in cafe.manifests] == [(), ()]
    assert len({view.scene.id for view in cafe.views()}) == 8


def test_every_item_is_listed_in_both_orientations(cafe: SampleCafe) -> None:
    def listed(upright: bool) -> set[str]:
        return {
            one.item_id
            for view in cafe.views()
            if (view.scene.height > view.scene.width) is upright
            for menu in view.menus.values()
            for section in menu.sections
            for one in section.rows
        }

    assert listed(upright=False) == listed(upright=True) == cafe.items


@pytest.mark.film
def test_every_scene_is_drawn_whole(make_glass: Callable[..., Glass], cafe: SampleCafe) -> None:
    for view in cafe.views():
        upright = view.scene.height > view.scene.width
        glass = make_glass(size=(540, 960) if upright else (960, 540), files=cafe.files)
        glass.show(view)
        rows = [one for menu in view.menus.values() for section in menu.sections for one in section.rows]

        assert glass.undrawable == []
        assert sorted(name.replace("\n", " ") for name in glass.texts("name")) == sorted(one.name for one in rows)
        assert all(price.startswith("€") for price in glass.texts("price"))
        assert glass.find("pageMark") == []
        assert all(item.property("font").pixelSize() >= 30 for item in glass.find("name"))
        assert not any("…" in text for name in ("name", "details") for text in glass.texts(name))
        glass.display.close()
