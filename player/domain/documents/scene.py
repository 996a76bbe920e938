"""The scene: widgets, theme, background; plain data with the defaults of docs/scene.md."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from msgspec import Struct, field

from player.domain.documents.schedule import Daypart, Schedule


class Fit(StrEnum):
    """How an image or video fills its box."""

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
    """How a menu shows an 86'd item."""

    HIDE = "hide"
    MARK = "mark"


class TransitionKind(StrEnum):
    """How a scene replaces the view before it."""

    CUT = "cut"
    FADE = "fade"
    SLIDE = "slide"
    WIPE = "wipe"


class ShapeKind(StrEnum):
    """Shape of a shape widget."""

    RECTANGLE = "rectangle"
    LINE = "line"


class TextRole(StrEnum):
    """Which font and colour of the theme a text has."""

    BODY = "body"
    TITLE = "title"
    ACCENT = "accent"


TIME_LEFT = "{time}"
"""Where the time that is left stands in the text of a countdown."""


class PriceCents(StrEnum):
    """How the decimals of a price are written. Names are those of docs/scene.md."""

    ALWAYS = "always"
    IF_ANY = "ifAny"
    """Not where they are all 0."""
    RAISED = "raised"
    """As small figures above the line."""


class Theme(Struct, frozen=True, kw_only=True):
    """Fonts, colours (`#RRGGBB` or `#AARRGGBB`) and the style of prices; None inherits: a widget from its scene, a
    scene from the player."""

    font_family: str | None = None
    title_family: str | None = None
    text_color: str | None = None
    accent_color: str | None = None
    panel_color: str | None = None
    scale: float | None = None
    price_symbol: bool | None = None
    price_cents: PriceCents | None = None


class Gradient(Struct, frozen=True, kw_only=True):
    """A linear gradient; `angle` in degrees, 0 is left to right, 90 top to bottom."""

    start: str
    end: str
    angle: float = 90.0


class Background(Struct, frozen=True, kw_only=True):
    """The background of a scene; the asset is drawn over the colour or gradient, the scrim over both."""

    color: str = "#101418"
    gradient: Gradient | None = None
    asset: str | None = None
    fit: Fit = Fit.COVER
    scrim: str | None = None


class Transition(Struct, frozen=True, kw_only=True):
    """The transition to a scene, and its duration in milliseconds."""

    kind: TransitionKind = TransitionKind.FADE
    milliseconds: int = 500


class Box(Struct, frozen=True, kw_only=True):
    """A widget's geometry in canvas units."""

    x: float
    y: float
    width: float
    height: float


class _Widget(Struct, frozen=True, kw_only=True):
    id: str
    box: Box
    opacity: float = 1.0
    theme: Theme = field(default_factory=Theme)


class _ListWidget(_Widget, frozen=True, kw_only=True):
    """Lists items by category and id, or without either every item; `columns` None is automatic. `energy_note` None is
    the sentence of the location's law on what an adult needs in a day."""

    categories: tuple[str, ...] = ()
    item_ids: tuple[str, ...] = ()
    columns: int | None = None
    show_descriptions: bool = True
    show_images: bool = False
    show_tags: bool = True
    tag_icons: bool = False
    show_allergens: bool = True
    show_energy: bool = True
    energy_note: str | None = None
    languages: tuple[str, ...] = ()
    """BCP 47, at most two; without any, those of the scene."""
    sold_out: SoldOut = SoldOut.HIDE
    empty_text: str | None = None
    min_text_size: float = 28.0
    max_text_size: float = 64.0


class MenuWidget(_ListWidget, frozen=True, kw_only=True):
    """Lists items in rows."""

    title: str | None = None
    group_by_category: bool = True
    show_modifiers: bool = True
    leader: bool = False
    vertical_align: VerticalAlign | None = None
    """Of a list shorter than its widget; None leaves it to the player."""


class GridWidget(_ListWidget, frozen=True, kw_only=True):
    """Lists items as cards of one size."""

    show_images: bool = True


ListWidget = MenuWidget | GridWidget
"""Widgets that list items by category and id."""


class ImageWidget(_Widget, frozen=True, kw_only=True):
    """An image; `asset` is lowercase hex SHA-256, `focus_x` and `focus_y` (0 to 1) the point that cropping keeps."""

    asset: str
    fit: Fit = Fit.COVER
    focus_x: float = 0.5
    focus_y: float = 0.5


class VideoWidget(_Widget, frozen=True, kw_only=True):
    """A video that repeats; `asset` and `poster` are lowercase hex SHA-256. The poster stands in until there is a frame
    to show, and if the video cannot be played."""

    asset: str
    fit: Fit = Fit.COVER
    muted: bool = True
    poster: str | None = None


class Slide(Struct, frozen=True, kw_only=True):
    """An image or a video of a slideshow; `asset` is lowercase hex SHA-256."""

    asset: str
    seconds: int
    fit: Fit = Fit.COVER


class SlideshowWidget(_Widget, frozen=True, kw_only=True):
    """Slides that show one after the other, again and again; at least one."""

    slides: tuple[Slide, ...]
    fade_milliseconds: int = 500


class TextWidget(_Widget, frozen=True, kw_only=True):
    """Plain text; `size` None is the largest that fits."""

    text: str
    align: Align = Align.LEFT
    vertical_align: VerticalAlign = VerticalAlign.MIDDLE
    size: float | None = None
    bold: bool = False
    role: TextRole = TextRole.BODY


class ClockWidget(_Widget, frozen=True, kw_only=True):
    """The time; `pattern` is a CLDR date-time pattern, `timezone` None the location's."""

    pattern: str = "HH:mm"
    timezone: str | None = None
    align: Align = Align.LEFT
    size: float | None = None


class CountdownWidget(_Widget, frozen=True, kw_only=True):
    """The time that is left, in place of `{time}` in its text: to an instant, or to the end of an occurrence of a
    daypart; one of the two is None. `end_text` shows while there is nothing to count, None for nothing."""

    ends_at: datetime | None = None
    daypart: Daypart | None = None
    text: str = TIME_LEFT
    end_text: str | None = None
    show_seconds: bool = True
    align: Align = Align.LEFT
    size: float | None = None


class ItemWidget(_Widget, frozen=True, kw_only=True):
    """One item, large; while it is 86'd or gone, the one named by `instead_item_id`, or nothing."""

    item_id: str
    instead_item_id: str | None = None
    show_price: bool = True
    show_description: bool = True
    show_image: bool = True
    show_tags: bool = True
    show_allergens: bool = True
    show_energy: bool = True
    languages: tuple[str, ...] = ()
    """BCP 47, at most two; without any, those of the scene."""


class TickerWidget(_Widget, frozen=True, kw_only=True):
    """A line of text that scrolls through its box endlessly; `speed` in canvas units a second."""

    text: str
    speed: float = 120.0


class QrWidget(_Widget, frozen=True, kw_only=True):
    """A QR code with an optional caption."""

    data: str
    caption: str | None = None


class ShapeWidget(_Widget, frozen=True, kw_only=True):
    """A filled box: a rectangle, or a line along its longer side; `radius` of its corners in canvas units."""

    shape: ShapeKind
    color: str
    radius: float = 0.0


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


class Scene(Struct, frozen=True, kw_only=True):
    """One scene, in canvas units; `widgets` in drawing order, only those that the player can draw.

    `languages` (BCP 47; without any, the location's) show `together`, or the next with each showing. `mirror_boxes`:
    where the language shown runs from right to left, every widget's box is mirrored.
    `never` is why its schedules can never hold (all were unreadable), `unreadable` why nothing of the scene can be
    shown; None otherwise. `refused`: the display has failed to show it.
    """

    id: str
    name: str
    width: float = 1920.0
    height: float = 1080.0
    background: Background = field(default_factory=Background)
    theme: Theme = field(default_factory=Theme)
    transition: Transition = field(default_factory=Transition)
    widgets: tuple[Widget, ...] = ()
    schedules: tuple[Schedule, ...] = ()
    languages: tuple[str, ...] = ()
    together: bool = False
    mirror_boxes: bool = False
    never: str | None = None
    unreadable: str | None = None
    refused: bool = False
