"""The network thread runs on virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from tests.support.virtual import VirtualLoop


def pytest_asyncio_loop_factories() -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    return {"virtual": VirtualLoop}
