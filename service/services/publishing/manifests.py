"""Counts the revisions of manifests, and encodes them.

The database holds, per playlist and location, the digest of the last manifest and its revision, so the revision grows
with each difference and survives restarts. Polls use `HeldPolls`, which composes each manifest once for all screens
that share it.
"""

import gzip
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

import msgspec
from sqlalchemy import select
from sqlalchemy.orm import Session

from menu.documents.manifest_reader import FORMAT
from service.core.changes import ContentChanged
from service.core.clock import instant_text
from service.core.errors import ProblemError
from service.services.publishing import composition
from service.services.publishing.composition import Content, ManifestKey, Selections, Sources, compose_contents
from service.storage.database import Database, Unit
from service.storage.history import newest_number
from service.storage.paging import Cursors
from service.storage.tables.menus import RevisionRow
from service.storage.tables.workspaces import WorkspaceRow

MAX_DECOMPRESSED = 8
"""Bodies that are kept uncompressed: of boards whose requests are being answered one after the other."""

_decompressed = lru_cache(MAX_DECOMPRESSED)(gzip.decompress)


@dataclass(frozen=True, slots=True)
class Manifest:
    """An encoded manifest, compressed. The entity tag is the SHA-256 of the uncompressed body in hex."""

    epoch: str
    revision: int
    etag: str
    compressed: bytes
    sources: Sources

    @property
    def body(self) -> bytes:
        return _decompressed(self.compressed)

    def is_behind(self, epoch: str, revision: int) -> bool:
        """Returns whether a board that holds this epoch and revision refuses this manifest as older."""
        return epoch != self.epoch or revision > self.revision


class ManifestGoneError(Exception):
    """Raised if the location was removed, so the screen has just been moved or removed as well."""


Outcome = Manifest | ManifestGoneError | ProblemError
"""A manifest, or why there is none."""


class ManifestService:
    def __init__(self, *, database: Database, cursors: Cursors) -> None:
        self._database = database
        self._cursors = cursors
        self._selections = Selections()

    def compose(self, key: ManifestKey, *, now: datetime) -> Manifest:
        """Composes the manifest as of the newest commit. Raises ManifestGoneError, and the 503 problem when it is too
        large."""
        outcome = self.compose_many([key], now=now)[key]
        if isinstance(outcome, Manifest):
            return outcome
        raise outcome

    def compose_many(self, keys: Sequence[ManifestKey], *, now: datetime) -> dict[ManifestKey, Outcome]:
        """Composes the manifests of boards of one workspace, as of the newest commit."""
        workspace = keys[0].workspace
        with self._database.read() as session:
            number, history = content_number(session, workspace), newest_number(session)
            contents = compose_contents(session, keys, self._selections, now=now)
            rows = _revisions(session, keys)
        current = {
            key: row
            for key, content in contents.items()
            if (row := rows.get(_name(key))) is not None and row.digest == content.digest
        }
        if behind := [key for key in contents if key not in current]:
            with self._database.write() as unit:
                if content_number(unit.session, workspace) != number:
                    # Something has changed since: only the newest content may get the next revision.
                    again = compose_contents(unit.session, behind, self._selections, now=now)
                    contents = {key: contents[key] for key in current} | again
                    history = newest_number(unit.session)
                rows = _revisions(unit.session, behind)
                for key in behind:
                    if key in contents:
                        current[key] = _count_revision(unit, key, contents[key], rows, history)
        return {key: self._outcome(key, contents, current) for key in keys}

    def _outcome(
        self, key: ManifestKey, contents: dict[ManifestKey, Content], current: dict[ManifestKey, RevisionRow]
    ) -> Outcome:
        if key not in current:
            return ManifestGoneError(key)
        history = self._cursors.make(history_scope(key.workspace), current[key].history)
        return _encode(contents[key], current[key], history)


def history_scope(workspace: str) -> str:
    """Returns the scope of the sealed history numbers in manifests of a workspace."""
    return f"history:{workspace}"


def content_number(session: Session, workspace: str) -> int | None:
    """Returns the number of the newest change of content in a workspace."""
    return session.scalar(select(WorkspaceRow.content_number).where(WorkspaceRow.id == workspace))


def _name(key: ManifestKey) -> tuple[str, str]:
    return key.location, key.playlist or ""


def _revisions(session: Session, keys: Sequence[ManifestKey]) -> dict[tuple[str, str], RevisionRow]:
    """Returns the versions of all playlists at the locations of these manifests, by location and playlist."""
    rows = session.scalars(select(RevisionRow).where(RevisionRow.location_id.in_({key.location for key in keys})))
    return {(row.location_id, row.playlist_id): row for row in rows}


def _count_revision(
    unit: Unit, key: ManifestKey, content: Content, rows: dict[tuple[str, str], RevisionRow], history: int
) -> RevisionRow:
    """Returns the revision of this content: the last one if nothing has changed, otherwise the next. `history` is the
    newest number of the history in it."""
    row = rows.get(_name(key))
    if row is None:
        row = RevisionRow(
            location_id=key.location,
            playlist_id=key.playlist or "",
            revision=1,
            digest=content.digest,
            revision_at=content.newest,
            history=history,
        )
        unit.session.add(row)
        if any(location == key.location for location, _ in rows):
            # The screens here have had another playlist: each manifest here tells the items of both from now on.
            unit.announce(ContentChanged(key.workspace, location=key.location))
        rows[_name(key)] = row
    elif row.digest != content.digest:
        row.revision += 1
        row.digest = content.digest
        row.history = history
        # If nothing in it is newer than the last revision, an item has left the catalogue.
        row.revision_at = (
            content.newest if content.newest > row.revision_at else max(row.revision_at, content.catalogue_changed_at)
        )
    return row


def _encode(content: Content, row: RevisionRow, history: str) -> Manifest | ProblemError:
    head = {
        "format": FORMAT,
        "epoch": content.epoch,
        "revision": row.revision,
        "revisionAt": instant_text(row.revision_at),
        "history": history,
    }
    body = msgspec.json.encode(head)[:-1] + b",%b}" % content.fields
    if len(body) > composition.MAX_MANIFEST_BYTES:
        return ProblemError(
            503,
            "manifest_too_large",
            "What this screen should hold is too large",
            f"It takes {len(body)} bytes; players accept {composition.MAX_MANIFEST_BYTES}. Take items or scenes away.",
            headers={"Retry-After": "60"},
        )
    return Manifest(
        epoch=content.epoch,
        revision=row.revision,
        etag=hashlib.sha256(body).hexdigest(),
        compressed=gzip.compress(body, mtime=0),
        sources=content.sources,
    )
