"""Owns the port by which calls get the token and say whether it was accepted; knows nothing of pairing."""

from __future__ import annotations

from typing import Protocol


class Authority(Protocol):
    """What knows the token; Pairing is one."""

    @property
    def token(self) -> str | None:
        """What authenticates a call; None while the device is not a screen."""
        ...

    @property
    def confirm_in(self) -> float | None:
        """Seconds until a token in doubt may be asked for again; None when none is."""
        ...

    def accepted(self, token: str) -> None:
        """A call with this token was answered."""
        ...

    def refused(self, token: str) -> None:
        """A call with this token was answered 401."""
        ...
