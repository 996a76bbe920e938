"""The Debian packages depend on what the programs import, in the versions that pyproject.toml asks for, or in those of
Debian 13 where these are older; and the lowest set of libraries is of these versions."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
PROGRAMS = {"menu-player-core": "player", "menu-service": "service"}
FASTER = {"python3-httptools", "python3-uvloop"}
"""The service is faster with them, and runs without."""
DOCUMENTS = {"python3-docx", "python3-pypdf"}
"""Without them menus in Word files and PDFs are refused with a sentence."""
OPTIONAL = {"menu-service": {"python3-boto3", "python3-botocore", *FASTER, *DOCUMENTS}}
"""What a program imports only where a setting needs it; the first depends on the second."""


def depends(package: str, field: str = "Depends") -> dict[str, str]:
    """Name and lowest version of each package that it depends on."""
    control = (CHECKOUT / "packaging/debian/control").read_text()
    (paragraph,) = re.findall(rf"^Package: {package}\n(?:.+\n?)+", control, re.MULTILINE)
    listed = re.search(rf"^{field}:\n((?: .+\n)+)", paragraph, re.MULTILINE)
    assert listed is not None
    return dict(re.findall(r"^ ([a-z0-9.+-]+)(?: \(>= ([^)]+)\))?,$", listed[1], re.MULTILINE))


def imported(program: str) -> Iterator[str]:
    """Debian's names of the third-party modules that a program imports, with what both share."""
    for path in (file for folder in (program, "menu") for file in (CHECKOUT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.Import():
                    names = [alias.name for alias in node.names]
                case ast.ImportFrom(module=str(module), level=0):
                    names = [module]
                case _:
                    continue
            for name in names:
                top = name.partition(".")[0]
                if name == "PySide6":
                    continue  # Each of its modules brings it.
                if top == "PySide6":
                    yield f"python3-pyside6.{name.split('.')[1].lower()}"
                elif top not in {*sys.stdlib_module_names, "menu", *PROGRAMS.values()}:
                    yield f"python3-{top.replace('_', '-')}"


@pytest.mark.first_case
@pytest.mark.parametrize("package", PROGRAMS)
def test_a_package_depends_on_what_its_program_imports(package: str) -> None:
    named = {name for name in depends(package) if name.startswith("python3-")}
    assert named == set(imported(PROGRAMS[package])) - OPTIONAL.get(package, set())


def test_the_service_recommends_what_it_also_runs_without() -> None:
    assert depends("menu-service", "Recommends").keys() >= FASTER | DOCUMENTS


def test_the_player_depends_on_the_qml_modules_that_its_files_import() -> None:
    files = (CHECKOUT / "player").rglob("*.qml")
    modules = {name for file in files for name in re.findall(r"^import (Q\S+)", file.read_text(), re.MULTILINE)}
    assert modules
    assert {f"qml6-module-{name.lower().replace('.', '-')}" for name in modules} <= depends("menu-player-core").keys()


def floors() -> dict[str, str]:
    """Lowest version of each library of the programs, by its name on PyPI."""
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    written = [*project["dependencies"], *extras["service"], *extras["s3"], *extras["documents"], *extras["fast"]]
    return dict(match.groups() for line in written if (match := re.match(r"([a-z0-9-]+)(?:\[\w+\])?>=([\d.]+)", line)))


def of_debian_13() -> dict[str, str]:
    """Versions of Debian 13 below the floors."""
    listed = (CHECKOUT / "packaging/lock/debian13.txt").read_text()
    return dict(re.findall(r"^([a-z0-9-]+)==(\S+)$", listed, re.MULTILINE))


def numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def test_the_lowest_set_has_the_floors_and_debian_13_s_versions_below_them() -> None:
    lock = (CHECKOUT / "requirements-lowest.lock").read_text()
    locked = dict(re.findall(r"^([a-z0-9-]+)==([^ ;\\]+)", lock, re.MULTILINE))
    below = of_debian_13()
    for name, floor in floors().items():
        wanted = below.get(name, floor)
        # 3.11 is 3.11.0.
        assert numbers(locked[name])[: len(numbers(wanted))] == numbers(wanted), name
    assert below
    assert all(numbers(version) < numbers(floors()[name]) for name, version in below.items()), (
        "no longer below the floor"
    )


def test_the_packages_ask_for_the_versions_of_pyproject() -> None:
    lowest = {**floors(), **of_debian_13()}
    for package in PROGRAMS:
        asked = depends(package) | (depends(package, "Recommends") if package == "menu-service" else {})
        for name, version in asked.items():
            project_name = "pyside6-essentials" if name.startswith("python3-pyside6") else name.removeprefix("python3-")
            project_name = {"argon2": "argon2-cffi", "docx": "python-docx"}.get(project_name, project_name)
            if version:
                assert version == lowest[project_name], name
            elif name.startswith("python3-") and "pyside6" not in name:
                assert project_name not in lowest, name
