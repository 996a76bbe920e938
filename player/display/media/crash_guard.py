"""Crash guard: bars a video, or a font, from being read after too many players died while they did so.

A decoder asks before it opens a video. The record that the video is open stays on the disk until the video has proved
harmless or its last decoder is closed; a process that dies in between leaves it there, and the next process counts it
as a crash.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime
from typing import Protocol

from PySide6.QtCore import QObject, Signal

from menu.documents.tolerant import NOT_THE_DOCUMENT
from player.display.qt.typed import slot
from player.display.qt.worker import Worker
from player.domain.recovery.failures import Failures

MOST_CRASHES = 2
"""Crashes that bar a video: one power cut, or one kill, bars nothing."""
HARMLESS_AFTER_SECONDS = 10.0
"""A video counts as harmless once it has played for this long and has come round once."""

_log = logging.getLogger(__name__)


Clearance = bool | None
"""Whether a video may be decoded; None: not beside another over which a player has died, since one at a time shows
which of them is at fault."""
Answer = Callable[[Clearance], None]


class CrashRecords(Protocol):
    """Persistent crash records. Both calls may block on the disk."""

    def load(self) -> bytes | None:
        """Loads the records; None when there are none, or they are incomplete."""
        ...

    def save(self, content: bytes, /) -> None:
        """Replace the records. Raises OSError."""
        ...


class CrashLog:
    """Counts crashes by video (hex SHA-256). Calls may block on the disk and raise nothing. Only the first opening, the
    proof and the last close of a video are written: a playlist that loops writes nothing."""

    def __init__(self, records: CrashRecords) -> None:
        self._records = records
        self._loaded: Failures | None = None
        self._decoders: dict[int, str] = {}
        self._harmless: set[str] = set()

    def request(self, decoder: int, video: str, now: datetime) -> Clearance:
        """Decides whether a decoder, named by a number, may read the video; `now` is wall time. A disk that refuses the
        record keeps no video from playing."""
        if video not in self._harmless and video not in self._decoders.values():
            known = self._failures()
            if (crashes := known.of(video, now)) >= MOST_CRASHES:
                return False
            if crashes and any(record.is_open and record.failures for record in known.records.values()):
                return None
            self._save(known.opened(video, now))
        self._decoders[decoder] = video
        return True

    def mark_harmless(self, video: str) -> None:
        """Stops recording the video in this process: it was decoded without a crash."""
        self._harmless.add(video)
        known = self._failures()
        if video in known.records:
            self._save(known.cleared([video]))

    def release(self, decoder: int) -> None:
        """Records that the decoder was closed, or never opened."""
        video = self._decoders.pop(decoder, None)
        known = self._failures()
        if video is not None and video in known.records and video not in self._decoders.values():
            self._save(known.closed(video))

    def forgive(self) -> None:
        """Forget all crashes: every video is tried again."""
        known = self._failures()
        if known.records:
            self._save(known.forgiven())

    def _failures(self) -> Failures:
        if self._loaded is None:
            # What is still open, the process before this one was decoding when it died.
            try:
                self._loaded = Failures.read(self._records.load())
            except NOT_THE_DOCUMENT as error:
                _log.info("the crash records cannot be read, and count as empty: %s", error)
                self._loaded = Failures()
        return self._loaded

    def _save(self, failures: Failures) -> None:
        self._loaded = failures.trimmed()
        try:
            self._records.save(self._loaded.encoded())
        except OSError as error:
            _log.warning("videos play without a crash record: %s", error)


class CrashGuard(QObject):
    """Calls the crash log on a thread of its own, in order, because the log writes to the disk. Without `records` every
    video is cleared, and at once."""

    _answered = Signal(object, object)

    def __init__(self, records: CrashRecords | None, *, now: Callable[[], datetime], parent: QObject) -> None:
        super().__init__(parent)
        self._log = CrashLog(records) if records is not None else None
        self._now = now
        self._worker = Worker()
        self._answered.connect(self._deliver)

    def request(self, decoder: int, video: str, answer: Answer) -> None:
        """Ask whether the decoder may open the video; `answer` is called on this thread."""
        crash_log, now = self._log, self._now()
        if crash_log is None:
            answer(True)  # noqa: FBT003 -- named by its type
        else:
            self._worker.start(lambda: self._answered.emit(answer, crash_log.request(decoder, video, now)))

    def request_at_once(self, decoder: int, file: str) -> Clearance:
        """Asks whether the file may be opened, and waits for the answer: for what is needed before a view is laid
        out."""
        crash_log, now, found = self._log, self._now(), list[Clearance]()
        if crash_log is None:
            return True
        self._worker.start(lambda: found.append(crash_log.request(decoder, file, now)))
        self._worker.wait()
        return found[0] if found else True

    def close(self) -> None:
        """Wait until everything is written."""
        self._worker.close()

    def note(self, work: Callable[[CrashLog], None]) -> None:
        """Queues work on the log."""
        if crash_log := self._log:
            self._worker.start(lambda: work(crash_log))

    @slot(object, object)
    def _deliver(self, answer: Answer, clearance: Clearance) -> None:
        answer(clearance)


class GuardedDecoder:
    """One decoder of `video` under the guard. `answer` is called unless the decoder was closed before."""

    def __init__(self, guard: CrashGuard, video: str, *, answer: Answer) -> None:
        self._guard = guard
        self._video = video
        self._answer = answer
        self._playing_since: float | None = None
        self._position = 0
        self._came_round = False
        self._is_harmless = False
        self._closed = False

    def request(self) -> None:
        self._guard.request(id(self), self._video, self._deliver)

    def move_to(self, position: int) -> None:
        """Records that the video reached this position; a lower one than before means that it looped."""
        self._came_round = self._came_round or position < self._position
        self._position = position

    def tick(self, monotonic: float) -> None:
        """Records a second of decoding."""
        if self._playing_since is None:
            self._playing_since = monotonic
        elif self._came_round and monotonic - self._playing_since >= HARMLESS_AFTER_SECONDS:
            self.mark_harmless()

    def mark_harmless(self) -> None:
        if not self._is_harmless:
            self._is_harmless = True
            self._guard.note(lambda log: log.mark_harmless(self._video))

    def close(self) -> None:
        """Closes the decoder, or withdraws its request."""
        self._closed = True
        self._guard.note(lambda log: log.release(id(self)))

    def _deliver(self, clearance: Clearance) -> None:
        if not self._closed:
            self._answer(clearance)
