"""Findings about the machine: power, memory, heat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from menu.text.phrase import SpokenNumber, phrase, phrases
from player.domain.finding import Finding, Severity, Who
from player.domain.findings.finding import finding, joined, note, sentence, some
from player.domain.state import PlayerState

PART_FAILED = "part_failed"
"""Code of the rejection that names a part of the player that fails."""

_PARTS: Mapping[str, str] = {
    "poll": phrase("the updates of the menu"),
    "downloads": phrase("the download of pictures and films"),
    "pairing": phrase("the pairing"),
    **dict.fromkeys(("heartbeat", "reach"), phrase("the reports to the service")),
    **dict.fromkeys(("writes", "write again"), phrase("storing on the disk")),
    **dict.fromkeys(("connection test", "lines", "network"), phrase("the test of the connection")),
    **dict.fromkeys(("page", "announcer", "addresses"), phrase("the page of this screen")),
}
"""Purposes of the tasks for the board; all others watch the device and the display."""

MEMORY_LOW_BYTES = 64 * 1024**2
"""Available memory below which the system begins to kill processes."""

MEMORY_WELL_BYTES = 96 * 1024**2
"""Available memory from which it is enough again."""

HOT_CELSIUS = 80.0
"""Temperature at which a Raspberry Pi begins to throttle."""

COOL_CELSIUS = 76.0
"""Temperature below which a device that was hot is not any more."""


def of_machine(state: PlayerState) -> Iterator[Finding]:
    """Yields findings from the device's gauges. A finding stays until the gauge is well past the bound."""
    health, found = state.health, state.found
    if health.under_voltage:
        yield finding(
            "under_voltage",
            "The device does not get enough power.",
            "It has measured too low a voltage since it was switched on.",
            "Use the maker's power supply and a short, thick cable, and no port of the television. Then switch the"
            " device off and on again.",
        )
    memory = health.memory_available_bytes
    if memory is not None and memory < (MEMORY_WELL_BYTES if "memory_low" in found else MEMORY_LOW_BYTES):
        yield finding(
            "memory_low",
            "The device is short of memory.",
            "{number} MB are available.",
            "Stop other programs on the device, or restart it.",
            number=memory // 1024**2,
        )
    heat = health.temperature_celsius
    hot = heat is not None and heat >= (COOL_CELSIUS if "hot" in found else HOT_CELSIUS)
    if hot:
        yield finding(
            "hot",
            "The device is too hot.",
            "It measures {number} °C.",
            "Give it air: move it from behind the panel, or fit a heat sink or a fan.",
            number=SpokenNumber(heat or 0.0),
        )
    if health.throttled:
        yield finding(
            "throttled",
            "The device has slowed itself down.",
            "Its power supply is too weak, or it is too hot.",
            "Use the maker's power supply and a short cable; then see to its cooling.",
        )


def of_restarts(state: PlayerState) -> Iterator[Finding]:
    """A player that crashes and is restarted."""
    if state.crashes:
        yield finding(
            "restarted",
            phrases(
                "The player has died once in the last day, and was started again.",
                "The player has died {count} times in the last day, and was started again.",
                count=state.crashes,
            ),
            joined(
                phrase("It was not told to end, and the device was not switched off meanwhile."),
                phrase("The system has ended programs since the device was switched on, because memory ran out.")
                if state.health.memory_kills
                else "",
            ),
            "If this goes on: free memory on the device, use the maker's power supply, and report it with the player's"
            " log.",
            severity=Severity.WARNING if state.crashes >= 3 else Severity.NOTE,
        )


def of_failed_parts(state: PlayerState) -> Iterator[Finding]:
    """Parts of the player that end with an error again and again."""
    failed = [part for part in state.rejections if part.code == PART_FAILED]
    if failed:
        watch = phrase("the watch over the device and its screen")
        yield finding(
            PART_FAILED,
            "A part of the player fails: {part}. The board goes on without it.",
            some([f"{part.subject}: {part.detail}" for part in failed]),
            "It is tried again by itself. If this stays for some minutes, restart the player, and report it with a"
            " support bundle: this is an error of the player.",
            part=some([_PARTS.get(part.subject, watch) for part in failed]),
        )


def of_updates(state: PlayerState) -> Iterator[Finding]:
    """A version that did not work, and was replaced by the previous one or cannot be, and updates that do not
    arrive."""
    if (taken_back := state.device.taken_back) is not None:
        yield finding(
            "update_taken_back",
            "Version {version} of the player did not work on this device, so the version before it is back.",
            sentence(taken_back.why),
            "Nothing has to be done here: the next version comes by itself. Report this one, with its number.",
            who=Who.SERVICE,
            version=taken_back.version,
        )
    if state.health.no_way_back:
        yield note(
            "no_way_back",
            "An update of the player that fails cannot be taken back on this device.",
            sentence(state.health.no_way_back),
            "Install the packages of a version that works, as with apt-get install --reinstall: the device keeps copies"
            " of them.",
            who=Who.SERVICE,
        )
    if state.health.refused_repositories:
        yield note(
            "updates_refused",
            "The device takes no updates from {repository}.",
            "They are not signed with a key that it knows.",
            "Ask the people who run the repository whether they have changed its key. If so, put the new one into"
            " /etc/apt/keyrings on the device; otherwise leave it as it is.",
            who=Who.SERVICE,
            repository=some(state.health.refused_repositories),
        )
