"""Loads the Qt binding without what no board uses of it, and undoes its hook into Python's import (docs/adr/0080)."""

from __future__ import annotations

import builtins
import linecache
import sys
from types import CodeType, ModuleType

UNUSED = ("PySide6.QtOpenGL", "PySide6.QtNetwork")
"""PySide6.QtQuick and PySide6.QtQml import them for the names of a few types: 3 MiB."""

RARE = {
    f"shibokensupport/signature/{name}.py"
    for name in ("errorhandler", "layout", "parser", "lib/enum_sig", "lib/pyi_generator", "lib/tool")
}
"""Modules of the binding that word its errors and signatures; it compiles them from source at every start, 16 ms."""

ON_FIRST_USE = """
def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    del globals()["__getattr__"]
    exec(compile({source!r}, {file!r}, "exec"), globals())
    return globals()[name]
"""


def load_binding() -> None:
    """Load PySide6, leave Python's own `__import__` in place, and keep UNUSED from being loaded, and RARE until used.

    Once imported, the binding reads the whole source of every further module and keeps the lines (`linecache`), to find
    `from __feature__ import`, which is not used here. In a player these are 400 modules and 15 MB. Has no effect when
    the binding is loaded already.
    """
    own_import, own_compile = builtins.__import__, builtins.compile
    put_off = set(RARE)

    def compile_on_first_use(source: bytes, file: str, mode: str) -> CodeType:
        if file in put_off:
            put_off.remove(file)
            source = ON_FIRST_USE.format(source=source, file=file).encode()
        return own_compile(source, file, mode)

    builtins.compile = compile_on_first_use  # type: ignore[assignment]
    try:
        import PySide6.QtCore  # noqa: F401 -- imported for its effect
    finally:
        builtins.compile = own_compile
        builtins.__import__ = own_import
    linecache.clearcache()
    for name in UNUSED:
        sys.modules.setdefault(name, ModuleType(name))
