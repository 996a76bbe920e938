"""Reads a scene's document (docs/scene.md) into a Scene, which holds what this player can draw; pure.

A fault costs the smallest part around it: a colour, a widget, a schedule, and only then the scene.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from enum import StrEnum
from functools import partial
from typing import Any, get_args

from msgspec.structs import replace

from player.domain.documents.converters import (
    MAX_ID,
    FieldError,
    array,
    instant,
    language_tags,
    name,
    number,
    one_of,
    text,
    texts,
    zone,
)
from player.domain.documents.fields import Fields, RejectionLog
from player.domain.documents.scene import (
    MAX_CANVAS,
    MAX_TOGETHER,
    MIN_CANVAS,
    Box,
    GridWidget,
    MenuWidget,
    Scene,
    SlideshowWidget,
    Widget,
)
from player.domain.documents.schedule import DAY_NAMES, MINUTES_A_DAY, Daypart, Schedule, Window

MAX_WIDGETS = 500
MAX_SCHEDULES = 1_000
MAX_LANGUAGES = 8

_CLOCK_FACE = re.compile(r"([01]\d|2[0-3]):([0-5]\d)|24:00", re.ASCII)
_LOCAL_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,6})?)?", re.ASCII)


def read_scene(raw: Fields) -> Scene:
    """The scene whose id is the subject of `raw`. Never raises: a scene with nothing to show is `unreadable`."""
    scene_id = raw.subject
    title = raw.lenient("name", name, scene_id)
    schedules, never = _schedules(raw)
    try:
        width = raw.optional("width", number(MIN_CANVAS, MAX_CANVAS), 1920.0)
        height = raw.optional("height", number(MIN_CANVAS, MAX_CANVAS), 1080.0)
        widgets = _widgets(raw, width, height)
    except FieldError as error:
        raw.reject(error, "scene_bad")
        return Scene(id=scene_id, name=title, schedules=schedules, never=never, unreadable=error.detail)
    together = raw.lenient("languageMode", one_of(_LanguageMode), _LanguageMode.IN_TURN) is _LanguageMode.TOGETHER
    return raw.struct(
        Scene,
        id=scene_id,
        name=title,
        width=width,
        height=height,
        widgets=widgets,
        schedules=schedules,
        languages=raw.lenient("languages", language_tags(MAX_TOGETHER if together else MAX_LANGUAGES), ()),
        together=together,
        never=never,
    )


class _LanguageMode(StrEnum):
    IN_TURN = "inTurn"
    TOGETHER = "together"


def read_schedule(value: object) -> Schedule:
    """A daypart or a window. Raises `FieldError`."""
    return _schedule(Fields(value, subject="", rejections=RejectionLog()))


def read_daypart(raw: Fields, *, start: int | None = None) -> Daypart:
    """The hours of a daypart, in the location's zone; `start` for one that names none. Raises `FieldError`."""
    read = raw.required if start is None else partial(raw.optional, default=start)
    start, end = read("start", _minutes), raw.required("end", _minutes)
    if start == MINUTES_A_DAY:
        raise FieldError('"start" is 24:00, which only an end may be')
    return Daypart(days=raw.optional("days", _days, frozenset[int]()), start=start, end=end)


def _schedules(raw: Fields) -> tuple[tuple[Schedule, ...], str | None]:
    """The readable schedules; and why the scene never shows, if it has schedules and none is readable."""
    try:
        listed = raw.optional("schedules", array(), [])
    except FieldError as error:
        raw.reject(error, "schedule_bad")
        return (), error.detail
    errors: list[FieldError] = []
    found = raw.parts(
        "schedules",
        listed,
        lambda _, fields: _schedule(fields),
        code="schedule_bad",
        limit=MAX_SCHEDULES,
        errors=errors,
    )
    never = f"no schedule of its scene could be read: {errors[0].detail}" if errors and not found else None
    return tuple(found.values()), never


def _schedule(raw: Fields) -> Schedule:
    # No field is lenient: any fault costs the schedule.
    own = raw.optional("timezone", zone, None)
    match raw.required("type", text(MAX_ID)):
        case "daypart":
            return replace(read_daypart(raw), timezone=own)
        case "window":
            starts_at, ends_at = raw.required("startsAt", _local_time), raw.required("endsAt", _local_time)
            if ends_at <= starts_at:
                raise FieldError('"endsAt" is not after "startsAt"')
            return Window(starts_at=starts_at, ends_at=ends_at, timezone=own)
        case other:
            raise FieldError(f'"type" {other!r} is neither daypart nor window')


def _widgets(raw: Fields, width: float, height: float) -> tuple[Widget, ...]:
    listed = raw.optional("widgets", array(), [])
    found = raw.parts(
        "widgets",
        listed,
        lambda widget_id, fields: _widget(fields, widget_id, width, height),
        code="widget_bad",
        limit=MAX_WIDGETS,
        id_prefix=f"{raw.subject}/",
    )
    if listed and not found:
        raise FieldError("none of its widgets can be drawn")
    return tuple(found.values())


def _widget(raw: Fields, widget_id: str, width: float, height: float) -> Widget:
    kind = raw.required("type", text(MAX_ID))
    if kind not in _WIDGETS:
        raise FieldError(f'no widget of type "{kind}"', "widget_unknown")
    box = raw.struct(Box)
    if box.x >= width or box.y >= height or box.x + box.width <= 0 or box.y + box.height <= 0:
        raise FieldError("it lies outside the canvas", "widget_outside")
    given = _GIVEN[kind](raw) if kind in _GIVEN else {}
    widget = raw.struct(_WIDGETS[kind], id=widget_id, box=box, **given)
    if isinstance(widget, SlideshowWidget) and not widget.slides:
        raise FieldError('"slides" has none that can be shown')
    if isinstance(widget, MenuWidget | GridWidget) and widget.max_text_size < widget.min_text_size:
        return replace(widget, max_text_size=widget.min_text_size)
    return widget


def _image(raw: Fields) -> dict[str, Any]:
    focus = raw.part("focus")
    return {"focus_x": focus.lenient("x", number(0, 1), 0.5), "focus_y": focus.lenient("y", number(0, 1), 0.5)}


def _countdown(raw: Fields) -> dict[str, Any]:
    """The end, of which a fault costs the widget: a wrong number is worse than none."""
    ends_at = raw.optional("endsAt", instant, None)
    is_daily = raw.optional("end", _minutes, None) is not None
    if is_daily is (ends_at is not None):
        raise FieldError('has not one of "endsAt" and "end"')
    daily_zone = raw.optional("timezone", zone, None)
    daypart = replace(read_daypart(raw, start=0), timezone=daily_zone) if is_daily else None
    return {"ends_at": ends_at, "daypart": daypart}


_WIDGETS: Mapping[str, type[Widget]] = {kind.__struct_config__.tag: kind for kind in get_args(Widget)}
"""By the type of the document."""

_GIVEN: Mapping[str, Callable[[Fields], dict[str, Any]]] = {"image": _image, "countdown": _countdown}
"""Readers of what is not a field of the document under the same name."""


def _days(value: object) -> frozenset[int]:
    days = texts(len(DAY_NAMES), each=len(DAY_NAMES[0]))(value)
    if unknown := set(days) - set(DAY_NAMES):
        raise FieldError(f"names {', '.join(sorted(unknown))}; days are {', '.join(DAY_NAMES)}")
    return frozenset(DAY_NAMES.index(day) for day in days)


def _minutes(value: object) -> int:
    if not isinstance(value, str) or not _CLOCK_FACE.fullmatch(value):
        raise FieldError("is not a time of the form HH:MM")
    hours, minutes = value.split(":")
    return int(hours) * 60 + int(minutes)


def _local_time(value: object) -> datetime:
    try:
        if isinstance(value, str) and _LOCAL_TIME.fullmatch(value):
            return datetime.fromisoformat(value)
    except ValueError:
        pass
    raise FieldError("is not a local date and time of the form 2026-11-20T08:00, without an offset")
