"""Log lines as JSON objects with the id of their request; imports no other part of the service.

Lines hold method, path, status and ids. Keys, tokens, codes, bodies and query strings are never logged.
"""

import logging
import re
import sys
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import TextIO

import msgspec

from menu.log_limit import LogLimit

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)
"""The id of the current request, if any."""

PLAIN = "%(levelname)s %(name)s: %(message)s"
FIELDS = "fields"
"""The key in `extra` for additional fields of a line."""


MAX_PATH_CHARACTERS = 200
"""A longer path is cut in the log."""
# As many characters as `core.ids.new_secret` makes; the name of an asset is no secret.
_SECRET = re.compile(r"(?<!sha256:)(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{43,}")


def loggable_path(path: str) -> str:
    """Prepares a path for the log: cut, and without keys and tokens that a caller has put into it by mistake."""
    return _SECRET.sub("***", path)[:MAX_PATH_CHARACTERS]


_encode = msgspec.json.Encoder(enc_hook=str).encode


class JsonLines(logging.Formatter):
    """One JSON object a line: time, level, logger, message, request, and the additional fields."""

    def format(self, record: logging.LogRecord) -> str:
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
        return _encode(line).decode()


def configure(*, structured: bool, stream: TextIO = sys.stderr) -> None:
    """Logs to the stream: JSON for the running service, plain text for a command."""
    handler = logging.StreamHandler(stream)
    # There is a line below a warning for each request.
    handler.addFilter(LogLimit(least=logging.WARNING))
    handler.setFormatter(JsonLines() if structured else logging.Formatter(PLAIN))
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    # Alembic logs every start, httpx every call, and botocore where it found credentials.
    for quiet in ("alembic", "httpx", "httpcore", "botocore"):
        logging.getLogger(quiet).setLevel(logging.WARNING)
