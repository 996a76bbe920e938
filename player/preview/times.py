"""Parses the time of a preview."""

from __future__ import annotations

from datetime import datetime, time


def read_at(text: str) -> datetime:
    """`2026-11-20T08:00`, with an offset or without, or `08:00` of today. Raises ValueError."""
    try:
        if "-" in text:
            return datetime.fromisoformat(text)
        return datetime.combine(datetime.now().astimezone(), time.fromisoformat(text))
    except ValueError:
        raise ValueError(f"{text!r} is not a time like 2026-11-20T08:00 or 08:00") from None
