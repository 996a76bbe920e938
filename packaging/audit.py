"""Asks pip-audit for published advisories on all that the locks hold. Its exit codes: 0 without any, 1 with some, 2
where the answer cannot be had, as without a network: then nothing is known, which pip-audit itself calls "no known
vulnerabilities".

On the lowest set it passes over the advisories of packaging/lock/debian13-advisories.txt.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby, zip_longest
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).parent.parent
LOCKED = re.compile(r"^([a-z0-9._-]+)==([^ ;\\]+)", re.MULTILINE)
LOWEST = "requirements-lowest.lock"

Package = tuple[str, str]
"""Name and version."""


class UnknownError(Exception):
    """Whether there are advisories cannot be found out; the message says why."""


def main() -> int:
    """Print the advisories; returns the exit code."""
    wanted: dict[Package, list[str]] = {}
    for lock in sorted(CHECKOUT.glob("requirements*.lock")):
        for match in LOCKED.finditer(lock.read_text(encoding="utf-8")):
            wanted.setdefault((match[1], match[2]), []).append(lock.name)
    passed_over = _passed_over((CHECKOUT / "packaging/lock/debian13-advisories.txt").read_text(encoding="utf-8"))
    try:
        answers = {package: entry for rows in _rows(wanted) for package, entry in _ask(rows)}
        silent = sorted(set(wanted) - set(answers))
        if silent:
            raise UnknownError(
                f"pip-audit looked up {len(answers)} of {len(wanted)}; the first without: {silent[0][0]}"
            )
    except UnknownError as error:
        said = "the advisories cannot be looked up from here, so nothing is known of them"
        sys.stderr.write(f"audit: {said}: {error}\n")
        return 2
    found = [
        f"{name} {version} ({', '.join(wanted[name, version])}): {one['id']}, mended in {_mends(one)}"
        for (name, version), advisories in sorted(answers.items())
        for one in advisories
        if wanted[name, version] != [LOWEST] or not passed_over & {(known, name) for known in _ids(one)}
    ]
    sys.stdout.write("\n".join([*found, f"audit: {len(wanted)} packages, {len(found)} advisories\n"]))
    return 1 if found else 0


def _rows(wanted: Iterable[Package]) -> Iterator[list[Package]]:
    """Lists of packages with no name twice, as pip-audit takes them: the locks have some in several versions."""
    by_name = [list(versions) for _, versions in groupby(sorted(wanted), key=lambda package: package[0])]
    for row in zip_longest(*by_name):
        yield [package for package in row if package is not None]


def _ask(packages: list[Package]) -> Iterator[tuple[Package, list[dict[str, Any]]]]:
    """The advisories on each package of which anything is known. Raises UnknownError without an answer."""
    uv = Path(sys.executable).with_name("uv")
    with tempfile.TemporaryDirectory() as folder:
        listed = Path(folder) / "requirements.txt"
        listed.write_text("".join(f"{name}=={version}\n" for name, version in packages), encoding="utf-8")
        done = subprocess.run(
            [
                *(str(uv), "tool", "run", "--quiet", "pip-audit", "--progress-spinner", "off", "--format", "json"),
                *("--disable-pip", "--no-deps", "--requirement", str(listed)),
            ],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        lines = done.stderr.strip().splitlines() or ["it said nothing"]
        raise UnknownError(f"pip-audit ended with {done.returncode}: {lines[-1]}") from None
    for entry in answer["dependencies"]:
        if "vulns" in entry:
            yield (entry["name"], entry["version"]), entry["vulns"]


def _passed_over(text: str) -> set[Package]:
    """Reads the ids of advisories, each with its package."""
    rows = (line.split(maxsplit=2) for line in text.splitlines() if line and not line.startswith("#"))
    return {(advisory, package) for advisory, package, _ in rows}


def _ids(advisory: Mapping[str, Any]) -> set[str]:
    return {advisory["id"], *advisory.get("aliases", ())}


def _mends(advisory: Mapping[str, Any]) -> str:
    return " or ".join(advisory.get("fix_versions", ())) or "no version"


if __name__ == "__main__":
    sys.exit(main())
