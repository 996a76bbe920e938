"""Programs that make clients of the API document take it whole: nothing is left out, and all is typed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from service.cli.api_document import OPENAPI_FILE

ROOT = Path(__file__).parents[3]
CONFIG = ROOT / "packaging" / "client" / "config.yml"
NODE_TOOLS = "@redocly/cli@2.77.0", "@stoplight/spectral-cli@6.16.3", "openapi-typescript@7.13.0", "typescript@5.9.3"


def run(*command: str, folder: Path) -> str:
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-4000:]
    return done.stdout


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a generated client."""
    pytest.importorskip("openapi_python_client")
    folder = tmp_path_factory.mktemp("client")
    command = ["openapi-python-client", "generate", "--fail-on-warning", "--overwrite"]
    command += ["--path", str(OPENAPI_FILE), "--config", str(CONFIG), "--output-path", str(folder)]
    said = run(*command, folder=folder)
    assert "WARNING" not in said
    return folder / "menu_display_client"


def test_the_python_client_has_every_call(client: Path) -> None:
    calls = sum(len(methods) for methods in json.loads(OPENAPI_FILE.read_bytes())["paths"].values())
    made = [one for one in (client / "api").rglob("*.py") if one.name != "__init__.py"]
    assert len(made) == calls


def test_lists_of_the_python_client_are_typed(client: Path) -> None:
    listings = sorted((client / "models").glob("listing_*.py"))
    assert len(listings) > 10
    for listing in listings:
        assert "data: list[Any]" not in listing.read_text(), listing.name


@pytest.mark.long
def test_the_python_client_passes_mypy(client: Path) -> None:
    run(sys.executable, "-m", "mypy", "--config-file", "", "--strict", "menu_display_client", folder=client.parent)


@pytest.mark.long
@pytest.mark.skipif(shutil.which("npm") is None, reason="needs npm")
def test_linters_and_the_types_of_typescript_take_the_document(tmp_path: Path) -> None:
    shutil.copy(OPENAPI_FILE, tmp_path / "api.json")
    (tmp_path / "package.json").write_text("{}")
    (tmp_path / ".spectral.yaml").write_text('extends: ["spectral:oas"]')
    settings = {"strict": True, "noEmit": True, "target": "es2022", "module": "esnext", "moduleResolution": "bundler"}
    (tmp_path / "tsconfig.json").write_text(json.dumps({"compilerOptions": settings, "files": ["api.ts"]}))
    run("npm", "install", "--no-audit", "--no-fund", *NODE_TOOLS, folder=tmp_path)
    run("npx", "redocly", "lint", "api.json", folder=tmp_path)
    run("npx", "spectral", "lint", "api.json", "--fail-severity", "error", folder=tmp_path)
    run("npx", "openapi-typescript", "api.json", "--output", "api.ts", folder=tmp_path)
    run("npx", "tsc", "--project", ".", folder=tmp_path)
