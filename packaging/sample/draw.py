"""Draws the images of the sample café and the design kit in code; a tool for authors that no program runs.

`python packaging/sample/draw.py service` writes the images of service/sample and service/kit and the film again; names
after the folder (`kit/pizza.jpg`) select some. The same seeds give the same images. It needs numpy, and for the film
ffmpeg with libx264: authors install them, the product does not.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import steam
import trades
from breakfast import breakfast
from brushes import painted
from burger import burger
from coffee import coffee
from lunch import lunch
from pizza import pizza
from PySide6.QtGui import QGuiApplication, QImage
from relief import pictured
from salad import salad
from tart import tart

BEST_QUALITY, WORST_QUALITY = 86, 62
MOST_BYTES = {"sample": 400_000, "kit": 300_000, "pictures": 120_000}

PICTURES: dict[str, Callable[[], QImage]] = {
    "kit/breakfast.jpg": lambda: painted("breakfast.jpg", breakfast),
    "sample/lunch.jpg": lambda: painted("lunch.jpg", lunch),
    "sample/tart.jpg": lambda: painted("tart.jpg", tart),
    "kit/burger.jpg": lambda: pictured(burger(1.0)),
    "kit/pizza.jpg": lambda: pictured(pizza(1.0)),
    "kit/coffee.jpg": lambda: pictured(coffee(1.0)),
    "kit/salad.jpg": lambda: pictured(salad(1.0)),
    "kit/steam.jpg": steam.poster,
    **{f"kit/pictures/{name}.webp": draw for name, draw in trades.TRADES.items()},
}
FILM = "kit/steam.mp4"


def draw(folder: Path, names: Sequence[str]) -> None:
    """Write the named images into `folder`. Raises RuntimeError if one cannot be written or would be too large."""
    for name in names:
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        if name == FILM:
            steam.film(path)
        else:
            _save(PICTURES[name](), path)


def _save(image: QImage, path: Path) -> None:
    for quality in range(BEST_QUALITY, WORST_QUALITY, -2):
        if image.save(str(path), None, quality) and path.stat().st_size <= MOST_BYTES[path.parent.name]:
            return
    raise RuntimeError(f"{path} could not be written, or is larger than {MOST_BYTES[path.parent.name]} bytes")


if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = QGuiApplication([])
    draw(Path(sys.argv[1]), sys.argv[2:] or [*PICTURES, FILM])
