"""Scene templates of the design kit, and scenes made from them."""

from typing import Annotated, Any, Literal

from annotated_types import MaxLen
from pydantic import Discriminator, Tag

from service.schema.base import Input, ResponseModel
from service.schema.fields import Identifier, Label, Name
from service.schema.scene import MAX_WIDGETS, Background, LanguageMode, SceneCreate, Transition
from service.schema.translation import Languages
from service.schema.widgets import Theme

Orientation = Literal["landscape", "portrait"]


class SceneFromTemplate(Input):
    """A new scene made from a template of the design kit.

    `fill` changes its widgets by id: given fields replace the template's, null removes the widget. Menu and item
    widgets that are not filled show items of the workspace. `background`, `theme`, `transition`,
    `languages` and `languageMode` replace the template's.
    """

    template: Label
    orientation: Orientation | None = None
    name: Name | None = None
    fill: Annotated[dict[Identifier, dict[str, Any] | None], MaxLen(MAX_WIDGETS)] = {}  # noqa: RUF012  (pydantic copies it)
    background: Background | None = None
    theme: Theme | None = None
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
