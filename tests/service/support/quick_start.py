"""Shortens the start of the application, which the service's tests do about two thousand times.

None of it changes what runs: the database takes the path of one that an earlier start has migrated, and routes are made
once for all applications of a process: they call the parts of the application that has the request. SQLite does not
wait for the disk, which only a power cut would show; the hash of a password costs what argon2id does at least.
"""

import tempfile
from collections.abc import Callable
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any

from argon2 import PasswordHasher
from fastapi import APIRouter
from sqlalchemy import Engine, event
from starlette.types import ASGIApp, Receive, Scope, Send

from service.app import application
from service.services.access import passwords
from service.storage import engines
from service.storage.migrate import migrate


def lay_database(file: Path) -> None:
    """Write an SQLite database with all tables and no rows there, unless a file is there."""
    if not file.exists():
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file.write_bytes(_migrated())


@cache
def _migrated() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "template.sqlite3"
        engine = engines.open_engine(None, file=file)
        migrate(engine)
        engine.dispose()
        assert list(Path(folder).iterdir()) == [file], "the template is not in one file"
        return file.read_bytes()


@cache
def shorten_starts() -> None:
    """Let the applications of this process share their routes. Once, before the first one."""
    _commit_to_memory()
    application.api_routers = _shared(application.api_routers)
    passwords._HASHER = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


def _commit_to_memory() -> None:
    """Commits that end in the cache of the system: what is killed leaves the same files."""
    open_ = engines.open_sqlite

    def opened(path: Path) -> Engine:
        engine = open_(path)
        event.listen(engine, "connect", lambda connection, _: connection.execute("PRAGMA synchronous=OFF"))
        return engine

    engines.open_sqlite = opened


Parts = tuple[Any, ...]

_latest: list[Parts] = [()]
"""The parts of the application that was made last."""
_asked: ContextVar[Parts] = ContextVar("the parts of the application that has the request")
_making = [False]


def with_its_parts(app: ASGIApp) -> ASGIApp:
    """The application that was made last, for where several of a process are called."""
    parts = _latest[0]

    async def called(scope: Scope, receive: Receive, send: Send) -> None:
        _asked.set(parts)
        await app(scope, receive, send)

    return called


def _shared(make: Callable[..., Any]) -> Callable[..., list[APIRouter]]:
    made: dict[Any, list[APIRouter]] = {}

    def routers(*parts: Any, openapi: Callable[[], dict[str, Any]]) -> list[APIRouter]:
        _latest[0] = (*parts, openapi)
        # What routes are made by, beside parts.
        kind = parts[0].public_url
        if kind not in made:
            _making[0] = True
            *later, document = (_Part(lambda number=number: _now()[number]) for number in range(len(_latest[0])))
            made[kind] = list(make(*later, openapi=document))
            _making[0] = False
        return made[kind]

    return routers


def _now() -> Parts:
    return _asked.get(_latest[0])


class _Part:
    """A part of whichever application has the request."""

    def __init__(self, find: Callable[[], Any]) -> None:
        self._find = find

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._find(), name)
        if not _making[0] or found is None or isinstance(found, str | int):
            return found
        return _Part(lambda: getattr(self._find(), name))

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self._find()(*arguments, **named)
