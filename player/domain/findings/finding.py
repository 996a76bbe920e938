"""Texts that findings are made of; pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from functools import partial

from menu.documents.schedule import local_time
from menu.text.phrase import Phrase, SpokenDay, WholeSentence, phrase, phrases
from player.domain.finding import Finding, Severity, Who
from player.domain.state import HouseReason, PlayerState
from player.domain.time.clock import Trust

MAX_NAMED = 5
"""Parts, scenes and files that a finding lists; the rest is counted."""


def finding(
    code: str,
    what: str,
    why: str,
    do: str,
    *,
    severity: Severity = Severity.WARNING,
    who: Who = Who.HERE,
    **values: object,
) -> Finding:
    """Makes a finding of its texts and the values in them. A text from another part is a `sentence` already."""
    what, why, do = (text if isinstance(text, Phrase) else phrase(text, **values) for text in (what, why, do))
    return Finding(code, severity, what, why, do, who)


fault = partial(finding, severity=Severity.FAULT)
note = partial(finding, severity=Severity.NOTE)


_INNER_WORDS = (
    (re.compile(r"\[Errno -?\d+\] ?"), ""),
    (re.compile(r"\[(SSL|X509)(: \w+)?\] ?"), ""),
    (re.compile(r" ?\(_ssl\.c:\d+\)"), ""),
    (re.compile(r"\b(sha256:)?[0-9a-f]{32,}…?"), "…"),
    (re.compile(r"\b(?:[a-z]{2,8}_)?[0-9a-f]{24,}\b"), "…"),
)
"""Parts of other programs' sentences that nobody in front of a screen can use."""


def plain(text: str) -> str:
    """Returns a sentence of another part without details only for programs; a phrase has none."""
    if isinstance(text, Phrase):
        return text
    for pattern, words in _INNER_WORDS:
        text = pattern.sub(words, text)
    return text.strip()


def sentence(text: str) -> str:
    """Returns it as a whole sentence; empty if there is none."""
    return phrase("{sentence}", sentence=WholeSentence(plain(text)))


def some(parts: Sequence[str]) -> str:
    """Returns the first of the parts, and the number of the others."""
    first, *others = tuple(dict.fromkeys(parts)) or ("",)
    for part in others[: MAX_NAMED - 1]:
        first = phrase("{one}; {other}", one=first, other=part)
    more = len(others) - MAX_NAMED + 1
    return phrase("{one}; and {count} more", one=first, count=more) if more > 0 else first


def explained(parts: Iterable[tuple[str, str]]) -> str:
    """Lists parts by their names, each with the reason."""
    return sentence(some([phrase("{name}: {why}", name=name, why=plain(why)) for name, why in parts]))


def joined(*sentences: str) -> str:
    """Joins sentences; empty ones are left out."""
    first, *others = [one for one in sentences if one] or [""]
    for other in others:
        first = phrase("{one} {other}", one=first, other=other)
    return first


DAY, HOUR, MINUTE, SECOND = 86_400, 3_600, 60, 1


def span(length: timedelta) -> Phrase:
    """Formats a length of time, roughly: `12 seconds`, `4 minutes`, `2 hours`, `3 days`."""
    seconds = round(abs(length.total_seconds()))
    if round(seconds / HOUR) >= 24:
        unit = DAY
    elif round(seconds / MINUTE) >= 60:
        unit = HOUR
    else:
        unit = MINUTE if seconds >= MINUTE else SECOND
    return counted(round(seconds / unit), unit)


def counted(number: int, unit: int) -> Phrase:
    """Formats a number of units of so many seconds: `3 days`."""
    match unit:
        case 86_400:
            return phrases("{count} day", "{count} days", count=number)
        case 3_600:
            return phrases("{count} hour", "{count} hours", count=number)
        case 60:
            return phrases("{count} minute", "{count} minutes", count=number)
        case _:
            return phrases("{count} second", "{count} seconds", count=number)


def plays_on(state: PlayerState) -> bool:
    """Whether guests see a menu, or none only because the schedule has none, despite other faults."""
    match state.showing.house_reason:
        case HouseReason.NOTHING_SHOWABLE:
            return False
        case HouseReason.NOTHING_SCHEDULED:
            return state.clock.trust is not Trust.UNKNOWN
        case _:
            return state.running is not None


def at_stake(state: PlayerState) -> Severity:
    """Returns the severity of a possible obstacle to showing the menu: a fault while no menu is displayed."""
    return Severity.WARNING if plays_on(state) else Severity.FAULT


def seconds_since(instant: datetime | None, state: PlayerState) -> float:
    """Returns seconds from then until now; 0 for None."""
    return (state.at - instant).total_seconds() if instant is not None else 0.0


def spoken_time(instant: datetime, state: PlayerState) -> str:
    """Formats an instant in the time of the state's location (UTC where none is known), with its day unless that is
    today."""
    zone = state.location.timezone if state.location else "UTC"
    local, today = local_time(instant, zone), local_time(state.at, zone)
    clock = f"{local:%H:%M}" + ("" if state.location else " UTC")
    if local.date() == today.date():
        return clock
    return phrase("{day} at {time}", day=SpokenDay(local.date(), with_year=local.year != today.year), time=clock)
