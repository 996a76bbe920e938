"""Owns the poll for manifests: held while the network allows it, plain where not, patient when nothing answers."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Protocol, assert_never

from player.domain.clock import Clock
from player.domain.events import Event, ManifestArrived, ServiceAnswered, ServiceFailed, Trouble
from player.domain.manifest import LinkSettings, Manifest
from player.link.api import ServiceApi
from player.link.authority import Authority
from player.link.backoff import Backoff, Random
from player.link.outcomes import Failed, Fresh, Refused, Unchanged

LEAST_WAIT_SECONDS = 3
"""A request that cannot be held even this long is not held at all."""

HELD_AT_LEAST_SECONDS = 2.0
"""A connection that broke after this long was cut for being held; one that broke sooner has another fault."""

RECOVER_AFTER_POLLS = 20
"""Answered polls after which a longer wait is tried again."""

FRESH_PAUSE_SECONDS = 0.1
"""After a manifest: a service that has always something new gets ten requests a second, not thousands."""

IDLE_SECONDS = 1.0
"""Until the next look whether the device has become a screen."""

JITTER = 0.2
"""Plain polls come this much earlier or later, so that screens that were switched on together spread out."""

_CALL = "manifest"


class ManifestReader(Protocol):
    """Turns a body into a Manifest; raises ValueError or another Exception with a sentence when nothing is usable."""

    def __call__(self, body: bytes, *, etag: str | None) -> Manifest: ...


class Poller:
    """One `poll` is one request. `etag` names the manifest that is on disk already, None where there is none."""

    def __init__(
        self,
        *,
        api: ServiceApi,
        authority: Authority,
        read_manifest: ManifestReader,
        unreadable: type[Exception],
        etag: str | None,
        settings: LinkSettings,
        clock: Clock,
        random: Random,
        emit: Callable[[Event], None],
    ) -> None:
        self._api = api
        self._authority = authority
        self._read_manifest = read_manifest
        self._unreadable = unreadable
        self._etag = etag
        self._settings = settings
        self._clock = clock
        self._random = random
        self._emit = emit
        self._backoff = Backoff(random)
        self._wait = settings.wait_seconds
        self._good_polls = 0

    @property
    def wait_seconds(self) -> int:
        """How long the next request lets itself be held; 0 is plain polling."""
        return self._wait

    def use(self, settings: LinkSettings) -> None:
        """What the service asks for; what the network was found to allow stays the upper bound until it recovers."""
        if settings.wait_seconds < self._wait or self._wait == self._settings.wait_seconds:
            self._wait = settings.wait_seconds
        self._settings = settings

    def forget(self) -> None:
        """Let the next poll ask for the whole manifest, whatever is held."""
        self._etag = None

    async def poll(self) -> float:
        """Ask once; answers after how many seconds to ask again."""
        token = self._authority.token
        if token is None:
            return IDLE_SECONDS
        wait, asked_at = self._wait, self._clock.monotonic()
        outcome = await self._api.manifest(token=token, etag=self._etag, wait=wait)
        took = self._clock.monotonic() - asked_at
        match outcome:
            case Fresh():
                self._authority.accepted(token)
                return self._take_in(outcome)
            case Unchanged():
                self._authority.accepted(token)
                self._answered()
                held = wait > 0 and took >= min(wait, HELD_AT_LEAST_SECONDS)
                return 0.0 if held else self._plain_pause()
            case Refused():
                self._authority.refused(token)
                self._failed(Failed(trouble=Trouble.REFUSED, detail="it does not accept this screen's token"))
                return self._authority.confirm_in or IDLE_SECONDS
            case Failed(cut=True) if wait > 0 and took >= HELD_AT_LEAST_SECONDS:
                # Nobody is told: the next request, held for less, comes at once, and says whether anything is wrong.
                self._wait = wait // 2 if wait // 2 >= LEAST_WAIT_SECONDS else 0
                self._good_polls = 0
                return 0.0
            case Failed():
                self._failed(outcome)
                return self._backoff.failed(retry_after=outcome.retry_after)
            case _:
                assert_never(outcome)

    def _take_in(self, fresh: Fresh) -> float:
        digest = sha256(fresh.body).hexdigest()
        if fresh.etag != digest:
            return self._unusable("its manifest does not match its entity tag")
        if digest == self._etag:
            self._answered()
            return self._plain_pause()  # It does not look at If-None-Match, so it holds nothing either.
        try:
            manifest = self._read_manifest(fresh.body, etag=digest)
        except self._unreadable as error:
            return self._unusable(f"its manifest cannot be used: {error}")
        self._etag = digest
        self._answered()
        self.use(manifest.settings)
        self._emit(ManifestArrived(manifest=manifest, body=fresh.body))
        return FRESH_PAUSE_SECONDS if self._wait > 0 else self._plain_pause()

    def _answered(self) -> None:
        self._backoff.succeeded()
        self._emit(ServiceAnswered(call=_CALL))
        self._good_polls += 1
        if self._good_polls >= RECOVER_AFTER_POLLS:
            self._good_polls = 0
            self._wait = min(self._settings.wait_seconds, max(self._wait * 2, LEAST_WAIT_SECONDS))

    def _unusable(self, detail: str) -> float:
        self._failed(Failed(trouble=Trouble.GARBAGE, detail=detail))
        return self._backoff.failed()

    def _failed(self, failed: Failed) -> None:
        self._emit(ServiceFailed(call=_CALL, trouble=failed.trouble, detail=failed.detail))

    def _plain_pause(self) -> float:
        return self._settings.poll_seconds * (1.0 + JITTER * (2.0 * self._random() - 1.0))
