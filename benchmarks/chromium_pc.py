"""Measures Chromium from power to a menu in the emulated PC of tests/vm, at its first start and after a loss of power.

`python -m benchmarks.chromium_pc`, as root, builds an image with Chromium in the board's place, as the board's is
built, or uses one that was built before.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.vm.computer import Computer, Disk, eventually
from tests.vm.emulator import CHECKOUT
from tests.vm.machines import MACHINES

KIOSK = Path(__file__).parent / "content" / "chromium-kiosk"
MARK = (1000, 300)
MARK_COLOR = bytes.fromhex("204080")
"""A place of the page, and its colour, which nothing else on the screen has."""
STARTS = 2


def build(image: Path) -> Path:
    """Build the image; needs the packages in dist/ as packaging/build-image does."""
    subprocess.run([CHECKOUT / "packaging" / "build-image", "pc", "--out", image, "--run", KIOSK], check=True)
    return image


def shows_page(pc: Computer, to: Path) -> bool:
    """Whether the page is on the screen."""
    pc.ask("screendump", filename=str(to), format="ppm")
    kind, size, _, pixels = to.read_bytes().split(b"\n", 3)
    assert kind == b"P6"
    x, y = MARK
    at = 3 * (y * int(size.split()[0]) + x)
    return pixels[at : at + 3] == MARK_COLOR


def main() -> int:
    about = "Time Chromium in an emulated PC, from power to a menu."
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chromium_pc", description=about)
    parser.add_argument("image", type=Path, nargs="?", help="an image with Chromium that was built before")
    asked = parser.parse_args()
    if asked.image is not None and not asked.image.is_file():
        parser.error(f"{asked.image} is no image")
    with tempfile.TemporaryDirectory(prefix="menu-chromium-") as name:
        folder = Path(name)
        image = asked.image or build(folder / "image")
        pc = Computer(Disk(image, folder, MACHINES["pc"]), folder)
        try:
            for start in range(1, STARTS + 1):
                pc.switch_on()
                eventually(lambda: shows_page(pc, folder / "screen.ppm"), what="the page is on the screen")
                print(f"power to the page, start {start}: {pc.seconds:.1f} s", flush=True)
                pc.cut_power()
        finally:
            pc.cut_power()
    return 0


if __name__ == "__main__":
    sys.exit(main())
