"""A library that is not installed: one sentence says what to install, and the exit status is 2."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from service.cli.main import EXIT_USAGE
from tests.support.patience import PATIENCE_SECONDS


@pytest.fixture
def run_without(tmp_path: Path) -> "RunWithout":
    return RunWithout(tmp_path)


class RunWithout:
    """Runs `menu-service` where some libraries cannot be imported: a module that says so stands before each."""

    def __init__(self, folder: Path) -> None:
        self._hidden, self._data = folder / "hidden", folder / "data"
        self._hidden.mkdir()

    def __call__(
        self, libraries: tuple[str, ...], command: tuple[str, ...], **environment: str
    ) -> subprocess.CompletedProcess[str]:
        for library in libraries:
            raised = f"raise ModuleNotFoundError('No module named {library}', name='{library}')\n"
            (self._hidden / f"{library}.py").write_text(raised)
        return subprocess.run(
            (sys.executable, "-m", "service", *command, "--data", str(self._data)),
            env={**os.environ, "PYTHONPATH": str(self._hidden), **environment},
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=False,
        )


def test_the_service_without_its_own_libraries(run_without: RunWithout) -> None:
    refused = run_without(("sqlalchemy", "fastapi", "pydantic"), ("serve",))
    assert refused.returncode == EXIT_USAGE
    assert refused.stderr.splitlines() == [
        "menu-service: sqlalchemy is not installed: apt-get install menu-service, or pip install 'menu-player[service]'"
    ]


def test_one_of_them_that_only_a_server_needs(run_without: RunWithout) -> None:
    refused = run_without(("fastapi",), ("serve", "--port", "0"))
    [sentence] = refused.stderr.splitlines()
    assert (refused.returncode, sentence.partition(":")[0]) == (EXIT_USAGE, "menu-service")
    assert "fastapi is not installed" in sentence


def test_postgresql_needs_psycopg_and_a_file_does_not(run_without: RunWithout) -> None:
    url = "postgresql+psycopg://boards@localhost/boards"
    refused = run_without(("psycopg",), ("serve", "--port", "0"), MENU_SERVICE_DATABASE=url)
    assert refused.returncode == EXIT_USAGE
    [sentence] = refused.stderr.splitlines()
    assert sentence.startswith("menu-service: a database of PostgreSQL needs psycopg: apt-get install python3-psycopg")
    made = run_without(("psycopg",), ("keys", "create", "--role", "Owner"))
    assert (made.returncode, made.stderr) == (0, "")


def test_a_bucket_needs_boto3(run_without: RunWithout) -> None:
    refused = run_without(("boto3",), ("serve", "--port", "0"), MENU_SERVICE_ASSETS="s3://shop/menu")
    assert refused.returncode == EXIT_USAGE
    assert refused.stderr.splitlines() == [
        "menu-service: a bucket of assets needs boto3: apt-get install python3-boto3, or pip install 'menu-player[s3]'"
    ]


def test_the_application_starts_without_the_libraries_that_make_it_faster(run_without: RunWithout) -> None:
    # A wrong address ends it, once it has chosen its event loop and its connections.
    ended = run_without(("uvloop", "httptools"), ("serve", "--host", "192.0.2.1", "--port", "80"))
    assert "uvloop" not in ended.stderr
    assert "Traceback" not in ended.stderr
