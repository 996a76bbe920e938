"""Plans the images of one scene within a memory bound, and reports each fault of an image once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import assert_never

from msgspec.structs import replace

from menu.documents.scene import Fit, Focus
from player.display.media.first_images import read_first
from player.display.media.font_files import FONT_BAD
from player.display.media.image_plan import CENTER, ImagePlan, ImageRefused, plan_image
from player.display.media.turn import NO_TURN
from player.domain.events import WidgetDrawn, WidgetUndrawable

SCENE_BYTES = 128 * 1024 * 1024
"""The most memory for the decoded images of one scene; at most three scenes are alive."""
BYTES_PER_PIXEL = 4
ASSET_FAULT = ("asset_", FONT_BAD)
"""Beginnings of the codes of faults of files."""


class AssetImages:
    """Images of the scene `scene_id`; `asset_path` finds an asset (hex SHA-256) on this device."""

    def __init__(
        self,
        scene_id: str,
        *,
        asset_path: Callable[[str], Path],
        pixels_per_unit: float,
        emit: Callable[[WidgetUndrawable | WidgetDrawn], None],
        is_first: bool = False,
    ) -> None:
        """`is_first`: nothing is shown yet, so nothing is delayed."""
        self._scene_id = scene_id
        self._asset_path = asset_path
        self._pixels_per_unit = pixels_per_unit
        self._emit = emit
        # The images of the first view, up to 2,000,000 pixels of their files together, are decoded before its first
        # frame: on a Raspberry Pi 4 that takes some 0.1 s.
        self._first_pixels = 2_000_000 if is_first else 0
        self._bytes_by_part: dict[str, int] = {}
        self._asset_by_part: dict[str, str] = {}
        self._undrawable: dict[tuple[str, str], bool] = {}

    def plan(
        self,
        part: str,
        asset: str,
        width: float,
        height: float,
        *,
        fit: Fit | None = Fit.COVER,
        focus: Focus = CENTER,
    ) -> dict[str, object] | None:
        """Describes the asset to QML in a box of canvas units; None, and a report on `part`, when it cannot be
        drawn. Without a fit it covers the box if so much of it is seen, and is contained otherwise."""
        self.note(part, asset)
        path = self._asset_path(asset)
        plan = plan_image(
            path,
            width=width,
            height=height,
            fit=fit,
            focus=focus,
            pixels_per_unit=self._pixels_per_unit,
        )
        match plan:
            case ImagePlan():
                at_once = plan.file_pixels <= self._first_pixels
                self._first_pixels -= plan.file_pixels if at_once else 0
                plan = self._within_bounds(part, plan)
                described = {**plan.describe(), "atOnce": at_once}
                if at_once and plan.is_opaque and plan.turn == NO_TURN:
                    described["url"] = read_first(path, plan)
                return described
            case ImageRefused():
                self.report(part, plan.code, plan.detail)
                return None
            case _:
                assert_never(plan)

    def note(self, part: str, asset: str) -> None:
        """Records that `part` draws this asset, for reports of its file's faults."""
        self._asset_by_part[part] = asset

    def free(self, part: str) -> None:
        """Frees the image of `part`, which is no longer drawn: others may use its memory."""
        self._bytes_by_part.pop(part, None)

    def _within_bounds(self, part: str, plan: ImagePlan) -> ImagePlan:
        left = max(0, SCENE_BYTES - sum(used for other, used in self._bytes_by_part.items() if other != part))
        # An image that would take more is decoded with fewer pixels: softer, never missing.
        most, wanted = left * 0.25, plan.pixel_width * plan.pixel_height * BYTES_PER_PIXEL
        if wanted > most:
            share = (most / wanted) ** 0.5
            plan = replace(
                plan,
                pixel_width=max(1, int(plan.pixel_width * share)),
                pixel_height=max(1, int(plan.pixel_height * share)),
            )
        self._bytes_by_part[part] = plan.pixel_width * plan.pixel_height * BYTES_PER_PIXEL
        return plan

    @property
    def pixels(self) -> int:
        """Decoded pixels of the scene's images."""
        return sum(self._bytes_by_part.values()) // BYTES_PER_PIXEL

    @property
    def all_drawable(self) -> bool:
        """Whether no fault of an image has been reported."""
        return not any(code.startswith(ASSET_FAULT) for (_, code), is_so in self._undrawable.items() if is_so)

    def report(self, part: str, code: str, detail: str) -> None:
        """Report a fault of `part` of the scene, the first time only."""
        if not self._undrawable.get((part, code)):
            self._undrawable[part, code] = True
            asset = self._asset_by_part.get(part, "") if code.startswith(ASSET_FAULT) else ""
            self._emit(WidgetUndrawable(subject=f"{self._scene_id}/{part}", code=code, detail=detail, asset=asset))

    def withdraw(self, part: str, *codes: str) -> None:
        """Withdraws these faults of `part`, reported or not; the first time only."""
        told = frozenset(code for code in codes if self._undrawable.get((part, code)) is not False)
        if told:
            self._undrawable |= dict.fromkeys(((part, code) for code in told), False)
            self._emit(WidgetDrawn(subject=f"{self._scene_id}/{part}", codes=told))
