"""The scene: widgets, theme, background; plain data with the defaults of docs/scene.md."""

# Without `annotations` of __future__: a start would evaluate a hundred strings to read its first scene.

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Self

from msgspec import Struct, field
from msgspec.structs import replace

from menu.documents.converters import (
    COSTS_PART,
    MAX_ID,
    MAX_NAME,
    Asset,
    Color,
    FieldError,
    Flag,
    Parts,
    either,
    identifier,
    integer,
    language_tags,
    name,
    number,
    one_of,
    text,
    texts,
)
from menu.documents.schedule import Daypart, Schedule, zone

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
MIN_LETTER_SPACING, MAX_LETTER_SPACING = -0.1, 0.5
"""Added to each letter, as a share of its width."""
MAX_COLUMNS = 8
MAX_TRANSITION_MILLISECONDS = 5_000
MAX_SLIDES = 100
MAX_LANGUAGES = 8
MAX_TOGETHER = 2
"""Languages that show at once."""
MIN_SLIDE_SECONDS, MAX_SLIDE_SECONDS = 3, 86_400
MIN_PANELS, MAX_PANELS = 2, 3
"""Panels of one board."""
MAX_FADE_MILLISECONDS = 1_000
"""The longest fade of a slideshow: two thirds of the shortest slide are still."""

Name = Annotated[str, name]
Text = Annotated[str, text(MAX_TEXT)]
TextSize = Annotated[float, number(MIN_TEXT_SIZE, MAX_CANVAS)]
Share = Annotated[float, number(0, 1)]
Coordinate = Annotated[float, number(-MAX_COORDINATE, MAX_COORDINATE)]
Extent = Annotated[float, number(MIN_EXTENT, MAX_COORDINATE)]
Canvas = Annotated[float, number(MIN_CANVAS, MAX_CANVAS), COSTS_PART]
Languages = Annotated[tuple[str, ...], language_tags(MAX_TOGETHER)]


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


class PriceCents(StrEnum):
    """The style of a price's decimals. Names are those of docs/scene.md."""

    ALWAYS = "always"
    IF_ANY = "ifAny"
    """Not where they are all 0."""
    RAISED = "raised"
    """As small figures above the line."""


class HeadingStyle(StrEnum):
    """The style of the headings of categories."""

    PLAIN = "plain"
    UNDERLINED = "underlined"
    RULED = "ruled"
    """With a hairline beside it."""
    BOXED = "boxed"
    """On a bar in the accent's colour."""


class Italic(StrEnum):
    """The texts in italics: titles and headings, or descriptions and other texts."""

    NONE = "none"
    TITLES = "titles"
    DETAILS = "details"
    ALL = "all"


class Theme(Struct, frozen=True, kw_only=True, rename="camel"):
    """Fonts, colours (`#RRGGBB` or `#AARRGGBB`) and the styles of text and prices; None inherits: a widget from its
    scene, a scene from the player."""

    font_family: Name | None = None
    title_family: Name | None = None
    text_color: Color | None = None
    accent_color: Color | None = None
    panel_color: Color | None = None
    scale: Annotated[float | None, number(MIN_SCALE, MAX_SCALE)] = None
    price_symbol: Flag | None = None
    price_cents: PriceCents | None = None
    heading_style: HeadingStyle | None = None
    letter_spacing: Annotated[float | None, number(MIN_LETTER_SPACING, MAX_LETTER_SPACING)] = None
    italic: Italic | None = None
    shadow_color: Color | None = None
    featured_color: Color | None = None


class Gradient(Struct, frozen=True, kw_only=True, rename="camel"):
    """A linear gradient; `angle` in degrees, 0 is left to right, 90 top to bottom."""

    start: Color = field(name="from")
    end: Color = field(name="to")
    angle: Annotated[float, number(-360, 360)] = 0.0


class Background(Struct, frozen=True, kw_only=True, rename="camel"):
    """The background of a scene; the asset is drawn over the colour or gradient, the scrim over both."""

    color: Color = "#101418"
    gradient: Gradient | None = None
    asset: Asset | None = None
    fit: Fit = Fit.COVER
    scrim: Color | None = None


class Transition(Struct, frozen=True, kw_only=True, rename="camel"):
    """The transition to a scene, and its duration in milliseconds."""

    kind: TransitionKind = field(name="type", default=TransitionKind.FADE)
    milliseconds: Annotated[int, integer(0, MAX_TRANSITION_MILLISECONDS)] = 500


class Box(Struct, frozen=True, kw_only=True, rename="camel"):
    """A widget's geometry in canvas units."""

    x: Coordinate
    y: Coordinate
    width: Extent
    height: Extent

    def shares_columns(self, other: Self) -> bool:
        """Whether a vertical line crosses both."""
        return self.x < other.x + other.width and other.x < self.x + self.width

    def shares_lines(self, other: Self) -> bool:
        """Whether a horizontal line crosses both."""
        return self.y < other.y + other.height and other.y < self.y + self.height

    def contains(self, other: Self) -> bool:
        """Whether every point of the other is in this one."""
        across = self.x <= other.x and other.x + other.width <= self.x + self.width
        return across and self.y <= other.y and other.y + other.height <= self.y + self.height

    def overlaps(self, other: Self) -> bool:
        """Whether a point is in both."""
        return self.shares_columns(other) and self.shares_lines(other)


def _columns(value: object) -> int | None:
    return None if value == "auto" else integer(1, MAX_COLUMNS)(value)


def _slide_fit(value: object) -> Fit:
    found = one_of(Fit)(value)
    if found is Fit.STRETCH:
        raise FieldError(f"is not one of {Fit.COVER}, {Fit.CONTAIN}")
    return found


def _countdown_text(value: object) -> str:
    found = name(value)
    if found.count(TIME_LEFT) != 1:
        raise FieldError(f"does not hold {TIME_LEFT} once")
    return found


class _Widget(Struct, frozen=True, kw_only=True, rename="camel"):
    id: str
    box: Box
    opacity: Share = 1.0
    theme: Theme = field(default_factory=Theme)


class _ListWidget(_Widget, frozen=True, kw_only=True, rename="camel"):
    """Lists items by category and id, or without either every item; `columns` None is automatic. `energy_note` None is
    the sentence of the location's law on what an adult needs in a day."""

    # Without either list it shows every item, so a bad list costs the widget.
    categories: Annotated[tuple[str, ...], texts(MAX_CATEGORIES, each=MAX_NAME), COSTS_PART] = ()
    item_ids: Annotated[tuple[str, ...], texts(MAX_ITEM_IDS, each=MAX_ID), COSTS_PART] = ()
    columns: Annotated[int | None, _columns] = None
    show_descriptions: Flag = True
    show_images: Flag = False
    show_tags: Flag = True
    tag_icons: Flag = False
    show_allergens: Flag = True
    show_energy: Flag = True
    energy_note: Annotated[str | None, text(MAX_ENERGY_NOTE)] = None
    languages: Languages = ()
    """BCP 47, at most two; without any, those of the scene."""
    sold_out: SoldOut = SoldOut.HIDE
    empty_text: Name | None = None
    min_text_size: TextSize = 28.0
    max_text_size: TextSize = 64.0


class MenuWidget(_ListWidget, frozen=True, kw_only=True, rename="camel", tag="menu"):
    """Lists items in rows."""

    title: Name | None = None
    group_by_category: Flag = True
    show_modifiers: Flag = True
    leader: Flag = False
    vertical_align: VerticalAlign | None = None
    """Alignment of a list shorter than its widget; None leaves it to the player."""


class GridWidget(_ListWidget, frozen=True, kw_only=True, rename="camel", tag="grid"):
    """Lists items as cards of one size."""

    show_images: Flag = True


ListWidget = MenuWidget | GridWidget
"""Widgets that list items by category and id."""


class Focus(Struct, frozen=True, kw_only=True, rename="camel"):
    """The point of an image that cropping keeps, in shares of its width and height."""

    x: Share = 0.5
    y: Share = 0.5


class ImageWidget(_Widget, frozen=True, kw_only=True, rename="camel", tag="image"):
    """An image; `asset` is lowercase hex SHA-256."""

    asset: Asset
    fit: Fit = Fit.COVER
    focus: Focus = Focus()


class VideoWidget(_Widget, frozen=True, kw_only=True, rename="camel", tag="video"):
    """A video that repeats; `asset` and `poster` are lowercase hex SHA-256. The poster stands in until there is a frame
    to show, and if the video cannot be played."""

    asset: Asset
    fit: Fit = Fit.COVER
    muted: Flag = True
    poster: Asset | None = None


class Slide(Struct, frozen=True, kw_only=True, rename="camel"):
    """An image or a video of a slideshow; `asset` is lowercase hex SHA-256."""

    asset: Asset
    seconds: Annotated[int, integer(MIN_SLIDE_SECONDS, MAX_SLIDE_SECONDS)] = field(name="durationSeconds")
    fit: Annotated[Fit, _slide_fit] = Fit.COVER
    focus: Focus = Focus()


class SlideshowWidget(_Widget, frozen=True, kw_only=True, rename="camel", tag="slideshow"):
    """Slides that show one after the other, again and again; at least one."""

    slides: Annotated[tuple[Slide, ...], Parts(Slide, "slide_bad", MAX_SLIDES)]
    fade_milliseconds: Annotated[int, integer(0, MAX_FADE_MILLISECONDS)] = 500


class TextWidget(_Widget, frozen=True, kw_only=True, rename="camel", tag="text"):
    """Plain text; `size` None is the largest that fits."""

    text: Text
    align: Align = Align.LEFT
    vertical_align: VerticalAlign = VerticalAlign.MIDDLE
    size: TextSize | None = None
    bold: Annotated[bool, either("normal", "bold")] = field(name="weight", default=False)
    role: TextRole = TextRole.BODY


class ClockWidget(_Widget, frozen=True, kw_only=True, rename="camel", tag="clock"):
    """The time; `pattern` is a CLDR date-time pattern, `timezone` None the location's."""

    pattern: Annotated[str, text(MAX_PATTERN, least=1)] = "HH:mm"
    timezone: Annotated[str | None, zone] = None
    align: Align = Align.LEFT
    size: TextSize | None = None


class CountdownWidget(_Widget, frozen=True, kw_only=True, rename="camel", tag="countdown"):
    """The time that is left, in place of `{time}` in its text: to an instant, or to the end of an occurrence of a
    daypart; one of the two is None. `end_text` shows while there is nothing to count, None for nothing."""

    ends_at: datetime | None = None
    daypart: Daypart | None = None
    text: Annotated[str, _countdown_text] = TIME_LEFT
    end_text: Name | None = None
    show_seconds: Flag = True
    align: Align = Align.LEFT
    size: TextSize | None = None


class ItemWidget(_Widget, frozen=True, kw_only=True, rename="camel", tag="item"):
    """One item, large; while it is 86'd or gone, the one named by `instead_item_id`, or nothing. `energy_note` is as
    that of a list."""

    item_id: Annotated[str, identifier]
    # A bad replacement costs only itself: the item leaves when it is sold out, as it would without one.
    instead_item_id: Annotated[str | None, identifier] = None
    show_price: Flag = True
    show_descriptions: Flag = field(name="showDescription", default=True)
    show_images: Flag = field(name="showImage", default=True)
    show_tags: Flag = True
    show_allergens: Flag = True
    show_energy: Flag = True
    energy_note: Annotated[str | None, text(MAX_ENERGY_NOTE)] = None
    languages: Languages = ()
    """BCP 47, at most two; without any, those of the scene."""


class TickerWidget(_Widget, frozen=True, kw_only=True, rename="camel", tag="ticker"):
    """A line of text that scrolls through its box endlessly; `speed` in canvas units a second."""

    text: Text
    speed: Annotated[float, number(MIN_SPEED, MAX_SPEED)] = 120.0


class QrWidget(_Widget, frozen=True, kw_only=True, rename="camel", tag="qr"):
    """A QR code with an optional caption."""

    data: Annotated[str, text(MAX_QR_TEXT, least=1)]
    caption: Name | None = None


class ShapeWidget(_Widget, frozen=True, kw_only=True, rename="camel", tag="shape"):
    """A rectangle, a line or an ornament along the longer side, or a circle or burst in the middle; `radius` of the
    corners in canvas units. A border is drawn within the box."""

    shape: ShapeKind
    color: Color
    radius: Annotated[float, number(0, MAX_COORDINATE)] = 0.0
    style: StrokeStyle = StrokeStyle.SOLID
    border_color: Color | None = None
    border_width: Annotated[float, number(0, MAX_COORDINATE)] = 4.0


Widget = (
    MenuWidget
    | GridWidget
    | ImageWidget
    | VideoWidget
    | SlideshowWidget
    | TextWidget
    | ClockWidget
    | CountdownWidget
    | ItemWidget
    | TickerWidget
    | QrWidget
    | ShapeWidget
)


class Span(Struct, frozen=True, kw_only=True, rename="camel"):
    """The panels side by side that draw one scene; `gap` is the part of the canvas between two of them, which their
    frames hide."""

    panels: Annotated[int, integer(MIN_PANELS, MAX_PANELS)]
    gap: Annotated[float, number(0, MAX_CANVAS)] = 0.0


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
    languages: Annotated[tuple[str, ...], language_tags(MAX_LANGUAGES)] = ()
    together: Annotated[bool, either("inTurn", "together")] = field(name="languageMode", default=False)
    mirror_boxes: Flag = False
    span: Span | None = None
    never: str | None = None
    unreadable: str | None = None
    refused: bool = False

    def part(self, place: Place | None) -> Box:
        """The part of the canvas that a screen draws: the whole one, unless it has a place in the scene's span."""
        span, whole = self.span, Box(x=0.0, y=0.0, width=self.width, height=self.height)
        if span is None or place is None or place.of != span.panels:
            return whole
        width = (self.width + span.gap) / span.panels - span.gap
        return whole if width < MIN_CANVAS else replace(whole, x=place.number * (width + span.gap), width=width)

    def panel_of(self, box: Box) -> int:
        """The panel of its span on which a box begins, counted from 0."""
        return 0 if self.span is None else int(box.x // ((self.width + self.span.gap) / self.span.panels))
