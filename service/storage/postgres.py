"""Everything that is particular to PostgreSQL: how its connections behave and how its transactions begin."""

from typing import Any

import psycopg
from psycopg.abc import Buffer
from psycopg.types.string import StrDumperUnknown
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.pool import ConnectionPoolEntry

from service.storage.transactions import BESIDE_OTHERS, WRITES

SCHEME = "postgresql+psycopg"
POOL_SIZE = 8
POOL_OVERFLOW = 8
"""More connections at busy times; several processes share the server's limit, which is 100 by default."""
POOL_WAIT_SECONDS = 10
CONNECT_SECONDS = 5
LOCK_SECONDS = 10
"""How long a statement waits for a lock, the write lock among them."""
IDLE_SECONDS = 60
"""After this time a transaction in which nothing happens is ended by the server: its locks hold nobody up for ever."""
DEAD_PEER_MILLISECONDS = 20_000
"""A server that acknowledges nothing for so long is gone."""
QUIET_PEER_SECONDS = 10
"""A server that says nothing for so long is asked whether it is there, also while an answer of it is awaited."""

WRITE_LOCK = 0x6D656E75_00000001
"""Advisory locks of the service begin with `menu` in ASCII, so that they meet nobody else's in a shared database."""

CONNECTION = {
    "application_name": "menu-service",
    "connect_timeout": CONNECT_SECONDS,
    "tcp_user_timeout": DEAD_PEER_MILLISECONDS,
    "keepalives_idle": QUIET_PEER_SECONDS,
    "keepalives_interval": QUIET_PEER_SECONDS,
}


def open_postgres(url: str) -> Engine:
    """An engine for the database at the URL. Times and texts are UTC and UTF-8 whatever the server's defaults are."""
    engine = create_engine(
        url,
        pool_size=POOL_SIZE,
        max_overflow=POOL_OVERFLOW,
        pool_timeout=POOL_WAIT_SECONDS,
        pool_pre_ping=True,
        hide_parameters=True,
        connect_args={
            **CONNECTION,
            "options": f"-c lock_timeout={LOCK_SECONDS}s -c idle_in_transaction_session_timeout={IDLE_SECONDS}s",
        },
    )
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def reading(engine: Engine) -> Engine:
    """For transactions that see the database as it was at their first statement, and cannot write."""
    return engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)


def connect(engine: Engine) -> psycopg.Connection[tuple[Any, ...]]:
    """A connection beside the pool, for as long as the process runs; each of its statements stands alone.

    Raises SQLAlchemyError.
    """
    pooled = engine.raw_connection()
    pooled.detach()
    connection: Any = pooled.dbapi_connection
    if not isinstance(connection, psycopg.Connection):
        raise TypeError("the engine is not PostgreSQL's")
    connection.autocommit = True
    return connection


class _Text(StrDumperUnknown):
    """PostgreSQL's text cannot hold NUL. What is stored has been checked; what is looked up finds nothing."""

    def dump(self, obj: str) -> Buffer | None:
        return super().dump(obj.replace("\0", "\N{REPLACEMENT CHARACTER}"))


def _prepare(connection: psycopg.Connection[tuple[Any, ...]], _record: ConnectionPoolEntry) -> None:
    connection.adapters.register_dumper(str, _Text)


def _begin(connection: Connection) -> None:
    # Read committed, which is the default, is needed here: a stricter level takes its snapshot before it waits.
    options = connection.get_execution_options()
    if options.get(WRITES, False) and not options.get(BESIDE_OTHERS, False):
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({WRITE_LOCK})")
