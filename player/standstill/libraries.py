"""Checks that PySide6 is there, new enough and whole, and returns one sentence on what to install."""

from __future__ import annotations

import re
import sys
from importlib.util import find_spec

LEAST_PYSIDE = "6.8.2"
"""The floor of pyproject.toml."""
FILMS = "PySide6.QtMultimedia"
"""Loaded for the first film: a board without films does without."""

_NO_FILE = re.compile(r"(\S+): cannot open shared object file")


class LibraryError(ImportError):
    """An unusable library; the text is one sentence with the command that repairs it."""


def check_pyside() -> None:
    """Raises ImportError if PySide6 or a module of it is missing or too old. Loads only QtCore."""
    import PySide6
    from PySide6.QtCore import qVersion

    for name, version in (("PySide6", PySide6.__version__), ("Qt", qVersion())):
        if _numbers(version) < _numbers(LEAST_PYSIDE):
            what = f"{name} {version} is too old, {LEAST_PYSIDE} is the oldest that works"
            raise LibraryError(f"{what}: {installing('PySide6')}", name="PySide6")
    for name in ("PySide6.QtGui", "PySide6.QtQml", "PySide6.QtQuick", FILMS):
        if find_spec(name) is None:
            whose = ", which plays films," if name == FILMS else ""
            raise LibraryError(f"{name}{whose} is not installed: {installing(name)}", name=name)


def sentence_of(error: ImportError) -> str:
    """Returns the fault and the command that repairs it."""
    name = error.name or "a part of the program"
    if isinstance(error, LibraryError):
        return str(error)
    if isinstance(error, ModuleNotFoundError):
        return f"{name} is not installed: {installing(name)}"
    if file := _NO_FILE.search(str(error)):
        return f"{name} cannot be loaded: install the package of this system that has {file[1]}"
    return f"{name} cannot be loaded ({' '.join(str(error).split())}): {installing(name)}"


def installing(module: str) -> str:
    """Returns the command that installs a module: by pip in a virtual environment, or else by apt."""
    if sys.prefix == sys.base_prefix:
        return f"sudo apt install {debian_package(module)}"
    top = module.partition(".")[0]
    known = {"player": "menu-player", "PySide6": f"'pyside6>={LEAST_PYSIDE}'"}
    return f"pip install --upgrade {known.get(top, top)}"


def debian_package(module: str) -> str:
    top, _, part = module.partition(".")
    if top == "PySide6":
        return f"python3-pyside6.{part.partition('.')[0].lower() or 'qtquick'}"
    return "menu-player-core" if top in ("player", "") else f"python3-{top.lower()}"


def _numbers(version: str) -> tuple[int, ...]:
    """Returns the first three numbers of a version."""
    return tuple(int(number) for number in re.findall(r"\d+", version)[:3])
