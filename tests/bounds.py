"""The page of bounds, docs/bounds.md, held against the code: every bound of the player is listed with its value.

`python -m tests.bounds` writes the values of today into the page, and names what is missing there.
"""

from __future__ import annotations

import ast
import importlib
import re
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "bounds.md"
NAMED = re.compile(r"(MAX|MOST)_\w+|\w+_(BYTES|SECONDS|MEGABYTES)")
"""What is a bound by its name."""
TOOLS = ("player/runtime/demo.py", "player/preview")
"""Commands for a desk, which run on no board."""
ROW = re.compile(r"^\| `(?P<file>[\w/]+\.py)`: `(?P<name>\w+)` \| (?P<value>[^|]*) \|(?P<rest>.*)$", re.MULTILINE)


def bounds_in_code() -> Iterator[tuple[str, str]]:
    """File and name of every bound of the player."""
    for path in sorted((ROOT / "player").rglob("*.py")):
        file = str(path.relative_to(ROOT))
        if file.startswith(TOOLS):
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            for target in targets:
                if isinstance(target, ast.Name) and target.id.isupper() and NAMED.fullmatch(target.id):
                    yield file, target.id


def value_of(file: str, name: str) -> str:
    """The value as the page writes it."""
    value = getattr(importlib.import_module(file.removesuffix(".py").replace("/", ".")), name)
    if isinstance(value, timedelta):
        return f"{value.total_seconds() / 86_400:,.9g} days"
    if name.endswith("MEGABYTES"):
        return f"{value} MiB"
    if re.search(r"BYTES|_BODY$", name):
        for factor, unit in ((1024**3, "GiB"), (1024**2, "MiB"), (1024, "KiB")):
            if value % factor == 0:
                return f"{value // factor} {unit}"
        return f"{value} bytes"
    if "SECONDS" in name and "PER_SECOND" not in name:
        return f"{value:,g} s"
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


def rows() -> list[tuple[str, str, str, str]]:
    """File, name, value and the rest of every row of the page."""
    return [row.group("file", "name", "value", "rest") for row in ROW.finditer(PAGE.read_text(encoding="utf-8"))]


def main() -> int:
    text = PAGE.read_text(encoding="utf-8")

    def fresh(row: re.Match[str]) -> str:
        return f"| `{row['file']}`: `{row['name']}` | {value_of(row['file'], row['name'])} |{row['rest']}"

    PAGE.write_text(ROW.sub(fresh, text), encoding="utf-8")
    listed = {(file, name) for file, name, _, _ in rows()}
    missing = [found for found in bounds_in_code() if found not in listed]
    for file, name in missing:
        sys.stdout.write(f"not in {PAGE.name}: | `{file}`: `{name}` | {value_of(file, name)} | what happens beyond |\n")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
