"""Computes what a screen shows at an instant and why, by the player's own program, which reads the screen's manifest.

The child is isolated as those that draw pictures are. Its answers are cached by all that determines them.
"""

import logging
import shutil
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy.orm import Session
from starlette.concurrency import run_in_threadpool

from menu.documents.manifest_reader import FORMAT
from service.core.clock import instant_text
from service.core.errors import Fault, ProblemError, invalid, not_found
from service.schema.devices.moment import (
    MomentOther,
    MomentResponse,
    SpanEntry,
    SpanLeftOut,
    SpanResponse,
    TimetableResponse,
    unshowable_of,
)
from service.services.access.access import Access
from service.services.devices.receipts import ReceiptService, Shown
from service.services.devices.screens import visible_screen
from service.services.publishing.composition import ManifestKey, Selections, compose_contents
from service.services.publishing.manifests import content_number
from service.services.publishing.pictures import override_picture, version_picture
from service.services.publishing.player_process import (
    OUTPUT,
    PlayerFailedError,
    PlayerSlots,
    failed,
    not_installed,
    run_player,
)
from service.services.shared.lookup import get
from service.storage.database import Database
from service.storage.tables.menus import PlaylistRow
from service.storage.tables.workspaces import LocationRow

REACH = timedelta(days=400)
"""The furthest before or after now that is told."""
MAX_TIMETABLE = timedelta(days=32)
MAX_CHILDREN = 2
"""Child processes at a time."""
MAX_WAITING = 16
"""Calls that wait for a child process."""
MAX_TOLD_BYTES = 16 * 1024 * 1024
MAX_CACHED = 256
"""Answers cached in memory; the least recently used are dropped first."""
COMPOSED_FOR = timedelta(minutes=1)
"""A manifest is composed again after this time, as it begins at another instant, and after each change."""
MAX_BOARDS = 8
"""Manifests kept in memory: of screens of which somebody asks now."""
AS_NOW = timedelta(seconds=1)
"""An instant that is nearer than this is drawn with the items as they are."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Board:
    """Board to compute for: its manifest, and the screen that overrides may name."""

    manifest: bytes
    digest: str
    location: str
    timezone: str
    screen: str | None = None


class MomentService:
    """Computes what screens show. `player` is the command of the player; None if it is not installed."""

    def __init__(self, *, database: Database, receipts: ReceiptService, player: Sequence[str] | None) -> None:
        self._database = database
        self._receipts = receipts
        self._player = player
        self._selections = Selections()
        self._cache: OrderedDict[tuple[str, ...], Any] = OrderedDict()
        self._boards: OrderedDict[ManifestKey, tuple[int | None, datetime, _Board]] = OrderedDict()
        self._lock = threading.Lock()
        """Guards the composed boards: they are composed in threads."""
        self._slots = PlayerSlots(children=MAX_CHILDREN, waiting=MAX_WAITING)

    async def moment(self, access: Access, screen: str, at: datetime | None = None) -> MomentResponse:
        """Returns the showing of a screen at an instant, now by default. Raises the 404 and 422 problems, 501 without a
        player, and 503 when it is busy or fails."""
        board = await run_in_threadpool(self._board_of_screen, access, screen)
        at = at or self._database.now()
        self._check_reach(at, "at")
        return _moment(await self._ask(board, "--at", instant_text(at)), board)

    async def timetable(self, access: Access, screen: str, since: datetime, until: datetime) -> TimetableResponse:
        """Returns the spans of a screen between two instants. Raises the same."""
        return await self._timetable(await run_in_threadpool(self._board_of_screen, access, screen), since, until)

    async def timetable_at(
        self, access: Access, playlist: str, location: str, since: datetime, until: datetime
    ) -> TimetableResponse:
        """Returns the spans of a playlist at a location, for a screen there that no override names. Raises the same."""
        board = await run_in_threadpool(self._board_of_playlist, access, playlist, location)
        return await self._timetable(board, since, until)

    async def shown_at(self, access: Access, screen: str, at: datetime) -> Shown:
        """Returns the picture of an instant: a past one by the receipts, a later one by what the screen will show.
        Raises the 404 problem if nothing is known to have shown, or no scene will."""
        if at < self._database.now():
            return await run_in_threadpool(self._receipts.shown_at, access, screen, at)
        return await self.will_show(access, screen, at)

    async def will_show(self, access: Access, screen: str, at: datetime) -> Shown:
        """Returns the picture of now, or of an instant to come. Raises the 404 problem if no scene will show."""
        told = await self.moment(access, screen, at)
        if told.scene is None:
            fault = Fault(told.reason or told.kind, "No scene is due, or can be shown, then.", parameter="at")
            title = f"No scene shows at {told.at}"
            raise ProblemError(404, "nothing_shown", title, fault.detail, (fault,))
        picture = (
            override_picture(told.override, told.scene)
            if told.override is not None
            else version_picture(told.playlist or "", told.version or 0, told.scene)
        )
        location = (await run_in_threadpool(self._board_of_screen, access, screen)).location
        near = at - self._database.now() < AS_NOW
        return Shown(picture=picture, location=location, language=told.language, at=None if near else at)

    async def _timetable(self, board: _Board, since: datetime, until: datetime) -> TimetableResponse:
        # The days of an instant within reach are.
        self._check_reach(since, "from", more=MAX_TIMETABLE)
        self._check_reach(until, "to", more=MAX_TIMETABLE)
        if until <= since:
            raise invalid([Fault("ends_before_start", "to lies after from.", parameter="to")])
        if until - since > MAX_TIMETABLE:
            detail = f"A timetable is of {MAX_TIMETABLE.days} days at most."
            raise invalid([Fault("out_of_range", detail, parameter="to")])
        told = await self._ask(board, "--at", instant_text(since), "--until", instant_text(until))
        spans = [_span(one) for one in told]
        end = instant_text(until)
        return TimetableResponse(
            from_=instant_text(since),
            to=end,
            timezone=board.timezone,
            whole=bool(spans) and spans[-1].to == end,
            spans=spans,
        )

    def _check_reach(self, at: datetime, parameter: str, *, more: timedelta = timedelta()) -> None:
        if abs(at - self._database.now()) > REACH + more:
            detail = f"This is told of {REACH.days} days before and after now."
            raise invalid([Fault("out_of_range", detail, parameter=parameter)])

    def _board_of_screen(self, access: Access, screen: str) -> _Board:
        with self._database.read() as session:
            row = visible_screen(session, access, screen)
            # One that waits to be confirmed has no menu yet.
            playlist = None if row.waiting else row.playlist_id
            location = get(session, LocationRow, access.workspace, row.location_id, kind="location")
            return self._composed(session, ManifestKey(access.workspace, playlist, location.id), location, screen)

    def _board_of_playlist(self, access: Access, playlist: str, location: str) -> _Board:
        with self._database.read() as session:
            access.reach(location)
            place = get(session, LocationRow, access.workspace, location, kind="location")
            get(session, PlaylistRow, access.workspace, playlist, kind="playlist")
            return self._composed(session, ManifestKey(access.workspace, playlist, location), place, None)

    def _composed(self, session: Session, key: ManifestKey, location: LocationRow, screen: str | None) -> _Board:
        """Composes the manifest, unless nothing has changed since. It counts no revision: no board gets it."""
        now, number = self._database.now(), content_number(session, key.workspace)
        with self._lock:
            known = self._boards.get(key)
        if known is None or known[0] != number or not timedelta() <= now - known[1] < COMPOSED_FOR:
            known = number, now, self._board(session, key, location, now=now)
            with self._lock:
                self._boards[key] = known
                self._boards.move_to_end(key)
                if len(self._boards) > MAX_BOARDS:
                    self._boards.popitem(last=False)
        return replace(known[2], screen=screen)

    def _board(self, session: Session, key: ManifestKey, location: LocationRow, *, now: datetime) -> _Board:
        content = compose_contents(session, [key], self._selections, now=now).get(key)
        if content is None:
            raise not_found("location", key.location)
        head = {"format": FORMAT, "epoch": content.epoch, "revision": 0, "revisionAt": instant_text(content.newest)}
        return _Board(
            manifest=msgspec.json.encode(head)[:-1] + b",%b}" % content.fields,
            digest=content.digest,
            location=location.id,
            timezone=location.timezone,
        )

    async def _ask(self, board: _Board, *arguments: str) -> Any:
        asked = (board.digest, board.screen or "", *arguments)
        if asked not in self._cache:
            if self._player is None:
                raise not_installed()
            async with self._slots.slot("Too many screens are being asked for."):
                # Another call may have asked the same meanwhile.
                if asked not in self._cache:
                    self._cache[asked] = await self._told(self._player, board, arguments)
        self._cache.move_to_end(asked)
        told = self._cache[asked]
        while len(self._cache) > MAX_CACHED:
            self._cache.popitem(last=False)
        return told

    async def _told(self, player: Sequence[str], board: _Board, arguments: Sequence[str]) -> Any:
        folder = await run_in_threadpool(_folder_with, board.manifest)
        screen = () if board.screen is None else ("--screen", board.screen)
        command = [*player, "moment", str(folder / "manifest.json"), *screen, *arguments]
        try:
            await run_player(command, folder, seconds=20.0, file_bytes=MAX_TOLD_BYTES)
            return await run_in_threadpool(_read, folder / OUTPUT)
        except PlayerFailedError as error:
            _log.warning("cannot tell what a screen shows: %s", error)
            raise failed() from None
        finally:
            await run_in_threadpool(shutil.rmtree, folder, ignore_errors=True)


def _folder_with(manifest: bytes) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="menu-moment-"))
    (folder / "manifest.json").write_bytes(manifest)
    return folder


def _read(file: Path) -> Any:
    try:
        return msgspec.json.decode(file.read_bytes())
    except (OSError, msgspec.DecodeError) as error:
        raise PlayerFailedError(f"its answer cannot be read: {error}") from None


def _moment(told: Mapping[str, Any], board: _Board) -> MomentResponse:
    return MomentResponse(
        at=_instant(told["at"]) or told["at"],
        timezone=board.timezone,
        kind=told["kind"],
        reason=told["reason"],
        playlist=None if told["override"] is not None else told["playlistId"],
        version=None if told["override"] is not None else told["version"],
        entry=told["entryId"],
        scene=told["sceneId"],
        name=told["sceneName"],
        language=told["language"],
        override=told["override"],
        override_reason=told["overrideReason"],
        since=_instant(told["since"]),
        until=_instant(told["until"]),
        turns_until=_instant(told["turnsUntil"]),
        next_at=_instant(told["nextAt"]),
        changed_at=_instant(told["changedAt"]),
        changes_at=_instant(told["changesAt"]),
        open=told["open"],
        others=[
            MomentOther(
                entry=one["entryId"],
                name=one["sceneName"],
                reason=one["reason"],
                detail=one["detail"],
                displaced_by=one["displacedBy"] or None,
                unshowable=unshowable_of(one["unshowable"]),
                next_at=_instant(one["nextAt"]),
            )
            for one in told["others"]
        ],
    )


def _span(told: Mapping[str, Any]) -> SpanResponse:
    content = told["content"]
    return SpanResponse(
        from_=_instant(told["begin"]) or told["begin"],
        to=_instant(told["end"]) or told["end"],
        playlist=None if content["override"] is not None else content["playlistId"],
        version=None if content["override"] is not None else content["version"],
        override=content["override"],
        override_reason=content["overrideReason"],
        reason=content["reason"],
        scenes=[
            SpanEntry(
                entry=one["entryId"],
                scene=one["sceneId"],
                name=one["sceneName"],
                duration_seconds=one["durationSeconds"],
            )
            for one in content["entries"]
        ],
        left_out=[
            SpanLeftOut(
                entry=one["entryId"],
                name=one["sceneName"],
                reason=one["reason"],
                displaced_by=one["displacedBy"] or None,
                unshowable=unshowable_of(one["unshowable"]),
            )
            for one in content["leftOut"]
        ],
    )


def _instant(text: str | None) -> str | None:
    return None if text is None else instant_text(datetime.fromisoformat(text))
