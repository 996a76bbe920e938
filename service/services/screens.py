"""Screens: paired display devices, where they hang and what they play."""

from datetime import datetime

from sqlalchemy.orm import Session

from service.clock import instant_text
from service.errors import Fault, invalid
from service.notices import ScreenChanged
from service.preconditions import ALWAYS, Condition
from service.schema.lists import Listing
from service.schema.screen import ScreenPatch, ScreenView
from service.services.listing import listing
from service.services.lookup import find, get, read_page, unknown
from service.services.presence import Presence, is_online
from service.storage.database import Database
from service.storage.paging import Cursors, PageRequest
from service.storage.tables import LocationRow, PlaylistRow, ScreenRow


class ScreenService:
    """Lists, changes and removes screens."""

    def __init__(self, *, database: Database, cursors: Cursors, presence: Presence) -> None:
        self._database = database
        self._cursors = cursors
        self._presence = presence

    def list(self, workspace: str, request: PageRequest, *, now: datetime) -> Listing[ScreenView]:
        """One page of screens."""
        with self._database.read() as session:
            page = read_page(session, self._cursors, ScreenRow, workspace, request)
            return listing(page, lambda row: self.view(row, now=now))

    def get(self, workspace: str, screen: str, *, now: datetime) -> ScreenView:
        """One screen. Raises the 404 problem."""
        with self._database.read() as session:
            return self.view(get(session, ScreenRow, workspace, screen, kind="screen"), now=now)

    def change(self, workspace: str, screen: str, body: ScreenPatch, expected: Condition = ALWAYS) -> ScreenView:
        """Change some fields; the player follows at once. Raises the 404 and 422 problems."""
        with self._database.write() as unit:
            row = get(unit.session, ScreenRow, workspace, screen, kind="screen")
            expected.check(self.view(row, now=unit.now))
            given = body.given()
            check_assignment(unit.session, workspace, playlist=given.get("playlist"), location=given.get("location"))
            row.name = given.get("name", row.name)
            row.playlist_id = given.get("playlist", row.playlist_id)
            row.location_id = given.get("location", row.location_id)
            row.changed_at = unit.now
            unit.announce(ScreenChanged(workspace, row.id))
            return self.view(row, now=unit.now)

    def remove(self, workspace: str, screen: str, expected: Condition = ALWAYS) -> None:
        """Unpair and remove a screen: its token is worth nothing from now on. Raises the 404 problem."""
        with self._database.write() as unit:
            row = get(unit.session, ScreenRow, workspace, screen, kind="screen")
            expected.check(self.view(row, now=unit.now))
            unit.session.delete(row)
            unit.announce(ScreenChanged(workspace, row.id))
        self._presence.forget(screen)

    def view(self, row: ScreenRow, *, now: datetime) -> ScreenView:
        """The screen as the API shows it at an instant."""
        contact = self._presence.of(row)
        report = {} if contact is None or contact.report is None else contact.report
        return ScreenView(
            id=row.id,
            name=row.name,
            location=row.location_id,
            playlist=row.playlist_id,
            status="online" if is_online(contact, now=now) else "offline",
            last_seen=None if contact is None else instant_text(contact.last_seen),
            created_at=instant_text(row.created_at),
            presented=report.get("presented"),
            staged=report.get("staged"),
            app_version=report.get("appVersion"),
            errors=report.get("errors", []),
            clock=report.get("clock"),
            health=report.get("health"),
        )


def check_assignment(session: Session, workspace: str, *, playlist: str | None, location: str | None) -> None:
    """Raises the 422 problem when the workspace does not have the playlist or location that is named."""
    faults: list[Fault] = []
    if playlist is not None and find(session, PlaylistRow, workspace, playlist) is None:
        faults.append(unknown("playlist", playlist, "/playlist"))
    if location is not None and find(session, LocationRow, workspace, location) is None:
        faults.append(unknown("location", location, "/location"))
    if faults:
        raise invalid(faults)
