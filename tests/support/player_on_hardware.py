"""A `menu-player` on a machine of which the files of MENU_TEST_MACHINE tell, in place of those of this one.

`python -m tests.support.player_on_hardware run …`. The folder has the machine's files as they lie below `/`.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path

import player.runtime.app
from player.cli import main
from player.device.machine import read_hardware

if __name__ == "__main__":
    player.runtime.app.read_hardware = partial(read_hardware, root=Path(os.environ["MENU_TEST_MACHINE"]))  # type: ignore[attr-defined]
    sys.exit(main())
