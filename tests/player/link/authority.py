"""Owns a stand-in for pairing: it knows a token and remembers what was said of it."""

from __future__ import annotations


class Gate:
    def __init__(self, token: str | None = "tok") -> None:
        self.token = token
        self.confirm_in: float | None = None
        self.said: list[str] = []

    def accepted(self, token: str) -> None:
        self.said.append(f"accepted {token}")

    def refused(self, token: str) -> None:
        self.said.append(f"refused {token}")
        self.confirm_in = 60.0
