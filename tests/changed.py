"""Runs the tests of what changed since the branch left `main`: `python -m tests.changed`, part of `make check`. With
`--long` those of them too that are marked `long`: `make check LONG=1`, minutes.

A changed module's tests are those that import it, directly or through one other module, and those of the folder that
mirrors its package.
"""

from __future__ import annotations

import subprocess
import sys
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from tests.support.imports import ROOT, imports, modules

PACKAGES = ("menu", "player", "service", "guard", "benchmarks", "tests")
ALWAYS = ("tests/test_import_rules.py", "tests/test_docs.py")
MOST_FILES = 28
"""Test files, about a minute on two cores: beyond it only the nearest run."""
FILES_WORTH = 2
"""The weight of a file of the service's tests: each of its tests starts the service, most on two databases."""
SLOW = (
    "tests/service/api/test_contract.py",
    "tests/service/api/test_state_machines.py",
    "tests/service/storage/test_crash.py",
    "tests/service/storage/test_fleet.py",
    "tests/e2e/",
)
"""These take a minute by themselves, and run here only if they changed."""
ELSEWHERE = {
    "packaging": "tests/packaging",
    "service/api": "tests/service",
    "service/kit": "tests/service/scenes",
    "service/migrations": "tests/service/storage",
    "service/migrations/versions": "tests/service/storage",
    "service/pages": "tests/service/api",
    "service/sample": "tests/service/operations",
    "service/services": "tests/service",
    "systemd": "tests/packaging",
}
"""Folders whose tests are not in a folder of the same name."""
BOTH_DATABASES = ("service/storage/", "service/migrations/", "tests/service/storage/", "tests/service/support/")
"""A change here runs the service's tests on PostgreSQL too; elsewhere on SQLite alone, in half the time."""
MOST_STEPS = 2
"""From a test to what it imports, to what that imports."""

Graph = Mapping[str, Collection[str]]
"""File: the files that import it, all relative to the root."""


def changed_files() -> list[str]:
    """Lists the files that differ from the commit at which the branch left `main`, committed or not, new files
    included."""
    base = _git("merge-base", "HEAD", "main") or _git("merge-base", "HEAD", "origin/main") or ["HEAD"]
    names = _git("diff", "--name-only", base[0]) + _git("ls-files", "--others", "--exclude-standard")
    return sorted(set(names))


def _git(*arguments: str) -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.splitlines() if done.returncode == 0 else []


def importers() -> Graph:
    """Which files import which."""
    files = {name: str(path.relative_to(ROOT)) for package in PACKAGES for name, path in modules(package)}
    found: dict[str, set[str]] = defaultdict(set)
    for name, file in files.items():
        for imported, _ in imports(ROOT / file):
            if imported in files and imported != name:
                found[files[imported]].add(file)
    return found


def nearest(file: str, graph: Graph) -> set[str]:
    """The tests closest to a file: itself, those of the folder that mirrors its own, or those that import it."""
    if is_test(file):
        return {file}
    mirrored = set() if file.startswith("tests/") else _tests_in(_mirror(file))
    found = (dependent_tests(file, graph, steps=steps) for steps in range(1, MOST_STEPS + 2))
    return mirrored or next(filter(None, found), set())


def dependent_tests(file: str, graph: Graph, *, steps: int) -> set[str]:
    """The tests that import it, in so many steps at most."""
    seen, edge = {file}, {file}
    for _ in range(steps):
        edge = {importer for one in edge for importer in graph.get(one, ())} - seen
        seen |= edge
    return {one for one in seen if is_test(one)}


def is_test(file: str) -> bool:
    return file.startswith("tests/") and Path(file).name.startswith("test_") and file.endswith(".py")


def select(changed: Collection[str], graph: Graph) -> tuple[list[str], bool]:
    """The files of tests to run, and whether they are all that the changes concern."""
    own = {file for file in changed if is_test(file)}

    def quick(tests: set[str]) -> set[str]:
        there = {file for file in tests if (ROOT / file).exists()}
        return {file for file in there if file in own or not file.startswith(SLOW)} | _existing(ALWAYS)

    near = quick({test for file in changed for test in nearest(file, graph)})
    for steps in range(MOST_STEPS, 0, -1):
        tests = quick(near | {test for file in changed for test in dependent_tests(file, graph, steps=steps)})
        if _size(tests) <= MOST_FILES:
            return sorted(tests), steps == MOST_STEPS
    return sorted(near), False


def _mirror(file: str) -> Path:
    """The folder of the tests of a file: `service/services/content/items.py` has tests/service/content."""
    folder = Path(file).parent
    for parent in (folder, *folder.parents):
        if str(parent) in ELSEWHERE:
            return Path(ELSEWHERE[str(parent)], folder.relative_to(parent))
    return Path("tests", folder)


def _tests_in(folder: Path) -> set[str]:
    return {str(path.relative_to(ROOT)) for path in (ROOT / folder).glob("test_*.py")}


def _size(tests: Collection[str]) -> int:
    return sum(FILES_WORTH if file.startswith("tests/service/") else 1 for file in tests)


def _existing(files: Collection[str]) -> set[str]:
    return {file for file in files if (ROOT / file).exists()}


def databases(changed: Collection[str]) -> tuple[str, ...]:
    """Options by which pytest chooses databases."""
    return () if any(file.startswith(BOTH_DATABASES) for file in changed) else ("-k", "not postgres")


def _report(changed: Collection[str], tests: list[str], *, whole: bool) -> Iterator[str]:
    yield f"{len(changed)} files changed since main; their tests are in {len(tests)} files:"
    yield from (f"  {file}" for file in tests)
    if databases(changed) and any(file.startswith("tests/service/") for file in tests):
        yield "Those of the service run on SQLite alone; `make test-long` runs them on PostgreSQL too."
    if not whole:
        yield "More are concerned than run in a minute: these are the nearest. Run `make test` as well."


def main() -> int:
    changed = changed_files()
    tests, whole = select(changed, importers())
    print("\n".join(_report(changed, tests, whole=whole)), flush=True)  # noqa: T201
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "--numprocesses",
            "2",
            "--dist",
            "worksteal",
            *(("-m", "long or not long") if "--long" in sys.argv else ()),
            *databases(changed),
            *tests,
        ],
        cwd=ROOT,
        check=False,
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
