"""The resources that all views of a display share: files, clocks, decoders, and where faults are reported."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from msgspec import Struct

from player.display.layout.page_turns import ResumePages
from player.display.media.crash_guard import CrashGuard
from player.display.media.decoders import Decoders
from player.domain.events import WidgetDrawn, WidgetUndrawable


class Resources(Struct, frozen=True, kw_only=True):
    """`asset_path` finds an asset (hex SHA-256) on this device; `now` is true time."""

    asset_path: Callable[[str], Path]
    emit: Callable[[WidgetUndrawable | WidgetDrawn], None]
    now: Callable[[], datetime]
    monotonic: Callable[[], float]
    decoders: Decoders
    crash_guard: CrashGuard
    resume_pages: ResumePages
