"""Shortens the start of the application, which the service's tests do about two thousand times.

None of it changes what runs: the database takes the path of one that an earlier start has migrated, routes are made and
read the signatures of their handlers at the first request for one, equal types and statements are compiled once, and so
is the API document. And SQLite does not wait for the disk, which only a power cut would show; the hash of a password
costs what argon2id does at least.
"""

import tempfile
from collections.abc import Callable
from functools import cache, wraps
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import fastapi._compat
from argon2 import PasswordHasher
from fastapi import FastAPI
from fastapi.routing import APIRoute, APIRouter
from pydantic import TypeAdapter
from pydantic.fields import FieldInfo
from sqlalchemy import Engine, event
from sqlalchemy.engine.default import DefaultDialect
from sqlalchemy.util import LRUCache
from starlette.routing import compile_path

from service.api.http.direct_routes import DirectRoute
from service.app import routers
from service.desk import desk
from service.desk.settings import routes as settings
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
    """Let the applications of this process share what is compiled. Once, before the first one."""
    _share_validators()
    _share_statements()
    _share_document()
    _commit_to_memory()
    _defer_routes()
    for module in (routers, desk, settings):
        _defer_routers(module)
    passwords._HASHER = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


def _share_validators() -> None:
    """One validator for each type and its bounds, not one for each route of each application."""
    shared: dict[Any, TypeAdapter[Any]] = {}

    def adapter(type_: Any) -> TypeAdapter[Any]:
        annotation, field = type_.__origin__, type_.__metadata__[0]
        # FastAPI's own representations leave the bounds out.
        key = (annotation, type(field), FieldInfo.__repr__(field))
        if key not in shared:
            shared[key] = TypeAdapter(type_)
        return shared[key]

    fastapi._compat.TypeAdapter = adapter  # type: ignore[assignment]


def _share_statements() -> None:
    """One SQL text for each statement and kind of database, not one for each engine: their settings are the same."""
    compiled: LRUCache[Any, Any] = LRUCache(5_000)

    def sharing(open_: Callable[..., Engine]) -> Callable[..., Engine]:
        def opened(where: Any) -> Engine:
            engine = open_(where)
            engine._compiled_cache = compiled
            return engine

        return opened

    engines.open_sqlite, engines.open_postgres = sharing(engines.open_sqlite), sharing(engines.open_postgres)
    DefaultDialect.__eq__ = lambda one, other: one.__class__ is other.__class__  # type: ignore[method-assign]
    DefaultDialect.__hash__ = lambda dialect: hash(dialect.__class__)  # type: ignore[method-assign]


def _share_document() -> None:
    """One API document: all applications of a process have the same routes."""
    make, made = FastAPI.openapi, list[dict[str, Any]]()

    def openapi(app: FastAPI) -> dict[str, Any]:
        if not made:
            made.append(make(app))
        return made[0]

    FastAPI.openapi = openapi  # type: ignore[method-assign]


def _commit_to_memory() -> None:
    """Commits that end in the cache of the system: what is killed leaves the same files."""
    open_ = engines.open_sqlite

    def opened(path: Path) -> Engine:
        engine = open_(path)
        event.listen(engine, "connect", lambda connection, _: connection.execute("PRAGMA synchronous=OFF"))
        return engine

    engines.open_sqlite = opened


def _defer_routes() -> None:
    """Routes that read the signatures of their handlers at the first request: a test calls some ten of 340."""
    build, compiled = APIRoute.__init__, cache(compile_path)

    def defer(route: APIRoute, path: str, endpoint: Callable[..., Any], **named: Any) -> None:
        route.path, route.endpoint, route.methods = path, endpoint, set(named["methods"])
        route.path_regex, route.path_format, route.param_convertors = compiled(path)
        vars(route)["_build"] = lambda: build(route, path, endpoint, **named)

    def build_now(route: APIRoute, name: str) -> Any:
        if "_build" not in vars(route):
            raise AttributeError(name)
        vars(route).pop("_build")()
        return getattr(route, name)

    APIRoute.__init__ = defer  # type: ignore[method-assign, assignment]
    APIRoute.__getattr__ = build_now  # type: ignore[attr-defined]


def _defer_routers(module: ModuleType) -> None:
    """From the second application on, `…_routes()` returns routes that are made at the first request for one of them:
    only their paths and methods are known, from those of the first."""
    for name, make in vars(module).copy().items():
        if name.endswith("_routes"):
            setattr(module, name, _deferred(make))


def _deferred(make: Callable[..., APIRouter]) -> Callable[..., Any]:
    first: list[APIRoute] = []

    @wraps(make)
    def routes_of(**parts: Any) -> Any:
        if not first:
            made = make(**parts)
            first.extend(route for route in made.routes if isinstance(route, APIRoute))
            assert len(first) == len(made.routes)
            return made
        now = cache(lambda: make(**parts).routes)
        return SimpleNamespace(
            routes=[_placeholder(route, lambda number=number: now()[number]) for number, route in enumerate(first)]
        )

    return routes_of


def _placeholder(like: APIRoute, make: Callable[[], Any]) -> APIRoute:
    """A route with the path and methods of another application's, which becomes the one that is made."""
    kind = DirectRoute if isinstance(like, DirectRoute) else APIRoute
    route = kind.__new__(kind)
    route.path, route.methods = like.path, like.methods
    route.path_regex, route.path_format = like.path_regex, like.path_format
    route.param_convertors = like.param_convertors

    def become() -> None:
        made = make()
        _ = made.dependant
        route.__class__ = made.__class__
        vars(route).update(vars(made))

    vars(route)["_build"] = become
    return route
