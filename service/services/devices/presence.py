"""Tracks which screens are online: contacts and reports are held in memory and written in batches.

A crash loses the contacts since the last batch; the next contact makes up for them. Each change between online and
offline is emitted once, whichever process notices it: the screen's row holds the last state that was emitted, and
changes in the transaction of the event. A screen may call several processes in any order: each writes only what is
newer than the row, and only for the token with which the screen called, so an earlier pairing of the device counts no
more. While the clock is being corrected no screen goes offline: each gets the time to call again.
"""

import re
import threading
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, bindparam, func, select, update
from sqlalchemy.orm import InstrumentedAttribute

from service.core.changes import ScreenReported
from service.core.clock import Clock, ClockSteps
from service.core.events import EventType
from service.schema.devices.device import Heartbeat
from service.schema.fields import instant_or_none
from service.services.devices.live_runs import LiveRuns
from service.services.shared.lookup import batches
from service.services.webhooks.outbox import emit_all
from service.storage.database import Database, Unit
from service.storage.tables.screens import ScreenRow

OFFLINE_AFTER = timedelta(seconds=120)
WRITTEN_EVERY = timedelta(seconds=10)
"""Interval in which contacts are written: other processes may know a contact this much earlier than the database."""
WRITTEN_ALONE_EVERY = timedelta(seconds=60)
"""The interval where no other process reads them, as on the card of a board that has its service beside it."""
WRITTEN_AT_ONCE = 250
"""Contacts of one transaction, for whose end other changes wait."""

_TWO_DEVICES = {
    "code": "two_devices",
    "severity": "warning",
    "what": "Two devices call as this screen, as with copies of one card. One of them could be anywhere.",
    "do": "Find the second device. If both are to stay, remove this screen: each then shows a code to pair it.",
    "who": "operator",
}

_COUNTABLE = re.compile(r"[a-z][a-z0-9_]{0,39}")
"""A code that may become a label of a metric."""


@dataclass(frozen=True, slots=True)
class Contact:
    """Time of a screen's last call, and its last report."""

    token: str | None
    """The digest of the token with which it called."""
    last_seen: datetime
    report: dict[str, Any] | None = None
    reported_at: datetime | None = None
    runs: LiveRuns = field(default_factory=LiveRuns)


class Presence:
    """Records contacts and emits changes of presence. Safe to use from any thread."""

    def __init__(self, *, database: Database, clock: Clock, others: bool) -> None:
        """`others`: screens may call other processes, too."""
        self._database = database
        self._clock = clock
        self._steps = ClockSteps(clock)
        self._others = others
        self.written_every = WRITTEN_EVERY if others else WRITTEN_ALONE_EVERY
        """Interval in which `flush` is to be called."""
        self._offline_after = OFFLINE_AFTER + (WRITTEN_EVERY if others else timedelta())
        self._lock = threading.Lock()
        self._contacts: dict[str, Contact] = {}
        self._held: Counter[tuple[str, str]] = Counter()
        """Calls of this process that are being held, by screen and token."""
        self._unwritten: set[str] = set()
        self._news: set[str] = set()
        """Screens of which something that people watch has changed, since it was last written."""
        self._since = clock.monotonic()

    def touch(self, screen: str, *, token: str, at: datetime) -> None:
        """Records that the screen has called."""
        with self._lock:
            if not is_online(self._contacts.get(screen), now=at):
                self._news.add(screen)
            self._contacts[screen] = replace(self._known(screen, token=token, at=at), last_seen=at)
            self._unwritten.add(screen)

    @contextmanager
    def holding(self, screen: str, *, token: str) -> Iterator[None]:
        """Counts a call of the screen as held inside the block: its device is there for as long."""
        key = screen, token
        with self._lock:
            self._held[key] += 1
        try:
            yield
        finally:
            with self._lock:
                self._held[key] -= 1
                if not self._held[key]:
                    del self._held[key]

    def holds(self, screen: str, *, token: str) -> bool:
        """True if a call of the screen with this token is being held by this process."""
        with self._lock:
            return (screen, token) in self._held

    def report(self, screen: str, heartbeat: Heartbeat, *, token: str, at: datetime) -> bool:
        """Records a heartbeat; returns whether two devices call as this screen. A report older than the one that is
        known counts as a contact only."""
        report = heartbeat.report()
        with self._lock:
            known = self._known(screen, token=token, at=at)
            runs = known.runs.seen(*_run_of(report), at=self._clock.monotonic())
            are_two = runs.are_two(at=self._clock.monotonic())
            known = replace(known, runs=runs)
            if are_two:
                told = [one for one in report["findings"] if one["code"] != _TWO_DEVICES["code"]]
                report["findings"] = [_TWO_DEVICES, *told]
            if not _is_overtaken(report, known.report):
                if _shown_of(report) != _shown_of(known.report):
                    self._news.add(screen)
                known = replace(known, report=report, reported_at=at)
            self._contacts[screen] = replace(known, last_seen=at)
            self._unwritten.add(screen)
        return are_two

    def of(self, row: ScreenRow) -> Contact | None:
        """Returns the last contact of a screen, from memory or the database. None if it has never called."""
        written = None if row.last_seen is None else _written(row, last_seen=row.last_seen)
        with self._lock:
            contact = self._contacts.get(row.id)
        if contact is None or contact.token != row.token_digest:
            return written
        if written is None:
            return contact
        newest = written if _is_newer(written.reported_at, contact.reported_at) else contact
        return replace(newest, last_seen=max(contact.last_seen, written.last_seen))

    def online(self, row: ScreenRow, *, now: datetime) -> bool:
        """True if the screen is online. After a start or a step of the clock, screens that were online get the time to
        call again."""
        self._notice_step()
        return is_online(self.of(row), now=now) or (
            row.online and self._clock.monotonic() - self._since < OFFLINE_AFTER
        )

    def flush_news(self) -> None:
        """Writes the contacts at once if the desk would show a difference."""
        if self._news:
            self.flush()

    def flush(self) -> None:
        """Writes the contacts since the last flush. What cannot be written is retried."""
        self._notice_step()
        with self._lock:
            batch = [(screen, self._contacts[screen]) for screen in self._unwritten]
            self._unwritten.clear()
            news = frozenset(self._news)
            self._news.clear()
        while batch:
            # Whoever sells out a dish meanwhile waits for one of these, not for all.
            some, rest = batch[:WRITTEN_AT_ONCE], batch[WRITTEN_AT_ONCE:]
            try:
                self._write(some, news.intersection(screen for screen, _ in some))
            except BaseException:
                with self._lock:
                    self._news.update(news.intersection(screen for screen, _ in batch))
                    self._unwritten.update(screen for screen, _ in batch)
                raise
            batch = rest
        self._drop_old()

    def sweep(self, *, leading_since: timedelta) -> None:
        """Emits the screens that have gone offline. Call `flush` first: it saves querying screens that just called.

        A new leader waits (`leading_since` is monotonic): before, the other processes may have been unable to write
        their contacts.
        """
        if self._clock.monotonic() - leading_since < OFFLINE_AFTER:
            return
        now = self._clock.now()
        with self._database.read() as session:
            silent = session.scalars(select(ScreenRow).where(ScreenRow.online, self._silent_at(now))).all()
        gone = [row.id for row in silent if not self.online(row, now=now)]
        for some in batches(gone):
            with self._database.write() as unit:
                chosen = select(ScreenRow).where(ScreenRow.id.in_(some), ScreenRow.online, self._silent_at(unit.now))
                _set_online(unit, unit.session.scalars(chosen).all(), online=False)

    def _known(self, screen: str, *, token: str, at: datetime) -> Contact:
        known = self._contacts.get(screen)
        return known if known is not None and known.token == token else Contact(token=token, last_seen=at)

    def _notice_step(self) -> None:
        with self._lock:
            if self._steps.noticed():
                now, self._since = self._clock.now(), self._clock.monotonic()
                for screen, known in self._contacts.items():
                    reported_at = None if known.reported_at is None else min(known.reported_at, now)
                    self._contacts[screen] = replace(
                        known, last_seen=min(known.last_seen, now), reported_at=reported_at
                    )

    def _drop_old(self) -> None:
        """Drops the written contacts of screens that are offline or call another process."""
        now = self._clock.now()
        with self._lock:
            for screen in [screen for screen, one in self._contacts.items() if not is_online(one, now=now)]:
                if screen not in self._unwritten:
                    del self._contacts[screen]

    def _silent_at(self, now: datetime) -> ColumnElement[bool]:
        # A screen that was paired anew and has not called since counts from its pairing.
        return func.coalesce(ScreenRow.last_seen, ScreenRow.changed_at) <= now - self._offline_after

    def _write(self, batch: list[tuple[str, Contact]], news: Collection[str]) -> None:
        with self._database.write() as unit:
            for some in batches(sorted(news)):
                for row in unit.session.execute(
                    select(ScreenRow.workspace_id, ScreenRow.id).where(ScreenRow.id.in_(some))
                ):
                    unit.announce(ScreenReported(*row))
            called = update(ScreenRow).where(
                ScreenRow.id == bindparam("screen"), ScreenRow.token_digest == bindparam("token")
            )
            seen = called.where(_is_older(ScreenRow.last_seen, "at", now=unit.now)).values(last_seen=bindparam("at"))
            reported = called.where(_is_older(ScreenRow.reported_at, "then", now=unit.now)).values(
                report=bindparam("new_report"),
                reported_at=bindparam("then"),
                finding_codes=bindparam("codes"),
            )
            connection = unit.session.connection()
            if self._others:
                self._notice_runs_elsewhere(unit, [screen for screen, one in batch if one.reported_at is not None])
            connection.execute(
                seen, [{"screen": screen, "token": one.token, "at": one.last_seen} for screen, one in batch]
            )
            reports = [
                {
                    "screen": screen,
                    "token": one.token,
                    "then": one.reported_at,
                    "new_report": one.report,
                    "codes": _countable_codes(one.report),
                }
                for screen, one in batch
                if one.reported_at is not None
            ]
            if reports:
                connection.execute(reported, reports)
            present = {screen: one.token for screen, one in batch if is_online(one, now=unit.now)}
            for some in batches(list(present)):
                chosen = select(ScreenRow).where(ScreenRow.id.in_(some), ScreenRow.online.is_(False))
                rows = unit.session.scalars(chosen).all()
                _set_online(unit, [row for row in rows if row.token_digest == present[row.id]], online=True)

    def _notice_runs_elsewhere(self, unit: Unit, screens: Sequence[str]) -> None:
        """Counts the last runs that other processes have written for these screens, before they are overwritten."""
        of_report = [ScreenRow.report[name] for name in ("runId", "bootId", "sequence")]
        columns = (ScreenRow.id, ScreenRow.token_digest, *of_report)
        for some in batches(screens):
            for screen, token, run, boot, sequence in unit.session.execute(
                select(*columns).where(ScreenRow.id.in_(some))
            ):
                with self._lock:
                    contact = self._contacts.get(screen)
                    if contact is not None and contact.token == token and sequence is not None:
                        runs = contact.runs.seen(run or boot, sequence, at=self._clock.monotonic())
                        self._contacts[screen] = replace(contact, runs=runs)


def is_online(contact: Contact | None, *, now: datetime) -> bool:
    """True if the last contact is less than two minutes ago (specification, states)."""
    return contact is not None and now - contact.last_seen < OFFLINE_AFTER


def _shown_of(report: dict[str, Any] | None) -> object:
    """Returns the parts of a report that people watch. Not the scene: it changes with every page of a board."""
    if report is None:
        return None
    presented = report.get("presented", {})
    named = [presented.get(name) for name in ("kind", "playlistId", "version", "revision", "override")]
    program = report.get("appVersion"), report.get("takenBack")
    return named, codes_of(report), program, report.get("displayPower"), report.get("staged")


def _run_of(report: dict[str, Any]) -> tuple[str, int]:
    return report.get("runId") or report["bootId"], report["sequence"]


def codes_of(report: dict[str, Any] | None) -> list[str]:
    """Returns the codes of the findings in a report, each once."""
    findings = [] if report is None else report.get("findings", [])
    return list(dict.fromkeys(finding["code"] for finding in findings))


def _countable_codes(report: dict[str, Any] | None) -> str | None:
    """Returns the codes, sorted, so that screens with the same findings have the same text."""
    return " ".join(sorted(code for code in codes_of(report) if _COUNTABLE.fullmatch(code))) or None


def _written(row: ScreenRow, *, last_seen: datetime) -> Contact:
    return Contact(token=row.token_digest, last_seen=last_seen, report=row.report, reported_at=row.reported_at)


def _is_newer(one: datetime | None, other: datetime | None) -> bool:
    return one is not None and (other is None or one > other)


def _is_older(column: InstrumentedAttribute[datetime | None], parameter: str, *, now: datetime) -> ColumnElement[bool]:
    # An instant in the future was written by a clock that has been corrected since.
    return column.is_(None) | (column < bindparam(parameter)) | (column > now)


def _set_online(unit: Unit, rows: Sequence[ScreenRow], *, online: bool) -> None:
    kind = EventType.SCREEN_ONLINE if online else EventType.SCREEN_OFFLINE
    by_workspace: dict[str, list[ScreenRow]] = defaultdict(list)
    for row in rows:
        row.online = online
        unit.announce(ScreenReported(row.workspace_id, row.id))
        by_workspace[row.workspace_id].append(row)
    for workspace, some in by_workspace.items():
        emit_all(unit, workspace, kind, [_event_data(row) for row in some])


def _event_data(row: ScreenRow) -> dict[str, object]:
    return {
        "screen": row.id,
        "name": row.name,
        "location": row.location_id,
        "playlist": row.playlist_id,
        "lastSeen": instant_or_none(row.last_seen),
    }


def _is_overtaken(report: dict[str, Any], known: dict[str, Any] | None) -> bool:
    return known is not None and report["bootId"] == known["bootId"] and report["sequence"] < known["sequence"]
