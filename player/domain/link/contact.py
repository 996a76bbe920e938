"""Tracks the calls to the service separately: one that is answered hides none that fails; pure.

A file that fails is no failing call: it is reported by its name, as a missing one is.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from player.domain.events import ServiceAnswered, ServiceFailed
from player.domain.link.fault import Fault


class Call(StrEnum):
    """Calls, in order of importance for the board."""

    PAIRING = "pairing"
    MANIFEST = "manifest"
    HEARTBEAT = "heartbeat"
    ASSET = "asset"


class FailingCall(Struct, frozen=True, kw_only=True, rename="camel"):
    """A call that has failed since its last answer. `fault` and `detail` are of the newest failure."""

    call: str
    since: datetime
    failures: int
    fault: Fault
    detail: str = ""


class Contact(Struct, frozen=True, kw_only=True, rename="camel"):
    """Last calls to the service; `failing` are those without an answer, in the order in which they began to fail."""

    last_answer_at: datetime | None = None
    last_asked_at: datetime | None = None
    """When the request of that answer had gone out."""
    failing: tuple[FailingCall, ...] = ()

    @property
    def worst(self) -> FailingCall | None:
        """Most important failing call: a fault on the way to the service makes all others fail."""
        return min(self.failing, key=_gravity, default=None)

    @property
    def fault(self) -> Fault | None:
        """Fault of the worst call, None while all are answered."""
        return self.worst.fault if self.worst else None

    @property
    def is_cut_off(self) -> bool:
        """Whether a fault on the way keeps every call from the service."""
        return self.fault is not None and self.fault.is_on_the_way

    def of(self, call: str) -> tuple[FailingCall, ...]:
        return tuple(each for each in self.failing if each.call == call)

    def answered(self, event: ServiceAnswered, *, at: datetime) -> Contact:
        """Records an answer to this call, and no other."""
        kept = tuple(each for each in self.failing if each.call != event.call)
        return Contact(last_answer_at=at, last_asked_at=at - timedelta(seconds=event.held_seconds), failing=kept)

    def failed(self, event: ServiceFailed, *, at: datetime) -> Contact:
        """Records a failure of this call, the first or a further one."""
        before = next(iter(self.of(event.call)), None)
        now = FailingCall(
            call=event.call,
            since=before.since if before else at,
            failures=before.failures + 1 if before else 1,
            fault=event.fault,
            detail=event.detail,
        )
        if before is not None:
            return replace(self, failing=tuple(now if each is before else each for each in self.failing))
        return replace(self, failing=(*self.failing, now))

    def without(self, *, call: str | None = None, fault: Fault | None = None) -> Contact:
        """Returns the same without the calls of this kind, or with this fault: they are not made any more, or it is
        known."""
        kept = tuple(each for each in self.failing if each.call != call and each.fault is not fault)
        return replace(self, failing=kept)


def _gravity(failing: FailingCall) -> tuple[bool, datetime]:
    return (not failing.fault.is_on_the_way, failing.since)
