"""Pairing state machine: how a device becomes a screen and ceases to be one; pure, no network, no disk."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from player.domain.redacted import Redacted

CONFIRM_SECONDS = 60.0
"""A refusal counts only if it is repeated at least this much later: one fault of the service must not alarm a fleet."""

REFUSED_RETRY_SECONDS = 60.0
"""Between two attempts with a token that is refused: the refusal may have been a mistake."""

GRACE_SECONDS = 7 * 24 * 3600.0
"""A revoked screen goes on with its programs for so long, in time that the player runs: one mistake must not cost a
chain the pairing of every screen by hand."""

MIN_INTERVAL_SECONDS = 1.0
MAX_INTERVAL_SECONDS = 60.0
"""Bounds of the interval between two token calls, whatever the service says."""

HOLD_SECONDS = 25
"""The longest hold of a token call that is asked for."""

LEAST_HOLD_SECONDS = 3
"""The shortest; what is left of a code's life may be less, and the network may allow less. Calls are plain then."""

MIN_CODE_SECONDS = 30.0
MAX_CODE_SECONDS = 3600.0
"""Bounds of a code's lifetime, whatever the service says."""


# On disk


class Credentials(Redacted, frozen=True, kw_only=True):
    """Credentials of a screen. `service` is the address that issued the token, which is sent nowhere else."""

    redacted_fields = ("token",)
    service: str
    token: str
    screen_id: str
    workspace_id: str = ""
    """Empty from a service that does not tell."""


class IssuedCode(Redacted, frozen=True, kw_only=True):
    redacted_fields = ("device_code",)
    device_code: str
    user_code: str
    verification_uri: str
    verification_uri_complete: str
    interval: float

    @property
    def issued(self) -> dict[str, Any]:
        """Fields issued by the service."""
        return {name: getattr(self, name) for name in IssuedCode.__struct_fields__}


class PendingCode(IssuedCode, frozen=True, kw_only=True):
    """An unclaimed code, stored so that a restart goes on with it. `expires_at` is system wall time and may be
    wrong: the service decides."""

    service: str
    expires_at: datetime


class LastPairing(Struct, frozen=True, kw_only=True):
    """Last pairing, which outlives its credentials: the owner of the programs on the disk, and for how many seconds
    they have been shown since the token was revoked."""

    service: str
    screen_id: str
    workspace_id: str = ""
    grace_used: float = 0.0

    @classmethod
    def of(cls, credentials: Credentials, *, grace_used: float = 0.0) -> LastPairing:
        return cls(
            service=credentials.service,
            screen_id=credentials.screen_id,
            workspace_id=credentials.workspace_id,
            grace_used=grace_used,
        )

    def goes_on_with(self, credentials: Credentials) -> bool:
        """Whether these are of the same workspace, so that its programs may go on."""
        if self.service != credentials.service:
            return False
        if self.workspace_id and credentials.workspace_id:
            return self.workspace_id == credentials.workspace_id
        return self.screen_id == credentials.screen_id


# States


class Code(IssuedCode, frozen=True, kw_only=True):
    """A code on the screen, in events and in the snapshot too; `good_until` is on the monotonic clock, in seconds."""

    good_until: float


class EnrolmentRefusal(StrEnum):
    """Reason why an enrolment token does not make this device a screen."""

    UNKNOWN = "unknown"
    EXPIRED = "expired"
    USED_UP = "used_up"
    KNOWN_DEVICE = "known_device"
    """It is a screen already, and needs its code."""


ENROLLED = "accepted"
"""The service's word for a token that does."""


def enrolment_refusal(answered: str | None) -> EnrolmentRefusal | None:
    """Parses the service's answer to a token; None if the device is a screen."""
    if answered == ENROLLED:
        return None
    return next((each for each in EnrolmentRefusal if each == answered), EnrolmentRefusal.UNKNOWN)


class Refusal(StrEnum):
    """Service's reason for refusing a token."""

    UNKNOWN = "unknown"
    """It has not issued it, as after a restore; or it is an older service, which does not say why."""
    REVOKED = "revoked"
    """The screen was removed or paired again."""


class RefusalStreak(Struct, frozen=True, kw_only=True):
    """Refusals without an accepted call between them: when the first came, and the first of those that name the
    revocation without another kind after it; None if the last one did not name it."""

    since: float
    revoked_since: float | None = None


class RefusedToken(Struct, frozen=True, kw_only=True):
    """A token with a confirmed refusal. It is still tried, and the board continues. `grace_used` is from earlier runs,
    `revoked_at` when its revocation was confirmed in this one."""

    credentials: Credentials
    streak: RefusalStreak
    grace_used: float = 0.0
    revoked_at: float | None = None

    @property
    def refusal(self) -> Refusal:
        """Confirmed kind of refusal."""
        return Refusal.UNKNOWN if self.revoked_at is None else Refusal.REVOKED

    def grace_used_at(self, now: float) -> float:
        """Returns the used seconds of the grace period; 0 while no revocation is confirmed."""
        return 0.0 if self.revoked_at is None else self.grace_used + now - self.revoked_at


class Unpaired(Struct, frozen=True, kw_only=True):
    """No code yet; one is requested at `ask_at`."""

    ask_at: float
    refused: RefusedToken | None = None


class CodeShown(Struct, frozen=True, kw_only=True):
    """A code is shown; the token is requested at `ask_at`. `since` is when this run got the code."""

    code: Code
    ask_at: float
    since: float = float("-inf")
    refused: RefusedToken | None = None


class Paired(Struct, frozen=True, kw_only=True):
    """A screen. `streak` is None while its token is accepted; `grace_used` is from earlier runs."""

    credentials: Credentials
    streak: RefusalStreak | None = None
    grace_used: float = 0.0


class Revoked(Struct, frozen=True, kw_only=True):
    """A revoked token whose grace period is over; it is still on the disk."""


State = Unpaired | CodeShown | Paired | Revoked


# Events


class CodeGiven(Struct, frozen=True, kw_only=True):
    code: Code


class NotAnswered(Struct, frozen=True, kw_only=True):
    """A pairing call got no usable response, or it could not be stored; call again after `retry_in` seconds."""

    retry_in: float


class NotClaimedYet(Struct, frozen=True, kw_only=True):
    """`authorization_pending` or `slow_down` was returned. `held` is how long the service held the call, in seconds."""

    slow_down: bool = False
    held: float = 0.0


class CodeInvalid(Struct, frozen=True, kw_only=True):
    """`access_denied`, `expired_token` or `invalid_grant` was returned."""


class TokenGiven(Struct, frozen=True, kw_only=True):
    """A token for the claimed code; it is on disk."""

    credentials: Credentials


class TokenAccepted(Redacted, frozen=True, kw_only=True):
    """A call with this token was answered."""

    redacted_fields = ("token",)
    token: str


class TokenRefused(Redacted, frozen=True, kw_only=True):
    """A call with this token was refused by the service; `revoked` if it named the revocation of this very token."""

    redacted_fields = ("token",)
    token: str
    revoked: bool = False


class PairAgainAsked(Struct, frozen=True, kw_only=True):
    """Staff requests a new pairing of this screen."""


class TokenForgotten(Struct, frozen=True, kw_only=True):
    """Dead token deleted."""


PairingEvent = (
    CodeGiven
    | NotAnswered
    | NotClaimedYet
    | CodeInvalid
    | TokenGiven
    | TokenAccepted
    | TokenRefused
    | PairAgainAsked
    | TokenForgotten
)


# The rules.
#
# 1. Unpaired -> CodeShown -> Paired -> Unpaired or CodeShown, with the refused token -> Paired; a code that ends
#    unclaimed leads from CodeShown back to Unpaired, where the next one is requested at once. The first three hold
#    beside it.
# 2. A code renews itself, but never sooner than the interval after it was given. At its end the token is requested one
#    last time, because a claim may have come in after the last call; any response but a token then ends the code, an
#    outage too.
# 3. A token call never comes sooner than the interval after the one before, and never later than the end of the code.
#    The time for which the service held that one counts. `slow_down` adds to the interval while the code lives.
# 4. One refusal begins a streak. Another one of the same token, CONFIRM_SECONDS or more after the first and
#    with no accepted call between them, confirms it: a code is requested, and the token is tried on. It is accepted
#    again: everything is as before.
# 5. Only refusals that name the revocation, confirmed in the same way, begin the grace. Only another one after its end
#    leads to Revoked, where the token and the programs are deleted. A refusal of the other kind takes it all back.
#    Staff's wish to pair again leads there at once.
# 6. A token from the service is on the disk, so it counts in every state. Any other event that a state does not expect
#    is late, and changes nothing. Nor does an event about any token but the current one.


def advance(state: State, event: PairingEvent, *, now: float) -> State:
    """Returns the next state; `now` is on the monotonic clock."""
    match state, event:
        case _, TokenGiven(credentials=credentials):
            return Paired(credentials=credentials)

        case Unpaired(refused=refused), CodeGiven(code=code):
            return CodeShown(code=code, ask_at=now, since=now, refused=refused)
        case Unpaired(refused=refused), NotAnswered(retry_in=retry_in):
            return Unpaired(ask_at=now + retry_in, refused=refused)

        case CodeShown(code=code, since=since, refused=refused), CodeInvalid():
            return Unpaired(ask_at=max(now, since + code.interval), refused=refused)
        case CodeShown(code=code, refused=refused), NotClaimedYet() | NotAnswered() if now >= code.good_until:
            return Unpaired(ask_at=now, refused=refused)
        case CodeShown(code=code), NotClaimedYet(slow_down=slow_down, held=held):
            if slow_down:
                # As `slow_down` asks for (RFC 8628, section 3.5).
                code = replace(code, interval=min(code.interval + 5.0, MAX_INTERVAL_SECONDS))
            return replace(state, code=code, ask_at=_next_ask(code, now, held=held))
        case CodeShown(code=code), NotAnswered(retry_in=retry_in):
            return replace(state, ask_at=_next_ask(code, now, at_least=retry_in))

        case Paired(credentials=current), TokenAccepted(token=token) if token == current.token:
            return Paired(credentials=current)
        case Paired(credentials=current, grace_used=used), TokenRefused(token=token) if token == current.token:
            streak = _streak(state.streak, event, now)
            if now - streak.since < CONFIRM_SECONDS:
                return replace(state, streak=streak)
            refused = _confirmed(RefusedToken(credentials=current, streak=streak, grace_used=used), now)
            return Unpaired(ask_at=now, refused=refused)

        case Unpaired(refused=RefusedToken() as refused) | CodeShown(refused=RefusedToken() as refused), TokenAccepted(
            token=token
        ) if token == refused.credentials.token:
            return Paired(credentials=refused.credentials)
        case Unpaired(refused=RefusedToken() as refused) | CodeShown(refused=RefusedToken() as refused), TokenRefused(
            token=token
        ) if token == refused.credentials.token:
            refused = _confirmed(replace(refused, streak=_streak(refused.streak, event, now)), now)
            return Revoked() if refused.grace_used_at(now) >= GRACE_SECONDS else replace(state, refused=refused)

        case _, PairAgainAsked() if token_of(state) is not None:
            return Revoked()

        case Revoked(), TokenForgotten():
            return Unpaired(ask_at=now)
        case _:
            return state


def _streak(before: RefusalStreak | None, event: TokenRefused, now: float) -> RefusalStreak:
    since = now if before is None else before.since
    if not event.revoked:
        return RefusalStreak(since=since)
    known = before.revoked_since if before is not None else None
    return RefusalStreak(since=since, revoked_since=now if known is None else known)


def _confirmed(refused: RefusedToken, now: float) -> RefusedToken:
    """Confirms the revocation, or takes it back, according to the streak."""
    since = refused.streak.revoked_since
    if since is None:
        return replace(refused, revoked_at=None, grace_used=0.0)
    if refused.revoked_at is None and now - since >= CONFIRM_SECONDS:
        return replace(refused, revoked_at=now)
    return refused


def _next_ask(code: Code, now: float, *, at_least: float = 0.0, held: float = 0.0) -> float:
    return min(now + max(code.interval - held, at_least), code.good_until)


def retry_in(state: State, *, now: float) -> float | None:
    """Seconds until a refused token may be tried again; None if no token is refused."""
    match state:
        case Paired(streak=RefusalStreak(since=since)):
            return max(0.0, since + CONFIRM_SECONDS - now)
        case Unpaired(refused=RefusedToken()) | CodeShown(refused=RefusedToken()):
            return REFUSED_RETRY_SECONDS
        case _:
            return None


def token_of(state: State) -> str | None:
    """Returns the token to call with: the screen's, or a refused one that may be accepted again."""
    holder = state if isinstance(state, Paired) else refused_token(state)
    return holder.credentials.token if holder is not None else None


def refused_token(state: State) -> RefusedToken | None:
    return state.refused if isinstance(state, Unpaired | CodeShown) else None
