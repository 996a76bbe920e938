"""Downloads assets: carries out the plan of domain.sync, two at a time, and resumes where a transfer broke."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Literal, NoReturn, assert_never

from menu.documents.manifest import PlaylistVersion, VersionKey
from player.domain.events import (
    AssetsMissing,
    AssetsVerified,
    Event,
    PartFailed,
    PartWell,
    ServiceAnswered,
    ServiceSilent,
)
from player.domain.link.contact import Call
from player.domain.link.fault import Fault
from player.domain.playing.sync import (
    ASSET_DAMAGED,
    Delete,
    DropPrevious,
    Fetch,
    Keep,
    Refuse,
    Step,
    plan,
)
from player.domain.time.clock import Clock
from player.link.api import SILENT_SECONDS, ServiceApi
from player.link.backoff import Backoff, Random
from player.link.outcomes import Failed, Fetched, Refused
from player.link.pairing import Pairing
from player.storage.assets import AssetFolder, AssetWriter
from player.storage.writer import off_loop

AT_A_TIME = 2

ATTEMPTS = 4
"""Per asset and pass; an attempt that got PROGRESS_BYTES further does not count."""

PROGRESS_BYTES = 64 * 1024

PASS_PAUSE_SECONDS = 60.0
"""Between two passes while something is missing."""

_CALL = Call.ASSET


class Downloads:
    """Keeps the assets of the wanted versions on disk, for as long as `run` runs.

    Emits AssetsVerified or AssetsMissing for every wanted version at the end of each pass and, at most once a second,
    during it.
    """

    def __init__(
        self,
        *,
        api: ServiceApi,
        token_source: Pairing,
        store: AssetFolder,
        clock: Clock,
        random: Random,
        emit: Callable[[Event], None],
    ) -> None:
        self._api = api
        self._token_source = token_source
        self._store = store
        self._clock = clock
        self._random = random
        self._emit = emit
        self._faults: set[str] = set()
        """Files that the disk has refused in this pass."""
        self._told: set[str] = set()
        """Reported disk faults: over once a whole pass has gone without them."""
        self._tried: dict[str, str] = {}
        """Why files are not here that have been asked for (hex SHA-256)."""
        self._wanted: tuple[PlaylistVersion, ...] = ()
        self._on_glass: frozenset[VersionKey] = frozenset()
        self._planned_in_memory = False
        """Whether this pass was planned with the room in memory."""
        self._changed = asyncio.Event()

    def want(
        self,
        versions: Sequence[PlaylistVersion],
        *,
        on_glass: VersionKey | None,
        overrides: AbstractSet[VersionKey] = frozenset(),
    ) -> None:
        """Replaces the wanted versions; downloads for others are cancelled, and what they fetched is used later.

        `on_glass` names the running version, `overrides` those that may show: each asset that they miss is reported at
        once, because their scenes cannot be drawn. Of the others, only those that a pass has tried in vain.
        """
        self._wanted = tuple(versions)
        self._on_glass = frozenset(overrides | ({on_glass} if on_glass is not None else frozenset()))
        self._changed.set()

    def recheck(self) -> None:
        """Check every asset again."""
        self._changed.set()

    async def run(self) -> NoReturn:
        while True:
            self._changed.clear()
            work = asyncio.ensure_future(self._until_whole())
            change = asyncio.ensure_future(self._changed.wait())
            try:
                await asyncio.wait((work, change), return_when=asyncio.FIRST_COMPLETED)
                if work.done():
                    work.result()
                    await change
            finally:
                await _cancel(work, change)

    async def _until_whole(self) -> None:
        while self._wanted and not await self._pass():
            await self._api.reach.sleep(PASS_PAUSE_SECONDS)
        if not self._wanted:
            self._faults = set()
            self._faults_over()

    async def _pass(self) -> bool:
        """Fetches what is missing, with a bounded number of attempts per asset; True if everything is whole now."""
        wanted = {digest for version in self._wanted for digest in version.assets}
        # What failed in the pass before is missing for that reason until it is here: else it would seem to be well.
        self._tried = {digest: why for digest, why in self._tried.items() if digest in wanted}
        # Only what the tally holds counts from here on: another wish may come at each await, and begins another pass.
        tally = _Tally(wanted=self._wanted, on_glass=self._on_glass, tried=self._tried)
        self._faults = set()
        self._planned_in_memory = self._store.is_in_memory
        try:
            steps = await self._plan(tally)
            fetches = await self._begin(steps, tally)
        except OSError as error:
            self._disk_failed(error)
            return False
        queue = iter(fetches)
        self._report(tally, last=not fetches)
        async with asyncio.TaskGroup() as workers:
            for _ in range(min(AT_A_TIME, len(fetches))):
                workers.create_task(self._work(queue, tally))
        if fetches:
            self._report(tally, last=True)
        if tally.errors:
            raise tally.errors[0]
        self._faults_over()
        return tally.whole

    def _faults_over(self, *, among: AbstractSet[str] | None = None) -> None:
        over = self._told - self._faults if among is None else self._told & among
        self._told -= over
        if over:
            self._emit(PartWell(subjects=frozenset(over)))

    async def _plan(self, tally: _Tally) -> tuple[Step, ...]:
        store, whole, parts = self._store, dict[str, int](), dict[str, int]()
        for digest in sorted(tally.missing):
            try:
                size = await off_loop(store.check, digest)
            except OSError as error:
                # It would come down the line in each pass, and could not be stored.
                self._disk_failed(error)
                tally.missing[digest] = tally.tried[digest] = tally.blocked[digest] = str(error)
                continue
            if size is None:
                parts[digest] = await off_loop(store.part_bytes, digest)
                if digest in store.damaged():
                    self._fault(digest, ASSET_DAMAGED, "it was damaged on this device")
            else:
                whole[digest] = size
        return plan(
            versions=tally.wanted,
            whole=whole,
            held=await off_loop(store.held),
            parts=parts,
            protected=await off_loop(store.protected),
            spare=await off_loop(store.spare),
            room_bytes=await off_loop(store.room_bytes),
        )

    async def _begin(self, steps: Iterable[Step], tally: _Tally) -> list[Fetch]:
        fetches: list[Fetch] = []
        for step in steps:
            match step:
                case DropPrevious():
                    try:
                        await off_loop(self._store.drop_previous)
                    except OSError as error:
                        self._disk_failed(error)
                case Delete(digest=digest):
                    try:
                        await off_loop(self._store.remove, digest)
                    except OSError as error:
                        self._disk_failed(error)
                case Keep(digest=digest):
                    tally.has(digest)
                case Fetch(digest=digest):
                    if digest not in tally.blocked:
                        fetches.append(step)
                case Refuse(key=key, detail=detail):
                    tally.refused[key] = detail
                    self._fault(f"{key.playlist_id}/{key.version}", "no_room", detail)
                case _:
                    assert_never(step)
        return fetches

    async def _work(self, queue: Iterable[Fetch], tally: _Tally) -> None:
        for fetch in queue:
            try:
                reason = await self._fetch(fetch)
            except Exception as error:
                # The other files are fetched first.
                tally.errors.append(error)
                reason = type(error).__name__
            if reason is None:
                tally.has(fetch.digest)
                if fetch.digest in self._faults:
                    self._faults.remove(fetch.digest)
                    self._faults_over(among={fetch.digest})
            else:
                tally.missing[fetch.digest] = tally.tried[fetch.digest] = reason
            if self._clock.monotonic() - tally.reported_at >= 1.0:
                self._report(tally, last=False)

    async def _fetch(self, fetch: Fetch) -> str | None:
        """Returns None once the asset is on disk; otherwise why it is not, after all attempts."""
        backoff, failures = Backoff(self._random), 0
        while True:
            with contextlib.ExitStack() as stack:

                def open_writer(stack: contextlib.ExitStack = stack) -> AssetWriter:
                    return stack.enter_context(contextlib.closing(self._store.open_writer(fetch.digest, fetch.size)))

                try:
                    sink = _AssetSink(await off_loop(open_writer), fetch.size)
                    if self._store.is_in_memory is not self._planned_in_memory:
                        # There is less room than was planned with.
                        self._changed.set()
                        return "the disk has become read-only"
                    failed = await self._attempt(fetch, sink)
                except OSError as error:
                    self._disk_failed(error)
                    return str(error)
            if failed is None:
                return None
            failures = 0 if failed.cut and sink.gained >= PROGRESS_BYTES else failures + 1
            if failures >= ATTEMPTS or self._token_source.token is None:
                return failed.detail
            pause = backoff.failed(retry_after=failed.retry_after, away=failed.away)
            await (asyncio.sleep(pause) if failed.retry_after else self._api.reach.sleep(pause))

    async def _attempt(self, fetch: Fetch, sink: _AssetSink) -> Failed | None:
        token, offset = self._token_source.token, sink.writer.offset
        if offset < fetch.size:
            if token is None:
                return _failed("the device is not paired")
            silent = asyncio.get_running_loop().call_later(SILENT_SECONDS, self._emit, ServiceSilent())
            sink.heard = silent.cancel
            try:
                outcome = await self._api.asset(token=token, digest=fetch.digest, offset=offset, sink=sink)
            finally:
                silent.cancel()
            match outcome:
                case Fetched():
                    self._token_source.accepted(token)
                    self._emit(ServiceAnswered(call=_CALL))
                case Refused(revoked=revoked):
                    self._token_source.refused(token, revoked=revoked)
                    return _failed("the service does not accept this screen's token")
                case Failed():
                    self._emit(outcome.of(_CALL))
                    return outcome
                case _:
                    assert_never(outcome)
        if sink.too_long:
            await off_loop(sink.writer.restart)
            return _failed(f"more than its {fetch.size} bytes were sent")
        reason = await off_loop(sink.writer.finish)
        return None if reason is None else _failed(reason)

    def _report(self, tally: _Tally, *, last: bool) -> None:
        tally.reported_at = self._clock.monotonic()
        for version in tally.wanted:
            missing = tally.missing_of(version)
            if not missing:
                if version.key not in tally.verified:
                    tally.verified.add(version.key)
                    self._emit(AssetsVerified(key=version.key))
                continue
            all_count = last or version.key in tally.on_glass
            reasons = missing if all_count else {sha: why for sha, why in missing.items() if sha in tally.tried}
            self._emit(AssetsMissing(key=version.key, reasons=reasons, remaining=len(missing)))

    def _disk_failed(self, error: OSError) -> None:
        subject, code = getattr(error, "subject", "assets"), getattr(error, "code", "disk_refused")
        self._fault(subject, code, getattr(error, "detail", str(error)))

    def _fault(self, subject: str, code: str, detail: str) -> None:
        self._faults.add(subject)
        self._told.add(subject)
        self._emit(PartFailed(subject=subject, code=code, detail=detail))


def _failed(reason: str) -> Failed:
    return Failed(fault=Fault.NOT_UNDERSTOOD, detail=reason)


@dataclass(slots=True, kw_only=True)
class _Tally:
    """Versions wanted as a pass began, and its progress: the assets that are not whole and why, which of them have been
    tried, and which are `blocked` by something on the disk that can neither be read nor removed. `errors` are
    unexpected exceptions."""

    wanted: tuple[PlaylistVersion, ...]
    on_glass: frozenset[VersionKey]
    missing: dict[str, str | None] = field(init=False)
    tried: dict[str, str]
    blocked: dict[str, str] = field(default_factory=dict)
    refused: dict[VersionKey, str] = field(default_factory=dict)
    verified: set[VersionKey] = field(default_factory=set)
    errors: list[Exception] = field(default_factory=list)
    reported_at: float = 0.0

    def __post_init__(self) -> None:
        self.missing = {digest: self.tried.get(digest) for version in self.wanted for digest in version.assets}

    def has(self, digest: str) -> None:
        """Marks the asset as whole."""
        self.missing.pop(digest, None)
        self.tried.pop(digest, None)

    @property
    def whole(self) -> bool:
        return not self.missing

    def missing_of(self, version: PlaylistVersion) -> dict[str, str | None]:
        refusal = self.refused.get(version.key)
        return {digest: refusal or self.missing[digest] for digest in version.assets if digest in self.missing}


class _AssetSink:
    """Writes what arrives to the disk, off the event loop, and never a byte more than the asset has."""

    def __init__(self, writer: AssetWriter, size: int) -> None:
        self.writer = writer
        self._size = size
        self._began_at = writer.offset
        self.too_long = False
        self.heard: Callable[[], object] = lambda: None
        """Called as bytes arrive."""

    @property
    def gained(self) -> int:
        """Bytes that the next attempt need not fetch."""
        return self.writer.offset - self._began_at

    async def begin(self, offset: int) -> bool:
        if offset == 0 and self.writer.offset:
            await off_loop(self.writer.restart)
            self._began_at = 0
        return offset == self.writer.offset

    async def write(self, chunk: bytes) -> bool:
        self.heard()
        self.too_long = len(chunk) > self._size - self.writer.offset
        if not self.too_long:
            await off_loop(self.writer.write, chunk)
        return not self.too_long


async def _cancel(*tasks: asyncio.Future[None] | asyncio.Future[Literal[True]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
