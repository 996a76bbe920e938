"""Checks whether the service answers this machine. A separate program, which the guard runs as the board's user: root
makes no network connections. The connection is given as JSON on the standard input."""

from __future__ import annotations

import json
import ssl
import sys
import urllib.error
import urllib.request

DIRECT = "none"
"""As `proxy`: none."""


def answers(service: str, proxy: str, authority: str) -> bool:
    """Returns whether the service answers, over this proxy, with the certificates of this file in addition."""
    try:
        context = ssl.create_default_context()
        # As the board: Python 3.13 refuses certificates of many shops' own authorities (player/link/api.py).
        context.verify_flags &= ~ssl.VERIFY_X509_STRICT
        if authority:
            context.load_verify_locations(authority)
        handlers = [
            urllib.request.ProxyHandler({"http": proxy, "https": proxy} if proxy not in ("", DIRECT) else {}),
            urllib.request.HTTPSHandler(context=context),
        ]
        # Not file: or ftp:.
        if not service.startswith(("https://", "http://")):
            return False
        opener = urllib.request.build_opener(*handlers)
        asked = service.rstrip("/") + "/readyz"
        with opener.open(asked, timeout=5.0) as answer:
            # The board follows no redirect.
            is_there = answer.status == 200 and answer.url == asked
            return is_there and answer.headers.get("Menu-Display") is not None
    except (OSError, ValueError, urllib.error.URLError):
        return False


if __name__ == "__main__":
    sys.exit(0 if answers(*json.load(sys.stdin)) else 1)
