"""The staged test of the connection: the steps of a call to the service, and the first that fails; plain data."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from player.domain.link.fault import Fault

WEAK_SIGNAL = -82
"""dBm, at which a Wi-Fi loses most of its packets."""


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
    """One step: `passed` is None where it was not done. `fault` is None where it passed;
    `evidence` is what was seen, for a technician. `milliseconds` is how long it took."""

    step: Step
    passed: bool | None
    milliseconds: float | None = None
    fault: Fault | None = None
    evidence: str = ""


class ConnectionTest(Struct, frozen=True, kw_only=True):
    """One run of the test, which began at `at` (true time as far as known)."""

    at: datetime
    steps: Sequence[StepResult]
    overtaken: bool = False
    """Whether a call was answered while it ran: what it found may be over, and no test has found it again yet."""

    @property
    def failure(self) -> StepResult | None:
        """First step that failed; None if the service was reached."""
        return next((result for result in self.steps if result.passed is False), None)

    def after(
        self,
        before: ConnectionTest | None,
        *,
        answered_at: datetime | None = None,
        asked_at: datetime | None = None,
    ) -> ConnectionTest:
        """Returns the same with the word of the test before it where both mean the same. What is silent in two tests,
        and asked and answered in between, is a line that loses much; and one that was slow is slow still where it fails
        at another step, and answers in between. `answered_at` is when the service answered last, `asked_at` when it had
        been asked that, if long before: the answer to a request that was held may come also where nothing gets there
        any more."""
        now, then = self.failure, before.failure if before is not None else None
        if now is None:
            # By satellite handshakes take 2 s, and answers 2.5 s; these take 4 s over a line of 1 kB/s.
            still_slow = self.handshakes >= 2.2 or self.until_answer >= 3.0
            if then is not None and then.fault == Fault.SLOW and still_slow:
                return self._saying(replace(then, step=Step.HTTP))
            return self
        if before is not None and then is not None:
            asked_at = asked_at or answered_at
            asked_between = asked_at is not None and before.at <= asked_at
            between = asked_between and answered_at is not None and answered_at < self.at
            still_slow = then.fault == Fault.SLOW and now.fault in _LIKE_SLOW
            if between and (still_slow or (now.fault in _SILENT and then.fault in _SILENT)):
                return self._saying(replace(now, fault=Fault.SLOW))
            if (now.step, now.fault) == (then.step, then.fault):
                return self
        return replace(self, overtaken=answered_at is not None and self.at <= answered_at)

    def _saying(self, said: StepResult) -> ConnectionTest:
        return replace(self, steps=tuple(said if result.step is said.step else result for result in self.steps))

    @property
    def handshakes(self) -> float:
        """Duration of the handshakes of the kernel and of TLS, in seconds."""
        return self.seconds(Step.TCP) + self.seconds(Step.TLS)

    @property
    def until_answer(self) -> float:
        """Duration of the steps after the name, in seconds."""
        return self.handshakes + self.seconds(Step.PROXY) + self.seconds(Step.HTTP)

    @property
    def excess(self) -> float:
        """Time that TLS took beyond two round trips, in seconds: the time of its bytes."""
        return self.seconds(Step.TLS) - 2 * max(self.seconds(Step.TCP), self.seconds(Step.PROXY))

    def seconds(self, step: Step) -> float:
        """Duration of this step; 0 where it was not done."""
        return sum(result.milliseconds or 0.0 for result in self.steps if result.step is step) / 1000


_SILENT = (Fault.SILENT, Fault.TLS_SILENT)
_LIKE_SLOW = frozenset(
    (*(fault for fault in Fault if fault.row.silent), Fault.NAME_SERVER_FAILS, Fault.TLS_FAILS, Fault.HTTP_FAILS)
)
"""The faults at which a test may end over a line that is slow or loses much, here in one test and there in the next."""
MADE_ONCE = frozenset({Step.NAME, Step.TCP, Step.PROXY, Step.TLS})
"""The steps that a call over an open connection does without: its answer says nothing of them."""
