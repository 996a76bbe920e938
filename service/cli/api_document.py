"""Writes service/openapi.json: `python -m service.cli.api_document` (`make openapi`)."""

import json
import tempfile
from pathlib import Path

from service.api.reference.openapi import api_document
from service.app.application import create_app
from service.core.clock import SystemClock
from service.services.registry import Services
from service.settings import Settings

OPENAPI_FILE = Path(__file__).parents[1] / "openapi.json"


def api_document_text() -> str:
    """Returns the API document of this version, as service/openapi.json holds it."""
    with tempfile.TemporaryDirectory() as folder:
        settings, clock = Settings(data=Path(folder)), SystemClock()
        services = Services(settings, clock=clock)
        document = api_document(create_app(settings, clock=clock, services=services))
        services.database.close()
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    OPENAPI_FILE.write_text(api_document_text(), encoding="utf-8")
