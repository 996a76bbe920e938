"""Findings about pictures and films: damaged on the disk, missing, or on their way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from menu.documents.manifest import Rejection
from menu.text.phrase import Phrase, phrase, phrases
from player.domain.finding import Finding, Severity, Who, quoted
from player.domain.findings.finding import (
    at_stake,
    finding,
    joined,
    note,
    plain,
    plays_on,
    seconds_since,
    sentence,
    some,
)
from player.domain.playing.sync import ASSET_DAMAGED, is_held_back, missing_text
from player.domain.state import HouseReason, PlayerState


def of_damaged_files(state: PlayerState) -> Iterator[Finding]:
    """Pictures and films on the disk that are not what was stored."""
    damaged = [part.subject for part in state.rejections if part.code == ASSET_DAMAGED]
    if damaged:
        names = {part.subject: part.name for part in state.rejections if part.name and part.subject in damaged}
        yield finding(
            "files_damaged",
            phrases(
                "{count} picture or film on the device's disk is damaged.",
                "{count} pictures and films on the device's disk are damaged.",
                count=len(damaged),
            ),
            sentence(some([phrase("in {name}", name=quoted(name)) for name in names.values()])) if names else "",
            "The player fetches them again by itself, as soon as the service answers. If this comes again, the card"
            " wears out: replace it.",
            severity=at_stake(state),
            who=Who.NOBODY,
        )


def of_files(state: PlayerState) -> Iterator[Finding]:
    """Pictures and films that are not on the device: those of the current version, then of the next."""
    lacking = {part.subject: part for part in state.rejections if part.code == "asset_lacking"}
    yield from _of_running(state, lacking)
    yield from _of_staged(state, lacking)


def _of_running(state: PlayerState, lacking: Mapping[str, Rejection]) -> Iterator[Finding]:
    running = state.running
    if running is not None and running.missing:
        nothing = state.showing.house_reason is HouseReason.NOTHING_SHOWABLE
        yield finding(
            "files_missing",
            phrases(
                "{count} picture or film of the menu that shows is not on the device, so no scene can be shown.",
                "{count} pictures and films of the menu that shows are not on the device, so no scene can be shown.",
                count=len(running.missing),
            )
            if nothing
            else phrases(
                "{count} picture or film of the menu that shows is not on the device.",
                "{count} pictures and films of the menu that shows are not on the device.",
                count=len(running.missing),
            ),
            _why_missing(running.missing, lacking),
            _held_back(state)
            if (held := _are_held_back(running.missing))
            else phrase("The player fetches them again by itself. If this stays, upload them again and publish."),
            severity=Severity.FAULT if nothing else Severity.WARNING,
            who=Who.NETWORK if held else Who.OPERATOR if _tried(running.missing) else Who.NOBODY,
        )


def _of_staged(state: PlayerState, lacking: Mapping[str, Rejection]) -> Iterator[Finding]:
    running, staged = state.running, state.staged
    if staged is None or staged.key is None or staged.assets_remaining == 0:
        return
    failing = _tried({sha: why for sha, why in staged.missing.items() if running is None or sha not in running.missing})
    arrived = staged.assets - staged.assets_remaining
    progress = phrase("{arrived} of {all} pictures and films are here.", arrived=arrived, all=staged.assets)
    first = not plays_on(state)
    if failing:
        yield finding(
            "files_failing",
            phrases(
                "{count} picture or film of the new version cannot be fetched, so nothing can be shown yet.",
                "{count} pictures and films of the new version cannot be fetched, so nothing can be shown yet.",
                count=len(failing),
            )
            if first
            else phrases(
                "{count} picture or film of the new version cannot be fetched, so the version before it plays on.",
                "{count} pictures and films of the new version cannot be fetched, so the version before it plays on.",
                count=len(failing),
            ),
            joined(progress, _why_missing(failing, lacking)),
            _held_back(state)
            if (held := _are_held_back(failing))
            else phrase("The player goes on trying. If this stays, upload them again and publish."),
            severity=Severity.FAULT if first else Severity.WARNING,
            who=Who.NETWORK if held else Who.OPERATOR,
        )
    elif seconds_since(staged.since, state) >= 15.0 or first:
        yield note(
            "files_on_their_way",
            phrase("The pictures and films of the first menu are still on their way.")
            if first
            else phrase("The pictures and films of the new version are still on their way."),
            progress,
            "Wait. If the number does not grow, the line is too slow: use a faster one, or smaller films.",
            who=Who.NOBODY,
        )


def _why_missing(missing: Mapping[str, str | None], lacking: Mapping[str, Rejection]) -> str:
    told = [
        phrase("{name}: {why}", name=phrase("in {name}", name=quoted(lacking[sha].name)), why=plain(missing_text(why)))
        if sha in lacking and lacking[sha].name
        else plain(missing_text(why))
        for sha, why in missing.items()
    ]
    return sentence(some(told))


def _are_held_back(missing: Mapping[str, str | None]) -> bool:
    return any(is_held_back(why) for why in missing.values() if why is not None)


def _held_back(state: PlayerState) -> Phrase:
    return phrase(
        "A filter of this network, or what stands before the service, holds these files back: ask whoever runs it to"
        " let everything of {host} through. The player goes on trying.",
        host=urlsplit(state.device.service).hostname or phrase("the menu service"),
    )


def _tried(missing: Mapping[str, str | None]) -> Mapping[str, str]:
    return {sha: why for sha, why in missing.items() if why is not None}
