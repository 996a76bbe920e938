"""Upgrades keep every row: from each revision, with rows in every table and children with parents."""

import contextlib
import json
import lzma
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.script import ScriptDirectory
from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Connection,
    Engine,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    inspect,
    select,
    text,
)

from service.cli.main import EXIT_FAILURE, main
from service.storage.engines import for_migrating, open_engine
from service.storage.migrate import migrate, migration_config
from service.storage.sqlite import LostRowsError
from service.storage.tables.base import Base
from tests.service.support.postgres import Cluster

REVISIONS = [script.revision for script in ScriptDirectory.from_config(migration_config()).walk_revisions()][:0:-1]
QUICK = {"0026", "0033", "0035", "0062"}
"""Before and after tables are rebuilt; the others are tested at length."""
DATA = Path(__file__).parents[2] / "data"
LAST_NUMBER = 900
"""The number of a row that is deleted."""
SCENE = {"id": "scenes.id.1", "widgets": [], "schedules": []}
ENTRY = {"sceneId": "scenes.id.1", "durationSeconds": 5, "schedule": None}
DOCUMENTS: dict[tuple[str, str], Any] = {
    ("publications", "document"): json.dumps({"scenes": [SCENE], "playlist": {"name": "All", "entries": [ENTRY]}}),
}
"""Values that migrations read."""
WRITTEN = {("playlists", "draft_digest"): "0033"}
"""Columns that are there before the migration that fills them."""


def revisions_to_test() -> list[Any]:
    return [pytest.param(one, marks=() if one in QUICK else pytest.mark.long) for one in REVISIONS]


@contextmanager
def opened(request: pytest.FixtureRequest, engine: str, folder: Path) -> Iterator[Engine]:
    if engine == "sqlite":
        made = open_engine(None, file=folder / "service.sqlite3")
        yield made
    else:
        cluster: Cluster = request.getfixturevalue("cluster")
        with cluster.database() as url:
            made = open_engine(url, file=folder)
            yield made
            made.dispose()
    made.dispose()


def migrate_to(engine: Engine, revision: str) -> None:
    config = migration_config()
    with for_migrating(engine) as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)


def fill_tables(engine: Engine) -> MetaData:
    """Puts two rows into every table, each with its parents, and returns the tables as they are."""
    found = MetaData()
    with engine.begin() as connection:
        found.reflect(connection)
        for table in found.sorted_tables:
            if table.name != "alembic_version":
                connection.execute(table.insert(), [{c.name: value_of(c, k) for c in table.columns} for k in (1, 2)])
        if engine.dialect.name == "sqlite":
            connection.execute(text("UPDATE sqlite_sequence SET seq = :last"), {"last": LAST_NUMBER})
    return found


def value_of(column: Column[Any], row: int) -> Any:
    told = DOCUMENTS.get((column.table.name, column.name))
    if told is not None:
        return told
    for key in column.foreign_keys:
        return value_of(key.column, row)
    if isinstance(column.type, JSON):
        return {"row": row}
    if isinstance(column.type, Boolean):
        return row == 1
    if isinstance(column.type, Integer):
        return row
    name = f"{column.table.name}.{column.name}.{row}"[-(getattr(column.type, "length", None) or 99) :]
    return name.encode() if isinstance(column.type, LargeBinary) else name


def rows_of(connection: Connection, tables: MetaData) -> dict[str, list[Any]]:
    """The rows of the tables that there were, by their columns of then."""
    return {
        table.name: [dict(row) for row in connection.execute(_ordered(table)).mappings()]
        for table in tables.sorted_tables
        if table.name != "alembic_version"
    }


def _ordered(table: Table) -> Any:
    written = [table.c[column] for name, column in WRITTEN if name == table.name and column in table.c]
    return select(*(one for one in table.columns if one not in written)).order_by(*table.primary_key)


def assert_kept(engine: Engine, tables: MetaData, before: dict[str, list[Any]]) -> None:
    with engine.connect() as connection:
        assert rows_of(connection, tables) == before
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []


@pytest.mark.parametrize("engine", ["sqlite", pytest.param("postgres", marks=pytest.mark.long)])
@pytest.mark.parametrize("revision", revisions_to_test())
def test_an_upgrade_keeps_every_row(request: pytest.FixtureRequest, tmp_path: Path, engine: str, revision: str) -> None:
    with opened(request, engine, tmp_path) as database:
        migrate_to(database, revision)
        tables = fill_tables(database)
        with database.connect() as connection:
            before = rows_of(connection, tables)

        migrate(database)

        assert_kept(database, tables, before)
        if engine == "sqlite":
            with database.connect() as connection:
                assert_numbered(connection)
                assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1
                assert connection.exec_driver_sql("PRAGMA foreign_key_check").all() == []
                rows = connection.execute(text("SELECT name, seq FROM sqlite_sequence"))
                numbers = {row.name: row.seq for row in rows}
            numbered = {table.name for table in tables.sorted_tables if table.name in numbers}
            assert numbered
            assert {name for name in numbered if numbers[name] < LAST_NUMBER} == set()


@pytest.fixture
def of_0_5_0(tmp_path: Path) -> Path:
    """A database that 0.5.0 made, with two rows in every table."""
    file = tmp_path / "service.sqlite3"
    with contextlib.closing(sqlite3.connect(file)) as made:
        made.executescript((DATA / "database-0.5.0.sql").read_text())
    return file


def test_a_database_of_0_5_0_keeps_every_row(of_0_5_0: Path) -> None:
    engine = open_engine(None, file=of_0_5_0)
    tables = MetaData()
    with engine.connect() as connection:
        tables.reflect(connection)
        before = rows_of(connection, tables)

    migrate(engine)

    assert_kept(engine, tables, before)
    engine.dispose()


def test_a_database_from_before_0_5_0_is_left_alone_and_the_way_told(
    of_0_5_0: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with contextlib.closing(sqlite3.connect(of_0_5_0)) as older, older:
        older.execute("UPDATE alembic_version SET version_num = '0024'")
        before = list(older.iterdump())

    assert main(["workspaces", "list", "--data", str(of_0_5_0.parent)], {}) == EXIT_FAILURE

    assert "start version 0.5.0 with it once" in capsys.readouterr().err
    with contextlib.closing(sqlite3.connect(of_0_5_0)) as older:
        assert list(older.iterdump()) == before


def assert_numbered(connection: Connection) -> None:
    """A number of a deleted row is never given again."""
    for table in Base.metadata.sorted_tables:
        if table.dialect_options["sqlite"]["autoincrement"]:
            sql = "SELECT sql FROM sqlite_master WHERE name = :table"
            assert "AUTOINCREMENT" in str(connection.scalar(text(sql), {"table": table.name})), table.name


def test_tables_that_an_upgrade_has_left_without_numbering_get_it_back(tmp_path: Path) -> None:
    engine = open_engine(None, file=tmp_path / "service.sqlite3")
    migrate_to(engine, "0062")
    # As the upgrades of then rebuilt them.
    with for_migrating(engine) as connection:
        operations = Operations(MigrationContext.configure(connection))
        for table in ("pos_connections", "overrides"):
            with operations.batch_alter_table(table, recreate="always"):
                """Rebuilt."""
    tables = fill_tables(engine)
    with engine.connect() as connection:
        before = rows_of(connection, tables)

    migrate(engine)

    assert_kept(engine, tables, before)
    with engine.connect() as connection:
        assert_numbered(connection)
    engine.dispose()


def test_an_upgrade_that_would_lose_rows_is_refused_and_leaves_all_as_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = open_engine(None, file=tmp_path / "service.sqlite3")
    migrate_to(engine, "0033")
    tables = fill_tables(engine)
    with engine.connect() as connection:
        before = rows_of(connection, tables)
    real = command.upgrade

    def careless(config: Any, revision: str) -> None:
        real(config, revision)
        config.attributes["connection"].execute(text("DELETE FROM pos_connections WHERE number = 1"))

    with monkeypatch.context() as broken:
        broken.setattr(command, "upgrade", careless)
        with pytest.raises(LostRowsError, match="1 rows of pos_links would lose the rows of pos_connections"):
            migrate(engine)
        assert main(["workspaces", "list", "--data", str(tmp_path)], {}) == EXIT_FAILURE
    assert "is as it was" in capsys.readouterr().err
    with engine.connect() as connection:
        assert rows_of(connection, tables) == before
        assert inspect(connection).has_table("alerts") is False
    migrate(engine)
    assert_kept(engine, tables, before)
    engine.dispose()


ON_A_FULL_DISK = """
mount -t tmpfs -o size=8m tmpfs "$1" || exit 77
cp "$2/service.sqlite3" "$1/service.sqlite3"
head -c "$3" /dev/zero > "$1/room"
head -c 9000000 /dev/zero > "$1/filler" 2> /dev/null
rm "$1/room"
"$4" -m service workspaces list --data "$1"
echo "status $?" >&2
cp "$1/service.sqlite3" "$2/refused.sqlite3"
rm "$1/filler"
"$4" -m service workspaces list --data "$1"
"""


@pytest.mark.parametrize("room", [0, pytest.param(40_000, marks=pytest.mark.long), 200_000])
def test_an_upgrade_on_a_full_disk_says_where_room_is_needed(tmp_path: Path, room: int) -> None:
    engine = open_engine(None, file=tmp_path / "service.sqlite3")
    migrate_to(engine, "0033")
    tables = fill_tables(engine)
    with engine.connect() as connection:
        before = rows_of(connection, tables)
    engine.dispose()
    disk = tmp_path / "disk"
    disk.mkdir()
    own = ("unshare", "--mount") if os.geteuid() == 0 else ("unshare", "--mount", "--map-root-user")
    arguments = map(str, (disk, tmp_path, room, sys.executable))

    done = subprocess.run(
        [*own, "sh", "-c", ON_A_FULL_DISK, "sh", *arguments], stderr=subprocess.PIPE, text=True, check=False
    )

    if done.returncode == 77:
        pytest.skip("this machine lets nobody mount anything")
    assert done.stderr.splitlines() == [
        f"menu-service: there is no room on the disk of {disk}: make some, and start again",
        f"status {EXIT_FAILURE}",
    ]
    assert done.returncode == 0
    engine = open_engine(None, file=tmp_path / "refused.sqlite3")
    with engine.connect() as connection:
        assert rows_of(connection, tables) == before
    engine.dispose()


def test_a_backup_that_0_5_0_made_is_restored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It has a workspace, a key of it, and the key of the service's secrets."""
    saved, place = tmp_path / "backup.tar", tmp_path / "restored"
    saved.write_bytes(lzma.decompress((DATA / "backup-0.5.0.tar.xz").read_bytes()))

    assert main(["restore", "--data", str(place), "--from", str(saved)], {}) == 0
    capsys.readouterr()
    assert main(["workspaces", "list", "--data", str(place)], {}) == 0
    assert {json.loads(line)["name"] for line in capsys.readouterr().out.splitlines()} == {"default", "pier"}
    assert main(["keys", "list", "--data", str(place)], {}) == 0
    [key] = map(json.loads, capsys.readouterr().out.splitlines())
    assert (key["role"], key["name"]) == ("Owner", "command line")
