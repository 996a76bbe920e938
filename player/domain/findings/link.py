"""Findings about the link: a cable or a Wi-Fi that comes and goes, and a Wi-Fi that is weak."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from player.domain.finding import Finding, Severity
from player.domain.findings.finding import seconds_since, spoken_time
from player.domain.state import PlayerState
from player.domain.words.phrase import phrase, phrases

POOR_SIGNAL = -78
"""dBm; over a Wi-Fi with less, films may take long, and calls fail when a door is shut."""

FAIR_SIGNAL = -74
"""dBm, from which a weak Wi-Fi is well again."""

LOOSE_LINKS = 3
LOOSE_SECONDS = 300.0
"""A cable or a Wi-Fi that is lost so often in such a time comes and goes; a network box that starts loses it twice."""
QUIET_SECONDS = 180.0
"""After which it does so no more."""
BACK_SECONDS = 60.0
"""The time for which a lost link is told, once it is back."""


def loose_link(state: PlayerState) -> Finding | None:
    """The finding for a link that comes and goes, or has just come back."""
    ages = [seconds_since(at, state) for at in state.links_lost]
    lost = sum(0 <= age < LOOSE_SECONDS for age in ages)
    is_loose = lost >= LOOSE_LINKS and 0 <= ages[-1] < QUIET_SECONDS
    if not is_loose and not (lost and 0 <= ages[-1] < BACK_SECONDS and _reached_since(state.links_lost[-1], state)):
        return None
    last = spoken_time(state.links_lost[-1], state)
    return Finding(
        code="connection_unstable",
        severity=Severity.WARNING if is_loose else Severity.NOTE,
        what=phrase("The connection of the device to the network of the shop comes and goes.")
        if is_loose
        else phrase("The device had lost the network of the shop for a moment, and is back."),
        why=phrases(
            "The cable or the Wi-Fi was lost {count} time in the last minutes, at {time}.",
            "The cable or the Wi-Fi was lost {count} times in the last minutes, last at {time}.",
            count=lost,
            time=last,
        ),
        do=phrase(
            "Push the cable in at the device and at the box until it clicks, and try another cable and another socket"
            " of the box. On Wi-Fi: move the device or the access point closer together, or use a cable."
        )
        if is_loose
        else phrase("If this happens again, push the cable in at both ends, or see to the Wi-Fi."),
    )


def _reached_since(instant: datetime, state: PlayerState) -> bool:
    answer, test = state.contact.last_answer_at, state.connection
    return (answer is not None and answer >= instant) or (
        test is not None and test.at >= instant and test.failure is None
    )


def of_wifi(state: PlayerState) -> Iterator[Finding]:
    """A weak Wi-Fi over which everything works, so far."""
    if signal(state) <= (FAIR_SIGNAL if "wifi_weak" in state.found else POOR_SIGNAL):
        yield Finding(
            code="wifi_weak",
            severity=Severity.NOTE,
            what=phrase("The Wi-Fi signal at the device is weak. The board works, and may lose the service at times."),
            why=phrase(
                "It measures {signal} dBm; {fair} dBm or more is fair.",
                signal=str(signal(state)),
                fair=str(FAIR_SIGNAL),
            ),
            do=phrase("Move the device or the Wi-Fi access point closer together, or use a cable."),
        )


def signal(state: PlayerState) -> int:
    """Signal of the Wi-Fi that leads out of the shop, in dBm; 0 where it is not known, or there is none."""
    return 0 if state.wifi_signal is None else state.wifi_signal
