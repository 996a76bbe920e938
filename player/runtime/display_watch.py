"""Reports what the display says of itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from msgspec.structs import replace

from player.domain.events import DisplayChecked
from player.whole_second import pause

LOOK_SECONDS = 1.0
"""Between two looks at the display."""


async def watch_display(
    *,
    look: Callable[[], DisplayChecked],
    is_at_rest: Callable[[], bool],
    emit: Callable[[DisplayChecked], None],
    screen_changed: Callable[[], None],
) -> NoReturn:
    """Emits what is seen once a second; while the board is at rest, only what is new. A screen that has come has
    forgotten what it was asked, so each change of the screen is told by `screen_changed`, too."""
    before: DisplayChecked | None = None
    while True:
        now = look()
        if before is None or not is_at_rest() or now != replace(before, turned_at=now.turned_at):
            emit(now)
        if before is not None and (before.has_screen, before.glass) != (now.has_screen, now.glass):
            screen_changed()
        before = now
        await pause(LOOK_SECONDS)
