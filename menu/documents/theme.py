"""Themes of a scene: fonts, colours, styles of text and prices; plain data with the defaults of docs/scene.md."""

# Without `annotations` of __future__: a start would evaluate its strings to read its first scene.

from enum import StrEnum
from typing import Annotated

from msgspec import Struct

from menu.documents.converters import Color, Flag, Number, Reference, family

MIN_SCALE, MAX_SCALE = 0.25, 4
MIN_HEADING_SIZE, MAX_HEADING_SIZE = 0.6, 3
"""As a share of the names' size."""
MIN_LETTER_SPACING, MAX_LETTER_SPACING = -0.1, 0.5
"""Added to each letter, as a share of its width."""

Family = Annotated[str, family, Reference.FONT]


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


class Weight(StrEnum):
    """The weight of letters."""

    NORMAL = "normal"
    BOLD = "bold"


class Italic(StrEnum):
    """The texts in italics: titles and headings, or descriptions and other texts."""

    NONE = "none"
    TITLES = "titles"
    DETAILS = "details"
    ALL = "all"


class Theme(Struct, frozen=True, kw_only=True, rename="camel"):
    """Fonts, colours and the styles of text and prices; the player's defaults fill the blanks."""

    font_family: Family | None = None
    """The name of an installed family, or a font of the assets by its reference `sha256:…`; so are the others."""
    title_family: Family | None = None
    text_color: Color | None = None
    accent_color: Color | None = None
    panel_color: Color | None = None
    scale: Annotated[float | None, Number(MIN_SCALE, MAX_SCALE)] = None
    price_symbol: Flag | None = None
    price_word: Flag | None = None
    price_cents: PriceCents | None = None
    heading_style: HeadingStyle | None = None
    heading_size: Annotated[float | None, Number(MIN_HEADING_SIZE, MAX_HEADING_SIZE)] = None
    heading_family: Family | None = None
    heading_weight: Weight | None = None
    letter_spacing: Annotated[float | None, Number(MIN_LETTER_SPACING, MAX_LETTER_SPACING)] = None
    italic: Italic | None = None
    shadow_color: Color | None = None
    featured_color: Color | None = None
