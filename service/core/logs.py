"""Log lines as JSON objects, each with the id of the request it belongs to; imports no other part of the service.

What a line may hold is decided where it is written: method, path, status, ids. Keys, tokens, codes, bodies and query
strings are never logged.
"""

import json
import logging
import sys
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import TextIO

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)
"""The request that is being served, if any."""

PLAIN = "%(levelname)s %(name)s: %(message)s"
FIELDS = "fields"
"""The key in `extra` under which a line brings fields of its own."""


class JsonLines(logging.Formatter):
    """One line, one object: time, level, logger, message, request, and the fields that the line brings."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as JSON."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        request = request_id.get()
        if request is not None:
            line["request"] = request
        line.update(getattr(record, FIELDS, {}))
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


def configure(*, structured: bool, stream: TextIO = sys.stderr) -> None:
    """Log to the stream: JSON for a service that runs, plain words for a command."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines() if structured else logging.Formatter(PLAIN))
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    # Each migration step is worth a line only when there is one to do; a fault's exception is logged by the server.
    for quiet in ("alembic", "httpx", "httpcore"):
        logging.getLogger(quiet).setLevel(logging.WARNING)
