"""Reads the preferences of a caller (RFC 7240)."""

import re
from typing import Any

from starlette.requests import Request

# Preferences are separated by commas, a value may be quoted; others are ignored.
_WAIT = re.compile(r'(?:^|,)\s*wait\s*=\s*"?(\d{1,9})"?\s*(?=$|[,;])', re.IGNORECASE)


def preferred_wait(request: Request, *, most: int) -> int | None:
    """Returns the seconds to hold the request: the caller's preference, capped; None without one."""
    asked = _WAIT.search(",".join(request.headers.getlist("prefer")))
    return None if asked is None else min(int(asked.group(1)), most)


def prefer_wait(most: int, until: str) -> dict[str, Any]:
    """Describes the header in the API document; `until` completes "hold the request until"."""
    header = {
        "name": "Prefer",
        "in": "header",
        "description": f"`wait=<seconds>`, up to {most}: hold the request until {until}.",
        "schema": {"type": "string"},
    }
    return {"parameters": [header]}
