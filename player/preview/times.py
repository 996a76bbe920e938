"""Parses the time and the language of a preview."""

from __future__ import annotations

from datetime import datetime, time

from player.domain.documents.converters import FieldError, language_tag


def read_at(text: str) -> datetime:
    """`2026-11-20T08:00`, with an offset or without, or `08:00` of today. Raises ValueError."""
    try:
        if "-" in text:
            return datetime.fromisoformat(text)
        return datetime.combine(datetime.now().astimezone(), time.fromisoformat(text))
    except ValueError:
        raise ValueError(f"{text!r} is not a time like 2026-11-20T08:00 or 08:00") from None


def read_language(text: str) -> str:
    """A language (BCP 47). Raises ValueError."""
    try:
        return language_tag(text)
    except FieldError as error:
        raise ValueError(f"{text!r} {error.detail}") from None
