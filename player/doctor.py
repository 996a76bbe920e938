"""`menu-player doctor`: what is wrong with this device's player, whether it runs or not.

A player that runs is asked. For one that does not run, or cannot start, the doctor reads its settings and its state
directory, and looks at the disk, the clock, the screen and the unit. It locks nothing and writes nothing.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from player.device.health import read_health
from player.device.synchronised import synchronised
from player.diagnostics.tool import NotRunningError, PageTool
from player.domain.clock import EARLIEST, ClockState, Trust
from player.domain.connection import ConnectionTest
from player.domain.contact import Call, Contact, FailingCall
from player.domain.events import Trouble
from player.domain.health import Finding, Severity, Who, diagnose, with_all_found
from player.domain.manifest import LinkSettings, Rejection
from player.domain.standstill import Standstill, Unit
from player.domain.state import Device, PairingFacts, PairingPhase, PlayerState, Presented, Showing
from player.domain.view import HouseCard
from player.link.api import ServiceApi
from player.link.probe import BestTime, Probe
from player.plain_file import read_plain
from player.settings import DEFAULT_DIAGNOSTICS_PORT, DEFAULT_STATE, Mode, PageAccess, Settings
from player.storage.checksummed import CorruptError, read_checksummed
from player.storage.credentials import FILE_NAME as CREDENTIALS
from player.storage.credentials import paired_with
from player.version import VERSION

UNIT = "menu-player.service"

UNIT_SECONDS = 5.0
"""How long systemd may take to say how the unit is."""

MAX_LOCKS_BYTES = 1024 * 1024
MAX_CONNECTORS = 64
MAX_COMMAND = 80
"""Characters of a program's command that are told."""

LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
"""Whoever looks once does not wait to see what stays."""

WELL, WARNED, FAULTY = 0, 1, 2
"""Exit codes: nothing or notes, warnings, faults."""

_WHO = {
    Who.HERE: "you",
    Who.NETWORK: "whoever runs the network",
    Who.OPERATOR: "whoever looks after the menus",
    Who.SERVICE: "whoever runs the service",
    Who.NOBODY: "nobody: it mends itself",
}


class Examined(Struct, frozen=True, kw_only=True):
    """What the doctor has found. `asked` says whether the running player told it."""

    asked: bool
    name: str
    version: str
    findings: tuple[Finding, ...]

    @property
    def exit_code(self) -> int:
        """By what is gravest."""
        grave = {finding.severity for finding in self.findings}
        return FAULTY if Severity.FAULT in grave else WARNED if Severity.WARNING in grave else WELL

    def document(self) -> bytes:
        """As JSON."""
        return msgspec.json.format(msgspec.json.encode(self, enc_hook=str), indent=2)

    def text(self) -> str:
        """As people read it."""
        told = "as the running player says" if self.asked else "the player was not asked: it does not answer"
        lines = [f"{self.name or 'Menu Player'} · {self.version} · {told}"]
        if not self.findings:
            lines += ["", "Nothing is wrong."]
        for finding in self.findings:
            lines += ["", f"{finding.severity.value.upper()}  {finding.what}"]
            if finding.why:
                lines.append(f"  why   {finding.why}")
            since = f", since {finding.since.astimezone():%Y-%m-%d %H:%M}" if finding.since else ""
            lines += [f"  do    {finding.do}", f"  who   {_WHO[finding.who]}{since}"]
        return "\n".join(lines)


def examine(
    settings: Settings | None,
    faults: Sequence[str] = (),
    *,
    environment: Mapping[str, str],
    folder: Path = DEFAULT_STATE,
    port: int = DEFAULT_DIAGNOSTICS_PORT,
    hidden: Sequence[str] = (),
    root: Path = Path("/"),
    connect: Callable[[Settings], ConnectionTest] | None = None,
) -> Examined:
    """Ask the player, or look for oneself. `settings` is None if they cannot be used, for the reasons in `faults`: then
    the state is looked for in `folder`, and the page at `port`. `hidden` are files of settings that this user may not
    read. `connect` tests the way to the service, where the player does not."""
    if settings is not None:
        folder, port = settings.state, settings.diagnostics_port
    answers, told = _ask(port)
    if told is not None:
        return told
    state = stopped_state(
        settings, folder, environment=environment, faults=faults, hidden=hidden, answers=answers, port=port, root=root
    )
    if settings is not None and connect is not None:
        state = _with_test(state, connect(settings))
    found = diagnose(with_all_found(state, LONG_AGO))
    return Examined(
        asked=False, name="", version=VERSION, findings=tuple(replace(finding, since=None) for finding in found)
    )


# A player that runs


class _Told(Struct, frozen=True):
    """What is used of `/state.json`."""

    findings: list[Finding]
    device: dict[str, Any]
    pairing: dict[str, Any]


def _ask(port: int) -> tuple[bool, Examined | None]:
    """Whether anything answers at the port, and what the player there says."""
    if port == 0:
        return False, None
    page = PageTool(port)
    try:
        told = msgspec.json.decode(page.get("/state.json"), type=_Told)
    except NotRunningError:
        return False, None
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return True, None
    finally:
        page.close()
    name, version = told.pairing.get("screenName"), told.device.get("appVersion")
    return True, Examined(asked=True, name=str(name or ""), version=str(version or ""), findings=tuple(told.findings))


# One that does not


def stopped_state(
    settings: Settings | None,
    folder: Path,
    *,
    environment: Mapping[str, str],
    faults: Sequence[str] = (),
    hidden: Sequence[str] = (),
    answers: bool = False,
    port: int = 0,
    root: Path = Path("/"),
) -> PlayerState:
    """What a player would know of itself at its start, and why it does not answer. `hidden` are files of settings that
    this user may not read; `answers` says whether another program answers at the page's port."""
    service = paired_with(folder)
    now = datetime.now(UTC)
    is_hidden, is_own = _access(folder)
    # Whoever may not read the configuration does not know the settings.
    of_file = settings.faults if settings is not None and not hidden else ()
    rejections = [Rejection(code="setting_bad", subject="settings", detail=fault) for fault in of_file]
    if is_own and not os.access(folder, os.W_OK):
        rejections.append(
            Rejection(code="disk_refused", subject=str(folder), detail="its own user may not write to it")
        )
    is_paired = service is not None and (settings is None or settings.service == service)
    if settings is not None and service is not None and not is_paired:
        detail = f"it is paired with {service}, and {settings.service} is set"
        rejections.append(Rejection(code="other_service", subject="credentials", detail=detail))
    lacks_screen = (settings is None or settings.mode is not Mode.OFFSCREEN) and _has_no_screen(root)
    unit, holder = _unit(), _holder(folder, root)
    other_holder = _other_player(holder, port, root) if holder is not None else ""
    return PlayerState(
        at=now,
        device=Device(
            device_id="",
            boot_id="",
            app_version=VERSION,
            service=(settings.service if settings is not None else service) or "",
            started_at=now,
        ),
        pairing=PairingFacts(phase=PairingPhase.PAIRED if is_paired else PairingPhase.UNPAIRED),
        contact=Contact(),
        settings=LinkSettings(),
        clock=_clock(folder, now),
        location=None,
        running=None,
        staged=None,
        revision=None,
        revision_at=None,
        serial=0,
        view=HouseCard(),
        showing=Showing(),
        presented=Presented(),
        rejections=tuple(rejections),
        faults=(Rejection(code="no_screen", subject="display", detail=""),) if lacks_screen else (),
        health=read_health(folder if os.access(folder, os.F_OK) else folder.parent, root=root),
        standstill=Standstill(
            runs=None if is_hidden else holder is not None and not other_holder,
            other_holder=other_holder,
            answers=answers,
            port=port,
            is_page_off=settings is not None and settings.page is PageAccess.OFF,
            is_paired=service is not None or is_hidden,
            setting_faults=() if hidden else tuple(faults),
            lacking=_lacking(),
            hidden=(*hidden, *([str(folder)] if is_hidden else ())),
            unit=unit,
            has_session=bool(hidden) or _has_session(settings, unit, environment),
        ),
    )


def _access(folder: Path) -> tuple[bool, bool]:
    """Whether this user may not read the directory, and whether it is theirs."""
    try:
        owner = folder.stat().st_uid
    except PermissionError:
        return True, False
    except OSError:
        return False, False
    credentials = folder / CREDENTIALS
    is_readable = os.access(folder, os.R_OK | os.X_OK) and (
        not os.access(credentials, os.F_OK) or os.access(credentials, os.R_OK)
    )
    return not is_readable, owner == os.geteuid()


def _holder(folder: Path, root: Path) -> str | None:
    """The number of the process that uses the state directory. Not by trying its lock, which might keep a player from
    starting."""
    try:
        inode = (folder / "lock").stat().st_ino
        locks = read_plain(root / "proc/locks", MAX_LOCKS_BYTES).decode("ascii", "replace")
    except OSError:
        return None
    held = (line.split() for line in locks.splitlines() if f":{inode} " in line and "FLOCK" in line)
    return next((fields[4] for fields in held if "->" not in fields), None)


def _other_player(holder: str, port: int, root: Path) -> str:
    """What holds the directory, if that is not the player with this port: empty if it is, or nobody can tell."""
    words = _words(root / "proc" / holder / "cmdline")
    if not words:
        return ""
    name = f"process {holder} ({' '.join(words)[:MAX_COMMAND]})"
    if not any("player" in word for word in words):
        return name
    told = dict(word.partition("=")[::2] for word in _words(root / "proc" / holder / "environ"))
    own = told.get("MENU_PLAYER_DIAGNOSTICS_PORT", str(DEFAULT_DIAGNOSTICS_PORT))
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if word.startswith("--diagnostics-port"):
            own = word.partition("=")[2] or following
    # A configuration file may say otherwise: believe only a page that is there.
    is_elsewhere = own.isdecimal() and int(own) != port and _ask(int(own))[1] is not None
    return f"{name}, a player with its page at port {own}" if is_elsewhere else ""


def _words(path: Path) -> list[str]:
    try:
        return read_plain(path, MAX_LOCKS_BYTES).decode("utf-8", "replace").rstrip("\0").split("\0")
    except OSError:
        return []


def _lacking() -> tuple[str, ...]:
    return tuple(name for name in ("PySide6", "httpx", "msgspec") if importlib.util.find_spec(name) is None)


def _has_session(settings: Settings | None, unit: Unit | None, environment: Mapping[str, str]) -> bool:
    """Whether there is something to draw on: a desktop, or the compositor that the unit brings."""
    if settings is not None and settings.mode is Mode.OFFSCREEN:
        return True
    if environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"):
        return True
    return unit is not None and shutil.which("cage") is not None


def try_connection(settings: Settings) -> ConnectionTest:
    """Test the way to the service, step by step."""
    return asyncio.run(_test_connection(settings))


async def _test_connection(settings: Settings) -> ConnectionTest:
    now = datetime.now(UTC)
    api = ServiceApi(
        settings.service,
        app_version=VERSION,
        allow_plain_http=settings.allow_plain_http,
        proxy=settings.proxy,
        ca_file=settings.ca_file,
    )
    try:
        return await Probe(
            service=api.service,
            certificates=api.certificates,
            proxy=settings.proxy,
            app_version=VERSION,
            now=lambda: BestTime(at=now, system=now, certain=synchronised()),
        ).run()
    finally:
        await api.close()


def _with_test(state: PlayerState, test: ConnectionTest) -> PlayerState:
    failed = test.failure
    if failed is None:
        return replace(state, connection=test)
    failing = FailingCall(
        call=Call.MANIFEST, since=test.at, failures=1, trouble=Trouble.UNREACHABLE, detail=failed.evidence
    )
    return replace(state, connection=test, contact=Contact(failing=(failing,)))


class _KnownTime(Struct, frozen=True):
    known: datetime


def _clock(folder: Path, now: datetime) -> ClockState:
    """Without a service to ask, a clock that no time server has set is believed unless it cannot be right."""
    if synchronised() and now >= EARLIEST:
        return ClockState(trust=Trust.TRUSTED)
    try:
        payload = read_checksummed(folder / "clock", "clock")
        known = msgspec.json.decode(payload, type=_KnownTime).known if payload is not None else EARLIEST
    except (CorruptError, msgspec.MsgspecError):
        known = EARLIEST
    can_be = now >= max(EARLIEST, known - timedelta(minutes=1))
    return ClockState(trust=Trust.CORRECTED if can_be else Trust.UNKNOWN)


def _has_no_screen(root: Path) -> bool:
    """Whether the graphics hardware has sockets, and no screen is connected to any of them."""
    connectors = sorted((root / "sys/class/drm").glob("card*-*/status"))[:MAX_CONNECTORS]
    seen = []
    for connector in connectors:
        try:
            seen.append(read_plain(connector, 64).strip())
        except OSError:
            continue
    return bool(seen) and b"connected" not in seen


def _unit() -> Unit | None:
    """What systemd says of the unit; None where there is none, or no systemd."""
    systemctl = shutil.which("systemctl")
    if systemctl is None:
        return None
    wanted = "LoadState,ActiveState,NRestarts,ExecMainStatus"
    try:
        said = subprocess.run(
            (systemctl, "show", UNIT, f"--property={wanted}"),
            capture_output=True,
            text=True,
            timeout=UNIT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    told = dict(line.split("=", 1) for line in said.stdout.splitlines() if "=" in line)
    if told.get("LoadState") != "loaded":
        return None
    return Unit(
        active=told.get("ActiveState", ""), restarts=told.get("NRestarts", ""), status=told.get("ExecMainStatus", "")
    )
