"""The index of the tests that show the rows of docs/reliability.md, made from their markers `proves`.

`python -m tests.proofs` writes it to tests/proofs.md.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
FAULTS = ROOT / "docs" / "reliability.md"
INDEX = ROOT / "tests" / "proofs.md"
ROW = re.compile(r"^\|(?: [^|]* \|){3} ([a-z-]+) \|$", re.MULTILINE)
HEAD = """\
# Tests of the table of faults

Which tests show the rows of [docs/reliability.md](../docs/reliability.md). They are marked with
`@pytest.mark.proves("row")`; `python -m tests.proofs` writes this page. `make test` runs them all but for those marked
*long* (`make test-long`) and those in `tests/kiosk` (`make kiosk-test`).

| row | shown by |
|---|---|
"""


def rows() -> list[str]:
    """The rows of the table of faults, by their names."""
    return [row for row in ROW.findall(FAULTS.read_text(encoding="utf-8")) if row != "row"]


def proofs() -> Iterator[tuple[str, str, str, bool]]:
    """Row, file, test, and whether it is long."""
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        source = path.read_text(encoding="utf-8")
        if "pytest.mark.proves(" not in source:
            continue
        for node in ast.walk(ast.parse(source)):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            marks = {ast.unparse(getattr(mark, "func", mark)): mark for mark in node.decorator_list}
            if isinstance(mark := marks.get("pytest.mark.proves"), ast.Call):
                for row in mark.args:
                    yield ast.literal_eval(row), str(path.relative_to(ROOT)), node.name, "pytest.mark.long" in marks


def index() -> str:
    """The page, in the order of the table of faults."""
    shown: dict[str, list[str]] = {row: [] for row in rows()}
    for row, file, test, is_long in proofs():
        shown.setdefault(row, []).append(f"`{file}`: `{test}`" + (" (*long*)" if is_long else ""))
    return HEAD + "".join(f"| {row} | {', '.join(tests)} |\n" for row, tests in shown.items())


if __name__ == "__main__":
    INDEX.write_text(index(), encoding="utf-8")
    sys.stdout.write(f"{INDEX.relative_to(ROOT)} written\n")
