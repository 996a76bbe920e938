"""Owns the images of one scene: each planned for its box, and each fault of a widget's image reported once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import assert_never

from player.display.image_plan import ImagePlan, ImageRefused, plan_image
from player.domain.events import PartUndrawable
from player.domain.scene import Fit


class AssetImages:
    """The images of the scene `scene_id`; `asset_path` finds an asset (hex SHA-256) on this device."""

    def __init__(
        self,
        scene_id: str,
        *,
        asset_path: Callable[[str], Path],
        pixels_a_unit: float,
        emit: Callable[[PartUndrawable], None],
    ) -> None:
        self._scene_id = scene_id
        self._asset_path = asset_path
        self._pixels_a_unit = pixels_a_unit
        self._emit = emit
        self._undrawable: set[str] = set()
        self._pixels = 0

    def plan(
        self,
        part: str,
        asset: str,
        width: float,
        height: float,
        *,
        fit: Fit = Fit.COVER,
        focus: tuple[float, float] = (0.5, 0.5),
    ) -> dict[str, object] | None:
        """How QML draws the asset in a box of canvas units; None, and a report on `part`, when it cannot."""
        plan = plan_image(
            self._asset_path(asset),
            width=width,
            height=height,
            fit=fit,
            focus=focus,
            pixels_a_unit=self._pixels_a_unit,
        )
        match plan:
            case ImagePlan():
                self._pixels += plan.pixel_width * plan.pixel_height
                return plan.describe()
            case ImageRefused():
                self.report(part, plan.code, plan.detail)
                return None
            case _:
                assert_never(plan)

    @property
    def pixels(self) -> int:
        """How many pixels of images have been planned: four bytes each, once decoded."""
        return self._pixels

    @property
    def all_drawable(self) -> bool:
        """Whether no fault has been reported."""
        return not self._undrawable

    def report(self, part: str, code: str, detail: str) -> None:
        """Say that `part` of the scene cannot be drawn, the first time only."""
        if part not in self._undrawable:
            self._undrawable.add(part)
            self._emit(PartUndrawable(subject=f"{self._scene_id}/{part}", code=code, detail=detail))
