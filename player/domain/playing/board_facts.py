"""Facts of a board in the snapshot: running version, waiting version, and rejected parts; pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from menu.documents.manifest import Catalogue, PlaylistVersion, Rejection
from menu.documents.scene import Place
from menu.text.phrase import phrase
from player.domain.machine import Glass
from player.domain.playing.board import Board
from player.domain.playing.sync import asset_users, missing_text
from player.domain.state import RunningFacts, StagedFacts


def running_facts(board: Board) -> RunningFacts | None:
    playback = board.playback
    if playback is None:
        return None
    version = playback.version
    return RunningFacts(
        key=version.key,
        name=version.name,
        published_at=version.published_at,
        entries=len(version.entries),
        missing=board.missing,
    )


def staged_facts(board: Board) -> StagedFacts | None:
    staged = board.staged
    if staged is None:
        return None
    version = staged.manifest.version
    return StagedFacts(
        key=staged.key,
        assets_remaining=staged.remaining,
        missing=staged.missing,
        takes_over_at=staged.takes_over_at,
        assets=len(version.assets) if version else 0,
        since=staged.since,
        unpublished=staged.manifest.unpublished,
    )


def failures_of(board: Board) -> tuple[Rejection, ...]:
    """Returns the abandoned version, and the skipped scenes, because the display cannot show them."""
    found: list[Rejection] = []
    if (key := board.gave_way) is not None:
        found.append(Rejection(code="version_fails", subject=key.playlist_id, detail=""))
    playbacks = [one.playback for one in board.overrides.all]
    playbacks += [board.playback] if board.playback is not None else []
    refused = (scene for playback in playbacks for scene in playback.version.scenes.values() if scene.refused)
    found += [Rejection(code="scene_fails", subject=scene.id, detail="", name=scene.name) for scene in refused]
    return tuple(found)


def span_faults(board: Board, place: Place | None, glass: Glass | None) -> Iterator[Rejection]:
    """Yields the scenes over several panels of which this screen draws no part, or one that has another shape."""
    scenes = board.playback.version.scenes.values() if board.playback is not None else ()
    for scene in scenes:
        if scene.span is None:
            continue
        part, subject = scene.part(place), f"{scene.id}/span"
        if part.width == scene.width:
            together = phrase("screens that draw it together: {count}", count=scene.span.panels)
            yield Rejection(code="span_whole", subject=subject, detail=together, name=scene.name)
        # From a difference of 2 % on somebody sees the bars.
        elif glass is not None and glass.is_screen and abs(part.width / part.height / glass.shape - 1) > 0.02:
            sizes = f"{part.width:g} × {part.height:g}, {glass.width} × {glass.height}"
            yield Rejection(code="span_shape", subject=subject, detail=sizes, name=scene.name)


def all_rejections(board: Board) -> tuple[Rejection, ...]:
    """Returns every part of the board's documents and assets that could not be used."""
    running = board.playback.version if board.playback else None
    found = [*board.rejections, *_missing_assets(board.missing, running, board.catalogue)]
    staged = board.staged
    if staged is not None:
        found += _missing_assets(staged.missing, staged.manifest.version, staged.manifest.catalogue)
        if staged.key is not None and not (staged if staged.verified else replace(staged, missing={})).showable:
            found.append(
                Rejection(
                    code="program_unshowable",
                    subject=staged.key.playlist_id,
                    detail=f"no scene of version {staged.key.version} can be shown",
                )
            )
    return tuple(dict.fromkeys(found))


def _missing_assets(
    missing: Mapping[str, str | None], version: PlaylistVersion | None, catalogue: Catalogue | None
) -> list[Rejection]:
    names = asset_users(version, catalogue) if missing else {}
    return [
        Rejection(code="asset_lacking", subject=sha, detail=missing_text(why), name=names.get(sha, ""))
        for sha, why in missing.items()
    ]
