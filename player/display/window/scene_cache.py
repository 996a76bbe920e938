"""Cache of scenes to which a loop soon returns."""

from __future__ import annotations

from collections.abc import Callable

from player.display.views.scene import SceneViewModel
from player.display.views.view_model import ViewModel, ViewPhase

MOST_CACHED = 2
"""Scenes that are cached because a loop soon returns to them."""
MOST_PIXELS_CACHED = 2 * 1920 * 1080
"""Pixels of the images of all cached scenes together: 16 MB. A scene that does not fit is built anew each time."""


class SceneCache:
    """The cached scenes, the oldest first; `remove` takes a view off the stage."""

    def __init__(self, remove: Callable[[ViewModel], None], *, is_outdated: Callable[[ViewModel], bool]) -> None:
        self._remove = remove
        self._is_outdated = is_outdated
        self.scenes: list[SceneViewModel] = []

    def add_or_remove(self, model: ViewModel) -> None:
        """Cache the view if a loop may return to it, else remove it."""
        if not (isinstance(model, SceneViewModel) and self._is_cacheable(model)):
            self._remove(model)
            return
        model.set_phase(ViewPhase.PREPARING)
        self.scenes.append(model)
        if len(self.scenes) > MOST_CACHED:
            self._remove(self.scenes.pop(0))

    def take(self, suits: Callable[[SceneViewModel], bool]) -> SceneViewModel | None:
        """The first scene that suits, which leaves the cache."""
        for model in self.scenes:
            if suits(model):
                self.scenes.remove(model)
                return model
        return None

    def drop(self, is_dropped: Callable[[SceneViewModel], bool]) -> None:
        """Remove these scenes."""
        for model in [model for model in self.scenes if is_dropped(model)]:
            self.scenes.remove(model)
            self._remove(model)

    def _is_cacheable(self, model: SceneViewModel) -> bool:
        beside = self.scenes[1 - MOST_CACHED :]
        fits = model.pixels + sum(other.pixels for other in beside) <= MOST_PIXELS_CACHED
        return fits and model.is_ready and model.is_cacheable and not self._is_outdated(model)
