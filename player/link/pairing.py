"""Pairs the device: makes the calls that the state machine of domain.pairing asks for, and stores their result."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial
from typing import NoReturn, assert_never

from msgspec.structs import replace

from player.domain.events import Event, PairingChanged, ServiceAnswered
from player.domain.link.contact import Call
from player.domain.link.fault import Fault
from player.domain.pairing import pairing
from player.domain.pairing.pairing import Code, CodeShown, Credentials, LastPairing, Paired, PendingCode
from player.domain.time.clock import Clock
from player.link.answers import DeviceAuthorization, TokenAnswer, decoded
from player.link.api import HELD_AT_LEAST_SECONDS, ServiceApi
from player.link.backoff import Backoff, Random
from player.link.outcomes import Denied, Failed, Fresh

log = logging.getLogger(__name__)

MAX_LOCALE = 35
"""Characters of a locale (BCP 47)."""

MAX_NAME = 200
"""Characters of the screen's name; the rest is not shown."""

GRACE_NOTED_SECONDS = 3600.0
"""Between two notes on the disk of how much of the grace is used; a restart loses no more of the count."""

_CALL = Call.PAIRING
_CREDENTIALS = frozenset({"credentials", "credentials-copy"})
_CODE_REJECTED = frozenset({"access_denied", "expired_token", "invalid_grant"})


DiskWrite = Callable[[Callable[[], None], frozenset[str]], Awaitable[bool]]
"""Does this after the writes that wait, and returns whether the disk has taken it; the files are right then."""


class Pairing:
    """Keeps the device paired for as long as `run` runs: shows codes while it is not, and waits while it is.

    The other calls take their token from it, at any time. `keep`, `forget` and `keep_last` write to the disk, and raise
    OSError if it refuses; `write` runs them, in turn with the conductor's writes.
    """

    def __init__(
        self,
        *,
        api: ServiceApi,
        keep: Callable[[Credentials | PendingCode], None],
        forget: Callable[[], None],
        saved: Credentials | PendingCode | None,
        keep_last: Callable[[LastPairing], None],
        last: LastPairing | None,
        write: DiskWrite,
        device_id: str,
        enrolment_token: str | None = None,
        clock: Clock,
        random: Random,
        emit: Callable[[Event], None],
    ) -> None:
        self._api = api
        self._keep, self._forget, self._keep_last = keep, forget, keep_last
        self._last = last
        self._write = write
        self._device_id = device_id
        self._enrolment_token = enrolment_token
        self._is_noted = True
        """Whether the note of whose programs these are is on the disk as it should be."""
        self._clock = clock
        self._emit = emit
        self._backoff = Backoff(random)
        self._hold = pairing.HOLD_SECONDS
        """Seconds for which the network lets a call be held; tried anew with each code."""
        self._state_changed = asyncio.Event()
        self._state = self._restored(saved)
        self._enrolling = False
        """Whether the code is claimed by the enrolment token, so that it is not shown."""
        self._enrolment: pairing.EnrolmentRefusal | None = None
        self._told = PairingChanged() if self.token is None else self._facts

    @property
    def token(self) -> str | None:
        """Bearer token of a call, also while it is refused; None if there is none."""
        return pairing.token_of(self._state)

    def accepted(self, token: str) -> None:
        """Notes that the service answered a call with this token."""
        self._advance(pairing.TokenAccepted(token=token))

    def refused(self, token: str, *, revoked: bool) -> None:
        """Notes that the service refused a call with this token; it counts when it happens again, later."""
        self._advance(pairing.TokenRefused(token=token, revoked=revoked))

    def pair_again(self) -> None:
        """Forgets the token, with the programs, and asks for a code."""
        self._advance(pairing.PairAgainAsked())

    def store_again(self) -> None:
        """Stores what the disk has refused, now that it works again."""
        self._state_changed.set()

    @property
    def retry_in(self) -> float | None:
        """Seconds until a token that was refused is worth trying again; None if it was not refused."""
        return pairing.retry_in(self._state, now=self._clock.monotonic())

    async def run(self) -> NoReturn:
        if isinstance(self._state, CodeShown) and self._state.code.good_until > self._clock.monotonic():
            self._tell()
        while True:
            self._state_changed.clear()
            await self._note_pairing()
            state = self._state
            if isinstance(state, pairing.Unpaired | CodeShown):
                await asyncio.sleep(max(0.0, state.ask_at - self._clock.monotonic()))
                if self._state != state:
                    continue  # The refused token was accepted meanwhile, or its grace is over.
            match state:
                case pairing.Unpaired():
                    await self._ask_for_code()
                case CodeShown(code=code):
                    await self._ask_for_token(code)
                case pairing.Revoked():
                    await self._forget_token()
                case Paired():
                    with contextlib.suppress(TimeoutError):
                        # A note that the disk refused is tried again after a minute.
                        async with asyncio.timeout(None if self._is_noted else 60.0):
                            await self._state_changed.wait()
                case _:
                    assert_never(state)

    def _restored(self, saved: Credentials | PendingCode | None) -> pairing.State:
        now = self._clock.monotonic()
        if saved is None or saved.service != self._api.service:
            return pairing.Unpaired(ask_at=now)
        match saved:
            case Credentials():
                same = self._last is not None and self._last.goes_on_with(saved)
                return Paired(credentials=saved, grace_used=self._last.grace_used if self._last and same else 0.0)
            case PendingCode() if self._wants_to_enrol:
                return pairing.Unpaired(ask_at=now)
            case PendingCode():
                # The wall clock may be wrong now, or may have been then: the service knows whether the code is good.
                left = (saved.expires_at - self._clock.wall()).total_seconds()
                code = Code(**saved.issued, good_until=now + min(max(left, 0.0), pairing.MAX_CODE_SECONDS))
                return CodeShown(code=code, ask_at=now)
            case _:
                assert_never(saved)

    def _advance(self, news: pairing.PairingEvent) -> None:
        before, self._state = self._state, pairing.advance(self._state, news, now=self._clock.monotonic())
        if self._state != before:
            self._state_changed.set()
        # A new token is told with its screen's name, a deletion by `run`: staff asks for it from within an event.
        if not isinstance(news, pairing.TokenGiven) and not isinstance(self._state, pairing.Revoked):
            self._tell()

    def _tell(self) -> None:
        if self._facts != self._told:
            self._told = self._facts
            self._emit(self._told)

    @property
    def _facts(self) -> PairingChanged:
        refused = pairing.refused_token(self._state)
        match self._state:
            case Paired(credentials=credentials):
                return PairingChanged(screen_id=credentials.screen_id)
            case pairing.Revoked():
                return PairingChanged(forgets=True)
            case CodeShown(code=code) if not self._enrolling:
                shown: Code | None = code
            case _:
                shown = None
        return PairingChanged(
            screen_id=refused.credentials.screen_id if refused is not None else None,
            code=shown,
            refusal=refused.refusal if refused is not None else None,
            enrolment=self._enrolment,
        )

    @property
    def _wants_to_enrol(self) -> bool:
        """True if the enrolment token counts: not for a device that has been a screen of this service, which staff or
        the service may have ended."""
        has_been = self._last is not None and self._last.service == self._api.service
        return self._enrolment_token is not None and not has_been

    async def _ask_for_code(self) -> None:
        token = self._enrolment_token if self._wants_to_enrol else None
        outcome = await self._api.authorize_device(device_id=self._device_id, enrolment_token=token)
        match outcome:
            case Fresh(body=body):
                answer = decoded(body, DeviceAuthorization)
                if answer is None:
                    self._fail(outcome.unreadable("it gives a pairing code that cannot be read"))
                    return
                code = self._code_from(answer)
                self._hold = pairing.HOLD_SECONDS
                await self._keep_code(code)
                self._answered()
                self._enrolment = pairing.enrolment_refusal(answer.enrolment) if token is not None else None
                self._enrolling = token is not None and self._enrolment is None
                if self._enrolling:
                    log.info("the enrolment token makes this device a screen")  # Its code need not be entered.
                self._advance(pairing.CodeGiven(code=code))
            case Failed():
                self._fail(outcome)
            case _:
                assert_never(outcome)

    async def _ask_for_token(self, code: Code) -> None:
        asked_at = self._clock.monotonic()
        wait = int(min(self._hold, code.good_until - asked_at))
        wait = wait if wait >= pairing.LEAST_HOLD_SECONDS else 0
        outcome = await self._api.token(device_code=code.device_code, wait=wait)
        took = self._clock.monotonic() - asked_at
        match outcome:
            case Fresh(body=body):
                answer = decoded(body, TokenAnswer)
                if answer is None or answer.token_type.lower() != "bearer":
                    self._fail(outcome.unreadable("it gives a token that cannot be read"))
                    return
                await self._keep_token(
                    Credentials(
                        service=self._api.service,
                        token=answer.access_token,
                        screen_id=answer.screen_id,
                        workspace_id=answer.workspace_id,
                    ),
                    screen_name=answer.screen_name[:MAX_NAME],
                    locale=answer.locale[:MAX_LOCALE],
                )
            case Denied(error="authorization_pending" | "slow_down" as error):
                self._answered()
                # An older service holds nothing, however long its answer took.
                held = took if outcome.held else 0.0
                self._advance(pairing.NotClaimedYet(slow_down=error == "slow_down", held=held))
            case Denied(error=error) if error in _CODE_REJECTED:
                self._answered()
                self._advance(pairing.CodeInvalid())
            case Denied(error=error):
                self._fail(Failed(fault=Fault.SERVICE_DECLINES, detail=f"it refuses to pair: {error}"))
            case Failed(cut=True) if wait > 0 and took >= HELD_AT_LEAST_SECONDS:
                # Not reported: the next call is held for less, and shows whether anything is wrong.
                self._hold = wait // 2
                self._advance(pairing.NotClaimedYet(held=took))
            case Failed():
                self._fail(outcome)
            case _:
                assert_never(outcome)

    async def _keep_token(self, credentials: Credentials, *, screen_name: str, locale: str) -> None:
        """Stores the token; the device is paired once it is on disk. Until then the service gives another if asked."""
        if not await self._write(partial(self._keep, credentials), _CREDENTIALS):
            self._advance(pairing.NotAnswered(retry_in=self._backoff.failed()))
            return
        goes_on = self._last is not None and self._last.goes_on_with(credentials)
        self._answered()
        self._advance(pairing.TokenGiven(credentials=credentials))
        self._told = self._facts
        self._emit(replace(self._told, is_new=True, screen_name=screen_name, locale=locale, forgets=not goes_on))

    async def _note_pairing(self) -> None:
        """Stores whose programs are on the disk, and how much of the grace period is used."""
        match self._state:
            case Paired(credentials=credentials, streak=None, grace_used=grace_used):
                due = LastPairing.of(credentials, grace_used=grace_used)
                if due == self._last and self._is_noted:
                    return
            case (
                pairing.Unpaired(refused=pairing.RefusedToken() as refused)
                | CodeShown(refused=pairing.RefusedToken() as refused)
            ):
                used = refused.grace_used_at(self._clock.monotonic())
                noted = self._last.grace_used if self._last is not None else 0.0
                if noted <= used < noted + GRACE_NOTED_SECONDS:
                    return
                due = LastPairing.of(refused.credentials, grace_used=used)
            case _:
                return
        self._last = due
        # After the programs of another workspace are gone: the conductor's writes were asked for before.
        self._is_noted = await self._write(partial(self._keep_last, due), frozenset({"last-pairing"}))

    async def _forget_token(self) -> None:
        # The programs first: without a token, those that are left would go on.
        self._tell()
        # A dead token that stays on disk does no harm: after a restart the service refuses it again.
        await self._write(self._forget, _CREDENTIALS)
        self._advance(pairing.TokenForgotten())

    async def _keep_code(self, code: Code) -> None:
        if self.token is not None:
            return  # It would take the place of the refused token.
        expires_at = self._clock.wall() + timedelta(seconds=code.good_until - self._clock.monotonic())
        pending = PendingCode(**code.issued, service=self._api.service, expires_at=expires_at)
        # If it is refused, the code is good until a restart.
        await self._write(partial(self._keep, pending), _CREDENTIALS)

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
        self._emit(failed.of(_CALL))
        retry_in = self._backoff.failed(retry_after=failed.retry_after, away=failed.away)
        self._advance(pairing.NotAnswered(retry_in=retry_in))
