"""Owns what a call to the service can come to: one frozen class an outcome; plain data."""

from __future__ import annotations

from dataclasses import dataclass, field

from player.domain.events import Trouble


@dataclass(frozen=True, slots=True, kw_only=True)
class Fresh:
    """200: the whole body, JSON by its content type; `etag` is unquoted, empty where there was none."""

    body: bytes = field(repr=False)
    etag: str = ""


@dataclass(frozen=True, slots=True)
class Unchanged:
    """304."""


@dataclass(frozen=True, slots=True)
class Refused:
    """401: this token is not, or no longer, a screen's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Denied:
    """400 with an `error` of RFC 6749, section 5.2, or RFC 8628, section 3.5."""

    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """A body went into the sink as far as the server meant to send it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """No usable answer. `detail` is a sentence for a technician; `retry_after` is in seconds, bounded, None where
    nothing was said; `cut` says that the connection stood and broke or fell silent before the answer was there."""

    trouble: Trouble
    detail: str
    retry_after: float | None = None
    cut: bool = False
