"""Lists the acts of people and keys, page by page and as CSV; `storage.audit` writes it."""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from sqlalchemy import ColumnElement, delete, func, select

from service.core.audit_acts import AuditAct
from service.core.clock import instant_text
from service.schema.base import wire_name
from service.schema.lists import Listing
from service.schema.workspace.audit import AuditActor, AuditEntry, AuditSubject
from service.services.access.access import Access
from service.services.shared.csv_lines import CSV_ROWS, csv_lines, is_formula
from service.services.shared.listing import listing
from service.services.shared.lookup import page_of
from service.storage.audit import KEPT
from service.storage.database import Database
from service.storage.paging import Cursors, PageRequest
from service.storage.tables.audit import AuditRow
from service.storage.tables.workspaces import WorkspaceRow

MAX_ENTRIES = 100_000
"""Entries of a workspace; the oldest go first."""
MAX_ACTORS = 200
"""People and keys to choose from."""
CSV_COLUMNS = ("at", "by", "name", "id", "act", "kind", "subject", "subjectName", "subjects", "fields")
MEMBER_PREFIX = "mem_"


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """Only the acts of this person or key, on this subject, on this day (UTC)."""

    actor: str | None = None
    subject: str | None = None
    day: date | None = None


class AuditService:
    def __init__(self, *, database: Database, cursors: Cursors) -> None:
        self._database = database
        self._cursors = cursors

    def list(self, access: Access, request: PageRequest, wanted: AuditFilter) -> Listing[AuditEntry]:
        rows = select(AuditRow).where(*_conditions(access, wanted))
        scope = f"audit:{access.workspace}:{wanted.actor}:{wanted.subject}:{wanted.day}"
        with self._database.read() as session:
            return listing(page_of(session, self._cursors, rows, AuditRow.number, scope, request), _view)

    def table(self, access: Access, wanted: AuditFilter) -> Generator[str]:
        """Yields all of it as CSV, oldest first, in portions."""
        yield csv_lines([CSV_COLUMNS])
        last = 0
        while True:
            rows = select(AuditRow).where(*_conditions(access, wanted), AuditRow.number > last)
            with self._database.read() as session:
                found = session.scalars(rows.order_by(AuditRow.number).limit(CSV_ROWS)).all()
            yield csv_lines(_cells(_view(row)) for row in found)
            if len(found) < CSV_ROWS:
                return
            last = found[-1].number

    def actors(self, access: Access, *, most: int = MAX_ACTORS) -> Sequence[AuditActor]:
        """Returns people and keys that have acted, the last one first."""
        newest = func.max(AuditRow.number)
        mine = select(AuditRow.actor, newest).where(AuditRow.workspace_id == access.workspace)
        mine = mine.group_by(AuditRow.actor).order_by(newest.desc()).limit(most)
        with self._database.read() as session:
            numbers = [number for _, number in session.execute(mine)]
            rows = session.scalars(select(AuditRow).where(AuditRow.number.in_(numbers))).all()
        return [_actor(row) for row in sorted(rows, key=lambda row: row.number, reverse=True)]

    def prune(self, *, most: int = MAX_ENTRIES) -> None:
        """Deletes entries that are too old, and of each workspace those above `most`."""
        with self._database.write() as unit:
            unit.session.execute(delete(AuditRow).where(AuditRow.at <= unit.now - KEPT))
            for workspace in unit.session.scalars(select(WorkspaceRow.id)).all():
                mine = AuditRow.workspace_id == workspace
                first = select(AuditRow.number).where(mine).order_by(AuditRow.number.desc()).offset(most)
                number = unit.session.scalar(first.limit(1))
                if number is not None:
                    unit.session.execute(delete(AuditRow).where(mine, AuditRow.number <= number))


def _conditions(access: Access, wanted: AuditFilter) -> Iterator[ColumnElement[bool]]:
    yield AuditRow.workspace_id == access.workspace
    if wanted.actor is not None:
        yield AuditRow.actor == wanted.actor
    if wanted.subject is not None:
        yield AuditRow.subject == wanted.subject
    if wanted.day is not None:
        begins = datetime.combine(wanted.day, time(), UTC)
        yield AuditRow.at >= begins
        yield AuditRow.at < begins + timedelta(days=1)


def _view(row: AuditRow) -> AuditEntry:
    return AuditEntry(
        at=instant_text(row.at),
        actor=_actor(row),
        act=AuditAct(row.act),
        subject=AuditSubject(kind=row.kind, id=row.subject, name=row.subject_name),
        subjects=row.subjects,
        fields=[wire_name(name) for name in row.fields],
    )


def _actor(row: AuditRow) -> AuditActor:
    is_person = row.actor.startswith(MEMBER_PREFIX)
    return AuditActor(id=row.actor, name=row.actor_name, kind="person" if is_person else "key")


def _cells(entry: AuditEntry) -> Sequence[object]:
    actor, subject = entry.actor, entry.subject
    told = (entry.at, actor.kind, actor.name, actor.id, entry.act.value, subject.kind, subject.id)
    return [_text(cell) for cell in (*told, subject.name or "", entry.subjects, " ".join(entry.fields))]


def _text(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and is_formula(cell) else cell
