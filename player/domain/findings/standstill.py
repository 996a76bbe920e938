"""Findings about a player that does not answer: it does not run, cannot start, or its page is not there."""

from __future__ import annotations

from collections.abc import Iterator

from menu.text.phrase import phrase
from player.domain.finding import Finding
from player.domain.findings.finding import fault, finding, joined, note, sentence
from player.domain.standstill import Standstill
from player.domain.state import PlayerState

CANNOT_START = frozenset({"settings_wrong", "program_broken"})
NO_PLAYER = CANNOT_START | {"player_not_running", "player_fails", "no_rights"}
"""Without a player, or where none can be seen, there is nothing to pair."""


def of_standstill(state: PlayerState) -> Iterator[Finding]:
    """Findings on a player that does not answer; none on one that does."""
    found = state.standstill
    if found is None:
        return
    if found.setting_faults:
        yield fault(
            "settings_wrong",
            "The player cannot start: its settings are wrong.",
            joined(*map(sentence, found.setting_faults)),
            "Correct what is named here, in the configuration file, the unit or the command, and start the player.",
        )
    if found.broken:
        yield fault(
            "program_broken",
            "This version of the player cannot start: a part of its program is broken.",
            sentence(found.broken),
            "After an update, wait ten minutes: the guard brings the version before back by itself. Otherwise install"
            " the player again: sudo apt install --reinstall menu-player-core",
        )
    yield from _of_process(found)
    if found.hidden:
        yield finding(
            "no_rights",
            "This user may not read all that belongs to the player, so not everything could be looked at.",
            "It may not read {names}.",
            "Run it again with sudo.",
            names=found.hidden,
        )


def _of_process(found: Standstill) -> Iterator[Finding]:
    unit = found.unit
    if found.runs:
        yield _of_page(found)
    elif unit is not None and unit.fails:
        yield fault(
            "player_fails",
            "The player does not stay up: it ends and is started again.",
            "It was started {count} times again, and last ended with status {status}.",
            "Read the last lines of its log: journalctl -u menu-player -n 50. If they do not help, install the player"
            " again.",
            count=unit.restarts,
            status=unit.status,
        )
    elif unit is not None:
        yield fault(
            "player_not_running",
            "The player does not run.",
            joined(phrase("Its unit is {state}.", state=unit.active), _pairing(found)),
            "Start it: systemctl start menu-player. If it does not start with the device: systemctl enable"
            " menu-player.",
        )
    elif found.runs is False:
        yield fault(
            "player_not_running",
            "The player does not run.",
            joined(phrase("This device has no unit for it."), _pairing(found)),
            "Start it: menu-player run. To have it start with the device, install the unit menu-player.service.",
        )


def _pairing(found: Standstill) -> str:
    if found.is_paired:
        return ""
    return phrase("This device is not paired yet: the screen shows its code when the player runs.")


def _of_page(found: Standstill) -> Finding:
    if found.is_page_off:
        return note(
            "page_off",
            "The player runs, and its page is switched off, so it cannot be asked.",
            "",
            "Set page in the player's settings to see what it finds.",
        )
    if found.port_taken_by:
        return finding(
            "page_silent",
            "The player runs, but another program has the port of its page.",
            "The program {program} has port {port}.",
            "Stop that program, and the page opens by itself. Or choose another port with diagnostics_port in the"
            " player's settings, and restart the player.",
            program=found.port_taken_by,
            port=str(found.port),
        )
    return finding(
        "page_silent",
        "The player runs, but its page does not answer.",
        "It may have just started, be stuck, or lack the port of its page, which another program has. Which program"
        " that is, root sees: sudo ss -ltnp names what has port {port}.",
        "Wait a minute, then restart it.",
        port=str(found.port),
    )
