"""Findings about the disk: full, read-only, failing, too small, and what it held that was damaged."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from player.domain.events import Health
from player.domain.findings.finding import Finding, Severity, Who, at_stake, joined, plays_on, sentence, some, span
from player.domain.state import PlayerState
from player.domain.words.phrase import phrase

DISK_LOW_BYTES = 512 * 1024**2
"""Free space below which the next version may not fit."""

DISK_WELL_BYTES = 640 * 1024**2
"""Free space from which a disk that was low is well again: at a single bound the finding would come and go."""

DISK_FULL_BYTES = 4 * 1024**2
"""Free space below which not even the largest menu fits."""

SLOW_SECONDS = 2.0
"""To store a few bytes for good; a good card takes a fraction of a second, a busy one rarely as long three times."""

QUICK_SECONDS = 1.0
"""In which a disk that was slow is well again."""

STATE_IN_MEMORY = "state_in_memory"
"""Code of the rejection that says why nothing is written to the disk."""

_FAULTS = frozenset({"disk_full", "disk_read_only", "disk_failing", "disk_refused"})
"""Codes of what the disk may answer to a write."""

DISK_CODES = _FAULTS | {STATE_IN_MEMORY}
"""Text of a disk to which nothing can be written."""


def of_disk(state: PlayerState) -> Iterator[Finding]:
    """The finding for writes that fail, by their cause."""
    told = [part for part in state.rejections if part.code in _FAULTS]
    in_memory = next((part for part in state.rejections if part.code == STATE_IN_MEMORY), None)
    codes = {part.code for part in told}
    evidence = [sentence(part.detail) for part in (*([in_memory] if in_memory else ()), *told) if part.detail]
    if state.health.disk_failing or "disk_failing" in codes:
        # A file system that meets errors of its disk lets nothing more be written.
        cause = Finding(
            code="disk_failing",
            severity=Severity.FAULT,
            what=phrase("The device's disk fails when it is read or written."),
            why=some(evidence) or phrase("The file system has protected itself from the errors of the disk."),
            do=phrase(
                "Replace the card or the disk, and install the player again. The screen keeps its pairing only if the"
                " old card can still be copied."
            ),
        )
    elif state.health.disk_read_only or "disk_read_only" in codes:
        cause = Finding(
            code="disk_read_only",
            severity=Severity.FAULT,
            what=phrase("The device's disk is write-protected: nothing new can be stored."),
            why=some(evidence) or phrase("The file system is mounted read-only."),
            do=phrase(
                "If the card has a lock switch, open it. If not, the card is probably worn out: a system protects a"
                " failing disk in this way. Restart the device, and replace the card if it comes back."
            ),
        )
    elif is_full(state.health) or "disk_full" in codes:
        free = state.health.disk_free_bytes
        no_files = state.health.disk_free_files == 0
        found = phrase("It can hold no more files.") if no_files else ""
        cause = Finding(
            code="disk_full",
            severity=Severity.FAULT,
            what=phrase("The device's disk is full: new menus, pictures and films cannot be stored."),
            why=found or (some(evidence) if free is None else phrase("{number} MB are free.", number=free // 1024**2)),
            do=phrase(
                "Delete what does not belong on the device, or use a larger card. The player goes on by itself when"
                " there is room."
            ),
        )
    elif in_memory is not None or told:
        cause = Finding(
            code="disk_refused",
            severity=Severity.FAULT,
            what=phrase("The device cannot write to the player's directory."),
            why=some(evidence),
            do=phrase("Check that the directory belongs to the player's user, then restart the player."),
        )
    else:
        yield from _of_room(state)
        return
    if in_memory is not None:
        well = not told and not is_full(state.health) and state.health.disk_read_only is False
        yield Finding(
            code=STATE_IN_MEMORY,
            severity=Severity.FAULT,
            what=phrase(
                "{what} The board goes on from memory, and loses what is new when the player ends.", what=cause.what
            ),
            why=cause.why,
            do=cause.do
            if not well
            else phrase("{do} The disk is used again after a restart of the player.", do=cause.do),
            who=cause.who,
        )
    else:
        yield cause


def of_pace(state: PlayerState) -> Iterator[Finding]:
    """A disk that takes long to store even little."""
    took = state.health.disk_sync_seconds
    if took is not None and took >= (QUICK_SECONDS if "disk_slow" in state.found else SLOW_SECONDS):
        yield Finding(
            code="disk_slow",
            severity=Severity.WARNING,
            what=phrase("The card or disk of the device is very slow, so new menus, pictures and films come late."),
            why=phrase(
                "Each of the last small files took {span} or more until it was stored; a good card takes a fraction of"
                " a second. The line is not the reason.",
                span=span(timedelta(seconds=took)),
            ),
            do=phrase(
                "Switch the device off and on again. If this comes back, the card is worn out or of a poor kind:"
                " replace it."
            ),
        )


def of_space(state: PlayerState) -> Iterator[Finding]:
    """A disk that will be full before long."""
    free = state.health.disk_free_bytes
    bound = DISK_WELL_BYTES if "disk_low" in state.found else DISK_LOW_BYTES
    if free is not None and free < bound and not is_full(state.health):
        yield Finding(
            code="disk_low",
            severity=Severity.WARNING,
            what=phrase("The device's disk is nearly full; new pictures and films may not fit."),
            why=phrase("{number} MB are free.", number=free // 1024**2),
            do=phrase("Delete what does not belong on the device, or use a larger card."),
        )


def of_stored_files(state: PlayerState) -> Iterator[Finding]:
    """Damage that a start has found on the disk, and got over."""
    damaged = [part for part in state.rejections if part.code == "state_corrupt"]
    if damaged:
        yield Finding(
            code="state_damaged",
            severity=Severity.NOTE,
            what=phrase("Some of what the player had stored was damaged, as after a power cut. The board plays on."),
            why=some([sentence(part.detail) for part in damaged]),
            do=phrase("If this comes again without a power cut, the card wears out: replace it."),
        )


def is_full(health: Health) -> bool:
    """Whether nothing more fits on the disk."""
    free = health.disk_free_bytes
    return (free is not None and free < DISK_FULL_BYTES) or health.disk_free_files == 0


def refuses(health: Health) -> bool:
    """Whether nothing can be stored on the disk, by the machine's own word."""
    return is_full(health) or bool(health.disk_read_only or health.disk_failing)


def _of_room(state: PlayerState) -> Iterator[Finding]:
    refused = [part for part in state.rejections if part.code == "no_room"]
    if refused:
        yield Finding(
            code="no_room",
            severity=at_stake(state),
            what=phrase("The pictures and films of the new version do not fit on the device's disk."),
            why=joined(
                some([sentence(part.detail) for part in refused]),
                phrase("The version that shows goes on.")
                if plays_on(state)
                else phrase("There is no other version that could show, so the screen shows no menu."),
            ),
            do=phrase(
                "Delete what does not belong on the device, use a larger card, or make the films smaller and publish"
                " again."
            ),
            who=Who.HERE,
        )
