"""Scenes: a canvas of widgets (docs/scene.md)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Annotated, Any, Literal

from annotated_types import Ge, Le, MaxLen
from pydantic import model_validator

from service.schema.base import ABSENT, Input, Patch, ResponseModel, SchemaOf
from service.schema.content.translation import MAX_TOGETHER, Languages
from service.schema.content.widgets import (
    AnyWidget,
    Fit,
    GridWidget,
    ImageWidget,
    ItemWidget,
    MenuWidget,
    SlideshowWidget,
    Theme,
    VideoWidget,
)
from service.schema.fields import AssetName, Color, InstantText, Name, Number, Whole, differ, fault
from service.schema.places.location import MAX_PANELS, MIN_PANELS
from service.schema.publishing.schedule import ScheduleResponse

MIN_CANVAS = 16
MAX_CANVAS = 8192
MAX_WIDGETS = 500
MAX_TRANSITION_MILLISECONDS = 5000

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


class Gradient(Input):
    """A gradient between two colours; 0 degrees is left to right, 90 top to bottom."""

    from_: Color
    to: Color
    angle: Annotated[Number, Ge(-360), Le(360)] = 0


class Background(Input):
    """A colour, a gradient or an image. `scrim` is a colour drawn over it."""

    color: Color | None = None
    gradient: Gradient | None = None
    asset: AssetName | None = None
    fit: Fit = "cover"
    scrim: Color | None = None

    @model_validator(mode="after")
    def _one_of_three(self) -> "Background":
        if sum(part is not None for part in (self.color, self.gradient, self.asset)) != 1:
            raise fault("ambiguous", "A background is one of color, gradient and asset.")
        return self


class Transition(Input):
    """The transition into the scene."""

    type: Literal["cut", "fade", "slide", "wipe"]
    milliseconds: Annotated[Whole, Ge(0), Le(MAX_TRANSITION_MILLISECONDS)] = 500


class Span(Input):
    """The panels side by side that draw the scene together; `gap` is the part of the canvas between two of them, which
    their frames hide."""

    panels: Annotated[Whole, Ge(MIN_PANELS), Le(MAX_PANELS)]
    gap: Annotated[Number, Ge(0), Le(MAX_CANVAS)] = 0


LanguageMode = Literal["inTurn", "together"]
"""Several languages: the next one with each showing, or two of them at once."""
Canvas = Annotated[Whole, Ge(MIN_CANVAS), Le(MAX_CANVAS)]
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
    background: Background = Background(color="#101418")
    theme: Theme = Theme()
    transition: Transition = Transition(type="fade")
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
    background: Annotated[dict[str, Any], SchemaOf(Background)]
    theme: Annotated[dict[str, Any], SchemaOf(Theme)]
    transition: Annotated[dict[str, Any], SchemaOf(Transition)]
    languages: list[str] = []  # noqa: RUF012  (pydantic copies it)
    language_mode: LanguageMode = "inTurn"
    mirror_boxes: bool = False
    span: Annotated[dict[str, Any], SchemaOf(Span)] | None = None
    widgets: list[Annotated[dict[str, Any], SchemaOf(AnyWidget)]]
    schedules: list[ScheduleResponse]


class SceneResponse(SceneDocument):
    """A scene. `pages` estimates on how many pages its menus show the items as they are now, and `seconds` for how long
    an entry has to show it so that all are read; both are null in lists. `changedBy` is the id of the key or member
    that last changed it, null until then."""

    volatile = frozenset({"pages", "seconds", "changedAt", "changedBy"})

    created_at: InstantText
    changed_at: InstantText
    changed_by: str | None = None
    pages: int | None = None
    seconds: int | None = None


def outside_canvas(document: Mapping[str, Any]) -> Iterator[str]:
    """Pointers to the widgets that lie outside the canvas."""
    for index, widget in enumerate(document["widgets"]):
        across = -widget["width"] < widget["x"] < document["width"]
        down = -widget["height"] < widget["y"] < document["height"]
        if not (across and down):
            yield f"/widgets/{index}"


MAY_LIE_BEHIND_FRAMES = {"image", "video", "slideshow", "shape", "ticker"}
"""Widgets of which the frames between two panels may hide a part: they have no text, or it moves on."""


def panel_width(document: Mapping[str, Any]) -> float:
    """Canvas units that each panel of a span draws of the width."""
    gap, panels = float(document["span"].get("gap", 0)), int(document["span"]["panels"])
    return (float(document["width"]) + gap) / panels - gap


def across_frames(document: Mapping[str, Any]) -> Iterator[str]:
    """Pointers to the widgets of which the frames between two panels would hide text."""
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
    """Pointers to the languages that cannot be shown together."""
    if document["languageMode"] == "together":
        for index in range(MAX_TOGETHER, len(document["languages"])):
            yield f"/languages/{index}"


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference of a scene to an asset or item. `pointer` is its position, `media` the kinds of asset that fit."""

    pointer: str
    kind: Literal["asset", "item"]
    identifier: str
    media: tuple[Literal["image", "video"], ...] = ("image",)


def references(scene: SceneCreate | ScenePatch) -> Iterator[Reference]:
    """All references in the given fields of a scene."""
    given = scene.model_fields_set
    if "background" in given and scene.background.asset is not None:
        yield Reference("/background/asset", "asset", scene.background.asset)
    if "widgets" in given:
        for index, widget in enumerate(scene.widgets):
            yield from _widget_references(f"/widgets/{index}", widget)


def _widget_references(pointer: str, widget: AnyWidget) -> Iterator[Reference]:
    match widget:
        case MenuWidget() | GridWidget():
            for index, identifier in enumerate(widget.item_ids or ()):
                yield Reference(f"{pointer}/itemIds/{index}", "item", identifier)
        case ItemWidget():
            yield Reference(f"{pointer}/itemId", "item", widget.item_id)
            if widget.instead_item_id is not None:
                yield Reference(f"{pointer}/insteadItemId", "item", widget.instead_item_id)
        case ImageWidget():
            yield Reference(f"{pointer}/asset", "asset", widget.asset)
        case VideoWidget():
            yield Reference(f"{pointer}/asset", "asset", widget.asset, ("video",))
            if widget.poster is not None:
                yield Reference(f"{pointer}/poster", "asset", widget.poster)
        case SlideshowWidget():
            for index, slide in enumerate(widget.slides):
                yield Reference(f"{pointer}/slides/{index}/asset", "asset", slide.asset, ("image", "video"))
        case _:
            pass
