"""The document that the service's own tests hold it to: the player reads all of it."""

from pathlib import Path

from player.domain.manifest import read_manifest

GOLDEN = Path(__file__).parents[2] / "data" / "manifest.json"


LATER_WIDGETS = {"video"}
"""Types that the service takes and this version of the player does not draw yet."""


def test_the_service_s_document_is_read_whole_but_for_the_widgets_of_later_versions() -> None:
    found = read_manifest(GOLDEN.read_bytes())
    assert {rejection.code for rejection in found.rejections} == {"widget_unknown"}
    assert {rejection.detail.split('"')[1] for rejection in found.rejections} == LATER_WIDGETS
    assert found.program is not None
    assert found.program.entries
    assert found.catalogue.items
