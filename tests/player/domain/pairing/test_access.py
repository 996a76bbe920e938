"""The count of tries to sign in to the page, and its sessions."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from player.domain.pairing.access import MOST_SESSIONS, MOST_TRIES, SESSION_SECONDS, TRIES_SECONDS, Access
from tests.support.menus import NOON


def after(seconds: float) -> timedelta:
    return timedelta(seconds=seconds)


def test_an_hour_has_a_number_of_tries_and_nothing_more_is_kept() -> None:
    access, now, tried = Access(), NOON, 0
    for _ in range(7200):
        if access.wait(now) == 0:
            access, tried = access.tried(now), tried + 1
        now += after(1)
    assert tried == 2 * MOST_TRIES
    assert len(access.tries) == MOST_TRIES
    assert access.wait(NOON + after(TRIES_SECONDS + MOST_TRIES)) == TRIES_SECONDS - MOST_TRIES


def test_the_count_is_the_same_after_a_restart_and_whatever_the_clock_does_it_ends() -> None:
    access = Access()
    for _ in range(MOST_TRIES):
        access = access.tried(NOON)
    again = Access.read(access.encoded())
    assert again.wait(NOON) == TRIES_SECONDS
    earlier = NOON - timedelta(days=4000)
    assert again.wait(earlier) <= TRIES_SECONDS
    assert Access.read(None).wait(NOON) == 0


def test_the_count_of_an_older_player_is_read_and_it_reads_this_one() -> None:
    at = NOON.isoformat()
    sessions = [{"digest": "digest", "address": "a", "until": (NOON + after(60)).isoformat()}]
    older = {"failures": [{"at": at, "address": "b"}], "asked": [at] * 3, "sessions": sessions}
    access = Access.read(json.dumps(older).encode())
    assert len(access.tries) == 3
    assert access.session("digest", "a", NOON) is not None
    assert json.loads(access.encoded()).keys() == {"asked", "sessions"}


def test_a_session_ends_and_counts_only_from_where_it_began() -> None:
    access = Access().signed_in("digest", "a", NOON)
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
        access = access.signed_in(str(number), "a", NOON)
    assert access.session("0", "a", NOON) is None
    assert access.session("1", "a", NOON) is not None


@pytest.mark.parametrize("content", [b"[]", b'{"asked": 3}', b"\xff"])
def test_a_file_that_is_none_is_an_error(content: bytes) -> None:
    from menu.documents.tolerant import NOT_THE_DOCUMENT

    with pytest.raises(NOT_THE_DOCUMENT):
        Access.read(content)
