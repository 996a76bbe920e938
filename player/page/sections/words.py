"""Times, sizes and durations as the page writes them; pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, tzinfo

from menu.documents.manifest import Location
from menu.documents.schedule import zone_named
from menu.text.phrase import Phrase, Spoken, SpokenDay, SpokenNumber, in_language, phrase, phrases
from player.domain.findings.finding import DAY, HOUR, MINUTE, SECOND, counted, sentence


class Marked(Spoken, frozen=True):
    """A value that the page writes in an HTML element of its own: a name in `bdi`, an instant in `time`."""

    content: str | Marked
    element: str
    instant: str = ""

    def in_locale(self, locale: str) -> str:
        content = self.content
        return content.in_locale(locale) if isinstance(content, Marked) else in_language(content, locale)


def name_of(text: str) -> Marked:
    """Marks a name that people gave, in any script and direction."""
    return Marked(text, "bdi")


_CLOCK = {
    0: "",
    -1: phrase("yesterday, {time}"),
    1: phrase("tomorrow, {time}"),
    None: phrase("{day}, {time}"),
}
_UNTIL = {
    0: phrase("at {time}"),
    -1: phrase("yesterday at {time}"),
    1: phrase("tomorrow at {time}"),
    None: phrase("on {day} at {time}"),
}
"""Templates by the days from today; None for any other day."""


class Times:
    """Writes instants in the location's time, and leaves out what is the same as now."""

    def __init__(self, now: datetime, location: Location | None) -> None:
        self.now = now
        named = zone_named(location.timezone) if location else None
        self.zone: tzinfo = named or UTC
        self.zone_name = location.timezone if location and named else "UTC"

    def local(self, moment: datetime) -> datetime:
        """Returns the instant on the location's clock."""
        return moment.astimezone(self.zone)

    def clock(self, moment: datetime, *, seconds: bool = False) -> Marked:
        """`14:05`, with the day if it is another one."""
        return self._written(moment, _CLOCK, seconds=seconds)

    def until(self, moment: datetime) -> Marked:
        """`at 14:05`, `tomorrow at 14:05` or `on 3 Mar at 14:05`."""
        return self._written(moment, _UNTIL)

    def ago(self, moment: datetime) -> Phrase:
        """`14:05, 20 minutes ago`; not to the second, which would be another text each second."""
        return phrase("{time}, {span} ago", time=self.clock(moment), span=self._roughly(moment))

    def since(self, moment: datetime) -> Phrase:
        """`14:05, for 20 minutes`."""
        return phrase("{time}, for {span}", time=self.clock(moment), span=self._roughly(moment))

    def _written(self, moment: datetime, words: Mapping[int | None, str], *, seconds: bool = False) -> Marked:
        local, today = self.local(moment), self.local(self.now)
        face = f"{local:%H:%M:%S}" if seconds else f"{local:%H:%M}"
        day = SpokenDay(local.date(), with_year=local.year != today.year, short=True)
        template = words.get((local.date() - today.date()).days, words[None])
        text = phrase(template, time=face, day=day) if template else face
        return Marked(text, "time", moment.astimezone(UTC).isoformat(timespec="seconds"))

    def _roughly(self, moment: datetime) -> Phrase:
        span = self.now - moment
        return phrase("less than a minute") if span < timedelta(minutes=1) else duration(span)


def duration(span: timedelta) -> Phrase:
    """Writes the largest unit that fits, and the next one of long spans: `20 minutes`, `3 days 4 hours`."""
    seconds = max(0, int(span.total_seconds()))
    for unit, below in zip((DAY, HOUR, MINUTE, SECOND), (HOUR, MINUTE, None, None), strict=True):
        number, rest = divmod(seconds, unit)
        if number:
            length, more = counted(number, unit), rest // below if below else 0
            return phrase("{length} {rest}", length=length, rest=counted(more, below)) if more and below else length
    return phrase("less than a second")


def size(number: int) -> Phrase:
    """`812 KB`, `34 MB`, `5.2 GB`: decimal, as storage is sold."""
    if number >= 10**9:
        return phrase("{number} GB", number=_rounded(number / 10**9))
    if number >= 10**6:
        return phrase("{number} MB", number=_rounded(number / 10**6))
    if number >= 10**3:
        return phrase("{number} KB", number=_rounded(number / 10**3))
    return phrases("{count} byte", "{count} bytes", count=number)


def _rounded(amount: float) -> SpokenNumber:
    return SpokenNumber(amount, decimals=1 if amount < 10 else 0)


def told(text: str) -> Phrase | Marked | None:
    """Returns a phrase unchanged; other text, which parts of the player or the service wrote, as a sentence. None for
    no text."""
    text = text if isinstance(text, Phrase) else sentence(text)
    return text if isinstance(text, Phrase) else name_of(text) if text else None
