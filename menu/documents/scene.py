"""Scene: widgets, theme, background; plain data with the defaults of docs/scene.md."""

# Without `annotations` of __future__: a start would evaluate a hundred strings to read its first scene.

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated, get_args

from msgspec import Struct, field
from msgspec.structs import replace

from menu.documents.box import MAX_CANVAS, MAX_COORDINATE, Box
from menu.documents.converters import (
    COSTS_PART,
    INLINE,
    MAX_NAME,
    REQUIRED,
    Asset,
    Characters,
    Color,
    Either,
    FieldError,
    Flag,
    Form,
    LanguageTags,
    Number,
    OneOf,
    Parts,
    Reference,
    Strings,
    Whole,
    identifier,
    instant,
    name,
)
from menu.documents.schedule import Daypart, Schedule, read_begin, read_days, read_end, zone
from menu.documents.theme import Theme

MAX_TEXT = 5_000
MAX_ENERGY_NOTE = 500
MAX_QR_TEXT = 1_000
MAX_REFERENCES = 500
"""Categories, or items, that a widget names."""
MAX_LABEL = 100
MIN_CANVAS = 16
MIN_TEXT_SIZE, MAX_TEXT_SIZE = 4, 2_000
LIST_TEXT_SIZES, SIZED_SIDE = (28.0, 64.0), 1080
"""The least and largest text of a list by default, on a canvas with this shorter side; on others in proportion."""
MIN_SPEED, MAX_SPEED = 1, 2_000
"""Canvas units a second; a slower ticker seems to stand still, a faster one cannot be read."""
MAX_COLUMNS = 8
MAX_TRANSITION_MILLISECONDS = 5_000
MAX_SLIDES = 100
MAX_LANGUAGES = 8
MAX_TOGETHER = 3
"""Languages that show at once."""
MIN_SLIDE_SECONDS, MAX_SLIDE_SECONDS = 3, 86_400
MIN_PANELS, MAX_PANELS = 2, 3
"""Panels of one board."""
MAX_FADE_MILLISECONDS = 1_000
"""The longest fade of a slideshow: two thirds of the shortest slide are still."""

Name = Annotated[str, name]
Lines = Annotated[str, Characters(MAX_NAME, form=Form.LINES)]
LiveText = Annotated[str, Characters(MAX_TEXT, form=Form.LIVE)]
EnergyNote = Annotated[str, Characters(MAX_ENERGY_NOTE)]
TextSize = Annotated[float, Number(MIN_TEXT_SIZE, MAX_TEXT_SIZE)]
Share = Annotated[float, Number(0, 1)]
Canvas = Annotated[float, Number(MIN_CANVAS, MAX_CANVAS, whole=True), COSTS_PART]
Languages = Annotated[tuple[str, ...], LanguageTags(MAX_TOGETHER)]
ItemId = Annotated[str, identifier, Reference.ITEM]
Picture = Annotated[Asset, Reference.PICTURE]
Film = Annotated[Asset, Reference.FILM]


class Fit(StrEnum):
    """The fit of an image or video in its box."""

    COVER = "cover"
    CONTAIN = "contain"
    STRETCH = "stretch"


class Align(StrEnum):
    """Horizontal alignment as written; a right-to-left board mirrors it."""

    LEFT = "left"
    CENTER = "center"
    RIGHT = "right"


class VerticalAlign(StrEnum):
    """Vertical alignment."""

    TOP = "top"
    MIDDLE = "middle"
    BOTTOM = "bottom"


class SoldOut(StrEnum):
    """The style in which a menu shows an 86'd item."""

    HIDE = "hide"
    MARK = "mark"


class TransitionKind(StrEnum):
    """The transition by which a scene replaces the view before it."""

    CUT = "cut"
    FADE = "fade"
    SLIDE = "slide"
    WIPE = "wipe"
    """Drawn as a fade; old scenes have it."""


class ShapeKind(StrEnum):
    """Shape of a shape widget."""

    RECTANGLE = "rectangle"
    LINE = "line"
    CIRCLE = "circle"
    BURST = "burst"
    """A star of sixteen points."""
    ORNAMENT = "ornament"
    """Lozenges between two lines."""


class StrokeStyle(StrEnum):
    """The style of a line, or of a border."""

    SOLID = "solid"
    DOTTED = "dotted"
    DOUBLE = "double"


class TextRole(StrEnum):
    """Which font and colour of the theme a text has."""

    BODY = "body"
    TITLE = "title"
    ACCENT = "accent"


TIME_LEFT = "{time}"
"""Where the time that is left stands in the text of a countdown."""


class Division(StrEnum):
    """The way in which a menu divides its categories among its columns."""

    AUTO = "auto"
    """A short one is whole where that costs little."""
    WHOLE = "whole"
    """None is divided that a column has room for."""
    COLUMN_EACH = "columnEach"
    """As whole, and each begins a column."""


class Gradient(Struct, frozen=True, kw_only=True, rename="camel"):
    """A gradient between two colours; 0 degrees is left to right, 90 top to bottom."""

    start: Color = field(name="from")
    end: Color = field(name="to")
    angle: Annotated[float, Number(-360, 360)] = 0.0


class Background(Struct, frozen=True, kw_only=True, rename="camel"):
    """A colour, a gradient or an image. `scrim` is a colour drawn over it."""

    color: Color = "#101418"
    gradient: Gradient | None = None
    asset: Picture | None = None
    fit: Fit = Fit.COVER
    scrim: Color | None = None


class Transition(Struct, frozen=True, kw_only=True, rename="camel"):
    """The transition into the scene."""

    kind: Annotated[TransitionKind, REQUIRED] = field(name="type", default=TransitionKind.FADE)
    milliseconds: Annotated[int, Whole(0, MAX_TRANSITION_MILLISECONDS)] = 500


def read_columns(value: object) -> int | None:
    """Reads a number of columns; None for as many as fit."""
    return None if value == "auto" else Whole(1, MAX_COLUMNS)(value)


def read_countdown_text(value: object) -> str:
    """Reads the text of a countdown, which has a place for the remaining time."""
    found = name(value)
    if found.count(TIME_LEFT) != 1:
        raise FieldError(f"does not hold {TIME_LEFT} once")
    return found


class _Widget(Struct, frozen=True, kw_only=True, rename="camel"):
    """Fields of all widgets."""

    id: Annotated[str, identifier]
    box: Annotated[Box, INLINE]
    opacity: Share = 1.0
    theme: Theme = field(default_factory=Theme)


class _ListWidget(_Widget, frozen=True, kw_only=True, rename="camel"):
    """Lists items by category and id, or without either every item; `columns` None is automatic. `energy_note` None is
    the sentence of the location's law on what an adult needs in a day."""

    # Without either list it shows every item, so a bad list costs the widget.
    categories: Annotated[
        tuple[str, ...], Strings(MAX_REFERENCES, Characters(MAX_LABEL, form=Form.LINE)), COSTS_PART
    ] = ()
    item_ids: Annotated[tuple[str, ...], Strings(MAX_REFERENCES, identifier), COSTS_PART, Reference.ITEM] = ()
    columns: Annotated[int | None, read_columns] = None
    show_prices: Flag = True
    show_descriptions: Flag = True
    show_images: Flag = False
    show_tags: Flag = True
    tag_icons: Flag = False
    show_allergens: Flag = True
    show_energy: Flag = True
    energy_note: EnergyNote | None = None
    languages: Languages = ()
    """BCP 47, at most three; without any, those of the scene."""
    sold_out: SoldOut = SoldOut.HIDE
    empty_text: Lines | None = None
    min_text_size: TextSize = LIST_TEXT_SIZES[0]
    max_text_size: TextSize = LIST_TEXT_SIZES[1]


class MenuWidget(_ListWidget, frozen=True, kw_only=True, rename="camel", tag="menu"):
    """A list of items: by category, by id, or all of them when it names neither."""

    title: Lines | None = None
    group_by_category: Flag = True
    division: Division = Division.AUTO
    columns_at: Annotated[tuple[str, ...], Strings(MAX_REFERENCES, Characters(MAX_LABEL, form=Form.LINE))] = ()
    """Categories that begin a column."""
    show_modifiers: Flag = True
    leader: Flag = False
    vertical_align: VerticalAlign | None = None
    """Alignment of a list shorter than its widget; None leaves it to the player."""


class GridWidget(_ListWidget, frozen=True, kw_only=True, rename="camel", tag="grid"):
    """Items as cards of one size: by category, by id, or all of them when it names neither."""

    show_images: Flag = True


ListWidget = MenuWidget | GridWidget
"""Widgets that list items by category and id."""


class Focus(Struct, frozen=True, kw_only=True, rename="camel"):
    """The point of an image that stays visible, from 0, 0 (top left) to 1, 1."""

    x: Annotated[Share, REQUIRED] = 0.5
    y: Annotated[Share, REQUIRED] = 0.5


class ImageWidget(_Widget, frozen=True, kw_only=True, rename="camel", tag="image"):
    """An image."""

    asset: Picture
    """Lowercase hex SHA-256, as all assets."""
    fit: Fit = Fit.COVER
    focus: Focus = Focus()


class VideoWidget(_Widget, frozen=True, kw_only=True, rename="camel", tag="video"):
    """A video in a loop."""

    asset: Film
    fit: Fit = Fit.COVER
    muted: Flag = True
    poster: Picture | None = None
    """Stands in until there is a frame to show, and if the video cannot be played."""


class Slide(Struct, frozen=True, kw_only=True, rename="camel"):
    """An image or a video of a slideshow."""

    asset: Annotated[Asset, Reference.MEDIA]
    seconds: Annotated[int, Whole(MIN_SLIDE_SECONDS, MAX_SLIDE_SECONDS)] = field(name="durationSeconds")
    fit: Annotated[Fit, OneOf((Fit.COVER, Fit.CONTAIN))] = Fit.COVER
    focus: Focus = Focus()


class SlideshowWidget(_Widget, frozen=True, kw_only=True, rename="camel", tag="slideshow"):
    """Images and videos, one after the other, again and again."""

    slides: Annotated[tuple[Slide, ...], Parts(Slide, "slide_bad", MAX_SLIDES, least=1)]
    fade_milliseconds: Annotated[int, Whole(0, MAX_FADE_MILLISECONDS)] = 500


class TextWidget(_Widget, frozen=True, kw_only=True, rename="camel", tag="text"):
    """Text."""

    text: LiveText
    align: Align = Align.LEFT
    vertical_align: VerticalAlign = VerticalAlign.MIDDLE
    size: TextSize | None = None
    """None is the largest that fits."""
    bold: Annotated[bool, Either("normal", "bold")] = field(name="weight", default=False)
    role: TextRole = TextRole.BODY


class ClockWidget(_Widget, frozen=True, kw_only=True, rename="camel", tag="clock"):
    """The time, by a CLDR date-time pattern."""

    pattern: Annotated[str, Characters(MAX_LABEL, 1, Form.LINE)] = "HH:mm"
    timezone: Annotated[str | None, zone] = None
    """None is the location's."""
    align: Align = Align.LEFT
    size: TextSize | None = None


class CountdownWidget(_Widget, frozen=True, kw_only=True, rename="camel", tag="countdown"):
    """The time that is left: to an instant, or to the end of a part of the day."""

    ends_at: Annotated[datetime | None, instant, COSTS_PART] = None
    """It has either this or `end`, with which `start`, `days` and `timezone` go, as in a daypart."""
    start: Annotated[int | None, read_begin, COSTS_PART] = None
    end: Annotated[int | None, read_end, COSTS_PART] = None
    days: Annotated[frozenset[int], read_days, COSTS_PART] = frozenset()
    timezone: Annotated[str | None, zone, COSTS_PART] = None
    text: Annotated[str, read_countdown_text] = TIME_LEFT
    end_text: Lines | None = None
    """Shows while there is nothing to count; None for nothing."""
    show_seconds: Flag = True
    align: Align = Align.LEFT
    size: TextSize | None = None

    @property
    def daypart(self) -> Daypart | None:
        """Daypart to the end of which it counts; None if it counts to an instant."""
        if self.end is None:
            return None
        return Daypart(start=self.start or 0, end=self.end, days=self.days, timezone=self.timezone)


class ItemWidget(_Widget, frozen=True, kw_only=True, rename="camel", tag="item"):
    """One item, and optionally another that replaces it while it is sold out."""

    item_id: ItemId
    # A bad replacement costs only itself: the item leaves when it is sold out, as it would without one.
    instead_item_id: ItemId | None = None
    show_price: Flag = True
    show_descriptions: Flag = field(name="showDescription", default=True)
    show_images: Flag = field(name="showImage", default=True)
    show_tags: Flag = True
    show_allergens: Flag = True
    show_energy: Flag = True
    energy_note: EnergyNote | None = None
    languages: Languages = ()
    """BCP 47, at most three; without any, those of the scene."""


class TickerWidget(_Widget, frozen=True, kw_only=True, rename="camel", tag="ticker"):
    """Scrolling text."""

    text: LiveText
    speed: Annotated[float, Number(MIN_SPEED, MAX_SPEED)] = 120.0
    """Canvas units a second."""


class QrWidget(_Widget, frozen=True, kw_only=True, rename="camel", tag="qr"):
    """A QR code."""

    data: Annotated[str, Characters(MAX_QR_TEXT, 1, Form.ANY)]
    caption: Lines | None = None


class ShapeWidget(_Widget, frozen=True, kw_only=True, rename="camel", tag="shape"):
    """A shape, with a border."""

    shape: ShapeKind
    color: Color
    radius: Annotated[float, Number(0, MAX_COORDINATE)] = 0.0
    """The corners', in canvas units."""
    style: StrokeStyle = StrokeStyle.SOLID
    border_color: Color | None = None
    border_width: Annotated[float, Number(0, MAX_COORDINATE)] = 4.0
    """It is drawn within the box."""


Widget = (
    MenuWidget
    | GridWidget
    | ItemWidget
    | ImageWidget
    | VideoWidget
    | SlideshowWidget
    | TextWidget
    | TickerWidget
    | ClockWidget
    | CountdownWidget
    | QrWidget
    | ShapeWidget
)


WIDGETS: Mapping[str, type[Widget]] = {kind.__struct_config__.tag: kind for kind in get_args(Widget)}
"""By the type of the document."""


class Span(Struct, frozen=True, kw_only=True, rename="camel"):
    """The panels side by side that draw the scene together; `gap` is the part of the canvas between two of them, which
    their frames hide."""

    panels: Annotated[int, Whole(MIN_PANELS, MAX_PANELS)]
    gap: Annotated[float, Number(0, MAX_CANVAS)] = 0.0


class Place(Struct, frozen=True, kw_only=True):
    """A screen's place among those that draw one board, counted from the left and from 0."""

    number: int
    of: int


class Scene(Struct, frozen=True, kw_only=True, rename="camel"):
    """One scene, in canvas units; `widgets` in drawing order, only those that the player can draw.

    `languages` (BCP 47; without any, the location's) show `together`, or the next with each showing. `mirror_boxes`:
    where the language shown runs from right to left, every widget's box is mirrored.
    `never` is why its schedules can never hold (all were unreadable), `unreadable` why nothing of the scene can be
    shown; None otherwise. `refused`: the display has failed to show it.
    """

    id: str
    name: str
    width: Canvas = 1920.0
    height: Canvas = 1080.0
    background: Background = field(default_factory=Background)
    theme: Theme = field(default_factory=Theme)
    transition: Transition = field(default_factory=Transition)
    widgets: tuple[Widget, ...] = ()
    schedules: tuple[Schedule, ...] = ()
    languages: Annotated[tuple[str, ...], LanguageTags(MAX_LANGUAGES)] = ()
    together: Annotated[bool, Either("inTurn", "together")] = field(name="languageMode", default=False)
    mirror_boxes: Flag = False
    span: Span | None = None
    never: str | None = None
    unreadable: str | None = None
    refused: bool = False

    def part(self, place: Place | None) -> Box:
        """Returns the part of the canvas that a screen draws: all of it, unless it has a place in the scene's span."""
        span, whole = self.span, Box(x=0.0, y=0.0, width=self.width, height=self.height)
        if span is None or place is None or place.of != span.panels:
            return whole
        width = (self.width + span.gap) / span.panels - span.gap
        return whole if width < MIN_CANVAS else replace(whole, x=place.number * (width + span.gap), width=width)

    def panel_of(self, box: Box) -> int:
        """Returns the panel of its span on which a box begins, counted from 0."""
        return 0 if self.span is None else int(box.x // ((self.width + self.span.gap) / self.span.panels))
