"""The choice of scene graph: software wherever there is no real GPU."""

from __future__ import annotations

from pathlib import Path

import pytest

from player.display.window.render_backend import choose_backend

SOFTWARE = {"QT_QUICK_BACKEND": "software"}


def chosen_on(drm: Path) -> dict[str, str]:
    """The environment after the choice."""
    environment: dict[str, str] = {}
    choose_backend(environment=environment, drm_class=drm)
    return environment


def machine(tmp_path: Path, **nodes: str) -> Path:
    """A /sys/class/drm with these nodes and the drivers behind them."""
    drm = tmp_path / "drm"
    drm.mkdir()
    for node, driver in nodes.items():
        target = tmp_path / "drivers" / driver
        target.mkdir(parents=True, exist_ok=True)
        (drm / node / "device").mkdir(parents=True)
        (drm / node / "device" / "driver").symlink_to(target)
    return drm


@pytest.mark.parametrize("driver", ["v3d", "i915", "amdgpu", "panfrost"])
def test_a_real_gpu_is_used(tmp_path: Path, driver: str) -> None:
    environment: dict[str, str] = {}

    choose_backend(environment=environment, drm_class=machine(tmp_path, renderD128=driver))
    assert environment == {}


@pytest.mark.parametrize("driver", ["vgem", "vkms", "simpledrm"])
def test_a_render_node_that_draws_nothing_does_not_count(tmp_path: Path, driver: str) -> None:
    environment: dict[str, str] = {}

    choose_backend(environment=environment, drm_class=machine(tmp_path, renderD128=driver))
    assert environment == {"QT_QUICK_BACKEND": "software"}


@pytest.mark.parametrize(
    ("features", "chosen"),
    [("1" + "0" * 63, {}), ("0" * 28 + "1" * 36, SOFTWARE), (None, SOFTWARE)],
    ids=["with_3d", "without", "unknown"],
)
@pytest.mark.parametrize(
    ("driver", "below"), [("virtio_gpu", "."), ("virtio-pci", "virtio0"), ("virtio-mmio", "virtio3")]
)
def test_a_virtual_machine_counts_if_there_is_a_gpu_behind_it(
    tmp_path: Path, driver: str, below: str, features: str | None, chosen: dict[str, str]
) -> None:
    drm = machine(tmp_path, renderD128=driver)
    if features is not None:
        device = drm / "renderD128" / "device" / below
        device.mkdir(exist_ok=True)
        (device / "features").write_text(features + "\n")

    assert chosen_on(drm) == chosen


def test_one_real_gpu_among_others_is_enough(tmp_path: Path) -> None:
    drm = machine(tmp_path, renderD128="vgem", renderD129="v3d")

    assert chosen_on(drm) == {}


def test_a_display_without_a_render_node_is_drawn_in_software(tmp_path: Path) -> None:
    assert chosen_on(machine(tmp_path, card0="simpledrm")) == SOFTWARE


def test_a_machine_without_drm_is_drawn_in_software(tmp_path: Path) -> None:
    assert chosen_on(tmp_path / "nothing") == SOFTWARE


def test_a_backend_in_the_environment_takes_precedence(tmp_path: Path) -> None:
    environment = {"QT_QUICK_BACKEND": "rhi"}

    choose_backend(environment=environment, drm_class=machine(tmp_path, card0="x"))
    assert environment == {"QT_QUICK_BACKEND": "rhi"}
