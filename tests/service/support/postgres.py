"""A temporary PostgreSQL server for tests, in a temporary folder and reached by a socket there."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import psycopg
from psycopg import sql
from sqlalchemy import make_url

from service.storage.engines import open_engine
from service.storage.lock_leadership import LEADER_LOCK
from service.storage.migrate import migrate
from tests.support.patience import PATIENCE_SECONDS

TEMPLATE = "menu_template"
UNPRIVILEGED = "postgres"
"""The user of the server when the tests run as root, which PostgreSQL refuses."""

LEADERS = (
    f"SELECT usename, pid FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE granted "
    f"AND locktype = 'advisory' AND classid = {LEADER_LOCK >> 32} AND objid = {LEADER_LOCK & 0xFFFFFFFF} "
    "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
"""The connection that holds the lock of the leader: its user and process. One row at most."""
END_LEADER = f"SELECT pg_terminate_backend(pid, {1000 * PATIENCE_SECONDS}) FROM ({LEADERS}) AS leader"
"""Ends that connection; the answer comes when it has ended, and with it the lock."""

# The data need not survive, so nothing waits for the disk.
OPTIONS = (
    "-c listen_addresses='' -c fsync=off -c synchronous_commit=off -c full_page_writes=off -c shared_buffers=32MB "
    "-c max_connections=200 -c autovacuum=off -c jit=off -c log_min_messages=panic"
)


OTHERS_ENDED = (
    f"SELECT pg_terminate_backend(pid, {1000 * PATIENCE_SECONDS}) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
)
EMPTY = (
    "SELECT format('DELETE FROM %I', tablename) FROM pg_tables "
    "WHERE schemaname = 'public' AND tablename <> 'alembic_version' "
    "UNION ALL SELECT format('SELECT setval(%L, %s, false)', sequencename, start_value) FROM pg_sequences"
)
"""The statements that take the rows out of a database, and let its numbers begin anew."""


class Cluster:
    """A running server, whose databases tests share or have to themselves."""

    def __init__(self, folder: Path, *, restart: Callable[[], None]) -> None:
        self._folder = folder
        self.restart = restart
        """Ends all connections and restarts the server."""
        self._numbers = count(1)
        self._empty: list[str] = []
        """URLs of databases that have the service's tables and no rows."""

    def url(self, database: str) -> str:
        return f"postgresql+psycopg://{UNPRIVILEGED}@/{database}?host={self._folder}"

    @contextmanager
    def database(self, *, template: str = "template1") -> Iterator[str]:
        """The URL of a new database, which is dropped at the end."""
        name = self._create(template)
        try:
            yield self.url(name)
        finally:
            self.run(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))

    @contextmanager
    def tables(self) -> Iterator[str]:
        """The URL of a database with the service's tables and no rows. It is emptied at the end, and used again: a new
        one takes fifty times as long. Tests that change tables need a database of their own."""
        url = self._empty.pop() if self._empty else self.url(self._create(TEMPLATE))
        yield url
        with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection:
            connection.execute(OTHERS_ENDED)
            connection.execute("SET session_replication_role = replica")
            statements = [row[0] for row in connection.execute(EMPTY)]
            with connection.pipeline():
                for statement in statements:
                    connection.execute(statement)
        self._empty.append(url)

    def _create(self, template: str) -> str:
        name = f"menu_{next(self._numbers)}"
        self.run(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(*map(sql.Identifier, (name, template))))
        return name

    @contextmanager
    def users(self, *names: str) -> Iterator[None]:
        """Users who may do everything, so that connections can be told apart."""
        for name in names:
            self.run(sql.SQL("CREATE ROLE {} SUPERUSER LOGIN").format(sql.Identifier(name)))
        try:
            yield
        finally:
            for name in names:
                self.run(sql.SQL("DROP ROLE {}").format(sql.Identifier(name)))

    @contextmanager
    def closed(self, url: str) -> Iterator[None]:
        """Refuse connections to a database inside the block, and end the existing ones."""
        name = sql.Identifier(make_url(url).database or "")
        self.run(sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS false").format(name))
        self.run(
            sql.SQL("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = {}").format(
                sql.Literal(make_url(url).database)
            )
        )
        try:
            yield
        finally:
            self.run(sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS true").format(name))

    def run(self, statement: sql.Composed) -> None:
        with psycopg.connect(
            host=str(self._folder), user=UNPRIVILEGED, dbname="postgres", autocommit=True
        ) as connection:
            connection.execute(statement)

    def make_template(self) -> None:
        """Create the template database with all tables: copying it is faster than migrating for each test."""
        self.run(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(TEMPLATE)))
        engine = open_engine(self.url(TEMPLATE), file=self._folder)
        migrate(engine)
        engine.dispose()


@contextmanager
def running_cluster() -> Iterator[Cluster]:
    """An empty server. Needs Debian's package `postgresql`, which `packaging/set-up test` installs."""
    programs = max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    # Not in pytest's folders: a socket path is limited in length, and another user has to reach it.
    folder = Path(tempfile.mkdtemp(prefix="menu-pg-", dir="/tmp"))
    as_user: list[str] = []
    if os.geteuid() == 0:
        as_user = ["runuser", "-u", UNPRIVILEGED, "--"]
        owner = pwd.getpwnam(UNPRIVILEGED)
        os.chown(folder, owner.pw_uid, owner.pw_gid)
    data = str(folder / "data")

    def call(program: str, *arguments: str) -> None:
        subprocess.run(
            [*as_user, str(programs / program), *arguments],
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            check=True,
            timeout=PATIENCE_SECONDS,
        )

    def restart() -> None:
        call("pg_ctl", "-D", data, "-m", "fast", "-w", "-l", log, "-o", options, "restart")

    options = f"{OPTIONS} -k {folder}"
    log = str(folder / "log")
    try:
        call(
            "initdb",
            "-D",
            data,
            "-U",
            UNPRIVILEGED,
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--locale=C",
            "--lc-ctype=C.UTF-8",
            "--no-sync",
        )
        call("pg_ctl", "-D", data, "-w", "-l", log, "-o", options, "start")
        try:
            yield Cluster(folder, restart=restart)
        finally:
            call("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder)
