"""Migrates a database to the tables of this version, from an empty one or from any version since 0.5.0."""

from functools import cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, Engine
from sqlalchemy.orm import Session

from service.storage.engines import for_migrating, rebuilding_in

_MIGRATIONS = Path(__file__).parent.parent / "migrations"


FIRST = "0026"
"""The revision of 0.5.0, from which on databases are brought up to date."""


class UnknownDatabaseError(Exception):
    """Raised if the database belongs to a later version of the service, or to one before 0.5.0."""


def migration_config() -> Config:
    """Returns Alembic's settings; the caller puts the connection into `attributes["connection"]`."""
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    return config


def is_current(session: Session) -> bool:
    """Returns whether the database has exactly the tables of this version."""
    return _is_newest(session.connection())


def _is_newest(connection: Connection) -> bool:
    return MigrationContext.configure(connection).get_current_revision() == _newest()


@cache
def _newest() -> str | None:
    return ScriptDirectory.from_config(migration_config()).get_current_head()


def migrate(engine: Engine) -> None:
    """Runs the missing migrations in one transaction, one process at a time.

    Raises UnknownDatabaseError and LostRowsError; the database is then as it was.
    """
    config = migration_config()
    # The write lock is held: of processes that start together one migrates, and the others have nothing to do.
    with for_migrating(engine) as connection:
        if _is_newest(connection):
            return
        config.attributes["connection"] = connection
        try:
            with rebuilding_in(connection):
                command.upgrade(config, "head")
        except CommandError as fault:
            revision = MigrationContext.configure(connection).get_current_revision()
            if revision is not None and revision < FIRST:
                raise UnknownDatabaseError(
                    f"the database is from a version before 0.5.0 ({revision}): start version 0.5.0 with it once, which"
                    " brings it up to date, and then this one"
                ) from fault
            raise UnknownDatabaseError(
                f"the database is from a later version than this one, which knows it up to {_newest()}: {fault}"
            ) from fault
