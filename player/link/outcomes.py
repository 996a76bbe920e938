"""Outcomes of a call to the service, one frozen class each; plain data."""

from __future__ import annotations

from http import HTTPStatus

from msgspec import Struct

from player.domain.events import ServiceFailed
from player.domain.link.fault import UNANSWERED, Fault, Reach
from player.domain.redacted import Redacted


class Fresh(Redacted, frozen=True, kw_only=True):
    """200: the whole body, JSON by its content type; `etag` is unquoted, empty where there was none."""

    redacted_fields = ("body",)
    body: bytes
    etag: str = ""
    marked: bool = False
    """Whether the service says of itself that it gave it; those before 0.3.0 do not."""

    def unreadable(self, detail: str) -> Failed:
        """Returns the failure of an answer of another kind than asked for: without the mark, something else gave it."""
        return Failed(fault=Fault.NOT_UNDERSTOOD if self.marked else Fault.NOT_THE_SERVICE, detail=detail)


class Unchanged(Struct, frozen=True, kw_only=True):
    """304; `heartbeat_wanted` if the service asks for a heartbeat at once, because it has a command; `held` if it
    states that it holds requests, however soon it answered this one."""

    heartbeat_wanted: bool = False
    held: bool = False


class Refused(Struct, frozen=True, kw_only=True):
    """401, in a problem of the service; `revoked` if it names the revocation of this very token."""

    revoked: bool = False

    @property
    def detail(self) -> str:
        """A sentence for a technician."""
        return "it has revoked this screen's token" if self.revoked else "it does not know this screen's token"


class Denied(Struct, frozen=True, kw_only=True):
    """400 with an `error` of RFC 6749, section 5.2, or RFC 8628, section 3.5; `held` if the service honours the wish to
    hold the call."""

    error: str
    held: bool = False


class Fetched(Struct, frozen=True, kw_only=True):
    """Complete: the whole body that the server sent is in the sink."""


class Failed(Struct, frozen=True, kw_only=True):
    """No usable answer. `detail` is a sentence for a technician; `retry_after` is in seconds, bounded, None if the
    service gave none; `cut` means that the connection was made, and broke or fell silent before the answer."""

    fault: Fault
    detail: str
    retry_after: float | None = None
    cut: bool = False
    status: int | None = None
    """The status of an answer that the service itself gave."""

    def of(self, call: str) -> ServiceFailed:
        return ServiceFailed(call=call, fault=self.fault, detail=self.detail)

    @property
    def away(self) -> bool:
        """True if the service itself could not be reached."""
        return self.fault.row.reach is Reach.AWAY or self.status in _AWAY

    @property
    def of_another_machine(self) -> bool:
        """Whether something answered that is not the service."""
        return self.fault.is_on_the_way and self.fault not in UNANSWERED


_AWAY = (HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.GATEWAY_TIMEOUT)
