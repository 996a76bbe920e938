"""Bringing a database up to this version's tables, from nothing or from any earlier version."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Engine

from service.storage.engines import for_writing

_MIGRATIONS = Path(__file__).parent.parent / "migrations"


class NewerDatabaseError(Exception):
    """The database was made by a later version of the service, which alone can read it."""


def migration_config() -> Config:
    """Alembic's settings; the connection is put into `attributes["connection"]`."""
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    return config


def migrate(engine: Engine) -> None:
    """Run the migrations that are missing, in one transaction, and one process at a time. Raises NewerDatabaseError."""
    config = migration_config()
    # The write lock is held: of processes that start together one migrates, and the others find it done.
    with for_writing(engine).begin() as connection:
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, "head")
        except CommandError as fault:
            newest = ScriptDirectory.from_config(config).get_current_head()
            raise NewerDatabaseError(
                f"the database is from a later version than this one, which knows it up to {newest}: {fault}"
            ) from fault
