"""Records an entry for each act of a user or key, written in the transaction of its effect.

The session of each unit of work notes the rows that a flush creates, changes or deletes, so no route and no service has
to; the routes of the API and the desk set the actor (`acting_as`). Rows that statements write are noted with `note`. A
unit without an actor, such as a periodic job or a call of a screen, leaves no entry.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from operator import attrgetter
from typing import Any

from sqlalchemy import Select, bindparam, event, insert, inspect, select, union_all
from sqlalchemy.orm import Session

from service.core.audit_acts import AuditAct
from service.storage.history import UnitSession
from service.storage.tables.alerts import AlertRow
from service.storage.tables.audit import NAME_LENGTH, AuditRow
from service.storage.tables.base import Base
from service.storage.tables.menus import (
    ApprovalRow,
    AssetRow,
    EntryRow,
    ImportRow,
    ItemRow,
    LocalItemRow,
    PlaylistRow,
    PlaylistVersionRow,
    PosConnectionRow,
    SceneRow,
    ScheduleRow,
    WordsRow,
)
from service.storage.tables.overrides import OverrideRow
from service.storage.tables.people import PersonRow, SecondFactorRow, SessionRow
from service.storage.tables.planned import PlannedChangeRow, PlannedValueRow
from service.storage.tables.screens import CommandRow, EnrolmentTokenRow, RolloutRow, ScreenRow
from service.storage.tables.webhooks import EndpointRow
from service.storage.tables.workspaces import (
    GroupLocationRow,
    GroupRow,
    InviteRow,
    KeyRow,
    LocationRow,
    MemberRow,
    SubscriptionRow,
    WorkspaceRow,
)

KEPT = timedelta(days=400)
"""Entries are kept for so long."""
MAX_FIELDS = 20
"""Names of changed fields that an entry has."""


@dataclass(frozen=True, slots=True)
class _Actor:
    workspace: str
    actor: str


_acting: ContextVar[_Actor | None] = ContextVar("acting", default=None)


@contextmanager
def acting_as(workspace: str, actor: str) -> Iterator[None]:
    """Attributes units of work of this block to this key or member."""
    token = _acting.set(_Actor(workspace, actor))
    try:
        yield
    finally:
        _acting.reset(token)


@contextmanager
def nobody_acts() -> Iterator[None]:
    """Gives tasks that begin in this block no actor, although an act has woken them."""
    token = _acting.set(None)
    try:
        yield
    finally:
        _acting.reset(token)


def act_as(session: Session, workspace: str, actor: str) -> None:
    """Attributes this unit of work to a user who only signs in or joins with it."""
    session.info["acting"] = _Actor(workspace, actor)


def note(session: Session, act: AuditAct, kind: str, subject: str, name: str | None = None) -> None:
    """Records an act that the session does not see, as a statement carries it out."""
    _group(session, act, kind).add(subject, name, ())


@dataclass(slots=True)
class _Group:
    """An act on several subjects of a kind."""

    subjects: dict[str, str | None] = field(default_factory=dict)
    """The name of each, where it is known."""
    fields: dict[str, None] = field(default_factory=dict)

    def add(self, subject: str, name: str | None, fields: Iterable[str]) -> None:
        self.subjects[subject] = self.subjects.get(subject) or name
        self.fields.update(dict.fromkeys(fields))


_Notes = dict[tuple[str, AuditAct], _Group]


def _group(session: Session, act: AuditAct, kind: str) -> _Group:
    notes: _Notes = session.info.setdefault("audit", {})
    return notes.setdefault((kind, act), _Group())


_NEVER: Callable[[Any], AuditAct | None] = lambda _: None  # noqa: E731
_CREATED: Callable[[Any], AuditAct | None] = lambda _: AuditAct.CREATED  # noqa: E731
_CHANGED: Callable[[Any], AuditAct | None] = lambda _: AuditAct.CHANGED  # noqa: E731
_REMOVED: Callable[[Any], AuditAct | None] = lambda _: AuditAct.REMOVED  # noqa: E731


@dataclass(frozen=True, slots=True)
class _Kind:
    """Maps the rows of a table to subjects of a kind, and to the acts of creating, changing and removing them."""

    kind: str
    subject: Callable[[Any], str] = attrgetter("id")
    name: Callable[[Any], str | None] = lambda _: None
    new: Callable[[Any], AuditAct | None] = _CREATED
    changed: Callable[[Any], AuditAct | None] = _CHANGED
    gone: Callable[[Any], AuditAct | None] = _REMOVED
    fields: Callable[[Any], Iterable[str]] = lambda _: ()


def _part(kind: str, subject: str) -> _Kind:
    """Maps rows that are parts of a subject: any change of theirs changes it."""
    return _Kind(kind, attrgetter(subject), new=_CHANGED, gone=_CHANGED)


_named = attrgetter("name")


def _decided(row: ApprovalRow) -> AuditAct | None:
    return {"approved": AuditAct.APPROVED, "rejected": AuditAct.REJECTED}.get(row.status)


def _confirmed(row: SecondFactorRow) -> AuditAct | None:
    return AuditAct.CREATED if inspect(row).attrs.confirmed_at.history.added else None


_KINDS: Mapping[type[Base], _Kind] = {
    ItemRow: _Kind("item", name=_named),
    LocalItemRow: _part("item", "item_id"),
    ImportRow: _Kind("import", new=_NEVER, changed=lambda _: AuditAct.UNDONE, gone=_NEVER),
    WordsRow: _Kind("words", attrgetter("workspace_id"), new=_CHANGED),
    AssetRow: _Kind("asset", attrgetter("digest"), name=lambda row: row.alt or row.media_type),
    SceneRow: _Kind("scene", name=lambda row: row.document.get("name")),
    ScheduleRow: _part("scene", "scene_id"),
    PlaylistRow: _Kind("playlist", name=_named),
    EntryRow: _part("playlist", "playlist_id"),
    PlaylistVersionRow: _Kind(
        "playlist", attrgetter("playlist_id"), new=lambda _: AuditAct.PUBLISHED, changed=_NEVER, gone=_NEVER
    ),
    ApprovalRow: _Kind(
        "playlist", attrgetter("playlist_id"), new=lambda _: AuditAct.ASKED, changed=_decided, gone=_NEVER
    ),
    OverrideRow: _Kind("override", name=_named),
    PlannedChangeRow: _Kind("planned_change", name=_named),
    PlannedValueRow: _part("planned_change", "plan_id"),
    PosConnectionRow: _Kind("point_of_sale", name=_named),
    ScreenRow: _Kind("screen", name=_named),
    CommandRow: _Kind(
        "screen",
        attrgetter("screen_id"),
        new=lambda _: AuditAct.SENT,
        gone=_CHANGED,
        fields=lambda row: (row.type,),
    ),
    RolloutRow: _Kind("rollout", name=attrgetter("version")),
    EnrolmentTokenRow: _Kind("enrolment_token", name=_named),
    EndpointRow: _Kind("webhook", name=attrgetter("url")),
    AlertRow: _Kind("alert", name=attrgetter("email")),
    KeyRow: _Kind("key", name=_named),
    LocationRow: _Kind("location", name=_named),
    GroupRow: _Kind("group", name=_named),
    GroupLocationRow: _part("group", "group_id"),
    InviteRow: _Kind("invite", name=attrgetter("email")),
    MemberRow: _Kind("member", name=_named),
    PersonRow: _Kind("person", name=attrgetter("email"), new=_NEVER),
    SecondFactorRow: _Kind("second_factor", attrgetter("person_id"), new=_NEVER, changed=_confirmed),
    SessionRow: _Kind(
        "member",
        attrgetter("member_id"),
        new=lambda _: AuditAct.SIGNED_IN,
        changed=_NEVER,
        gone=lambda _: AuditAct.SIGNED_OUT,
    ),
    SubscriptionRow: _Kind("subscription", attrgetter("workspace_id"), name=attrgetter("plan"), new=_CHANGED),
    WorkspaceRow: _Kind("team", name=_named, new=_NEVER),
}

# Built once: building one takes longer than asking it.
_NAMES: Mapping[str, Select[str]] = {
    kind: select(name).where(identifier == bindparam("subject"))
    for kind, identifier, name in (
        ("item", ItemRow.id, ItemRow.name),
        ("playlist", PlaylistRow.id, PlaylistRow.name),
        ("screen", ScreenRow.id, ScreenRow.name),
        ("group", GroupRow.id, GroupRow.name),
        ("member", MemberRow.id, MemberRow.name),
        ("planned_change", PlannedChangeRow.id, PlannedChangeRow.name),
        ("webhook", EndpointRow.id, EndpointRow.url),
        ("second_factor", PersonRow.id, PersonRow.email),
    )
}
"""Asks for the name of a subject that the row itself does not have."""
_ACTORS = union_all(*(select(of.name).where(of.id == bindparam("actor")) for of in (KeyRow, MemberRow)))
_INSERT = insert(AuditRow)

_BOOKKEEPING = frozenset(
    {
        *("changed_at", "changed_by", "used_at", "last_used_at", "busy_until", "failures", "last_sync"),
        *("digest", "draft_digest", "published_digest", "catalogue_changed_at", "content_number", "number"),
    }
)
"""Columns whose change alone is no act."""
_UNNAMED = _BOOKKEEPING | {"document", "secret", "old_secret", "old_secret_until", "created_at", "sku_key"}
"""Columns that are not named among the changed fields."""


@event.listens_for(UnitSession, "before_flush")
def _note(session: Session, _context: object, _rows: object) -> None:
    for row in session.new:
        _note_row(session, row, "new", ())
    for row in session.dirty:
        if type(row) in _KINDS and (columns := _changed(row)) - _BOOKKEEPING:
            _note_row(session, row, "changed", sorted(columns - _UNNAMED))
    for row in session.deleted:
        _note_row(session, row, "gone", ())


def _note_row(session: Session, row: Any, how: str, fields: Iterable[str]) -> None:
    kind = _KINDS.get(type(row))
    act = None if kind is None else getattr(kind, how)(row)
    if kind is not None and act is not None:
        shown = fields if act is AuditAct.CHANGED else kind.fields(row)
        _group(session, act, kind.kind).add(kind.subject(row), kind.name(row), shown)


def _changed(row: Any) -> set[str]:
    state = inspect(row)
    touched = {column.key for column in state.mapper.column_attrs} - state.unmodified
    return {name for name in touched if state.attrs[name].history.has_changes()}


def note_written(session: Session, table: type[Base], subject: str, fields: Iterable[str], *, new: bool) -> None:
    """Records a row that statements write."""
    kind = _KINDS[table]
    act = AuditAct.CREATED if new and kind.new is _CREATED else AuditAct.CHANGED
    _group(session, act, kind.kind).add(subject, None, () if new else sorted(set(fields) - _UNNAMED))


def write_audit(session: Session, at: datetime) -> None:
    """Writes the entries of a unit of work with an actor, at its end."""
    notes: _Notes = session.info.pop("audit", {})
    who: _Actor | None = session.info.get("acting") or _acting.get()
    if who is None or not notes:
        return
    _settle(notes)
    name = name_of(session, who.actor)
    rows = [_row(session, who, name, act, kind, group, at) for (kind, act), group in notes.items() if group.subjects]
    if rows:
        session.connection().execute(_INSERT, rows)


def _settle(notes: _Notes) -> None:
    """Omits redundant entries: a subject that was published or created has changed as well."""
    for (kind, act), group in notes.items():
        if act is AuditAct.CHANGED:
            others = [one.subjects for (of, other), one in notes.items() if of == kind and other is not act]
            for subject in [one for one in group.subjects if any(one in subjects for subjects in others)]:
                del group.subjects[subject]
    if ("invite", AuditAct.CREATED) in notes or ("member", AuditAct.CREATED) in notes:
        # Replaced by a newer one, or accepted.
        notes.pop(("invite", AuditAct.REMOVED), None)


def _row(
    session: Session, who: _Actor, name: str | None, act: AuditAct, kind: str, group: _Group, at: datetime
) -> dict[str, Any]:
    subject, known = next(iter(group.subjects.items()))
    if known is None and kind in _NAMES:
        known = session.scalar(_NAMES[kind], {"subject": subject})
    return {
        "workspace_id": who.workspace,
        "at": at,
        "actor": who.actor,
        "actor_name": (name or "")[:NAME_LENGTH],
        "act": act.value,
        "kind": kind,
        "subject": subject,
        "subject_name": None if known is None else known[:NAME_LENGTH],
        "subjects": len(group.subjects),
        "fields": list(group.fields)[:MAX_FIELDS],
    }


def name_of(session: Session, actor: str) -> str | None:
    """Returns the name of a key or a member by its id, which `Access.key` holds; None if it is gone."""
    return session.scalar(_ACTORS, {"actor": actor})
