"""docs/bounds.md lists every bound of the player, with its value of today and a test that goes beyond it."""

from __future__ import annotations

import pytest

from tests.bounds import PAGE, ROW, bounds_in_code, rows, value_of

# Qt Multimedia says at its first import what it has not found.
pytestmark = pytest.mark.no_qt_log


def test_every_bound_is_on_the_page_once() -> None:
    listed = [(file, name) for file, name, _, _ in rows()]
    assert len(listed) == len(set(listed)), "twice on the page"
    missing = [found for found in bounds_in_code() if found not in set(listed)]
    assert not missing, f"add them to {PAGE.name}; `python -m tests.bounds` prints their rows"


@pytest.mark.parametrize(("file", "name", "value", "rest"), rows(), ids=lambda text: None)
def test_a_bound_has_the_value_that_the_page_says(file: str, name: str, value: str, rest: str) -> None:
    assert value == value_of(file, name), f"{name} has changed: run `python -m tests.bounds`"
    assert rest.strip("| "), f"{name}: say what happens beyond it"


def test_every_row_of_the_page_is_understood() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text.count("\n| `player/") == len(ROW.findall(text))


def test_every_bound_names_a_test() -> None:
    bounds, _, _ = PAGE.read_text(encoding="utf-8").partition("## Intervals")
    for row in ROW.finditer(bounds):
        assert "`tests/" in row["rest"], f"{row['name']}: name the test that goes beyond it"
