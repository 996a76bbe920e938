"""Pictures of scenes: drawn by the player's own program as a child process, bounded in every way, and kept for a while.

Who draws is untrusting: the child gets a folder with the scene, its items and links to its pictures, none of the
service's settings, a bound on memory, and an end.
"""

import asyncio
import contextlib
import hashlib
import importlib.metadata
import importlib.util
import logging
import os
import shutil
import signal
import sys
import tempfile
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

from sqlalchemy import select
from sqlalchemy.orm import Session
from starlette.concurrency import run_in_threadpool

from service.core.clock import instant_text
from service.core.errors import ProblemError
from service.core.json_text import write_json
from service.services.access.access import Access
from service.services.assets.assets import digest_in
from service.services.content.scenes import scene_document
from service.services.publishing.limited_process import limited
from service.services.publishing.manifests import item_document, items_wanted
from service.services.publishing.versions import assets_named, wanted_by
from service.services.shared.lookup import get
from service.storage.asset_files import AssetFiles
from service.storage.database import Database
from service.storage.tables import LocationRow, SceneRow

MIN_WIDTH, DEFAULT_WIDTH, MAX_WIDTH = 64, 960, 1920
MIN_HEIGHT, MAX_HEIGHT = 64, 4096
"""Pixels; a canvas of a stranger shape is letterboxed."""
AT_ONCE = 2
"""Child processes."""
MOST_WAITING = 8
"""Calls that wait for one of them."""
SECONDS = 20.0
"""After which a child is killed."""
MEMORY_BYTES = 4 * 1024**3
"""Address space of a child, most of which is never touched: Qt maps its libraries and fonts."""
MAX_PICTURE_BYTES = 16 * 1024 * 1024
"""Of a picture, and of any other file that a child writes, its words among them."""
KEPT_BYTES = 64 * 1024 * 1024
"""Pictures kept in memory, the least recently asked for dropped first."""
RETRY_SECONDS = 5
_WORDS_LOGGED = 2_000
_SECRET_PREFIX = "MENU_SERVICE_"  # noqa: S105  (what names of settings begin with)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """All that a picture follows from. `tag` is a digest of it."""

    tag: str
    scene: bytes
    items: bytes
    pictures: tuple[str, ...]
    """SHA-256 in hex of the assets."""
    at: str
    size: tuple[int, int]


class PreviewService:
    """Draws scenes. `player` is the command of the player; None where it is not installed.

    `release` is its version: another may draw the same scene otherwise.
    """

    def __init__(self, *, database: Database, files: AssetFiles, player: Sequence[str] | None, release: str) -> None:
        self._database = database
        self._files = files
        self._player = player
        self._release = release
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._waiting = 0

    def plan(self, access: Access, scene: str, *, width: int, location: str | None) -> Drawing:
        """What is to be drawn now. Raises the 404 problem for a scene or location that the key does not see."""
        now = self._database.now()
        with self._database.read() as session:
            row = get(session, SceneRow, access.workspace, scene, kind="scene")
            document = scene_document(row, ())
            place = _place(session, access, location)
            rows = items_wanted(session, access.workspace, wanted_by(document["widgets"]))
            items = [item_document(item, now=now) for item in rows]
        # Live, but only as far as something on the scene tells the time.
        at = (
            _minute(now)
            if any(widget["type"] == "clock" for widget in document["widgets"])
            else _minute(row.created_at)
        )
        pictures = [*assets_named(document), *(item["image"] for item in items if "image" in item)]
        size = _size(document, width)
        scene_body, items_body = write_json(document), write_json({"location": place, "items": items})
        said = b"\n".join(
            (scene_body, items_body, at.encode(), f"{size[0]}x{size[1]}".encode(), self._release.encode())
        )
        return Drawing(
            tag=hashlib.sha256(said).hexdigest()[:32],
            scene=scene_body,
            items=items_body,
            pictures=tuple(sorted({digest_in(name) for name in pictures})),
            at=at,
            size=size,
        )

    async def draw(self, drawing: Drawing) -> bytes:
        """The picture as PNG. Raises the 501 problem without a player, 503 when it is busy or does not get it done."""
        kept = self._recall(drawing)
        if kept is not None:
            return kept
        if self._player is None:
            raise ProblemError(
                501,
                "preview_unavailable",
                "This installation draws no pictures",
                "Install the player beside the service: pip install menu-player.",
            )
        if self._waiting >= AT_ONCE + MOST_WAITING:
            raise _busy("Too many pictures are being drawn.")
        self._waiting += 1
        try:
            async with self._turns:
                # Whoever waited for the same picture finds it here.
                kept = self._recall(drawing)
                return kept if kept is not None else self._keep(drawing, await self._render(self._player, drawing))
        finally:
            self._waiting -= 1

    async def _render(self, player: Sequence[str], drawing: Drawing) -> bytes:
        folder = await run_in_threadpool(self._lay_out, drawing)
        try:
            command = [
                *player,
                *("preview", str(folder / "scene.json"), "--items", str(folder / "items.json")),
                *("--at", drawing.at, "--size", f"{drawing.size[0]}x{drawing.size[1]}"),
                *("--out", str(folder / "out.png")),
            ]
            await _run(command, folder)
            return await run_in_threadpool(_picture_in, folder / "out.png")
        finally:
            await run_in_threadpool(shutil.rmtree, folder, ignore_errors=True)

    def _lay_out(self, drawing: Drawing) -> Path:
        folder = Path(tempfile.mkdtemp(prefix="menu-preview-"))
        (folder / "scene.json").write_bytes(drawing.scene)
        (folder / "items.json").write_bytes(drawing.items)
        (folder / "assets").mkdir()
        for digest in drawing.pictures:
            (folder / "assets" / digest).symlink_to(self._files.path(digest).absolute())
        return folder

    def _recall(self, drawing: Drawing) -> bytes | None:
        kept = self._kept.get(drawing.tag)
        if kept is not None:
            self._kept.move_to_end(drawing.tag)
        return kept

    def _keep(self, drawing: Drawing, picture: bytes) -> bytes:
        self._kept[drawing.tag] = picture
        while sum(map(len, self._kept.values())) > KEPT_BYTES:
            self._kept.popitem(last=False)
        return picture


def find_player() -> tuple[str, ...] | None:
    """The command of the player on this machine; None where it is not installed. Imports nothing of it."""
    if importlib.util.find_spec("player") is not None and importlib.util.find_spec("PySide6") is not None:
        # -P: the folder that it is started in is no place to find modules.
        return (sys.executable, "-P", "-m", "player")
    found = shutil.which("menu-player")
    return None if found is None else (found,)


def release_of_player() -> str:
    """The version of the player: it comes with the service."""
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        return importlib.metadata.version("menu-player")
    return ""


async def _run(command: Sequence[str], folder: Path) -> None:
    """Run it to its end, or to its limit. Raises the 503 problem."""
    # A file, not a pipe: however much it says, the service reads the end of it.
    with (folder / "said").open("w+b") as said:
        returncode = await _end_of(command, folder, said)
        if returncode != 0:
            said.seek(max(0, said.seek(0, os.SEEK_END) - _WORDS_LOGGED))
            raise _failed(said.read().decode(errors="replace").strip() or f"it ended with {returncode}")


async def _end_of(command: Sequence[str], folder: Path, said: BinaryIO) -> int:
    try:
        process = await asyncio.create_subprocess_exec(
            *limited(command, memory_bytes=MEMORY_BYTES, file_bytes=MAX_PICTURE_BYTES),
            cwd=folder,
            env=_environment(os.environ, folder),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=said,
            start_new_session=True,
        )
    except OSError as error:
        raise _failed(f"it cannot be started: {error.strerror}") from None
    try:
        async with asyncio.timeout(SECONDS):
            return await process.wait()
    except TimeoutError:
        raise _failed(f"it took longer than {SECONDS:g} seconds") from None
    finally:
        # All of its session, also when the caller went away.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


def _environment(own: Mapping[str, str], folder: Path) -> dict[str, str]:
    """The service's, without what is none of the child's business."""
    shared = {name: value for name, value in own.items() if not name.startswith(_SECRET_PREFIX)}
    return {**shared, "XDG_RUNTIME_DIR": str(folder)}


def _picture_in(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            picture = opened.read(MAX_PICTURE_BYTES + 1)
    except OSError:
        raise _failed("it left no picture") from None
    if len(picture) > MAX_PICTURE_BYTES:
        raise _failed(f"the picture is larger than {MAX_PICTURE_BYTES} bytes")
    return picture


def _place(session: Session, access: Access, location: str | None) -> dict[str, Any]:
    """Whose currency, language and time count: the location asked for, or the first that the key sees."""
    if location is not None:
        access.reach(location)
        row: LocationRow | None = get(session, LocationRow, access.workspace, location, kind="location")
    else:
        seen = [] if access.locations is None else [LocationRow.id.in_(sorted(access.locations))]
        query = select(LocationRow).where(LocationRow.workspace_id == access.workspace, *seen)
        row = session.scalar(query.order_by(LocationRow.number).limit(1))
    if row is None:
        return {}
    return {"id": row.id, "name": row.name, "timezone": row.timezone, "currency": row.currency, "locale": row.locale}


def _size(document: Mapping[str, Any], width: int) -> tuple[int, int]:
    height = round(width * document["height"] / document["width"])
    return width, min(MAX_HEIGHT, max(MIN_HEIGHT, height))


def _minute(now: datetime) -> str:
    return instant_text(now.replace(second=0, microsecond=0))


def _busy(detail: str) -> ProblemError:
    return ProblemError(
        503, "preview_busy", "The picture cannot be drawn now", detail, headers={"Retry-After": str(RETRY_SECONDS)}
    )


def _failed(why: str) -> ProblemError:
    _log.warning("a scene could not be drawn: %s", why)
    return ProblemError(
        503,
        "preview_failed",
        "The picture could not be drawn",
        "The player did not get it done; the service's log says why.",
        headers={"Retry-After": str(RETRY_SECONDS)},
    )
