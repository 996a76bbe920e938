"""Scene templates of the design kit, and scenes made from them."""

from typing import Annotated, Any, Literal

from annotated_types import MaxLen, MinLen
from pydantic import Discriminator, Tag

from menu.documents.scene_reader import MAX_WIDGETS
from service.schema.base import Input, ResponseModel, SchemaOf
from service.schema.content.scene import Background, LanguageMode, SceneCreate, Theme, Transition
from service.schema.content.translation import Languages
from service.schema.fields import AssetName, Color, Identifier, Label, Name

Orientation = Literal["landscape", "portrait"]


class Brand(Input):
    """The logo and the colours of a brand: of the ground, and of headings and prices on it."""

    logo: AssetName | None = None
    colors: Annotated[list[Color], MinLen(2), MaxLen(2)]


def _theme_kind(value: object) -> str:
    return "name" if isinstance(value, str) else "Theme"


NamedTheme = Annotated[Annotated[Theme, Tag("Theme")] | Annotated[Label, Tag("name")], Discriminator(_theme_kind)]
"""A theme, or the name of one of the kit's."""


class SceneFromTemplate(Input):
    """A new scene made from a template of the design kit.

    `fill` changes its widgets by id: given fields replace the template's, null removes the widget. Menu and item
    widgets that are not filled show items of the workspace. `background`, `theme`, `transition`,
    `languages` and `languageMode` replace the template's. A `theme` by name sets the whole scene in one of the kit's
    themes, a `brand` in its colours, with its logo beside the headline. `picture` is the trade whose picture it has, or
    `none`; by default that which the categories name.
    """

    template: Label
    orientation: Orientation | None = None
    name: Name | None = None
    picture: Label | None = None
    fill: Annotated[dict[Identifier, dict[str, Any] | None], MaxLen(MAX_WIDGETS)] = {}  # noqa: RUF012  (pydantic copies it)
    background: Background | None = None
    theme: NamedTheme | None = None
    brand: Brand | None = None
    transition: Transition | None = None
    languages: Languages | None = None
    language_mode: LanguageMode | None = None


_WHOLE, _TEMPLATE = "SceneCreate", "SceneFromTemplate"


def _kind(body: object) -> str:
    return _TEMPLATE if isinstance(body, dict) and "template" in body else _WHOLE


NewScene = Annotated[
    Annotated[SceneCreate, Tag(_WHOLE)] | Annotated[SceneFromTemplate, Tag(_TEMPLATE)], Discriminator(_kind)
]


class TemplateWidgetResponse(ResponseModel):
    """A widget of a template that `fill` can change, and its default text."""

    id: str
    type: str
    text: str | None


class TemplateResponse(ResponseModel):
    """A template of the design kit."""

    template: str
    name: str
    description: str
    orientations: list[Orientation]
    places: list[TemplateWidgetResponse]


class ThemeResponse(ResponseModel):
    """A theme of the design kit: the `theme` of a call by its name, and what it sets in a scene."""

    theme: str
    name: str
    description: str
    background: Annotated[dict[str, Any], SchemaOf(Background)]
    values: Annotated[dict[str, Any], SchemaOf(Theme)]
