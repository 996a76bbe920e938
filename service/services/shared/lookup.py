"""Finds rows by id within one workspace, and pages of them; rows of other workspaces are not found."""

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any, TypeVar

from sqlalchemy import BindParameter, ColumnElement, Select, bindparam, delete, func, or_, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from service.core.errors import Fault, ProblemError, not_found
from service.core.json_text import write_json
from service.storage.paging import BadCursorError, Cursors, Page, PageRequest, Reader
from service.storage.plain_rows import Source, plain_rows, plain_select
from service.storage.tables.alerts import AlertRow
from service.storage.tables.menus import (
    ApprovalRow,
    AssetRow,
    AssetUploadRow,
    ImportRow,
    ItemRow,
    PlaylistRow,
    PosConnectionRow,
    SceneRow,
    ScheduleRow,
)
from service.storage.tables.overrides import OverrideRow
from service.storage.tables.people import PendingSignInRow, SessionRow
from service.storage.tables.planned import PlannedChangeRow
from service.storage.tables.screens import EnrolmentTokenRow, RolloutRow, ScreenRow
from service.storage.tables.workspaces import EndedInviteRow, GroupRow, InviteRow, KeyRow, LocationRow, MemberRow

Row = TypeVar("Row")
Owned = TypeVar(
    "Owned",
    AlertRow,
    ApprovalRow,
    AssetUploadRow,
    EnrolmentTokenRow,
    GroupRow,
    ImportRow,
    InviteRow,
    ItemRow,
    LocationRow,
    MemberRow,
    OverrideRow,
    PlannedChangeRow,
    PlaylistRow,
    PosConnectionRow,
    RolloutRow,
    SceneRow,
    ScheduleRow,
    ScreenRow,
)
Listed = TypeVar(
    "Listed",
    AlertRow,
    AssetRow,
    EnrolmentTokenRow,
    GroupRow,
    InviteRow,
    ItemRow,
    KeyRow,
    LocationRow,
    MemberRow,
    OverrideRow,
    PlannedChangeRow,
    PlaylistRow,
    PosConnectionRow,
    RolloutRow,
    SceneRow,
    ScreenRow,
)

_QUERY_VARIABLES = 500
"""Identifiers per statement: engines bound the number of variables."""


def find(session: Session, table: type[Owned], workspace: str, identifier: str) -> Owned | None:
    """Returns the row with this id, or None."""
    found: Owned | None = session.scalar(_one(table), {"workspace": workspace, "id": identifier})
    return found


@cache
def _one(table: type[Owned]) -> Select[Owned]:
    return select(table).where(table.workspace_id == bindparam("workspace"), table.id == bindparam("id"))


def get(session: Session, table: type[Owned], workspace: str, identifier: str, *, kind: str) -> Owned:
    """Returns the row with this id. Raises the 404 problem."""
    row = find(session, table, workspace, identifier)
    if row is None:
        raise not_found(kind, identifier)
    return row


def get_plain(source: Source, table: type[Owned], workspace: str, identifier: str, *, kind: str) -> Owned:
    """Returns the row with this id, for reading only. Raises the 404 problem."""
    rows = plain_rows(source, table, _one_plain(table), workspace=workspace, id=identifier)
    if not rows:
        raise not_found(kind, identifier)
    return rows[0]


@cache
def _one_plain(table: type[Owned]) -> Select[Any]:
    columns = table.__table__.c
    return plain_select(table).where(columns.workspace_id == bindparam("workspace"), columns.id == bindparam("id"))


def find_many_plain(source: Source, table: type[Owned], workspace: str, identifiers: Iterable[str]) -> dict[str, Owned]:
    """Like `find_many`, for reading only."""
    found: dict[str, Owned] = {}
    for some in batches(list(dict.fromkeys(identifiers))):
        rows = plain_rows(source, table, _many_plain(table), workspace=workspace, ids=some)
        found.update((row.id, row) for row in rows)
    return found


@cache
def _many_plain(table: type[Owned]) -> Select[Any]:
    columns = table.__table__.c
    ids: BindParameter[str] = bindparam("ids", expanding=True)
    return plain_select(table).where(columns.workspace_id == bindparam("workspace"), columns.id.in_(ids))


def find_many(session: Session, table: type[Owned], workspace: str, identifiers: Iterable[str]) -> dict[str, Owned]:
    """Returns the rows with these ids, by id; omits unknown ids."""
    found: dict[str, Owned] = {}
    for some in batches(list(dict.fromkeys(identifiers))):
        rows = session.scalars(select(table).where(table.workspace_id == workspace, table.id.in_(some)))
        found.update((row.id, row) for row in rows)
    return found


def batches(values: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yields the values in batches that fit into one statement."""
    for start in range(0, len(values), _QUERY_VARIABLES):
        yield values[start : start + _QUERY_VARIABLES]


def contains(column: ColumnElement[str] | InstrumentedAttribute[str], text: str) -> ColumnElement[bool]:
    """Matches rows with the text in the column, in letters of either case, composed or not."""
    forms = dict.fromkeys(unicodedata.normalize(form, text.lower()) for form in ("NFC", "NFD"))
    return or_(*(func.lower(column).contains(form, autoescape=True) for form in forms))


def unknown(kind: str, identifier: str, pointer: str) -> Fault:
    """Returns the fault of a body with an unknown id."""
    return Fault(code=f"unknown_{kind}", detail=f"This workspace has no {kind} {identifier!r}.", pointer=pointer)


def wrong_asset(found: str, needed: str, pointer: str) -> Fault:
    """Returns the fault of a body that names an asset of media type `found` where `needed` is required."""
    return Fault(code="wrong_asset", detail=f"This asset is {found}; {needed} is needed here.", pointer=pointer)


def unknown_filter(kind: str, identifier: str) -> Fault:
    """Returns the fault of a query with an unknown id."""
    return Fault(code=f"unknown_{kind}", detail=f"This workspace has no {kind} {identifier!r}.", parameter=kind)


def count(session: Session, table: type[Owned], workspace: str) -> int:
    return session.scalar(select(func.count()).select_from(table).where(table.workspace_id == workspace)) or 0


def keep_newest(
    session: Session,
    table: type[ApprovalRow] | type[EndedInviteRow] | type[PendingSignInRow] | type[SessionRow],
    kept: int,
    *conditions: ColumnElement[bool],
) -> None:
    """Deletes all but the newest `kept` rows that meet the conditions."""
    oldest_too_many = select(table.number).where(*conditions).order_by(table.number.desc()).offset(kept).limit(1)
    number = session.scalar(oldest_too_many)
    if number is not None:
        session.execute(delete(table).where(*conditions, table.number <= number))


def read_page(
    source: Source,
    cursors: Cursors,
    table: type[Listed],
    workspace: str,
    request: PageRequest,
    *conditions: ColumnElement[bool],
    filters: Mapping[str, object] = MappingProxyType({}),
    keep: Callable[[Listed], bool] | None = None,
) -> Page[Listed]:
    """Returns one page of the workspace's rows, for reading only. Raises the 400 problem for a cursor of another list.

    A cursor is valid only for the filters that it was made with: `filters`, as the caller gave them.
    """
    statement = _page_statement(table).where(*conditions) if conditions else _page_statement(table)
    scope = f"{table.__tablename__}:{workspace}"
    named = {name: value for name, value in filters.items() if value is not None}
    if named:
        scope += ":" + write_json(named).decode()

    def read(after: int, limit: int) -> Sequence[Listed]:
        return plain_rows(source, table, statement, workspace=workspace, after=after, limit=limit)

    return _page(cursors, read, "number", scope, request, keep=keep)


@cache
def _page_statement(table: type[Listed]) -> Select[Any]:
    columns = table.__table__.c
    own = plain_select(table).where(columns.workspace_id == bindparam("workspace"))
    return own.where(columns.number > bindparam("after")).order_by(columns.number).limit(bindparam("limit"))


def page_of(
    session: Session,
    cursors: Cursors,
    rows: Select[Row],
    number: InstrumentedAttribute[int],
    scope: str,
    request: PageRequest,
    *,
    keep: Callable[[Row], bool] | None = None,
) -> Page[Row]:
    """Returns one page of any rows; `scope` names the list. Raises the 400 problem for a cursor of another list."""

    def read(after: int, limit: int) -> Sequence[Row]:
        if not request.newest_first:
            return session.scalars(rows.where(number > after).order_by(number).limit(limit)).all()
        earlier = rows.where(number < after) if after else rows
        return session.scalars(earlier.order_by(number.desc()).limit(limit)).all()

    return _page(cursors, read, number.key, scope, request, keep=keep)


def _page(
    cursors: Cursors,
    read: Reader[Row],
    number: str,
    scope: str,
    request: PageRequest,
    *,
    keep: Callable[[Row], bool] | None = None,
) -> Page[Row]:
    try:
        return cursors.page(read, number=number, scope=scope, request=request, keep=keep)
    except BadCursorError:
        fault = Fault(code="bad_cursor", detail="This cursor was not made for this list.", parameter="cursor")
        raise ProblemError(400, "bad_cursor", "The cursor is not valid", fault.detail, (fault,)) from None
