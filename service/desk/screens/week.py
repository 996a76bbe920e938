"""Week of a screen, or of a playlist at a location: a calendar of blocks that link to their beginning."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Annotated, Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from fastapi import Query
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from service.core.errors import ProblemError
from service.desk.desk import Desk, everything
from service.desk.playlists.playlists import PLAYLISTS
from service.desk.problems import sentence_of
from service.desk.routing import desk_routes
from service.desk.said import Said
from service.desk.screens.moment import address_of, tone_of, tones_of
from service.desk.screens.reasons import house_in_words, unshowable_in_words
from service.desk.screens.screens import SCREENS
from service.desk.times import day_of, midnight
from service.desk.visits import MayRead
from service.desk.words import Phrase, phrase
from service.schema.devices.moment import SpanResponse, TimetableResponse
from service.schema.places.location import LocationResponse
from service.services.access.access import Access
from service.services.devices.screens import ScreenFilter

ROW_MINUTES = 30
"""A row of the calendar; a shorter block has a whole one."""
DAY_ROWS = 24 * 60 // ROW_MINUTES
DAYS = 7

Day = Annotated[str, Query(alias="date", max_length=40)]


@dataclass(frozen=True, slots=True)
class Block:
    """A span of a day, its height in rows of the calendar, and why boards that are due do not show."""

    rows: int
    time: str
    until: str
    tone: str
    names: Sequence[str]
    instead_of: Sequence[str]
    faults: Sequence[tuple[str, Phrase]]
    override: str | None
    why: Phrase
    href: str | None
    goes_on: bool
    """Whether it has begun the day before."""


@dataclass(frozen=True, slots=True)
class Mark:
    """An event on a day, beside the blocks."""

    time: str
    text: str | Phrase
    href: str | None


@dataclass(frozen=True, slots=True)
class Column:
    """A day."""

    day: date
    blocks: Sequence[Block]
    marks: Sequence[Mark]


routes = desk_routes(Desk)


def _monday(desk: Desk, day: str, zone: str) -> tuple[date, Said | None]:
    today = desk.now().astimezone(ZoneInfo(zone)).date()
    try:
        chosen, said = (day_of(day) if day else today), None
    except ProblemError as problem:
        chosen, said = today, Said(sentence_of(problem), kind="fault")
    return chosen - timedelta(days=chosen.weekday()), said


@routes.get(SCREENS + "/{screen}/week")
async def show_week(desk: Desk, screen: str, visit: MayRead, day: Day = "") -> Response:
    """Returns the week of a screen in which a day lies; this one by default."""
    found = await run_in_threadpool(desk.services.screens.get, visit.access, screen, now=desk.now())
    location = await run_in_threadpool(desk.services.locations.get, visit.access, found.location)
    first, said = _monday(desk, day, location.timezone)
    told = await desk.services.moments.timetable(visit.access, screen, *_ends(first, location.timezone))
    playlist = found.playlist
    shown = await run_in_threadpool(_shown, visit.access, desk, told, first, screen, playlist, location)
    path = f"{SCREENS}/{screen}/week"
    more: dict[str, Any] = {"name": found.name, "screen": found, "path": path, "status": 422 if said else 200}
    return visit.page("week", said=said, locations={}, **shown, **more)


@routes.get(PLAYLISTS + "/{playlist}/week")
async def show_week_of_playlist(
    desk: Desk, playlist: str, visit: MayRead, location: Annotated[str, Query(max_length=100)] = "", day: Day = ""
) -> Response:
    """Returns the week of the published playlist at a location, that of a screen that plays it by default."""
    found = await run_in_threadpool(desk.services.playlists.get, visit.access.workspace, playlist)
    places = await run_in_threadpool(desk.locations, visit.access)
    chosen = ScreenFilter(playlist=playlist)
    screens = await run_in_threadpool(
        lambda: list(
            everything(lambda page: desk.services.screens.list(visit.access, page, chosen=chosen, now=desk.now()))
        )
    )
    there = places.get(location) or next((places[one.location] for one in screens if one.location in places), None)
    there = there or next(iter(places.values()), None)
    path = f"{PLAYLISTS}/{playlist}/week"
    common: dict[str, Any] = {"name": found.name, "screen": None, "path": path, "locations": places}
    if there is None:
        return visit.page("week", location=None, columns=[], playlist=playlist, **common)
    first, said = _monday(desk, day, there.timezone)
    told = await desk.services.moments.timetable_at(visit.access, playlist, there.id, *_ends(first, there.timezone))
    screen = next((one.id for one in screens if one.location == there.id), None)
    shown = await run_in_threadpool(_shown, visit.access, desk, told, first, screen, playlist, there)
    return visit.page("week", said=said, status=422 if said else 200, **shown, **common)


def _ends(first: date, zone: str) -> tuple[datetime, datetime]:
    return midnight(first, zone), midnight(first + timedelta(days=DAYS), zone)


def _shown(
    access: Access,
    desk: Desk,
    told: TimetableResponse,
    first: date,
    screen: str | None,
    playlist: str | None,
    location: LocationResponse,
) -> dict[str, Any]:
    tones, zone = tones_of(told.spans), told.timezone
    days = [first + timedelta(days=number) for number in range(DAYS)]
    marks = _marks(access, desk, playlist, location, screen, days)
    return {
        "location": location,
        "playlist": playlist,
        "zone": zone,
        "whole": told.whole,
        "columns": [Column(day, _blocks(told.spans, tones, day, zone, screen), marks.get(day, [])) for day in days],
        "today": desk.now().astimezone(ZoneInfo(zone)).date(),
        "before": first - timedelta(days=DAYS),
        "after": first + timedelta(days=DAYS),
        "scrub_at": address_of(screen, desk.now()) if screen else None,
        "query": urlencode({"location": location.id}),
        "row_hours": range(0, 24, 2),
    }


def _blocks(
    spans: Sequence[SpanResponse], tones: Mapping[tuple[str, ...], str], day: date, zone: str, screen: str | None
) -> list[Block]:
    begin, end = midnight(day, zone), midnight(day + timedelta(days=1), zone)
    found: list[Block] = []
    used = 0
    for one in spans:
        since, until = (datetime.fromisoformat(text) for text in (one.from_, one.to))
        if until <= begin or since >= end:
            continue
        starts, ends = max(since, begin), min(until, end)
        # By the share of the day, which has 23 or 25 hours where the clocks change.
        last = round((ends - begin) / (end - begin) * DAY_ROWS)
        rows = max(1, last - used)
        used += rows
        local = starts.astimezone(ZoneInfo(zone))
        left_out = [each for each in one.left_out if each.reason == "passed_over"]
        found.append(
            Block(
                rows=rows,
                time=f"{local:%H:%M}",
                until=f"{ends.astimezone(ZoneInfo(zone)):%H:%M}" if ends < end else "24:00",
                tone=tone_of(one, tones),
                names=list(dict.fromkeys(each.name for each in one.scenes)),
                instead_of=[each.name for each in one.left_out if each.reason == "displaced"],
                faults=[(each.name, unshowable_in_words(each.unshowable)) for each in left_out],
                override=one.override_reason,
                why=house_in_words(one.reason),
                href=None if screen is None else address_of(screen, starts),
                goes_on=since < begin,
            )
        )
    return found


def _marks(
    access: Access,
    desk: Desk,
    playlist: str | None,
    location: LocationResponse,
    screen: str | None,
    days: Sequence[date],
) -> dict[date, list[Mark]]:
    """Returns the planned changes that reach the location, and the dates on which hours of the playlist do not hold."""
    found: dict[date, list[Mark]] = {}
    zone = location.timezone
    groups = [one.id for one in desk.groups(access).values() if location.id in one.locations]
    for plan in everything(lambda page: desk.services.planned_changes.list(access, page)):
        at = datetime.fromisoformat(plan.at)
        if at.date() in days and _reaches(plan.changes, plan.overrides, location.id, groups):
            mark = Mark(f"{at:%H:%M}", plan.name, f"/desk/planned/{plan.id}")
            found.setdefault(at.date(), []).append(mark)
    for name, dates in _exceptions(access, desk, playlist).items():
        for one in days:
            if one in dates:
                href = None if screen is None else address_of(screen, midnight(one, zone))
                found.setdefault(one, []).append(Mark("", phrase("Not today: {name}", name=name), href))
    return found


def _reaches(changes: Sequence[Any], overrides: Sequence[Any], location: str, groups: Sequence[str]) -> bool:
    targets = [(one["target"].get("location"), one["target"].get("group")) for one in overrides]
    places = [(one.get("location"), one.get("group")) for one in changes]
    return any(at == location or group in groups or (at, group) == (None, None) for at, group in (*targets, *places))


def _exceptions(access: Access, desk: Desk, playlist: str | None) -> dict[str, set[date]]:
    """Returns, by board, the dates on which one of its dayparts does not begin."""
    if playlist is None:
        return {}
    live = desk.services.playlists.get(access.workspace, playlist).version
    if not live:
        return {}
    version = desk.services.history.get(access, playlist, live)
    scenes = {one["id"]: one for one in version.scenes}
    found: dict[str, set[date]] = {}
    for entry in version.entries:
        scene = scenes.get(entry.scene_id, {})
        for schedule in (*scene.get("schedules", []), *([] if entry.schedule is None else [entry.schedule])):
            for one in schedule.get("except") or ():
                found.setdefault(scene.get("name", entry.scene_id), set()).add(date.fromisoformat(one))
    return found
