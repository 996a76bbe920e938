"""Writes the API document that is kept with the sources: `python -m service.cli.api_document` (`make openapi`)."""

import json
import tempfile
from pathlib import Path

from service.api.openapi import api_document
from service.app import build_services, create_app
from service.core.clock import SystemClock
from service.settings import Settings

KEPT = Path(__file__).parents[1] / "openapi.json"


def describe() -> str:
    """The document of this version, as it is kept."""
    with tempfile.TemporaryDirectory() as folder:
        settings, clock = Settings(data=Path(folder)), SystemClock()
        services = build_services(settings, clock=clock)
        document = api_document(create_app(settings, clock=clock, services=services))
        services.database.close()
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    KEPT.write_text(describe(), encoding="utf-8")
