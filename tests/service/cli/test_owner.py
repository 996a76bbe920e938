"""Commands that an operator runs as root leave nothing that the service cannot read."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.loaded import LoadedProcess
from tests.support.patience import PATIENCE_SECONDS

NOBODY = 65534

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


@pytest.fixture
def data() -> Iterator[Path]:
    """A folder of another user, where that user can reach it."""
    folder = Path(tempfile.mkdtemp(prefix="menu-owner-"))
    folder.chmod(0o755)
    (folder / "data").mkdir(mode=0o700)
    os.chown(folder / "data", NOBODY, NOBODY)
    yield folder / "data"
    shutil.rmtree(folder)


@pytest.fixture
def menu_service(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., None]:
    """Runs a command of the service as root."""

    def run(*arguments: str) -> None:
        log = tmp_path_factory.mktemp("command") / "log"
        process = LoadedProcess(("service", *arguments), log=log, environment=os.environ)
        assert process.wait(PATIENCE_SECONDS) == 0, log.read_text()

    return run


def foreign(data: Path) -> list[Path]:
    return [path for path in (data, *data.rglob("*")) if path.stat().st_uid != NOBODY]


def test_the_folders_owner_gets_what_root_writes_into_it(menu_service: Callable[..., None], data: Path) -> None:
    menu_service("keys", "create", "--role", "Owner", "--data", str(data))
    menu_service("demo-data", "--data", str(data))

    assert any(path.is_file() for path in (data / "assets").rglob("*"))
    assert foreign(data) == []


def test_a_backup_goes_where_only_root_may_write_and_leaves_nothing_in_the_folder(
    menu_service: Callable[..., None], data: Path, tmp_path: Path
) -> None:
    menu_service("workspaces", "create", "Corner", "--data", str(data))
    tmp_path.chmod(0o700)

    menu_service("backup", "--data", str(data), "--to", str(tmp_path / "saved"))

    assert (tmp_path / "saved").is_file()
    assert foreign(data) == []


def test_cards_go_where_only_root_may_write_and_leave_nothing_in_the_folder(
    menu_service: Callable[..., None], data: Path, tmp_path: Path
) -> None:
    menu_service("demo-data", "--data", str(data))
    tmp_path.chmod(0o700)
    (tmp_path / "boards.csv").write_text('location,name,playlist\nHarbour Street Coffee,Counter,"Counter, all day"\n')
    where = ("--to", str(tmp_path / "cards"), "--public-url", "https://menu.example.com")

    menu_service("cards", "create", str(tmp_path / "boards.csv"), *where, "--data", str(data))

    (card,) = (tmp_path / "cards").rglob("menu-player.toml")
    assert card.stat().st_uid == 0
    assert foreign(data) == []


def test_a_folder_that_is_still_to_be_made_is_roots(menu_service: Callable[..., None], tmp_path: Path) -> None:
    menu_service("workspaces", "create", "Corner", "--data", str(tmp_path / "new"))

    assert (tmp_path / "new").stat().st_uid == 0
