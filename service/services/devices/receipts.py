"""Stores what screens have presented, and finds it again: lists, CSV, and what showed at an instant.

A player is not trusted: it may report for its own screen alone, no future time, and a bounded number a day.
"""

import contextlib
import zlib
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import msgspec
from sqlalchemy import Select, delete, func, select
from sqlalchemy.orm import Session

from service.core.clock import instant_text
from service.core.errors import Fault, ProblemError, invalid
from service.schema.devices.receipt import (
    GapReason,
    ReceiptGap,
    ReceiptReport,
    ReceiptResponse,
    ReceiptsTaken,
    ReportedReceipt,
    ShownScene,
)
from service.schema.lists import Listing
from service.services.access.access import Access
from service.services.devices.screens import visible_screen
from service.services.publishing.manifests import history_scope
from service.services.publishing.pictures import override_picture, version_picture_then
from service.services.publishing.previews import Picture
from service.services.shared.csv_lines import CSV_ROWS, csv_lines
from service.services.shared.listing import listing
from service.services.shared.lookup import page_of
from service.storage.database import Database
from service.storage.history import KEPT, Then, prune
from service.storage.paging import BadCursorError, Cursors, PageRequest
from service.storage.tables.receipts import ReceiptRow
from service.storage.tables.screens import ScreenRow

MAX_A_DAY = 2_000
"""Receipts of a screen that begin on one day (UTC). A loop takes one, and each change of a value another."""
SEAMLESS = timedelta(seconds=1)
"""A shorter time between two receipts is no gap."""
CSV_COLUMNS = (
    *("from", "to", "kind", "reason", "playlist", "version", "revision", "override", "location"),
    *("scenes", "repeatsEverySeconds"),
)

WORDS: Mapping[str, str] = {
    "house": "No scene was due or could be shown: the screen showed the card of the house.",
    "pairing": "The screen showed a pairing code.",
    "nothing": "The display presented nothing.",
    "off": "The panel was off, outside of the opening hours.",
    "stopped": "The player had been ended, and was started later.",
    "cut": "The player ended without a word: power was cut, or it failed. It reports to the disk every five minutes.",
    "clock": "The device did not know the time, or its clock was corrected.",
    "dropped": "The device had no more room for what it had presented.",
    "not_reported": "The screen has reported nothing of this time, or not yet: it reports every five minutes.",
}
"""The reasons why no scene is known to have shown."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture of an instant."""

    picture: Picture
    location: str | None
    language: str | None
    then: Then | None = None
    at: datetime | None = None
    """An instant to come."""


class ReceiptService:
    """Stores and finds receipts. Safe to use from any thread."""

    def __init__(self, *, database: Database, cursors: Cursors) -> None:
        self._database = database
        self._cursors = cursors

    def keep(self, workspace: str, screen: str, report: ReceiptReport, *, token: str) -> ReceiptsTaken:
        """Stores what is new in a report; nothing if the screen does not hold this token any more. A receipt that was
        stored before gets its later end."""
        with self._database.write() as unit:
            holds = select(ScreenRow.id).where(ScreenRow.id == screen, ScreenRow.token_digest == token)
            if unit.session.scalar(holds) is None:
                return ReceiptsTaken(taken=0)
            of_log = (ReceiptRow.screen_id == screen, ReceiptRow.log == report.log)
            numbers = [one.sequence for one in report.receipts]
            known = {
                row.sequence: row
                for row in unit.session.scalars(
                    select(ReceiptRow).where(*of_log, ReceiptRow.sequence.between(min(numbers), max(numbers)))
                )
            }
            taken = 0
            for one in report.receipts:
                ends_at = min(one.to, unit.now)
                if ends_at <= max(one.from_, unit.now - KEPT):
                    continue
                row = known.get(one.sequence)
                if row is None:
                    if self._is_full(unit.session, screen, one.from_):
                        continue
                    row = known[one.sequence] = ReceiptRow(
                        screen_id=screen, log=report.log, sequence=one.sequence, begins_at=one.from_, ends_at=one.from_
                    )
                    unit.session.add(row)
                # A clock that was corrected since moves no begin: the duration is measured on one that never is.
                ends_at = min(row.begins_at + (one.to - one.from_), ends_at)
                if ends_at > row.ends_at:
                    row.ends_at, row.told = ends_at, self._told(workspace, one)
                taken += 1
            return ReceiptsTaken(taken=taken)

    def list(
        self, access: Access, screen: str, request: PageRequest, *, since: datetime | None, until: datetime | None
    ) -> Listing[ReceiptResponse]:
        """Returns one page of the receipts between two instants, in the order in which they came. Raises the 404 and
        422 problems."""
        with self._database.read() as session:
            visible_screen(session, access, screen)
            _check_range(since, until)
            scope = f"receipts:{screen}:{since}:{until}"
            rows = _between(screen, since, until)
            page = page_of(session, self._cursors, rows, ReceiptRow.number, scope, request)
            before = _before(session, screen, page.rows[0]) if page.rows else None
            views = dict(_views(page.rows, before))
            return listing(page, lambda row: views[row.number])

    def table(self, access: Access, screen: str, *, since: datetime | None, until: datetime | None) -> Generator[str]:
        """Yields the same as CSV, with a row for each gap, in portions. Raises the 404 and 422 problems at once."""
        with self._database.read() as session:
            visible_screen(session, access, screen)
            _check_range(since, until)
        return self._portions(screen, since, until)

    def shown_at(self, access: Access, screen: str, at: datetime) -> Shown:
        """Returns the picture of an instant. Raises the 404 problem, also with the reason why nothing is known to have
        shown."""
        with self._database.read() as session:
            visible_screen(session, access, screen)
            row = session.scalar(_of(screen).where(ReceiptRow.begins_at <= at).order_by(*_NEWEST_FIRST).limit(1))
            if row is None or at >= row.ends_at:
                after = session.scalar(_of(screen).where(ReceiptRow.begins_at > at).order_by(*_OLDEST_FIRST).limit(1))
                raise _nothing_shown(_reason(after), at)
            told = _read(row)
        if told["kind"] != "scene":
            raise _nothing_shown(told["kind"], at, told.get("why"))
        step = _step_at(told, at - row.begins_at)
        playlist, version = told.get("playlistId") or "", told.get("version") or 0
        override = told.get("override")
        picture = (
            version_picture_then(playlist, version, step["sceneId"])
            if override is None
            else override_picture(override, step["sceneId"])
        )
        number = told.get("history")
        return Shown(
            picture=picture,
            location=told.get("locationId"),
            language=step.get("language"),
            then=Then(at=at, number=number),
        )

    def prune(self) -> None:
        """Deletes receipts, and their values of the time, that are too old."""
        with self._database.write() as unit:
            unit.session.execute(delete(ReceiptRow).where(ReceiptRow.ends_at <= unit.now - KEPT))
            prune(unit.session, now=unit.now)

    def _is_full(self, session: Session, screen: str, at: datetime) -> bool:
        """True if the screen has used up its reports of that day."""
        day = at.replace(hour=0, minute=0, second=0, microsecond=0)
        of_day = (ReceiptRow.begins_at >= day, ReceiptRow.begins_at < day + timedelta(days=1))
        counted = select(func.count()).select_from(ReceiptRow).where(ReceiptRow.screen_id == screen, *of_day)
        return (session.scalar(counted) or 0) >= MAX_A_DAY

    def _told(self, workspace: str, receipt: ReportedReceipt) -> bytes:
        told = receipt.model_dump(by_alias=True, exclude_none=True, exclude={"sequence", "from_", "to", "history"})
        if receipt.history is not None:
            # Of another service it cannot be read: then the time alone says what counted.
            with contextlib.suppress(BadCursorError):
                told["history"] = self._cursors.read(history_scope(workspace), receipt.history)
        return zlib.compress(msgspec.json.encode(told))

    def _portions(self, screen: str, since: datetime | None, until: datetime | None) -> Generator[str]:
        yield csv_lines([CSV_COLUMNS])
        before: ReceiptRow | None = None
        while True:
            with self._database.read() as session:
                rows = _between(screen, since, until).order_by(ReceiptRow.number).limit(CSV_ROWS)
                found = session.scalars(rows if before is None else rows.where(ReceiptRow.number > before.number)).all()
                if found and before is None:
                    before = _before(session, screen, found[0])
            # Not within the transaction: the caller may take long.
            yield csv_lines(line for _, view in _views(found, before) for line in _csv_rows(view))
            if len(found) < CSV_ROWS:
                return
            before = found[-1]


_NEWEST_FIRST = (ReceiptRow.begins_at.desc(), ReceiptRow.number.desc())
_OLDEST_FIRST = (ReceiptRow.begins_at, ReceiptRow.number)


def _of(screen: str) -> Select[ReceiptRow]:
    return select(ReceiptRow).where(ReceiptRow.screen_id == screen)


def _between(screen: str, since: datetime | None, until: datetime | None) -> Select[ReceiptRow]:
    rows = _of(screen)
    if since is not None:
        rows = rows.where(ReceiptRow.ends_at > since)
    return rows if until is None else rows.where(ReceiptRow.begins_at < until)


def _before(session: Session, screen: str, row: ReceiptRow) -> ReceiptRow | None:
    earlier = _of(screen).where(ReceiptRow.number < row.number)
    return session.scalar(earlier.order_by(ReceiptRow.number.desc()).limit(1))


def _views(rows: Iterable[ReceiptRow], before: ReceiptRow | None) -> Iterator[tuple[int, ReceiptResponse]]:
    for row in rows:
        yield row.number, _view(row, before)
        before = row


def _view(row: ReceiptRow, before: ReceiptRow | None) -> ReceiptResponse:
    told = _read(row)
    gap = None
    if before is not None and row.begins_at - before.ends_at > SEAMLESS:
        begin, end = instant_text(before.ends_at), instant_text(row.begins_at)
        gap = ReceiptGap(reason=told.get("before", "not_reported"), from_=begin, to=end)
    period = told.get("period")
    return ReceiptResponse(
        from_=instant_text(row.begins_at),
        to=instant_text(row.ends_at),
        kind=told["kind"],
        reason=told.get("why"),
        playlist=None if "override" in told else told.get("playlistId"),
        version=None if "override" in told else told.get("version"),
        revision=told.get("revision"),
        override=told.get("override"),
        location=told.get("locationId"),
        scenes=[
            ShownScene(
                scene=step["sceneId"],
                entry=step["entryId"],
                language=step.get("language"),
                after_seconds=step["at"] / 1000,
            )
            for step in told["steps"]
        ],
        repeats_every_seconds=None if period is None else period / 1000,
        gap_before=gap,
    )


def _csv_rows(view: ReceiptResponse) -> Iterator[tuple[object, ...]]:
    if (gap := view.gap_before) is not None:
        yield gap.from_, gap.to, "gap", gap.reason, *([""] * 7)
    scenes = " ".join(f"{one.scene}+{one.after_seconds:g}s" for one in view.scenes)
    yield (
        *(view.from_, view.to, view.kind, view.reason, view.playlist, view.version, view.revision),
        *(view.override, view.location, scenes, view.repeats_every_seconds),
    )


def _read(row: ReceiptRow) -> dict[str, Any]:
    told: dict[str, Any] = msgspec.json.decode(zlib.decompress(row.told))
    return told


def _step_at(told: Mapping[str, Any], since: timedelta) -> Mapping[str, Any]:
    """Returns the scene that showed so long after the begin."""
    steps, period, passed = told["steps"], told.get("period"), since // timedelta(milliseconds=1)
    if period is not None and len(steps) > 1 and passed >= steps[1]["at"]:
        passed = steps[1]["at"] + (passed - steps[1]["at"]) % period
    found: Mapping[str, Any] = [step for step in steps if step["at"] <= passed][-1]
    return found


def _reason(after: ReceiptRow | None) -> GapReason:
    """Returns why nothing is known of the time before this receipt."""
    reason: GapReason = "not_reported" if after is None else _read(after).get("before", "not_reported")
    return reason


def _nothing_shown(reason: str, at: datetime, why: str | None = None) -> ProblemError:
    detail = WORDS[reason] if why is None else f"{WORDS[reason]} ({why})"
    fault = Fault(reason, detail, parameter="at")
    return ProblemError(404, "nothing_shown", f"Nothing is known to have shown at {instant_text(at)}", detail, (fault,))


def _check_range(since: datetime | None, until: datetime | None) -> None:
    if since is not None and until is not None and until <= since:
        raise invalid([Fault("ends_before_start", "to lies after from.", parameter="to")])
