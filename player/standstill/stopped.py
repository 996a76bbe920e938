"""Reads the state of a player that does not run, from settings, state directory and device; changes nothing."""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path

from msgspec import field
from msgspec.structs import replace

from menu.documents.manifest import Rejection
from menu.documents.manifest_reader import read_manifest
from menu.text.phrase import Phrase, language_of_terminal, phrase
from player.device.description import describe_machine
from player.device.health import read_health
from player.device.listening import listener_at
from player.device.network import own_addresses
from player.device.synchronised import synchronised
from player.domain.findings.diagnosis import diagnose
from player.domain.link.connection import ConnectionTest
from player.domain.link.contact import Call, Contact, FailingCall
from player.domain.link.fault import Fault
from player.domain.machine import WindowMode
from player.domain.playing import board as boards
from player.domain.playing.board import Board, Restored
from player.domain.playing.board_facts import running_facts
from player.domain.playing.timetable import timetable
from player.domain.redacted import Redacted
from player.domain.standstill import Standstill
from player.domain.state import Device, PairingFacts, PairingPhase, PlayerState
from player.domain.time.clock import EARLIEST, ClockState, Trust
from player.page.bundle import Redaction
from player.page.sections.facts import Facts
from player.runtime.support_bundle import known_secrets
from player.settings import PageAccess, Settings
from player.standstill.loading import broken_part
from player.standstill.unit import holder, journal, unit
from player.storage.assets import AssetFolder
from player.storage.credentials import FILE_NAME as CREDENTIALS
from player.storage.credentials import stored_pairing
from player.storage.identity import identity_file
from player.storage.manifests import stored_version
from player.version import VERSION

log = logging.getLogger(__name__)

_NO_LOG = phrase(
    "The log cannot be read: it is in the journal of this device, which root reads. Call the doctor with sudo."
)
_EMPTY_LOG = phrase("The journal of this device has no line of the player's.")
_NO_MENU = phrase("Nothing that was published for this screen is on the device.")
_UNREADABLE = phrase("The menu on the disk cannot be read.")


class StoppedPlayer(Redacted, frozen=True, kw_only=True):
    """Player to examine. `faults` explain why its settings cannot be used; `settings` has those that are right."""

    redacted_fields = ("environment",)

    settings: Settings
    faults: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    root: Path = Path("/")

    @property
    def folder(self) -> Path:
        return self.settings.state

    @property
    def port(self) -> int:
        """Port of the page."""
        return self.settings.diagnostics_port


def stopped_state(stopped: StoppedPlayer, *, now: datetime) -> PlayerState:
    """Returns the state that a player has at its start, and why it does not answer."""
    settings, folder = stopped.settings, stopped.folder
    credentials = stored_pairing(folder)
    service = credentials.service if credentials is not None else ""
    is_paired = credentials is not None and settings.service in ("", service)
    screens = describe_machine(folder, now=now, root=stopped.root).displays
    is_dark = settings.mode is not WindowMode.OFFSCREEN and screens and not any(screen.connected for screen in screens)
    return PlayerState(
        at=now,
        device=Device(
            device_id=(identity_file(folder).load() or b"").decode(),
            boot_id="",
            app_version=VERSION,
            service=settings.service or service,
            started_at=now,
        ),
        pairing=PairingFacts(
            phase=PairingPhase.PAIRED if is_paired else PairingPhase.UNPAIRED,
            screen_id=credentials.screen_id if credentials is not None and is_paired else None,
        ),
        clock=_clock(now),
        locale=settings.language or language_of_terminal(stopped.environment),
        rejections=tuple(_rejections(stopped, service)),
        faults=(Rejection(code="no_screen", subject="display", detail=""),) if is_dark else (),
        health=read_health(folder if os.access(folder, os.F_OK) else folder.parent, root=stopped.root),
        addresses=own_addresses(),
        standstill=_standstill(stopped, is_paired=credentials is not None),
    )


def _standstill(stopped: StoppedPlayer, *, is_paired: bool) -> Standstill:
    settings, folder = stopped.settings, stopped.folder
    is_hidden = _is_hidden(folder)
    process = None if is_hidden else holder(folder, stopped.root)
    runs = None if is_hidden else process is not None
    listener = listener_at(stopped.port, proc=stopped.root / "proc") if runs else None
    is_other = listener is not None and listener.process != process
    return Standstill(
        runs=runs,
        port=stopped.port,
        port_taken_by=listener.name if listener is not None and is_other else "",
        is_page_off=settings.page is PageAccess.OFF,
        is_paired=is_paired or is_hidden,
        # Whoever may not read the directory may not read the configuration, either.
        setting_faults=() if is_hidden else stopped.faults,
        hidden=str(folder) if is_hidden else "",
        unit=unit(),
        broken="" if runs else broken_part(),
    )


def _rejections(stopped: StoppedPlayer, paired_with: str) -> Iterator[Rejection]:
    settings = stopped.settings
    if not stopped.faults:
        for fault in settings.faults:
            yield Rejection(code="setting_bad", subject="settings", detail=fault)
        yield from settings.boot_file.rejections()
    if settings.service and paired_with and settings.service != paired_with:
        detail = f"it is paired with {paired_with}, and {settings.service} is set"
        yield Rejection(code="other_service", subject="credentials", detail=detail)


def stopped_facts(stopped: StoppedPlayer, state: PlayerState) -> Facts:
    """Adds the facts on the disk and in the journal; `unknown` names those that are unavailable."""
    unknown: dict[str, Phrase] = {}
    try:
        board = _board(stopped.folder)
    except Exception as error:
        # What the player cannot play may be why it does not run.
        unknown["timetable"] = _UNREADABLE
        log.info("the menu on the disk cannot be played: %s", error)
        board = Board()
    else:
        if board.playback is None:
            unknown["timetable"] = _NO_MENU
    hide = Redaction(known_secrets(stopped.settings)).text
    lines = journal(hide)
    if not lines:
        unknown["log"] = _NO_LOG if lines is None else _EMPTY_LOG
    playback = board.playback
    return Facts(
        state=replace(
            state,
            running=running_facts(board),
            location=board.location,
            locale=board.location.locale if board.location else state.locale,
        ),
        timetable=timetable(playback, state.at) if playback is not None else None,
        machine=describe_machine(stopped.folder, now=state.at, root=stopped.root),
        log=lines or (),
        unknown=unknown,
    )


def _board(folder: Path) -> Board:
    """Returns the board that would play, from the menu on the disk; an empty one if there is none."""
    stored = stored_version(folder)
    if stored is None or stored.anchor is None:
        return Board()
    found = read_manifest(stored.body, etag=stored.etag)
    assets = AssetFolder(folder / "assets", protected=frozenset)
    return boards.restore(
        Restored(running=found, missing=assets.missing(found.version.assets) if found.version else {})
    )


def with_test(state: PlayerState, test: ConnectionTest | None) -> PlayerState:
    """Adds a test of the connection to the service, and diagnoses the state."""
    state, failed = replace(state, connection=test), test.failure if test is not None else None
    if test is not None and failed is not None:
        fault = failed.fault or Fault.NO_CONNECTION
        failing = FailingCall(call=Call.MANIFEST, since=test.at, failures=1, fault=fault, detail=failed.evidence)
        state = replace(state, contact=Contact(failing=(failing,)))
    return replace(state, findings=diagnose(state))


def _is_hidden(folder: Path) -> bool:
    """True if this user may not read the directory."""
    try:
        is_folder = stat.S_ISDIR(folder.stat().st_mode)
    except OSError as error:
        return isinstance(error, PermissionError)
    credentials = folder / CREDENTIALS
    if not is_folder or not os.access(folder, os.R_OK | os.X_OK):
        return is_folder
    return os.access(credentials, os.F_OK) and not os.access(credentials, os.R_OK)


def _clock(now: datetime) -> ClockState:
    """Returns the clock's state: without a service to ask, a clock that no time server has set is believed unless it
    cannot be right."""
    if now < EARLIEST:
        return ClockState(trust=Trust.UNKNOWN)
    return ClockState(trust=Trust.TRUSTED if synchronised() else Trust.CORRECTED)
