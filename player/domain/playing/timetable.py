"""Today's timetable: when each entry of the running version may show on the location's day; pure."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from msgspec import Struct

from menu.documents.schedule import Span, instant
from menu.rules.timeline import Unshowable
from player.domain.playing.playback import Playback


class TimetableRow(Struct, frozen=True, kw_only=True):
    """An entry, and when its schedules allow it today; `unshowable` says why it cannot be shown at all."""

    entry_id: str
    scene_name: str
    duration_seconds: int
    spans: tuple[Span, ...]
    unshowable: Unshowable | None = None


class Timetable(Struct, frozen=True, kw_only=True):
    """Location's day from midnight to midnight, which may last 23 or 25 hours; entries in playlist order."""

    start: datetime
    end: datetime
    rows: tuple[TimetableRow, ...]


def timetable(playback: Playback, now: datetime) -> Timetable:
    zone = ZoneInfo(playback.location.timezone)
    midnight = now.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    start, end = instant(midnight, zone), instant(midnight + timedelta(days=1), zone)
    spans = playback.timeline.spans(start, end, unshowable=playback.unshowable.keys())
    scenes = playback.version.scenes
    return Timetable(
        start=start,
        end=end,
        rows=tuple(
            TimetableRow(
                entry_id=entry.id,
                scene_name=scenes[entry.scene_id].name,
                duration_seconds=entry.duration_seconds,
                spans=spans.get(entry.id, ()),
                unshowable=playback.unshowable.get(entry.id),
            )
            for entry in playback.version.entries
        ),
    )
