"""Owns the step from a scene's document (docs/scene.md) to a Scene, which holds what this player can draw; pure.

A fault costs the smallest part that it spoils: a colour, a widget, a schedule, and only then the scene.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from enum import StrEnum
from typing import TypedDict

from msgspec.structs import replace

from player.domain.fields import (
    Convert,
    FieldError,
    Fields,
    RejectionLog,
    array,
    bounded,
    color,
    flag,
    number,
    one_of,
    text,
    texts,
    whole,
)
from player.domain.manifest import AssetFact
from player.domain.scene import (
    Align,
    Background,
    Box,
    ClockWidget,
    Fit,
    Gradient,
    ImageWidget,
    ItemWidget,
    MenuWidget,
    QrWidget,
    Scene,
    ShapeKind,
    ShapeWidget,
    SoldOut,
    TextRole,
    TextWidget,
    Theme,
    TickerWidget,
    Transition,
    TransitionKind,
    VerticalAlign,
    VideoWidget,
    Widget,
)
from player.domain.schedule import DAY_NAMES, MINUTES_A_DAY, Daypart, Schedule, Window, zone_named

MAX_ID = 100
MAX_NAME = 200
MAX_WIDGETS = 500
MAX_SCHEDULES = 1_000
MAX_TEXT = 5_000
MAX_PATTERN = 100
MAX_QR_TEXT = 1_000
MAX_CATEGORIES = 500
MAX_ITEM_IDS = 10_000
MIN_CANVAS, MAX_CANVAS = 16, 8192
MAX_COORDINATE = 4 * MAX_CANVAS
MIN_EXTENT = 1
"""Canvas units: a smaller widget could not be seen."""
MIN_TEXT_SIZE = 4
MIN_SPEED, MAX_SPEED = 1, 2_000
"""Canvas units a second: a slower ticker seems to stand, a faster one cannot be read."""
MIN_SCALE, MAX_SCALE = 0.25, 4
MAX_COLUMNS = 4
MAX_TRANSITION_MILLISECONDS = 5_000

identifier = text(MAX_ID, least=1)
name = text(MAX_NAME)

_ASSET = re.compile(r"sha256:([0-9a-f]{64})", re.ASCII)
_CLOCK_FACE = re.compile(r"([01]\d|2[0-3]):([0-5]\d)|24:00", re.ASCII)
_LOCAL_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,6})?)?", re.ASCII)
_PLACE = "location"
"""What a document calls the location's own zone."""
_text_size = number(MIN_TEXT_SIZE, MAX_CANVAS)


def read_scene(raw: Fields, *, assets: Mapping[str, AssetFact], faults: RejectionLog) -> Scene:
    """The scene whose id is the subject of `raw`. Never raises: what leaves nothing to show makes it `unreadable`."""
    scene_id = raw.subject
    title = raw.take("name", name, scene_id)
    usual = Scene(id=scene_id, name=title)
    schedules, never = _schedules(raw, faults)
    try:
        width = raw.given("width", number(MIN_CANVAS, MAX_CANVAS), usual.width)
        height = raw.given("height", number(MIN_CANVAS, MAX_CANVAS), usual.height)
        widgets = _widgets(raw, width, height, assets, faults)
    except FieldError as fault:
        faults.add("scene_bad", scene_id, fault.detail, raw.pointer + fault.pointer)
        return Scene(id=scene_id, name=title, schedules=schedules, never=never, unreadable=fault.detail)
    return Scene(
        id=scene_id,
        name=title,
        width=width,
        height=height,
        background=_background(raw.part("background"), assets),
        theme=_theme(raw.part("theme")),
        transition=_transition(raw.part("transition")),
        widgets=widgets,
        schedules=schedules,
        never=never,
    )


def read_schedule(value: object) -> Schedule:
    """A daypart or a window. Raises `Unusable`."""
    # Nothing in a schedule has a default that could be noted: a fault anywhere costs the schedule.
    raw = Fields(value, subject="", faults=RejectionLog())
    zone = raw.given("timezone", _zone, None)
    match raw.need("type", text(MAX_ID)):
        case "daypart":
            start, end = raw.need("start", _minutes), raw.need("end", _minutes)
            if start == MINUTES_A_DAY:
                raise FieldError('"start" is 24:00, which only an end may be')
            days = raw.given("days", _days, frozenset[int]())
            return Daypart(days=days, start=start, end=end, timezone=zone)
        case "window":
            starts_at, ends_at = raw.need("startsAt", _local_time), raw.need("endsAt", _local_time)
            if ends_at <= starts_at:
                raise FieldError('"endsAt" is not after "startsAt"')
            return Window(starts_at=starts_at, ends_at=ends_at, timezone=zone)
        case other:
            raise FieldError(f'"type" {other!r} is neither daypart nor window')


def asset_in(assets: Mapping[str, AssetFact]) -> Convert[str]:
    """The hex SHA-256 of a reference `sha256:…` to one of the document's assets."""

    def convert(value: object) -> str:
        found = _ASSET.fullmatch(value) if isinstance(value, str) else None
        if found is None:
            raise FieldError("is not an asset of the form sha256:<64 hex digits>", "asset_bad")
        if found[1] not in assets:
            raise FieldError(f"is {found[1][:12]}…, which is not among the assets", "asset_undeclared")
        return found[1]

    return convert


def _schedules(raw: Fields, faults: RejectionLog) -> tuple[tuple[Schedule, ...], str | None]:
    """The schedules that could be read; and why the scene never shows, if there are some and none could."""
    try:
        listed = raw.given("schedules", array(), [])
    except FieldError as fault:
        faults.add("schedule_bad", raw.subject, fault.detail, raw.pointer + fault.pointer)
        return (), fault.detail
    read: list[Schedule] = []
    never: str | None = None
    for index, value in bounded(listed, MAX_SCHEDULES, subject=f"{raw.subject}/schedules", faults=faults):
        try:
            read.append(read_schedule(value))
        except FieldError as fault:
            subject, pointer = f"{raw.subject}/schedules[{index}]", f"{raw.pointer}/schedules/{index}{fault.pointer}"
            faults.add(fault.code or "schedule_bad", subject, fault.detail, pointer)
            never = never or f"no schedule of its scene could be read: {fault.detail}"
    return tuple(read), None if read else never


def _widgets(
    raw: Fields, width: float, height: float, assets: Mapping[str, AssetFact], faults: RejectionLog
) -> tuple[Widget, ...]:
    listed = raw.given("widgets", array(), [])
    read: dict[str, Widget] = {}
    for index, value in bounded(listed, MAX_WIDGETS, subject=f"{raw.subject}/widgets", faults=faults):
        subject, pointer = f"{raw.subject}/widgets[{index}]", f"{raw.pointer}/widgets/{index}"
        try:
            fields = Fields(value, subject=subject, faults=faults, pointer=pointer)
            widget_id = fields.need("id", identifier)
            fields.subject = subject = f"{raw.subject}/{widget_id}"
            if widget_id in read:
                raise FieldError("another widget of this scene has the same id", "duplicate_id")
            read[widget_id] = _widget(fields, widget_id, width, height, assets)
        except FieldError as fault:
            faults.add(fault.code or "widget_bad", subject, fault.detail, pointer + fault.pointer)
    if listed and not read:
        raise FieldError("none of its widgets can be drawn")
    return tuple(read.values())


class _Common(TypedDict):
    id: str
    box: Box
    opacity: float
    theme: Theme


def _widget(raw: Fields, widget_id: str, width: float, height: float, assets: Mapping[str, AssetFact]) -> Widget:
    kind = raw.need("type", text(MAX_ID))
    read = _WIDGETS.get(kind)
    if read is None:
        raise FieldError(f'no widget of type "{kind}"', "widget_unknown")
    place, extent = number(-MAX_COORDINATE, MAX_COORDINATE), number(MIN_EXTENT, MAX_COORDINATE)
    box = Box(
        x=raw.need("x", place),
        y=raw.need("y", place),
        width=raw.need("width", extent),
        height=raw.need("height", extent),
    )
    if box.x >= width or box.y >= height or box.x + box.width <= 0 or box.y + box.height <= 0:
        raise FieldError("it lies outside the canvas", "widget_outside")
    common = _Common(
        id=widget_id, box=box, opacity=raw.take("opacity", number(0, 1), 1.0), theme=_theme(raw.part("theme"))
    )
    return read(raw, common, assets)


def _menu(raw: Fields, common: _Common, assets: Mapping[str, AssetFact]) -> MenuWidget:
    del assets
    usual = MenuWidget(**common)
    smallest = raw.take("minTextSize", _text_size, usual.min_text_size)
    return MenuWidget(
        **common,
        title=raw.take("title", name, usual.title),
        # Without either list a menu shows every item, so a bad list costs the widget.
        categories=raw.given("categories", texts(MAX_CATEGORIES, each=MAX_NAME), usual.categories),
        item_ids=raw.given("itemIds", texts(MAX_ITEM_IDS, each=MAX_ID), usual.item_ids),
        columns=raw.take("columns", _columns, usual.columns),
        group_by_category=raw.take("groupByCategory", flag, usual.group_by_category),
        show_descriptions=raw.take("showDescriptions", flag, usual.show_descriptions),
        show_modifiers=raw.take("showModifiers", flag, usual.show_modifiers),
        show_images=raw.take("showImages", flag, usual.show_images),
        show_tags=raw.take("showTags", flag, usual.show_tags),
        show_allergens=raw.take("showAllergens", flag, usual.show_allergens),
        leader=raw.take("leader", flag, usual.leader),
        sold_out=raw.take("soldOut", one_of(SoldOut), usual.sold_out),
        empty_text=raw.take("emptyText", name, usual.empty_text),
        min_text_size=smallest,
        max_text_size=max(smallest, raw.take("maxTextSize", _text_size, usual.max_text_size)),
    )


def _image(raw: Fields, common: _Common, assets: Mapping[str, AssetFact]) -> ImageWidget:
    usual = ImageWidget(**common, asset=raw.need("asset", asset_in(assets)))
    focus = raw.part("focus")
    return replace(
        usual,
        fit=raw.take("fit", one_of(Fit), usual.fit),
        focus_x=focus.take("x", number(0, 1), usual.focus_x),
        focus_y=focus.take("y", number(0, 1), usual.focus_y),
    )


def _video(raw: Fields, common: _Common, assets: Mapping[str, AssetFact]) -> VideoWidget:
    usual = VideoWidget(**common, asset=raw.need("asset", asset_in(assets)))
    return replace(
        usual,
        fit=raw.take("fit", one_of(Fit), usual.fit),
        muted=raw.take("muted", flag, usual.muted),
        poster=raw.take("poster", asset_in(assets), usual.poster),
    )


def _text(raw: Fields, common: _Common, assets: Mapping[str, AssetFact]) -> TextWidget:
    del assets
    usual = TextWidget(**common, text=raw.need("text", text(MAX_TEXT)))
    return replace(
        usual,
        align=raw.take("align", one_of(Align), usual.align),
        vertical_align=raw.take("verticalAlign", one_of(VerticalAlign), usual.vertical_align),
        size=raw.take("size", _text_size, usual.size),
        bold=raw.take("weight", one_of(_Weight), _Weight.NORMAL) is _Weight.BOLD,
        role=raw.take("role", one_of(TextRole), usual.role),
    )


def _clock(raw: Fields, common: _Common, assets: Mapping[str, AssetFact]) -> ClockWidget:
    del assets
    usual = ClockWidget(**common)
    return replace(
        usual,
        pattern=raw.take("pattern", text(MAX_PATTERN, least=1), usual.pattern),
        timezone=raw.take("timezone", _zone, usual.timezone),
        align=raw.take("align", one_of(Align), usual.align),
        size=raw.take("size", _text_size, usual.size),
    )


def _item(raw: Fields, common: _Common, assets: Mapping[str, AssetFact]) -> ItemWidget:
    del assets
    usual = ItemWidget(**common, item_id=raw.need("itemId", identifier))
    return replace(
        usual,
        # A bad stand-in costs only itself: the dish leaves when it is sold out, as it would without one.
        instead_item_id=raw.take("insteadItemId", identifier, usual.instead_item_id),
        show_price=raw.take("showPrice", flag, usual.show_price),
        show_description=raw.take("showDescription", flag, usual.show_description),
        show_image=raw.take("showImage", flag, usual.show_image),
        show_tags=raw.take("showTags", flag, usual.show_tags),
        show_allergens=raw.take("showAllergens", flag, usual.show_allergens),
    )


def _ticker(raw: Fields, common: _Common, assets: Mapping[str, AssetFact]) -> TickerWidget:
    del assets
    usual = TickerWidget(**common, text=raw.need("text", text(MAX_TEXT)))
    return replace(usual, speed=raw.take("speed", number(MIN_SPEED, MAX_SPEED), usual.speed))


def _qr(raw: Fields, common: _Common, assets: Mapping[str, AssetFact]) -> QrWidget:
    del assets
    return QrWidget(
        **common,
        data=raw.need("data", text(MAX_QR_TEXT, least=1)),
        caption=raw.take("caption", name, None),
    )


def _shape(raw: Fields, common: _Common, assets: Mapping[str, AssetFact]) -> ShapeWidget:
    del assets
    usual = ShapeWidget(**common, shape=raw.need("shape", one_of(ShapeKind)), color=raw.need("color", color))
    return replace(usual, radius=raw.take("radius", number(0, MAX_COORDINATE), usual.radius))


_WIDGETS: Mapping[str, Callable[[Fields, _Common, Mapping[str, AssetFact]], Widget]] = {
    "menu": _menu,
    "image": _image,
    "video": _video,
    "text": _text,
    "clock": _clock,
    "item": _item,
    "ticker": _ticker,
    "qr": _qr,
    "shape": _shape,
}


class _Weight(StrEnum):
    NORMAL = "normal"
    BOLD = "bold"


def _theme(raw: Fields) -> Theme:
    return Theme(
        font_family=raw.take("fontFamily", name, None),
        title_family=raw.take("titleFamily", name, None),
        text_color=raw.take("textColor", color, None),
        accent_color=raw.take("accentColor", color, None),
        panel_color=raw.take("panelColor", color, None),
        scale=raw.take("scale", number(MIN_SCALE, MAX_SCALE), None),
    )


def _background(raw: Fields, assets: Mapping[str, AssetFact]) -> Background:
    usual = Background()
    gradient = raw.part("gradient")
    start, end = gradient.take("from", color, None), gradient.take("to", color, None)
    return Background(
        color=raw.take("color", color, usual.color),
        gradient=Gradient(start=start, end=end, angle=gradient.take("angle", number(-360, 360), 0.0))
        if start and end
        else None,
        asset=raw.take("asset", asset_in(assets), None),
        fit=raw.take("fit", one_of(Fit), usual.fit),
        scrim=raw.take("scrim", color, None),
    )


def _transition(raw: Fields) -> Transition:
    usual = Transition()
    return Transition(
        kind=raw.take("type", one_of(TransitionKind), usual.kind),
        milliseconds=raw.take("milliseconds", whole(0, MAX_TRANSITION_MILLISECONDS), usual.milliseconds),
    )


def _columns(value: object) -> int | None:
    return None if value == "auto" else whole(1, MAX_COLUMNS)(value)


def _zone(value: object) -> str | None:
    if value == _PLACE:
        return None
    if not isinstance(value, str) or len(value) > MAX_NAME or zone_named(value) is None:
        raise FieldError('is neither "location" nor an IANA zone', "timezone_unknown")
    return value


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
