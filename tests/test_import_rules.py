"""The walls of docs/architecture.md: a failure names the rule that an import breaks, and how to mend it."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
STDLIB = sys.stdlib_module_names

ROOMS = {
    # room: (top-level packages besides the standard library, rooms of the player that it may import)
    "player.domain": ({"msgspec"}, {"player.domain"}),
    "player.domain.price": ({"babel", "msgspec"}, {"player.domain"}),
    "player.domain.wording": ({"babel", "msgspec"}, {"player.domain"}),
    "player.link": ({"httpx", "msgspec", "zeroconf"}, {"player.domain", "player.link"}),
    "player.link.api": ({"httpx", "msgspec"}, {"player.domain", "player.link"}),
    "player.storage": ({"msgspec"}, {"player.domain", "player.storage"}),
    "player.device": ({"msgspec"}, {"player.domain", "player.device"}),
    "player.display": ({"PySide6", "msgspec", "segno"}, {"player.domain", "player.display"}),
    "player.diagnostics": ({"starlette", "uvicorn"}, {"player.domain", "player.diagnostics"}),
    "player.conductor": ({"msgspec"}, {"player.domain"}),
    "player.agenda": ({"apscheduler", "msgspec"}, {"player.domain"}),
    "player.settings": ({"msgspec"}, {"player.domain"}),
    "player.demo": ({"msgspec"}, set()),
    "player.preview": ({"PySide6", "msgspec"}, {"player.domain", "player.display", "player.preview"}),
    "player.preview.folder": ({"msgspec"}, {"player.domain"}),
}

ONE_PLACE = {
    # framework: the only modules that may import it
    "httpx": {"player.link.api"},
    "zeroconf": {"player.link.discovery"},
    "apscheduler": {"player.agenda"},
    "babel": {"player.domain.price", "player.domain.wording"},
}


def modules(package: str) -> Iterator[tuple[str, Path]]:
    for path in sorted((ROOT / package).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def imports(path: Path) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative import; name the room in full"
            assert node.module is not None
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                is_module = (ROOT / Path(*full.split("."))).with_suffix(".py").exists() or (
                    ROOT / Path(*full.split("."))
                ).is_dir()
                yield (full if is_module else node.module), node.lineno


def room_of(module: str) -> str | None:
    fitting = [room for room in ROOMS if module == room or module.startswith(room + ".")]
    return max(fitting, key=len, default=None)


def within(name: str, packages: set[str]) -> bool:
    return any(name == package or name.startswith(package + ".") for package in packages)


@pytest.mark.parametrize(("module", "path"), list(modules("player")), ids=lambda value: str(value))
def test_each_room_of_the_player_imports_only_what_it_may(module: str, path: Path) -> None:
    room = room_of(module)
    for name, line in imports(path):
        where = f"{path.relative_to(ROOT)}:{line}: imports {name}."
        top = name.split(".")[0]
        assert top != "service", f"{where} The player never imports the service: their contract is docs/protocol.md."
        if top in ONE_PLACE:
            assert module in ONE_PLACE[top], (
                f"{where} Only {', '.join(sorted(ONE_PLACE[top]))} may use {top}: call that."
            )
        if room is None or top in STDLIB:
            continue
        packages, rooms = ROOMS[room]
        if top == "player":
            assert within(name, rooms), (
                f"{where} {room} may know {', '.join(sorted(rooms)) or 'no other room'} only: say it as an event or an"
                " action, or take it as an argument and let compose.py wire it."
            )
        else:
            assert top in packages, (
                f"{where} {room} may use {', '.join(sorted(packages)) or 'the standard library'} only: move the code to"
                " the room that owns that framework."
            )


@pytest.mark.parametrize(("module", "path"), list(modules("service")), ids=lambda value: str(value))
def test_the_service_does_not_import_the_player(module: str, path: Path) -> None:
    for name, line in imports(path):
        assert name.split(".")[0] != "player", (
            f"{path.relative_to(ROOT)}:{line}: {module} imports {name}. The service never imports the player: their"
            " contract is docs/protocol.md and the golden documents in tests/data/."
        )


def test_the_domain_reads_no_clock_and_no_file() -> None:
    """A pure room takes time and bytes as arguments; these names would let it cheat."""
    forbidden = {"time", "os", "pathlib", "socket", "asyncio", "threading", "subprocess", "random"}
    for module, path in modules("player/domain"):
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


def test_the_rules_see_a_wrong_import(tmp_path: Path) -> None:
    """The reader of imports itself is right about the forms an import can take."""
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import httpx\nfrom player import conductor\nfrom player.domain.state import Kind\n")
    assert [name for name, _ in imports(wrong)] == ["httpx", "player.conductor", "player.domain.state"]
