"""A program for tests: a service that dies at a given point of a call.

`died(DATA, KEY, NAME, POINT, CALL)` has it send one of the `CALLS` with the Idempotency-Key NAME; POINT is `before` or
`after` the commit of its effect.
"""

import asyncio
import os
import sys
from pathlib import Path

from sqlalchemy import Connection, event
from sqlalchemy.engine import Engine

from tests.service.support.application import Caller, VirtualClock, has_effect, running
from tests.support.loaded import run_loaded
from tests.support.patience import PATIENCE_SECONDS

TEA = {"name": "Tea", "category": "Drinks", "price": 2}
PIZZA = {"template": "pizza"}
CALLS = {"item": ("/v1/content/items", TEA), "template": ("/v1/scenes", PIZZA)}
DEATH = 9


def _die_before_commit(connection: Connection) -> None:
    if has_effect(connection):
        os._exit(DEATH)


async def died(data: Path, key: str, name: str, point: str, call: str, **environment: str) -> bool:
    """Whether a process of its own came to that point."""
    arguments = (__name__, str(data), key, name, point, call)
    given = {**os.environ, **environment}
    ended = await asyncio.to_thread(
        run_loaded, *arguments, environment=given, timeout=PATIENCE_SECONDS, program=__name__
    )
    return ended.returncode == DEATH


async def die(data: Path, key: str, name: str, point: str, call: str) -> None:
    async with running(data, clock=VirtualClock(), database=os.environ.get("MENU_SERVICE_DATABASE")) as service:
        if point == "before":
            event.listen(Engine, "commit", _die_before_commit)
        else:
            service.services.hub.subscribe(lambda _change: os._exit(DEATH))
        path, body = CALLS[call]
        await Caller(service.client, key).send("POST", path, body, **{"Idempotency-Key": name})


def main() -> None:
    asyncio.run(die(Path(sys.argv[1]), *sys.argv[2:]))
