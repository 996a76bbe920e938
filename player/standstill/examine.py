"""Examines this device's player for `menu-player doctor`, whether it runs or not.

A player that runs is asked. For one that does not run, or cannot start, the doctor reads its settings and its state
directory, and looks at the disk, the clock, the screen and the unit. It locks nothing and writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from msgspec.structs import replace

from player.domain.connection import ConnectionTest
from player.domain.findings.diagnosis import diagnose
from player.domain.state import PlayerState
from player.domain.words.wording import FALLBACK_LOCALE
from player.page.sections.facts import Facts
from player.settings import Settings
from player.standstill.ask import Examined, ask
from player.standstill.stopped import Place, stopped_facts, stopped_state, with_test
from player.version import VERSION


def examine(
    place: Place, *, connect: Callable[[Settings], ConnectionTest] | None = None, locale: str = FALLBACK_LOCALE
) -> Examined:
    """Ask the player, which answers in the language of a locale, or look for oneself. `connect` tests the way to the
    service, where the player does not."""
    answers, told = ask(place.port, locale)
    return told or examined(_state(replace(place, answers=answers), connect))


def look(place: Place, *, connect: Callable[[Settings], ConnectionTest] | None = None) -> Facts:
    """Collects all facts about a player that does not answer."""
    answers, _ = ask(place.port)
    place = replace(place, answers=answers)
    return stopped_facts(place, _state(place, connect))


def _state(place: Place, connect: Callable[[Settings], ConnectionTest] | None) -> PlayerState:
    state = stopped_state(place, now=datetime.now(UTC))
    if connect is None or place.faults:
        return state
    return with_test(state, connect(place.settings))


def examined(state: PlayerState) -> Examined:
    """The findings of a player that was not asked."""
    return Examined(
        asked=False, name="", version=VERSION, findings=tuple(replace(each, since=None) for each in diagnose(state))
    )
