"""The database's history leads from nothing to the tables that the code uses, and no further back by accident."""

from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect, text

from service.storage.migrate import NewerDatabaseError, migrate
from service.storage.sqlite import WRITES, open_sqlite
from service.storage.tables import Base


def test_the_migrations_make_the_tables_that_the_code_uses(tmp_path: Path) -> None:
    engine = open_sqlite(tmp_path / "db")
    migrate(engine)
    migrate(engine)

    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []
        [definition] = connection.scalars(text("SELECT sql FROM sqlite_master WHERE name = 'items'"))
    # Lists are paged by it: a number that is used again would hide a row.
    assert "AUTOINCREMENT" in definition
    engine.dispose()


def test_the_engine_is_set_up_to_lose_nothing(tmp_path: Path) -> None:
    engine = open_sqlite(tmp_path / "db")
    with engine.connect() as connection:
        assert connection.scalar(text("PRAGMA journal_mode")) == "wal"
        assert connection.scalar(text("PRAGMA foreign_keys")) == 1
        assert connection.scalar(text("PRAGMA synchronous")) == 2
    engine.dispose()


def test_a_migration_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = open_sqlite(tmp_path / "db")

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("no")

    with monkeypatch.context() as broken:
        broken.setattr("alembic.op.create_index", fail)
        with pytest.raises(RuntimeError):
            migrate(engine)
    assert inspect(engine).get_table_names() == []
    migrate(engine)
    engine.dispose()


def test_a_database_from_a_later_version_is_left_alone(tmp_path: Path) -> None:
    engine = open_sqlite(tmp_path / "db")
    migrate(engine)
    with engine.execution_options(**{WRITES: True}).begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))

    with pytest.raises(NewerDatabaseError, match="later version"):
        migrate(engine)
    engine.dispose()
