"""The pairing state machine: every state with every event, and the delays that protect a fleet."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from player.domain import pairing as p

CODE = p.Code(
    device_code="secret",
    user_code="WDJ-BMJ",
    verification_uri="https://menus.example.com/pair",
    verification_uri_complete="https://menus.example.com/pair?code=WDJBMJ",
    interval=5.0,
    good_until=1000.0,
)
SCREEN = p.Credentials(service="https://menus.example.com", token="tok", screen_id="scr_1")
NOW = 100.0

UNPAIRED = p.Unpaired(ask_at=50.0)
WAITING = p.Waiting(code=CODE, ask_at=60.0)
PAIRED = p.Paired(credentials=SCREEN)
REFUSED_ONCE = p.Paired(credentials=SCREEN, refused_at=NOW - 30)
REFUSED_LONG_AGO = p.Paired(credentials=SCREEN, refused_at=NOW - p.CONFIRM_SECONDS)
REVOKED = p.Revoked()

GIVEN = p.CodeGiven(code=CODE)
SILENT = p.NotAnswered(retry_in=7.0)
PENDING = p.NotClaimedYet()
SLOW_DOWN = p.NotClaimedYet(slow_down=True)
DEAD = p.CodeInvalid()
TOKEN = p.TokenGiven(credentials=SCREEN)
ACCEPTED = p.TokenAccepted(token="tok")
REFUSED = p.TokenRefused(token="tok")
OTHER_ACCEPTED = p.TokenAccepted(token="old")
OTHER_REFUSED = p.TokenRefused(token="old")
FORGOTTEN = p.TokenForgotten()

STATES = [UNPAIRED, WAITING, PAIRED, REFUSED_ONCE, REFUSED_LONG_AGO, REVOKED]
EVENTS = [GIVEN, SILENT, PENDING, SLOW_DOWN, DEAD, TOKEN, ACCEPTED, REFUSED, OTHER_ACCEPTED, OTHER_REFUSED, FORGOTTEN]

TRANSITIONS: dict[tuple[p.State, p.PairingEvent], p.State] = {
    (UNPAIRED, GIVEN): p.Waiting(code=CODE, ask_at=105.0),
    (UNPAIRED, SILENT): p.Unpaired(ask_at=107.0),
    (WAITING, TOKEN): PAIRED,
    (WAITING, DEAD): p.Unpaired(ask_at=NOW),
    (WAITING, PENDING): p.Waiting(code=CODE, ask_at=105.0),
    (WAITING, SLOW_DOWN): p.Waiting(code=replace(CODE, interval=10.0), ask_at=110.0),
    (WAITING, SILENT): p.Waiting(code=CODE, ask_at=107.0),
    (PAIRED, REFUSED): p.Paired(credentials=SCREEN, refused_at=NOW),
    (REFUSED_ONCE, ACCEPTED): PAIRED,
    (REFUSED_LONG_AGO, ACCEPTED): PAIRED,
    (REFUSED_LONG_AGO, REFUSED): REVOKED,
    (REVOKED, FORGOTTEN): p.Unpaired(ask_at=NOW),
}
"""The transitions. Every other pair leaves the state as it is."""


@pytest.mark.parametrize("event", EVENTS, ids=str)
@pytest.mark.parametrize("state", STATES, ids=str)
def test_every_state_with_every_event(state: p.State, event: p.PairingEvent) -> None:
    assert p.advance(state, event, now=NOW) == TRANSITIONS.get((state, event), state)


@pytest.mark.parametrize("event", [PENDING, SLOW_DOWN, SILENT, DEAD])
@pytest.mark.parametrize("now", [1000.0, 1000.1])
def test_an_expired_code_is_replaced_unless_a_token_comes(event: p.PairingEvent, now: float) -> None:
    assert p.advance(WAITING, event, now=now) == p.Unpaired(ask_at=now)
    assert p.advance(WAITING, TOKEN, now=now) == PAIRED


def test_the_last_call_comes_at_the_end_of_the_code() -> None:
    state = p.advance(WAITING, PENDING, now=998.0)
    assert p.next_step(state) == p.AskForToken(at=1000.0, device_code="secret")


def test_slow_down_adds_up_to_a_bound() -> None:
    state: p.State = WAITING
    intervals = []
    for _ in range(20):
        state = p.advance(state, SLOW_DOWN, now=NOW)
        assert isinstance(state, p.Waiting)
        intervals.append(state.code.interval)
    assert intervals[:3] == [10.0, 15.0, 20.0]
    assert intervals[-1] == p.MAX_INTERVAL_SECONDS


@pytest.mark.parametrize(("later", "revoked"), [(0.0, False), (59.9, False), (60.0, True), (86400.0, True)])
def test_a_token_is_revoked_if_its_refusal_is_confirmed_late_enough(later: float, revoked: bool) -> None:
    refused = p.advance(PAIRED, REFUSED, now=NOW)
    assert (p.advance(refused, REFUSED, now=NOW + later) == REVOKED) is revoked


def test_repeated_refusals_do_not_delay_the_confirmation() -> None:
    state = p.advance(PAIRED, REFUSED, now=NOW)
    for second in range(1, 60):
        state = p.advance(state, REFUSED, now=NOW + second)
    assert p.confirm_in(state, now=NOW + 59) == 1.0
    assert p.advance(state, REFUSED, now=NOW + 60) == REVOKED


def test_only_a_refused_token_has_to_be_confirmed() -> None:
    assert [p.confirm_in(state, now=NOW) for state in STATES] == [None, None, None, 30.0, 0.0, None]


def test_each_state_has_its_next_step() -> None:
    assert [p.next_step(state) for state in STATES] == [
        p.AskForCode(at=50.0),
        p.AskForToken(at=60.0, device_code="secret"),
        p.Idle(),
        p.Idle(),
        p.Idle(),
        p.ForgetToken(),
    ]


SUCCESSORS = {
    p.Unpaired: {p.Waiting},
    p.Waiting: {p.Paired, p.Unpaired},
    p.Paired: {p.Revoked},
    p.Revoked: {p.Unpaired},
}


@given(st.lists(st.tuples(st.sampled_from(EVENTS), st.floats(0, 500)), max_size=60))
def test_states_change_only_along_the_transitions(steps: list[tuple[p.PairingEvent, float]]) -> None:
    state: p.State = p.Unpaired(ask_at=0.0)
    now = 0.0
    for event, passed in steps:
        now += passed
        after = p.advance(state, event, now=now)
        assert type(after) is type(state) or type(after) in SUCCESSORS[type(state)]
        if isinstance(after, p.Waiting):
            assert after.ask_at <= max(after.code.good_until, now)
        state = after


def test_the_repr_of_states_and_events_has_no_secrets() -> None:
    assert "secret" not in "".join(map(repr, [*STATES, GIVEN, p.next_step(WAITING)]))
    assert "tok'" not in "".join(map(repr, [*STATES, TOKEN, ACCEPTED, REFUSED]))
