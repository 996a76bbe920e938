"""The Debian packages depend on what the programs import, in the versions that pyproject.toml asks for."""

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
OPTIONAL = {"menu-service": {"python3-boto3", "python3-botocore", *FASTER}}
"""What a program imports only where a setting needs it; the first depends on the second."""


def depends(package: str, field: str = "Depends") -> dict[str, str]:
    """Name and lowest version of each package that it depends on."""
    control = (CHECKOUT / "packaging/debian/control").read_text()
    (paragraph,) = re.findall(rf"^Package: {package}\n(?:.+\n?)+", control, re.MULTILINE)
    listed = re.search(rf"^{field}:\n((?: .+\n)+)", paragraph, re.MULTILINE)
    assert listed is not None
    return dict(re.findall(r"^ ([a-z0-9.+-]+)(?: \(>= ([^)]+)\))?,$", listed[1], re.MULTILINE))


def imported(folder: str) -> Iterator[str]:
    """Debian's names of the third-party modules that the Python files of this folder import."""
    for path in (CHECKOUT / folder).rglob("*.py"):
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
                if top == "PySide6":
                    yield f"python3-pyside6.{name.split('.')[1].lower()}"
                elif top not in {*sys.stdlib_module_names, *PROGRAMS.values()}:
                    yield f"python3-{top.replace('_', '-')}"


@pytest.mark.first_case
@pytest.mark.parametrize("package", PROGRAMS)
def test_a_package_depends_on_what_its_program_imports(package: str) -> None:
    named = {name for name in depends(package) if name.startswith("python3-")}
    assert named == set(imported(PROGRAMS[package])) - OPTIONAL.get(package, set())


def test_the_service_recommends_what_makes_it_faster() -> None:
    assert depends("menu-service", "Recommends").keys() >= FASTER


def test_the_player_depends_on_the_qml_modules_that_its_files_import() -> None:
    files = (CHECKOUT / "player").rglob("*.qml")
    modules = {name for file in files for name in re.findall(r"^import (Q\S+)", file.read_text(), re.MULTILINE)}
    assert modules
    assert {f"qml6-module-{name.lower().replace('.', '-')}" for name in modules} <= depends("menu-player-core").keys()


def test_the_packages_ask_for_the_versions_of_pyproject() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    written = [*project["dependencies"], *extras["service"], *extras["fast"]]
    floors = dict(
        match.groups() for line in written if (match := re.match(r"([a-z0-9-]+)(?:\[\w+\])?>=([\d.]+)", line))
    )
    for package in PROGRAMS:
        asked = depends(package) | (depends(package, "Recommends") if package == "menu-service" else {})
        for name, version in asked.items():
            project_name = "pyside6" if name.startswith("python3-pyside6") else name.removeprefix("python3-")
            project_name = {"argon2": "argon2-cffi"}.get(project_name, project_name)
            if version:
                assert version == floors[project_name], name
            elif name.startswith("python3-") and "pyside6" not in name:
                assert project_name not in floors, name
