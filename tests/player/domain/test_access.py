"""Counts of the attempts to sign in to the page."""

from __future__ import annotations

from datetime import timedelta

import pytest

from player.domain.access import (
    ADDRESS_SECONDS,
    ASK_AGAIN_SECONDS,
    FAILURES_SECONDS,
    MOST_ASKED,
    MOST_FAILURES,
    MOST_FAILURES_OF_ADDRESS,
    MOST_SESSIONS,
    SESSION_SECONDS,
    Access,
)
from tests.support.menus import NOON


def after(seconds: float) -> timedelta:
    return timedelta(seconds=seconds)


def test_an_address_has_to_wait_after_a_few_wrong_pins_and_others_have_not() -> None:
    access = Access()
    for number in range(MOST_FAILURES_OF_ADDRESS):
        assert access.wait_to_try("a", NOON) == 0
        access = access.failed("a", NOON + after(number))
    now = NOON + after(MOST_FAILURES_OF_ADDRESS)
    assert access.wait_to_try("a", now) == ADDRESS_SECONDS - MOST_FAILURES_OF_ADDRESS
    assert access.wait_to_try("b", now) == 0
    assert access.wait_to_try("a", NOON + after(ADDRESS_SECONDS)) == 0


def test_all_addresses_together_have_a_bound_too_and_nothing_more_is_kept_than_it() -> None:
    access = Access()
    for number in range(10_000):
        if access.wait_to_try(f"10.0.0.{number}", NOON) == 0:
            access = access.failed(f"10.0.0.{number}", NOON)
    assert len(access.failures) == MOST_FAILURES
    assert access.wait_to_try("somebody", NOON) == FAILURES_SECONDS


def test_the_counts_are_the_same_after_a_restart_and_whatever_the_clock_does_they_end() -> None:
    access = Access()
    for _ in range(MOST_FAILURES):
        access = access.failed("a", NOON)
    again = Access.read(access.encoded())
    assert again.wait_to_try("b", NOON) > 0
    earlier = NOON - timedelta(days=4000)
    assert again.wait_to_try("b", earlier) <= FAILURES_SECONDS
    assert Access.read(None).wait_to_try("b", NOON) == 0


def test_the_page_may_ask_for_the_pin_once_a_minute_and_not_all_day() -> None:
    access, now = Access(), NOON
    shown = 0
    for _ in range(3600):
        if access.wait_to_ask(now) == 0:
            access, shown = access.asked_at(now), shown + 1
            assert access.wait_to_ask(now) >= ASK_AGAIN_SECONDS
        now += after(1)
    assert shown == MOST_ASKED


def test_a_session_ends_and_counts_only_from_where_it_began() -> None:
    access = Access().signed_in("digest", "a", NOON, counted_to="a")
    assert access.session("digest", "a", NOON) is not None
    assert access.session("digest", "b", NOON) is None
    assert access.session("other", "a", NOON) is None
    assert access.session("digest", "a", NOON + after(SESSION_SECONDS)) is None
    # A clock that was set back by a year must not make an hour a year.
    assert access.session("digest", "a", NOON - timedelta(days=365)) is None
    assert access.signed_out("digest").session("digest", "a", NOON) is None


def test_the_oldest_session_ends_for_one_too_many() -> None:
    access = Access()
    for number in range(MOST_SESSIONS + 1):
        access = access.signed_in(str(number), "a", NOON, counted_to="a")
    assert access.session("0", "a", NOON) is None
    assert access.session("1", "a", NOON) is not None


def test_who_gets_it_right_has_a_clean_slate() -> None:
    access = Access()
    for _ in range(MOST_FAILURES_OF_ADDRESS - 1):
        access = access.failed("a", NOON)
    access = access.failed("b", NOON).signed_in("digest", "a", NOON, counted_to="a")
    assert [one.address for one in access.failures] == ["b"]


@pytest.mark.parametrize("content", [b"[]", b'{"failures": 3}', b"\xff"])
def test_a_file_that_is_none_is_an_error(content: bytes) -> None:
    from player.domain.documents.fields import NOT_THE_DOCUMENT

    with pytest.raises(NOT_THE_DOCUMENT):
        Access.read(content)
