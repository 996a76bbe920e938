"""Resources that all views of a display share: files, clocks, decoders in turn, and where faults are reported."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from msgspec import Struct

from player.display.layout.page_turns import ResumePages
from player.display.media.crash_guard import CrashGuard
from player.display.media.font_files import FontFiles
from player.domain.events import WidgetDrawn, WidgetUndrawable

MOST_DECODERS = 2
"""As many as a Raspberry Pi decodes while it draws; each full HD decoder takes some 50 MB."""


class Decoders:
    """Limits decoders. A requester is identified by its `start` function, which is called as soon as one is free."""

    def __init__(self, *, slowness: float = 1.0) -> None:
        """`slowness`: factor by which decoding may take longer on this machine."""
        self.slowness = slowness
        self._requests: list[Callable[[], None]] = []

    def request(self, start: Callable[[], None]) -> None:
        """Call `start` as soon as a decoder is free, perhaps at once."""
        self._requests.append(start)
        if len(self._requests) <= MOST_DECODERS:
            start()

    def release(self, start: Callable[[], None]) -> None:
        """Frees the requester's decoder, or cancels its wait."""
        if start not in self._requests:
            return
        at = self._requests.index(start)
        del self._requests[at]
        if at < MOST_DECODERS <= len(self._requests):
            self._requests[MOST_DECODERS - 1]()


class Resources(Struct, frozen=True, kw_only=True):
    """`asset_path` finds an asset (hex SHA-256) on this device; `now` is true time."""

    asset_path: Callable[[str], Path]
    emit: Callable[[WidgetUndrawable | WidgetDrawn], None]
    now: Callable[[], datetime]
    monotonic: Callable[[], float]
    decoders: Decoders
    crash_guard: CrashGuard
    fonts: FontFiles
    resume_pages: ResumePages
