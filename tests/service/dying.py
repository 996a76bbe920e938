"""A service that dies at a chosen point of its first write, run by tests as a process of its own.

`python -m tests.service.dying DATA KEY NAME POINT` sends one call with the Idempotency-Key NAME; POINT is `before` or
`after` the commit.
"""

import asyncio
import os
import sys
from pathlib import Path

from sqlalchemy import event
from sqlalchemy.engine import Engine

from tests.service.support import Caller, VirtualClock, running

TEA = {"name": "Tea", "category": "Drinks", "price": 2}
DEATH = 9


async def die(data: Path, key: str, name: str, point: str) -> None:
    async with running(data, clock=VirtualClock()) as service:
        if point == "before":
            event.listen(Engine, "commit", lambda _connection: os._exit(DEATH))
        else:
            service.services.hub.join(lambda _notice: os._exit(DEATH))
        await Caller(service.client, key).send("POST", "/v1/content/items", TEA, **{"Idempotency-Key": name})


if __name__ == "__main__":
    asyncio.run(die(Path(sys.argv[1]), *sys.argv[2:]))
