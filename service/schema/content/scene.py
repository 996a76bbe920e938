"""Scenes: a canvas of widgets (docs/scene.md)."""

from collections.abc import Iterator, Mapping
from functools import reduce
from operator import attrgetter, or_
from typing import Annotated, Any, Literal

from annotated_types import Ge, Le, MaxLen
from pydantic import Discriminator

from menu.documents import scene as documents
from menu.documents import theme as themes
from menu.documents.box import MAX_CANVAS
from menu.documents.scene_reader import MAX_WIDGETS
from service.schema.base import ABSENT, Input, Patch, ResponseModel, SchemaOf
from service.schema.content.translation import Languages
from service.schema.documents import Of, model_of
from service.schema.fields import InstantText, Name, Whole, differ, fault
from service.schema.publishing.schedule import ScheduleResponse

DEFAULTS: dict[str, Any] = {
    "width": 1920,
    "height": 1080,
    "background": {"color": "#101418"},
    "theme": {},
    "transition": {"type": "fade", "milliseconds": 500},
    "languages": [],
    "languageMode": "inTurn",
    "mirrorBoxes": False,
    "span": None,
    "widgets": [],
}


def _one_of_three(background: Any) -> Any:
    if sum(part is not None for part in (background.color, background.gradient, background.asset)) != 1:
        raise fault("ambiguous", "A background is one of color, gradient and asset.")
    return background


def _sizes_in_order(widget: Any) -> Any:
    given = {"min_text_size", "max_text_size"} <= widget.model_fields_set  # One alone bounds the other's default.
    if given and widget.min_text_size > widget.max_text_size:
        raise fault("out_of_range", "minTextSize is not larger than maxTextSize.")
    return widget


def _one_end(countdown: Any) -> Any:
    if (countdown.ends_at is None) == (countdown.end is None):
        raise fault("ambiguous", "A countdown has one of endsAt and end.")
    if countdown.ends_at is not None and (countdown.start is not None or countdown.days is not None):
        raise fault("ambiguous", "start and days belong to end; with endsAt there is none of them.")
    return countdown


_CHECKS = {
    documents.MenuWidget: _sizes_in_order,
    documents.GridWidget: _sizes_in_order,
    documents.CountdownWidget: _one_end,
}
THEME = model_of(themes.Theme)
FOCUS = model_of(documents.Focus)
GRADIENT = model_of(documents.Gradient)
SLIDE = model_of(documents.Slide)
BACKGROUND = model_of(documents.Background, _one_of_three, color=None)
TRANSITION = model_of(documents.Transition)
SPAN = model_of(documents.Span)
WIDGETS: Mapping[str, type[Input]] = {
    name: model_of(widget, _CHECKS.get(widget)) for name, widget in documents.WIDGETS.items()
}
"""By their type."""

Theme = Annotated[Any, Of(THEME)]
Background = Annotated[Any, Of(BACKGROUND)]
Transition = Annotated[Any, Of(TRANSITION)]
Span = Annotated[Any, Of(SPAN)]
AnyWidget = Annotated[Any, Of(Annotated[reduce(or_, WIDGETS.values()), Discriminator("type")])]


LanguageMode = Literal["inTurn", "together"]
"""Several languages: the next one with each showing, or two or three of them at once."""
Canvas = Annotated[Whole, Ge(documents.MIN_CANVAS), Le(MAX_CANVAS)]
Widgets = Annotated[
    list[AnyWidget],
    MaxLen(MAX_WIDGETS),
    differ("Another widget of this scene has the same id.", at="/id", by=attrgetter("id")),
]


class SceneCreate(Input):
    """A new scene."""

    name: Name
    width: Canvas = 1920
    height: Canvas = 1080
    background: Background = BACKGROUND.model_validate(DEFAULTS["background"])
    theme: Theme = THEME()
    transition: Transition = TRANSITION.model_validate({"type": "fade"})
    languages: Languages = []  # noqa: RUF012  (pydantic copies it)
    language_mode: LanguageMode = "inTurn"
    mirror_boxes: bool = False
    span: Span | None = None
    widgets: Widgets = []  # noqa: RUF012  (pydantic copies it)


class ScenePatch(Patch):
    """Top-level fields of a scene; each given field replaces the old one as a whole."""

    name: Name = ABSENT
    width: Canvas = ABSENT
    height: Canvas = ABSENT
    background: Background = ABSENT
    theme: Theme = ABSENT
    transition: Transition = ABSENT
    languages: Languages = ABSENT
    language_mode: LanguageMode = ABSENT
    mirror_boxes: bool = ABSENT
    span: Span | None = None
    widgets: Widgets = ABSENT


class SceneDocument(ResponseModel):
    """A scene as players read it: with every top-level field."""

    id: str
    name: str
    width: int
    height: int
    background: Annotated[dict[str, Any], SchemaOf(BACKGROUND)]
    theme: Annotated[dict[str, Any], SchemaOf(THEME)]
    transition: Annotated[dict[str, Any], SchemaOf(TRANSITION)]
    languages: list[str] = []  # noqa: RUF012  (pydantic copies it)
    language_mode: LanguageMode = "inTurn"
    mirror_boxes: bool = False
    span: Annotated[dict[str, Any], SchemaOf(SPAN)] | None = None
    widgets: list[Annotated[dict[str, Any], SchemaOf(AnyWidget)]]
    schedules: list[ScheduleResponse]


class SceneWarning(ResponseModel):
    """A warning before a scene is published, which it does not prevent. `font_lacks_script`: the font of this `family`,
    named at `pointer`, has no letters of the `scripts` (ISO 15924) that the scene shows."""

    code: str
    detail: str
    pointer: str
    family: str
    scripts: list[str]


class SceneResponse(SceneDocument):
    """A scene. `pages` estimates on how many pages its menus show the items as they are now, and `seconds` for how long
    an entry has to show it so that all are read; `warnings` names what boards will draw otherwise than its author may
    expect. All three are null in lists. `changedBy` is the id of the key or member
    that last changed it, null until then."""

    volatile = frozenset({"pages", "seconds", "warnings", "changedAt", "changedBy"})

    created_at: InstantText
    changed_at: InstantText
    changed_by: str | None = None
    pages: int | None = None
    seconds: int | None = None
    warnings: list[SceneWarning] | None = None


def outside_canvas(document: Mapping[str, Any]) -> Iterator[str]:
    """Yields pointers to the widgets that lie outside the canvas."""
    for index, widget in enumerate(document["widgets"]):
        across = -widget["width"] < widget["x"] < document["width"]
        down = -widget["height"] < widget["y"] < document["height"]
        if not (across and down):
            yield f"/widgets/{index}"


MAY_LIE_BEHIND_FRAMES = {"image", "video", "slideshow", "shape", "ticker"}
"""Widgets of which the frames between two panels may hide a part: they have no text, or it moves on."""


def panel_width(document: Mapping[str, Any]) -> float:
    """Returns the canvas units of the width that each panel of a span draws."""
    gap, panels = float(document["span"].get("gap", 0)), int(document["span"]["panels"])
    return (float(document["width"]) + gap) / panels - gap


def across_frames(document: Mapping[str, Any]) -> Iterator[str]:
    """Yields pointers to the widgets whose text the frames between two panels would hide."""
    if (span := document["span"]) is None or not (gap := float(span.get("gap", 0))):
        return
    step = panel_width(document) + gap
    for index, widget in enumerate(document["widgets"]):
        ends = (number * step for number in range(1, span["panels"]))
        left, right = widget["x"], widget["x"] + widget["width"]
        hidden = any(left < end and end - gap < right for end in ends)
        if hidden and widget["type"] not in MAY_LIE_BEHIND_FRAMES:
            yield f"/widgets/{index}"


def languages_beyond(document: Mapping[str, Any]) -> Iterator[str]:
    """Yields pointers to the languages that cannot be shown together."""
    if document["languageMode"] == "together":
        for index in range(documents.MAX_TOGETHER, len(document["languages"])):
            yield f"/languages/{index}"
