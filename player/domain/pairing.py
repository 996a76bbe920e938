"""Owns how a device becomes a screen and ceases to be one: the pairing state machine, pure; no network, no disk."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol, assert_never

from msgspec import Struct
from msgspec.structs import replace

from player.domain.redacted import Redacted

CONFIRM_SECONDS = 60.0
"""A refused token is believed only when it is refused again at least this much later: one fault of the service must not
blank a fleet."""

SLOW_DOWN_SECONDS = 5.0
"""What `slow_down` adds to the interval between two token calls (RFC 8628, section 3.5)."""

MIN_INTERVAL_SECONDS = 1.0
MAX_INTERVAL_SECONDS = 60.0
"""Between two token calls, whatever the service says."""

MIN_CODE_SECONDS = 30.0
MAX_CODE_SECONDS = 3600.0
"""How long a code counts as good, whatever the service says."""


# What there is on disk


class Credentials(Redacted, frozen=True, kw_only=True):
    """What makes this device a screen. `service` is the address that gave the token: it is sent nowhere else."""

    redacted_fields = ("token",)
    service: str
    token: str
    screen_id: str


class PendingCode(Redacted, frozen=True, kw_only=True):
    """A code that waits to be claimed, kept so that a restart goes on with it. `expires_at` is wall time as it was
    read, and may be wrong: the service decides."""

    redacted_fields = ("device_code",)
    service: str
    device_code: str
    user_code: str
    verification_uri: str
    verification_uri_complete: str
    interval: float
    expires_at: datetime


class CredentialStore(Protocol):
    """The port to the disk. Both calls block, and raise OSError when the disk refuses."""

    def keep_credentials(self, credentials: Credentials | PendingCode) -> None:
        """Store durably, in place of what was there."""
        ...

    def forget_credentials(self) -> None:
        """Take what is stored off the disk, durably."""
        ...


# States


class Code(Redacted, frozen=True, kw_only=True):
    """A code on the screen, here, in events and in the snapshot alike; `good_until` is on the monotonic clock,
    seconds."""

    redacted_fields = ("device_code",)
    device_code: str
    user_code: str
    verification_uri: str
    verification_uri_complete: str
    interval: float
    good_until: float


class Unpaired(Struct, frozen=True, kw_only=True):
    """No code yet; one is asked for at `ask_at`."""

    ask_at: float


class Waiting(Struct, frozen=True, kw_only=True):
    """A code is shown; the token is asked for at `ask_at`."""

    code: Code
    ask_at: float


class Paired(Struct, frozen=True, kw_only=True):
    """A screen. `doubted_at` is when the token was first refused, None while it is not in doubt."""

    credentials: Credentials
    doubted_at: float | None = None


class Revoked(Struct, frozen=True, kw_only=True):
    """The token is dead, and still on the disk."""


State = Unpaired | Waiting | Paired | Revoked


# News


class CodeGiven(Struct, frozen=True, kw_only=True):
    """The service gave a code."""

    code: Code


class NotAnswered(Struct, frozen=True, kw_only=True):
    """A pairing call got no usable answer, or the answer could not be stored; ask again after `retry_in` seconds."""

    retry_in: float


class NotClaimedYet(Struct, frozen=True, kw_only=True):
    """`authorization_pending`, or `slow_down`."""

    slow_down: bool = False


class CodeDead(Struct, frozen=True, kw_only=True):
    """`access_denied`, `expired_token` or `invalid_grant`."""


class TokenGiven(Struct, frozen=True, kw_only=True):
    """Somebody claimed the code, and the token is on the disk."""

    credentials: Credentials


class TokenAccepted(Redacted, frozen=True, kw_only=True):
    """A call with this token was answered."""

    redacted_fields = ("token",)
    token: str


class TokenRefused(Redacted, frozen=True, kw_only=True):
    """A call with this token was answered 401."""

    redacted_fields = ("token",)
    token: str


class TokenForgotten(Struct, frozen=True, kw_only=True):
    """The dead token is off the disk."""


News = CodeGiven | NotAnswered | NotClaimedYet | CodeDead | TokenGiven | TokenAccepted | TokenRefused | TokenForgotten


# The rules.
#
# 1. Unpaired -> Waiting -> Paired -> Revoked -> Unpaired; there is no other way round, except that a code that ends
#    unclaimed leads from Waiting back to Unpaired, where the next one is asked for at once.
# 2. A code renews itself. At the moment it ends the token is asked for one last time, because a claim may have come in
#    after the call before; any answer but a token then ends the code, an outage too.
# 3. A token call never comes sooner than the interval, and never later than the end of the code. `slow_down` adds to
#    the interval for as long as the code lives.
# 4. One 401 puts the token in doubt. Only another 401 for the same token, CONFIRM_SECONDS or more after the first and
#    with no accepted call between them, revokes it.
# 5. News that a state does not expect is late news: an answer to a question of the state before. It changes nothing.
#    So does news of any other token than the one that is held.


def advance(state: State, news: News, *, now: float) -> State:
    """The state that follows; `now` is on the monotonic clock."""
    match state, news:
        case Unpaired(), CodeGiven(code=code):
            return Waiting(code=code, ask_at=_next_ask(code, now))
        case Unpaired(), NotAnswered(retry_in=retry_in):
            return Unpaired(ask_at=now + retry_in)

        case Waiting(), TokenGiven(credentials=credentials):
            return Paired(credentials=credentials)
        case Waiting(), CodeDead():
            return Unpaired(ask_at=now)
        case Waiting(code=code), NotClaimedYet() | NotAnswered() if now >= code.good_until:
            return Unpaired(ask_at=now)
        case Waiting(code=code), NotClaimedYet(slow_down=slow_down):
            if slow_down:
                code = replace(code, interval=min(code.interval + SLOW_DOWN_SECONDS, MAX_INTERVAL_SECONDS))
            return Waiting(code=code, ask_at=_next_ask(code, now))
        case Waiting(code=code), NotAnswered(retry_in=retry_in):
            return Waiting(code=code, ask_at=_next_ask(code, now, at_least=retry_in))

        case Paired(credentials=held), TokenAccepted(token=token) if token == held.token:
            return Paired(credentials=held)
        case Paired(credentials=held, doubted_at=None), TokenRefused(token=token) if token == held.token:
            return Paired(credentials=held, doubted_at=now)
        case Paired(credentials=held, doubted_at=float(doubted_at)), TokenRefused(token=token) if token == held.token:
            return Revoked() if now - doubted_at >= CONFIRM_SECONDS else state

        case Revoked(), TokenForgotten():
            return Unpaired(ask_at=now)
        case _:
            return state


def _next_ask(code: Code, now: float, *, at_least: float = 0.0) -> float:
    return min(now + max(code.interval, at_least), code.good_until)


# What a state asks to be done


class AskForCode(Struct, frozen=True, kw_only=True):
    """Call device_authorization at `at`."""

    at: float


class AskForToken(Redacted, frozen=True, kw_only=True):
    """Call token at `at`."""

    redacted_fields = ("device_code",)
    at: float
    device_code: str


class ForgetToken(Struct, frozen=True, kw_only=True):
    """Take the token off the disk, now."""


class Rest(Struct, frozen=True, kw_only=True):
    """Nothing, until news comes."""


Duty = AskForCode | AskForToken | ForgetToken | Rest


def duty(state: State) -> Duty:
    """What is to be done next, and when."""
    match state:
        case Unpaired(ask_at=at):
            return AskForCode(at=at)
        case Waiting(code=code, ask_at=at):
            return AskForToken(at=at, device_code=code.device_code)
        case Revoked():
            return ForgetToken()
        case Paired():
            return Rest()
        case _:
            assert_never(state)


def confirm_in(state: State, *, now: float) -> float | None:
    """Seconds until a token in doubt may be asked for the second time; None when none is in doubt."""
    if isinstance(state, Paired) and state.doubted_at is not None:
        return max(0.0, state.doubted_at + CONFIRM_SECONDS - now)
    return None
