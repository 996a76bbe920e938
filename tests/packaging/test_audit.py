"""`make audit` tells the packages with advisories, and that it knows nothing where it cannot look them up."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "packaging/audit.py"
LOCKS = {
    "requirements.lock": "whole==2.0 \\\n    --hash=sha256:00\nforked==1.0 ; python_version < '3.12'\nforked==2.0 \\\n",
    "requirements-lowest.lock": "whole==1.0 \\\n    --hash=sha256:00\n",
}
PASSED_OVER = "# A comment\nCVE-2026-1  whole  1.0-1+deb13u1\n"
MENDED = {"id": "GHSA-1", "aliases": ["CVE-2026-1"], "fix_versions": ["2.0"]}
OTHER = {"id": "GHSA-2", "aliases": ["CVE-2026-2"], "fix_versions": ["2.1", "3.0"]}

Answers = Mapping[tuple[str, str], list[object]]
CLEAN: Answers = {("whole", "1.0"): [], ("whole", "2.0"): [], ("forked", "1.0"): [], ("forked", "2.0"): []}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with these locks, and an environment whose uv is to be written."""
    (tmp_path / "packaging/lock").mkdir(parents=True)
    shutil.copy(SCRIPT, tmp_path / "packaging")
    (tmp_path / "packaging/lock/debian13-advisories.txt").write_text(PASSED_OVER)
    for name, text in LOCKS.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python").symlink_to(sys.executable)
    return tmp_path


def audited(checkout: Path, tool: str) -> subprocess.CompletedProcess[str]:
    uv = checkout / "bin/uv"
    uv.write_text(f"#!{sys.executable}\n{tool}")
    uv.chmod(0o755)
    return subprocess.run(
        [checkout / "bin/python", checkout / "packaging/audit.py"], capture_output=True, text=True, check=False
    )


def answering(answers: Answers) -> str:
    """A pip-audit that knows these advisories, of the packages in its list, and no other package."""
    known = [{"name": name, "version": version, "vulns": advisories} for (name, version), advisories in answers.items()]
    return f"""
import json, sys
listed = open(sys.argv[-1]).read().split()
assert len({{line.split("==")[0] for line in listed}}) == len(listed), "pip-audit takes a name once"
known = {{entry["name"] + "==" + entry["version"]: entry for entry in json.loads({json.dumps(json.dumps(known))})}}
rows = [known.get(line) or {{"name": line.split("==")[0], "skip_reason": "not found on PyPI"}} for line in listed]
print(json.dumps({{"dependencies": rows, "fixes": []}}))
"""


def test_a_package_with_an_advisory_is_named_with_its_mend(checkout: Path) -> None:
    done = audited(checkout, answering({**CLEAN, ("whole", "2.0"): [OTHER]}))
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.splitlines() == [
        "whole 2.0 (requirements.lock): GHSA-2, mended in 2.1 or 3.0",
        "audit: 4 packages, 1 advisories",
    ]


def test_what_debian_mends_is_passed_over_in_the_lowest_set_alone(checkout: Path) -> None:
    lowest = audited(checkout, answering({**CLEAN, ("whole", "1.0"): [MENDED]}))
    assert (lowest.returncode, lowest.stdout) == (0, "audit: 4 packages, 0 advisories\n")
    assert audited(checkout, answering({**CLEAN, ("whole", "2.0"): [MENDED]})).returncode == 1
    assert audited(checkout, answering({**CLEAN, ("whole", "1.0"): [MENDED, OTHER]})).returncode == 1


@pytest.mark.parametrize(
    "tool",
    [
        # pip-audit itself calls this "no known vulnerabilities", with exit code 0.
        answering({key: found for key, found in CLEAN.items() if key != ("forked", "2.0")}),
        "raise ConnectionError('no route to host')",
        "",
    ],
    ids=["a package is not found", "no network", "silence"],
)
def test_who_cannot_look_it_up_says_so(checkout: Path, tool: str) -> None:
    done = audited(checkout, tool)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("audit: the advisories cannot be looked up from here, so nothing is known of them: ")
    assert len(done.stderr.splitlines()) == 1
