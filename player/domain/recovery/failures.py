"""Counts failures by subject, across restarts: subjects left open by a process that died have failed; pure.

A subject opened in another boot has not: the power may have ended it.

A subject is opened before it is tried and cleared or closed afterwards. The whole count is one small file, which its
owner reads at the start and writes after each change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Annotated

import msgspec
from msgspec import Struct
from msgspec.structs import replace

COUNT_FOR = timedelta(days=1)
"""Failures of a subject are forgotten this long after the last."""

MOST_SUBJECTS = 64
"""Subjects in the file: those tried last."""


class Record(Struct, frozen=True):
    """Last time that a subject was tried or failed, and its failures. The names are those in the file."""

    at: Annotated[datetime, msgspec.Meta(tz=True)] = msgspec.field(name="begun_at")
    is_open: bool = msgspec.field(name="goes_on")
    failures: int = msgspec.field(name="crashes")
    boot: str = ""
    """The boot in which it was opened."""

    def failures_at(self, now: datetime) -> int:
        """Returns the failures that still count. A time in the future was recorded while the clock was wrong."""
        return self.failures if timedelta() <= now - self.at <= COUNT_FOR else 0


class Failures(Struct, frozen=True):
    """Records by subject. Times are wall time."""

    records: Mapping[str, Record] = {}
    died: frozenset[str] = frozenset()
    """Subjects that the process before this one left open."""

    @classmethod
    def read(cls, content: bytes | None, *, boot: str = "") -> Failures:
        """Parses the count of the previous process, in this boot. Raises one of NOT_THE_DOCUMENT."""
        found = msgspec.json.decode(content or b"{}", type=dict[str, Record])
        died = frozenset(subject for subject, record in found.items() if record.is_open and record.boot == boot)
        return cls(
            {
                subject: replace(record, is_open=False, failures=record.failures + (subject in died))
                for subject, record in found.items()
            },
            died=died,
        )

    def encoded(self) -> bytes:
        return msgspec.json.encode(self.records)

    def trimmed(self) -> Failures:
        """Drops subjects that neither failed nor are open, and the oldest."""
        needed = [entry for entry in self.records.items() if entry[1].is_open or entry[1].failures]
        return Failures(dict(sorted(needed, key=lambda entry: entry[1].at)[-MOST_SUBJECTS:]))

    def of(self, subject: str, now: datetime) -> int:
        record = self.records.get(subject)
        return record.failures_at(now) if record is not None else 0

    def opened(self, subject: str, now: datetime, *, boot: str = "") -> Failures:
        """Records that the subject is being tried, in this boot."""
        return self._with(subject, Record(now, is_open=True, failures=self.of(subject, now), boot=boot))

    def closed(self, subject: str) -> Failures:
        """Records that the attempt has ended without proof."""
        record = self.records.get(subject)
        return self if record is None else self._with(subject, replace(record, is_open=False))

    def failed(self, subject: str, now: datetime, *, times: int = 1) -> Failures:
        return self._with(subject, Record(now, is_open=False, failures=self.of(subject, now) + times))

    def cleared(self, subjects: Iterable[str]) -> Failures:
        """Clears subjects that have proved themselves."""
        gone = set(subjects)
        return Failures({subject: record for subject, record in self.records.items() if subject not in gone})

    def forgiven(self) -> Failures:
        return Failures({subject: replace(record, failures=0) for subject, record in self.records.items()})

    def _with(self, subject: str, record: Record) -> Failures:
        return Failures({**self.records, subject: record})
