"""Tests the way to the service where no player does; loads the network libraries, which may be what is missing."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from player.device.network import NetworkFiles
from player.device.synchronised import synchronised
from player.domain.connection import ConnectionTest
from player.link.api import ServiceApi
from player.link.probe.probe import Probe
from player.link.probe.way import BestTime
from player.settings import Settings
from player.version import VERSION


def try_connection(settings: Settings) -> ConnectionTest:
    """Test the way to the service, step by step."""
    return asyncio.run(test_connection(settings))


async def test_connection(settings: Settings) -> ConnectionTest:
    """The same within a program that waits for more."""
    api = ServiceApi(
        settings.service,
        app_version=VERSION,
        allow_plain_http=settings.allow_plain_http,
        proxy=settings.proxy,
        ca_file=settings.ca_file,
    )

    def best_time() -> BestTime:
        now = datetime.now(UTC)
        return BestTime(at=now, system=now, certain=synchronised())

    try:
        return await Probe(
            service=api.service,
            certificates=api.certificates,
            proxy=settings.proxy,
            app_version=VERSION,
            now=best_time,
            network=NetworkFiles().read,
        ).run()
    finally:
        await api.close()
