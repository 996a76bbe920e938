"""The staged test of the connection: the steps of a call to the service, and the first that fails; plain data."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum

from msgspec import Struct


class Step(StrEnum):
    """A step of the test; each needs the ones before it."""

    LINK = "link"
    """A cable that is plugged in, or a Wi-Fi that the device has joined."""
    ADDRESS = "address"
    """An address of this network."""
    ROUTE = "route"
    """A way out of it."""
    NAME = "name"
    """The address of the service's name, or of the proxy's."""
    TCP = "tcp"
    """A connection to that address."""
    PROXY = "proxy"
    """The proxy lets the device through; not done without one."""
    TLS = "tls"
    """A certificate of the service's; not done with plain HTTP."""
    HTTP = "http"
    """An answer."""
    SERVICE = "service"
    """The answer is the service's own, and not of something in between."""


class StepResult(Struct, frozen=True, kw_only=True):
    """One step: `passed` is None where it was not done. `fault` is a stable code, empty where it passed; `evidence` is
    what was seen, for a technician. `milliseconds` is how long it took."""

    step: Step
    passed: bool | None
    milliseconds: float | None = None
    fault: str = ""
    evidence: str = ""


class ConnectionTest(Struct, frozen=True, kw_only=True):
    """One run of the test, which began at `at` (true time as far as known)."""

    at: datetime
    steps: Sequence[StepResult]

    @property
    def failure(self) -> StepResult | None:
        """The first step that failed; None if the service was reached."""
        return next((result for result in self.steps if result.passed is False), None)
