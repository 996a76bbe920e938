"""Settings of categories: a note, a picture, and the colour of the heading."""

from typing import Annotated

from annotated_types import MaxLen

from menu.documents.manifest_reader import MAX_CATEGORIES
from service.schema.base import ABSENT, Input, Patch, ResponseModel
from service.schema.fields import AssetName, Color, Label, Name


class CategorySettings(Input):
    """Settings that menus show at the heading of a category."""

    note: Name | None = None
    image: AssetName | None = None
    color: Color | None = None


class CategoriesPatch(Patch):
    """Categories by name, to set or to replace as a whole; null takes the settings of one away."""

    categories: Annotated[dict[Label, CategorySettings | None], MaxLen(MAX_CATEGORIES)] = ABSENT


class CategorySettingsResponse(ResponseModel):
    """The settings of a category; fields without a value are left out."""

    note: str = ""
    image: str = ""
    color: str = ""


class CategoriesResponse(ResponseModel):
    """The categories that have settings, by name."""

    categories: dict[str, CategorySettingsResponse]
