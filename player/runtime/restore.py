"""Reads the state that the board starts with from the disk."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial

from menu.documents.manifest import Manifest, Rejection
from menu.documents.manifest_reader import ManifestError, read_manifest
from player.domain.pairing.boot_file import NOTHING_NOTED, BootFileNote
from player.domain.pairing.pairing import Credentials
from player.domain.playing.board import Restored
from player.domain.playing.overrides import assets_of
from player.domain.recovery import fallback
from player.domain.recovery.failures import Failures
from player.domain.time.clock import Boot
from player.runtime.starts import Starts, write_failures
from player.storage.manifests import StoredManifest
from player.storage.store import StateStore, StoredState

log = logging.getLogger(__name__)

NO_FAILURES = Failures()
NO_BOOT = Boot()


def restore(
    stored: StoredState,
    store: StateStore,
    *,
    setting_faults: Sequence[str] = (),
    boot_file: BootFileNote = NOTHING_NOTED,
    failures: Failures = NO_FAILURES,
    starts: Starts | None = None,
    safe_card: bool = False,
    boot: Boot = NO_BOOT,
) -> Restored:
    """Reads the stored manifests. One that cannot be read is reported as a rejection; the start continues without it.
    What has failed before is left out (`player/domain/recovery/fallback.py`)."""
    now, failed_starts = datetime.now(UTC), starts.count if starts is not None else 0
    rejections = [Rejection(code="setting_bad", subject="settings", detail=fault) for fault in setting_faults]
    rejections += [*boot_file.rejections(), *stored.rejections]
    manifests, screen, read = stored.manifests, stored.credentials, partial(_read, store, rejections)

    def ran(found: StoredManifest | None, slot: str) -> Manifest | None:
        return read(found, slot) if found is not None and found.anchor is not None else None

    running = ran(manifests.running, "running") or ran(manifests.previous, "previous")
    staged = read(manifests.staged, "staged") if failed_starts < fallback.STARTS_WITHOUT_STAGED else None
    version, gave_way = running.version if running else None, None
    if running is not None and version is not None:
        if starts is not None and starts.died and failed_starts == fallback.STARTS_WITH_PREVIOUS:
            subject = fallback.version_subject(version.key)
            failures = failures.failed(subject, now, times=fallback.MOST_VERSION_FAILURES)
            write_failures(store.failures, failures)
        before = ran(manifests.previous, "previous") if fallback.gives_way(failures, version.key, now) else None
        if before is not None and before.version is not None and before.version.key != version.key:
            log.error("version %d has failed on this screen; the version before it plays", version.key.version)
            gave_way, running, version = version.key, before.with_facts_of(running), before.version
    return Restored(
        failures=failures,
        crashes=starts.crashes if starts is not None else 0,
        safe_card=safe_card,
        gave_way=gave_way,
        has_previous=manifests.has_previous_version and gave_way is None,
        screen_id=screen.screen_id if isinstance(screen, Credentials) else None,
        from_another_device=store.from_another_device,
        forgotten=stored.forgotten,
        running=running,
        staged=(staged, manifests.staged.body) if staged and manifests.staged else None,
        missing=store.assets.missing(version.assets) if version else {},
        whole=_whole(store, staged or running),
        commands=stored.commands,
        rejections=tuple(rejections),
        known_time=stored.known_time,
        boot=boot,
        display=stored.display,
    )


def _whole(store: StateStore, newest: Manifest | None) -> frozenset[str]:
    """Returns the assets of the overrides that are on the disk."""
    needed = assets_of(newest) if newest is not None else {}
    return frozenset(needed.keys() - store.assets.missing(needed).keys())


def _read(store: StateStore, rejections: list[Rejection], found: StoredManifest | None, slot: str) -> Manifest | None:
    """Returns the manifest, None if there is none that can be read."""
    try:
        manifest = None if found is None else read_manifest(found.body, etag=found.etag)
    except ManifestError as error:
        rejections.append(Rejection(code=error.code, subject=slot, detail=error.detail))
        return None
    if manifest is not None:
        store.manifests.note_assets(etag=manifest.etag, assets=manifest.listed_assets)
    return manifest
