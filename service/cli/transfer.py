"""The commands `migrate-to`, `move-assets`, `backup`, `restore` and `mark-restored`."""

import sys
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.core.clock import SystemClock
from service.services.operations.asset_moving import move_assets
from service.services.operations.backup import BackupError, BackupSummary, back_up, restore
from service.services.registry import Services
from service.settings import Settings
from service.storage.asset_files import AssetFiles
from service.storage.asset_objects import AssetObjects, BucketError
from service.storage.asset_store import StoreUnavailableError
from service.storage.copying import CopyError, TargetNotEmptyError, copy_database
from service.storage.engines import open_engine
from service.storage.tables.menus import AssetRow

TRANSFER_COMMANDS = ("migrate-to", "move-assets", "backup", "restore", "mark-restored")
TRANSFER_ERRORS = (BackupError, BucketError, CopyError, StoreUnavailableError, TargetNotEmptyError)
"""Errors of these commands with a message for the operator, beside OSError and UnknownDatabaseError."""


def run_transfer_command(
    command: str, settings: Settings, file: Path | None, former: Path | None = None, *, revoke: bool = False
) -> None:
    """Run one of the commands. Raises `TRANSFER_ERRORS`, UnknownDatabaseError and OSError."""
    if command == "migrate-to":
        _migrate_to(settings)
        return
    if command == "move-assets":
        _move_assets(settings)
        return
    if command == "mark-restored":
        _mark_restored(settings)
        return
    if file is None:
        raise BackupError(f"{command} needs a file")
    if settings.database is not None:
        raise BackupError("the database is PostgreSQL: save it with pg_dump, and then its assets")
    if command == "backup":
        _report("saved", back_up(settings.data, file, with_assets=settings.bucket is None), settings)
    else:
        if revoke and former is None:
            raise BackupError("--revoke needs --former: the folder that tells what had ended")
        restored = restore(file, settings.data, former=former, revoke=revoke)
        _report("restored", restored, settings)
        _report_revived(restored, is_compared=former is not None, revoke=revoke)


def _migrate_to(settings: Settings) -> None:
    if settings.database is None:
        raise CopyError("--database or MENU_SERVICE_DATABASE is needed: where to copy to")
    if not settings.database_file.is_file():
        raise CopyError(f"{settings.data} holds no database")
    source = open_engine(None, file=settings.database_file)
    target = open_engine(settings.database, file=settings.database_file)
    try:
        counts = copy_database(source, target)
    finally:
        source.dispose()
        target.dispose()
    for table, count in sorted(counts.items()):
        sys.stdout.write(f"{count:>9} {table}\n")
    place = settings.bucket or settings.data
    sys.stderr.write(f"menu-service: copied; assets stay in {place}, so name --data as well as --database\n")


def _move_assets(settings: Settings) -> None:
    if settings.bucket is None:
        raise BucketError("--assets or MENU_SERVICE_ASSETS is needed: the bucket to copy to")
    if settings.database is None and not settings.database_file.is_file():
        raise BucketError(f"{settings.data} holds no database")
    objects = AssetObjects(settings.bucket, folder=settings.assets)
    engine = open_engine(settings.database, file=settings.database_file)
    try:
        with Session(engine) as session:
            digests = session.scalars(select(AssetRow.digest).distinct().order_by(AssetRow.digest)).all()
    finally:
        engine.dispose()
    moved = move_assets(digests, AssetFiles(folder=settings.assets), objects)
    sys.stderr.write(
        f"menu-service: copied {moved.copied} assets into {settings.bucket}; {moved.there} were there. Start the "
        f"service with --assets; then {settings.assets / 'files'} can go\n"
    )
    for digest in moved.missing:
        sys.stderr.write(f"menu-service: the asset {digest} is missing or damaged; upload it again\n")


def _mark_restored(settings: Settings) -> None:
    if settings.database is None and not settings.database_file.is_file():
        raise BackupError(f"{settings.data} holds no database")
    services = Services(settings, clock=SystemClock())
    try:
        services.epochs.begin_anew()
    finally:
        services.database.close()
    sys.stderr.write("menu-service: boards will show what the restored database says; start the service again\n")


def _report_revived(restored: BackupSummary, *, is_compared: bool, revoke: bool) -> None:
    sys.stderr.write("menu-service: everybody signs in to the desk again\n")
    if not is_compared:
        sys.stderr.write(
            "menu-service: keys that were revoked, and members who were removed, since the backup are back: look "
            "through both (--former FOLDER names them, where the folder of before is still there)\n"
        )
    for one in restored.revived:
        done = "is ended again" if revoke else "had ended or changed since the backup, and is as it was"
        sys.stderr.write(f"menu-service: {one} {done}\n")
    if restored.revived and not revoke:
        sys.stderr.write("menu-service: restore with --revoke to end them, or end each by hand\n")


def _report(done: str, saved: BackupSummary, settings: Settings) -> None:
    sys.stderr.write(f"menu-service: {done} the database and {saved.assets} assets\n")
    if settings.bucket is not None:
        sys.stderr.write(f"menu-service: images and films are in {settings.bucket}, which backups leave out\n")
    if not saved.checked:
        sys.stderr.write(
            "menu-service: this backup is of an earlier version and has no checksum: it cannot be seen whether its "
            "database was damaged since; compare the menus\n"
        )
    for digest in () if settings.bucket is not None else saved.missing:
        sys.stderr.write(f"menu-service: the asset {digest} is missing; upload it again\n")
