"""Assets: images and videos, named by their SHA-256 and checked when they are uploaded."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.core.clock import instant_text
from service.core.errors import Fault, not_found, storage_full, too_large
from service.schema.asset import AssetResponse
from service.schema.fields import ASSET_PREFIX
from service.schema.lists import Listing
from service.services.assets.checks import ensure_claimed, ensure_playable, max_bytes
from service.services.shared.listing import listing
from service.services.shared.lookup import batches, read_page, unknown, wrong_asset
from service.storage.asset_files import DIGEST_CHARACTERS, AssetFiles, StorageFullError, Upload
from service.storage.database import Database, Unit
from service.storage.paging import Cursors, PageRequest
from service.storage.tables.menus import AssetRow


@dataclass(frozen=True, slots=True)
class StoredAsset:
    """An asset whose bytes are on the disk."""

    digest: str
    path: Path
    size: int
    media_type: str

    @property
    def id(self) -> str:
        """Its id in the API."""
        return f"{ASSET_PREFIX}{self.digest}"


@dataclass(frozen=True, slots=True)
class AddedAsset:
    """An asset of the workspace; `created` is whether the workspace did not have it before."""

    view: AssetResponse
    created: bool


class AssetService:
    """Stores uploads, and lists and finds assets."""

    def __init__(self, *, database: Database, files: AssetFiles, cursors: Cursors) -> None:
        self._database = database
        self._files = files
        self._cursors = cursors

    def begin(self, media_type: str) -> Upload:
        """Begins an upload, followed by calls of `take` and one of `finish`. Raises the 415 problem."""
        max_bytes(media_type)
        return self._files.upload()

    def take(self, upload: Upload, chunk: bytes, *, media_type: str) -> None:
        """Adds bytes. Raises the 413 problem as soon as there are too many, and 507 when the disk is full."""
        limit = max_bytes(media_type)
        if upload.size + len(chunk) > limit:
            raise too_large(limit)
        try:
            upload.write(chunk)
        except StorageFullError:
            raise storage_full() from None

    def finish(self, upload: Upload, *, workspace: str, media_type: str) -> AddedAsset:
        """Checks and stores the upload.

        Raises the 415 problem when the bytes are not of the media type or no screen can show them, and 507 on a full
        disk.
        """
        container = ensure_claimed(upload.head, media_type)
        try:
            path = upload.readable()
        except StorageFullError:
            raise storage_full() from None
        ensure_playable(path, container)
        # The file first: every row has one, and no transaction waits for the disk.
        try:
            digest = upload.store()
        except StorageFullError:
            raise storage_full() from None
        with self._database.write() as unit:
            return self.add(unit, self._stored(digest, upload.size, media_type), workspace=workspace)

    def store(self, content: bytes, *, media_type: str) -> StoredAsset:
        """Writes bundled bytes, which need no check, to the disk for `add`. Raises the 507 problem."""
        try:
            return self._stored(self._files.add(content), len(content), media_type)
        except StorageFullError:
            raise storage_full() from None

    def add(self, unit: Unit, stored: StoredAsset, *, workspace: str) -> AddedAsset:
        """Adds a stored asset to the workspace, in the caller's transaction."""
        row = _find(unit.session, workspace, stored.digest)
        created = row is None
        if row is None:
            row = AssetRow(
                workspace_id=workspace,
                digest=stored.digest,
                size=stored.size,
                media_type=stored.media_type,
                created_at=unit.now,
            )
            unit.session.add(row)
            unit.session.flush()
        return AddedAsset(view=_view(row), created=created)

    def list(self, workspace: str, request: PageRequest) -> Listing[AssetResponse]:
        """One page of assets."""
        with self._database.read() as session:
            return listing(read_page(session, self._cursors, AssetRow, workspace, request), _view)

    def get(self, workspace: str, asset: str) -> StoredAsset:
        """One asset and the path of its bytes. Raises the 404 problem."""
        with self._database.read() as session:
            row = _find(session, workspace, digest_in(asset)) if _is_name(asset) else None
        if row is None:
            raise not_found("asset", asset)
        return self._stored(row.digest, row.size, row.media_type)

    def _stored(self, digest: str, size: int, media_type: str) -> StoredAsset:
        return StoredAsset(digest=digest, path=self._files.path(digest), size=size, media_type=media_type)


def digest_in(name: str) -> str:
    """The hex digits in an asset's id."""
    return name.removeprefix(ASSET_PREFIX)


def find_assets(session: Session, workspace: str, names: Iterable[str]) -> dict[str, AssetRow]:
    """The rows of these assets, by id; assets that the workspace does not have are left out."""
    digests = {digest_in(name): name for name in names}
    found: dict[str, AssetRow] = {}
    for some in batches(list(digests)):
        rows = session.scalars(select(AssetRow).where(AssetRow.workspace_id == workspace, AssetRow.digest.in_(some)))
        found.update((digests[row.digest], row) for row in rows)
    return found


def image_faults(session: Session, workspace: str, image: str | None, pointer: str) -> Iterable[Fault]:
    """The faults of an `image` that a body names, if it names one."""
    if image is None:
        return
    row = find_assets(session, workspace, [image]).get(image)
    if row is None:
        yield unknown("asset", image, f"{pointer}/image")
    elif not row.media_type.startswith("image/"):
        yield wrong_asset(row.media_type, "image/*", f"{pointer}/image")


def _is_name(asset: str) -> bool:
    return asset.startswith(ASSET_PREFIX) and len(asset) == len(ASSET_PREFIX) + DIGEST_CHARACTERS


def _find(session: Session, workspace: str, digest: str) -> AssetRow | None:
    return session.scalar(select(AssetRow).where(AssetRow.workspace_id == workspace, AssetRow.digest == digest))


def _view(row: AssetRow) -> AssetResponse:
    return AssetResponse(
        id=f"{ASSET_PREFIX}{row.digest}",
        size=row.size,
        media_type=row.media_type,
        created_at=instant_text(row.created_at),
    )
