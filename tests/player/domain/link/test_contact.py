"""The calls to the service, each with its own failure."""

from __future__ import annotations

from datetime import timedelta

from player.domain.events import ServiceAnswered, ServiceFailed
from player.domain.link.contact import Contact
from player.domain.link.fault import Fault
from tests.support.menus import NOON


def failed(call: str = "manifest", fault: Fault = Fault.SERVICE_DECLINES) -> ServiceFailed:
    return ServiceFailed(call=call, fault=fault, detail="it answers 500")


def test_a_call_fails_since_its_first_failure_and_shows_its_newest() -> None:
    contact = Contact().failed(failed(fault=Fault.SLOW), at=NOON)
    contact = contact.failed(failed("heartbeat"), at=NOON + timedelta(seconds=1))
    contact = contact.failed(failed(), at=NOON + timedelta(seconds=2))
    (manifest,) = contact.of("manifest")
    assert (manifest.since, manifest.failures, manifest.fault) == (NOON, 2, Fault.SERVICE_DECLINES)
    assert contact.worst == manifest, "of two that are as bad, the one that failed first"
    contact = contact.answered(ServiceAnswered(call="manifest"), at=NOON + timedelta(seconds=3))
    assert contact.last_answer_at == NOON + timedelta(seconds=3)
    assert [failing.call for failing in contact.failing] == ["heartbeat"]
