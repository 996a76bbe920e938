"""The manifests on disk: the running one, its latest body, the staged one and the previous one.

Four files, each a whole manifest body with the anchor of its loops:

    running    the body that the running version came with
    latest     a newer body of the same version, whose items and location count
    staged     the body that waits for the loop boundary
    previous   the body that ran before

A corrupt `running` is replaced by `latest`, which holds the same version and anchor; if that is corrupt too, by
`previous`.
"""

from __future__ import annotations

import contextlib
import threading
from datetime import datetime
from pathlib import Path

import msgspec
from msgspec import Struct

from player.domain.fields import NOT_THE_DOCUMENT
from player.domain.manifest import Rejection
from player.domain.redacted import Redacted
from player.storage.checksummed import CorruptError, read_checksummed, write_checksummed
from player.storage.durable import StorageError, remove_durably, set_aside

_KIND = "manifest"


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
    there when a `latest` was written, and is withdrawn by it."""

    etag: str
    version: str = msgspec.field(name="program")
    anchor: datetime | None
    supersedes: str | None = None


class _Assets(msgspec.Struct, frozen=True):
    assets: dict[str, msgspec.Raw] = {}


class ManifestStore:
    """The four files under `folder`. Calls block; any thread may call, one at a time is served."""

    def __init__(self, folder: Path) -> None:
        self._paths = {slot: folder / slot for slot in ("running", "latest", "staged", "previous")}
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
            running, latest, staged, previous = (found[slot] for slot in ("running", "latest", "staged", "previous"))
            if running is not None and latest is not None and latest[0].version != running[0].version:
                latest = None  # A power cut came before the old version's items were removed.
                self._remove_quietly("latest")
            candidates = [candidate for candidate in (running, latest, previous) if candidate is not None]
            chosen = candidates[0] if candidates else None
            if chosen and chosen[0].anchor:
                self._version, self._version_is_stored = (chosen[0].version, chosen[0].anchor), True
            if chosen and staged and staged[0].etag == chosen[0].version:
                staged = None  # It had begun to run before the power cut.
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
                self._write("latest", _payload(body, label), assets)
            else:
                self._begin(body=body, etag=etag, assets=assets, anchor=anchor)

    def keep_staged(self, *, body: bytes, etag: str, assets: frozenset[str]) -> None:
        """Store the body that waits for the boundary. Raises StorageError."""
        with self._lock:
            self._write("staged", _payload(body, _Label(etag=etag, version=etag, anchor=None)), assets)
            self._staged = etag

    def drop_staged(self) -> None:
        """Delete the staged body. Raises StorageError."""
        with self._lock:
            self._remove("staged")

    def forget(self) -> None:
        """Delete every manifest. Raises StorageError."""
        with self._lock:
            self._version, self._version_is_stored = None, False
            # `latest` stands in for `running`: a power cut in between brings no older facts back.
            for slot in ("previous", "staged", "running", "latest"):
                self._remove(slot)

    def _begin(self, *, body: bytes, etag: str, assets: frozenset[str], anchor: datetime) -> None:
        self._version, self._version_is_stored = (etag, anchor), False
        newest = next((slot for slot in ("latest", "running") if self._paths[slot].exists()), None)
        if newest is not None:
            with contextlib.suppress(CorruptError):
                payload = read_checksummed(self._paths[newest], _KIND)
                if payload is not None:
                    self._write("previous", payload, self._assets_in(newest))
        self._write("running", _payload(body, _Label(etag=etag, version=etag, anchor=anchor)), assets)
        self._version_is_stored = self._previous_is_spare = True
        self._remove("latest")
        self._remove("staged")

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

    def _write(self, slot: str, payload: bytes, assets: frozenset[str]) -> None:
        # Protected before the write, so that none of its assets is deleted in between.
        self._assets[slot] = self._assets_in(slot) | assets
        write_checksummed(self._paths[slot], _KIND, payload)
        self._assets[slot] = assets

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


def _split(payload: bytes) -> tuple[_Label, bytes]:
    line, _, body = payload.partition(b"\n")
    try:
        return msgspec.json.decode(line, type=_Label), body
    except NOT_THE_DOCUMENT as error:
        raise CorruptError(f"its label cannot be read: {error}") from error


def _listed_assets(body: bytes) -> frozenset[str]:
    try:
        return frozenset(msgspec.json.decode(body, type=_Assets).assets)
    except NOT_THE_DOCUMENT:
        return frozenset()
