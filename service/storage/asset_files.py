"""Stores assets in the data folder. A file is complete or absent.

An upload is flushed to the disk, and then renamed to its digest; the folder is flushed too.
"""

import hashlib
import os
import shutil
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from service.storage.asset_store import CHUNK_BYTES, Keep, Upload, detect_full_disk, part_name, sweep_incoming
from service.storage.durable import flush_folder


class AssetFiles:
    def __init__(self, *, folder: Path) -> None:
        self._files = folder / "files"
        self._thumbnails = folder / "thumbnails"
        self._incoming = folder / "incoming"
        self._parts = folder / "parts"
        for path in (folder, self._files, self._thumbnails, self._incoming, self._parts):
            path.mkdir(mode=0o700, exist_ok=True)

    def sweep(self) -> None:
        """Removes unfinished uploads of processes that have ended. Uploads in progress stay."""
        sweep_incoming(self._incoming)

    def upload(self) -> Upload:
        return Upload(incoming=self._incoming, keep=self._keep)

    def add(self, content: bytes) -> str:
        """Stores bytes of the service's own under their digest, and returns that. Raises StorageFullError.

        A file that exists already is not written again.
        """
        digest = hashlib.sha256(content).hexdigest()
        if self.size(digest) == len(content):
            # Another process may have stored it just now, without flushing the folder yet.
            with detect_full_disk():
                _flush_name(self.path(digest))
            return digest
        with self.upload() as upload:
            upload.write(content)
            return upload.store()

    def path(self, digest: str) -> Path:
        """Returns the path of the asset, whether the file exists or not."""
        return self._files / digest[:2] / digest

    def size(self, digest: str) -> int | None:
        """Returns the size of the asset in bytes; None if the folder does not have it."""
        path = self.path(digest)
        return path.stat().st_size if path.is_file() else None

    def read(self, digest: str, start: int, end: int) -> Generator[bytes]:
        """Yields the bytes from `start` up to, but without, `end`, in chunks."""
        with self.path(digest).open("rb") as file:
            file.seek(start)
            while chunk := file.read(min(CHUNK_BYTES, end - start)):
                start += len(chunk)
                yield chunk

    def place(self, digest: str, target: Path) -> None:
        """Links the asset at this path."""
        target.symlink_to(self.path(digest).absolute())

    def link(self, digest: str, *, media_type: str) -> str | None:
        """Returns None: players read assets from the service."""
        return None

    def thumbnail(self, name: str) -> bytes | None:
        with suppress(FileNotFoundError):
            return (self._thumbnails / name).read_bytes()
        return None

    def keep_thumbnail(self, name: str, content: bytes) -> None:
        with Upload(incoming=self._incoming, keep=_keep_at(self._thumbnails / name)) as upload:
            upload.write(content)
            upload.store()

    def remove(self, digest: str) -> None:
        """Removes the asset and its thumbnails."""
        self.path(digest).unlink(missing_ok=True)
        for thumbnail in self._thumbnails.glob(f"{digest}-*"):
            thumbnail.unlink(missing_ok=True)

    def keep_part(self, upload: str, offset: int, content: bytes) -> None:
        """Stores the bytes of an upload that begin at `offset`."""
        folder = self._parts / upload
        folder.mkdir(mode=0o700, exist_ok=True)
        with Upload(incoming=self._incoming, keep=_keep_at(folder / part_name(offset))) as part:
            part.write(content)
            # The folder is gone where the upload is given up meanwhile: its row says so.
            with suppress(FileNotFoundError):
                part.store()
                flush_folder(folder)

    def part(self, upload: str, offset: int) -> bytes | None:
        """Returns the part that begins at `offset`."""
        with suppress(FileNotFoundError):
            return (self._parts / upload / part_name(offset)).read_bytes()
        return None

    def remove_parts(self, upload: str) -> None:
        shutil.rmtree(self._parts / upload, ignore_errors=True)

    def _keep(self, file: BinaryIO, temporary: Path, digest: str) -> None:
        target = self.path(digest)
        os.fsync(file.fileno())
        target.parent.mkdir(mode=0o700, exist_ok=True)
        temporary.replace(target)
        _flush_name(target)


def _keep_at(target: Path) -> Keep:
    def keep(file: BinaryIO, temporary: Path, _digest: str) -> None:
        os.fsync(file.fileno())
        temporary.replace(target)

    return keep


def _flush_name(target: Path) -> None:
    for folder in (target.parent, target.parent.parent):
        flush_folder(folder)
