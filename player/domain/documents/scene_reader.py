"""Reads a scene's document (docs/scene.md) into a Scene, which holds what this player can draw; pure.

A fault costs the smallest part around it: a colour, a widget, a schedule, and only then the scene.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from enum import StrEnum
from functools import partial
from typing import TypedDict, TypeVar

from msgspec.structs import replace

from player.domain.documents.fields import (
    MAX_ID,
    Convert,
    FieldError,
    Fields,
    RejectionLog,
    array,
    color,
    flag,
    identifier,
    instant,
    integer,
    number,
    one_of,
    text,
    texts,
)
from player.domain.documents.manifest import AssetFact
from player.domain.documents.scene import (
    TIME_LEFT,
    Align,
    Background,
    Box,
    ClockWidget,
    CountdownWidget,
    Fit,
    Gradient,
    GridWidget,
    ImageWidget,
    ItemWidget,
    MenuWidget,
    PriceCents,
    QrWidget,
    Scene,
    ShapeKind,
    ShapeWidget,
    Slide,
    SlideshowWidget,
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
from player.domain.documents.schedule import DAY_NAMES, MINUTES_A_DAY, Daypart, Schedule, Window, zone_named

MAX_NAME = 200
MAX_WIDGETS = 500
MAX_SCHEDULES = 1_000
MAX_TEXT = 5_000
MAX_PATTERN = 100
MAX_ENERGY_NOTE = 500
MAX_QR_TEXT = 1_000
MAX_CATEGORIES = 500
MAX_ITEM_IDS = 10_000
MIN_CANVAS, MAX_CANVAS = 16, 8192
MAX_COORDINATE = 4 * MAX_CANVAS
MIN_EXTENT = 1
"""Canvas units; a smaller widget cannot be seen."""
MIN_TEXT_SIZE = 4
MIN_SPEED, MAX_SPEED = 1, 2_000
"""Canvas units a second; a slower ticker seems to stand still, a faster one cannot be read."""
MIN_SCALE, MAX_SCALE = 0.25, 4
MAX_COLUMNS = 4
MAX_CARD_COLUMNS = 8
MAX_TRANSITION_MILLISECONDS = 5_000
MAX_SLIDES = 100
MAX_LANGUAGES = 8
MAX_TOGETHER = 2
"""Languages that show at once."""
MIN_SLIDE_SECONDS, MAX_SLIDE_SECONDS = 3, 86_400
MAX_FADE_MILLISECONDS = 1_000
"""Of a slideshow: two thirds of the shortest slide are still."""

name = text(MAX_NAME)

_ASSET = re.compile(r"sha256:([0-9a-f]{64})", re.ASCII)
_CLOCK_FACE = re.compile(r"([01]\d|2[0-3]):([0-5]\d)|24:00", re.ASCII)
_LOCAL_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,6})?)?", re.ASCII)
LANGUAGE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,7}", re.ASCII)
"""A language or locale (BCP 47), as far as its form goes."""
_LOCATION_ZONE = "location"
"""A document's name for the zone of the location."""
_text_size = number(MIN_TEXT_SIZE, MAX_CANVAS)


def read_scene(raw: Fields, *, assets: Mapping[str, AssetFact]) -> Scene:
    """The scene whose id is the subject of `raw`. Never raises: a scene with nothing to show is `unreadable`."""
    scene_id = raw.subject
    title = raw.lenient("name", name, scene_id)
    default = Scene(id=scene_id, name=title)
    schedules, never = _schedules(raw)
    try:
        width = raw.optional("width", number(MIN_CANVAS, MAX_CANVAS), default.width)
        height = raw.optional("height", number(MIN_CANVAS, MAX_CANVAS), default.height)
        widgets = _widgets(raw, width, height, assets)
    except FieldError as error:
        raw.reject(error, "scene_bad")
        return Scene(id=scene_id, name=title, schedules=schedules, never=never, unreadable=error.detail)
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
        **_languages(raw),
        mirror_boxes=raw.lenient("mirrorBoxes", flag, default.mirror_boxes),
        never=never,
    )


class _Languages(TypedDict):
    languages: tuple[str, ...]
    together: bool


def _languages(raw: Fields) -> _Languages:
    together = raw.lenient("languageMode", one_of(_LanguageMode), _LanguageMode.IN_TURN) is _LanguageMode.TOGETHER
    most = MAX_TOGETHER if together else MAX_LANGUAGES
    return _Languages(languages=raw.lenient("languages", language_tags(most), ()), together=together)


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


def asset_named(value: object) -> str:
    """The hex SHA-256 of a reference `sha256:…`."""
    found = _ASSET.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise FieldError("is not an asset of the form sha256:<64 hex digits>", "asset_bad")
    return found[1]


def asset_in(assets: Mapping[str, AssetFact]) -> Convert[str]:
    """The hex SHA-256 of a reference `sha256:…` to one of the document's assets."""

    def convert(value: object) -> str:
        digest = asset_named(value)
        if digest not in assets:
            raise FieldError(f"is {digest[:12]}…, which is not among the assets", "asset_undeclared")
        return digest

    return convert


def language_tag(value: object) -> str:
    """A language (BCP 47)."""
    if not isinstance(value, str) or not LANGUAGE.fullmatch(value):
        raise FieldError("is not a language tag (BCP 47)")
    return value


def language_tags(limit: int) -> Convert[tuple[str, ...]]:
    """At most so many languages, each once."""
    return lambda value: tuple(dict.fromkeys(language_tag(one) for one in array(limit)(value)))


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
        subject=f"{raw.subject}/schedules",
        code="schedule_bad",
        limit=MAX_SCHEDULES,
        errors=errors,
    )
    never = f"no schedule of its scene could be read: {errors[0].detail}" if errors and not found else None
    return tuple(found.values()), never


def _schedule(raw: Fields) -> Schedule:
    # No field is lenient: any fault costs the schedule.
    zone = raw.optional("timezone", _zone, None)
    match raw.required("type", text(MAX_ID)):
        case "daypart":
            return replace(read_daypart(raw), timezone=zone)
        case "window":
            starts_at, ends_at = raw.required("startsAt", _local_time), raw.required("endsAt", _local_time)
            if ends_at <= starts_at:
                raise FieldError('"endsAt" is not after "startsAt"')
            return Window(starts_at=starts_at, ends_at=ends_at, timezone=zone)
        case other:
            raise FieldError(f'"type" {other!r} is neither daypart nor window')


def _widgets(raw: Fields, width: float, height: float, assets: Mapping[str, AssetFact]) -> tuple[Widget, ...]:
    listed = raw.optional("widgets", array(), [])
    found = raw.parts(
        "widgets",
        listed,
        lambda widget_id, fields: _widget(fields, widget_id, width, height, assets),
        subject=f"{raw.subject}/widgets",
        code="widget_bad",
        limit=MAX_WIDGETS,
        id_prefix=f"{raw.subject}/",
    )
    if listed and not found:
        raise FieldError("none of its widgets can be drawn")
    return tuple(found.values())


_List = TypeVar("_List", MenuWidget, GridWidget)


class _Common(TypedDict):
    id: str
    box: Box
    opacity: float
    theme: Theme


def _widget(raw: Fields, widget_id: str, width: float, height: float, assets: Mapping[str, AssetFact]) -> Widget:
    kind = raw.required("type", text(MAX_ID))
    read = _WIDGETS.get(kind)
    if read is None:
        raise FieldError(f'no widget of type "{kind}"', "widget_unknown")
    coordinate, extent = number(-MAX_COORDINATE, MAX_COORDINATE), number(MIN_EXTENT, MAX_COORDINATE)
    box = Box(
        x=raw.required("x", coordinate),
        y=raw.required("y", coordinate),
        width=raw.required("width", extent),
        height=raw.required("height", extent),
    )
    if box.x >= width or box.y >= height or box.x + box.width <= 0 or box.y + box.height <= 0:
        raise FieldError("it lies outside the canvas", "widget_outside")
    common = _Common(
        id=widget_id, box=box, opacity=raw.lenient("opacity", number(0, 1), 1.0), theme=_theme(raw.part("theme"))
    )
    return read(raw, common, assets)


def _menu(raw: Fields, common: _Common, assets: Mapping[str, AssetFact]) -> MenuWidget:
    del assets
    default = MenuWidget(**common)
    menu = MenuWidget(
        **common,
        title=raw.lenient("title", name, default.title),
        group_by_category=raw.lenient("groupByCategory", flag, default.group_by_category),
        show_modifiers=raw.lenient("showModifiers", flag, default.show_modifiers),
        leader=raw.lenient("leader", flag, default.leader),
        vertical_align=raw.lenient("verticalAlign", one_of(VerticalAlign), default.vertical_align),
    )
    return _listed(raw, menu, most_columns=MAX_COLUMNS)


def _grid(raw: Fields, common: _Common, assets: Mapping[str, AssetFact]) -> GridWidget:
    del assets
    return _listed(raw, GridWidget(**common), most_columns=MAX_CARD_COLUMNS)


def _listed(raw: Fields, default: _List, *, most_columns: int) -> _List:
    """The widget with what menus and grids have alike."""
    smallest = raw.lenient("minTextSize", _text_size, default.min_text_size)
    return replace(
        default,
        # Without either list it shows every item, so a bad list costs the widget.
        categories=raw.optional("categories", texts(MAX_CATEGORIES, each=MAX_NAME), default.categories),
        item_ids=raw.optional("itemIds", texts(MAX_ITEM_IDS, each=MAX_ID), default.item_ids),
        columns=raw.lenient("columns", partial(_columns, most=most_columns), default.columns),
        show_descriptions=raw.lenient("showDescriptions", flag, default.show_descriptions),
        show_images=raw.lenient("showImages", flag, default.show_images),
        show_tags=raw.lenient("showTags", flag, default.show_tags),
        tag_icons=raw.lenient("tagIcons", flag, default.tag_icons),
        show_allergens=raw.lenient("showAllergens", flag, default.show_allergens),
        show_energy=raw.lenient("showEnergy", flag, default.show_energy),
        languages=raw.lenient("languages", language_tags(MAX_TOGETHER), default.languages),
        energy_note=raw.lenient("energyNote", text(MAX_ENERGY_NOTE), default.energy_note),
        sold_out=raw.lenient("soldOut", one_of(SoldOut), default.sold_out),
        empty_text=raw.lenient("emptyText", name, default.empty_text),
        min_text_size=smallest,
        max_text_size=max(smallest, raw.lenient("maxTextSize", _text_size, default.max_text_size)),
    )


def _image(raw: Fields, common: _Common, assets: Mapping[str, AssetFact]) -> ImageWidget:
    default = ImageWidget(**common, asset=raw.required("asset", asset_in(assets)))
    focus = raw.part("focus")
    return replace(
        default,
        fit=raw.lenient("fit", one_of(Fit), default.fit),
        focus_x=focus.lenient("x", number(0, 1), default.focus_x),
        focus_y=focus.lenient("y", number(0, 1), default.focus_y),
    )


def _video(raw: Fields, common: _Common, assets: Mapping[str, AssetFact]) -> VideoWidget:
    default = VideoWidget(**common, asset=raw.required("asset", asset_in(assets)))
    return replace(
        default,
        fit=raw.lenient("fit", one_of(Fit), default.fit),
        muted=raw.lenient("muted", flag, default.muted),
        poster=raw.lenient("poster", asset_in(assets), default.poster),
    )


def _slideshow(raw: Fields, common: _Common, assets: Mapping[str, AssetFact]) -> SlideshowWidget:
    listed = raw.required("slides", array())
    found = raw.parts(
        "slides",
        listed,
        lambda _, fields: _slide(fields, assets),
        subject=f"{raw.subject}/slides",
        code="slide_bad",
        limit=MAX_SLIDES,
    )
    if not found:
        raise FieldError('"slides" has none that can be shown')
    default = SlideshowWidget(**common, slides=tuple(found.values()))
    fade = raw.lenient("fadeMilliseconds", integer(0, MAX_FADE_MILLISECONDS), default.fade_milliseconds)
    return replace(default, fade_milliseconds=fade)


def _slide(raw: Fields, assets: Mapping[str, AssetFact]) -> Slide:
    default = Slide(
        asset=raw.required("asset", asset_in(assets)),
        seconds=raw.required("durationSeconds", integer(MIN_SLIDE_SECONDS, MAX_SLIDE_SECONDS)),
    )
    fit = raw.lenient("fit", one_of(_SlideFit), _SlideFit.COVER)
    return replace(default, fit=Fit(fit))


def _text(raw: Fields, common: _Common, assets: Mapping[str, AssetFact]) -> TextWidget:
    del assets
    default = TextWidget(**common, text=raw.required("text", text(MAX_TEXT)))
    return replace(
        default,
        align=raw.lenient("align", one_of(Align), default.align),
        vertical_align=raw.lenient("verticalAlign", one_of(VerticalAlign), default.vertical_align),
        size=raw.lenient("size", _text_size, default.size),
        bold=raw.lenient("weight", one_of(_Weight), _Weight.NORMAL) is _Weight.BOLD,
        role=raw.lenient("role", one_of(TextRole), default.role),
    )


def _clock(raw: Fields, common: _Common, assets: Mapping[str, AssetFact]) -> ClockWidget:
    del assets
    default = ClockWidget(**common)
    return replace(
        default,
        pattern=raw.lenient("pattern", text(MAX_PATTERN, least=1), default.pattern),
        timezone=raw.lenient("timezone", _zone, default.timezone),
        align=raw.lenient("align", one_of(Align), default.align),
        size=raw.lenient("size", _text_size, default.size),
    )


def _countdown(raw: Fields, common: _Common, assets: Mapping[str, AssetFact]) -> CountdownWidget:
    del assets
    # A fault in what it counts down to costs the widget: a wrong number is worse than none.
    ends_at = raw.optional("endsAt", instant, None)
    is_daily = raw.optional("end", _minutes, None) is not None
    if is_daily is (ends_at is not None):
        raise FieldError('has not one of "endsAt" and "end"')
    zone = raw.optional("timezone", _zone, None)
    default = CountdownWidget(
        **common,
        ends_at=ends_at,
        daypart=replace(read_daypart(raw, start=0), timezone=zone) if is_daily else None,
    )
    return replace(
        default,
        text=raw.lenient("text", _countdown_text, default.text),
        end_text=raw.lenient("endText", name, default.end_text),
        show_seconds=raw.lenient("showSeconds", flag, default.show_seconds),
        align=raw.lenient("align", one_of(Align), default.align),
        size=raw.lenient("size", _text_size, default.size),
    )


def _item(raw: Fields, common: _Common, assets: Mapping[str, AssetFact]) -> ItemWidget:
    del assets
    default = ItemWidget(**common, item_id=raw.required("itemId", identifier))
    return replace(
        default,
        # A bad replacement costs only itself: the item leaves when it is sold out, as it would without one.
        instead_item_id=raw.lenient("insteadItemId", identifier, default.instead_item_id),
        show_price=raw.lenient("showPrice", flag, default.show_price),
        show_description=raw.lenient("showDescription", flag, default.show_description),
        show_image=raw.lenient("showImage", flag, default.show_image),
        show_tags=raw.lenient("showTags", flag, default.show_tags),
        show_allergens=raw.lenient("showAllergens", flag, default.show_allergens),
        show_energy=raw.lenient("showEnergy", flag, default.show_energy),
        languages=raw.lenient("languages", language_tags(MAX_TOGETHER), default.languages),
    )


def _ticker(raw: Fields, common: _Common, assets: Mapping[str, AssetFact]) -> TickerWidget:
    del assets
    default = TickerWidget(**common, text=raw.required("text", text(MAX_TEXT)))
    return replace(default, speed=raw.lenient("speed", number(MIN_SPEED, MAX_SPEED), default.speed))


def _qr(raw: Fields, common: _Common, assets: Mapping[str, AssetFact]) -> QrWidget:
    del assets
    return QrWidget(
        **common,
        data=raw.required("data", text(MAX_QR_TEXT, least=1)),
        caption=raw.lenient("caption", name, None),
    )


def _shape(raw: Fields, common: _Common, assets: Mapping[str, AssetFact]) -> ShapeWidget:
    del assets
    default = ShapeWidget(**common, shape=raw.required("shape", one_of(ShapeKind)), color=raw.required("color", color))
    return replace(default, radius=raw.lenient("radius", number(0, MAX_COORDINATE), default.radius))


_WIDGETS: Mapping[str, Callable[[Fields, _Common, Mapping[str, AssetFact]], Widget]] = {
    "menu": _menu,
    "grid": _grid,
    "image": _image,
    "video": _video,
    "slideshow": _slideshow,
    "text": _text,
    "clock": _clock,
    "countdown": _countdown,
    "item": _item,
    "ticker": _ticker,
    "qr": _qr,
    "shape": _shape,
}


class _SlideFit(StrEnum):
    COVER = "cover"
    CONTAIN = "contain"


class _LanguageMode(StrEnum):
    IN_TURN = "inTurn"
    TOGETHER = "together"


class _Weight(StrEnum):
    NORMAL = "normal"
    BOLD = "bold"


def _theme(raw: Fields) -> Theme:
    return Theme(
        font_family=raw.lenient("fontFamily", name, None),
        title_family=raw.lenient("titleFamily", name, None),
        text_color=raw.lenient("textColor", color, None),
        accent_color=raw.lenient("accentColor", color, None),
        panel_color=raw.lenient("panelColor", color, None),
        scale=raw.lenient("scale", number(MIN_SCALE, MAX_SCALE), None),
        price_symbol=raw.lenient("priceSymbol", flag, None),
        price_cents=raw.lenient("priceCents", one_of(PriceCents), None),
    )


def _background(raw: Fields, assets: Mapping[str, AssetFact]) -> Background:
    default = Background()
    gradient = raw.part("gradient")
    start, end = gradient.lenient("from", color, None), gradient.lenient("to", color, None)
    return Background(
        color=raw.lenient("color", color, default.color),
        gradient=Gradient(start=start, end=end, angle=gradient.lenient("angle", number(-360, 360), 0.0))
        if start and end
        else None,
        asset=raw.lenient("asset", asset_in(assets), None),
        fit=raw.lenient("fit", one_of(Fit), default.fit),
        scrim=raw.lenient("scrim", color, None),
    )


def _transition(raw: Fields) -> Transition:
    default = Transition()
    return Transition(
        kind=raw.lenient("type", one_of(TransitionKind), default.kind),
        milliseconds=raw.lenient("milliseconds", integer(0, MAX_TRANSITION_MILLISECONDS), default.milliseconds),
    )


def _columns(value: object, *, most: int) -> int | None:
    return None if value == "auto" else integer(1, most)(value)


def _countdown_text(value: object) -> str:
    found = name(value)
    if found.count(TIME_LEFT) != 1:
        raise FieldError(f"does not hold {TIME_LEFT} once")
    return found


def _zone(value: object) -> str | None:
    if value == _LOCATION_ZONE:
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
