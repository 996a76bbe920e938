"""PostgreSQL: connection settings and the start of transactions."""

from typing import Any

import psycopg
from psycopg.adapt import Dumper
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.pool import ConnectionPoolEntry

from service.storage.transactions import CONCURRENT, WRITES

SCHEME = "postgresql+psycopg"
QUIET_PEER_SECONDS = 10
"""Interval of TCP keep-alives on a silent connection."""

WRITE_LOCK = 0x6D656E75_00000001
"""Advisory locks of the service start with `menu` in ASCII, to avoid those of others in a shared database."""

CONNECTION = {
    "application_name": "menu-service",
    "client_encoding": "utf8",
    "connect_timeout": 5,
    "tcp_user_timeout": 20_000,  # A connection without acknowledgements for so long is broken.
    "keepalives_idle": QUIET_PEER_SECONDS,
    "keepalives_interval": QUIET_PEER_SECONDS,
}


def open_postgres(url: str) -> Engine:
    """Opens an engine for the database at the URL. Times and texts are UTC and UTF-8 whatever the server's defaults
    are."""
    engine = create_engine(
        url,
        # All processes share the server's limit, which is 100 by default.
        pool_size=8,
        max_overflow=8,
        pool_timeout=10,
        pool_pre_ping=True,
        hide_parameters=True,
        connect_args={
            **CONNECTION,
            # The server ends a transaction that is idle for a minute, so that its locks cannot block others for ever.
            "options": "-c lock_timeout=10s -c idle_in_transaction_session_timeout=60s",
        },
    )
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def reading(engine: Engine) -> Engine:
    """Returns the engine for read-only transactions that see the database as of their first statement."""
    return engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)


def connect(engine: Engine) -> psycopg.Connection[tuple[Any, ...]]:
    """Opens a connection outside the pool, in autocommit mode, for as long as the process runs.

    Raises SQLAlchemyError.
    """
    pooled = engine.raw_connection()
    pooled.detach()
    connection: Any = pooled.dbapi_connection
    if not isinstance(connection, psycopg.Connection):
        raise TypeError("the engine is not PostgreSQL's")
    connection.autocommit = True
    return connection


class _Text(Dumper):
    """PostgreSQL's text cannot hold NUL. Stored text has been checked; a look-up with NUL finds nothing."""

    def dump(self, obj: str) -> bytes:
        return obj.replace("\0", "\N{REPLACEMENT CHARACTER}").encode()


def _prepare(connection: psycopg.Connection[tuple[Any, ...]], _record: ConnectionPoolEntry) -> None:
    connection.adapters.register_dumper(str, _Text)


def _begin(connection: Connection) -> None:
    # Needs the default level, read committed: a stricter one takes its snapshot before it waits for the lock.
    options = connection.get_execution_options()
    if options.get(WRITES, False) and not options.get(CONCURRENT, False):
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({WRITE_LOCK})")
