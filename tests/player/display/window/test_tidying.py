"""Memory that is no longer needed goes back, but never in a transition."""

from __future__ import annotations

import gc
import weakref

from menu.documents.scene import Background, Transition, TransitionKind
from player.display.window.tidying import TIDY_AFTER_CHANGES, Tidying
from tests.player.display.conftest import Glass
from tests.player.display.scenes import scene, showing


class Knot:
    """Refers to itself, so that only a search for garbage frees it."""

    def __init__(self) -> None:
        self.itself = self


def test_garbage_is_freed_after_some_changes_and_only_at_rest() -> None:
    collected: list[str] = []
    tidying = Tidying(collect_qml=lambda: collected.append("qml"))
    knot = weakref.ref(Knot())

    tidying.consider(TIDY_AFTER_CHANGES - 1, at_rest=True)
    tidying.consider(TIDY_AFTER_CHANGES + 1, at_rest=False)
    assert collected == []
    tidying.consider(TIDY_AFTER_CHANGES + 2, at_rest=True)
    assert (knot(), collected) == (None, ["qml"])
    tidying.consider(2 * TIDY_AFTER_CHANGES + 1, at_rest=True)
    assert collected == ["qml"], "counted from the last time"


def test_a_board_tidies_up_while_a_scene_shows(glass: Glass) -> None:
    cut = Transition(kind=TransitionKind.CUT, milliseconds=0)
    views = [
        showing(scene(scene_id=color, background=Background(color=color), transition=cut), entry=color)
        for color in ("#203040", "#402030")
    ]
    gc.disable()
    try:
        for number in range(TIDY_AFTER_CHANGES):
            glass.show(views[number % 2])
        knot = weakref.ref(Knot())

        glass.until(lambda: knot() is None)
    finally:
        gc.enable()
