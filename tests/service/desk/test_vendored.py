"""The files of others in the desk are those that THIRD_PARTY.md names."""

import hashlib
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_htmx_is_the_file_of_its_release() -> None:
    digest = hashlib.sha256((ROOT / "service/desk/static/htmx.min.js").read_bytes()).hexdigest()
    assert digest in (ROOT / "THIRD_PARTY.md").read_text(encoding="utf-8")
