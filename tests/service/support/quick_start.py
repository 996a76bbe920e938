"""Shortens the start of the application, which the service's tests do about a thousand times.

Neither changes what runs: the database takes the path of one that an earlier start has migrated, and equal types get
the same validator instead of equal ones.
"""

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import fastapi._compat
from pydantic import TypeAdapter
from pydantic.fields import FieldInfo

from service.storage.engines import open_engine
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
        engine = open_engine(None, file=file)
        migrate(engine)
        engine.dispose()
        assert list(Path(folder).iterdir()) == [file], "the template is not in one file"
        return file.read_bytes()


def share_validators() -> None:
    """Let FastAPI build one validator for each type and its bounds, not one for each route of each application."""
    shared: dict[Any, TypeAdapter[Any]] = {}

    def adapter(type_: Any) -> TypeAdapter[Any]:
        annotation, field = type_.__origin__, type_.__metadata__[0]
        # FastAPI's own representations leave the bounds out.
        key = (annotation, type(field), FieldInfo.__repr__(field))
        if key not in shared:
            shared[key] = TypeAdapter(type_)
        return shared[key]

    fastapi._compat.TypeAdapter = adapter  # type: ignore[assignment]
