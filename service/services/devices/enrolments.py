"""Manages enrolment tokens, by which devices become screens without a code on the display.

A token makes new screens only. A device that is a screen of the workspace already, and has been in contact, needs its
code: a token that has leaked takes no screen from anybody.
"""

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, delete, func, select
from sqlalchemy.orm import Session

from service.core.clock import instant_text
from service.core.errors import ProblemError, not_found
from service.core.ids import NewId, digest_of, new_secret
from service.schema.devices.enrolment import EnrolmentTokenCreate, EnrolmentTokenResponse, NewEnrolmentTokenResponse
from service.schema.devices.pairing import Enrolment
from service.schema.fields import NAME_LENGTH
from service.schema.lists import Listing
from service.services.access.access import Access
from service.services.devices.screens import check_assignment
from service.services.shared.etags import ALWAYS, Condition
from service.services.shared.listing import listing
from service.services.shared.lookup import find, read_page
from service.storage.database import Database, Unit
from service.storage.paging import Cursors, PageRequest
from service.storage.tables.screens import EnrolmentTokenRow, ScreenRow

MAX_ENROLMENT_TOKENS = 1000
"""The most of one workspace that can still make screens."""

RETENTION = timedelta(days=30)
"""An expired token is listed for so long: which boards never came is asked after the installation."""

PREFIX = "ment_"
"""The prefix of a token: scanners for leaked secrets recognise it."""


class EnrolmentTokens:
    def __init__(self, *, database: Database, cursors: Cursors, new_id: NewId) -> None:
        self._database = database
        self._cursors = cursors
        self._new_id = new_id

    def list(self, access: Access, request: PageRequest) -> Listing[EnrolmentTokenResponse]:
        """Returns one page of the tokens, oldest first."""
        with self._database.read() as session:
            page = read_page(
                session,
                self._cursors,
                EnrolmentTokenRow,
                access.workspace,
                request,
                keep=lambda row: access.sees(row.location_id),
            )
            return listing(page, _view)

    def create(self, access: Access, body: EnrolmentTokenCreate) -> NewEnrolmentTokenResponse:
        """Returns a new token. Raises the 422 problem for an unknown playlist or location, 404 for a location that the
        key does not see, and 409 when there are many."""
        with self._database.write() as unit:
            check_assignment(unit.session, access, playlist=body.playlist, location=body.location)
            check_room(unit, access, 1)
            expires_at = unit.now + timedelta(days=body.days)
            row, secret = issue(unit, access, body, new_id=self._new_id, expires_at=expires_at)
            return NewEnrolmentTokenResponse(**_view(row).model_dump(), token=secret)

    def get(self, access: Access, token: str) -> EnrolmentTokenResponse:
        """Raises the 404 problem."""
        with self._database.read() as session:
            return _view(_get(session, access, token))

    def revoke(self, access: Access, token: str, expected: Condition = ALWAYS) -> None:
        """Revokes a token at once; its screens stay. Raises the 404 and 412 problems."""
        with self._database.write() as unit:
            row = _get(unit.session, access, token)
            expected.check(_view(row))
            unit.session.delete(row)

    def prune(self) -> None:
        """Deletes tokens that expired long ago."""
        with self._database.write() as unit:
            ended = EnrolmentTokenRow.expires_at <= unit.now - RETENTION
            unit.session.execute(delete(EnrolmentTokenRow).where(ended))


def is_open(now: datetime) -> ColumnElement[bool]:
    """Returns the condition of tokens that can still make a screen."""
    return (EnrolmentTokenRow.used < EnrolmentTokenRow.screens) & (EnrolmentTokenRow.expires_at > now)


def check_room(unit: Unit, access: Access, more: int) -> None:
    """Raises the 409 problem if the workspace may not have so many more tokens."""
    there = unit.session.scalar(
        select(func.count())
        .select_from(EnrolmentTokenRow)
        .where(EnrolmentTokenRow.workspace_id == access.workspace, is_open(unit.now))
    )
    if (there or 0) + more > MAX_ENROLMENT_TOKENS:
        detail = f"A workspace has at most {MAX_ENROLMENT_TOKENS} that can still make screens. Revoke those not needed."
        raise ProblemError(409, "too_many_tokens", "The workspace has too many enrolment tokens", detail)


def issue(
    unit: Unit, access: Access, body: EnrolmentTokenCreate, *, new_id: NewId, expires_at: datetime
) -> tuple[EnrolmentTokenRow, str]:
    """Returns a new token and its secret, in the caller's transaction."""
    secret = new_secret(PREFIX)
    row = EnrolmentTokenRow(
        id=new_id("enr"),
        workspace_id=access.workspace,
        digest=digest_of(secret),
        name=body.name,
        location_id=body.location,
        playlist_id=body.playlist,
        screens=body.screens,
        used=0,
        confirm=body.confirm,
        created_at=unit.now,
        expires_at=expires_at,
    )
    unit.session.add(row)
    return row, secret


def redeem(unit: Unit, secret: str, device_id: str) -> EnrolmentTokenRow | Enrolment:
    """Returns the token, counted for this device; or why it makes no screen of it."""
    row = unit.session.scalar(
        select(EnrolmentTokenRow).where(EnrolmentTokenRow.digest == digest_of(secret)).with_for_update()
    )
    if row is None:
        return Enrolment.UNKNOWN
    if row.expires_at <= unit.now:
        return Enrolment.EXPIRED
    screen = _screen_of(unit.session, row.workspace_id, device_id)
    if screen is not None:
        # One that lost its power before it was in contact asks once more, and is not counted twice.
        is_unfinished = not screen.token_used and screen.location_id == row.location_id
        return row if is_unfinished else Enrolment.KNOWN_DEVICE
    if row.used >= row.screens:
        return Enrolment.USED_UP
    row.used += 1
    return row


def screen_name(row: EnrolmentTokenRow) -> str:
    """Returns the name of the newest screen of a token."""
    number = "" if row.screens == 1 else f" {row.used}"
    return row.name[: NAME_LENGTH - len(number)] + number


def _get(session: Session, access: Access, token: str) -> EnrolmentTokenRow:
    row = find(session, EnrolmentTokenRow, access.workspace, token)
    if row is None or not access.sees(row.location_id):
        raise not_found("enrolment token", token)
    return row


def _screen_of(session: Session, workspace: str, device_id: str) -> ScreenRow | None:
    return session.scalar(
        select(ScreenRow).where(ScreenRow.workspace_id == workspace, ScreenRow.device_id == device_id)
    )


def _view(row: EnrolmentTokenRow) -> EnrolmentTokenResponse:
    return EnrolmentTokenResponse(
        id=row.id,
        name=row.name,
        playlist=row.playlist_id,
        location=row.location_id,
        screens=row.screens,
        used=row.used,
        confirm=row.confirm,
        created_at=instant_text(row.created_at),
        expires_at=instant_text(row.expires_at),
    )
