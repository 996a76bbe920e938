"""Other libraries are used by what their documentation names: the next version may drop the rest (docs/adr/0203)."""

import ast
import sys
from collections.abc import Iterator

import pytest

from tests.support.imports import ROOT

OWN = {"menu", "player", "service", "guard", "benchmarks", "tests"}
PRODUCT = ("menu", "player", "service", "guard", "benchmarks")

DOCUMENTED = {
    "PySide6": "QtCore QtGui QtMultimedia QtQml QtQuick",
    "aiosmtplib": "",
    "alembic": "config migration script util",
    "annotated_types": "",
    "anyio": "",
    "apscheduler": "executors.asyncio schedulers.asyncio",
    "argon2": "exceptions",
    "av": "error filter logging",
    "babel": "core dates lists messages.mofile messages.pofile numbers units",
    "boto3": "",
    "botocore": "config exceptions",
    "charset_normalizer": "",
    "docx": "table",
    "cryptography": ("exceptions hazmat.primitives.ciphers.aead hazmat.primitives.hashes hazmat.primitives.kdf.hkdf"),
    "fastapi": "exceptions routing",
    "h11": "",
    "httpx": "",
    "jinja2": "runtime",
    "joserfc": "errors jwk",
    "markupsafe": "",
    "msgspec": "structs",
    "openpyxl": "",
    "playwright": "sync_api",
    "prometheus_client": "core registry",
    "psycopg": "adapt",
    "pydantic": "alias_generators json_schema",
    "pydantic_core": "",
    "pyotp": "",
    "pypdf": "",
    "segno": "",
    "sqlalchemy": "exc orm orm.attributes pool types",
    "starlette": (
        "applications background concurrency datastructures exceptions middleware middleware.gzip requests responses"
        " routing types"
    ),
    "uvicorn": "",
    "uvloop": "",
    "zeroconf": "asyncio",
}
"""The modules that the documentation of each library names, beside the library itself, as far as we use them."""

REACHING = {
    "tests/parallel.py": "workers are forked, a fifth of the processor time of pytest-xdist's own",
    "tests/soak/world.py": "the virtual clock stands while a thread works",
    "tests/support/incomplete_player.py": "no test installs a PySide6 that is too old or lacks a module",
    "tests/conftest.py": "hypothesis would try constants of the modules that happen to be loaded",
}
"""Tests that reach into other libraries, and what would be lost without. None of it is on anybody's wall."""


def trees(*rooms: str) -> Iterator[tuple[str, ast.Module]]:
    for room in rooms:
        for path in sorted((ROOT / room).rglob("*.py")):
            yield str(path.relative_to(ROOT)), ast.parse(path.read_text(encoding="utf-8"))


def imported(tree: ast.AST) -> Iterator[tuple[str, str, int]]:
    """Module, name ("" for the module itself) and line of what is imported from other libraries."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "", node.lineno) for alias in node.names if is_foreign(alias.name))
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module and is_foreign(node.module):
            yield from ((node.module, alias.name, node.lineno) for alias in node.names)


def is_foreign(module: str) -> bool:
    top = module.split(".")[0]
    return top not in OWN and top not in sys.stdlib_module_names


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def complaints(tree: ast.AST) -> Iterator[str]:
    """Private names of other libraries, and changes of what all modules of the process share."""
    foreign: set[str] = set()
    for module, name, line in imported(tree):
        if any(map(is_private, (*module.split("."), name))):
            yield f"{line}: {module} {name} is private to its library"
        foreign.add(name or module.split(".")[0])
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=targets) | ast.Delete(targets=targets):
                changed = targets
            case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
                changed = [target]
            case ast.Call(func=ast.Attribute(value=ast.Attribute() as within, attr="setdefault" | "pop" | "update")):
                changed = [within] if ast.unparse(within) == "sys.modules" else []
            case ast.Call(func=ast.Name(id="setattr"), args=[ast.Name() as owner, *_]):
                changed = [ast.Attribute(owner, "")]
            case ast.Call(func=ast.Attribute(attr="dlopen")):
                yield f"{node.lineno}: libraries are loaded by importing them"
                continue
            case _:
                continue
        for target in changed:
            text = ast.unparse(target)
            if text.startswith(("builtins.", "sys.modules")):
                yield f"{node.lineno}: {text} belongs to all modules of the process"
            if isinstance(target, ast.Attribute) and text.split(".")[0] in foreign:
                yield f"{node.lineno}: {text} is changed in another library"


def test_the_product_imports_only_modules_that_their_documentation_names() -> None:
    allowed = {top: {top, *(f"{top}.{name}" for name in names.split())} for top, names in DOCUMENTED.items()}
    for where, tree in trees(*PRODUCT):
        for module, name, line in imported(tree):
            known = allowed.get(module.split(".")[0], set())
            assert module in known or f"{module}.{name}" in known, (
                f"{where}:{line}: does the documentation of {module.split('.')[0]} name {module}? Then say so in"
                " tests/test_libraries.py; else do it by what it names."
            )


def test_nothing_reaches_into_another_library() -> None:
    found = {where: list(complaints(tree)) for where, tree in trees(*PRODUCT, "tests")}
    assert {where: said for where, said in found.items() if said and where not in REACHING} == {}
    assert {where for where in REACHING if not found[where]} == set(), "these reach into no library any more"


@pytest.mark.parametrize(
    "reaching",
    [
        "from uvicorn.protocols._impl import H11Protocol",
        "from psycopg.types.string import _StrDumper",
        "import pydantic._internal",
        "import builtins\nbuiltins.compile = print",
        "import sys\nsys.modules['rich'] = None",
        "import sys\nsys.modules.setdefault('rich', None)",
        "import sys\ndel sys.modules['rich']",
        "import httpx\nhttpx.Client.send = print",
        "from fastapi.routing import APIRoute\nAPIRoute.matches = print",
        "from fastapi.routing import APIRoute\nsetattr(APIRoute, 'matches', print)",
        "from ctypes import CDLL\nCDLL(None).dlopen('libQt6Core.so')",
    ],
)
def test_the_rule_sees(reaching: str) -> None:
    assert list(complaints(ast.parse(reaching))) != []


def test_the_rule_leaves_plain_code_alone() -> None:
    plain = (
        "import sys\nfrom httpx import Client\nhere = sys.modules.get('rich')\nclient = Client()\nclient.timeout = 1"
    )
    assert list(complaints(ast.parse(plain))) == []
