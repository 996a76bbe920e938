"""The port through which calls get the token and report whether the service accepted it."""

from __future__ import annotations

from typing import Protocol


class TokenSource(Protocol):
    """Holds the token; `Pairing` is one."""

    @property
    def token(self) -> str | None:
        """The bearer token of a call, also while it is refused; None if there is none."""
        ...

    @property
    def retry_in(self) -> float | None:
        """Seconds until a token that was refused is worth trying again; None when it was not refused."""
        ...

    def accepted(self, token: str) -> None:
        """Report that the service answered a call with this token."""
        ...

    def refused(self, token: str, *, revoked: bool) -> None:
        """Report that the service refused a call with this token; `revoked` if it named the revocation."""
        ...
