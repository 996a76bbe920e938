"""Loads the Qt binding without what no board uses of it, and undoes its hook into Python's import (docs/adr/0080)."""

from __future__ import annotations

import builtins
import os
import sys
from contextlib import suppress
from ctypes import CDLL
from importlib.machinery import PathFinder
from threading import Thread
from types import CodeType, ModuleType
from typing import Any

UNUSED = ("PySide6.QtOpenGL", "PySide6.QtNetwork")
"""PySide6.QtQuick and PySide6.QtQml import them for the names of a few types: 3 MiB."""

RARE = {
    f"shibokensupport/signature/{name}.py"
    for name in ("errorhandler", "layout", "mapping", "parser", "lib/enum_sig", "lib/pyi_generator", "lib/tool")
}
"""Modules of the binding that word its errors and signatures; it compiles them from source at every start, 16 ms."""

FEATURE = "shibokensupport/feature.py"
"""Looks in the sources of modules for users of `__feature__`, with `inspect`; without it, it takes it that there are
none."""

LIBRARIES = ("QtCore", "QtGui", "QtQml", "QtQuick")
"""The modules of the binding that every view needs; each loads libraries of Qt."""

ON_FIRST_USE = """
def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    del globals()["__getattr__"]
    exec(compile({source!r}, {file!r}, "exec"), globals())
    return globals()[name]
def update_mapping():  # the binding's C++ takes it from the module's names, and keeps it
    return globals().get("__getattr__", globals().get)("update_mapping")()
"""


def preload() -> None:
    """Start a thread that has the linker load Qt's libraries, and fontconfig its list of fonts: 20 ms. It leaves the
    interpreter to other imports; an import of Qt would hold it."""
    package = PathFinder.find_spec("PySide6")
    within = package.submodule_search_locations if package else None
    found = [PathFinder.find_spec(f"PySide6.{name}", within) for name in LIBRARIES if within]
    Thread(target=_preload, args=[spec.origin for spec in found if spec and spec.origin], name="preload").start()


def _preload(*files: str) -> None:
    # CDLL(file) would hold it, too.
    load = CDLL(None).dlopen
    for file in files:
        load(os.fsencode(file), os.RTLD_NOW)
    with suppress(OSError):
        CDLL("libfontconfig.so.1").FcInit()


def load_binding() -> None:
    """Load PySide6, leave Python's own `__import__` in place, and keep UNUSED from being loaded, and RARE until used.

    Once imported, the binding reads the whole source of every further module and keeps the lines (`linecache`), to find
    `from __feature__ import`, which is not used here. In a player these are 400 modules and 15 MB. Has no effect when
    the binding is loaded already.
    """
    own_import, own_compile = builtins.__import__, builtins.compile
    put_off = set(RARE)

    def compile_on_first_use(source: bytes, file: str, mode: str, **options: Any) -> CodeType:
        if file == FEATURE:
            source = source.replace(b"import inspect\n", b"")
        elif file in put_off:
            put_off.remove(file)
            source = ON_FIRST_USE.format(source=source, file=file).encode()
        compiled: CodeType = own_compile(source, file, mode, **options)
        return compiled

    builtins.compile = compile_on_first_use  # type: ignore[assignment]
    try:
        import PySide6.QtCore  # noqa: F401 -- imported for its effect
    finally:
        builtins.compile = own_compile
        builtins.__import__ = own_import
    for name in UNUSED:
        sys.modules.setdefault(name, ModuleType(name))
