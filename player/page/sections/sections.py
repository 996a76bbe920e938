"""Words of the sections below the first: findings, connection, screen, clock, files and log; pure."""

from __future__ import annotations

from datetime import datetime, timedelta

from menu.text.phrase import Phrase, SpokenDay, SpokenNumber, phrase, phrases
from player.domain.finding import Who
from player.domain.findings.finding import plain
from player.domain.link.connection import Step
from player.domain.playing.holdings import Holding
from player.domain.state import PlayerState
from player.domain.time.clock import Trust
from player.page.sections.words import Marked, Times, duration, name_of

OWN_NAMES = {"en": "English", "de": "Deutsch", "es": "Español", "fr": "Français", "ar": "العربية"}
"""The page's languages, each by its own name."""

SIGNS = {"good": "✓", "note": "i", "warning": "!", "fault": "✕"}
"""Beside each colour, which is never needed alone."""
WHO = {
    Who.HERE: phrase("You, here at the screen"),
    Who.NETWORK: phrase("Whoever looks after this network"),
    Who.OPERATOR: phrase("Whoever looks after the menus"),
    Who.SERVICE: phrase("Whoever runs the menu service"),
    Who.NOBODY: phrase("Nobody has to: it mends itself"),
}
STEPS = {
    Step.LINK: phrase("Cable or Wi-Fi"),
    Step.ADDRESS: phrase("Address in this network"),
    Step.ROUTE: phrase("Way out of this network"),
    Step.NAME: phrase("Name of the service"),
    Step.TCP: phrase("Connection to the service"),
    Step.PROXY: phrase("Way through the proxy"),
    Step.TLS: phrase("Secure connection"),
    Step.HTTP: phrase("Answer"),
    Step.SERVICE: phrase("Answer is the menu service’s own"),
}
OUTCOMES = {
    True: ("good", "✓", phrase("works")),
    False: ("fault", "✕", phrase("fails")),
    None: ("note", "–", phrase("not tested")),
}
"""Marks of a step of the connection test: class, sign and word."""

LEVELS = {
    "CRITICAL": ("fault", phrase("Error")),
    "ERROR": ("fault", phrase("Error")),
    "WARNING": ("warning", phrase("Warning")),
}
TRUST = {
    Trust.TRUSTED: ("good", phrase("The device’s clock is synchronised.")),
    Trust.CORRECTED: (
        "note",
        phrase("The device’s clock is not synchronised; the player corrects it by the menu service’s time."),
    ),
    Trust.UNKNOWN: ("warning", phrase("The time is not known, so scenes with a schedule stand back.")),
}
NOT_RUNNING = phrase("not known: the player does not run")
_KINDS = {"image": phrase("Image"), "video": phrase("Video")}


def evidence(text: str) -> Phrase | Marked:
    """Describes the result of a step of the connection test."""
    return text if isinstance(text, Phrase) else name_of(plain(text))


def took(milliseconds: float | None) -> Phrase | None:
    if milliseconds is None:
        return None
    if milliseconds < 1000:
        return phrase("{number} ms", number=SpokenNumber(milliseconds))
    return phrase("{number} s", number=SpokenNumber(milliseconds / 1000, decimals=1))


def waits(state: PlayerState, times: Times) -> Phrase | None:
    """Describes the version that waits, and for what."""
    staged = state.staged
    if staged is None:
        return None
    what = phrase("no playlist") if staged.key is None else phrase("version {version}", version=staged.key.version)
    if staged.takes_over_at is not None:
        return phrase("{what}, shows {time}", what=what, time=times.until(staged.takes_over_at))
    if staged.assets_remaining:
        return phrases(
            "{what}, for {count} file that is still to be fetched",
            "{what}, for {count} files that are still to be fetched",
            what=what,
            count=staged.assets_remaining,
        )
    return phrase("{what}, at the end of this round of scenes", what=what)


def offset(offset: timedelta, now: datetime) -> Phrase | None:
    """Describes the player's correction of the device's clock, from a second on; `now` is the local time as it is
    corrected."""
    if abs(offset) < timedelta(seconds=1):
        return None
    if abs(offset) >= timedelta(days=1):
        return phrase("from {day}", day=SpokenDay((now - offset).date(), with_year=True))
    span = duration(abs(offset))
    return phrase("{span} forward", span=span) if offset > timedelta() else phrase("{span} back", span=span)


def differs(differs: timedelta | None, now: datetime) -> Phrase | None:
    """Compares the device's own clock, by which it is `now`, with the service's."""
    if not differs:
        return None
    if abs(differs) >= timedelta(days=1):
        return phrase("the menu service says {day}", day=SpokenDay((now + differs).date(), with_year=True))
    span = duration(abs(differs))
    if differs > timedelta():
        return phrase("{span} behind the menu service’s", span=span)
    return phrase("{span} ahead of the menu service’s", span=span)


def file_name(holding: Holding) -> Phrase:
    """Names an image or a video by its use in the menu."""
    kind = _KINDS.get(holding.media_type.partition("/")[0], phrase("File"))
    return phrase("{kind}: {name}", kind=kind, name=name_of(holding.used_by)) if holding.used_by else kind
