"""Reads a scene's document (docs/scene.md) into a Scene, which holds what this player can draw; pure.

A fault costs the smallest part around it: a colour, a widget, a schedule, and only then the scene.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from menu.documents.converters import MAX_ID, Characters, FieldError, array, name
from menu.documents.scene import (
    LIST_TEXT_SIZES,
    MAX_TOGETHER,
    MIN_TEXT_SIZE,
    SIZED_SIDE,
    WIDGETS,
    CountdownWidget,
    GridWidget,
    MenuWidget,
    Scene,
    SlideshowWidget,
    Widget,
)
from menu.documents.schedule import Daypart, Schedule, Window
from menu.documents.tolerant import Fields

MAX_WIDGETS = 500
MAX_SCHEDULES = 1_000


def read_scene(raw: Fields) -> Scene:
    """Reads the scene whose id is the subject of `raw`. Never raises: a scene with nothing to show is `unreadable`."""
    bad = "schedule_bad"
    schedules = raw.tuple_of("schedules", read_schedule, code=bad, limit=MAX_SCHEDULES, list_code=bad)
    never = "no schedule of its scene could be read" if raw.everything().get("schedules") and not schedules else None
    title = raw.lenient("name", name, raw.subject)
    try:
        scene = raw.struct(Scene, id=raw.subject, name=title, schedules=schedules, never=never)
        languages = scene.languages[:MAX_TOGETHER] if scene.together else scene.languages
        return replace(scene, languages=languages, widgets=_widgets(raw, scene))
    except FieldError as error:
        raw.reject(error, "scene_bad")
        return Scene(id=raw.subject, name=title, schedules=schedules, never=never, unreadable=error.detail)


def read_schedule(raw: Fields) -> Schedule:
    """A daypart or a window. Raises `FieldError`."""
    match raw.required("type", Characters(MAX_ID)):
        case "daypart":
            return raw.struct(Daypart)
        case "window":
            window = raw.struct(Window)
            if window.ends_at <= window.starts_at:
                raise FieldError('"endsAt" is not after "startsAt"')
            return window
        case other:
            raise FieldError(f'"type" {other!r} is neither daypart nor window')


def _widgets(raw: Fields, scene: Scene) -> tuple[Widget, ...]:
    listed = raw.optional("widgets", array(), [])
    found = raw.parts(
        "widgets",
        listed,
        lambda widget_id, fields: _widget(fields, widget_id, scene),
        code="widget_bad",
        limit=MAX_WIDGETS,
        id_prefix=f"{raw.subject}/",
    )
    if listed and not found:
        raise FieldError("none of its widgets can be drawn")
    return tuple(found.values())


def _widget(raw: Fields, widget_id: str, scene: Scene) -> Widget:
    kind = raw.required("type", Characters(MAX_ID))
    if kind not in WIDGETS:
        raise FieldError(f'no widget of type "{kind}"', "widget_unknown")
    widget = raw.struct(WIDGETS[kind], id=widget_id)
    box = widget.box
    if box.x >= scene.width or box.y >= scene.height or box.x + box.width <= 0 or box.y + box.height <= 0:
        raise FieldError("it lies outside the canvas", "widget_outside")
    match widget:
        case SlideshowWidget(slides=()):
            raise FieldError('"slides" has none that can be shown')
        case CountdownWidget() if (widget.end is None) is (widget.ends_at is None):
            raise FieldError('has not one of "endsAt" and "end"')
        case MenuWidget() | GridWidget():
            return _sized(widget, raw.everything(), scene)
        case _:
            return widget


def _sized(widget: MenuWidget | GridWidget, given: Mapping[str, object], scene: Scene) -> Widget:
    """Returns the list with text sizes for its canvas where none are `given`; one that is given bounds the other."""
    least, most = list_text_sizes(scene.width, scene.height)
    if "minTextSize" in given:
        least, most = widget.min_text_size, max(most, widget.min_text_size)
    if "maxTextSize" in given:
        most = max(widget.max_text_size, least) if "minTextSize" in given else widget.max_text_size
    return replace(widget, min_text_size=min(least, most), max_text_size=most)


def list_text_sizes(width: float, height: float) -> tuple[float, float]:
    """Returns the least and the largest text size of a list by default, on a canvas of this size."""
    share = min(width, height) / SIZED_SIDE
    least, largest = (max(MIN_TEXT_SIZE, size * share) for size in LIST_TEXT_SIZES)
    return least, largest
