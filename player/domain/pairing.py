"""The pairing state machine: how a device becomes a screen and ceases to be one; pure, no network, no disk."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol, assert_never

from msgspec import Struct
from msgspec.structs import replace

from player.domain.redacted import Redacted

CONFIRM_SECONDS = 60.0
"""A refused token is dead only if it is refused again at least this much later: one fault of the service must not blank
a fleet."""

SLOW_DOWN_SECONDS = 5.0
"""Added to the interval between two token calls by `slow_down` (RFC 8628, section 3.5)."""

MIN_INTERVAL_SECONDS = 1.0
MAX_INTERVAL_SECONDS = 60.0
"""Bounds of the interval between two token calls, whatever the service says."""

MIN_CODE_SECONDS = 30.0
MAX_CODE_SECONDS = 3600.0
"""Bounds of a code's lifetime, whatever the service says."""


# On disk


class Credentials(Redacted, frozen=True, kw_only=True):
    """Makes this device a screen. `service` is the address that issued the token, which is sent nowhere else."""

    redacted_fields = ("token",)
    service: str
    token: str
    screen_id: str


class PendingCode(Redacted, frozen=True, kw_only=True):
    """An unclaimed code, stored so that a restart goes on with it. `expires_at` is system wall time and may be
    wrong: the service decides."""

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
        """Store durably, in place of what was stored."""
        ...

    def forget_credentials(self) -> None:
        """Delete what is stored, durably."""
        ...


# States


class Code(Redacted, frozen=True, kw_only=True):
    """A code on the screen, in events and in the snapshot too; `good_until` is on the monotonic clock, in seconds."""

    redacted_fields = ("device_code",)
    device_code: str
    user_code: str
    verification_uri: str
    verification_uri_complete: str
    interval: float
    good_until: float


class Unpaired(Struct, frozen=True, kw_only=True):
    """No code yet; one is requested at `ask_at`."""

    ask_at: float


class Waiting(Struct, frozen=True, kw_only=True):
    """A code is shown; the token is requested at `ask_at`."""

    code: Code
    ask_at: float


class Paired(Struct, frozen=True, kw_only=True):
    """A screen. `refused_at` is when its token was first refused, None while it is accepted."""

    credentials: Credentials
    refused_at: float | None = None


class Revoked(Struct, frozen=True, kw_only=True):
    """The token is dead, and still on the disk."""


State = Unpaired | Waiting | Paired | Revoked


# Events


class CodeGiven(Struct, frozen=True, kw_only=True):
    """The service issued a code."""

    code: Code


class NotAnswered(Struct, frozen=True, kw_only=True):
    """A pairing call got no usable response, or it could not be stored; call again after `retry_in` seconds."""

    retry_in: float


class NotClaimedYet(Struct, frozen=True, kw_only=True):
    """`authorization_pending`, or `slow_down`."""

    slow_down: bool = False


class CodeInvalid(Struct, frozen=True, kw_only=True):
    """`access_denied`, `expired_token` or `invalid_grant`."""


class TokenGiven(Struct, frozen=True, kw_only=True):
    """The code was claimed, and the token is on disk."""

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
    """The dead token is deleted."""


PairingEvent = (
    CodeGiven | NotAnswered | NotClaimedYet | CodeInvalid | TokenGiven | TokenAccepted | TokenRefused | TokenForgotten
)


# The rules.
#
# 1. Unpaired -> Waiting -> Paired -> Revoked -> Unpaired; there is no other way round, except that a code that ends
#    unclaimed leads from Waiting back to Unpaired, where the next one is requested at once.
# 2. A code renews itself. At its end the token is requested one last time, because a claim may have come in after the
#    last call; any response but a token then ends the code, an outage too.
# 3. A token call never comes sooner than the interval, and never later than the end of the code. `slow_down` adds to
#    the interval for as long as the code lives.
# 4. One 401 puts the token in doubt. Only another 401 for the same token, CONFIRM_SECONDS or more after the first and
#    with no accepted call between them, revokes it.
# 5. An event that a state does not expect is late: it belongs to the state before, and changes nothing. Nor does an
#    event about any token but the current one.


def advance(state: State, event: PairingEvent, *, now: float) -> State:
    """The state that follows; `now` is on the monotonic clock."""
    match state, event:
        case Unpaired(), CodeGiven(code=code):
            return Waiting(code=code, ask_at=_next_ask(code, now))
        case Unpaired(), NotAnswered(retry_in=retry_in):
            return Unpaired(ask_at=now + retry_in)

        case Waiting(), TokenGiven(credentials=credentials):
            return Paired(credentials=credentials)
        case Waiting(), CodeInvalid():
            return Unpaired(ask_at=now)
        case Waiting(code=code), NotClaimedYet() | NotAnswered() if now >= code.good_until:
            return Unpaired(ask_at=now)
        case Waiting(code=code), NotClaimedYet(slow_down=slow_down):
            if slow_down:
                code = replace(code, interval=min(code.interval + SLOW_DOWN_SECONDS, MAX_INTERVAL_SECONDS))
            return Waiting(code=code, ask_at=_next_ask(code, now))
        case Waiting(code=code), NotAnswered(retry_in=retry_in):
            return Waiting(code=code, ask_at=_next_ask(code, now, at_least=retry_in))

        case Paired(credentials=current), TokenAccepted(token=token) if token == current.token:
            return Paired(credentials=current)
        case Paired(credentials=current, refused_at=None), TokenRefused(token=token) if token == current.token:
            return Paired(credentials=current, refused_at=now)
        case Paired(credentials=current, refused_at=float(refused_at)), TokenRefused(token=token) if (
            token == current.token
        ):
            return Revoked() if now - refused_at >= CONFIRM_SECONDS else state

        case Revoked(), TokenForgotten():
            return Unpaired(ask_at=now)
        case _:
            return state


def _next_ask(code: Code, now: float, *, at_least: float = 0.0) -> float:
    return min(now + max(code.interval, at_least), code.good_until)


# What is to be done in a state


class AskForCode(Struct, frozen=True, kw_only=True):
    """Call device_authorization at `at`."""

    at: float


class AskForToken(Redacted, frozen=True, kw_only=True):
    """Call token at `at`."""

    redacted_fields = ("device_code",)
    at: float
    device_code: str


class ForgetToken(Struct, frozen=True, kw_only=True):
    """Delete the token, now."""


class Idle(Struct, frozen=True, kw_only=True):
    """Wait for an event."""


NextStep = AskForCode | AskForToken | ForgetToken | Idle


def next_step(state: State) -> NextStep:
    """What is to be done next, and when."""
    match state:
        case Unpaired(ask_at=at):
            return AskForCode(at=at)
        case Waiting(code=code, ask_at=at):
            return AskForToken(at=at, device_code=code.device_code)
        case Revoked():
            return ForgetToken()
        case Paired():
            return Idle()
        case _:
            assert_never(state)


def confirm_in(state: State, *, now: float) -> float | None:
    """Seconds until a refused token may be tried again to confirm it; None if no token is refused."""
    if isinstance(state, Paired) and state.refused_at is not None:
        return max(0.0, state.refused_at + CONFIRM_SECONDS - now)
    return None
