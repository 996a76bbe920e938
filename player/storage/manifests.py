"""Stores the manifests: the running one, the staged one and the previous one.

Three files, each a whole manifest body:

- running: the newest body of the version that runs, with the anchor of its loops
- staged: the body that waits for the loop boundary
- previous: the newest body of the version that ran before; if there is none, the one before of the version that runs

A corrupt `running` is replaced by `previous`. What a full disk refuses goes into the reserve, which stands in for
`running` or `staged` until that is written.
"""

from __future__ import annotations

import contextlib
import threading
from datetime import datetime
from pathlib import Path

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from menu.documents.manifest import Rejection
from menu.documents.manifest_reader import MAX_BODY
from menu.documents.tolerant import NOT_THE_DOCUMENT
from player.domain.redacted import Redacted
from player.storage.checksummed import CorruptError, read_checksummed, write_checksummed
from player.storage.durable import StorageError, remove_durably, set_aside
from player.storage.reserve import Reserve

_KIND = "manifest"
_FORMER = "latest"
"""The file in which players up to 0.5.0 kept the newest body of the running version, beside the first one."""

RESERVE_BYTES = MAX_BODY + 64 * 1024
"""Room for the largest body with its label."""


class StoredManifest(Redacted, frozen=True, kw_only=True):
    """A manifest body as received; all but the body is in the line before it. `etag` is its SHA-256, `version` the ETag
    of the body that the version came with (`program` on the disk), `anchor` the instant from which its loops are
    counted, None while it is staged. `sequence` counts the writes."""

    redacted_fields = ("body",)
    etag: str
    version: str = field(name="program")
    anchor: datetime | None
    sequence: int = 0
    body: bytes = b""

    def bare(self) -> StoredManifest:
        """Returns the same without the body."""
        return replace(self, body=b"")


class StoredManifests(Struct, frozen=True, kw_only=True):
    """Manifests that are whole."""

    running: StoredManifest | None = None
    staged: StoredManifest | None = None
    previous: StoredManifest | None = None

    @property
    def has_previous_version(self) -> bool:
        """True if `previous` is of another version than `running`."""
        return self.previous is not None and not (self.running and self.previous.version == self.running.version)


class _Assets(msgspec.Struct, frozen=True):
    assets: dict[str, msgspec.Raw] = {}


class ManifestStore:
    """Files under `folder`. Calls block; any thread may call, one at a time is served."""

    def __init__(self, folder: Path, *, reserve: bool = True) -> None:
        """`reserve` allocates room for one more body, as on a disk."""
        self._paths = {slot: folder / slot for slot in ("running", _FORMER, "staged", "previous")}
        self._reserve = Reserve(folder, size=RESERVE_BYTES)
        self._wants_reserve = reserve
        self._reserved: StoredManifest | None = None
        """The manifest in the reserve, while that stands in for a file; without the body."""
        self._sequence = 0
        self._lock = threading.Lock()
        self._runs: StoredManifest | None = None
        """The version that runs, whether or not the disk has taken it; without a body."""
        self._on_disk = ""
        """The version in the file `running`."""
        self._assets: dict[str, frozenset[str]] = {}
        """By slot: the assets that its body lists."""
        self._undecoded: dict[str, StoredManifest] = {}
        """By slot: bodies found at the start, until their assets are known."""
        self._previous_is_spare = False
        """Whether a newer version plays, so that the one before is not needed."""

    def load(self) -> tuple[StoredManifests, tuple[Rejection, ...]]:
        """Returns the manifests that are whole, and a rejection for each that is not. Never raises for what is on the
        disk."""
        with self._lock:
            rejections: list[Rejection] = []
            found = {slot: self._read(slot, rejections) for slot in self._paths}
            self._sequence = max((each.sequence for each in found.values() if each), default=0)
            running, staged, previous = _newest(found["running"], found[_FORMER]), found["staged"], found["previous"]
            self._on_disk = running.version if running else ""
            if (reserved := self._read_reserve()) is not None and reserved.sequence > self._sequence:
                self._reserved, self._sequence = reserved.bare(), reserved.sequence
                if reserved.anchor is None:
                    staged = reserved
                else:
                    previous = previous if reserved.version == self._on_disk else running or previous
                    running = reserved
            chosen = running or previous
            if staged and chosen and (staged.etag == chosen.version or staged.sequence < chosen.sequence):
                staged = None  # That version had begun to run, or newer facts of the running one have withdrawn it.
                self._remove_quietly("staged")
            self._runs = chosen.bare() if chosen else None
            slots = {"running": running, "staged": staged, "previous": previous}
            self._undecoded = {slot: each for slot, each in slots.items() if each}
            return StoredManifests(
                running=chosen, staged=staged, previous=previous if previous is not chosen else None
            ), tuple(rejections)

    def settle(self) -> None:
        """Allocates the room that a full disk will need, and writes its content to its place. Raises StorageError."""
        with self._lock:
            if self._wants_reserve:
                self._reserve.allocate()
            kept = self._read_reserve() if self._reserved else None
            if kept is not None:
                slot = "staged" if kept.anchor is None else "running"
                self._keep(slot, kept, self._assets_in(slot))

    def note_assets(self, *, etag: str, assets: frozenset[str]) -> None:
        """Record the assets that a loaded body lists, so that it is not decoded a second time."""
        with self._lock:
            for slot in [slot for slot, found in self._undecoded.items() if found.etag == etag]:
                del self._undecoded[slot]
                self._assets[slot] = assets
                self._previous_is_spare |= slot == "running"

    def assets(self) -> frozenset[str]:
        """Returns the assets that the stored manifests list; decodes the bodies of which they are not recorded yet."""
        with self._lock:
            return frozenset[str]().union(*(self._assets_in(slot) for slot in self._paths))

    def spare_assets(self) -> frozenset[str]:
        """Returns the assets that only the version before the running one lists; none if it may have to be played."""
        with self._lock:
            if not self._previous_is_spare:
                return frozenset()
            others = (self._assets_in(slot) for slot in self._paths if slot != "previous")
            return self._assets_in("previous").difference(*others)

    def drop_previous(self) -> None:
        """Deletes the version before the running one, so that its assets may be removed. Raises StorageError."""
        with self._lock:
            self._remove("previous")

    def keep_running(self, *, body: bytes, etag: str, assets: frozenset[str], anchor: datetime) -> None:
        """Store the version that has begun to run; the one before becomes `previous`. Raises StorageError.

        Every file stays whole and readable at each step, so a power cut leaves the old version or the new one.
        """
        with self._lock:
            running = StoredManifest(etag=etag, version=etag, anchor=anchor, body=body)
            self._keep("running", self._counted(running), assets)
            self._remove("staged")

    def keep_latest(self, *, body: bytes, etag: str, assets: frozenset[str]) -> None:
        """Store a newer body of the running version in place of the one before. Raises StorageError, also if none
        runs."""
        with self._lock:
            if self._runs is None:
                detail = "no program runs that this could be the newest body of"
                raise StorageError(code="no_program", subject="running", detail=detail)
            self._keep("running", self._counted(replace(self._runs, etag=etag, body=body)), assets)

    def keep_staged(self, *, body: bytes, etag: str, assets: frozenset[str]) -> None:
        """Store the body that waits for the boundary. Raises StorageError."""
        with self._lock:
            staged = StoredManifest(etag=etag, version=etag, anchor=None, body=body)
            self._keep("staged", self._counted(staged), assets)

    def drop_staged(self) -> None:
        """Delete the staged body. Raises StorageError."""
        with self._lock:
            if self._reserved and self._reserved.anchor is None:
                self._clear_reserve()
            self._remove("staged")

    def forget(self) -> None:
        """Delete every manifest. Raises StorageError."""
        with self._lock:
            self._runs, self._on_disk = None, ""
            # Those that stand in for another last: a power cut in between brings no older facts back.
            for slot in ("previous", "staged", "running", _FORMER):
                self._remove(slot)
            self._clear_reserve()

    def _keep(self, slot: str, kept: StoredManifest, assets: frozenset[str]) -> None:
        """Write a slot, or the reserve and raise StorageError. Nothing that was written before counts any more."""
        if slot == "running":
            self._runs = kept.bare()
            if self._on_disk and (self._on_disk != kept.version or not self._paths["previous"].exists()):
                self._keep_previous()
        try:
            self._write(slot, kept, assets)
        except StorageError:
            self._write_to_reserve(kept)
            raise
        with contextlib.suppress(StorageError):  # Its sequence says that it is older, too.
            self._clear_reserve()
        if slot == "running":
            self._on_disk, self._previous_is_spare = kept.version, True
            self._remove_quietly(_FORMER)

    def _counted(self, kept: StoredManifest) -> StoredManifest:
        self._sequence += 1
        return replace(kept, sequence=self._sequence)

    def _keep_previous(self) -> None:
        newest = _newest(_peek(self._paths["running"]), _peek(self._paths[_FORMER]))
        assets = self._assets_in("previous" if self._reserved else "running")
        try:
            if newest is not None:
                self._write("previous", newest, assets)
        except StorageError:
            # Room for what runs comes first.
            self._remove_quietly("previous")

    def _read_reserve(self) -> StoredManifest | None:
        payload = self._reserve.load(_sequence_of)
        return _split(payload) if payload is not None else None

    def _read(self, slot: str, rejections: list[Rejection]) -> StoredManifest | None:
        try:
            return _read(self._paths[slot])
        except CorruptError as error:
            aside = set_aside(self._paths[slot])
            rejections.append(Rejection(code="state_corrupt", subject=slot, detail=f"{error}; kept as {aside}"))
            return None

    def _assets_in(self, slot: str) -> frozenset[str]:
        found = self._undecoded.pop(slot, None)
        if found is not None:
            self._assets[slot] = _listed_assets(found.body)
        return self._assets.get(slot, frozenset())

    def _write(self, slot: str, kept: StoredManifest, assets: frozenset[str]) -> None:
        # Protected before the write, so that none of its assets is deleted in between.
        self._assets[slot] = self._assets_in(slot) | assets
        write_checksummed(self._paths[slot], _KIND, _payload(kept))
        self._assets[slot] = assets

    def _write_to_reserve(self, kept: StoredManifest) -> None:
        known = self._reserved
        if known is not None and (known.etag, known.anchor) == (kept.etag, kept.anchor):
            return  # It is tried again, and is there already.
        if known is not None and kept.anchor is None and known.anchor is not None and known.version != self._on_disk:
            return  # What runs is nowhere else: it counts more than what waits.
        with contextlib.suppress(StorageError):
            self._reserve.keep(_payload(kept))
            self._reserved = kept.bare()

    def _clear_reserve(self) -> None:
        self._reserve.clear()
        self._reserved = None

    def _remove_quietly(self, slot: str) -> None:
        with contextlib.suppress(StorageError):
            self._remove(slot)

    def _remove(self, slot: str) -> None:
        remove_durably(self._paths[slot])
        self._assets.pop(slot, None)
        self._undecoded.pop(slot, None)


def stored_version(folder: Path) -> StoredManifest | None:
    """Returns the newest body of the version that runs, or ran last; None if there is none that is whole. For use from
    another process: it changes nothing on the disk."""
    return _newest(_peek(folder / "running"), _peek(folder / _FORMER))


def _newest(running: StoredManifest | None, former: StoredManifest | None) -> StoredManifest | None:
    """Returns the newest body of the running version. Players of 0.1.0 wrote no sequence. If the versions differ, a
    power cut came before the items of the one before were removed."""
    if running is None or former is None:
        return running or former
    is_newer = former.sequence == 0 or former.sequence >= running.sequence
    return former if is_newer and former.version == running.version else running


def _peek(path: Path) -> StoredManifest | None:
    with contextlib.suppress(CorruptError):
        return _read(path)
    return None


def _read(path: Path) -> StoredManifest | None:
    """Returns the body in a file, None if there is no such file. Raises CorruptError."""
    payload = read_checksummed(path, _KIND)
    return None if payload is None else _split(payload)


def _payload(kept: StoredManifest) -> bytes:
    return msgspec.json.encode(kept.bare()) + b"\n" + kept.body


def _split(payload: bytes) -> StoredManifest:
    line, _, body = payload.partition(b"\n")
    try:
        return replace(msgspec.json.decode(line, type=StoredManifest), body=body)
    except NOT_THE_DOCUMENT as error:
        raise CorruptError(f"its label cannot be read: {error}") from error


def _sequence_of(payload: bytes) -> int:
    return _split(payload).sequence


def _listed_assets(body: bytes) -> frozenset[str]:
    try:
        return frozenset(msgspec.json.decode(body, type=_Assets).assets)
    except NOT_THE_DOCUMENT:
        return frozenset()
