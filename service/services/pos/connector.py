"""Reads the menus of points of sale: feeds at https URLs, and files in a folder.

Independent of the database and the items. Another kind of point of sale is another `Connector`.
"""

import asyncio
import errno
import io
import os
import stat
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from starlette.concurrency import run_in_threadpool

from service.services.pos.feed import (
    FEEDS_NAME,
    MAX_FEED_BYTES,
    FeedContent,
    FeedFailure,
    Source,
    is_file_name,
    is_url,
)
from service.services.pos.rows import read_feed
from service.services.shared.outbound import Outbound, Unanswered, check_url

SETTLED_SECONDS = 2.0
"""A file that was written so short ago may be half of what the till is still writing: it is read again."""
BEING_WRITTEN = "being_written"

_NOT_A_FILE = (errno.EINVAL, errno.EISDIR, errno.ELOOP, errno.ENOTDIR, errno.ENXIO)


class Connector(Protocol):
    """Reads the menu of a point of sale. Does not raise for errors of the other side."""

    async def read(self, source: Source) -> FeedContent | FeedFailure: ...


class FeedConnector:
    """Reads feeds at https URLs, and files below a data folder that only the operator can write to."""

    def __init__(self, *, data: Path, outbound: Outbound) -> None:
        self._data = data
        self._outbound = outbound

    async def read(self, source: Source) -> FeedContent | FeedFailure:
        if is_url(source.feed):
            return await self._fetch(source)
        feed = await run_in_threadpool(self._read_file, source)
        for _ in range(5):
            if not (isinstance(feed, FeedFailure) and feed.reason == BEING_WRITTEN):
                break
            await asyncio.sleep(SETTLED_SECONDS)
            feed = await run_in_threadpool(self._read_file, source)
        return feed

    async def _fetch(self, source: Source) -> FeedContent | FeedFailure:
        fetched = await self._outbound.fetch(source.feed, limit=MAX_FEED_BYTES)
        if isinstance(fetched, Unanswered):
            return FeedFailure(fetched.reason, "The feed did not answer.")
        if not 200 <= fetched.status < 300:
            return FeedFailure("bad_status", f"The feed answered with status {fetched.status}.")
        if fetched.body is None:
            return _too_large()
        return await run_in_threadpool(_read, fetched.body, source)

    def _read_file(self, source: Source) -> FeedContent | FeedFailure:
        if not is_file_name(source.feed):
            return FeedFailure("no_file", "This is no name of a file.")
        names = [FEEDS_NAME, *filter(None, (source.folder, source.feed))]
        try:
            with _open_plain(self._data, names) as file:
                raw = file.read(MAX_FEED_BYTES + 1)
                written_at = os.fstat(file.fileno()).st_mtime
        except OSError as fault:
            if fault.errno in _NOT_A_FILE:
                detail = (
                    f"{source.file} is no plain file in a plain folder. Links are not followed: put the file there."
                )
                return FeedFailure("not_a_file", detail)
            return FeedFailure("no_file", f"The service's data folder holds no file {source.file} that can be read.")
        # A file of the future is of a machine whose clock is ahead, or from before this one's was put back.
        if 0 <= time.time() - written_at < SETTLED_SECONDS:
            return FeedFailure(BEING_WRITTEN, f"{source.file} is being written all the time.")
        return _too_large() if len(raw) > MAX_FEED_BYTES else _read(raw, source)


def _open_plain(folder: Path, names: Sequence[str]) -> io.BufferedReader:
    """Opens the file at the end of `names`, below `folder`. Follows no link and waits for no pipe. Raises OSError."""
    at = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for name in names[:-1]:
            below = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=at)
            os.close(at)
            at = below
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
        opened = os.open(names[-1], flags, dir_fd=at)
    finally:
        os.close(at)
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        os.close(opened)
        raise OSError(errno.EINVAL, "not a plain file")
    return os.fdopen(opened, "rb")


def feed_key(feed: str) -> str:
    """Normalises the feed, so that two spellings of one URL are equal."""
    return str(check_url(feed, allow_private=True)) if is_url(feed) else feed


def _read(raw: bytes, source: Source) -> FeedContent | FeedFailure:
    return read_feed(raw, source.format, encoding=source.encoding, columns=source.columns, notation=source.notation)


def _too_large() -> FeedFailure:
    return FeedFailure("too_large", f"A feed has at most {MAX_FEED_BYTES} bytes.")
