"""The layers of docs/architecture.md: a failure names the rule that an import breaks, and how to mend it."""

import ast
import re
import sys
from pathlib import Path

from tests.layers import BEGIN, END, MENU, ONLY_IN, PAGE, PLAYER, SERVICE, Layer, tables
from tests.support.imports import ROOT, imports, modules

STDLIB = sys.stdlib_module_names
WITHOUT_LAYER = {
    # Packages that hold nothing but layers, and what both programs' layers may read.
    *("player", "player.__main__", "player.version", "player.display", "player.runtime"),
    "menu",
    *("service", "service.__main__", "service.version", "service.services", "service.pages"),
}


def within(name: str, packages: tuple[str, ...]) -> bool:
    return any(name == package or name.startswith(package + ".") for package in packages)


def layer_of(module: str) -> Layer | None:
    fitting = [layer for layer in (*MENU, *PLAYER, *SERVICE) if within(module, (layer.name,))]
    return max(fitting, key=lambda layer: len(layer.name), default=None)


def test_each_module_imports_only_what_its_layer_may() -> None:
    for module, path in (*modules("menu"), *modules("player"), *modules("service")):
        check_imports(module, path)


def check_imports(module: str, path: Path) -> None:
    layer = layer_of(module)
    if layer is None:
        assert module in WITHOUT_LAYER, f"{module} belongs to no layer: put it into one, or add one to tests/layers.py."
    program = module.split(".")[0]
    for name, line in imports(path):
        where = f"{path.relative_to(ROOT)}:{line}: imports {name}."
        top = name.split(".")[0]
        if top in ("menu", "player", "service"):
            assert top in ("menu", program), (
                f"{where} Player and service never import each other: see docs/protocol.md."
            )
            if layer is not None and name not in WITHOUT_LAYER and (top == program):
                assert within(name, (layer.name, *layer.imports)), (
                    f"{where} {layer.name} may use {', '.join(layer.imports) or 'no other layer'} only: take it as an"
                    " argument, say it as an event or an action, or move the code to the layer that it belongs to."
                )
        elif top not in STDLIB:
            assert layer is not None
            assert top in layer.packages, (
                f"{where} {layer.name} may use {', '.join(layer.packages) or 'the standard library'} only: move the"
                " code to the layer that owns that package."
            )
            assert module in ONLY_IN.get(top, (module,)), f"{where} Only {', '.join(ONLY_IN[top])} may use {top}."


def test_layers_stand_on_those_before_them() -> None:
    for layers in (MENU, PLAYER, SERVICE):
        known: set[str] = {layers[0].name.split(".")[0]}
        for layer in layers:
            known.add(layer.name)
            known.add(layer.name.rpartition(".")[0])
            missing = set(layer.imports) - known
            assert not missing, f"{layer.name} stands above {missing}: order them, lowest first."


def test_the_page_shows_the_layers() -> None:
    shown = PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
    assert shown == tables(), "docs/architecture.md is out of date: run python -m tests.layers"


PURE = tuple(one for one in modules("menu") if one[0] != "menu.log_limit")


def test_the_domain_reads_no_clock_and_no_file() -> None:
    """A pure package takes time and bytes as arguments; these names would let it cheat."""
    forbidden = {"time", "os", "pathlib", "socket", "asyncio", "threading", "subprocess", "random"}
    for module, path in (*PURE, *modules("player/domain")):
        for name, line in imports(path):
            assert name.split(".")[0] not in forbidden, (
                f"{path.relative_to(ROOT)}:{line}: {module} imports {name}. The domain is pure: take it as an argument."
            )
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr in {"now", "utcnow", "today"}:
                owner = ast.unparse(node.value)
                assert owner not in {"datetime", "date", "datetime.datetime"}, (
                    f"{path.relative_to(ROOT)}:{node.lineno}: {module} reads the clock. Take the time as an argument."
                )


ROOMS = ("time", "link", "pairing", "panel", "recovery", "playing", "findings")
"""The rooms of the domain, lowest first: each may use those before it. Its loose modules, the words that all speak
(events, actions, state, view), may name what any room defines."""


def test_a_room_of_the_domain_uses_only_those_below_it() -> None:
    domain = ROOT / "player/domain"
    assert {path.name for path in domain.iterdir() if (path / "__init__.py").exists()} == set(ROOMS)
    for module, path in modules("player/domain"):
        parts = module.split(".")
        if len(parts) < 4:
            continue
        for name, line in imports(path):
            used = name.split(".")[2] if name.startswith("player.domain.") else ""
            assert used not in ROOMS[ROOMS.index(parts[2]) + 1 :], (
                f"{path.relative_to(ROOT)}:{line}: {module} imports {name}, from a room above its own: move what both"
                " need to the lower room."
            )


KEEPS_MEMORY = {"qmlRegisterType", "QmlElement", "QRunnable", "QThreadPool"}
"""Parts of the binding that never free what they refer to."""


def test_the_player_imports_nothing_of_the_binding_that_keeps_memory() -> None:
    for _, path in modules("player"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                found = KEEPS_MEMORY & {alias.name for alias in node.names}
                assert not found, (
                    f"{path.relative_to(ROOT)}:{node.lineno}: imports {', '.join(found)}, which never frees what it"
                    " refers to: see docs/adr/0084-no-qml-items-from-python-classes.md."
                )


def test_no_qml_file_takes_an_inline_component_of_another() -> None:
    """Where two engines of one process load at once, Qt 6.8 now and then denies that there is one."""
    files = list((ROOT / "player").rglob("*.qml"))
    types = "|".join(file.stem for file in files)
    for file in files:
        found = re.search(rf"\b({types})\.[A-Z]\w*\s*\{{", file.read_text(encoding="utf-8"))
        assert not found, f"{file.relative_to(ROOT)}: {found[0]} is an inline component: give it a file of its own"


def test_the_rules_see_a_wrong_import(tmp_path: Path) -> None:
    """The reader of imports itself is right about the forms an import can take."""
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import httpx\nfrom player.runtime import conductor\nfrom player.domain.state import Kind\n")
    assert [name for name, _ in imports(wrong)] == ["httpx", "player.runtime.conductor", "player.domain.state"]
