"""Pairs the device: makes the calls that the state machine of domain.pairing asks for, and stores their result."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import NoReturn, assert_never

from player.domain import pairing
from player.domain.clock import Clock
from player.domain.events import (
    CodeExpired,
    CodeIssued,
    DiskFailed,
    Event,
    PairingDone,
    PairingRevoked,
    ServiceAnswered,
    ServiceFailed,
    Trouble,
)
from player.domain.pairing import (
    AskForCode,
    AskForToken,
    Code,
    Credentials,
    CredentialStore,
    ForgetToken,
    Idle,
    Paired,
    PendingCode,
    Waiting,
)
from player.link.answers import DeviceAuthorization, TokenAnswer, decoded
from player.link.api import ServiceApi
from player.link.backoff import Backoff, Random
from player.link.outcomes import Denied, Failed, Fresh

_CALL = "pairing"
_CODE_REJECTED = frozenset({"access_denied", "expired_token", "invalid_grant"})


class Pairing:
    """Keeps the device paired for as long as `run` runs: shows codes while it is not, and waits while it is.

    A TokenSource for the other calls, which may use it at any time.
    """

    def __init__(
        self,
        *,
        api: ServiceApi,
        store: CredentialStore,
        saved: Credentials | PendingCode | None,
        device_id: str,
        device_name: str | None,
        clock: Clock,
        random: Random,
        emit: Callable[[Event], None],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._api = api
        self._store = store
        self._device_id = device_id
        self._device_name = device_name
        self._clock = clock
        self._emit = emit
        self._sleep = sleep
        self._backoff = Backoff(random)
        self._state_changed = asyncio.Event()
        self._state = self._restored(saved)

    @property
    def token(self) -> str | None:
        """The bearer token of a call; None while the device is not paired."""
        return self._state.credentials.token if isinstance(self._state, Paired) else None

    def accepted(self, token: str) -> None:
        """Report that the service answered a call with this token."""
        self._advance(pairing.TokenAccepted(token=token))

    def refused(self, token: str) -> None:
        """Report that the service answered 401 to a call with this token; it counts when it happens again, later."""
        self._advance(pairing.TokenRefused(token=token))

    @property
    def confirm_in(self) -> float | None:
        """Seconds until a token that was refused once is worth trying again; None when it was not refused."""
        return pairing.confirm_in(self._state, now=self._clock.monotonic())

    async def run(self) -> NoReturn:
        """Run until cancelled."""
        if isinstance(self._state, Waiting) and self._state.code.good_until > self._clock.monotonic():
            self._emit(CodeIssued(code=self._state.code))
        while True:
            match pairing.next_step(self._state):
                case AskForCode(at=at):
                    await self._sleep_until(at)
                    await self._ask_for_code()
                case AskForToken(at=at, device_code=device_code):
                    await self._sleep_until(at)
                    await self._ask_for_token(device_code)
                case ForgetToken():
                    await self._forget_token()
                case Idle():
                    self._state_changed.clear()
                    await self._state_changed.wait()
                case next_step:
                    assert_never(next_step)

    def _restored(self, saved: Credentials | PendingCode | None) -> pairing.State:
        now = self._clock.monotonic()
        if saved is None or saved.service != self._api.service:
            return pairing.Unpaired(ask_at=now)
        match saved:
            case Credentials():
                return Paired(credentials=saved)
            case PendingCode():
                # The wall clock may be wrong now, or may have been then: the service knows whether the code is good.
                left = (saved.expires_at - self._clock.wall()).total_seconds()
                code = Code(
                    device_code=saved.device_code,
                    user_code=saved.user_code,
                    verification_uri=saved.verification_uri,
                    verification_uri_complete=saved.verification_uri_complete,
                    interval=saved.interval,
                    good_until=now + min(max(left, 0.0), pairing.MAX_CODE_SECONDS),
                )
                return Waiting(code=code, ask_at=now)
            case _:
                assert_never(saved)

    def _advance(self, news: pairing.PairingEvent) -> None:
        before, self._state = self._state, pairing.advance(self._state, news, now=self._clock.monotonic())
        if type(before) is not type(self._state):
            self._state_changed.set()
        if isinstance(before, Waiting) and isinstance(self._state, pairing.Unpaired):
            self._emit(CodeExpired())

    async def _ask_for_code(self) -> None:
        outcome = await self._api.authorize_device(device_id=self._device_id, device_name=self._device_name)
        match outcome:
            case Fresh(body=body):
                answer = decoded(body, DeviceAuthorization)
                if answer is None:
                    self._fail(Failed(trouble=Trouble.GARBAGE, detail="it gives a pairing code that cannot be read"))
                    return
                code = self._code_from(answer)
                await self._keep_code(code)
                self._answered()
                self._advance(pairing.CodeGiven(code=code))
                self._emit(CodeIssued(code=code))
            case Failed():
                self._fail(outcome)
            case _:
                assert_never(outcome)

    async def _ask_for_token(self, device_code: str) -> None:
        outcome = await self._api.token(device_code=device_code)
        match outcome:
            case Fresh(body=body):
                answer = decoded(body, TokenAnswer)
                if answer is None or answer.token_type.lower() != "bearer":
                    self._fail(Failed(trouble=Trouble.GARBAGE, detail="it gives a token that cannot be read"))
                    return
                await self._keep_token(
                    Credentials(service=self._api.service, token=answer.access_token, screen_id=answer.screen_id)
                )
            case Denied(error="authorization_pending" | "slow_down" as error):
                self._answered()
                self._advance(pairing.NotClaimedYet(slow_down=error == "slow_down"))
            case Denied(error=error) if error in _CODE_REJECTED:
                self._answered()
                self._advance(pairing.CodeInvalid())
            case Denied(error=error):
                self._fail(Failed(trouble=Trouble.FAULT, detail=f"it refuses to pair: {error}"))
            case Failed():
                self._fail(outcome)
            case _:
                assert_never(outcome)

    async def _keep_token(self, credentials: Credentials) -> None:
        """Store the token; the device is paired once it is on disk. Until then the service gives another if asked."""
        try:
            await asyncio.to_thread(self._store.keep_credentials, credentials)
        except OSError as error:
            self._emit(_disk_failed(error))
            self._advance(pairing.NotAnswered(retry_in=self._backoff.failed()))
            return
        self._answered()
        self._advance(pairing.TokenGiven(credentials=credentials))
        self._emit(PairingDone(screen_id=credentials.screen_id))

    async def _forget_token(self) -> None:
        try:
            await asyncio.to_thread(self._store.forget_credentials)
        except OSError as error:
            # A dead token on disk does no harm: after a restart the service refuses it again.
            self._emit(_disk_failed(error))
        self._advance(pairing.TokenForgotten())
        self._emit(PairingRevoked())

    async def _keep_code(self, code: Code) -> None:
        pending = PendingCode(
            service=self._api.service,
            device_code=code.device_code,
            user_code=code.user_code,
            verification_uri=code.verification_uri,
            verification_uri_complete=code.verification_uri_complete,
            interval=code.interval,
            expires_at=self._clock.wall() + timedelta(seconds=code.good_until - self._clock.monotonic()),
        )
        try:
            await asyncio.to_thread(self._store.keep_credentials, pending)
        except OSError as error:
            self._emit(_disk_failed(error))  # The code is good until a restart.

    def _code_from(self, answer: DeviceAuthorization) -> Code:
        life = min(max(answer.expires_in, pairing.MIN_CODE_SECONDS), pairing.MAX_CODE_SECONDS)
        return Code(
            device_code=answer.device_code,
            user_code=answer.shown_code,
            verification_uri=answer.verification_uri,
            verification_uri_complete=answer.verification_uri_complete or answer.verification_uri,
            interval=min(max(answer.interval, pairing.MIN_INTERVAL_SECONDS), pairing.MAX_INTERVAL_SECONDS),
            good_until=self._clock.monotonic() + life,
        )

    def _answered(self) -> None:
        self._backoff.succeeded()
        self._emit(ServiceAnswered(call=_CALL))

    def _fail(self, failed: Failed) -> None:
        self._emit(ServiceFailed(call=_CALL, trouble=failed.trouble, detail=failed.detail))
        self._advance(pairing.NotAnswered(retry_in=self._backoff.failed(retry_after=failed.retry_after)))

    async def _sleep_until(self, at: float) -> None:
        left = at - self._clock.monotonic()
        if left > 0:
            await self._sleep(left)


def _disk_failed(error: OSError) -> DiskFailed:
    return DiskFailed(subject="credentials", code=getattr(error, "code", "disk_refused"), detail=str(error))
