"""Board: the running version, the staged one and its takeover. Facts in, the next Board and actions out; pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from msgspec import Struct, field
from msgspec.structs import replace

from menu.documents.manifest import Catalogue, Location, Manifest, Rejection, VersionKey
from player.domain import actions as act
from player.domain.commands import Commands
from player.domain.panel.panel import ScreenDisplay
from player.domain.playing.overrides import NO_OVERRIDES, Overrides, overrides_of, refuse
from player.domain.playing.playback import (
    Playback,
    corrected,
    joining,
    moment_at,
    play,
    unshowable_entries,
    update,
)
from player.domain.recovery.failures import Failures
from player.domain.state import HouseReason
from player.domain.time.clock import Boot, KnownTime
from player.domain.time.timekeeping import Correction, Timekeeping


class Restored(Struct, frozen=True, kw_only=True):
    """Stored state at the start. `screen_id` is None if the device is not paired, or has lost its credentials;
    `forgotten` says that the stored programs are of another workspace. `latest` is a newer manifest of the running
    version, `staged` the waiting one, with its body; `missing` maps the running version's assets that are not whole
    (hex SHA-256) to why."""

    screen_id: str | None = None
    from_another_device: bool = False
    """Whether the disk is a copy of another device's, or was moved, and this one is still to be paired."""
    forgotten: bool = False
    running: Manifest | None = None
    staged: tuple[Manifest, bytes] | None = None
    missing: Mapping[str, str | None] = field(default_factory=dict)
    whole: frozenset[str] = frozenset()
    """The assets of overrides that are on the disk."""
    commands: Commands = field(default_factory=Commands)
    rejections: tuple[Rejection, ...] = ()
    known_time: KnownTime | None = None
    boot: Boot = Boot()
    failures: Failures = field(default_factory=Failures)
    """Failures of earlier processes."""
    crashes: int = 0
    """The number of times that the player has died since the boot, of the last day."""
    gave_way: VersionKey | None = None
    """The version that failed, while `running` is the one before it."""
    has_previous: bool = False
    """Whether there is a version before `running` to fall back on."""
    safe_card: bool = False
    """Whether the display shows the safe card, whatever is ordered."""
    display: ScreenDisplay = field(default_factory=ScreenDisplay)
    """The service's settings of the screen's panel."""

    @property
    def manifests(self) -> tuple[Manifest, ...]:
        """Stored versions, in the order in which they came."""
        found = (self.running, self.staged and self.staged[0])
        return tuple(manifest for manifest in found if manifest)

    def without_programs(self, why: Rejection) -> Restored:
        """Returns the state of a board that requests everything from the service."""
        return replace(
            self,
            running=None,
            staged=None,
            missing={},
            rejections=(*self.rejections, why),
            gave_way=None,
            has_previous=False,
        )

    @property
    def newest_etag(self) -> str | None:
        """Etag of the newest manifest, which the service need not send again."""
        if self.staged is not None:
            return self.staged[0].etag
        return self.running.etag if self.running else None


class StagedVersion(Struct, frozen=True, kw_only=True):
    """A manifest that waits for its assets and then for the boundary."""

    manifest: Manifest
    body: bytes
    verified: bool
    missing: Mapping[str, str | None] = field(default_factory=dict)
    remaining: int = 0
    since: datetime | None = None
    """When it came, as far as known."""
    takes_over_at: datetime | None = None
    playback: Playback | None = None
    """The playback from `takes_over_at` on, once that is fixed."""

    @property
    def key(self) -> VersionKey | None:
        """Waiting version; None if the playlist is unassigned."""
        return _key(self.manifest)

    @property
    def showable(self) -> bool:
        """Whether any of its entries can be shown; the house card of an unassigned playlist always can."""
        version = self.manifest.version
        if version is None:
            return True
        unshowable = unshowable_entries(version, self.manifest.catalogue, self.missing)
        return any(entry.id not in unshowable for entry in version.entries)

    def with_boundary(self, at: datetime, *, schedules_trusted: bool) -> StagedVersion:
        """Fixes the boundary, and the playback from there."""
        manifest, playback = self.manifest, None
        if manifest.version is not None:
            playback = play(
                manifest.version, location=manifest.location, catalogue=manifest.catalogue, missing=self.missing
            )
            playback = joining(playback, at, schedules_trusted=schedules_trusted)
        return replace(self, takes_over_at=at, playback=playback)


class Board(Struct, frozen=True, kw_only=True):
    """Running version and staged one. `house` is the reason for the house card while nothing runs; `rejections` are the
    newest manifest's."""

    playback: Playback | None = None
    staged: StagedVersion | None = None
    overrides: Overrides = NO_OVERRIDES
    location: Location | None = None
    catalogue: Catalogue | None = None
    house: HouseReason = HouseReason.WAITING_FOR_PROGRAM
    rejections: tuple[Rejection, ...] = ()
    gave_way: VersionKey | None = None
    """A version that fails on this board, and is not played."""
    unpublished: str | None = None
    """The reason of the manifest, where it has no version."""

    @property
    def missing(self) -> Mapping[str, str | None]:
        """Running version's assets that are not whole, and why."""
        return self.playback.missing if self.playback else {}

    def runs(self, manifest: Manifest) -> bool:
        if manifest.version is None:
            return self.playback is None and self.house in (HouseReason.NO_PLAYLIST, HouseReason.NEVER_PUBLISHED)
        return self.playback is not None and self.playback.version.is_same(manifest.version)


BoardChange = tuple[Board, tuple[act.Action, ...]]


def restore(restored: Restored) -> Board:
    board, running = Board(), restored.running
    if running is not None:
        playback = None
        if running.version is not None:
            playback = play(
                running.version, location=running.location, catalogue=running.catalogue, missing=restored.missing
            )
        board = _overridden(_playing(running, playback), running, restored.screen_id, whole=restored.whole)
    if restored.staged is not None:
        # Its items and location are newer than those of the version that runs.
        board = _overridden(board, restored.staged[0], restored.screen_id, whole=restored.whole)
        board, _ = apply_manifest(board, *restored.staged, screen_id=restored.screen_id)
    return replace(board, gave_way=restored.gave_way)


def _playing(manifest: Manifest, playback: Playback | None) -> Board:
    return Board(
        playback=playback,
        location=manifest.location,
        catalogue=manifest.catalogue,
        house=_house_without(manifest),
        unpublished=manifest.unpublished,
        rejections=manifest.rejections,
    )


def _overridden(board: Board, manifest: Manifest, screen_id: str | None, *, whole: frozenset[str]) -> Board:
    return replace(board, overrides=overrides_of(manifest, screen_id, whole=whole, before=board.overrides))


def apply_manifest(
    board: Board, manifest: Manifest, body: bytes, *, at: datetime | None = None, screen_id: str | None = None
) -> BoardChange:
    """Applies a manifest that came `at` this time: its items, location and overrides count at once, another version
    waits for its assets and the boundary."""
    running = board.playback.version.assets if board.playback is not None else {}
    before, whole = download_assets(board), frozenset(running.keys() - board.missing.keys())
    board, actions = _apply(_overridden(board, manifest, screen_id, whole=whole), manifest, body, at)
    wanted = download_assets(board)
    return board, actions if wanted == before or wanted in actions else (*actions, wanted)


def _apply(board: Board, manifest: Manifest, body: bytes, at: datetime | None) -> BoardChange:
    version = manifest.version
    if board.runs(manifest):
        return _apply_facts(board, manifest, body, manifest.catalogue)
    if version is not None and version.key == board.gave_way and board.playback is not None:
        # It is stored as the running one, which the next start may try again; the version before goes on.
        return _apply_facts(board, manifest, body, _items_meanwhile(board, manifest))
    if version is not None and not version.entries:
        return _refuse_empty(board, manifest, body, version.key)
    return _stage(board, manifest, body, at)


def _apply_facts(board: Board, manifest: Manifest, body: bytes, items: Catalogue) -> BoardChange:
    changed = replace(_with_facts(board, manifest, items), staged=None, rejections=manifest.rejections)
    if manifest.version is None:
        changed = replace(changed, house=_house_without(manifest), unpublished=manifest.unpublished)
    # Images of items are live, as the items are.
    downloads = (after,) if (after := download_assets(changed)) != download_assets(board) else ()
    store = act.StoreLatest(body=body, etag=manifest.etag, assets=manifest.listed_assets)
    # In this order: until the new facts are stored, those that came with the staged version are the newest on disk.
    return changed, (store, *((act.DropStaged(),) if board.staged else ()), *downloads)


def pass_over(board: Board, failing: frozenset[str]) -> Board:
    """Marks these scenes of the running version (by id), and no others, as unshowable."""
    playback = board.playback
    if playback is None or (after := refuse(playback, failing)) is playback:
        return board
    return replace(board, playback=after)


def _refuse_empty(board: Board, manifest: Manifest, body: bytes, key: VersionKey) -> BoardChange:
    empty = Rejection(code="playlist_empty", subject=key.playlist_id, detail=f"version {key.version} has no scenes")
    changed = replace(
        _with_facts(board, manifest, _items_meanwhile(board, manifest)),
        staged=None,
        house=HouseReason.PLAYLIST_EMPTY if board.playback is None else board.house,
        rejections=(*manifest.rejections, empty),
    )
    # It never takes over, but its facts are the newest of the version that goes on.
    store = act.StoreStaged(body=body, etag=manifest.etag, assets=manifest.listed_assets)
    return changed, (store, *((download_assets(changed),) if board.staged else ()))


def _stage(board: Board, manifest: Manifest, body: bytes, at: datetime | None) -> BoardChange:
    board = replace(_with_facts(board, manifest, _items_meanwhile(board, manifest)), rejections=manifest.rejections)
    waiting = board.staged
    if waiting is not None and waiting.key == _key(manifest):
        staged = _with_new_facts(replace(waiting, manifest=manifest, body=body))
    else:
        staged = StagedVersion(manifest=manifest, body=body, verified=manifest.version is None, since=at)
    board = replace(board, staged=staged)
    store = act.StoreStaged(body=body, etag=manifest.etag, assets=manifest.listed_assets)
    return board, (store, download_assets(board))


def _items_meanwhile(board: Board, manifest: Manifest) -> Catalogue:
    """Returns the items of the version that goes on until the boundary."""
    if board.playback is None or board.catalogue is None:
        return manifest.catalogue
    return manifest.catalogue_for(board.playback.version, board.catalogue.items)


def bring_back(board: Board, now: datetime, *, certain: bool = True) -> Board:
    """Updates items and values to an instant, which is `certain` or in the past."""
    catalogue, staged = board.catalogue, board.staged
    overrides = board.overrides.as_of(now, certain=certain)
    board = board if overrides is board.overrides else replace(board, overrides=overrides)
    if catalogue is not None and (newer := catalogue.as_of(now, certain=certain)) is not catalogue:
        board = replace(board, playback=board.playback and update(board.playback, catalogue=newer), catalogue=newer)
    if staged is not None:
        manifest = staged.manifest
        if (newer := manifest.catalogue.as_of(now, certain=certain)) is not manifest.catalogue:
            waiting = replace(staged, manifest=replace(manifest, catalogue=newer))
            board = replace(board, staged=_with_new_facts(waiting))
    return board


def next_back(board: Board) -> datetime | None:
    """Returns when the next sold-out item is available again."""
    staged = board.staged.manifest.catalogue if board.staged else None
    instants = (catalogue.back_at for catalogue in (board.catalogue, staged) if catalogue is not None)
    return min((instant for instant in (*instants, board.overrides.back_at) if instant is not None), default=None)


def apply_assets(board: Board, key: VersionKey, *, missing: Mapping[str, str | None], remaining: int) -> Board:
    """Apply a check of a version's assets: all are whole if `remaining` is 0."""
    staged = board.staged
    if staged and staged.key == key:
        staged = replace(staged, verified=remaining == 0, missing=missing, remaining=remaining)
        board = replace(board, staged=_with_new_facts(staged))
    if board.playback and board.playback.version.key == key:
        board = replace(board, playback=update(board.playback, missing=missing))
    return replace(board, overrides=board.overrides.with_missing(key, missing))


def follow(board: Board, time: Timekeeping, correction: Correction | None) -> BoardChange:
    """Applies what is due at this time: items come back, and the staged version takes over at its boundary."""
    now, trusted, known = time.now, time.trusted, time.estimate.known
    if correction is not None:
        board = _correct_clock(board, now, correction, schedules_trusted=trusted)
    if trusted:
        board = bring_back(board, now)
    elif known is not None:
        board = bring_back(board, known.true_at(time.monotonic), certain=False)
    # Without the time an override begins and ends with the last that is known: not early, and not never.
    sure = now if trusted else known.true_at(time.monotonic) if known is not None else None
    board = replace(board, overrides=board.overrides.at(sure, now, schedules_trusted=trusted))
    return take_over(set_boundary(board, now, schedules_trusted=trusted), now)


def set_boundary(board: Board, now: datetime, *, schedules_trusted: bool, anew: bool = False) -> Board:
    """Fixes the instant at which the staged version takes over, once it may; `anew` moves a fixed one."""
    playback = board.playback
    staged = board.staged
    if staged is None or (staged.takes_over_at is not None and not anew):
        return board
    if playback is None:
        # Nothing runs: a scene is better than the house card, so an asset that the service cannot deliver costs only
        # its own scene.
        given_up = 0 < staged.remaining <= len(staged.missing)
        if staged.verified or (given_up and staged.showable):
            return replace(board, staged=staged.with_boundary(now, schedules_trusted=schedules_trusted))
    elif staged.verified and staged.showable:
        boundary = moment_at(playback, now, schedules_trusted=schedules_trusted).loop_boundary
        return replace(board, staged=staged.with_boundary(boundary, schedules_trusted=schedules_trusted))
    return replace(board, staged=replace(staged, takes_over_at=None, playback=None))


def take_over(board: Board, now: datetime) -> BoardChange:
    """Runs the staged version, if its boundary has come."""
    staged = board.staged
    if staged is None or staged.takes_over_at is None or staged.takes_over_at > now:
        return board, ()
    manifest, playback = staged.manifest, staged.playback
    board = replace(_playing(manifest, playback), overrides=board.overrides)
    anchor = playback.version.published_at if playback else staged.takes_over_at
    store = act.StoreRunning(body=staged.body, etag=manifest.etag, assets=manifest.listed_assets, anchor=anchor)
    return board, (store, download_assets(board))


def _correct_clock(board: Board, now: datetime, correction: Correction, *, schedules_trusted: bool) -> Board:
    """Holds the current scene until it may end, and fixes the boundary."""
    playback, anew = board.playback, correction.is_noticeable
    if playback is not None:
        shown = moment_at(playback, correction.shown_at, schedules_trusted=correction.was_trusted)
        playback = corrected(playback, now, shown=shown, shift=correction.shift, schedules_trusted=schedules_trusted)
        board, anew = replace(board, playback=playback), anew or playback.held is not None
    return set_boundary(board, now, schedules_trusted=schedules_trusted, anew=anew)


def download_assets(board: Board) -> act.DownloadAssets:
    # What may have to show now comes first, of several the one that starts last.
    overrides = [one.playback.version for one in reversed(board.overrides.all)]
    versions = [*overrides, *([board.playback.version] if board.playback else [])]
    if board.staged and board.staged.manifest.version:
        versions.append(board.staged.manifest.version)
    return act.DownloadAssets(
        versions=tuple(versions),
        on_glass=board.playback.version.key if board.playback else None,
        overrides=frozenset(version.key for version in overrides),
    )


def _with_new_facts(staged: StagedVersion) -> StagedVersion:
    """Puts its manifest's facts into its playback; a fixed boundary stays."""
    manifest = staged.manifest
    if staged.playback is None:
        return staged
    playback = update(staged.playback, location=manifest.location, catalogue=manifest.catalogue, missing=staged.missing)
    return replace(staged, playback=playback)


def _with_facts(board: Board, manifest: Manifest, catalogue: Catalogue) -> Board:
    playback = board.playback
    if playback is not None:
        newest = manifest.version
        if newest is not None and newest.is_same(playback.version):
            playback = replace(playback, version=replace(playback.version, key=newest.key, assets=newest.assets))
        playback = update(playback, location=manifest.location, catalogue=catalogue)
    return replace(board, playback=playback, location=manifest.location, catalogue=catalogue)


def _house_without(manifest: Manifest) -> HouseReason:
    """Returns the reason for the house card under a manifest without a version."""
    return HouseReason.NEVER_PUBLISHED if manifest.unpublished else HouseReason.NO_PLAYLIST


def _key(manifest: Manifest) -> VersionKey | None:
    return manifest.version.key if manifest.version else None
