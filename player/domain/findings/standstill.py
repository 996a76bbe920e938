"""Findings about a player that cannot be asked: it does not run, cannot start, or its page is not there."""

from __future__ import annotations

from collections.abc import Iterator

from player.domain.finding import Finding, Severity
from player.domain.findings.finding import joined, sentence
from player.domain.standstill import Standstill
from player.domain.state import PlayerState
from player.domain.words.phrase import phrase

CANNOT_START = frozenset({"settings_wrong", "state_in_use"})
NO_PLAYER = CANNOT_START | {"player_not_running", "player_fails", "no_rights"}
"""Without a player, or where none can be seen, there is nothing to pair."""


def of_standstill(state: PlayerState) -> Iterator[Finding]:
    """Findings on a player that does not answer; none on one that does."""
    found = state.standstill
    if found is None:
        return
    if found.setting_faults:
        yield Finding(
            code="settings_wrong",
            severity=Severity.FAULT,
            what=phrase("The player cannot start: its settings are wrong."),
            why=joined(*map(sentence, found.setting_faults)),
            do=phrase(
                "Correct what is named here, in the configuration file, the unit or the command, and start the player."
            ),
        )
    yield from _of_process(found)
    if found.hidden:
        yield Finding(
            code="no_rights",
            severity=Severity.WARNING,
            what=phrase("This user may not read all that belongs to the player, so not everything could be looked at."),
            why=phrase("It may not read {names}.", names=", ".join(found.hidden)),
            do=phrase("Run it again with sudo."),
        )


def _of_process(found: Standstill) -> Iterator[Finding]:
    unit = found.unit
    if found.in_use:
        yield Finding(
            code="state_in_use",
            severity=Severity.FAULT,
            what=phrase("The player cannot start: another program uses its directory."),
            why=phrase("The directory is {folder}.", folder=found.in_use),
            do=phrase("Stop that program, or give this player a directory of its own (state in its settings)."),
        )
    elif found.runs:
        yield _of_page(found)
    elif unit is not None and unit.fails:
        yield Finding(
            code="player_fails",
            severity=Severity.FAULT,
            what=phrase("The player does not stay up: it ends and is started again."),
            why=phrase(
                "It was started {count} times again, and last ended with status {status}.",
                count=unit.restarts,
                status=unit.status,
            ),
            do=phrase(
                "Read the last lines of its log: journalctl -u menu-player -n 50. If they do not help, install the"
                " player again."
            ),
        )
    elif unit is not None:
        yield Finding(
            code="player_not_running",
            severity=Severity.FAULT,
            what=phrase("The player does not run."),
            why=joined(phrase("Its unit is {state}.", state=unit.active), _pairing(found)),
            do=phrase(
                "Start it: systemctl start menu-player. If it does not start with the device:"
                " systemctl enable menu-player."
            ),
        )
    elif found.runs is False:
        yield Finding(
            code="player_not_running",
            severity=Severity.FAULT,
            what=phrase("The player does not run."),
            why=joined(phrase("This device has no unit for it."), _pairing(found)),
            do=phrase(
                "Start it: menu-player run. To have it start with the device, install the unit menu-player.service."
            ),
        )


def _pairing(found: Standstill) -> str:
    if found.is_paired:
        return ""
    return phrase("This device is not paired yet: the screen shows its code when the player runs.")


def _of_page(found: Standstill) -> Finding:
    if found.is_page_off:
        return Finding(
            code="page_off",
            severity=Severity.NOTE,
            what=phrase("The player runs, and its page is switched off, so it cannot be asked."),
            why="",
            do=phrase("Set page in the player's settings to see what it finds."),
        )
    if found.answers:
        return Finding(
            code="page_port_taken",
            severity=Severity.WARNING,
            what=phrase("The player runs, but another program has the port of its page ({port}).", port=found.port),
            why=phrase("Something else answers at {address}.", address=f"127.0.0.1:{found.port}"),
            do=phrase("Stop that program, or choose another port with diagnostics_port in the player's settings."),
        )
    return Finding(
        code="page_silent",
        severity=Severity.WARNING,
        what=phrase("The player runs, but its page does not answer."),
        why=phrase("It may have just started, or be stuck."),
        do=phrase("Wait a minute, then restart it."),
    )
