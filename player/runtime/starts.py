"""Counts the starts and runs of the player that died, on the disk."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import UTC, datetime

from menu.documents.tolerant import NOT_THE_DOCUMENT
from player.display.qt.worker import Worker
from player.domain.recovery import fallback
from player.domain.recovery.failures import Failures
from player.storage.durable import StorageError
from player.storage.failures import FailurePart
from player.storage.store import StateStore
from player.version import VERSION

log = logging.getLogger(__name__)

NO_FAILURES = Failures()


class Starts:
    """Counts the starts in a row that died before their first frame, and the runs since the boot that died after it;
    not those that were under way when the machine went off. If the disk refuses, none are counted."""

    def __init__(
        self, file: FailurePart, *, now: Callable[[], datetime], boot_id: str = "", version: str = VERSION
    ) -> None:
        self._file = file
        self._program = fallback.program_subject(version)
        self._now = now
        self._boot = boot_id
        self._failures = read_failures(file, boot=boot_id)
        self.count = self._failures.of(fallback.START, now())
        """Failed starts up to now."""
        self.died = fallback.START in self._failures.died
        """Whether the start before this one failed, and not only ones before that."""
        self._run = fallback.run_subject(boot_id)
        self.crashes = self._failures.of(self._run, now())
        """Runs that have died since the boot, of the last day."""
        self._under_way = self._runs = False
        self._worker = Worker()

    def counted(self, file: FailurePart) -> Failures:
        """Returns the failures of the board in this file: so many dead starts in a row are one of the display."""
        failures = read_failures(file)
        if self.died and self.count >= fallback.STARTS_WITH_SAFE_CARD:
            failures = failures.failed(fallback.DISPLAY, self._now(), times=fallback.MOST_DISPLAY_FAILURES)
            write_failures(file, failures)
        return failures

    def begin(self) -> None:
        """Counts this start. Waits for the disk: whatever comes next may end the process."""
        self._under_way = True
        write_failures(self._file, self._failures.opened(fallback.START, self._now(), boot=self._boot))

    def keep(self) -> None:
        """Stores the count unchanged: this start shows the safe card, and proves nothing."""
        if self.died:
            write_failures(self._file, self._failures)

    def succeed(self) -> None:
        """Notes that a frame is on the display."""
        if self._under_way:
            self._under_way = False
            kept = {self._run, self._program}
            self._failures = Failures(
                {subject: record for subject, record in self._failures.records.items() if subject in kept}
            )
            running = self._failures.opened(self._run, self._now(), boot=self._boot)
            self._worker.start(lambda: write_failures(self._file, running))
            self._runs = True

    def close(self) -> None:
        """Notes an orderly end of the player, with or without a frame."""
        self._worker.close()
        if self._under_way or self._runs:
            write_failures(self._file, self._failures)


def forget_failures_of_another_version(store: StateStore, *, version: str = VERSION) -> None:
    """Deletes failures of another version of the player, as before an update or a return to an older one: they may work
    in this one."""
    program = fallback.program_subject(version)
    if program in read_failures(store.starts).records:
        return
    write_failures(store.failures, NO_FAILURES)
    write_failures(store.starts, NO_FAILURES.failed(program, datetime.now(UTC)))


def read_failures(file: FailurePart, *, boot: str = "") -> Failures:
    """Returns the count on the disk, in this boot; an empty one if there is none that can be read."""
    try:
        return Failures.read(file.load(), boot=boot)
    except (*NOT_THE_DOCUMENT, StorageError) as error:
        log.info("the count of failures cannot be read, and begins anew: %s", error)
        return Failures()


def write_failures(file: FailurePart, failures: Failures) -> None:
    try:
        file.save(failures.trimmed().encoded())
    except StorageError as error:
        log.warning("failures are not counted: %s", error)
