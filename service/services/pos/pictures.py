"""Fetches the pictures that feeds name, and assigns them to their items.

Runs after the import, which does not wait for pictures. A picture is fetched once for a URL: a new one has another URL.
Each is checked as an upload is, and kept as an asset.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session
from starlette.concurrency import run_in_threadpool

from service.core.errors import ProblemError
from service.schema.content.pos import PictureError, PicturesResponse
from service.schema.fields import ASSET_PREFIX
from service.services.assets.assets import AssetService, digest_in, find_assets
from service.services.assets.checks import container_of, is_image, media_type_of
from service.services.content.catalogue import catalogue_changed
from service.services.pos.connections import ClaimedSync
from service.services.shared.lookup import find_many
from service.services.shared.outbound import Outbound, Unanswered
from service.storage.asset_store import HEAD_BYTES
from service.storage.database import Database, Unit
from service.storage.tables.menus import ItemRow, PosConnectionRow, PosLinkRow

MAX_PICTURES = 500
"""Pictures of one sync; further ones come with the next."""
MAX_PICTURE_BYTES = 10 * 1024 * 1024
PICTURES_SECONDS = 120.0
"""No picture of a sync is begun later."""
MAX_PICTURE_TRIES = 5
"""A picture that cannot be had is given up after so many syncs, until its URL changes."""
MAX_LISTED_PICTURE_ERRORS = 20


@dataclass(frozen=True, slots=True)
class PictureFailure:
    """A picture that cannot be fetched: `reason` is a short word, `detail` a sentence for people."""

    reason: str
    detail: str


Fetched = str | PictureFailure
"""The digest of a picture, or why there is none."""


class Pictures:
    """Fetches pictures. Call it on the event loop."""

    def __init__(self, *, database: Database, assets: AssetService, outbound: Outbound) -> None:
        self._database = database
        self._assets = assets
        self._outbound = outbound

    async def fetch_for(self, claimed: ClaimedSync) -> None:
        """Fetches the pictures that items of the connection still lack."""
        urls = await run_in_threadpool(self._wanted, claimed.connection)
        if not urls and claimed.source.feed:
            return
        found: dict[str, Fetched] = {}
        loop = asyncio.get_running_loop()
        until = loop.time() + PICTURES_SECONDS
        for url in urls:
            if loop.time() >= until:
                break
            found[url] = await self._fetch(claimed.workspace, url)
        await run_in_threadpool(self._take, claimed, found)

    async def _fetch(self, workspace: str, url: str) -> Fetched:
        fetched = await self._outbound.fetch(url, limit=MAX_PICTURE_BYTES)
        if isinstance(fetched, Unanswered):
            return PictureFailure(fetched.reason, "The picture could not be fetched.")
        if not 200 <= fetched.status < 300:
            return PictureFailure("bad_status", f"The answer has status {fetched.status}.")
        if fetched.body is None:
            return PictureFailure("too_large", f"A picture has at most {MAX_PICTURE_BYTES} bytes.")
        try:
            return await run_in_threadpool(self._store, workspace, fetched.body)
        except ProblemError as problem:
            return PictureFailure(problem.code, problem.detail)

    def _store(self, workspace: str, content: bytes) -> Fetched:
        if not is_image(content[:HEAD_BYTES]):
            return PictureFailure("not_an_image", "The answer is neither PNG, JPEG, WebP, HEIC nor AVIF.")
        media_type = media_type_of(container_of(content[:HEAD_BYTES]), "")
        with self._assets.begin(media_type) as upload:
            self._assets.take(upload, content, media_type=media_type)
            return digest_in(self._assets.finish(upload, workspace=workspace, media_type=media_type).view.id)

    def _wanted(self, connection: str) -> Sequence[str]:
        with self._database.read() as session:
            lacking = sorted(filter(_is_due, _links(session, connection)), key=_tries)
        return list(dict.fromkeys(link.picture["wanted"] for link in lacking if link.picture))[:MAX_PICTURES]

    def _take(self, claimed: ClaimedSync, found: Mapping[str, Fetched]) -> None:
        """Assigns the pictures to their items, and records the failures."""
        with self._database.write() as unit:
            row = unit.session.scalar(select(PosConnectionRow).where(PosConnectionRow.id == claimed.connection))
            if row is None:
                return
            links = [link for link in _links(unit.session, row.id) if _is_due(link)]
            if found:
                result = _give(unit, row, links, found)
                row.last_sync = None if row.last_sync is None else {**row.last_sync, "pictures": result.document()}
            if not row.feed and row.due_at == claimed.until:
                row.due_at = unit.now if any(map(_is_untried, links)) else None


def _give(
    unit: Unit, row: PosConnectionRow, links: Sequence[PosLinkRow], found: Mapping[str, Fetched]
) -> PicturesResponse:
    items = find_many(unit.session, ItemRow, row.workspace_id, (link.item_id for link in links))
    pictures = [got for got in found.values() if isinstance(got, str)]
    kept = set(find_assets(unit.session, row.workspace_id, [f"{ASSET_PREFIX}{one}" for one in pictures]))
    changed: list[ItemRow] = []
    errors: list[PictureError] = []
    for link in links:
        picture = link.picture or {}
        url = picture["wanted"]
        got = found.get(url)
        if isinstance(got, PictureFailure):
            link.picture = {**picture, "tries": picture["tries"] + 1}
            errors.append(PictureError(id=link.external_id, url=url, reason=got.reason, detail=got.detail))
        elif got is not None and f"{ASSET_PREFIX}{got}" in kept:
            # One that was deleted since it was fetched comes with the next sync.
            link.picture = {"wanted": url, "has": url, "tries": 0}
            if (item := items.get(link.item_id)) is not None:
                item.image, item.changed_at = got, unit.now
                changed.append(item)
    if changed:
        catalogue_changed(unit, row.workspace_id, changed)
    return PicturesResponse(
        fetched=len(changed),
        failed=len(errors),
        waiting=sum(map(_is_untried, links)),
        errors=errors[:MAX_LISTED_PICTURE_ERRORS],
    )


def _links(session: Session, connection: str) -> Sequence[PosLinkRow]:
    mine = select(PosLinkRow).where(PosLinkRow.connection_id == connection, PosLinkRow.picture.is_not(None))
    return session.scalars(mine.order_by(PosLinkRow.external_id)).all()


def _tries(link: PosLinkRow) -> int:
    return int(link.picture["tries"]) if link.picture else 0


def _is_due(link: PosLinkRow) -> bool:
    picture = link.picture
    return picture is not None and picture["wanted"] != picture["has"] and picture["tries"] < MAX_PICTURE_TRIES


def _is_untried(link: PosLinkRow) -> bool:
    return _is_due(link) and _tries(link) == 0
