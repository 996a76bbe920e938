"""Time scrubber: the board of a screen at an instant, drawn, its end, and why other boards do not show."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Annotated, Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from fastapi import Query
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from service.core.clock import instant_text
from service.core.errors import ProblemError
from service.desk.desk import Desk
from service.desk.pictures import send_shown
from service.desk.problems import sentence_of, sentence_of_receipts
from service.desk.routing import desk_routes
from service.desk.said import Said
from service.desk.screens.reasons import house_in_words, other_in_words
from service.desk.screens.screens import SCREENS
from service.desk.times import STEP_MINUTES, Chosen, chosen_at, chosen_time, midnight
from service.desk.visits import MayRead, Visit
from service.desk.words import Phrase
from service.schema.devices.moment import MomentResponse, SpanResponse, TimetableResponse
from service.schema.devices.screen import ScreenResponse
from service.schema.fields import Instant
from service.schema.places.location import LocationResponse
from service.services.access.access import Access
from service.services.devices.moments import MomentService

PICTURE_WIDTH = 960
PAST = timedelta(minutes=5)
"""An instant that is nearer is drawn as it is now: screens report what they have shown every five minutes."""
DAY_MINUTES = 24 * 60
TONES = 6
"""Colours of the boards that take turns."""

Text = Annotated[str, Query(max_length=40)]


@dataclass(frozen=True, slots=True)
class Other:
    """A board that does not show: the reason, and its hours."""

    name: str
    scene: str | None
    why: Phrase
    reason: str
    hours: Sequence[Mapping[str, Any]]
    next_at: str | None


@dataclass(frozen=True, slots=True)
class Piece:
    """A span of the day, as minutes since midnight and as a link to its beginning."""

    begin: int
    end: int
    time: str
    tone: str
    names: Sequence[str]
    at: str


routes = desk_routes(Desk, SCREENS + "/{screen}/moment")


def _place_of(desk: Desk, access: Access, screen: str) -> tuple[ScreenResponse, LocationResponse]:
    found = desk.services.screens.get(access, screen, now=desk.now())
    return found, desk.services.locations.get(access, found.location)


@routes.get()
async def show_moment(
    desk: Desk,
    screen: str,
    visit: MayRead,
    at: Instant | None = None,
    day: Annotated[str, Query(alias="date", max_length=40)] = "",
    time: Text = "",
    second: Text = "",
) -> Response:
    """Returns the showing at an instant, or at a local date and time; now by default."""
    found, location = await run_in_threadpool(_place_of, desk, visit.access, screen)
    zone, said, status = location.timezone, None, 200
    here = chosen_at(desk.now().replace(second=0, microsecond=0), zone)
    try:
        chosen = here
        if at is not None:
            chosen = chosen_at(at, zone)
        elif day or time:
            chosen = chosen_time(day or here.day.isoformat(), time or here.time, zone, second=bool(second))
        told = await desk.services.moments.moment(visit.access, screen, chosen.at)
    except ProblemError as problem:
        if problem.status != 422 or visit.wants_part:
            raise
        # What was typed is none: the page says so, and is of now.
        said, status, chosen = Said(sentence_of(problem), kind="fault"), 422, here
        told = await desk.services.moments.moment(visit.access, screen, chosen.at)
    spans = await desk.services.moments.timetable(visit.access, screen, *_day_of(chosen, zone))
    past = chosen.at < desk.now() - PAST
    nothing = await _not_known(desk.services.moments, visit, screen, chosen.at) if past else None
    shown = await run_in_threadpool(_shown, visit, desk, found, told, spans, chosen)
    more: dict[str, Any] = {"location": location, "past": past, "nothing": nothing, "is_now": chosen == here}
    if visit.wants_part:
        return visit.part("moment", **shown, **more)
    return visit.page("moment", status=status, said=said, **shown, **more)


@routes.get("/picture")
async def draw_moment(desk: Desk, screen: str, visit: MayRead, at: Instant) -> Response:
    """Returns the picture of an instant: of the past by what the screen has reported."""
    if at < desk.now() - PAST:
        shown = await desk.services.moments.shown_at(visit.access, screen, at)
    else:
        shown = await desk.services.moments.will_show(visit.access, screen, max(at, desk.now()))
    return await send_shown(visit, desk.services.previews, shown, width=PICTURE_WIDTH)


def address_of(screen: str, at: str | datetime) -> str:
    text = at if isinstance(at, str) else instant_text(at)
    return f"{SCREENS}/{screen}/moment?{urlencode({'at': text})}"


def tones_of(spans: Sequence[SpanResponse]) -> dict[tuple[str, ...], str]:
    """Returns a colour for each set of boards that take turns, in order of appearance."""
    sets = dict.fromkeys(_turns(one) for one in spans if one.scenes and one.override is None)
    return {turns: str(number % TONES) for number, turns in enumerate(sets)}


def tone_of(span: SpanResponse, tones: Mapping[tuple[str, ...], str]) -> str:
    """Returns the colour of a span: that of its boards, of an override, or of the fallback card."""
    if span.override is not None:
        return "override"
    return tones[_turns(span)] if span.scenes else "house"


def _turns(span: SpanResponse) -> tuple[str, ...]:
    return tuple(sorted({one.scene for one in span.scenes}))


def _day_of(chosen: Chosen, zone: str) -> tuple[datetime, datetime]:
    return midnight(chosen.day, zone), midnight(chosen.day + timedelta(days=1), zone)


async def _not_known(moments: MomentService, visit: Visit, screen: str, at: datetime) -> Phrase | None:
    """Returns why there is no record of what was shown; None if there is one."""
    try:
        await moments.shown_at(visit.access, screen, at)
    except ProblemError as problem:
        if problem.status != 404:
            raise
        return sentence_of_receipts(problem)
    return None


def _shown(
    visit: Visit,
    desk: Desk,
    screen: ScreenResponse,
    told: MomentResponse,
    day: TimetableResponse,
    chosen: Chosen,
) -> dict[str, Any]:
    zone = told.timezone
    hours, scenes = _hours_of(visit.access, desk, told)
    others = [
        Other(
            name=one.name,
            scene=scenes.get(one.entry),
            why=other_in_words(one, zone, chosen.day, language=visit.language),
            reason=one.reason,
            hours=hours.get(one.entry, ()),
            next_at=one.next_at,
        )
        for one in told.others
    ]
    return {
        "screen": screen,
        "told": told,
        "chosen": chosen,
        "house": house_in_words(told.reason),
        "following": min((one for one in others if one.next_at == told.until and told.until), key=_name, default=None),
        "others": sorted(others, key=lambda one: one.reason != "waiting"),
        "pieces": _pieces(day, chosen.day),
        "step": STEP_MINUTES,
        "path": f"{SCREENS}/{screen.id}/moment",
        "at": instant_text(chosen.at),
        "own_hours": hours.get(told.entry or "", ()),
    }


def _name(other: Other) -> str:
    return other.name


def _hours_of(
    access: Access, desk: Desk, told: MomentResponse
) -> tuple[dict[str, list[Mapping[str, Any]]], dict[str, str]]:
    """Returns the hours of each entry of the version, its own and those of its board, and its board."""
    if told.playlist is None or told.version is None:
        return {}, {}
    try:
        version = desk.services.history.get(access, told.playlist, told.version)
    except ProblemError:
        return {}, {}
    of_scene = {one["id"]: one.get("schedules", []) for one in version.scenes}
    hours = {
        one.id: [*of_scene.get(one.scene_id, []), *([] if one.schedule is None else [one.schedule])]
        for one in version.entries
    }
    return hours, {one.id: one.scene_id for one in version.entries}


def _pieces(day: TimetableResponse, date: date) -> list[Piece]:
    zone, tones = ZoneInfo(day.timezone), tones_of(day.spans)
    found = []
    for one in day.spans:
        begin, end = (datetime.fromisoformat(text).astimezone(zone) for text in (one.from_, one.to))
        minutes = (begin.hour * 60 + begin.minute, end.hour * 60 + end.minute if end.date() == date else DAY_MINUTES)
        names = list(dict.fromkeys(each.name for each in one.scenes))
        found.append(Piece(*minutes, f"{begin:%H:%M}", tone_of(one, tones), names, one.from_))
    return found
