"""Reads the imports of this repository's modules from their source."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def modules(package: str) -> Iterator[tuple[str, Path]]:
    """Name and file of every module of a package, in order."""
    for path in sorted((ROOT / package).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def imports(path: Path) -> Iterator[tuple[str, int]]:
    """Module and line of every import; of `from package import name`, the name too where that is a module."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative import; name the module in full"
            assert node.module is not None
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                is_module = (ROOT / Path(*full.split("."))).with_suffix(".py").exists() or (
                    ROOT / Path(*full.split("."))
                ).is_dir()
                yield (full if is_module else node.module), node.lineno
