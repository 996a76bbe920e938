"""Sentences of findings: lengths of time, capitals, long lists, and no inner words."""

from __future__ import annotations

from datetime import timedelta

import pytest
from msgspec.structs import replace

from menu.documents.manifest import Rejection
from menu.text.phrase import phrase
from player.domain.findings.finding import sentence, span
from tests.player.domain.findings.states import (
    HEALTHY,
    SHA,
    failing,
    first,
    told,
)


@pytest.mark.goes_beyond("MAX_NAMED")
def test_a_long_list_is_shortened() -> None:
    many = tuple(
        Rejection(code="item_bad", subject=f"itm_{number}", detail="no price", name=f"Dish {number}")
        for number in range(1000)
    )
    (finding,) = told(replace(HEALTHY, rejections=many))
    assert "1000 items" in finding.what
    assert "and 995 more" in finding.why
    assert len(finding.why) < 300


def test_what_other_parts_say_is_told_without_what_only_programs_can_use() -> None:
    state = replace(
        HEALTHY,
        contact=failing(detail=f"no connection: [Errno 111] Connection refused for sha256:{SHA} of scn_{'a' * 32}"),
    )
    assert first(state).why.startswith("No connection: Connection refused for … of ….")


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-59.4, "59 seconds"),
        (59.7, "1 minute"),
        (3569.0, "59 minutes"),
        (3599.6, "1 hour"),
        (-3600.4, "1 hour"),
        (84_000.0, "23 hours"),
        (86_399.0, "1 day"),
    ],
)
def test_a_span_is_said_in_the_unit_that_it_comes_to(seconds: float, words: str) -> None:
    assert span(timedelta(seconds=seconds)) == words


def test_a_sentence_begins_with_a_capital_unless_it_is_a_name() -> None:
    assert sentence(phrase("{adapter} has no cable", adapter="eth0")) == "eth0 has no cable."
    assert sentence(phrase("{adapter} has no cable", adapter="it")) == "It has no cable."
