"""Polls for manifests: held requests if the network allows them, otherwise plain ones; backoff after failures."""

from __future__ import annotations

import asyncio
import math
import secrets
from collections.abc import Callable
from hashlib import sha256
from typing import assert_never

from menu.documents.manifest import LinkSettings
from menu.documents.manifest_reader import ManifestError, read_manifest
from player.domain.events import Event, HeartbeatWanted, ManifestArrived, ServiceAnswered, ServiceSilent
from player.domain.link.contact import Call
from player.domain.link.fault import Fault
from player.domain.time.clock import Clock
from player.link.api import HELD_AT_LEAST_SECONDS, SILENT_SECONDS, ServiceApi
from player.link.backoff import Backoff, Random
from player.link.outcomes import Failed, Fresh, Refused, Unchanged
from player.link.pairing import Pairing

LEAST_WAIT_SECONDS = 3
"""The shortest hold; below it polls are plain."""

RECOVER_AFTER_POLLS = 3
"""Answered polls after which a longer hold is tried again: where none is held, what is sold out comes late for so long.
On a network that cuts every hold it costs one request more in that time."""

FRESH_PAUSE_SECONDS = 0.1
"""After a manifest: a service that always has a newer one gets ten requests a second, not thousands."""

WANTED_PAUSE_SECONDS = 1.0
"""After an answer that asks for a heartbeat: as long as heartbeats are apart at least."""

MAX_SLOWDOWNS = 10
"""Slowdowns that are counted; with fewer the pause has reached that of plain polls."""

IDLE_SECONDS = 1.0
"""Until the token is looked for again, while the device is not paired."""

_CALL = Call.MANIFEST


class Poller:
    """Sends one request for each `poll`. `etag` is of the newest manifest on disk, None if there is none."""

    def __init__(
        self,
        *,
        api: ServiceApi,
        token_source: Pairing,
        etag: str | None,
        settings: LinkSettings,
        clock: Clock,
        random: Random,
        emit: Callable[[Event], None],
    ) -> None:
        self._api = api
        self._token_source = token_source
        self._etag = etag
        self._settings = settings
        self._clock = clock
        self._random = random
        self._emit = emit
        self._backoff = Backoff(random)
        self.wait_seconds = settings.wait_seconds
        """Seconds for which the next request may be held; 0 is a plain poll."""
        self._good_polls = 0
        self._slowdowns = 0
        self._holds = ""
        self._uncut = 0
        self._early = 0
        self._probing = False
        self._newest: str | None = None
        """The entity tag of a manifest that this has not got, as the service says in its answers to heartbeats."""
        self._fresh_at = -math.inf
        self._is_cached = False
        """Whether a cache on the way has answered for the service, so that each request has to be another one."""
        self._asking = False
        self._held: asyncio.Future[Fresh | Unchanged | Refused | Failed] | None = None
        self._asks_again = False

    def use(self, settings: LinkSettings) -> None:
        """Applies the service's settings; what the network was found to allow bounds the hold until it recovers."""
        if settings.wait_seconds < self.wait_seconds or self.wait_seconds == self._settings.wait_seconds:
            self.wait_seconds = settings.wait_seconds
        self._settings = settings

    def forget(self) -> None:
        """Makes the next poll ask for the manifest whether or not it has changed; a held request ends now."""
        self._etag = None
        if self._held is not None:
            self._asks_again = True
            self._held.cancel()

    def expect(self, etag: str, *, asked_at: float) -> bool:
        """Notes that the service's newest manifest has this entity tag, or had when it was asked: an answer without it
        to a later request is not from the service. True if a request should go out soon."""
        self._newest = etag if etag != self._etag and asked_at > self._fresh_at else None
        return self._newest is not None and not self._asking

    def contradict(self, holds: str) -> None:
        """Reports to the service with each request that the board `holds` something newer than its last manifest, and
        doubles the pause after manifests, until the service holds a request: two services that contradict each other
        would be asked ten times a second."""
        self._holds = holds
        self._slowdowns = min(self._slowdowns + 1, MAX_SLOWDOWNS)

    async def poll(self) -> float:
        """Sends one request; returns the seconds until the next."""
        token = self._token_source.token
        if token is None:
            return IDLE_SECONDS
        # Not held while the service is away: the answer tells every part at once that it is back.
        probing, newest = self._probing, self._newest
        wait, asked_at = 0 if probing else self.wait_seconds, self._clock.monotonic()
        outcome = await self._ask(token, wait)
        if outcome is None:
            return 0.0
        took = self._clock.monotonic() - asked_at
        if self._token_source.token != token:
            return 0.0  # What was asked for is of the screen that this was before.
        self._probing = isinstance(outcome, Failed) and outcome.away
        match outcome:
            case Fresh():
                self._token_source.accepted(token)
                return await self._read(outcome, token, newest=newest)
            case Unchanged() if newest is not None:
                return self._doubt()
            case Unchanged():
                self._slowdowns = 0
                self._token_source.accepted(token)
                self._answered(held_seconds=took)
                if outcome.heartbeat_wanted:
                    self._emit(HeartbeatWanted())
                    return WANTED_PAUSE_SECONDS
                if probing and self.wait_seconds > 0:
                    return 0.0
                return self._pause_after(wait, took, holds=outcome.held)
            case Refused(revoked=revoked):
                self._token_source.refused(token, revoked=revoked)
                self._failed(Failed(fault=Fault.SCREEN_REFUSED, detail=outcome.detail))
                return self._token_source.retry_in or IDLE_SECONDS
            case Failed(cut=True) if wait > 0 and took >= HELD_AT_LEAST_SECONDS:
                # Not reported: the next request follows at once, held for less, and shows whether anything is wrong.
                self._uncut = self._uncut or wait
                # The service may have asked for less meanwhile.
                self.wait_seconds = min(
                    wait // 2 if wait // 2 >= LEAST_WAIT_SECONDS else 0, self._settings.wait_seconds
                )
                self._good_polls = 0
                self._probing = False
                return 0.0
            case Failed():
                # If it was cut before, it was because the service went, and not because it was held.
                self.wait_seconds, self._uncut = min(self._uncut, self._settings.wait_seconds) or self.wait_seconds, 0
                self._failed(outcome)
                return self._backoff.failed(retry_after=outcome.retry_after, away=outcome.away)
            case _:
                assert_never(outcome)

    async def _ask(self, token: str, wait: int) -> Fresh | Unchanged | Refused | Failed | None:
        """Returns the outcome of one request; None if it was given up to ask for the manifest again."""
        silent = asyncio.get_running_loop().call_later(wait + SILENT_SECONDS, self._emit, ServiceSilent())
        unlike = secrets.randbits(32) if self._is_cached else None
        call = asyncio.ensure_future(
            self._api.manifest(token=token, etag=self._etag, wait=wait, holds=self._holds, unlike=unlike)
        )
        self._held, self._asking = call if wait > 0 else None, True
        try:
            return await call
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if not self._asks_again or (task is not None and task.cancelling()):
                raise
            return None
        finally:
            silent.cancel()
            self._held, self._asking, self._asks_again = None, False, False

    async def _read(self, fresh: Fresh, token: str, *, newest: str | None) -> float:
        digest = sha256(fresh.body).hexdigest()
        if fresh.etag != digest:
            return self._unusable(fresh.unreadable("its manifest does not match its entity tag"))
        if digest == self._etag and newest is not None:
            return self._doubt()
        if digest == self._etag:
            self._answered()
            return self._plain_pause()  # This service ignores If-None-Match, so it does not hold requests either.
        try:
            # A large one takes seconds on a slow machine, and heartbeats must go on.
            manifest = await asyncio.to_thread(read_manifest, fresh.body, etag=digest)
        except ManifestError as error:
            return self._unusable(fresh.unreadable(f"its manifest cannot be used: {error}"))
        if self._token_source.token != token:
            return 0.0
        self._etag, self._newest, self._fresh_at = digest, None, self._clock.monotonic()
        self._holds = ""
        self._answered()
        self._emit(ManifestArrived(manifest=manifest, body=fresh.body))
        if self.wait_seconds == 0:
            return self._plain_pause()
        return min(FRESH_PAUSE_SECONDS * float(1 << self._slowdowns), self._settings.poll_seconds)

    def _doubt(self) -> float:
        """Handles an answer that is older than the service's newest: goes around it, or else reports it."""
        if not self._is_cached:
            self._is_cached = True
            return 0.0
        self._failed(Failed(fault=Fault.OLD_MENU, detail="what comes is not what the service says that it has"))
        return self._backoff.failed()

    def _answered(self, *, held_seconds: float = 0.0) -> None:
        self._backoff.succeeded()
        self._uncut = 0
        self._emit(ServiceAnswered(call=_CALL, held_seconds=held_seconds))
        self._good_polls += 1
        if self._good_polls >= RECOVER_AFTER_POLLS:
            self._good_polls = 0
            self.wait_seconds = min(self._settings.wait_seconds, max(self.wait_seconds * 2, LEAST_WAIT_SECONDS))

    def _unusable(self, failed: Failed) -> float:
        self._failed(failed)
        return self._backoff.failed()

    def _failed(self, failed: Failed) -> None:
        self._emit(failed.of(_CALL))

    def _pause_after(self, wait: int, took: float, *, holds: bool) -> float:
        """Returns the seconds to the next request, after one that was to be held for `wait` and was answered as
        unchanged."""
        if wait > 0 and took >= min(wait, HELD_AT_LEAST_SECONDS):
            self._early = 0
            return 0.0
        plain = self._plain_pause()
        if wait == 0 or not holds:
            return plain
        self._early = min(self._early + 1, MAX_SLOWDOWNS)
        # A service that holds requests has not held one, as when it stops.
        return min(float(1 << (self._early - 1)), plain)

    def _plain_pause(self) -> float:
        seconds = self._settings.poll_seconds
        if self.wait_seconds == 0 and self._settings.wait_seconds > 0:
            # The network holds none, and the service would: it may be asked as often as it would hold.
            seconds = min(seconds, self._settings.wait_seconds)
        # Screens that were switched on together spread out.
        return seconds * (1.0 + 0.2 * (2.0 * self._random() - 1.0))
