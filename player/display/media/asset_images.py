"""Owns the images of one scene: each planned for its box, and each fault of a widget's image reported once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import assert_never

from msgspec.structs import replace

from player.display.media.image_plan import ImagePlan, ImageRefused, plan_image
from player.domain.events import PartUndrawable
from player.domain.scene import Fit

SCENE_BYTES = 128 * 1024 * 1024
"""What the decoded images of one scene may take together; at most three scenes are alive."""
LARGEST_SHARE = 0.25
"""How much of what is left one image may take. One that wants more is decoded with fewer pixels: softer, never gone."""
BYTES_A_PIXEL = 4
ASSET_FAULT = "asset_"
"""How the codes of faults of files begin."""


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
        self._taken: dict[str, int] = {}
        self._undrawable: set[tuple[str, str]] = set()

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
                return self._within_bounds(part, plan).describe()
            case ImageRefused():
                self.report(part, plan.code, plan.detail)
                return None
            case _:
                assert_never(plan)

    def _within_bounds(self, part: str, plan: ImagePlan) -> ImagePlan:
        left = max(0, SCENE_BYTES - sum(taken for other, taken in self._taken.items() if other != part))
        most, wanted = left * LARGEST_SHARE, plan.pixel_width * plan.pixel_height * BYTES_A_PIXEL
        if wanted > most:
            share = (most / wanted) ** 0.5
            plan = replace(
                plan,
                pixel_width=max(1, int(plan.pixel_width * share)),
                pixel_height=max(1, int(plan.pixel_height * share)),
            )
        self._taken[part] = plan.pixel_width * plan.pixel_height * BYTES_A_PIXEL
        return plan

    @property
    def pixels(self) -> int:
        """How many pixels of images are decoded for the scene."""
        return sum(self._taken.values()) // BYTES_A_PIXEL

    @property
    def all_drawable(self) -> bool:
        """Whether no image's fault has been reported."""
        return not any(code.startswith(ASSET_FAULT) for _, code in self._undrawable)

    def report(self, part: str, code: str, detail: str) -> None:
        """Say what is wrong with `part` of the scene, the first time only."""
        if (part, code) not in self._undrawable:
            self._undrawable.add((part, code))
            self._emit(PartUndrawable(subject=f"{self._scene_id}/{part}", code=code, detail=detail))
