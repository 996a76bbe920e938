"""Examines this device's player for `menu-player doctor`, whether it runs or not.

A running player is asked. For one that does not run, or cannot start, the doctor reads its settings and its state
directory, and checks the disk, the clock, the screen and the unit. It locks nothing and writes nothing.
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from menu.text.wording import FALLBACK_LOCALE
from player.device.network import NetworkFiles
from player.device.synchronised import synchronised
from player.domain.link.connection import ConnectionTest
from player.domain.state import PlayerState
from player.link.api import ServiceApi
from player.link.probe.probe import Probe
from player.link.probe.way import BestTime
from player.page.sections.facts import Facts
from player.settings import Settings
from player.standstill.ask import Examined, ask
from player.standstill.stopped import StoppedPlayer, stopped_facts, stopped_state, with_test
from player.version import VERSION


def examine(stopped: StoppedPlayer, *, locale: str = FALLBACK_LOCALE) -> Examined:
    """Asks the player, which answers in the language of a locale; if it does not, examines the device."""
    told = ask(stopped.port, locale)
    return told or Examined(asked=False, name="", version=VERSION, findings=_state(stopped).findings)


def look(stopped: StoppedPlayer) -> Facts:
    """Collects all facts about a player that does not answer."""
    return stopped_facts(stopped, _state(stopped))


def _state(stopped: StoppedPlayer) -> PlayerState:
    state = stopped_state(stopped, now=datetime.now(UTC))
    return with_test(state, None if stopped.faults else asyncio.run(test_connection(stopped.settings)))


async def test_connection(settings: Settings) -> ConnectionTest:
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
