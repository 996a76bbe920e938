"""Draws the templates that the first run offers, with the menu of the sample café: `python -m
tests.desk.template_pictures` after a change of these. The service has no menu yet when it shows them."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage

from service.desk.start import TEMPLATES
from tests.support.programs import Service, eventually

FOLDER = Path(__file__).parents[2] / "service" / "desk" / "static"
WIDTH, QUALITY = 480, 78


def _drawn(request: urllib.request.Request) -> bytes | None:
    """The picture; None from a service that is too busy to draw it now."""
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            content: bytes = answer.read()
            return content
    except urllib.error.HTTPError as error:
        if error.code != 503:
            raise
        return None


def main() -> None:
    """Draw all of them."""
    with tempfile.TemporaryDirectory() as folder:
        service = Service(Path(folder))
        command = [sys.executable, "-m", "service", "demo-data", "--data", str(service.data)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        service.start()
        try:
            for template in TEMPLATES:
                scene = service.post("/scenes", {"template": template})["id"]
                address = f"{service.address}/v1/scenes/{scene}/preview.png?width={2 * WIDTH}"
                request = urllib.request.Request(address, headers={"Authorization": f"Bearer {service.key}"})
                drawn = QImage.fromData(eventually(partial(_drawn, request), what=template, seconds=300))
                small = drawn.scaledToWidth(WIDTH, Qt.TransformationMode.SmoothTransformation)
                assert small.save(str(FOLDER / f"template-{template}.jpg"), b"JPG", QUALITY)
        finally:
            service.kill()


if __name__ == "__main__":
    main()
