"""Diagnoses the player: from symptoms to findings that say what is wrong, why, and what to do; pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from enum import StrEnum
from typing import assert_never

from msgspec import Struct, field

from player.domain.clock import Trust
from player.domain.events import Health, Trouble
from player.domain.manifest import Rejection
from player.domain.pairing import GRACE_SECONDS, Refusal
from player.domain.state import HouseReason, PairingPhase, PlayerState

DISK_LOW_BYTES = 512 * 1024**2
"""Free space below which the next version may not fit."""

MEMORY_LOW_BYTES = 64 * 1024**2
"""Available memory below which the system begins to kill processes."""

HOT_CELSIUS = 80.0
"""Temperature at which a Raspberry Pi begins to throttle."""

UNREACHABLE_AFTER_SECONDS = 60.0
"""A shorter outage is no finding: nobody needs to act."""

STATE_IN_MEMORY = "state_in_memory"
"""Code of the rejection that says why nothing is written to the disk."""

MAX_NAMED = 5
"""Rejected parts and missing assets that a finding lists; the rest is counted."""


class Severity(StrEnum):
    """How much of the board is at stake."""

    FAULT = "fault"
    """Something that should show does not, or will not for long."""
    WARNING = "warning"
    """The board plays, but not as it should."""
    NOTE = "note"
    """Correct, if it is intended."""


_RANK = {Severity.FAULT: 0, Severity.WARNING: 1, Severity.NOTE: 2}


class Who(StrEnum):
    """Who can mend it."""

    HERE = "here"
    """The person in front of the screen."""
    NETWORK = "network"
    """Whoever runs the network of the shop."""
    OPERATOR = "operator"
    """Whoever looks after menus and screens in the service."""
    SERVICE = "service"
    """Whoever runs the service."""
    NOBODY = "nobody"
    """It mends itself."""


class Finding(Struct, frozen=True, kw_only=True):
    """A diagnosis: `code` is stable, the rest are sentences for the person in front of the device. `since` is when it
    was first found, None where that is not known."""

    code: str
    severity: Severity
    what: str
    why: str
    do: str
    who: Who = Who.HERE
    since: datetime | None = None


class Symptoms(Struct, frozen=True, kw_only=True):
    """The facts that findings are made from; the defaults are those of a player without a problem.

    `pairing_lost` is said of a board that plays without credentials, `refusal` of one whose token is refused.
    `failing_seconds` is how long the service has not answered, `next_at` when something is scheduled again.
    `missing` maps assets to why they are not on disk, `faults` are of the display and of the player itself.
    """

    service: str = ""
    trouble: Trouble | None = None
    trouble_detail: str = ""
    failing_seconds: float = 0.0
    clock: Trust = Trust.TRUSTED
    health: Health = field(default_factory=Health)
    paired: bool = True
    pairing_lost: bool = False
    refusal: Refusal | None = None
    no_playlist: bool = False
    nothing_scheduled: bool = False
    next_at: datetime | None = None
    missing: Mapping[str, str] = field(default_factory=dict)
    rejections: tuple[Rejection, ...] = ()
    faults: tuple[Rejection, ...] = ()


def diagnose(state: PlayerState) -> tuple[Finding, ...]:
    """The findings of a snapshot, the one to act on first."""
    failing, staged = state.contact.worst, state.staged
    reason = state.showing.house_reason
    return findings(
        Symptoms(
            service=state.device.service,
            trouble=failing.trouble if failing else None,
            trouble_detail=failing.detail if failing else "",
            failing_seconds=(state.at - failing.since).total_seconds() if failing else 0.0,
            clock=state.clock.trust,
            health=state.health,
            paired=state.pairing.phase is PairingPhase.PAIRED,
            pairing_lost=state.running is not None and state.pairing.screen_id is None,
            refusal=state.pairing.refusal,
            no_playlist=reason is HouseReason.NO_PLAYLIST,
            nothing_scheduled=reason is HouseReason.NOTHING_SCHEDULED,
            next_at=state.showing.next_scheduled,
            missing=staged.missing if staged else {},
            rejections=tuple(
                part for part in state.rejections if part.code != "asset_lacking" and part not in state.faults
            ),
            faults=state.faults,
        )
    )


def findings(symptoms: Symptoms) -> tuple[Finding, ...]:
    """The findings, the worst first; none if nothing is wrong."""
    found = [
        *_of_display(symptoms.faults),
        *_of_service(symptoms),
        *_of_pairing(symptoms),
        *_of_content(symptoms),
        *_of_clock(symptoms),
        *_of_disk(symptoms.rejections),
        *_of_machine(symptoms.health),
    ]
    return tuple(sorted(found, key=lambda finding: _RANK[finding.severity]))


_RESTARTS = "The player restarts by itself. If this stays, restart the device; its log says more."
DISPLAY_ADVICE = {
    "no_screen": "Connect the screen and switch it on; the board shows at once.",
    "scene_fails": "Change or remove this scene and publish. The other scenes play on.",
    "version_fails": "Change the playlist and publish it again. What is sold out still counts.",
    "safe_card": "The player tries again every ten minutes, and when a new version is published.",
    "frames_stopped": "The player restarts with the screen's software. If this stays, restart the device.",
    "graphics_failed": "The player restarts, and draws without the graphics hardware if that does not help.",
    "display_broken": "Install the player again.",
    "event_failed": "Report it with the player's log. The board plays on.",
    "events_fail": "Report it with the player's log. The board plays on.",
}
"""What to do about a fault of the display or the player; others are met by a restart."""


def _of_display(faults: tuple[Rejection, ...]) -> Iterator[Finding]:
    for fault in faults:
        playing_on = fault.code in {"event_failed", "events_fail", "scene_fails", "version_fails"}
        yield Finding(
            code=fault.code,
            severity=Severity.WARNING if playing_on else Severity.FAULT,
            what=f"{fault.detail[:1].upper()}{fault.detail[1:]}.",
            why="" if fault.subject == "display" else f"It concerns {fault.subject}.",
            do=DISPLAY_ADVICE.get(fault.code, _RESTARTS),
        )


def _of_service(symptoms: Symptoms) -> Iterator[Finding]:
    trouble = symptoms.trouble
    if trouble is None:
        return
    passing = trouble in (Trouble.UNREACHABLE, Trouble.TIMEOUT, Trouble.FAULT)
    if passing and symptoms.failing_seconds < UNREACHABLE_AFTER_SECONDS:
        return
    service = symptoms.service or "the service"
    match trouble:
        case Trouble.UNREACHABLE | Trouble.TIMEOUT:
            what = f"{service} cannot be reached."
            do = "Check the network cable or the Wi-Fi, and that this network lets the device out to that address."
        case Trouble.TLS:
            what = f"No secure connection to {service} can be made."
            do = "Check the date and time of the device first. If they are right, something on this network stands in"
            do += " between, or the service's certificate has run out."
        case Trouble.CAPTIVE_PORTAL:
            what = f"Something on this network answers in place of {service}."
            do = "It looks like the log-in page of a guest network. Use another network, or let the device through."
        case Trouble.REFUSED:
            what = f"{service} does not accept this screen any more."
            do = "If the screen was not removed on purpose, pair it again with the code that it will show."
        case Trouble.IN_BETWEEN:
            what = f"Something on the way to {service} answers in its place."
            do = "See to the proxy, the filter or the firewall of this network: it must let the device through."
        case Trouble.FAULT:
            what = f"{service} answers with a fault."
            do = "This is for whoever runs the service. The board goes on with what it has."
        case Trouble.GARBAGE:
            what = f"{service} answers with something that this player does not understand."
            do = (
                "Check that the address is the service's own, and that the player is not older than the service allows."
            )
        case _:
            assert_never(trouble)
    severity = Severity.WARNING if symptoms.paired else Severity.FAULT
    yield Finding(code=f"service_{trouble}", severity=severity, what=what, why=symptoms.trouble_detail, do=do)


def _of_pairing(symptoms: Symptoms) -> Iterator[Finding]:
    service = symptoms.service or "the service"
    match symptoms.refusal:
        case None if symptoms.pairing_lost:
            what, why = "This screen has lost its pairing.", "Its credentials on the disk are gone or damaged."
        case None:
            return
        case Refusal.UNKNOWN:
            what = f"{service} does not know this screen any more."
            why = "Its database may have been restored from an older backup, or this is another service."
        case Refusal.REVOKED:
            what = f"{service} has removed this screen."
            why = f"Its menu stays for {GRACE_SECONDS / 86400:.0f} days in which the player runs, and is then deleted."
        case _:
            assert_never(symptoms.refusal)
    do = "Pair it again with the code on the screen. If this was a mistake of the service, it goes on by itself."
    yield Finding(code="pair_again", severity=Severity.WARNING, what=what, why=why, do=do)


def _of_content(symptoms: Symptoms) -> Iterator[Finding]:
    if symptoms.paired and symptoms.no_playlist:
        yield Finding(
            code="no_playlist",
            severity=Severity.FAULT,
            what="There is nothing to show.",
            why="No published playlist is assigned to this screen.",
            do="Assign a playlist to the screen, and publish it.",
        )
    if symptoms.nothing_scheduled:
        until = f" until {symptoms.next_at:%Y-%m-%d %H:%M} UTC" if symptoms.next_at else ""
        yield Finding(
            code="nothing_scheduled",
            severity=Severity.NOTE if symptoms.next_at else Severity.FAULT,
            what=f"No scene is scheduled{until}.",
            why="The schedules of the playlist and its scenes leave this time free.",
            do="If something should show now, widen a schedule, or add a scene without one.",
        )
    if symptoms.missing:
        yield Finding(
            code="assets_lacking",
            severity=Severity.WARNING,
            what=f"{_count(len(symptoms.missing), 'image or video is', 'images and videos are')} not on the device.",
            why=_some([f"{digest[:12]}…: {why}" for digest, why in symptoms.missing.items()]),
            do="The player downloads them again by itself. If this stays, upload them again and publish.",
        )
    parts = [part for part in symptoms.rejections if part.code != STATE_IN_MEMORY]
    if parts:
        yield Finding(
            code="parts_rejected",
            severity=Severity.WARNING,
            what=f"{_count(len(parts), 'part', 'parts')} cannot be used.",
            why=_some([f"{part.subject}: {part.detail}" for part in parts]),
            do="Correct these parts in the scene, item or device that is named. The rest of the board plays on.",
        )


def _of_clock(symptoms: Symptoms) -> Iterator[Finding]:
    if symptoms.clock is Trust.UNKNOWN:
        yield Finding(
            code="clock_unknown",
            severity=Severity.WARNING,
            what="The device does not know what time it is, so scenes with a schedule stand back.",
            why="The system clock is not synchronised, or impossible, and the service's time is not certain.",
            do="Connect the network, and let the device reach a time server (NTP, UDP port 123) or the service.",
        )


def _of_disk(rejections: tuple[Rejection, ...]) -> Iterator[Finding]:
    for refusal in rejections:
        if refusal.code == STATE_IN_MEMORY:
            yield Finding(
                code=STATE_IN_MEMORY,
                severity=Severity.FAULT,
                what="The device cannot write to its disk; what is new is lost when the player ends.",
                why=f"{refusal.subject}: {refusal.detail}.",
                do="Check that the card is neither worn out, full nor write-protected, and that the directory belongs"
                " to the player's user. Then restart the player.",
            )


def _of_machine(health: Health) -> Iterator[Finding]:
    if health.disk_free_bytes is not None and health.disk_free_bytes < DISK_LOW_BYTES:
        yield Finding(
            code="disk_low",
            severity=Severity.WARNING,
            what="The disk is nearly full; new images and videos may not fit.",
            why=f"{health.disk_free_bytes // 1024**2} MiB are free.",
            do="Delete what does not belong on the device, or use a larger card.",
        )
    if health.memory_available_bytes is not None and health.memory_available_bytes < MEMORY_LOW_BYTES:
        yield Finding(
            code="memory_low",
            severity=Severity.WARNING,
            what="The device is short of memory.",
            why=f"{health.memory_available_bytes // 1024**2} MiB are available.",
            do="Stop other programs on the device, or restart it.",
        )
    if health.temperature_celsius is not None and health.temperature_celsius >= HOT_CELSIUS:
        yield Finding(
            code="hot",
            severity=Severity.WARNING,
            what="The device is too hot.",
            why=f"It measures {health.temperature_celsius:.0f} °C.",
            do="Give it air: move it from behind the panel, or fit a heat sink or a fan.",
        )
    if health.throttled:
        yield Finding(
            code="throttled",
            severity=Severity.WARNING,
            what="The device has slowed itself down.",
            why="Its power supply is too weak, or it is too hot.",
            do="Use the maker's power supply and a short cable; then see to its cooling.",
        )


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _some(lines: list[str]) -> str:
    more = len(lines) - MAX_NAMED
    return "; ".join(lines[:MAX_NAMED]) + (f"; and {more} more" if more > 0 else "")
