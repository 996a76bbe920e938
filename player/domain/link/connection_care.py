"""Tracks the calls to the service, and decides when to test the connection to it."""

from __future__ import annotations

import logging
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from player.domain import actions as act
from player.domain.events import NetworkChanged, PairingChanged, ServiceAnswered, ServiceFailed, ServiceSilent
from player.domain.link.connection import ConnectionTest, Step
from player.domain.link.contact import Call, Contact
from player.domain.link.fault import Fault

log = logging.getLogger(__name__)

TEST_LEAST_SECONDS = 5.0
"""Between two tests of the way to the service."""

TEST_MOST_SECONDS = 16.0
"""After which a test that was begun is not waited for any more; until then none is begun beside it."""

TEST_AGAIN_SECONDS = 30.0
"""Between two tests while the same fault lasts."""

MAX_LINKS_LOST = 100
"""Losses of the cable or the Wi-Fi that are remembered."""


class ConnectionCare(Struct, frozen=True, kw_only=True):
    """Calls, the newest test and the next one. Times are monotonic seconds, except those in `links_lost`."""

    reached_at: float
    """When the service was reached last, or the player was started."""
    contact: Contact = Contact()
    test: ConnectionTest | None = None
    tested_at: float = float("-inf")
    owed: bool = False
    """Whether something new is to be tested."""
    testing: bool = False
    links_lost: tuple[datetime, ...] = ()

    def answer(self, event: ServiceAnswered, *, at: datetime, now: float) -> Change:
        before, contact = self.contact, self.contact.answered(event, at=at)
        care, test = replace(self, contact=contact, reached_at=now), self.test
        recovered = bool(before.failing) and not contact.failing
        if recovered:
            log.info("the service answers again")
        if test is None or test.failure is None:
            return care, ()
        if not contact.failing:
            # Over a slow line some calls are answered: it is tested now and then.
            is_first = before.last_answer_at is None or before.last_answer_at < test.at
            is_first = is_first and test.failure.fault != Fault.SLOW
            return replace(care, owed=self.owed or recovered or is_first).due(now)
        if test.failure.step is not Step.SERVICE and not contact.is_cut_off:
            return care.due(now)
        return care, ()

    def fail(self, event: ServiceFailed, *, at: datetime, now: float) -> Change:
        known = [failing.fault for failing in self.contact.of(event.call)]
        is_new, on_the_way, care = event.fault not in known, event.fault.is_on_the_way, self
        if is_new:
            log.warning("%s failed: %s (%s)", event.call, event.detail, event.fault)
        if event.call != Call.ASSET:
            care = replace(self, contact=self.contact.failed(event, at=at), owed=self.owed or (is_new and on_the_way))
        # Otherwise the way is well, and the service may have asked for a rest. It tells of its own fault itself.
        return care.due(now) if on_the_way else (replace(care, reached_at=now), ())

    def change(self, event: ServiceSilent | NetworkChanged, *, at: datetime, now: float) -> Change:
        """Records a change on the way to the service."""
        lost = event.lost if isinstance(event, NetworkChanged) else 0
        return replace(self, links_lost=(*self.links_lost, *(at,) * lost)[-MAX_LINKS_LOST:], owed=True).due(now)

    def due(self, now: float) -> Change:
        """Requests a test: at once after a change, and now and then while it lasts."""
        least = TEST_LEAST_SECONDS if self.owed else TEST_AGAIN_SECONDS
        if now - self.tested_at < (max(least, TEST_MOST_SECONDS) if self.testing else least):
            return self, ()
        return replace(self, tested_at=now, owed=False, testing=True), (act.TestConnection(),)

    def finish(self, test: ConnectionTest) -> ConnectionCare:
        care = replace(self, testing=False)
        if self.test is not None and test.at == self.test.at:
            return care  # Two waited for it.
        test = test.after(self.test, answered_at=self.contact.last_answer_at, asked_at=self.contact.last_asked_at)
        if (failure := test.failure) is not None:
            log.warning("the way to the service ends: %s, %s %s", failure.step, failure.fault, failure.evidence)
        return replace(care, test=test, owed=self.owed or test.overtaken)

    def pair(self, event: PairingChanged, *, refused: bool) -> ConnectionCare:
        """Records a pairing change; `refused`: the token was, up to now."""
        if event.forgets or event.is_new:
            return replace(self, contact=Contact())
        if event.refusal is not None:
            return replace(self, contact=self.contact.without(fault=Fault.SCREEN_REFUSED))
        return replace(self, contact=self.contact.without(call=Call.PAIRING)) if refused else self


Change = tuple[ConnectionCare, tuple[act.Action, ...]]
