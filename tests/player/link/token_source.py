"""A pairing for tests of the other calls: holds a token and records what is reported of it."""

from __future__ import annotations


class FakeTokenSource:
    def __init__(self, token: str | None = "tok") -> None:
        self.token = token
        self.retry_in: float | None = None
        self.reports: list[str] = []

    def accepted(self, token: str) -> None:
        self.reports.append(f"accepted {token}")

    def refused(self, token: str, *, revoked: bool) -> None:
        self.reports.append(f"revoked {token}" if revoked else f"refused {token}")
        self.retry_in = 60.0
