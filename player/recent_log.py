"""Keeps the newest lines of the log in memory, without secrets: for the page, the support bundle and the service."""

from __future__ import annotations

import logging
import re
import threading
from collections import deque
from datetime import UTC, datetime
from typing import NamedTuple

MAX_LINES = 2000
"""Lines that are kept; the oldest go first."""
MAX_LINE = 4000
"""Characters of a line, a trace included; the rest is cut."""
MAX_KEPT = 512 * 1024
"""Characters of all lines together."""

HIDDEN = "[hidden]"

_LETTERS = "[BCDFGHJKLMNPQRSTVWXZ]"
_SECRETS = (
    (r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{8,}", rf"\1 {HIDDEN}"),
    (
        r"""(?ix)\b((?:[\w-]*_)?(?:token|device_code|user_code|code_verifier|password|passphrase|passwd|secret|psk|pin
            |cookie|session|csrf|api[_-]?key|authorization)["']?\s*[=:]\s*["']?)(?!(?:bearer|basic)\s)[^\s"'&;,)}\]]+""",
        rf"\1{HIDDEN}",
    ),
    (r"(?i)\b(pin\b\D{0,30})\d{4,12}\b", rf"\1{HIDDEN}"),
    (r"(\w://)[^/\s@]+@", rf"\1{HIDDEN}@"),
    # A pairing code. The alphabet has no vowels, so no word looks like one.
    (rf"\b{_LETTERS}{{3}}-?{_LETTERS}{{3}}\b", HIDDEN),
    # A token of 256 bits in base64url. Digests are lowercase hex and stay: they name assets.
    (r"(?<![\w-])(?=[\w-]*[A-Z])(?=[\w-]*[a-z])[\w-]{40,}(?![\w-])", HIDDEN),
)
"""Patterns, and what stands in their place. They are compiled when the first line comes, not at the start."""


def redact(text: str) -> str:
    """Returns the text without what looks like a token, a code, a PIN, a password or a key."""
    for pattern, instead in _SECRETS:
        text = re.sub(pattern, instead, text)
    return text


class LogLine(NamedTuple):
    """A line of the log, redacted. `text` may have several lines (a trace)."""

    at: datetime
    level: str
    name: str
    text: str

    def __str__(self) -> str:
        """Returns the line as in a log file."""
        return f"{self.at:%Y-%m-%dT%H:%M:%S}.{self.at.microsecond // 1000:03}Z {self.level} {self.name}: {self.text}"


class RecentLog(logging.Handler):
    """Newest lines, up to MAX_LINES and MAX_KEPT characters. Safe to use from any thread."""

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(logging.Formatter("%(message)s"))
        self._guard = threading.Lock()
        self._lines: deque[LogLine] = deque()
        self._kept = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record."""
        try:
            # Cut twice: the patterns need not read what is dropped, and what hides a secret may be longer than it.
            text = redact(self.format(record)[: 2 * MAX_LINE])[:MAX_LINE]
        except Exception:
            self.handleError(record)
            return
        at = datetime.fromtimestamp(record.created, UTC)
        with self._guard:
            self._lines.append(LogLine(at, record.levelname, record.name, text))
            self._kept += len(text)
            while len(self._lines) > MAX_LINES or self._kept > MAX_KEPT:
                self._kept -= len(self._lines.popleft().text)

    def lines(self) -> tuple[LogLine, ...]:
        """Returns the lines, oldest first."""
        with self._guard:
            return tuple(self._lines)

    def tail(self, *, max_bytes: int) -> str:
        """Returns the newest whole lines that fit into so many bytes of UTF-8, oldest first."""
        chosen: list[str] = []
        left = max_bytes
        for line in reversed(self.lines()):
            text = f"{line}\n"
            left -= len(text.encode("utf-8", "replace"))
            if left < 0:
                break
            chosen.append(text)
        return "".join(reversed(chosen)).encode("utf-8", "replace").decode()


RECENT_LOG = RecentLog()
"""The log of this process; the command line attaches it to the root logger."""
