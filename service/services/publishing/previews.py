"""Renders previews of scenes with the player as a child process, and caches the images.

The child is isolated: it gets a folder with the scene, its items and links to its images, none of the service's
settings, a memory limit, and a time limit.
"""

import hashlib
import logging
import shutil
import tempfile
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import select
from sqlalchemy.orm import Session
from starlette.concurrency import run_in_threadpool

from service.core.clock import instant_text
from service.core.errors import Fault, ProblemError, invalid
from service.core.json_text import write_json
from service.schema.places.live_value import holds_values
from service.services.access.access import Access
from service.services.assets.assets import digest_in, store_problems
from service.services.content.categories import categories_of
from service.services.content.words import words_row
from service.services.places.locations import second_currency_of
from service.services.places.planned_values import there_at
from service.services.publishing.menu_items import item_documents, selected_items
from service.services.publishing.player_process import PlayerFailedError, PlayerSlots, failed, not_installed, run_player
from service.services.publishing.versions import assets_named, item_selection
from service.services.shared.lookup import get
from service.storage.asset_store import AssetStore
from service.storage.database import Database
from service.storage.history import Then, catalogue_then
from service.storage.tables.menus import ItemRow
from service.storage.tables.workspaces import LocationRow

MIN_WIDTH, DEFAULT_WIDTH, MAX_WIDTH = 64, 960, 3840
MIN_HEIGHT, MAX_HEIGHT = 64, 4096
"""Pixels; a canvas with an extreme aspect ratio is letterboxed."""
MAX_ITEMS_SHOWN = 200
"""The most items with which a scene can be tried."""
MAX_AHEAD = timedelta(days=400)
"""The furthest ahead that a scene can be drawn."""
MAX_RENDERERS = 2
"""Child processes at a time."""
MAX_WAITING = 8
"""Calls that wait for a child process."""
RENDER_SECONDS = 20.0
"""After which a child is killed."""
MAX_IMAGE_BYTES = 16 * 1024 * 1024
"""Size of an image, and of any other file that a child writes, its log included."""
MAX_CACHED_BYTES = 64 * 1024 * 1024
"""Images cached in memory; the least recently used are dropped first."""
_NO_ITEMS = 3
"""The player's exit code for the image of a scene none of whose items can be had."""
_TIMELESS = "2000-01-01T00:00:00.000Z"
"""The time of a scene that does not show any, so that its image can be cached."""

PictureForm = Literal["png", "jpg"]
Picture = Callable[[Session, Access], Mapping[str, Any]]
"""Finds the scene to draw (`pictures`)."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewRequest:
    """All parameters of the image. `tag` is a digest of them."""

    tag: str
    scene: bytes
    items: bytes
    images: tuple[str, ...]
    """SHA-256 in hex of the assets."""
    at: str
    size: tuple[int, int]
    language: str | None
    """In place of those of the scene."""
    form: PictureForm


class PreviewService:
    """Renders scenes. `player` is the command of the player; None if it is not installed.

    `release` differs for another version, which may render the same scene differently.
    """

    def __init__(self, *, database: Database, store: AssetStore, player: Sequence[str] | None, release: str) -> None:
        self._database = database
        self._assets = store
        self._player = player
        self._release = release
        self._cache: OrderedDict[str, bytes] = OrderedDict()
        self._slots = PlayerSlots(children=MAX_RENDERERS, waiting=MAX_WAITING)

    def plan(
        self,
        access: Access,
        picture: Picture,
        *,
        width: int,
        height: int | None = None,
        location: str | None,
        language: str | None = None,
        at: datetime | None = None,
        then: Then | None = None,
        items: int | None = None,
        form: PictureForm = "png",
    ) -> PreviewRequest:
        """Plans the preview as of now, of `at` with planned changes, or with the values of `then`; without a `height`
        in the shape of the canvas; with `items` sample items, for a trial, in place of its own. Raises the problems of
        `picture`, and 404 for a location that the key does not see."""
        if at is not None and not timedelta() <= at - self._database.now() <= MAX_AHEAD:
            detail = f"A picture is of an instant from now to {MAX_AHEAD.days} days ahead."
            raise invalid([Fault("out_of_range", detail, parameter="at")])
        now = at or self._database.now() if then is None else then.at
        with self._database.read() as session:
            document = {**picture(session, access), "schedules": []}
            with catalogue_then(session, access.workspace, location, then) as catalogue:
                place, values = _location(catalogue, access, location)
                rows = selected_items(catalogue, access.workspace, [item_selection([document])])
                shown = item_documents(_as_there(catalogue, access.workspace, place, rows, now=now), now=now)
                documents = shown if items is None else _so_many(shown, items)
                words = words_row(catalogue, access.workspace)
        shown_at = instant_text(now)
        if then is None:
            # The current minute only if the scene shows the time.
            shown_at = _minute(now) if any(map(_shows_time, document["widgets"])) else _TIMELESS
        categories = categories_of(words)
        named = (*documents, *categories.values())
        images = [*assets_named(document), *(one["image"] for one in named if "image" in one)]
        size = _size(document, width) if height is None else (width, height)
        optional = {"words": words and words.words, "categories": categories or None, "values": values or None}
        told_of = {name: value for name, value in optional.items() if value is not None}
        scene_body, items_body = write_json(document), write_json({"location": place, "items": documents, **told_of})
        told = (shown_at, f"{size[0]}x{size[1]}", self._release, language or "", form)
        inputs = b"\n".join((scene_body, items_body, *(one.encode() for one in told)))
        return PreviewRequest(
            tag=hashlib.sha256(inputs).hexdigest()[:32],
            scene=scene_body,
            items=items_body,
            images=tuple(sorted({digest_in(name) for name in images})),
            at=shown_at,
            size=size,
            language=language,
            form=form,
        )

    async def render(self, request: PreviewRequest) -> bytes:
        """Renders the image. Raises the 501 problem without a player, 503 when it is busy or fails."""
        cached = self._cached(request)
        if cached is not None:
            return cached
        if self._player is None:
            raise not_installed()
        async with self._slots.slot("Too many pictures are being drawn."):
            # Another call may have rendered the same image meanwhile.
            cached = self._cached(request)
            return cached if cached is not None else self._store(request, await self._render(self._player, request))

    async def _render(self, player: Sequence[str], request: PreviewRequest) -> bytes:
        folder = await run_in_threadpool(self._write_inputs, request)
        out = folder / f"out.{request.form}"
        try:
            command = [
                *player,
                *("preview", str(folder / "scene.json"), "--items", str(folder / "items.json")),
                *("--at", request.at, "--size", f"{request.size[0]}x{request.size[1]}"),
                *(("--language", request.language) if request.language is not None else ()),
                *("--out", str(out)),
            ]
            await _run(command, folder)
            return await run_in_threadpool(_read_image, out)
        finally:
            await run_in_threadpool(shutil.rmtree, folder, ignore_errors=True)

    def _write_inputs(self, request: PreviewRequest) -> Path:
        folder = Path(tempfile.mkdtemp(prefix="menu-preview-"))
        (folder / "scene.json").write_bytes(request.scene)
        (folder / "items.json").write_bytes(request.items)
        (folder / "assets").mkdir()
        for digest in request.images:
            with store_problems():
                self._assets.place(digest, folder / "assets" / digest)
        return folder

    def _cached(self, request: PreviewRequest) -> bytes | None:
        image = self._cache.get(request.tag)
        if image is not None:
            self._cache.move_to_end(request.tag)
        return image

    def _store(self, request: PreviewRequest, image: bytes) -> bytes:
        self._cache[request.tag] = image
        while sum(map(len, self._cache.values())) > MAX_CACHED_BYTES:
            self._cache.popitem(last=False)
        return image


async def _run(command: Sequence[str], folder: Path) -> None:
    """Runs the command. Raises the 503 problem when it fails or exceeds a limit."""
    try:
        await run_player(command, folder, seconds=RENDER_SECONDS, file_bytes=MAX_IMAGE_BYTES, accepted=(0, _NO_ITEMS))
    except PlayerFailedError as error:
        raise _failed(str(error)) from None


def _read_image(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            image = opened.read(MAX_IMAGE_BYTES + 1)
    except OSError:
        raise _failed("it wrote no image") from None
    if len(image) > MAX_IMAGE_BYTES:
        raise _failed(f"the image is larger than {MAX_IMAGE_BYTES} bytes")
    return image


def _location(session: Session, access: Access, location: str | None) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns the location for currency, language, time and values: the given one, or the first that the key sees."""
    if location is not None:
        access.reach(location)
        row: LocationRow | None = get(session, LocationRow, access.workspace, location, kind="location")
    else:
        seen = [] if access.locations is None else [LocationRow.id.in_(sorted(access.locations))]
        query = select(LocationRow).where(LocationRow.workspace_id == access.workspace, *seen)
        row = session.scalar(query.order_by(LocationRow.number).limit(1))
    if row is None:
        return {}, {}
    second = second_currency_of(row)
    place = {
        "id": row.id,
        "name": row.name,
        "timezone": row.timezone,
        "currency": row.currency,
        "locale": row.locale,
        **({} if second is None else {"secondCurrency": second.document()}),
    }
    return place, row.live_values


def _so_many(documents: Sequence[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    """Returns `count` items: the first of each category in turn, or all of them repeatedly."""
    by_category: dict[Any, list[dict[str, Any]]] = {}
    for one in documents:
        by_category.setdefault(one.get("category"), []).append(one)
    turns = [one for some in zip_longest(*by_category.values()) for one in some if one is not None]
    again = (one if not time else {**one, "id": f"{one['id']}-{time}"} for time in range(count) for one in turns)
    return list(islice(again, count))


def _as_there(
    session: Session, workspace: str, place: Mapping[str, Any], rows: Sequence[ItemRow], *, now: datetime
) -> list[ItemRow]:
    """Returns the items with their values at the location."""
    if not place:
        return list(rows)
    there = there_at(session, workspace, place["id"], rows, now=now)
    return there.local.items_at(rows, there.places, now=now)


def _size(document: Mapping[str, Any], width: int) -> tuple[int, int]:
    height = round(width * document["height"] / document["width"])
    return width, min(MAX_HEIGHT, max(MIN_HEIGHT, height))


def _shows_time(widget: Mapping[str, Any]) -> bool:
    """Returns whether the widget changes over time: values expire."""
    return widget["type"] in {"clock", "countdown"} or holds_values(widget.get("text") or "")


def _minute(now: datetime) -> str:
    return instant_text(now.replace(second=0, microsecond=0))


def _failed(why: str) -> ProblemError:
    _log.warning("cannot render a preview: %s", why)
    return failed()
