"""Alembic's entry point: runs the migrations in the caller's connection and transaction."""

from alembic import context
from sqlalchemy import Connection

from service.storage.tables.base import Base


def run() -> None:
    connection = context.config.attributes["connection"]
    if not isinstance(connection, Connection):
        raise TypeError("migrations run on a connection that the caller opens")
    context.configure(connection=connection, target_metadata=Base.metadata, render_as_batch=True)
    context.run_migrations()


run()
