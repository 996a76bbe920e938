"""Assets: bytes named by their SHA-256, and their uses."""

from enum import IntEnum
from typing import Annotated

from annotated_types import Ge, Le, MaxLen, MinLen
from pydantic import AfterValidator

from service.schema.base import Input, Patch, ResponseModel
from service.schema.fields import InstantText, Label, Sha256, Whole, not_blank, one_line

ALT_LENGTH = 500
MAX_UPLOAD_SIZE = 1024**3
"""Bytes; the media type sets a lower bound."""
MAX_LISTED_USES = 100
"""Uses of each kind that are listed."""

Alt = Annotated[str, MinLen(1), MaxLen(ALT_LENGTH), AfterValidator(one_line), AfterValidator(not_blank)]


class ThumbnailSize(IntEnum):
    """Pixels of the longer side."""

    SMALL = 160
    MEDIUM = 320
    LARGE = 640


class AssetPatch(Patch):
    """Fields of an asset to change; null takes the text away."""

    alt: Alt | None = None


class UploadCreate(Input):
    """An upload in parts, of so many bytes. With `sha256` it becomes an asset only if its bytes have that hash."""

    media_type: Label
    size: Annotated[Whole, Ge(1), Le(MAX_UPLOAD_SIZE)]
    sha256: Sha256 | None = None


class FontFacts(ResponseModel):
    """A font's family, its least and largest weight from 1 to 1000, and the scripts that it has (ISO 15924)."""

    family: str
    weights: list[int]
    scripts: list[str]


class AssetResponse(ResponseModel):
    """An asset of the workspace. `alt` says in words what is to be seen; `font` is null for what is no font."""

    id: str
    size: int
    media_type: str
    alt: str | None
    font: FontFacts | None = None
    created_at: InstantText


class AssetUploadResponse(ResponseModel):
    """An upload in parts: the next one begins at `offset`. `asset` is null until all bytes are there and checked. It
    is removed a day after its last part."""

    id: str
    media_type: str
    size: int
    offset: int
    asset: str | None
    expires_at: InstantText


class NamedUse(ResponseModel):
    """An item, a scene or an override that shows the asset."""

    id: str
    name: str


class VersionUse(ResponseModel):
    """A stored version of a playlist that shows the asset, published or to be restored."""

    playlist: str
    name: str
    version: int


class ApprovalUse(ResponseModel):
    """A pending request to publish what shows the asset."""

    id: str
    playlist: str
    name: str


class AssetUses(ResponseModel):
    """Uses of an asset, at most a hundred of each kind; while there is one, the asset cannot be deleted."""

    items: list[NamedUse]
    categories: list[str]
    scenes: list[NamedUse]
    versions: list[VersionUse]
    approvals: list[ApprovalUse]
    overrides: list[NamedUse]
