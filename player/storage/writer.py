"""Writes to the state directory, one after the other and in order: all the running player's writes, except assets.

Assets are written elsewhere: they are large, and a file gets its name only once it is whole.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn, ParamSpec, TypeVar

from msgspec import Struct
from msgspec.structs import asdict

from player.domain import actions as act
from player.domain import events as ev
from player.domain.time.clock import KnownTime
from player.storage.durable import StorageError
from player.storage.store import StateStore

log = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

WRITE_AGAIN_SECONDS = 30.0
"""Until writes that the disk refused are tried again; twice as long each time, up to the most."""

MOST_WRITE_AGAIN_SECONDS = 120.0

MANIFESTS = frozenset({"running", "latest", "staged", "previous"})
RESERVE = frozenset({"reserve-0", "reserve-1"})


Writes = frozenset[type[act.DiskWrite]]


class Rule(Struct, frozen=True):
    """A kind of write: the files that are right once it has succeeded, and waiting writes that it makes needless."""

    work: Callable[[StateStore, Any], None]
    files: frozenset[str]
    replaces: Writes


def _known(write: act.StoreTime) -> KnownTime:
    boot = write.boot
    return KnownTime(true=write.instant, boot_id=boot.id, boot_seconds=boot.seconds, before=write.before)


def _forget(store: StateStore) -> None:
    store.receipts.forget()
    store.manifests.forget()


_STAGED: Writes = frozenset({act.StoreStaged, act.DropStaged})
_OF_ONE_VERSION: Writes = _STAGED | {act.StoreRunning, act.StoreLatest}

RULES: dict[type[act.DiskWrite], Rule] = {
    act.ForgetVersions: Rule(
        lambda store, _: _forget(store), MANIFESTS | {"receipts"}, _OF_ONE_VERSION | {act.ForgetVersions}
    ),
    act.StoreRunning: Rule(
        lambda store, write: store.manifests.keep_running(**asdict(write)), MANIFESTS, _OF_ONE_VERSION
    ),
    act.StoreLatest: Rule(
        lambda store, write: store.manifests.keep_latest(**asdict(write)),
        MANIFESTS - {"staged"},
        frozenset({act.StoreLatest}),
    ),
    act.StoreStaged: Rule(
        lambda store, write: store.manifests.keep_staged(**asdict(write)), frozenset({"staged"}), _STAGED
    ),
    act.DropStaged: Rule(lambda store, _: store.manifests.drop_staged(), frozenset({"staged"}), _STAGED),
}

_ALONE: tuple[tuple[type[act.DiskWrite], str, Callable[[StateStore, Any], None]], ...] = (
    (act.StoreCommands, "commands", lambda store, write: store.commands.save(write.commands)),
    (act.StoreTime, "clock", lambda store, write: store.known_time.save(_known(write))),
    (act.StoreFailures, "failures", lambda store, write: store.failures.save(write.content)),
    (act.StoreAccess, "access", lambda store, write: store.access.save(write.content)),
    (act.StoreScreen, "screen", lambda store, write: store.screen.save(write.display)),
)
RULES |= {kind: Rule(work, frozenset({file}), frozenset({kind})) for kind, file, work in _ALONE}


def write_now(store: StateStore, write: act.DiskWrite) -> None:
    """Writes, and waits for the disk. Raises StorageError."""
    RULES[type(write)].work(store, write)


async def off_loop(call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a blocking call in a worker thread. A cancellation waits for the thread: no write overtakes another, and no
    file is closed or deleted under the next user of it."""
    work = asyncio.ensure_future(asyncio.to_thread(call, *args, **kwargs))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        await asyncio.wait((work,))
        raise


class _Job(Struct, eq=False):
    """A write that waits; of no `kind` if a caller waits for its result."""

    work: Callable[[], None]
    files: frozenset[str]
    kind: type[act.DiskWrite] | None = None
    result: asyncio.Future[bool] | None = None


class DiskWriter:
    """Queues writes. `failed` and `worked` report errors that are the player's own. Use it on one event loop."""

    def __init__(
        self,
        store: StateStore,
        *,
        emit: Callable[[ev.Event], None],
        failed: Callable[[str, BaseException], object],
        worked: Callable[[str], None],
    ) -> None:
        self._store = store
        self._emit = emit
        self._failed = failed
        self._worked = worked
        self._waiting: deque[_Job] = deque()
        self._refused: deque[_Job] = deque()
        """To be tried again, before the waiting ones."""
        self._due = asyncio.Event()
        self._due.set()
        self._idle = asyncio.Event()
        self._idle.set()

    def later(self, write: act.DiskWrite) -> None:
        """Queues a write in place of those that it makes needless. It is retried until the disk takes it."""
        kind = type(write)
        for queue in (self._refused, self._waiting):
            kept = [job for job in queue if job.kind not in RULES[kind].replaces]
            queue.clear()
            queue.extend(kept)
        self._add(_Job(partial(write_now, self._store, write), RULES[kind].files, kind))

    async def write(self, work: Callable[[], None], files: frozenset[str]) -> bool:
        """Runs this once, after the writes that wait; returns whether the disk has taken it. A refusal is reported."""
        result: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._add(_Job(work, files, result=result))
        return await result

    async def written(self) -> None:
        """Returns once every requested write has been tried."""
        await self._idle.wait()

    def again(self) -> None:
        """Retries now what was refused: the disk works again."""
        self._due.set()

    async def run(self) -> NoReturn:
        pause, well = WRITE_AGAIN_SECONDS, True
        while True:
            try:
                async with asyncio.timeout(None if well else pause):
                    await self._due.wait()
            except TimeoutError:
                pause = min(2 * pause, MOST_WRITE_AGAIN_SECONDS)
            self._due.clear()
            if well := await self._write_all():
                self._worked("writes")
                pause = WRITE_AGAIN_SECONDS
            self._idle.set()

    def flush(self) -> None:
        """Completes the writes that still wait, at the end."""
        for job in (*self._refused, *self._waiting):
            try:
                job.work()
            except StorageError as error:
                log.warning("%s", error)
            except Exception:
                log.exception("%s not stored", ", ".join(sorted(job.files)))

    def _add(self, job: _Job) -> None:
        self._waiting.append(job)
        self._due.set()
        self._idle.clear()

    async def _write_all(self) -> bool:
        """Runs the writes that wait, in their order; True if the disk took all. From the first that it refuses on, all
        are kept and repeated: each may undo the next."""
        self._waiting.extendleft(reversed(self._refused))
        self._refused.clear()
        settled = await self._try(self._store.manifests.settle, RESERVE)
        well = True
        while self._waiting:
            job = self._waiting.popleft()
            written = await self._try(job.work, job.files)
            if job.result is not None:
                if not job.result.done():
                    job.result.set_result(written)
                continue
            if written and job.kind is act.StoreLatest:
                # It has begun the version, if that was refused.
                self._refused = deque(each for each in self._refused if each.kind is not act.StoreRunning)
                well = well or not self._refused
            well &= written
            if not well and not any(each.kind and job.kind in RULES[each.kind].replaces for each in self._waiting):
                self._refused.append(job)
        return settled and well

    async def _try(self, work: Callable[[], None], files: frozenset[str]) -> bool:
        try:
            await off_loop(work)
        except StorageError as error:
            self._emit(ev.PartFailed(subject=error.subject, code=error.code, detail=error.detail))
            return False
        except Exception as error:
            # It is kept as one that the disk has refused.
            self._failed("writes", error)
            return False
        self._emit(ev.PartWell(subjects=files))
        return True
