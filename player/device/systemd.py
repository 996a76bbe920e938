"""Notifies systemd of the start, the watchdog and the stop; does nothing if systemd did not start the player."""

from __future__ import annotations

import os

START_SECONDS = 240.0
"""A start from a slow card may take so long, as TimeoutStartSec= of the unit. Once loaded, the player has this time
again."""


def is_kept() -> bool:
    """True if systemd keeps this player: nobody reads its output as it ends, and it is restarted without limit."""
    return "NOTIFY_SOCKET" in os.environ


def sd_notify(*states: str) -> bool:
    """Sends `READY=1`, `WATCHDOG=1`, `STOPPING=1` or `STATUS=…`, as sd_notify(3); True if it was sent.

    Never blocks and never raises: a full socket costs one message.
    """
    address = os.environ.get("NOTIFY_SOCKET", "")
    if address[:1] not in ("/", "@"):
        return False
    # It takes 2 ms to load, which a start that nobody has to be told of does not spend.
    import socket

    if address.startswith("@"):
        address = "\0" + address[1:]
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK) as out:
            out.sendto("\n".join(" ".join(state.split()) for state in states).encode(), address)
    except OSError:
        return False
    return True


def ready(slowness: float = 1.0) -> tuple[str, ...]:
    """Returns the states for a player that is up. The watchdog waits as long as the unit sets from now on, on a slow
    machine as many times longer: the process before the player may have had it changed (`patient`)."""
    seconds = _watchdog_seconds()
    return patient(seconds * slowness) if seconds else ("READY=1",)


def loaded() -> str:
    """Returns the state for a loaded program, which gives the rest of the start its whole time."""
    return f"EXTEND_TIMEOUT_USEC={round(START_SECONDS * 1e6)}"


def patient(seconds: float) -> tuple[str, ...]:
    """Returns the states of a process that is up, and whose player may take so many seconds to come."""
    return ("READY=1", f"WATCHDOG_USEC={round(seconds * 1e6)}")


def watchdog_interval() -> float | None:
    """Seconds between two watchdog messages: half of what systemd allows; None without a watchdog."""
    return _watchdog_seconds() / 2 or None


def _watchdog_seconds() -> float:
    text = os.environ.get("WATCHDOG_USEC", "")
    return int(text) / 1e6 if text.isascii() and text.isdecimal() else 0.0
