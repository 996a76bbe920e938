"""The commands that carry an installation elsewhere: `migrate-to`, `backup`, `restore`. Knows nothing of serving."""

import sys
from pathlib import Path

from service.services.operations.backup import BackupError, BackupSummary, back_up, restore
from service.settings import Settings
from service.storage.copying import CopyError, TargetNotEmptyError, copy_database
from service.storage.engines import open_engine

CARRYING = ("migrate-to", "backup", "restore")
FAULTS = (BackupError, CopyError, TargetNotEmptyError)
"""What these commands tell the operator and stop at, beside OSError and NewerDatabaseError."""


def carry(command: str, settings: Settings, file: Path | None) -> None:
    """Run one of the commands. Raises `FAULTS` and OSError."""
    if command == "migrate-to":
        _move(settings)
        return
    if file is None:
        raise BackupError(f"{command} needs a file")
    if settings.database is not None:
        raise BackupError("the database is PostgreSQL: save it with pg_dump, and then the folder of assets beside it")
    if command == "backup":
        _tell("saved", back_up(settings.data, file))
    else:
        _tell("restored", restore(file, settings.data))


def _move(settings: Settings) -> None:
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
    sys.stderr.write(f"menu-service: copied; assets stay in {settings.data}, so name --data as well as --database\n")


def _tell(done: str, saved: BackupSummary) -> None:
    sys.stderr.write(f"menu-service: {done} the database and {saved.assets} assets\n")
    for digest in saved.missing:
        sys.stderr.write(f"menu-service: the asset {digest} is missing; upload it again\n")
