"""Times, sizes and durations as the page writes them; pure."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo

from player.diagnostics.page.markup import Html, join, tag
from player.domain.manifest import Location
from player.domain.schedule import zone_named

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_UNITS = ((86400, "day", "days"), (3600, "hour", "hours"), (60, "minute", "minutes"), (1, "second", "seconds"))


class Times:
    """Writes instants in the location's time, and leaves out what is the same as now."""

    def __init__(self, now: datetime, location: Location | None) -> None:
        self.now = now
        named = zone_named(location.timezone) if location else None
        self.zone: tzinfo = named or UTC
        self.zone_name = location.timezone if location and named else "UTC"

    def local(self, moment: datetime) -> datetime:
        """The instant on the location's clock."""
        return moment.astimezone(self.zone)

    def clock(self, moment: datetime, *, seconds: bool = False) -> Html:
        """`14:05`, with the day if it is another one."""
        local, today = self.local(moment), self.local(self.now)
        text = f"{local:%H:%M:%S}" if seconds else f"{local:%H:%M}"
        if local.date() != today.date():
            text = f"{_day(local, today)}, {text}"
        return tag("time", text, datetime=moment.astimezone(UTC).isoformat(timespec="seconds"))

    def until(self, moment: datetime) -> Html:
        """`at 14:05`, `tomorrow at 14:05` or `on 3 Mar at 14:05`."""
        local, today = self.local(moment), self.local(self.now)
        text = f"at {local:%H:%M}" if local.date() == today.date() else f"{_on_day(local, today)} at {local:%H:%M}"
        return tag("time", text, datetime=moment.astimezone(UTC).isoformat(timespec="seconds"))

    def ago(self, moment: datetime) -> Html:
        """`14:05, 20 minutes ago`; not to the second, which would be another text each second."""
        span = self.now - moment
        text = "less than a minute" if span < timedelta(minutes=1) else duration(span)
        return join(self.clock(moment), f", {text} ago")

    def since(self, moment: datetime) -> Html:
        """`14:05, for 20 minutes`."""
        span = self.now - moment
        text = "less than a minute" if span < timedelta(minutes=1) else duration(span)
        return join(self.clock(moment), f", for {text}")


def _day(local: datetime, today: datetime) -> str:
    days = (local.date() - today.date()).days
    near = {-1: "yesterday", 1: "tomorrow"}.get(days)
    if near:
        return near
    return f"{local.day} {MONTHS[local.month - 1]}" + (f" {local.year}" if local.year != today.year else "")


def _on_day(local: datetime, today: datetime) -> str:
    day = _day(local, today)
    return day if day.isalpha() else f"on {day}"


def duration(span: timedelta) -> str:
    """The largest unit that fits, and the next one of long spans: `20 minutes`, `3 days 4 hours`."""
    seconds = max(0, int(span.total_seconds()))
    for index, (size, one, many) in enumerate(_UNITS):
        number, rest = divmod(seconds, size)
        if number:
            text = f"{number} {one if number == 1 else many}"
            if index < 2:
                below, one, many = _UNITS[index + 1]
                more = rest // below
                text += f" {more} {one if more == 1 else many}" if more else ""
            return text
    return "less than a second"


def size(number: int) -> str:
    """`812 KB`, `34 MB`, `5.2 GB`: decimal, as shops sell them."""
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("KB", 10**3)):
        if number >= factor:
            amount = number / factor
            return f"{amount:.1f} {unit}" if amount < 10 else f"{amount:.0f} {unit}"
    return count(number, "byte", "bytes")


def count(number: int, one: str, many: str) -> str:
    """`1 file`, `3 files`."""
    return f"{number} {one if number == 1 else many}"


def sentence(text: str) -> str:
    """With a full stop at the end, and a capital at the beginning unless that is an address."""
    text = text.strip()
    if not text:
        return ""
    first, _, _ = text.partition(" ")
    is_word = first.rstrip(",:;").isalpha()
    return f"{text[:1].upper() if is_word else text[:1]}{text[1:]}{'' if text[-1] in '.!?…' else '.'}"


_DAYS = re.compile(r"\b(?:mon|tue|wed|thu|fri|sat|sun)\b")


def schedule(described: str) -> str:
    """A schedule as the timeline describes it, with names of days as people write them."""
    text = described.removeprefix("scene: ").removeprefix("entry: ").replace("; entry: ", ", and there ")
    return _DAYS.sub(lambda day: day[0].capitalize(), text).replace(",", ", ").replace(",  ", ", ")
