"""Findings about the disk: full, read-only, failing, too small, and what it held that was damaged."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from menu.text.phrase import phrase
from player.domain.events import Health
from player.domain.finding import Finding
from player.domain.findings.finding import at_stake, fault, finding, joined, plays_on, sentence, some, span
from player.domain.recovery.fault_texts import DISK
from player.domain.state import PlayerState

DISK_LOW_BYTES = 512 * 1024**2
"""Free space below which the next version may not fit."""

DISK_WELL_BYTES = 640 * 1024**2
"""Free space from which a disk that was low is well again: at a single bound the finding would come and go."""

QUICK_SECONDS = 1.0
"""A disk that was slow is well again when it stores a few bytes within this time."""

STATE_IN_MEMORY = "state_in_memory"
"""Code of the rejection that says why nothing is written to the disk."""

DISK_CODES = frozenset(DISK) | {STATE_IN_MEMORY}
"""Codes of a disk to which nothing can be written."""


def of_disk(state: PlayerState) -> Iterator[Finding]:
    """Yields the finding for failing writes, by their cause."""
    health = state.health
    told = [part for part in state.rejections if part.code in DISK]
    in_memory = next((part for part in state.rejections if part.code == STATE_IN_MEMORY), None)
    codes = {part.code for part in told}
    evidence = some([sentence(part.detail) for part in (*([in_memory] if in_memory else ()), *told) if part.detail])
    # A file system that meets errors of its disk lets nothing more be written.
    if health.disk_failing or "disk_failing" in codes:
        code, why = (
            "disk_failing",
            evidence or phrase("The file system has protected itself from the errors of the disk."),
        )
    elif health.disk_read_only or "disk_read_only" in codes:
        code, why = "disk_read_only", evidence or phrase("The file system is mounted read-only.")
    elif is_full(health) or "disk_full" in codes:
        code, free = "disk_full", health.disk_free_bytes
        why = evidence if free is None else phrase("{number} MB are free.", number=free // 1024**2)
        why = phrase("It can hold no more files.") if health.disk_free_files == 0 else why
    elif in_memory is not None or told:
        code, why = "disk_refused", evidence
    else:
        yield from _of_room(state)
        return
    what, do = phrase(DISK[code].what), phrase(DISK[code].do)
    if in_memory is not None:
        what = phrase("{what} The board goes on from memory, and loses what is new when the player ends.", what=what)
        if not told and not is_full(health) and health.disk_read_only is False:
            do = phrase("{do} The disk is used again after a restart of the player.", do=do)
        code = STATE_IN_MEMORY
    yield fault(
        code,
        what,
        why,
        do,
    )


def of_pace(state: PlayerState) -> Iterator[Finding]:
    """A disk that stores even small data slowly."""
    took = state.health.disk_sync_seconds
    # A good card takes a fraction of a second to store a few bytes for good, a busy one rarely 2 s three times.
    if took is not None and took >= (QUICK_SECONDS if "disk_slow" in state.found else 2.0):
        yield finding(
            "disk_slow",
            "The card or disk of the device is very slow, so new menus, pictures and films come late.",
            "Each of the last small files took {span} or more until it was stored; a good card takes a fraction of a"
            " second. The line is not the reason.",
            "Switch the device off and on again. If this comes back, the card is worn out or of a poor kind: replace"
            " it.",
            span=span(timedelta(seconds=took)),
        )


def of_space(state: PlayerState) -> Iterator[Finding]:
    """A disk that will be full before long."""
    free = state.health.disk_free_bytes
    bound = DISK_WELL_BYTES if "disk_low" in state.found else DISK_LOW_BYTES
    if free is not None and free < bound and not is_full(state.health):
        yield finding(
            "disk_low",
            "The device's disk is nearly full; new pictures and films may not fit.",
            "{number} MB are free.",
            "Delete what does not belong on the device, or use a larger card.",
            number=free // 1024**2,
        )


def is_full(health: Health) -> bool:
    free = health.disk_free_bytes
    return (free is not None and free < 4 * 1024**2) or health.disk_free_files == 0  # Not even the largest menu fits.


def refuses(health: Health) -> bool:
    """Whether nothing can be stored on the disk, according to the machine."""
    return is_full(health) or bool(health.disk_read_only or health.disk_failing)


def _of_room(state: PlayerState) -> Iterator[Finding]:
    refused = [part for part in state.rejections if part.code == "no_room"]
    if refused:
        yield finding(
            "no_room",
            "The pictures and films of the new version do not fit on the device's disk.",
            joined(
                some([sentence(part.detail) for part in refused]),
                phrase("The version that shows goes on.")
                if plays_on(state)
                else phrase("There is no other version that could show, so the screen shows no menu."),
            ),
            "Delete what does not belong on the device, use a larger card, or make the films smaller and publish"
            " again.",
            severity=at_stake(state),
        )
