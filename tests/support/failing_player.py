"""A `menu-player` whose display fails over chosen scenes, as a defect of the player might make it.

`python -m tests.support.failing_player run …`. MENU_TEST_REFUSED, MENU_TEST_DEADLY and MENU_TEST_HANGING list scenes
(by name, with commas) that cannot be built, end the process, or hold up the display's thread for ever.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from typing import Any

from player.cli import main
from player.display.views.scene import SceneViewModel
from player.display.window import view_builder
from player.domain.view import SceneView


def listed(variable: str) -> list[str]:
    return os.environ.get(variable, "").split(",")


class FailingScene(SceneViewModel):
    """A scene, unless it is one that fails."""

    def __init__(self, view: SceneView, *given: Any, **more: Any) -> None:
        if view.scene.name in listed("MENU_TEST_DEADLY"):
            os.kill(os.getpid(), signal.SIGSEGV)
        while view.scene.name in listed("MENU_TEST_HANGING"):
            time.sleep(1)
        if view.scene.name in listed("MENU_TEST_REFUSED"):
            raise ZeroDivisionError
        super().__init__(view, *given, **more)


if __name__ == "__main__":
    view_builder.SceneViewModel = FailingScene  # type: ignore[misc]
    sys.exit(main())
