"""Owns the choice of scene graph before Qt starts: the software one where no real GPU is; imports no Qt."""

from __future__ import annotations

import os
from collections.abc import MutableMapping
from enum import StrEnum
from pathlib import Path

BACKEND_VARIABLE = "QT_QUICK_BACKEND"
DRM_CLASS = Path("/sys/class/drm")
NO_GPU_DRIVERS = frozenset(
    {
        "vgem",
        "vkms",
        "simpledrm",
        "simple-framebuffer",
        "ofdrm",
        "ast",
        "bochs",
        "bochs-drm",
        "cirrus",
        "udl",
        "mgag200",
    }
)
"""Kernel drivers that give a display, or a render node, but nothing that draws."""


class Backend(StrEnum):
    """Which scene graph draws."""

    SOFTWARE = "software"
    """Qt's own raster scene graph: a tenth of the CPU of OpenGL on a CPU."""
    GPU = "gpu"
    """Qt's default: OpenGL ES on a real GPU."""
    USER = "user"
    """What the environment asks for; it wins."""


def choose_backend(*, environment: MutableMapping[str, str] = os.environ, drm_class: Path = DRM_CLASS) -> Backend:
    """Choose, and write the choice into `environment`; call it before QGuiApplication is made.

    A GPU counts as real when one of the render nodes under `drm_class` belongs to a driver that draws.
    """
    if environment.get(BACKEND_VARIABLE):
        return Backend.USER
    if any(_draws(node) for node in _render_nodes(drm_class)):
        return Backend.GPU
    environment[BACKEND_VARIABLE] = "software"
    return Backend.SOFTWARE


def _render_nodes(drm_class: Path) -> list[Path]:
    try:
        return sorted(drm_class.glob("renderD*"))
    except OSError:
        return []


def _draws(node: Path) -> bool:
    try:
        driver = (node / "device" / "driver").resolve(strict=True).name
    except (OSError, RuntimeError):
        return False
    return driver not in NO_GPU_DRIVERS
