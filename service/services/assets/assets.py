"""Manages assets: images, videos and fonts, named by their SHA-256 and checked when they are uploaded."""

from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice

from sqlalchemy import delete, exists, select
from sqlalchemy.orm import Session

from service.core.clock import instant_text
from service.core.errors import Fault, ProblemError, not_found, storage_full, too_large
from service.schema.content.asset import AssetPatch, AssetResponse, AssetUses, FontFacts
from service.schema.fields import ASSET_PREFIX
from service.schema.lists import Listing
from service.services.access.access import Access
from service.services.assets.checks import Container, container_of, ensure_playable, font_in, max_bytes, media_type_of
from service.services.assets.photos import as_jpeg
from service.services.assets.uses import MAX_USE_FAULTS, seen_by, use_faults, uses_of
from service.services.shared.etags import ALWAYS, Condition
from service.services.shared.listing import listing
from service.services.shared.lookup import batches, read_page, unknown, wrong_asset
from service.storage.asset_store import (
    CHUNK_BYTES,
    DIGEST_CHARACTERS,
    AssetStore,
    StorageFullError,
    StoreUnavailableError,
    Upload,
)
from service.storage.database import Database, Unit
from service.storage.paging import Cursors, PageRequest
from service.storage.tables.menus import AssetRow, RemovedAssetRow

KEPT_AFTER_REMOVAL = timedelta(days=1)
"""A backup that began before the removal finds the file until then."""
MAX_REMOVED_AT_A_TIME = 100


@dataclass(frozen=True, slots=True)
class StoredAsset:
    """An asset whose bytes are in the store."""

    digest: str
    size: int
    media_type: str
    font: FontFacts | None = None

    @property
    def id(self) -> str:
        return f"{ASSET_PREFIX}{self.digest}"


@dataclass(frozen=True, slots=True)
class AddedAsset:
    """An asset of the workspace; `created` if the workspace did not have it before."""

    view: AssetResponse
    created: bool


class AssetService:
    def __init__(self, *, database: Database, store: AssetStore, cursors: Cursors) -> None:
        self._database = database
        self._store = store
        self._cursors = cursors

    def begin(self, media_type: str) -> Upload:
        """Begins an upload, followed by calls of `take` and one of `finish`. Raises the 415 problem."""
        max_bytes(media_type)
        return self._store.upload()

    def take(self, upload: Upload, chunk: bytes, *, media_type: str) -> None:
        """Adds bytes. Raises the 413 problem as soon as there are too many, and 507 when the disk is full."""
        limit = max_bytes(media_type)
        if upload.size + len(chunk) > limit:
            raise too_large(limit)
        with store_problems():
            upload.write(chunk)

    def finish(self, upload: Upload, *, workspace: str, media_type: str, alt: str | None = None) -> AddedAsset:
        """Checks and stores the upload, as the type of its first bytes; a new asset gets the text `alt`.

        Raises the 415 problem when no screen can show it, 413 when it is too large for its type, 507 on a full disk,
        and 503 without the store.
        """
        container = container_of(upload.head)
        media_type = media_type_of(container, media_type)
        if upload.size > max_bytes(media_type):
            raise too_large(max_bytes(media_type))
        with store_problems():
            if container is Container.HEIF:
                stored = self._store_photo(upload)
            elif container is Container.FONT:
                stored = self._store_font(upload)
            else:
                stored = self._store_checked(upload, container, media_type)
        with self._database.write() as unit:
            return self.add(unit, stored, workspace=workspace, alt=alt)

    def _store_photo(self, upload: Upload) -> StoredAsset:
        with as_jpeg(upload.readable()) as photo, self._store.upload() as turned, photo.open("rb") as file:
            while chunk := file.read(CHUNK_BYTES):
                turned.write(chunk)
            return self._store_checked(turned, Container.JPEG, "image/jpeg")

    def _store_font(self, upload: Upload) -> StoredAsset:
        found = font_in(upload.readable().read_bytes())
        facts = FontFacts(family=found.family, weights=list(found.weights), scripts=list(found.scripts))
        return StoredAsset(upload.store(), upload.size, found.media_type, facts)

    def _store_checked(self, upload: Upload, container: Container, media_type: str) -> StoredAsset:
        ensure_playable(upload.readable(), container)
        # The file first: every row has one, and no transaction waits for the store.
        return StoredAsset(upload.store(), upload.size, media_type)

    def store(self, content: bytes, *, media_type: str) -> StoredAsset:
        """Stores bundled bytes, which need no check, for `add`. Raises the 503 and 507 problems."""
        with store_problems():
            return StoredAsset(self._store.add(content), len(content), media_type)

    def add(self, unit: Unit, stored: StoredAsset, *, workspace: str, alt: str | None = None) -> AddedAsset:
        """Adds a stored asset to the workspace, in the caller's transaction; a new one gets the text `alt`."""
        row = _find(unit.session, workspace, stored.digest)
        created = row is None
        if row is None:
            row = AssetRow(
                workspace_id=workspace,
                digest=stored.digest,
                size=stored.size,
                media_type=stored.media_type,
                font=None if stored.font is None else stored.font.document(),
                alt=alt,
                created_at=unit.now,
            )
            unit.session.add(row)
            unit.session.execute(delete(RemovedAssetRow).where(RemovedAssetRow.digest == stored.digest))
            unit.session.flush()
        return AddedAsset(view=_view(row), created=created)

    def list(self, workspace: str, request: PageRequest) -> Listing[AssetResponse]:
        with self._database.read() as session:
            return listing(read_page(session, self._cursors, AssetRow, workspace, request), _view)

    def get(self, workspace: str, asset: str) -> StoredAsset:
        """Raises the 404 problem."""
        with self._database.read() as session:
            row = _get(session, workspace, asset)
        return StoredAsset(row.digest, row.size, row.media_type)

    def view(self, workspace: str, asset: str) -> AssetResponse:
        """Returns one asset as the API lists it. Raises the 404 problem."""
        with self._database.read() as session:
            return _view(_get(session, workspace, asset))

    def whole(self, asset: StoredAsset) -> None:
        """Raises the 503 problem if the store does not have all bytes of the asset."""
        with store_problems():
            if self._store.size(asset.digest) != asset.size:
                raise asset_unavailable()

    def read(self, asset: StoredAsset, start: int, end: int) -> Generator[bytes]:
        """Yields the bytes from `start` up to, but without, `end`, in chunks; fewer if the store fails meanwhile."""
        try:
            yield from self._store.read(asset.digest, start, end)
        except StoreUnavailableError:
            return

    def link(self, asset: StoredAsset) -> str | None:
        """Returns a signed address of the asset, if the store gives any. Raises the 503 problems, as `whole` does."""
        with store_problems():
            link = self._store.link(asset.digest, media_type=asset.media_type)
        if link is not None:
            self.whole(asset)
        return link

    def uses(self, access: Access, asset: str) -> AssetUses:
        """Raises the 404 problem."""
        with self._database.read() as session:
            row = _get(session, access.workspace, asset)
            return seen_by(session, access, uses_of(session, access.workspace, row.digest, now=self._database.now()))

    def change(self, workspace: str, asset: str, body: AssetPatch, expected: Condition = ALWAYS) -> AssetResponse:
        """Changes some fields. Raises the 404 and 412 problems."""
        with self._database.write() as unit:
            row = _get(unit.session, workspace, asset)
            expected.check(_view(row))
            for name, value in body.given().items():
                setattr(row, name, value)
            return _view(row)

    def remove(self, access: Access, asset: str, expected: Condition = ALWAYS) -> None:
        """Removes an asset; its file is deleted a day later. Raises the 404 and 412 problems, and 409 if it is used."""
        with self._database.write() as unit:
            row = _get(unit.session, access.workspace, asset)
            expected.check(_view(row))
            uses = uses_of(unit.session, access.workspace, row.digest, now=unit.now)
            if any(use_faults(uses)):
                raise _asset_in_use(seen_by(unit.session, access, uses))
            unit.session.delete(row)
            unit.session.flush()
            if not _is_named(unit.session, row.digest):
                unit.session.merge(RemovedAssetRow(digest=row.digest, removed_at=unit.now))

    def prune(self, *, most: int = MAX_REMOVED_AT_A_TIME) -> None:
        """Removes the files of `most` assets that were removed a day ago, unless a workspace has them again."""
        with self._database.read() as session:
            due = select(RemovedAssetRow.digest).where(
                RemovedAssetRow.removed_at <= self._database.now() - KEPT_AFTER_REMOVAL
            )
            found = session.scalars(due.order_by(RemovedAssetRow.removed_at).limit(most)).all()
        for digest in found:
            with self._database.read() as session:
                is_named = _is_named(session, digest)
            if not is_named:
                # Not within the transaction below: nobody else could write while the store is slow.
                self._store.remove(digest)
            with self._database.write() as unit:
                unit.session.execute(delete(RemovedAssetRow).where(RemovedAssetRow.digest == digest))


@contextmanager
def store_problems() -> Iterator[None]:
    """Converts errors of the store into problems."""
    try:
        yield
    except StorageFullError:
        raise storage_full() from None
    except StoreUnavailableError:
        raise ProblemError(
            503,
            "asset_store_unavailable",
            "The store of images and films does not answer",
            "The service's log says why. All else goes on; boards have their files.",
            headers={"Retry-After": "5"},
        ) from None


def asset_unavailable() -> ProblemError:
    """Returns 503: the store has lost the bytes of an asset, or a part of them."""
    return ProblemError(
        503, "asset_unavailable", "The asset's file is damaged or missing", "Upload the asset again to mend it."
    )


def _asset_in_use(uses: AssetUses) -> ProblemError:
    faults = tuple(islice(use_faults(uses), MAX_USE_FAULTS))
    detail = "Take it from what uses it first, or wait until old versions are replaced: GET …/uses lists them."
    return ProblemError(409, "in_use", "The asset is in use", detail, faults)


def digest_in(name: str) -> str:
    """Returns the hex digits in an asset's id."""
    return name.removeprefix(ASSET_PREFIX)


def find_assets(session: Session, workspace: str, names: Iterable[str]) -> dict[str, AssetRow]:
    """Returns the rows of these assets, by id; assets that the workspace does not have are left out."""
    digests = {digest_in(name): name for name in names}
    found: dict[str, AssetRow] = {}
    for some in batches(list(digests)):
        rows = session.scalars(select(AssetRow).where(AssetRow.workspace_id == workspace, AssetRow.digest.in_(some)))
        found.update((digests[row.digest], row) for row in rows)
    return found


def image_faults(session: Session, workspace: str, image: str | None, pointer: str) -> Iterable[Fault]:
    """Returns the faults of an `image` that a body names, if it names one."""
    if image is None:
        return
    row = find_assets(session, workspace, [image]).get(image)
    if row is None:
        yield unknown("asset", image, f"{pointer}/image")
    elif not row.media_type.startswith("image/"):
        yield wrong_asset(row.media_type, "image/*", f"{pointer}/image")


def _is_name(asset: str) -> bool:
    return asset.startswith(ASSET_PREFIX) and len(asset) == len(ASSET_PREFIX) + DIGEST_CHARACTERS


def _get(session: Session, workspace: str, asset: str) -> AssetRow:
    row = _find(session, workspace, digest_in(asset)) if _is_name(asset) else None
    if row is None:
        raise not_found("asset", asset)
    return row


def _is_named(session: Session, digest: str) -> bool:
    """True if any workspace has the asset."""
    return bool(session.scalar(select(exists().where(AssetRow.digest == digest))))


def _find(session: Session, workspace: str, digest: str) -> AssetRow | None:
    return session.scalar(select(AssetRow).where(AssetRow.workspace_id == workspace, AssetRow.digest == digest))


def _view(row: AssetRow) -> AssetResponse:
    return AssetResponse(
        id=f"{ASSET_PREFIX}{row.digest}",
        size=row.size,
        media_type=row.media_type,
        alt=row.alt,
        font=None if row.font is None else FontFacts.model_validate(row.font),
        created_at=instant_text(row.created_at),
    )
