"""A `menu-player` that writes down when its frames reach the glass: `python -m benchmarks.watched_player run …`.

MENU_FRAMES names the file; a line has the monotonic time of a frame, and the time that the thread which draws was ready
and the machine ran something else, both in seconds.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

from player.cli import main


def watch() -> None:
    """Write down the frames of the display that is going to be made."""
    from player.display.window.window import Display

    start = Display.start
    with_file = Path(os.environ["MENU_FRAMES"]).open("a", buffering=1)  # noqa: SIM115 -- as long as the program

    def started(self: Display) -> None:
        waits = Path(f"/proc/self/task/{threading.get_native_id()}/schedstat")

        def swapped() -> None:
            waited = int(waits.read_text().split()[1]) / 1e9
            with_file.write(f"{time.monotonic():.6f} {waited:.6f}\n")

        start(self)
        self.view.frameSwapped.connect(swapped)

    Display.start = started  # type: ignore[method-assign]


if __name__ == "__main__":
    watch()
    sys.exit(main())
