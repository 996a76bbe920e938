"""Owns what runs, what waits and when it takes over: manifests and assets in, the next Board and actions out; pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from msgspec import Struct, field
from msgspec.structs import replace

from player.domain import actions as act
from player.domain.manifest import Catalogue, Location, Manifest, ProgramKey, Rejection
from player.domain.playback import Playing, View, change, house_card, passed_over, picture_of, play, view
from player.domain.state import HouseReason, Kind, Showing
from player.domain.view import Picture, ScenePicture


class Running(Struct, frozen=True, kw_only=True):
    """A program as it was stored, and the anchor of its loops."""

    manifest: Manifest
    anchor: datetime


class Restored(Struct, frozen=True, kw_only=True):
    """What was on disk at the start. `latest` is a newer manifest of the same program, `staged` waits with its body;
    `lacking` names the running program's assets that are missing or torn (hex SHA-256 -> why)."""

    screen_id: str | None = None
    running: Running | None = None
    latest: Manifest | None = None
    staged: tuple[Manifest, bytes] | None = None
    lacking: Mapping[str, str] = field(default_factory=dict)
    rejections: tuple[Rejection, ...] = ()

    @property
    def newest_etag(self) -> str | None:
        """Of the manifest that came last, which the service need not send again."""
        if self.staged is not None:
            return self.staged[0].etag
        newest = self.latest or (self.running.manifest if self.running else None)
        return newest.etag if newest else None


class Staged(Struct, frozen=True, kw_only=True):
    """A manifest that waits for its assets and then for the boundary."""

    manifest: Manifest
    body: bytes
    verified: bool
    lacking: Mapping[str, str] = field(default_factory=dict)
    remaining: int = 0
    takes_over_at: datetime | None = None
    playing: Playing | None = None
    """The program as it will run, once `takes_over_at` is fixed."""

    @property
    def key(self) -> ProgramKey | None:
        """Which program waits; None when the playlist is taken away."""
        return _key(self.manifest)

    @property
    def showable(self) -> bool:
        """Whether anything of it can be shown; the house card of an unassigned screen always can."""
        program = self.manifest.program
        if program is None:
            return True
        barred = passed_over(program, self.manifest.catalogue, self.lacking)
        return any(entry.id not in barred for entry in program.entries)

    def begun(self, at: datetime, *, anchor: datetime) -> Staged:
        """With its boundary fixed, and its program ready to run from it."""
        manifest = self.manifest
        playing = None
        if manifest.program is not None:
            playing = play(
                manifest.program,
                anchor=anchor,
                location=manifest.location,
                catalogue=manifest.catalogue,
                lacking=self.lacking,
            )
        return replace(self, takes_over_at=at, playing=playing)


class Board(Struct, frozen=True, kw_only=True):
    """What runs and what waits. `house` says why there is a card while nothing runs; `lacking` names the running
    program's assets that are not whole; `rejections` are the newest manifest's."""

    playing: Playing | None = None
    staged: Staged | None = None
    location: Location | None = None
    catalogue: Catalogue | None = None
    house: HouseReason = HouseReason.WAITING_FOR_PROGRAM
    lacking: Mapping[str, str] = field(default_factory=dict)
    rejections: tuple[Rejection, ...] = ()

    def runs(self, manifest: Manifest) -> bool:
        """Whether this manifest is of what runs already."""
        if manifest.program is None:
            return self.playing is None and self.house is HouseReason.NO_PLAYLIST
        return self.playing is not None and self.playing.program.key == manifest.program.key


Step = tuple[Board, tuple[act.Action, ...]]


def restore(restored: Restored) -> Board:
    """The board as the disk remembers it."""
    board = Board()
    running = restored.running
    if running is not None:
        newest = restored.latest or running.manifest
        board = Board(location=newest.location, catalogue=newest.catalogue, rejections=newest.rejections)
        program = running.manifest.program
        if program is None:
            board = replace(board, house=HouseReason.NO_PLAYLIST)
        else:
            playing = play(
                program,
                anchor=running.anchor,
                location=newest.location,
                catalogue=newest.catalogue,
                lacking=restored.lacking,
            )
            board = replace(board, playing=playing, lacking=restored.lacking)
    if restored.staged is not None:
        manifest, body = restored.staged
        staged = Staged(manifest=manifest, body=body, verified=manifest.program is None)
        board = replace(board, staged=staged, location=board.location or manifest.location)
    return board


def take_in(board: Board, manifest: Manifest, body: bytes) -> Step:
    """A manifest arrived: live facts count at once, another program waits for its assets and the boundary."""
    if board.runs(manifest):
        before = fetch(board)
        board = replace(_with_facts(board, manifest, manifest.catalogue), rejections=manifest.rejections)
        dropped: tuple[act.Action, ...] = (act.DropStaged(),) if board.staged else ()
        board = replace(board, staged=None)
        # The pictures of its items are live, as the items are.
        after = fetch(board)
        wanted = (after,) if after != before else ()
        return board, (*dropped, act.KeepLatest(body=body, etag=manifest.etag), *wanted)
    if manifest.program is not None and not manifest.program.entries:
        empty = Rejection(
            code="playlist_empty",
            subject=manifest.program.key.playlist_id,
            detail=f"version {manifest.program.key.version} has no scenes",
        )
        dropped = (act.DropStaged(),) if board.staged else ()
        board = replace(board, staged=None)
        house = HouseReason.PLAYLIST_EMPTY if board.playing is None else board.house
        board = replace(board, location=manifest.location, house=house, rejections=(*manifest.rejections, empty))
        return board, (*dropped, *((fetch(board),) if dropped else ()))
    merged = manifest.catalogue
    if board.playing is not None and board.catalogue is not None:
        # Until the boundary the old program goes on with the newest facts; what only it uses stays as it was.
        merged = replace(merged, items={**board.catalogue.items, **merged.items})
    board = replace(_with_facts(board, manifest, merged), rejections=manifest.rejections)
    waiting = board.staged
    if waiting is not None and waiting.key == _key(manifest):
        staged = _changed(replace(waiting, manifest=manifest, body=body))
    else:
        staged = Staged(manifest=manifest, body=body, verified=manifest.program is None)
    board = replace(board, staged=staged)
    return board, (act.KeepStaged(body=body, etag=manifest.etag), fetch(board))


def take_assets(board: Board, key: ProgramKey, *, lacking: Mapping[str, str], remaining: int) -> Board:
    """Assets of a program were looked at: all are whole when `remaining` is 0."""
    staged = board.staged
    if staged and staged.key == key:
        board = replace(board, staged=replace(staged, verified=remaining == 0, lacking=lacking, remaining=remaining))
    if board.playing and board.playing.program.key == key:
        playing = change(
            board.playing, location=board.playing.location, catalogue=board.playing.catalogue, lacking=lacking
        )
        board = replace(board, playing=playing, lacking=lacking)
    return board


def set_boundary(board: Board, now: datetime, *, schedules_trusted: bool, anew: bool = False) -> Board:
    """Fix the instant at which what is staged takes over, as soon as it may."""
    staged = board.staged
    if staged is None or (staged.takes_over_at is not None and not anew):
        return board
    if board.playing is None:
        # Nothing runs: a scene that can be shown beats the house card, so a picture that the service can't deliver
        # costs its own scene only.
        given_up = 0 < staged.remaining <= len(staged.lacking)
        if staged.verified or (given_up and staged.showable):
            program = staged.manifest.program
            return replace(board, staged=staged.begun(now, anchor=program.published_at if program else now))
    elif staged.verified and staged.showable:
        boundary = view(board.playing, now, schedules_trusted=schedules_trusted).moment.loop_boundary
        return replace(board, staged=staged.begun(boundary, anchor=boundary))
    return replace(board, staged=replace(staged, takes_over_at=None, playing=None))


def take_over(board: Board, now: datetime) -> Step:
    """Let what is staged run, if its boundary has come."""
    staged = board.staged
    if staged is None or staged.takes_over_at is None or staged.takes_over_at > now:
        return board, ()
    manifest, playing = staged.manifest, staged.playing
    board = Board(
        playing=playing,
        location=manifest.location,
        catalogue=manifest.catalogue,
        house=HouseReason.NO_PLAYLIST,
        lacking=staged.lacking,
        rejections=manifest.rejections,
    )
    anchor = playing.anchor if playing else staged.takes_over_at
    return board, (act.KeepRunning(body=staged.body, etag=manifest.etag, anchor=anchor), fetch(board))


def fetch(board: Board) -> act.Fetch:
    """The programs whose assets the board needs."""
    programs = [board.playing.program] if board.playing else []
    if board.staged and board.staged.manifest.program:
        programs.append(board.staged.manifest.program)
    return act.Fetch(programs=tuple(programs), on_glass=board.playing.program.key if board.playing else None)


class Face(Struct, frozen=True, kw_only=True):
    """What a board shows at an instant, what to prepare for next, and the facts behind it."""

    picture: Picture
    upcoming: ScenePicture | None
    showing: Showing


def face(board: Board, now: datetime, *, schedules_trusted: bool) -> Face:
    """What the board shows at `now`."""
    if board.playing is None:
        reason = board.house
        if reason is HouseReason.WAITING_FOR_PROGRAM and board.staged:
            reason = HouseReason.FETCHING
        return Face(
            picture=house_card(board.location, reason),
            upcoming=None,
            showing=Showing(kind=Kind.HOUSE, house_reason=reason),
        )
    seen = view(board.playing, now, schedules_trusted=schedules_trusted)
    return Face(
        picture=seen.picture,
        upcoming=_upcoming(board, board.playing, seen, schedules_trusted=schedules_trusted),
        showing=seen.showing,
    )


def complaints(board: Board) -> tuple[Rejection, ...]:
    """Everything of the program's documents and assets that could not be used."""
    found = [*board.rejections, *_lacking(board.lacking)]
    staged = board.staged
    if staged is not None:
        found += _lacking(staged.lacking)
        if staged.key is not None and staged.verified and not staged.showable:
            found.append(
                Rejection(
                    code="program_unshowable",
                    subject=staged.key.playlist_id,
                    detail=f"no scene of version {staged.key.version} can be shown",
                )
            )
    return tuple(dict.fromkeys(found))


def _lacking(lacking: Mapping[str, str]) -> list[Rejection]:
    return [Rejection(code="asset_lacking", subject=sha, detail=why) for sha, why in lacking.items()]


def _upcoming(board: Board, playing: Playing, seen: View, *, schedules_trusted: bool) -> ScenePicture | None:
    """The scene to prepare: the running program's next, or the staged one's first where its turn comes sooner."""
    until, staged = seen.moment.until, board.staged
    if staged and staged.takes_over_at and staged.playing and (until is None or staged.takes_over_at <= until):
        first = view(staged.playing, staged.takes_over_at, schedules_trusted=schedules_trusted).picture
        return first if isinstance(first, ScenePicture) else None
    entry = seen.moment.upcoming
    if entry is None or until is None or entry == seen.moment.entry:
        return None
    return picture_of(playing, entry, turn=until)


def _changed(staged: Staged) -> Staged:
    """What waits has other facts now; a boundary that is fixed stays."""
    manifest = staged.manifest
    if staged.playing is None:
        return staged
    playing = change(staged.playing, location=manifest.location, catalogue=manifest.catalogue, lacking=staged.lacking)
    return replace(staged, playing=playing)


def _with_facts(board: Board, manifest: Manifest, catalogue: Catalogue) -> Board:
    playing = board.playing
    if playing is not None:
        if manifest.program is not None and manifest.program.key == playing.program.key:
            playing = replace(playing, program=replace(playing.program, assets=manifest.program.assets))
        playing = change(playing, location=manifest.location, catalogue=catalogue, lacking=board.lacking)
    return replace(board, playing=playing, location=manifest.location, catalogue=catalogue)


def _key(manifest: Manifest) -> ProgramKey | None:
    return manifest.program.key if manifest.program else None
