"""Reports the state of the display."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from msgspec.structs import replace

from player.domain.events import DisplayChecked
from player.whole_second import pause

LOOK_SECONDS = 1.0
"""Between two looks."""


async def watch_display(
    *,
    look: Callable[[], DisplayChecked],
    is_at_rest: Callable[[], bool],
    emit: Callable[[DisplayChecked], None],
    screen_changed: Callable[[], None],
) -> NoReturn:
    """Emits the display's state once a second; while the board is at rest, only changes, to which a frame requested
    since the last look does not count. A new screen has lost earlier requests, so each change of the screen calls
    `screen_changed`, too."""
    told: DisplayChecked | None = None
    asked_at: float | None = None
    while True:
        now = look()
        if told is None or not is_at_rest() or _has_news(now, told, asked_at):
            emit(now)
            if told is not None and (told.has_screen, told.glass) != (now.has_screen, now.glass):
                screen_changed()
            told = now
        asked_at = now.frame_asked_at
        await pause(LOOK_SECONDS)


def _has_news(now: DisplayChecked, told: DisplayChecked, asked_at: float | None) -> bool:
    """True if `now` differs from the last report; a frame had been requested by the last look if `asked_at` is set."""
    is_on_its_way = told.frame_asked_at is None and now.frame_asked_at != asked_at
    seen = replace(now, turned_at=told.turned_at, frame_asked_at=None if is_on_its_way else now.frame_asked_at)
    return seen != told
