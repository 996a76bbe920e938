"""Writes the status file that the update guard reads (docs/fleet.md): a small file in the unit's runtime directory,
which is deleted with the board."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from menu.documents.manifest import Location
from player.domain.pairing.boot_file import IS_ENROLLED
from player.domain.panel.panel import Power
from player.domain.recovery.liveness import FaultCode
from player.domain.state import Kind, PairingPhase, PlayerState

log = logging.getLogger(__name__)

NAME = "board.json"


def board_facts(state: PlayerState) -> dict[str, Any]:
    """Returns the contents of the status file."""
    faults = {fault.code for fault in state.faults}
    contact = state.contact
    return {
        "version": state.device.app_version,
        "run": f"{state.device.started_at:%Y%m%dT%H%M%S.%f} {os.getpid()}",
        "presented": state.presented.kind is not Kind.NOTHING and not faults & {*FaultCode, "safe_card"},
        "screen": "no_screen" not in faults and state.panel.wanted is Power.ON,
        "paired": state.pairing.phase is PairingPhase.PAIRED,
        "contact": contact.last_answer_at is not None and not contact.is_cut_off,
        "zone": state.location.timezone if state.location else "",
        **({} if state.location is None else {"hours": _hours(state.location)}),
        **({} if state.wanted_version is None else {"wanted": state.wanted_version}),
    }


def _hours(location: Location) -> list[dict[str, Any]]:
    """Returns the opening hours; empty for a location that has none."""
    return [
        {
            "days": sorted(part.days),
            "start": part.start,
            "end": part.end,
            "zone": part.timezone or location.timezone,
        }
        for part in location.opening_hours
    ]


class BoardFile:
    """Writes the file whenever its contents change; has root delete the enrolment token of a paired board. Does nothing
    if systemd has given the player no such directory."""

    def __init__(self, environment: Mapping[str, str], *, has_token: bool = False) -> None:
        folder = environment.get("RUNTIME_DIRECTORY", "").partition(":")[0]
        self._path = Path(folder) / NAME if folder else None
        self._told: dict[str, Any] | None = None
        self._has_token = has_token

    def tell(self, state: PlayerState) -> None:
        """Writes the current status."""
        if self._path is None or (facts := board_facts(state)) == self._told:
            return
        self._told = facts
        new = self._path.with_suffix(".new")
        try:
            new.write_text(json.dumps(facts), encoding="utf-8")
            new.replace(self._path)
            if self._has_token and facts["paired"]:
                self._path.with_name(IS_ENROLLED).touch()
                self._has_token = False
        except OSError as error:
            log.warning("%s cannot be written: %s", self._path, error.strerror)
