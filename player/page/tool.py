"""Calls the page of the player that runs on this machine, for the command line."""

from __future__ import annotations

import http.client
import json
from urllib.parse import urlencode

from menu.text.phrase import Phrase, phrase


class NotRunningError(Exception):
    """No player has its page at this port; `words` is the message for people."""

    def __init__(self, words: Phrase) -> None:
        super().__init__(words)
        self.words = words


class PageTool:
    """Client of the page at this port."""

    def __init__(self, port: int, *, seconds: float = 10.0) -> None:
        """`seconds` bounds the wait for each answer."""
        self._seconds = seconds
        self._port = port
        self._cookie = ""

    def get(self, path: str) -> bytes:
        """Raises NotRunningError."""
        return self._call("GET", path)[1]

    def post(self, path: str) -> int:
        """Requests an action; returns the status. Raises NotRunningError."""
        status, body = self._call("GET", "/visit.json")
        try:
            csrf = json.loads(body)["csrf"] if status == http.client.OK else ""
        except (ValueError, KeyError, TypeError):
            raise NotRunningError(self._words(phrase("something else answers there"))) from None
        return self._call("POST", path, body=urlencode({"csrf": csrf}))[0]

    def _call(self, method: str, path: str, body: str | None = None) -> tuple[int, bytes]:
        headers = {"Cookie": self._cookie} if self._cookie else {}
        if body is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=self._seconds)
        try:
            connection.request(method, path, body=body, headers=headers)
            answer = connection.getresponse()
            self._cookie = (answer.headers.get("Set-Cookie") or "").partition(";")[0] or self._cookie
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException) as error:
            why = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise NotRunningError(self._words(why)) from None
        finally:
            connection.close()

    def _words(self, why: str) -> Phrase:
        return phrase(
            "No player answers at {address} ({why}). Is it running, and is this its --diagnostics-port?",
            address=f"127.0.0.1:{self._port}",
            why=why,
        )
