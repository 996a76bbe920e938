"""Chooses the scene graph before Qt starts: software where there is no real GPU; imports no Qt."""

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
"""Kernel drivers with a display or a render node, but without 3D acceleration."""

VIRTIO_DRIVERS = frozenset({"virtio_gpu", "virtio-pci", "virtio-mmio"})
"""Drivers of virtual machines: with 3D acceleration or without, and with a render node either way. Newer kernels name
the bus's driver behind the render node; the display is a device below that."""


class Backend(StrEnum):
    """The scene graph."""

    SOFTWARE = "software"
    """Qt's own raster scene graph: a tenth of the CPU of OpenGL on a CPU."""
    GPU = "gpu"
    """Qt's default: OpenGL ES on a real GPU."""
    USER = "user"
    """The choice in the environment, which takes precedence."""


def choose_backend(*, environment: MutableMapping[str, str] = os.environ, drm_class: Path = DRM_CLASS) -> Backend:
    """Choose, and write the choice into `environment`; call before QGuiApplication is created.

    A GPU counts as real when a render node under `drm_class` has a driver with 3D acceleration.
    """
    if environment.get(BACKEND_VARIABLE):
        return Backend.USER
    if any(_is_accelerated(node) for node in _render_nodes(drm_class)):
        return Backend.GPU
    environment[BACKEND_VARIABLE] = "software"
    return Backend.SOFTWARE


def _render_nodes(drm_class: Path) -> list[Path]:
    try:
        return sorted(drm_class.glob("renderD*"))
    except OSError:
        return []


def _is_accelerated(node: Path) -> bool:
    try:
        driver = (node / "device" / "driver").resolve(strict=True).name
    except (OSError, RuntimeError):
        return False
    if driver in VIRTIO_DRIVERS:
        return any(map(_draws_in_3d, (node / "device" / "features", *_below(node / "device"))))
    return driver not in NO_GPU_DRIVERS


def _below(device: Path) -> list[Path]:
    try:
        return sorted(device.glob("virtio*/features"))
    except OSError:
        return []


def _draws_in_3d(features: Path) -> bool:
    """Whether the virtual machine's display has a GPU behind it: the first feature bit, VIRTIO_GPU_F_VIRGL."""
    try:
        with features.open(encoding="ascii", errors="replace") as file:
            return file.read(1) == "1"
    except OSError:
        return False
