"""The document that the service's own tests hold it to: the player reads all of it."""

from pathlib import Path

from player.domain.manifest_document import read_manifest

GOLDEN = Path(__file__).parents[2] / "data" / "manifest.json"


def test_the_service_s_document_is_read_whole() -> None:
    found = read_manifest(GOLDEN.read_bytes())
    assert found.rejections == ()
    assert found.version is not None
    assert found.version.entries
    assert found.catalogue.items
