"""The manifests on disk: the running one, its latest body, the staged one and the previous one.

Four files, each a whole manifest body with the anchor of its loops:

    running    the body that the running version came with
    latest     a newer body of the same version, whose items and location count
    staged     the body that waits for the loop boundary
    previous   the body that ran before

A corrupt `running` is replaced by `latest`, which holds the same version and anchor; if that is corrupt too, by
`previous`. What a full disk refuses goes into the reserve, which stands in for its file until that is written.
"""

from __future__ import annotations

import contextlib
import threading
from datetime import datetime
from pathlib import Path

import msgspec
from msgspec import Struct

from player.domain.documents.fields import NOT_THE_DOCUMENT
from player.domain.documents.manifest import Rejection
from player.domain.documents.manifest_reader import MAX_BODY
from player.domain.words.redacted import Redacted
from player.storage.checksummed import CorruptError, read_checksummed, write_checksummed
from player.storage.durable import StorageError, remove_durably, set_aside
from player.storage.reserve import Reserve

_KIND = "manifest"

RESERVE_BYTES = MAX_BODY + 64 * 1024
"""Room for the largest body with its label."""


class StoredManifest(Redacted, frozen=True, kw_only=True):
    """A manifest body as received; `etag` is its SHA-256, `anchor` the instant from which its loops are counted, None
    while it is staged."""

    redacted_fields = ("body",)
    body: bytes
    etag: str
    anchor: datetime | None


class StoredManifests(Struct, frozen=True, kw_only=True):
    """The manifests that are whole. `latest` is set only if it is of the same version as `running`."""

    running: StoredManifest | None = None
    latest: StoredManifest | None = None
    staged: StoredManifest | None = None
    previous: StoredManifest | None = None


class _Label(msgspec.Struct, frozen=True):
    """The line before the body. `version` is the ETag of the body that the running version came with: it ties a
    `latest` to its `running`; on the disk it is called `program`. `supersedes` is the ETag of the staged body that was
    there when a `latest` was written, and is withdrawn by it. `sequence` counts the writes, and `slot` is that of a
    body in the reserve."""

    etag: str
    version: str = msgspec.field(name="program")
    anchor: datetime | None
    supersedes: str | None = None
    sequence: int = 0
    slot: str = ""


class _Assets(msgspec.Struct, frozen=True):
    assets: dict[str, msgspec.Raw] = {}


class ManifestStore:
    """The four files under `folder`. Calls block; any thread may call, one at a time is served."""

    def __init__(self, folder: Path, *, reserve: bool = True) -> None:
        """`reserve` is whether to take room for one more body, as on a disk."""
        self._paths = {slot: folder / slot for slot in ("running", "latest", "staged", "previous")}
        self._reserve = Reserve(folder, size=RESERVE_BYTES)
        self._wants_reserve = reserve
        self._reserved: _Label | None = None
        """The label of the body in the reserve."""
        self._sequence = 0
        self._lock = threading.Lock()
        self._version: tuple[str, datetime] | None = None
        self._version_is_stored = False
        self._assets: dict[str, frozenset[str]] = {}
        """By slot: the assets that its body lists."""
        self._undecoded: dict[str, StoredManifest] = {}
        """By slot: bodies found at the start, until their assets are known."""
        self._staged: str | None = None
        """The ETag of the staged body on disk."""
        self._previous_is_spare = False
        """Whether a newer version plays, so that the one before is not needed."""

    def load(self) -> tuple[StoredManifests, tuple[Rejection, ...]]:
        """The manifests that are whole, and a rejection for each that is not. Never raises for what is on the disk."""
        with self._lock:
            rejections: list[Rejection] = []
            found = {slot: self._read(slot, rejections) for slot in self._paths}
            self._sequence = max((label.sequence for label, _ in filter(None, found.values())), default=0)
            self._put_in_place(found)
            running, latest, staged, previous = (found[slot] for slot in ("running", "latest", "staged", "previous"))
            if running is not None and latest is not None and latest[0].version != running[0].version:
                latest = None  # A power cut came before the old version's items were removed.
                self._remove_quietly("latest")
            candidates = [candidate for candidate in (running, latest, previous) if candidate is not None]
            chosen = candidates[0] if candidates else None
            if chosen and chosen[0].anchor:
                self._version = (chosen[0].version, chosen[0].anchor)
                self._version_is_stored = self._reserved is None or self._reserved.slot != "running"
            if chosen and staged and (staged[0].etag == chosen[0].version or staged[0].sequence < chosen[0].sequence):
                staged = None  # That version, or another after it, had begun to run.
                self._remove_quietly("staged")
            if latest and staged and staged[0].etag == latest[0].supersedes:
                staged = None  # It had been withdrawn before the power cut.
                self._remove_quietly("staged")
            self._staged = staged[0].etag if staged else None
            return StoredManifests(
                running=chosen[1] if chosen else None,
                latest=latest[1] if latest and latest is not chosen else None,
                staged=staged[1] if staged else None,
                previous=previous[1] if previous and previous is not chosen else None,
            ), tuple(rejections)

    def settle(self) -> None:
        """Take the room that a full disk will need, and write what is in it to its place. Raises StorageError."""
        with self._lock:
            if self._wants_reserve:
                self._reserve.allocate()
            label, payload = self._reserved, self._reserve.load(_sequence_of)
            if label is None or payload is None:
                return
            _, body = _split(payload)
            assets = self._assets_in(label.slot) or _listed_assets(body)
            if label.slot == "running" and label.anchor:
                self._begin(body=body, etag=label.etag, assets=assets, anchor=label.anchor)
            else:
                self._write(label.slot, body, label, assets)

    def note_assets(self, *, etag: str, assets: frozenset[str]) -> None:
        """Record the assets that a loaded body lists, so that it is not decoded a second time."""
        with self._lock:
            for slot in [slot for slot, found in self._undecoded.items() if found.etag == etag]:
                del self._undecoded[slot]
                self._assets[slot] = assets
                self._previous_is_spare |= slot in {"running", "latest"}

    def assets(self) -> frozenset[str]:
        """The assets that the stored manifests list; decodes the bodies of which they are not recorded yet."""
        with self._lock:
            return frozenset[str]().union(*(self._assets_in(slot) for slot in self._paths))

    def spare_assets(self) -> frozenset[str]:
        """The assets that only the version before the running one lists; none while it may have to be played."""
        with self._lock:
            if not self._previous_is_spare:
                return frozenset()
            others = (self._assets_in(slot) for slot in self._paths if slot != "previous")
            return self._assets_in("previous").difference(*others)

    def drop_previous(self) -> None:
        """Delete the version before the running one, so that its assets may go. Raises StorageError."""
        with self._lock:
            self._remove("previous")

    def keep_running(self, *, body: bytes, etag: str, assets: frozenset[str], anchor: datetime) -> None:
        """Store the version that has begun to run; the one before becomes `previous`. Raises StorageError.

        Every file stays whole and readable at each step, so a power cut leaves the old version or the new one.
        """
        with self._lock:
            self._begin(body=body, etag=etag, assets=assets, anchor=anchor)

    def keep_latest(self, *, body: bytes, etag: str, assets: frozenset[str]) -> None:
        """Store a newer body of the running version. Raises StorageError, also if none runs.

        If the disk refused the version when it began, this body is stored in its place, not next to an older one.
        """
        with self._lock:
            if self._version is None:
                detail = "no program runs that this could be the newest body of"
                raise StorageError(code="no_program", subject="latest", detail=detail)
            version, anchor = self._version
            if self._version_is_stored:
                label = _Label(etag=etag, version=version, anchor=anchor, supersedes=self._staged)
                self._write("latest", body, label, assets)
            else:
                self._begin(body=body, etag=etag, assets=assets, anchor=anchor)

    def keep_staged(self, *, body: bytes, etag: str, assets: frozenset[str]) -> None:
        """Store the body that waits for the boundary. Raises StorageError."""
        with self._lock:
            self._write("staged", body, _Label(etag=etag, version=etag, anchor=None), assets)
            self._staged = etag

    def drop_staged(self) -> None:
        """Delete the staged body. Raises StorageError."""
        with self._lock:
            if self._reserved and self._reserved.slot == "staged":
                self._clear_reserve()
            self._remove("staged")

    def forget(self) -> None:
        """Delete every manifest. Raises StorageError."""
        with self._lock:
            self._version, self._version_is_stored = None, False
            # `latest` stands in for `running`, the reserve for any: a power cut in between brings no older facts back.
            for slot in ("previous", "staged", "running", "latest"):
                self._remove(slot)
            self._clear_reserve()

    def _begin(self, *, body: bytes, etag: str, assets: frozenset[str], anchor: datetime) -> None:
        self._version, self._version_is_stored = (etag, anchor), False
        newest = next((slot for slot in ("latest", "running") if self._paths[slot].exists()), None)
        if newest is not None:
            try:
                self._keep_previous(newest)
            except StorageError:
                # Room for what runs comes first.
                self._remove_quietly("previous")
        self._write("running", body, _Label(etag=etag, version=etag, anchor=anchor), assets)
        self._version_is_stored = self._previous_is_spare = True
        self._remove("latest")
        self._remove("staged")

    def _keep_previous(self, newest: str) -> None:
        with contextlib.suppress(CorruptError):
            payload = read_checksummed(self._paths[newest], _KIND)
            if payload is not None:
                self._write_file("previous", payload, self._assets_in(newest))

    def _put_in_place(self, found: dict[str, tuple[_Label, StoredManifest] | None]) -> None:
        """Let what is in the reserve stand in for its file, if it is the newest."""
        payload = self._reserve.load(_sequence_of)
        if payload is None:
            return
        label, body = _split(payload)
        if label.sequence <= self._sequence or label.slot not in self._paths:
            return
        if label.slot == "running":
            found["previous"], found["latest"] = found["latest"] or found["running"] or found["previous"], None
        self._sequence, self._reserved = label.sequence, label
        stored = StoredManifest(body=body, etag=label.etag, anchor=label.anchor)
        found[label.slot] = label, stored
        self._undecoded[label.slot] = stored

    def _read(self, slot: str, rejections: list[Rejection]) -> tuple[_Label, StoredManifest] | None:
        path = self._paths[slot]
        try:
            payload = read_checksummed(path, _KIND)
            if payload is None:
                return None
            label, body = _split(payload)
        except CorruptError as error:
            aside = set_aside(path)
            rejections.append(Rejection(code="state_corrupt", subject=slot, detail=f"{error}; kept as {aside}"))
            return None
        found = StoredManifest(body=body, etag=label.etag, anchor=label.anchor)
        self._undecoded[slot] = found
        return label, found

    def _assets_in(self, slot: str) -> frozenset[str]:
        found = self._undecoded.pop(slot, None)
        if found is not None:
            self._assets[slot] = _listed_assets(found.body)
        return self._assets.get(slot, frozenset())

    def _write(self, slot: str, body: bytes, label: _Label, assets: frozenset[str]) -> None:
        """Write a slot, or the reserve and raise StorageError. Nothing that was written before counts any more."""
        self._sequence += 1
        label = msgspec.structs.replace(label, sequence=self._sequence)
        try:
            self._write_file(slot, _payload(body, label), assets)
        except StorageError:
            self._write_to_reserve(body, msgspec.structs.replace(label, slot=slot))
            raise
        with contextlib.suppress(StorageError):  # Its sequence says that it is older, too.
            self._clear_reserve()

    def _write_file(self, slot: str, payload: bytes, assets: frozenset[str]) -> None:
        # Protected before the write, so that none of its assets is deleted in between.
        self._assets[slot] = self._assets_in(slot) | assets
        write_checksummed(self._paths[slot], _KIND, payload)
        self._assets[slot] = assets

    def _write_to_reserve(self, body: bytes, label: _Label) -> None:
        known = self._reserved
        if known is not None and (known.slot, known.etag, known.anchor) == (label.slot, label.etag, label.anchor):
            return  # It is tried again, and is there already.
        if known is not None and (known.slot, label.slot) == ("running", "staged"):
            return  # What runs is nowhere else: it counts more than what waits.
        with contextlib.suppress(StorageError):
            self._reserve.keep(_payload(body, label))
            self._reserved = label

    def _clear_reserve(self) -> None:
        self._reserve.clear()
        self._reserved = None

    def _remove_quietly(self, slot: str) -> None:
        with contextlib.suppress(StorageError):
            self._remove(slot)

    def _remove(self, slot: str) -> None:
        remove_durably(self._paths[slot])
        if slot == "staged":
            self._staged = None
        self._assets.pop(slot, None)
        self._undecoded.pop(slot, None)


def _payload(body: bytes, label: _Label) -> bytes:
    return msgspec.json.encode(label) + b"\n" + body


def stored_version(folder: Path) -> StoredManifest | None:
    """The newest body of the version that runs, or ran last; None if there is none that is whole. For a look from
    another process: it changes nothing on the disk."""
    found: dict[str, tuple[_Label, bytes]] = {}
    for slot in ("running", "latest"):
        with contextlib.suppress(CorruptError):
            payload = read_checksummed(folder / slot, _KIND)
            if payload is not None:
                found[slot] = _split(payload)
    running, latest = found.get("running"), found.get("latest")
    if running is None or (latest is not None and latest[0].version == running[0].version):
        running = latest
    if running is None:
        return None
    label, body = running
    return StoredManifest(body=body, etag=label.etag, anchor=label.anchor)


def _split(payload: bytes) -> tuple[_Label, bytes]:
    line, _, body = payload.partition(b"\n")
    try:
        return msgspec.json.decode(line, type=_Label), body
    except NOT_THE_DOCUMENT as error:
        raise CorruptError(f"its label cannot be read: {error}") from error


def _sequence_of(payload: bytes) -> int:
    return _split(payload)[0].sequence


def _listed_assets(body: bytes) -> frozenset[str]:
    try:
        return frozenset(msgspec.json.decode(body, type=_Assets).assets)
    except NOT_THE_DOCUMENT:
        return frozenset()
