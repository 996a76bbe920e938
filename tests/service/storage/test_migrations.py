"""Migrations: they create the tables of the code, and refuse databases of later versions."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Engine, inspect, text

from service.storage.engines import for_writing, open_engine
from service.storage.migrate import UnknownDatabaseError, migrate
from service.storage.sqlite import open_sqlite
from service.storage.tables.base import Base
from tests.service.support.postgres import Cluster


@pytest.fixture(params=["sqlite", "postgres"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    """An empty database, on each engine."""
    with ExitStack() as stack:
        url = None
        if request.param == "postgres":
            cluster: Cluster = request.getfixturevalue("cluster")
            url = stack.enter_context(cluster.database())
        engine = open_engine(url, file=tmp_path / "db")
        yield engine
        engine.dispose()


def test_the_migrations_create_the_tables_of_the_code(engine: Engine) -> None:
    migrate(engine)
    migrate(engine)

    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []


def test_row_numbers_are_never_reused_on_sqlite(tmp_path: Path) -> None:
    engine = open_sqlite(tmp_path / "db")
    migrate(engine)
    with engine.connect() as connection:
        [definition] = connection.scalars(text("SELECT sql FROM sqlite_master WHERE name = 'items'"))
    # Lists are paged by it: a reused number would hide a row.
    assert "AUTOINCREMENT" in definition
    engine.dispose()


def test_sqlite_is_configured_for_durability(tmp_path: Path) -> None:
    engine = open_sqlite(tmp_path / "db")
    with engine.connect() as connection:
        assert connection.scalar(text("PRAGMA journal_mode")) == "wal"
        assert connection.scalar(text("PRAGMA foreign_keys")) == 1
        assert connection.scalar(text("PRAGMA synchronous")) == 2
    engine.dispose()


def test_a_migration_that_fails_changes_nothing(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("no")

    with monkeypatch.context() as broken:
        broken.setattr("alembic.op.create_index", fail)
        with pytest.raises(RuntimeError):
            migrate(engine)
    assert inspect(engine).get_table_names() == []
    migrate(engine)


def test_a_database_from_a_later_version_is_left_alone(engine: Engine) -> None:
    migrate(engine)
    with for_writing(engine).begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))

    with pytest.raises(UnknownDatabaseError, match="later version"):
        migrate(engine)
