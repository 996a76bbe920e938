"""Short constructors for versions, schedules and instants."""

from collections.abc import Iterable
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from menu.documents.manifest import Entry, PlaylistVersion, VersionKey
from menu.documents.scene import Scene
from menu.documents.schedule import DAY_NAMES, Daypart, Schedule, Window

BERLIN = ZoneInfo("Europe/Berlin")
NEW_YORK = ZoneInfo("America/New_York")


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def at(text: str, zone: ZoneInfo = BERLIN, *, fold: int = 0) -> datetime:
    """The instant at which clocks in `zone` show `text`; for `fold` 1 the second one."""
    return datetime.fromisoformat(text).replace(tzinfo=zone, fold=fold).astimezone(UTC)


def daily(
    start: str, end: str, *days: str, timezone: str | None = None, priority: int = 0, but_not: Iterable[str] = ()
) -> Daypart:
    def minutes(face: str) -> int:
        hours, rest = face.split(":")
        return int(hours) * 60 + int(rest)

    return Daypart(
        days=frozenset(DAY_NAMES.index(day) for day in days),
        start=minutes(start),
        end=minutes(end),
        timezone=timezone,
        priority=priority,
        exceptions=frozenset(date.fromisoformat(day) for day in but_not),
    )


def window(start: str, end: str, timezone: str | None = None, priority: int = 0) -> Window:
    return Window(
        starts_at=datetime.fromisoformat(start),
        ends_at=datetime.fromisoformat(end),
        timezone=timezone,
        priority=priority,
    )


def entry(
    name: str,
    seconds: int = 10,
    *,
    scene: Iterable[Schedule] = (),
    only: Schedule | None = None,
    entry_never: str | None = None,
    scene_never: str | None = None,
    unreadable: str | None = None,
) -> tuple[Entry, Scene]:
    """An entry and its scene: `scene` are the schedules of the scene, `only` is that of the entry."""
    return (
        Entry(id=name, scene_id=f"scene-{name}", duration_seconds=seconds, schedule=only, never=entry_never),
        Scene(id=f"scene-{name}", name=name, schedules=tuple(scene), never=scene_never, unreadable=unreadable),
    )


def version(*parts: tuple[Entry, Scene]) -> PlaylistVersion:
    return PlaylistVersion(
        key=VersionKey(playlist_id="pl", version=1),
        name="A playlist",
        published_at=datetime(2026, 1, 1, tzinfo=UTC),
        entries=tuple(part[0] for part in parts),
        scenes={part[1].id: part[1] for part in parts},
        assets={},
    )
