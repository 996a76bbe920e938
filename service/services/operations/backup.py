"""Backs up an installation into one file while it runs, and restores it.

A backup is a tar archive of the database, the assets it names and the key of its secrets, after a list of their
checksums. It contains what the data folder contains, such as digests of keys, and only its owner can read it. A restore
checks every file against the list, and the database with SQLite's integrity check. A restored database is older than
what boards may have seen: the next start begins another epoch (docs/adr/0089). Sign-ins at the desk end with it.
"""

import hashlib
import io
import os
import re
import shutil
import sqlite3
import tarfile
import tempfile
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, BinaryIO

from service.services.operations.revived import Revived, end_revived, end_sessions, revived
from service.services.publishing.epochs import restored_fact
from service.storage.durable import flush_folder
from service.storage.tables.workspaces import CONTRADICTED_NAME, EPOCH_NAME, RESTORED_NAME

DATABASE_NAME = "service.sqlite3"
KEY_NAME = "secrets.key"
ASSETS_NAME = "assets/files"
SUMS_NAME = "SHA256SUMS"
"""The first file of a backup, as `sha256sum` writes it: so a truncated backup is known as well."""
MAX_SUMS_BYTES = 256 * 1024 * 1024

_ASSET = re.compile(rf"{ASSETS_NAME}/([0-9a-f]{{2}})/(\1[0-9a-f]{{62}})")


class BackupError(Exception):
    """A backup that cannot be made or used; nothing was changed."""


@dataclass(frozen=True, slots=True)
class BackupSummary:
    assets: int
    missing: tuple[str, ...] = ()
    """SHA-256 of the assets that the database names and the folder does not have."""
    checked: bool = True
    """Whether the backup has checksums; those of earlier versions have none."""
    revived: tuple[Revived, ...] = ()
    """Keys, members and tokens that had ended since the backup, as far as the former folder tells."""


def back_up(data: Path, target: Path, *, with_assets: bool = True) -> BackupSummary:
    """Backs up the folder into a file, which is replaced atomically.

    The service may run and write meanwhile. Assets in a bucket are left out. Raises BackupError and OSError.
    """
    if not target.parent.is_dir():
        raise BackupError(f"{target.parent} is no folder")
    if target.exists() and not target.is_file():
        # By renaming it would be replaced: as root, a device too.
        raise BackupError(f"{target} is no file, but something else of that name")
    database = data / DATABASE_NAME
    if not database.is_file():
        raise BackupError(f"{data} holds no database")
    with tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as folder:
        copy = Path(folder) / DATABASE_NAME
        _copy_database(database, copy)
        # The database first: an asset is stored before its row, so every asset that the copy names exists by now. The
        # file of one that is deleted meanwhile stays for a day.
        archive = Path(folder) / "archive"
        with _create(archive) as file:
            summary = _write(file, copy, data, _named_assets(copy) if with_assets else [])
            file.flush()
            os.fsync(file.fileno())
        archive.replace(target)
    flush_folder(target.parent)
    return summary


def restore(source: Path, data: Path, *, former: Path | None = None, revoke: bool = False) -> BackupSummary:
    """Creates a data folder from a backup. `former` is the folder whose place it takes: what had ended there since the
    backup is found, and ended again to `revoke` it. Raises BackupError and OSError, leaving no folder behind."""
    if data.exists() and (not data.is_dir() or any(data.iterdir())):
        raise BackupError(f"{data} is not empty; name a folder that is still to be made")
    data.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f".{data.name}.", dir=data.parent))
    try:
        assets, checked = _unpack(source, folder)
        missing = _check(folder)
        found = _revived(folder, former, revoke=revoke)
        _note_restored(folder / DATABASE_NAME, () if revoke else found)
        folder.rename(data)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    flush_folder(data.parent)
    return BackupSummary(assets=assets, missing=missing, checked=checked, revived=found)


def _revived(folder: Path, former: Path | None, *, revoke: bool) -> tuple[Revived, ...]:
    if former is None:
        return ()
    if not (former / DATABASE_NAME).is_file():
        raise BackupError(f"{former} holds no database to compare with")
    try:
        found = revived(folder / DATABASE_NAME, former / DATABASE_NAME)
        if revoke:
            end_revived(folder / DATABASE_NAME, found)
    except sqlite3.Error as fault:
        raise BackupError(f"the database in {former} cannot be compared: {fault}. Leave --former out") from fault
    return tuple(found)


def _note_restored(database: Path, found: Sequence[Revived]) -> None:
    """Stores the restore, for the desk to show."""
    value = restored_fact(datetime.now(UTC), (one.id for one in found))
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)", (RESTORED_NAME, value))


def _copy_database(database: Path, copy: Path) -> None:
    try:
        with closing(sqlite3.connect(database)) as source, closing(sqlite3.connect(copy)) as target:
            # In one step: after each one, a change by the service would have it begin again. Writers need not wait.
            source.backup(target)
            # A single file: a copy in WAL mode would have others beside it.
            target.execute("PRAGMA journal_mode=DELETE")
    except sqlite3.Error as fault:
        raise BackupError(f"the database cannot be copied: {fault}") from fault


def _write(file: IO[bytes], copy: Path, data: Path, digests: Sequence[str]) -> BackupSummary:
    assets = {name: digest for digest in digests if (data / (name := _asset_name(digest))).is_file()}
    # A service of an earlier version has left no key.
    others = {DATABASE_NAME: copy} | ({KEY_NAME: key} if (key := data / KEY_NAME).is_file() else {})
    sums = {name: _digest_of(path) for name, path in others.items()} | assets
    listed = "".join(f"{digest}  {name}\n" for name, digest in sums.items()).encode()
    with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as archive:
        head = tarfile.TarInfo(SUMS_NAME)
        head.size = len(listed)
        archive.addfile(head, io.BytesIO(listed))
        for name, path in (others | {name: data / name for name in assets}).items():
            archive.add(path, name, recursive=False)
    return BackupSummary(assets=len(assets), missing=tuple(one for one in digests if _asset_name(one) not in assets))


def _unpack(source: Path, folder: Path) -> tuple[int, bool]:
    """Returns the number of assets, and whether all was checked."""
    sums: dict[str, str] | None = None
    found: dict[str, str] = {}
    try:
        with tarfile.open(source, mode="r:") as archive:
            for member in archive:
                content = archive.extractfile(member) if member.isreg() else None
                if member.name == SUMS_NAME and content is not None and not found and sums is None:
                    sums = _read_sums(content.read(MAX_SUMS_BYTES))
                    continue
                asset = _ASSET.fullmatch(member.name)
                if content is None or member.name in found or not (asset or member.name in (DATABASE_NAME, KEY_NAME)):
                    raise BackupError(f"{source} is not a backup: it holds {member.name!r}")
                found[member.name] = digest = _write_file(content, folder / member.name)
                if asset and digest != asset.group(2):
                    raise BackupError(f"{source} is damaged: the asset {asset.group(2)} has other bytes")
    except (tarfile.TarError, EOFError) as fault:
        raise BackupError(f"{source} is not a backup, or a damaged one: {fault}") from fault
    if sums is not None and sums != found:
        [name, *_] = (name for name in (*sums, *found) if sums.get(name) != found.get(name))
        raise BackupError(f"{source} is damaged: {name} is not as it was saved. Use another backup")
    return sum(_ASSET.fullmatch(name) is not None for name in found), sums is not None


def _digest_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _read_sums(content: bytes) -> dict[str, str]:
    lines = (line.partition("  ") for line in content.decode("ascii", "replace").splitlines())
    return {name: digest for digest, _, name in lines}


def _asset_name(digest: str) -> str:
    return f"{ASSETS_NAME}/{digest[:2]}/{digest}"


def _write_file(content: IO[bytes], path: Path) -> str:
    """Writes a file durably; returns its SHA-256."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    sha256 = hashlib.sha256()
    with _create(path) as file:
        while chunk := content.read(1024 * 1024):
            sha256.update(chunk)
            file.write(chunk)
        file.flush()
        os.fsync(file.fileno())
    return sha256.hexdigest()


def _check(folder: Path) -> tuple[str, ...]:
    """Ends the epoch of the database; returns the missing assets. Raises BackupError when the database is damaged."""
    database = folder / DATABASE_NAME
    if not database.is_file():
        raise BackupError("the backup holds no database")
    try:
        with closing(sqlite3.connect(database)) as connection:
            [[verdict]] = connection.execute("PRAGMA integrity_check(1)").fetchall()
        if verdict != "ok":
            raise BackupError(f"the database in the backup is damaged: {verdict}")
        digests = _named_assets(database)
        with closing(sqlite3.connect(database)) as connection, connection:
            connection.execute("DELETE FROM facts WHERE name IN (?, ?)", (EPOCH_NAME, CONTRADICTED_NAME))
            end_sessions(connection)
    except sqlite3.Error as fault:
        raise BackupError(f"the database in the backup is damaged: {fault}") from fault
    return tuple(digest for digest in digests if not (folder / _asset_name(digest)).is_file())


def _named_assets(database: Path) -> list[str]:
    with closing(sqlite3.connect(database)) as connection:
        return [digest for (digest,) in connection.execute("SELECT DISTINCT digest FROM assets ORDER BY digest")]


def _create(path: Path) -> BinaryIO:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
