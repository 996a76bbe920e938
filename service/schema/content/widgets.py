"""The widgets of a scene, type by type, as docs/scene.md lists them."""

from decimal import Decimal
from typing import Annotated, Literal

from annotated_types import Ge, Le, MaxLen, MinLen
from pydantic import AfterValidator, BeforeValidator, Discriminator, WithJsonSchema, model_validator

from service.schema.base import Input
from service.schema.content.translation import TogetherLanguages
from service.schema.fields import (
    COORDINATE_LIMIT,
    AssetName,
    Color,
    Identifier,
    Label,
    Lines,
    Name,
    Number,
    Whole,
    WrittenInstant,
    fault,
    readable,
    storable,
)
from service.schema.places.live_value import names_values
from service.schema.publishing.schedule import Days, End, Start, Zone

MAX_MENU_REFERENCES = 500
MAX_ENERGY_NOTE = 500
TEXT_LENGTH = 5000
QR_LENGTH = 1000
MAX_COLUMNS = 8
MIN_EXTENT = 1
"""Canvas units: a smaller widget would be invisible."""
MIN_TEXT_SIZE, MAX_TEXT_SIZE = 4, 2000
MIN_SPEED, MAX_SPEED = 1, 2000
"""Canvas units a second, of tickers."""
MAX_SLIDES = 100
MIN_SLIDE_SECONDS, MAX_SLIDE_SECONDS = 3, 86_400
MAX_FADE_MILLISECONDS = 1000
"""The longest fade of a slideshow: two thirds of the shortest slide are still."""
TIME_LEFT = "{time}"
"""Where the time that is left stands in the text of a countdown."""

LongText = Annotated[str, MaxLen(TEXT_LENGTH), AfterValidator(readable)]
LiveLongText = Annotated[LongText, AfterValidator(names_values)]
"""A text that may tell values: `{{temperature}}`."""
EnergyNote = Annotated[str, MaxLen(MAX_ENERGY_NOTE), AfterValidator(readable)]
Coordinate = Annotated[Number, Ge(-COORDINATE_LIMIT), Le(COORDINATE_LIMIT)]
Extent = Annotated[Number, Ge(MIN_EXTENT), Le(COORDINATE_LIMIT)]
TextSize = Annotated[Number, Ge(MIN_TEXT_SIZE), Le(MAX_TEXT_SIZE)]
Fraction = Annotated[Number, Ge(0), Le(1)]
Align = Literal["left", "center", "right"]
Fit = Literal["cover", "contain", "stretch"]


def _columns(value: object) -> object:
    if value == "auto":
        return value
    if isinstance(value, int | Decimal) and not isinstance(value, bool) and value in range(1, MAX_COLUMNS + 1):
        return int(value)
    raise fault("out_of_range", f'This must be a whole number from 1 to {MAX_COLUMNS}, or "auto".')


Columns = Annotated[
    int | Literal["auto"],
    BeforeValidator(_columns),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 1, "maximum": MAX_COLUMNS}, {"const": "auto"}]}),
]


def _holds_time(text: str) -> str:
    if text.count(TIME_LEFT) != 1:
        raise fault("no_time", f"This holds {TIME_LEFT} once: the time that is left stands there.")
    return text


CountdownText = Annotated[Name, AfterValidator(_holds_time)]


class Theme(Input):
    """Fonts, colours and the styles of text and prices; the player's defaults fill the blanks."""

    font_family: Name | None = None
    title_family: Name | None = None
    text_color: Color | None = None
    accent_color: Color | None = None
    panel_color: Color | None = None
    scale: Annotated[Number, Ge(0.25), Le(4)] | None = None
    price_symbol: bool | None = None
    price_cents: Literal["always", "ifAny", "raised"] | None = None
    heading_style: Literal["plain", "underlined", "ruled", "boxed"] | None = None
    letter_spacing: Annotated[Number, Ge(-0.1), Le(0.5)] | None = None
    italic: Literal["none", "titles", "details", "all"] | None = None
    shadow_color: Color | None = None
    featured_color: Color | None = None


class Widget(Input):
    """Fields of all widgets."""

    id: Identifier
    x: Coordinate
    y: Coordinate
    width: Extent
    height: Extent
    opacity: Fraction = 1
    theme: Theme | None = None


class MenuWidget(Widget):
    """A list of items: by category, by id, or all of them when it names neither."""

    type: Literal["menu"]
    title: Lines | None = None
    categories: Annotated[list[Label], MaxLen(MAX_MENU_REFERENCES)] | None = None
    item_ids: Annotated[list[Identifier], MaxLen(MAX_MENU_REFERENCES)] | None = None
    columns: Columns = "auto"
    group_by_category: bool = True
    show_descriptions: bool = True
    show_modifiers: bool = True
    show_images: bool = False
    show_tags: bool = True
    tag_icons: bool = False
    show_allergens: bool = True
    show_energy: bool = True
    energy_note: EnergyNote | None = None
    leader: bool = False
    vertical_align: Literal["top", "middle", "bottom"] | None = None
    sold_out: Literal["hide", "mark"] = "hide"
    empty_text: Lines | None = None
    languages: TogetherLanguages | None = None
    min_text_size: TextSize = 28
    max_text_size: TextSize = 64

    @model_validator(mode="after")
    def _sizes_in_order(self) -> "MenuWidget":
        if self.min_text_size > self.max_text_size:
            raise fault("out_of_range", "minTextSize is not larger than maxTextSize.")
        return self


class GridWidget(Widget):
    """Items as cards of one size: by category, by id, or all of them when it names neither."""

    type: Literal["grid"]
    categories: Annotated[list[Label], MaxLen(MAX_MENU_REFERENCES)] | None = None
    item_ids: Annotated[list[Identifier], MaxLen(MAX_MENU_REFERENCES)] | None = None
    columns: Columns = "auto"
    show_images: bool = True
    show_descriptions: bool = True
    show_tags: bool = True
    tag_icons: bool = False
    show_allergens: bool = True
    show_energy: bool = True
    energy_note: EnergyNote | None = None
    sold_out: Literal["hide", "mark"] = "hide"
    empty_text: Lines | None = None
    languages: TogetherLanguages | None = None
    min_text_size: TextSize = 28
    max_text_size: TextSize = 64

    @model_validator(mode="after")
    def _sizes_in_order(self) -> "GridWidget":
        if self.min_text_size > self.max_text_size:
            raise fault("out_of_range", "minTextSize is not larger than maxTextSize.")
        return self


class ItemWidget(Widget):
    """One item, and optionally another that replaces it while it is sold out."""

    type: Literal["item"]
    item_id: Identifier
    instead_item_id: Identifier | None = None
    show_price: bool = True
    show_description: bool = True
    show_image: bool = True
    show_tags: bool = True
    show_allergens: bool = True
    show_energy: bool = True
    energy_note: EnergyNote | None = None
    languages: TogetherLanguages | None = None


class Focus(Input):
    """The point of an image that stays visible, from 0, 0 (top left) to 1, 1."""

    x: Fraction
    y: Fraction


class ImageWidget(Widget):
    """An image."""

    type: Literal["image"]
    asset: AssetName
    fit: Fit = "cover"
    focus: Focus | None = None


class VideoWidget(Widget):
    """A video in a loop."""

    type: Literal["video"]
    asset: AssetName
    fit: Fit = "cover"
    muted: bool = True
    poster: AssetName | None = None


class Slide(Input):
    """An image or a video of a slideshow."""

    asset: AssetName
    duration_seconds: Annotated[Whole, Ge(MIN_SLIDE_SECONDS), Le(MAX_SLIDE_SECONDS)]
    fit: Literal["cover", "contain"] = "cover"
    focus: Focus | None = None


class SlideshowWidget(Widget):
    """Images and videos, one after the other, again and again."""

    type: Literal["slideshow"]
    slides: Annotated[list[Slide], MinLen(1), MaxLen(MAX_SLIDES)]
    fade_milliseconds: Annotated[Whole, Ge(0), Le(MAX_FADE_MILLISECONDS)] = 500


class TextWidget(Widget):
    """Text."""

    type: Literal["text"]
    text: LiveLongText
    align: Align = "left"
    vertical_align: Literal["top", "middle", "bottom"] = "middle"
    size: TextSize | None = None
    weight: Literal["normal", "bold"] = "normal"
    role: Literal["body", "title", "accent"] = "body"


class TickerWidget(Widget):
    """Scrolling text."""

    type: Literal["ticker"]
    text: LiveLongText
    speed: Annotated[Number, Ge(MIN_SPEED), Le(MAX_SPEED)] = 120


class ClockWidget(Widget):
    """The time, by a CLDR date-time pattern."""

    type: Literal["clock"]
    pattern: Label = "HH:mm"
    timezone: Zone = "location"
    align: Align = "left"
    size: TextSize | None = None


class CountdownWidget(Widget):
    """The time that is left: to an instant, or to the end of a part of the day."""

    type: Literal["countdown"]
    ends_at: WrittenInstant | None = None
    start: Start | None = None
    end: End | None = None
    days: Days | None = None
    timezone: Zone = "location"
    text: CountdownText = TIME_LEFT
    end_text: Lines | None = None
    show_seconds: bool = True
    align: Align = "left"
    size: TextSize | None = None

    @model_validator(mode="after")
    def _one_end(self) -> "CountdownWidget":
        if (self.ends_at is None) == (self.end is None):
            raise fault("ambiguous", "A countdown has one of endsAt and end.")
        if self.ends_at is not None and (self.start is not None or self.days is not None):
            raise fault("ambiguous", "start and days belong to end; with endsAt there is none of them.")
        return self


class QrWidget(Widget):
    """A QR code."""

    type: Literal["qr"]
    data: Annotated[str, MinLen(1), MaxLen(QR_LENGTH), AfterValidator(storable)]
    caption: Lines | None = None


class ShapeWidget(Widget):
    """A shape, with a border."""

    type: Literal["shape"]
    shape: Literal["rectangle", "line", "circle", "burst", "ornament"]
    color: Color
    radius: Annotated[Number, Ge(0), Le(COORDINATE_LIMIT)] = 0
    style: Literal["solid", "dotted", "double"] = "solid"
    border_color: Color | None = None
    border_width: Annotated[Number, Ge(0), Le(COORDINATE_LIMIT)] = 4


AnyWidget = Annotated[
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
    | ShapeWidget,
    Discriminator("type"),
]
