"""A test goes beyond every bound of the player, and docs/bounds.md has the values of the code."""

from __future__ import annotations

import ast

import pytest

from tests.bounds import PAGE, ROOT, bounds_in_code, is_tested, page, value_of

# Qt Multimedia says at its first import what it has not found.
pytestmark = pytest.mark.no_qt_log


@pytest.mark.proves("anything-board-takes")
def test_a_test_goes_beyond_every_bound() -> None:
    missing = [f"{file}: {name}" for file, name in bounds_in_code() if not is_tested(name)]
    assert not missing, 'test them, and mark the test with @pytest.mark.goes_beyond("NAME")'


def test_the_bounds_that_tests_go_beyond_exist() -> None:
    known = {name for _, name in bounds_in_code()}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.goes_beyond":
                gone = {ast.literal_eval(name) for name in node.args} - known
                assert not gone, f"{path.relative_to(ROOT)} is marked with bounds that do not exist"


def test_the_page_has_the_values_of_the_code() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `python -m tests.bounds`"


@pytest.mark.parametrize(
    ("file", "name", "value"),
    [
        ("menu/documents/scene.py", "MAX_TRANSITION_MILLISECONDS", "5,000 ms"),
        ("player/domain/pairing.py", "GRACE_SECONDS", "7 d"),
        ("player/domain/findings/clock.py", "CLOCK_OFF_SECONDS", "20 s"),
        ("player/domain/findings/disk.py", "DISK_LOW_BYTES", "512 MiB"),
        ("menu/documents/manifest_reader.py", "MAX_ITEMS", "10,000"),
    ],
)
def test_a_value_has_the_unit_of_its_name(file: str, name: str, value: str) -> None:
    assert value_of(file, name) == value
