"""A picture of the glass for tests that do not draw."""

from __future__ import annotations


class StillShot:
    """Bytes in the place of a PNG or JPEG."""

    def __init__(self, content: bytes = b"") -> None:
        self._content = content

    def png(self) -> bytes:
        """The bytes."""
        return self._content

    def jpeg(self, pixels: int) -> bytes:
        """The same."""
        return self._content
