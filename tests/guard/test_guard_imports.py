"""The guard needs nothing but Python's standard library: it works where everything else is broken."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.support.imports import ROOT, imports, modules


@pytest.mark.parametrize(("module", "path"), [*modules("guard")], ids=lambda value: str(value))
def test_it_imports_the_standard_library_and_itself(module: str, path: Path) -> None:
    for name, line in imports(path):
        top = name.partition(".")[0]
        assert top == "guard" or top in sys.stdlib_module_names, f"{path.relative_to(ROOT)}:{line}: imports {name}"
