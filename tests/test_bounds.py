"""A test goes beyond every bound of the documents and of the player: a constant with MAX or MOST in its name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
NAMED = re.compile(r"(MAX|MOST)_\w+")
"""Names of bounds."""
MEASURES = re.compile(
    "MOST_(ALONE|APART|FRAMES_PER_SECOND|GAP|LEGEND|LEGEND_AT_LEAST_SIZE|LINES|PADDING|PAGES_GROWN|PANEL_PADDING|PARTS|"
    "SIZE|WRAPPED|WRAPPED_PAGED)"
)
"""Measures of the typesetting, which no content can exceed."""
TOOLS = ("player/runtime/demo.py", "player/preview")
"""Commands for a desk, which run on no board."""


def bounds_in_code() -> Iterator[tuple[str, str]]:
    """File and name of every bound of the player."""
    for path in sorted((*(ROOT / "menu").rglob("*.py"), *(ROOT / "player").rglob("*.py"))):
        file = str(path.relative_to(ROOT))
        if file.startswith(TOOLS):
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            match node:
                case ast.Assign(targets=[ast.Tuple(elts=targets)]) | ast.Assign(targets=targets):
                    pass
                case ast.AnnAssign(target=target):
                    targets = [target]
                case _:
                    continue
            for target in targets:
                if isinstance(target, ast.Name) and NAMED.fullmatch(target.id):
                    yield file, target.id


def is_tested(name: str) -> bool:
    return bool(MEASURES.fullmatch(name)) or name in named_in_tests()


@cache
def named_in_tests() -> frozenset[str]:
    """Every word of the tests: constants that they import, and those that `goes_beyond` marks."""
    files = [path for path in (ROOT / "tests").rglob("*.py") if path != Path(__file__)]
    return frozenset(word for path in files for word in re.findall(r"\w+", path.read_text(encoding="utf-8")))


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
