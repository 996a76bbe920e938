"""Chooses the scene graph before Qt starts: software where there is no real GPU; imports no Qt."""

from __future__ import annotations

import os
from collections.abc import MutableMapping
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


def choose_backend(*, environment: MutableMapping[str, str] = os.environ, drm_class: Path = DRM_CLASS) -> None:
    """Writes the choice into `environment`, unless it is made there; call before QGuiApplication is created.

    Qt's own raster scene graph takes a tenth of the CPU of OpenGL on a CPU; Qt's default is OpenGL ES on a GPU. A GPU
    counts as real when a render node under `drm_class` has a driver with 3D acceleration.
    """
    if not environment.get(BACKEND_VARIABLE) and not any(map(_is_accelerated, sorted(drm_class.glob("renderD*")))):
        environment[BACKEND_VARIABLE] = "software"


def _is_accelerated(node: Path) -> bool:
    device = node / "device"
    try:
        driver = (device / "driver").resolve(strict=True).name
    except (OSError, RuntimeError):
        return False
    if driver in VIRTIO_DRIVERS:
        return any(map(_draws_in_3d, (device / "features", *sorted(device.glob("virtio*/features")))))
    return driver not in NO_GPU_DRIVERS


def _draws_in_3d(features: Path) -> bool:
    """Whether the virtual machine's display has a GPU behind it: the first feature bit, VIRTIO_GPU_F_VIRGL."""
    try:
        with features.open(encoding="ascii", errors="replace") as file:
            return file.read(1) == "1"
    except OSError:
        return False
