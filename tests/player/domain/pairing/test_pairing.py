"""The pairing state machine: every state with every event, and the delays that protect a fleet."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from player.domain.pairing import pairing as p

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

GRACE = p.GRACE_SECONDS

UNPAIRED = p.Unpaired(ask_at=50.0)
WAITING = p.CodeShown(code=CODE, ask_at=60.0)
PAIRED = p.Paired(credentials=SCREEN)
REFUSED_ONCE = p.Paired(credentials=SCREEN, streak=p.RefusalStreak(since=NOW - 30))
REFUSED_LONG_AGO = p.Paired(credentials=SCREEN, streak=p.RefusalStreak(since=NOW - p.CONFIRM_SECONDS))
UNKNOWN = p.RefusedToken(credentials=SCREEN, streak=p.RefusalStreak(since=0.0))
GONE = p.RefusedToken(credentials=SCREEN, streak=p.RefusalStreak(since=0.0, revoked_since=0.0), revoked_at=60.0)
OVER = replace(GONE, grace_used=GRACE)
UNKNOWN_SCREEN = p.Unpaired(ask_at=50.0, refused=UNKNOWN)
REMOVED_SCREEN = p.CodeShown(code=CODE, ask_at=60.0, refused=GONE)
GRACE_OVER = p.CodeShown(code=CODE, ask_at=60.0, refused=OVER)
REVOKED = p.Revoked()

GIVEN = p.CodeGiven(code=CODE)
SILENT = p.NotAnswered(retry_in=7.0)
PENDING = p.NotClaimedYet()
SLOW_DOWN = p.NotClaimedYet(slow_down=True)
HELD_SHORTLY = p.NotClaimedYet(held=2.0)
HELD = p.NotClaimedYet(held=25.0)
DEAD = p.CodeInvalid()
TOKEN = p.TokenGiven(credentials=SCREEN)
ACCEPTED = p.TokenAccepted(token="tok")
REFUSED = p.TokenRefused(token="tok")
REMOVED = p.TokenRefused(token="tok", revoked=True)
OTHER_ACCEPTED = p.TokenAccepted(token="old")
OTHER_REFUSED = p.TokenRefused(token="old", revoked=True)
FORGOTTEN = p.TokenForgotten()
AGAIN = p.PairAgainAsked()

REFUSED_STATES = [UNKNOWN_SCREEN, REMOVED_SCREEN, GRACE_OVER]
STATES = [UNPAIRED, WAITING, PAIRED, REFUSED_ONCE, REFUSED_LONG_AGO, *REFUSED_STATES, REVOKED]
EVENTS = [
    GIVEN,
    SILENT,
    PENDING,
    SLOW_DOWN,
    HELD_SHORTLY,
    HELD,
    DEAD,
    TOKEN,
    ACCEPTED,
    REFUSED,
    REMOVED,
    OTHER_ACCEPTED,
    OTHER_REFUSED,
    FORGOTTEN,
    AGAIN,
]


def refused(since: float, **more: float) -> p.RefusedToken:
    return p.RefusedToken(credentials=SCREEN, streak=p.RefusalStreak(since=since, **more))


TRANSITIONS: dict[tuple[p.State, p.PairingEvent], p.State] = {
    **{(state, TOKEN): PAIRED for state in STATES},
    **{(state, AGAIN): REVOKED for state in STATES if p.token_of(state) is not None},
    **{(state, ACCEPTED): PAIRED for state in (REFUSED_ONCE, REFUSED_LONG_AGO, *REFUSED_STATES)},
    (UNPAIRED, GIVEN): p.CodeShown(code=CODE, ask_at=NOW, since=NOW),
    (UNPAIRED, SILENT): p.Unpaired(ask_at=107.0),
    (PAIRED, REFUSED): p.Paired(credentials=SCREEN, streak=p.RefusalStreak(since=NOW)),
    (PAIRED, REMOVED): p.Paired(credentials=SCREEN, streak=p.RefusalStreak(since=NOW, revoked_since=NOW)),
    (REFUSED_ONCE, REMOVED): p.Paired(credentials=SCREEN, streak=p.RefusalStreak(since=NOW - 30, revoked_since=NOW)),
    (REFUSED_LONG_AGO, REFUSED): p.Unpaired(ask_at=NOW, refused=refused(NOW - 60)),
    (REFUSED_LONG_AGO, REMOVED): p.Unpaired(ask_at=NOW, refused=refused(NOW - 60, revoked_since=NOW)),
    (UNKNOWN_SCREEN, GIVEN): p.CodeShown(code=CODE, ask_at=NOW, since=NOW, refused=UNKNOWN),
    (UNKNOWN_SCREEN, SILENT): p.Unpaired(ask_at=107.0, refused=UNKNOWN),
    (UNKNOWN_SCREEN, REMOVED): p.Unpaired(ask_at=50.0, refused=refused(0.0, revoked_since=NOW)),
    (REVOKED, FORGOTTEN): p.Unpaired(ask_at=NOW),
}
"""The transitions. Every other pair leaves the state as it is."""
for _state, _token in ((WAITING, None), (REMOVED_SCREEN, GONE), (GRACE_OVER, OVER)):
    TRANSITIONS |= {
        (_state, DEAD): p.Unpaired(ask_at=NOW, refused=_token),
        (_state, PENDING): p.CodeShown(code=CODE, ask_at=105.0, refused=_token),
        (_state, HELD_SHORTLY): p.CodeShown(code=CODE, ask_at=103.0, refused=_token),
        (_state, HELD): p.CodeShown(code=CODE, ask_at=NOW, refused=_token),
        (_state, SLOW_DOWN): p.CodeShown(code=replace(CODE, interval=10.0), ask_at=110.0, refused=_token),
        (_state, SILENT): p.CodeShown(code=CODE, ask_at=107.0, refused=_token),
    }
for _state in (REMOVED_SCREEN, GRACE_OVER):
    TRANSITIONS[_state, REFUSED] = replace(_state, refused=UNKNOWN)
TRANSITIONS[GRACE_OVER, REMOVED] = REVOKED


@pytest.mark.parametrize("event", EVENTS, ids=str)
@pytest.mark.parametrize("state", STATES, ids=str)
def test_every_state_with_every_event(state: p.State, event: p.PairingEvent) -> None:
    assert p.advance(state, event, now=NOW) == TRANSITIONS.get((state, event), state)


def test_a_service_whose_codes_are_all_dead_is_not_asked_in_a_loop() -> None:
    given = p.advance(UNPAIRED, GIVEN, now=NOW)
    assert p.advance(given, DEAD, now=NOW + 1) == p.Unpaired(ask_at=NOW + CODE.interval)
    assert p.advance(given, DEAD, now=NOW + 60) == p.Unpaired(ask_at=NOW + 60)


@pytest.mark.parametrize("event", [PENDING, SLOW_DOWN, SILENT, DEAD])
@pytest.mark.parametrize("now", [1000.0, 1000.1])
def test_an_expired_code_is_replaced_unless_a_token_comes(event: p.PairingEvent, now: float) -> None:
    assert p.advance(WAITING, event, now=now) == p.Unpaired(ask_at=now)
    assert p.advance(WAITING, TOKEN, now=now) == PAIRED


def test_the_last_call_comes_at_the_end_of_the_code() -> None:
    state = p.advance(WAITING, PENDING, now=998.0)
    assert isinstance(state, p.CodeShown)
    assert state.ask_at == 1000.0


def test_slow_down_adds_up_to_a_bound() -> None:
    state: p.State = WAITING
    intervals = []
    for _ in range(20):
        state = p.advance(state, SLOW_DOWN, now=NOW)
        assert isinstance(state, p.CodeShown)
        intervals.append(state.code.interval)
    assert intervals[:3] == [10.0, 15.0, 20.0]
    assert intervals[-1] == p.MAX_INTERVAL_SECONDS


@pytest.mark.parametrize(("later", "believed"), [(0.0, False), (59.9, False), (60.0, True), (86400.0, True)])
@pytest.mark.parametrize(("event", "refusal"), [(REFUSED, p.Refusal.UNKNOWN), (REMOVED, p.Refusal.REVOKED)])
def test_a_refusal_is_believed_if_it_is_repeated_late_enough(
    later: float, believed: bool, event: p.TokenRefused, refusal: p.Refusal
) -> None:
    state = p.advance(p.advance(PAIRED, event, now=NOW), event, now=NOW + later)
    token = p.refused_token(state)
    assert (token is not None and token.refusal is refusal) is believed
    assert p.token_of(state) == "tok", "it is tried on"


def test_repeated_refusals_do_not_delay_the_confirmation() -> None:
    state = p.advance(PAIRED, REFUSED, now=NOW)
    for second in range(1, 60):
        state = p.advance(state, REFUSED, now=NOW + second)
    assert p.retry_in(state, now=NOW + 59) == 1.0
    assert isinstance(p.advance(state, REFUSED, now=NOW + 60), p.Unpaired)


@pytest.mark.parametrize("last", [REFUSED, ACCEPTED])
def test_a_revocation_is_believed_only_without_another_answer_in_between(last: p.PairingEvent) -> None:
    state = p.advance(PAIRED, REMOVED, now=0.0)
    state = p.advance(state, last, now=59.0)
    state = p.advance(state, REMOVED, now=61.0)
    token = p.refused_token(state)
    assert token is None or token.refusal is p.Refusal.UNKNOWN


@pytest.mark.proves("service-says-screen")
def test_the_grace_ends_with_a_revocation_that_comes_after_it_and_not_before() -> None:
    state: p.State = PAIRED
    for now in (0.0, 60.0, 60.0 + GRACE - 1.0):
        state = p.advance(state, REMOVED, now=now)
        assert state != REVOKED
    assert p.advance(state, PENDING, now=1e9) != REVOKED, "only the service's own word ends it"
    assert p.advance(state, ACCEPTED, now=60.0 + GRACE) == PAIRED
    assert p.advance(state, REMOVED, now=60.0 + GRACE) == REVOKED


def test_the_grace_goes_on_where_the_last_run_left_it_and_an_accepted_call_gives_it_back() -> None:
    restarted: p.State = p.Paired(credentials=SCREEN, grace_used=GRACE - 10.0)
    state = restarted
    for now in (0.0, 60.0, 69.0):
        state = p.advance(state, REMOVED, now=now)
        assert state != REVOKED
    assert p.advance(state, REMOVED, now=70.0) == REVOKED

    state = p.advance(restarted, ACCEPTED, now=0.0)
    for now in (0.0, 60.0, GRACE):
        state = p.advance(state, REMOVED, now=now)
        assert state != REVOKED


def test_an_unknown_token_is_kept_for_ever() -> None:
    state: p.State = PAIRED
    for day in range(400):
        state = p.advance(state, REFUSED, now=day * 86400.0)
    assert p.token_of(state) == "tok"


def test_a_refused_token_is_tried_again_later() -> None:
    waits = [p.retry_in(state, now=NOW) for state in STATES]
    assert waits == [None, None, None, 30.0, 0.0, 60.0, 60.0, 60.0, None]


NEW = p.Credentials(service=SCREEN.service, token="new", screen_id="scr_2", workspace_id="ws_1")


@pytest.mark.parametrize(
    ("last", "goes_on"),
    [
        (p.LastPairing(service=SCREEN.service, screen_id="scr_1", workspace_id="ws_1"), True),
        (p.LastPairing(service=SCREEN.service, screen_id="scr_2", workspace_id="ws_2"), False),
        (p.LastPairing(service=SCREEN.service, screen_id="scr_2"), True),
        (p.LastPairing(service=SCREEN.service, screen_id="scr_1"), False),
        (p.LastPairing(service="https://other.example.com", screen_id="scr_2", workspace_id="ws_1"), False),
    ],
)
def test_programs_go_on_in_the_workspace_that_they_are_of(last: p.LastPairing, goes_on: bool) -> None:
    assert last.goes_on_with(NEW) is goes_on


SUCCESSORS = {
    p.Unpaired: {p.CodeShown, p.Paired, p.Revoked},
    p.CodeShown: {p.Paired, p.Unpaired, p.Revoked},
    p.Paired: {p.Unpaired, p.Revoked},
    p.Revoked: {p.Unpaired, p.Paired},
}


@given(st.lists(st.tuples(st.sampled_from(EVENTS), st.floats(0, 500)), max_size=60))
def test_states_change_only_along_the_transitions(steps: list[tuple[p.PairingEvent, float]]) -> None:
    state: p.State = p.Unpaired(ask_at=0.0)
    now = 0.0
    for event, passed in steps:
        now += passed
        after = p.advance(state, event, now=now)
        assert type(after) is type(state) or type(after) in SUCCESSORS[type(state)]
        if isinstance(after, p.CodeShown):
            assert after.ask_at <= max(after.code.good_until, now)
        state = after


def test_the_repr_of_states_and_events_has_no_secrets() -> None:
    assert "secret" not in "".join(map(repr, [*STATES, GIVEN]))
    assert "tok'" not in "".join(map(repr, [*STATES, TOKEN, ACCEPTED, REFUSED]))
