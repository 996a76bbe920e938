"""Accepts uploads in parts: each part is whole or absent, so that an upload continues after a broken connection or a
restart, at any process (docs/adr/0198)."""

from datetime import timedelta

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from service.core.clock import instant_text
from service.core.errors import Fault, ProblemError, invalid, too_large
from service.core.ids import NewId
from service.schema.content.asset import AssetUploadResponse, UploadCreate
from service.schema.fields import ASSET_PREFIX
from service.services.assets.assets import AssetService, store_problems
from service.services.assets.checks import max_bytes
from service.services.shared.lookup import get
from service.storage.asset_store import AssetStore
from service.storage.database import Database
from service.storage.tables.menus import AssetUploadRow

MAX_PART_BYTES = 8 * 1024 * 1024
MIN_PART_BYTES = 256 * 1024
"""Bytes of every part but the last: they bound the number of parts."""
MAX_UNFINISHED = 20
"""Uploads of a workspace that are no assets yet."""
MAX_UNFINISHED_BYTES = 2 * 1024**3
"""Bytes that those have when they are whole."""
KEPT = timedelta(days=1)
"""An upload is removed so long after its last part."""
MAX_REMOVED_AT_A_TIME = 100


class UploadService:
    """Begins uploads, takes their parts, and makes assets of them. Its calls block."""

    def __init__(self, *, database: Database, assets: AssetService, store: AssetStore, new_id: NewId) -> None:
        self._database = database
        self._assets = assets
        self._store = store
        self._new_id = new_id

    def begin(self, workspace: str, body: UploadCreate) -> AssetUploadResponse:
        """Returns a new upload. Raises the 413 and 415 problems, and 409 when the workspace has too many."""
        limit = max_bytes(body.media_type)
        if body.size > limit:
            raise too_large(limit)
        with self._database.write() as unit:
            self._check_room(unit.session, workspace, body.size)
            row = AssetUploadRow(
                id=self._new_id("upl"),
                workspace_id=workspace,
                media_type=body.media_type,
                size=body.size,
                received=0,
                expected=body.sha256,
                digest=None,
                changed_at=unit.now,
            )
            unit.session.add(row)
            unit.session.flush()
            return _view(row)

    def get(self, workspace: str, upload: str) -> AssetUploadResponse:
        """Returns one upload, with the offset reached. Raises the 404 problem."""
        with self._database.read() as session:
            return _view(get(session, AssetUploadRow, workspace, upload, kind="upload"))

    def take(
        self, workspace: str, upload: str, offset: int, content: bytes, alt: str | None = None
    ) -> AssetUploadResponse:
        """Stores a part; with the last one the upload becomes an asset, with the text `alt` if it is new. A part
        without bytes retries that.

        Raises the 404 problem, 409 for a part that does not follow, 400 for one too small or too long, and the problems
        of an upload in one piece.
        """
        with self._database.read() as session:
            row = get(session, AssetUploadRow, workspace, upload, kind="upload")
            view, expected = _view(row), row.expected
        if view.asset is not None:
            return view
        _check_part(view, offset, len(content))
        if content:
            with store_problems():
                self._store.keep_part(upload, offset, content)
            try:
                view = self._received(workspace, upload, offset, len(content))
            except ProblemError as problem:
                if problem.status == 404:
                    # Given up while the part was kept, which nobody else would find again.
                    with store_problems():
                        self._store.remove_parts(upload)
                raise
        return self._finish(workspace, view, expected, alt) if view.offset == view.size else view

    def remove(self, workspace: str, upload: str) -> None:
        """Cancels an upload; an asset that it has become stays. Raises the 404 problem."""
        with self._database.read() as session:
            get(session, AssetUploadRow, workspace, upload, kind="upload")
        self._forget(upload)

    def prune(self) -> None:
        """Removes uploads of which no part has come for a day, and old records of finished ones."""
        with self._database.read() as session:
            due = select(AssetUploadRow.id).where(AssetUploadRow.changed_at <= self._database.now() - KEPT)
            found = session.scalars(due.order_by(AssetUploadRow.changed_at).limit(MAX_REMOVED_AT_A_TIME)).all()
        for upload in found:
            self._forget(upload)

    def _received(self, workspace: str, upload: str, offset: int, count: int) -> AssetUploadResponse:
        with self._database.write() as unit:
            row = get(unit.session, AssetUploadRow, workspace, upload, kind="upload")
            # Two calls may send the same part at a time: the second one is told how far the upload is.
            _check_part(_view(row), offset, count)
            row.received = offset + count
            row.changed_at = unit.now
            return _view(row)

    def _finish(
        self, workspace: str, view: AssetUploadResponse, expected: str | None, alt: str | None
    ) -> AssetUploadResponse:
        with self._assets.begin(view.media_type) as whole:
            while whole.size < view.size:
                with store_problems():
                    part = self._store.part(view.id, whole.size)
                if not part:
                    known = self.get(workspace, view.id)
                    if known.asset is not None:
                        # Another call has finished it meanwhile, and removed its parts.
                        return known
                    self._forget(view.id)
                    raise ProblemError(409, "upload_lost", "A part of the upload is lost", "Begin the upload again.")
                self._assets.take(whole, part, media_type=view.media_type)
            if expected not in (None, whole.digest):
                self._forget(view.id)
                detail = "The bytes that have come have another SHA-256. Begin the upload again."
                raise invalid([Fault("other_hash", detail, "/sha256")])
            try:
                added = self._assets.finish(whole, workspace=workspace, media_type=view.media_type, alt=alt)
            except ProblemError as problem:
                if problem.status < 500:
                    # No screen can show it: the same bytes are refused again.
                    self._forget(view.id)
                raise
        with self._database.write() as unit:
            row = get(unit.session, AssetUploadRow, workspace, view.id, kind="upload")
            row.digest = added.view.id.removeprefix(ASSET_PREFIX)
            row.changed_at = unit.now
            finished = _view(row)
        with store_problems():
            self._store.remove_parts(view.id)
        return finished

    def _forget(self, upload: str) -> None:
        # The parts first: what is in no row is never found again.
        with store_problems():
            self._store.remove_parts(upload)
        with self._database.write() as unit:
            unit.session.execute(delete(AssetUploadRow).where(AssetUploadRow.id == upload))

    def _check_room(self, session: Session, workspace: str, size: int) -> None:
        counted = select(func.count(), func.coalesce(func.sum(AssetUploadRow.size), 0))
        unfinished = counted.where(AssetUploadRow.workspace_id == workspace, AssetUploadRow.digest.is_(None))
        count, filled = session.execute(unfinished).one()
        if count >= MAX_UNFINISHED or int(filled) + size > MAX_UNFINISHED_BYTES:
            raise ProblemError(
                409,
                "too_many_uploads",
                "Too many uploads are not finished",
                f"A workspace has at most {MAX_UNFINISHED}, of {MAX_UNFINISHED_BYTES} bytes together. They are removed "
                "a day after their last part; DELETE removes one at once.",
            )


def _check_part(upload: AssetUploadResponse, offset: int, count: int) -> None:
    if offset != upload.offset:
        raise ProblemError(
            409,
            "wrong_offset",
            "The part does not follow",
            f"The next part begins at {upload.offset}.",
            headers={"Upload-Offset": str(upload.offset)},
        )
    left = upload.size - offset
    if count > left or (count < MIN_PART_BYTES and count < left):
        detail = f"A part has at least {MIN_PART_BYTES} bytes, except the last one; {left} bytes are left."
        raise ProblemError(400, "wrong_part", "The part has a wrong length", detail)


def _view(row: AssetUploadRow) -> AssetUploadResponse:
    return AssetUploadResponse(
        id=row.id,
        media_type=row.media_type,
        size=row.size,
        offset=row.received,
        asset=None if row.digest is None else f"{ASSET_PREFIX}{row.digest}",
        expires_at=instant_text(row.changed_at + KEPT),
    )
