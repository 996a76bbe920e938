"""Assets: bytes named by their SHA-256."""

from service.schema.base import ResponseModel
from service.schema.fields import InstantText


class AssetResponse(ResponseModel):
    """An asset of the workspace."""

    id: str
    size: int
    media_type: str
    created_at: InstantText
