"""Assets: bytes named by their SHA-256."""

from service.schema.base import View
from service.schema.fields import InstantText


class AssetView(View):
    """An asset of the workspace."""

    id: str
    size: int
    media_type: str
    created_at: InstantText
