"""Owns what runs, what waits and when it takes over: manifests and assets in, the next Board and actions out; pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from msgspec import Struct, field
from msgspec.structs import replace

from player.domain import actions as act
from player.domain.manifest import Catalogue, Location, Manifest, Rejection, VersionKey
from player.domain.playback import Playback, ProgramOutput, change, house_card, passed_over, play, view, view_of
from player.domain.state import HouseReason, Kind, Showing
from player.domain.view import SceneView, View


class StoredRun(Struct, frozen=True, kw_only=True):
    """A program as it was stored, and the anchor of its loops."""

    manifest: Manifest
    anchor: datetime


class Restored(Struct, frozen=True, kw_only=True):
    """What was on disk at the start. `latest` is a newer manifest of the same program, `staged` waits with its body;
    `lacking` names the running program's assets that are missing or torn (hex SHA-256 -> why)."""

    screen_id: str | None = None
    running: StoredRun | None = None
    latest: Manifest | None = None
    staged: tuple[Manifest, bytes] | None = None
    missing: Mapping[str, str] = field(default_factory=dict)
    rejections: tuple[Rejection, ...] = ()

    @property
    def newest_etag(self) -> str | None:
        """Of the manifest that came last, which the service need not send again."""
        if self.staged is not None:
            return self.staged[0].etag
        newest = self.latest or (self.running.manifest if self.running else None)
        return newest.etag if newest else None


class StagedVersion(Struct, frozen=True, kw_only=True):
    """A manifest that waits for its assets and then for the boundary."""

    manifest: Manifest
    body: bytes
    verified: bool
    missing: Mapping[str, str] = field(default_factory=dict)
    remaining: int = 0
    takes_over_at: datetime | None = None
    playback: Playback | None = None
    """The program as it will run, once `takes_over_at` is fixed."""

    @property
    def key(self) -> VersionKey | None:
        """Which program waits; None when the playlist is taken away."""
        return _key(self.manifest)

    @property
    def showable(self) -> bool:
        """Whether anything of it can be shown; the house card of an unassigned screen always can."""
        version = self.manifest.version
        if version is None:
            return True
        barred = passed_over(version, self.manifest.catalogue, self.missing)
        return any(entry.id not in barred for entry in version.entries)

    def begun(self, at: datetime, *, anchor: datetime) -> StagedVersion:
        """With its boundary fixed, and its program ready to run from it."""
        manifest = self.manifest
        playback = None
        if manifest.version is not None:
            playback = play(
                manifest.version,
                anchor=anchor,
                location=manifest.location,
                catalogue=manifest.catalogue,
                missing=self.missing,
            )
        return replace(self, takes_over_at=at, playback=playback)


class Board(Struct, frozen=True, kw_only=True):
    """What runs and what waits. `house` says why there is a card while nothing runs; `lacking` names the running
    program's assets that are not whole; `rejections` are the newest manifest's."""

    playback: Playback | None = None
    staged: StagedVersion | None = None
    location: Location | None = None
    catalogue: Catalogue | None = None
    house: HouseReason = HouseReason.WAITING_FOR_PROGRAM
    missing: Mapping[str, str] = field(default_factory=dict)
    rejections: tuple[Rejection, ...] = ()

    def runs(self, manifest: Manifest) -> bool:
        """Whether this manifest is of what runs already."""
        if manifest.version is None:
            return self.playback is None and self.house is HouseReason.NO_PLAYLIST
        return self.playback is not None and self.playback.version.key == manifest.version.key


BoardChange = tuple[Board, tuple[act.Action, ...]]


def restore(restored: Restored) -> Board:
    """The board as the disk remembers it."""
    board = Board()
    running = restored.running
    if running is not None:
        newest = restored.latest or running.manifest
        board = Board(location=newest.location, catalogue=newest.catalogue, rejections=newest.rejections)
        version = running.manifest.version
        if version is None:
            board = replace(board, house=HouseReason.NO_PLAYLIST)
        else:
            playback = play(
                version,
                anchor=running.anchor,
                location=newest.location,
                catalogue=newest.catalogue,
                missing=restored.missing,
            )
            board = replace(board, playback=playback, missing=restored.missing)
    if restored.staged is not None:
        manifest, body = restored.staged
        staged = StagedVersion(manifest=manifest, body=body, verified=manifest.version is None)
        board = replace(board, staged=staged, location=board.location or manifest.location)
    return board


def take_in(board: Board, manifest: Manifest, body: bytes) -> BoardChange:
    """A manifest arrived: live facts count at once, another program waits for its assets and the boundary."""
    if board.runs(manifest):
        before = download_assets(board)
        board = replace(_with_facts(board, manifest, manifest.catalogue), rejections=manifest.rejections)
        dropped: tuple[act.Action, ...] = (act.DropStaged(),) if board.staged else ()
        board = replace(board, staged=None)
        # The pictures of its items are live, as the items are.
        after = download_assets(board)
        wanted = (after,) if after != before else ()
        keep = act.KeepLatest(body=body, etag=manifest.etag, assets=manifest.listed_assets)
        return board, (*dropped, keep, *wanted)
    if manifest.version is not None and not manifest.version.entries:
        empty = Rejection(
            code="playlist_empty",
            subject=manifest.version.key.playlist_id,
            detail=f"version {manifest.version.key.version} has no scenes",
        )
        dropped = (act.DropStaged(),) if board.staged else ()
        board = replace(board, staged=None)
        house = HouseReason.PLAYLIST_EMPTY if board.playback is None else board.house
        board = replace(board, location=manifest.location, house=house, rejections=(*manifest.rejections, empty))
        return board, (*dropped, *((download_assets(board),) if dropped else ()))
    merged = manifest.catalogue
    if board.playback is not None and board.catalogue is not None:
        # Until the boundary the old program goes on with the newest facts; what only it uses stays as it was.
        merged = replace(merged, items={**board.catalogue.items, **merged.items})
    board = replace(_with_facts(board, manifest, merged), rejections=manifest.rejections)
    waiting = board.staged
    if waiting is not None and waiting.key == _key(manifest):
        staged = _changed(replace(waiting, manifest=manifest, body=body))
    else:
        staged = StagedVersion(manifest=manifest, body=body, verified=manifest.version is None)
    board = replace(board, staged=staged)
    stage = act.KeepStaged(body=body, etag=manifest.etag, assets=manifest.listed_assets)
    return board, (stage, download_assets(board))


def take_assets(board: Board, key: VersionKey, *, missing: Mapping[str, str], remaining: int) -> Board:
    """Assets of a program were looked at: all are whole when `remaining` is 0."""
    staged = board.staged
    if staged and staged.key == key:
        board = replace(board, staged=replace(staged, verified=remaining == 0, missing=missing, remaining=remaining))
    if board.playback and board.playback.version.key == key:
        playback = change(
            board.playback, location=board.playback.location, catalogue=board.playback.catalogue, missing=missing
        )
        board = replace(board, playback=playback, missing=missing)
    return board


def set_boundary(board: Board, now: datetime, *, schedules_trusted: bool, anew: bool = False) -> Board:
    """Fix the instant at which what is staged takes over, as soon as it may."""
    staged = board.staged
    if staged is None or (staged.takes_over_at is not None and not anew):
        return board
    if board.playback is None:
        # Nothing runs: a scene that can be shown beats the house card, so a picture that the service can't deliver
        # costs its own scene only.
        given_up = 0 < staged.remaining <= len(staged.missing)
        if staged.verified or (given_up and staged.showable):
            version = staged.manifest.version
            return replace(board, staged=staged.begun(now, anchor=version.published_at if version else now))
    elif staged.verified and staged.showable:
        boundary = view(board.playback, now, schedules_trusted=schedules_trusted).moment.loop_boundary
        return replace(board, staged=staged.begun(boundary, anchor=boundary))
    return replace(board, staged=replace(staged, takes_over_at=None, playback=None))


def take_over(board: Board, now: datetime) -> BoardChange:
    """Let what is staged run, if its boundary has come."""
    staged = board.staged
    if staged is None or staged.takes_over_at is None or staged.takes_over_at > now:
        return board, ()
    manifest, playback = staged.manifest, staged.playback
    board = Board(
        playback=playback,
        location=manifest.location,
        catalogue=manifest.catalogue,
        house=HouseReason.NO_PLAYLIST,
        missing=staged.missing,
        rejections=manifest.rejections,
    )
    anchor = playback.anchor if playback else staged.takes_over_at
    keep = act.KeepRunning(body=staged.body, etag=manifest.etag, assets=manifest.listed_assets, anchor=anchor)
    return board, (keep, download_assets(board))


def download_assets(board: Board) -> act.DownloadAssets:
    """The programs whose assets the board needs."""
    versions = [board.playback.version] if board.playback else []
    if board.staged and board.staged.manifest.version:
        versions.append(board.staged.manifest.version)
    return act.DownloadAssets(versions=tuple(versions), on_glass=board.playback.version.key if board.playback else None)


class BoardOutput(Struct, frozen=True, kw_only=True):
    """What a board shows at an instant, what to prepare for next, and the facts behind it."""

    view: View
    upcoming: SceneView | None
    showing: Showing


def output(board: Board, now: datetime, *, schedules_trusted: bool) -> BoardOutput:
    """What the board shows at `now`."""
    if board.playback is None:
        reason = board.house
        if reason is HouseReason.WAITING_FOR_PROGRAM and board.staged:
            reason = HouseReason.FETCHING
        return BoardOutput(
            view=house_card(board.location, reason),
            upcoming=None,
            showing=Showing(kind=Kind.HOUSE, house_reason=reason),
        )
    seen = view(board.playback, now, schedules_trusted=schedules_trusted)
    return BoardOutput(
        view=seen.view,
        upcoming=_upcoming(board, board.playback, seen, schedules_trusted=schedules_trusted),
        showing=seen.showing,
    )


def complaints(board: Board) -> tuple[Rejection, ...]:
    """Everything of the program's documents and assets that could not be used."""
    found = [*board.rejections, *_missing(board.missing)]
    staged = board.staged
    if staged is not None:
        found += _missing(staged.missing)
        if staged.key is not None and staged.verified and not staged.showable:
            found.append(
                Rejection(
                    code="program_unshowable",
                    subject=staged.key.playlist_id,
                    detail=f"no scene of version {staged.key.version} can be shown",
                )
            )
    return tuple(dict.fromkeys(found))


def _missing(missing: Mapping[str, str]) -> list[Rejection]:
    return [Rejection(code="asset_lacking", subject=sha, detail=why) for sha, why in missing.items()]


def _upcoming(board: Board, playback: Playback, seen: ProgramOutput, *, schedules_trusted: bool) -> SceneView | None:
    """The scene to prepare: the running program's next, or the staged one's first where its turn comes sooner."""
    until, staged = seen.moment.until, board.staged
    if staged and staged.takes_over_at and staged.playback and (until is None or staged.takes_over_at <= until):
        first = view(staged.playback, staged.takes_over_at, schedules_trusted=schedules_trusted).view
        return first if isinstance(first, SceneView) else None
    entry = seen.moment.upcoming
    if entry is None or until is None or entry == seen.moment.entry:
        return None
    return view_of(playback, entry, turn=until)


def _changed(staged: StagedVersion) -> StagedVersion:
    """What waits has other facts now; a boundary that is fixed stays."""
    manifest = staged.manifest
    if staged.playback is None:
        return staged
    playback = change(staged.playback, location=manifest.location, catalogue=manifest.catalogue, missing=staged.missing)
    return replace(staged, playback=playback)


def _with_facts(board: Board, manifest: Manifest, catalogue: Catalogue) -> Board:
    playback = board.playback
    if playback is not None:
        if manifest.version is not None and manifest.version.key == playback.version.key:
            playback = replace(playback, version=replace(playback.version, assets=manifest.version.assets))
        playback = change(playback, location=manifest.location, catalogue=catalogue, missing=board.missing)
    return replace(board, playback=playback, location=manifest.location, catalogue=catalogue)


def _key(manifest: Manifest) -> VersionKey | None:
    return manifest.version.key if manifest.version else None
