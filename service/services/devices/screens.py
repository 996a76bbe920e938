"""Manages screens: paired devices, their locations and playlists."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import ColumnElement, func
from sqlalchemy.orm import Session

from service.core.changes import CommandGiven, ScreenChanged
from service.core.clock import instant_text
from service.core.errors import Fault, invalid, not_found
from service.schema.base import unchecked
from service.schema.devices.screen import (
    ScreenDisplay,
    ScreenPatch,
    ScreenResponse,
    ScreensConfirm,
    ScreensConfirmed,
    ScreensPatch,
)
from service.schema.lists import Listing, whole
from service.services.access.access import Access
from service.services.content.groups import visible_group
from service.services.devices.chosen_screens import chosen_screens
from service.services.devices.presence import Contact, Presence, codes_of
from service.services.devices.revoked_tokens import revoke_token
from service.services.publishing.live_overrides import announce_screens
from service.services.shared.etags import ALWAYS, CHANGED, PRECONDITION_FAILED, Condition, changed_meanwhile
from service.services.shared.listing import listing
from service.services.shared.lookup import (
    contains,
    find,
    find_many,
    get,
    get_plain,
    read_page,
    unknown,
    unknown_filter,
)
from service.storage.database import Database, Unit
from service.storage.paging import Cursors, PageRequest
from service.storage.tables.menus import PlaylistRow
from service.storage.tables.screens import ScreenRow
from service.storage.tables.workspaces import LocationRow

_BLANK_DISPLAY = ScreenDisplay().model_dump(by_alias=True)
_screen = unchecked(ScreenResponse)

ScreenStatus = Literal["online", "offline"]


@dataclass(frozen=True, slots=True)
class ScreenFilter:
    """Screens to list: those that match every field that is set."""

    status: ScreenStatus | None = None
    location: str | None = None
    playlist: str | None = None
    finding: str | None = None
    waiting: bool | None = None
    search: str | None = None
    """A part of the name, or the id or its end, as people read it to each other."""
    tag: str | None = None
    group: str | None = None
    trouble: bool | None = None
    """Whether it is offline or reports a finding."""


EVERY_SCREEN = ScreenFilter()


class ScreenService:
    def __init__(self, *, database: Database, cursors: Cursors, presence: Presence) -> None:
        self._database = database
        self._cursors = cursors
        self._presence = presence

    def list(
        self, access: Access, request: PageRequest, *, chosen: ScreenFilter = EVERY_SCREEN, now: datetime
    ) -> Listing[ScreenResponse]:
        """Returns one page of the screens that the key may see. Raises the 422 problem for unknown locations and
        playlists."""
        conditions: list[ColumnElement[bool]] = []
        if access.locations is not None:
            conditions.append(ScreenRow.location_id.in_(sorted(access.locations)))
        if chosen.location is not None:
            conditions.append(ScreenRow.location_id == chosen.location)
        if chosen.playlist is not None:
            # What it is given counts, not what it plays meanwhile.
            given = func.coalesce(ScreenRow.next_playlist_id, ScreenRow.playlist_id)
            conditions.append(given == chosen.playlist)
        if chosen.waiting is not None:
            conditions.append(ScreenRow.waiting.is_(chosen.waiting))
        if chosen.search is not None:
            conditions.append(
                contains(ScreenRow.name, chosen.search) | ScreenRow.id.endswith(chosen.search.lower(), autoescape=True)
            )

        if (chosen.playlist, chosen.location, chosen.group) != (None, None, None):
            with self._database.read() as session:
                _check_filter(session, access, chosen)
                if chosen.group is not None:
                    conditions.append(ScreenRow.location_id.in_(visible_group(session, access, chosen.group)[1]))
        with self._database.read_plain() as rows:
            page = read_page(
                rows,
                self._cursors,
                ScreenRow,
                access.workspace,
                request,
                *conditions,
                filters=asdict(chosen),
                keep=self._chooser(chosen, now=now),
            )
            return listing(page, lambda row: self.view(row, now=now))

    def get(self, access: Access, screen: str, *, now: datetime) -> ScreenResponse:
        """Raises the 404 problem."""
        with self._database.read_plain() as rows:
            row = get_plain(rows, ScreenRow, access.workspace, screen, kind="screen")
            return self.view(_seen(access, row), now=now)

    def change(self, access: Access, screen: str, body: ScreenPatch, expected: Condition = ALWAYS) -> ScreenResponse:
        """Changes some fields; the player follows at once. Raises the 404, 412 and 422 problems."""
        with self._database.write() as unit:
            row = visible_screen(unit.session, access, screen)
            expected.check(self.view(row, now=unit.now))
            given = body.given()
            check_assignment(unit.session, access, playlist=given.get("playlist"), location=given.get("location"))
            _apply(unit, [row], given)
            return self.view(row, now=unit.now)

    def change_many(self, access: Access, body: ScreensPatch, expected: Condition = ALWAYS) -> Listing[ScreenResponse]:
        """Changes all chosen screens or, if any has a fault, none. Raises the 404, 412 and 422 problems, and 409 when
        too many are chosen."""
        with self._database.write() as unit:
            given = body.given()
            check_assignment(unit.session, access, playlist=given.get("playlist"), location=given.get("location"))
            rows = chosen_screens(unit.session, access, body.choose)
            changed = [
                Fault(PRECONDITION_FAILED, f"{row.id}: {CHANGED}", pointer)
                for pointer, row in rows
                if expected.tags is not None and not expected.holds(self.view(row, now=unit.now))
            ]
            if changed:
                raise changed_meanwhile(changed)
            _apply(unit, [row for _, row in rows], given)
            return whole([self.view(row, now=unit.now) for _, row in rows])

    def confirm(self, access: Access, body: ScreensConfirm) -> ScreensConfirmed:
        """Confirms screens that wait, so that they get their menus: all of the list or none. Raises the 422 problem for
        unknown ones."""
        with self._database.write() as unit:
            rows = find_many(unit.session, ScreenRow, access.workspace, body.screens)
            faults = [
                unknown("screen", screen, f"/screens/{position}")
                for position, screen in enumerate(body.screens)
                if screen not in rows or not access.sees(rows[screen].location_id)
            ]
            if faults:
                raise invalid(faults)
            waiting = [row for row in rows.values() if row.waiting]
            for row in waiting:
                row.waiting = False
                row.changed_at = unit.now
                unit.announce(ScreenChanged(access.workspace, row.id))
            announce_screens(unit, access.workspace, [row.location_id for row in waiting])
        return ScreensConfirmed(confirmed=len(waiting))

    def remove(self, access: Access, screen: str, expected: Condition = ALWAYS) -> None:
        """Removes a screen and revokes its token. Raises the 404 and 412 problems."""
        with self._database.write() as unit:
            row = visible_screen(unit.session, access, screen)
            expected.check(self.view(row, now=unit.now))
            revoke_token(unit, row)
            unit.session.delete(row)
            unit.announce(ScreenChanged(access.workspace, row.id))

    def _chooser(self, chosen: ScreenFilter, *, now: datetime) -> Callable[[ScreenRow], bool] | None:
        """Returns a filter for conditions that the database cannot check; None if there are none."""
        if (chosen.status, chosen.finding, chosen.tag, chosen.trouble) == (None, None, None, None):
            return None

        def is_chosen(row: ScreenRow) -> bool:
            status, codes = self._status(row, now=now), codes_of(_report_of(self._presence.of(row)))
            return (
                (chosen.status is None or status == chosen.status)
                and (chosen.finding is None or chosen.finding in codes)
                and (chosen.tag is None or chosen.tag in row.tags)
                and (chosen.trouble is None or (status == "offline" or bool(codes)) == chosen.trouble)
            )

        return is_chosen

    def _status(self, row: ScreenRow, *, now: datetime) -> ScreenStatus:
        return "online" if self._presence.online(row, now=now) else "offline"

    def view(self, row: ScreenRow, *, now: datetime) -> ScreenResponse:
        contact = self._presence.of(row)
        report = _report_of(contact)
        return _screen(
            id=row.id,
            name=row.name,
            location=row.location_id,
            playlist=row.next_playlist_id or row.playlist_id,
            plays_meanwhile=None if row.next_playlist_id is None else row.playlist_id,
            tags=row.tags,
            waiting=row.waiting,
            status=self._status(row, now=now),
            last_seen=None if contact is None else instant_text(contact.last_seen),
            created_at=instant_text(row.created_at),
            display={**_BLANK_DISPLAY, **row.display},
            display_power=report.get("displayPower"),
            presented=report.get("presented"),
            staged=report.get("staged"),
            app_version=report.get("appVersion"),
            findings=report.get("findings", []),
            errors=report.get("errors", []),
            clock=report.get("clock"),
            health=report.get("health"),
            taken_back=report.get("takenBack"),
        )


def _apply(unit: Unit, rows: Sequence[ScreenRow], given: Mapping[str, Any]) -> None:
    """Changes screens of one workspace."""
    before = [row.location_id for row in rows]
    for row in rows:
        row.name = given.get("name", row.name)
        if "playlist" in given:
            _give_playlist(unit.session, row, given["playlist"])
        row.location_id = given.get("location", row.location_id)
        row.tags = given.get("tags", row.tags)
        row.changed_at = unit.now
        unit.announce(ScreenChanged(row.workspace_id, row.id))
        if "display" in given:
            row.display = given["display"].model_dump(by_alias=True)
            unit.announce(CommandGiven(row.workspace_id, row.id))
    if rows and not {"tags", "playlist", "location"}.isdisjoint(given):
        unit.session.flush()
        announce_screens(unit, rows[0].workspace_id, [*before, *(row.location_id for row in rows)])


def _give_playlist(session: Session, row: ScreenRow, playlist: str | None) -> None:
    """Gives the screen a playlist; one that was never published is next, if the screen plays another one."""

    def is_published(name: str | None) -> bool:
        found = None if name is None else find(session, PlaylistRow, row.workspace_id, name)
        return found is not None and found.version > 0

    if playlist not in (None, row.playlist_id) and is_published(row.playlist_id) and not is_published(playlist):
        row.next_playlist_id = playlist
    else:
        row.playlist_id, row.next_playlist_id = playlist, None


def _report_of(contact: Contact | None) -> dict[str, Any]:
    return {} if contact is None or contact.report is None else contact.report


def check_assignment(session: Session, access: Access, *, playlist: str | None, location: str | None) -> None:
    """Raises the 422 problem for an unknown playlist or location, and 404 for a location that the key does not see."""
    faults: list[Fault] = []
    if location is not None:
        access.reach(location)
    if playlist is not None and find(session, PlaylistRow, access.workspace, playlist) is None:
        faults.append(unknown("playlist", playlist, "/playlist"))
    if location is not None and find(session, LocationRow, access.workspace, location) is None:
        faults.append(unknown("location", location, "/location"))
    if faults:
        raise invalid(faults)


def visible_screen(session: Session, access: Access, screen: str) -> ScreenRow:
    """Returns the screen, if the key may see it. Raises the 404 problem."""
    return _seen(access, get(session, ScreenRow, access.workspace, screen, kind="screen"))


def _seen(access: Access, row: ScreenRow) -> ScreenRow:
    if not access.sees(row.location_id):
        raise not_found("screen", row.id)
    return row


def _check_filter(session: Session, access: Access, chosen: ScreenFilter) -> None:
    faults: list[Fault] = []
    if chosen.playlist is not None and find(session, PlaylistRow, access.workspace, chosen.playlist) is None:
        faults.append(unknown_filter("playlist", chosen.playlist))
    if chosen.location is not None and (
        not access.sees(chosen.location) or find(session, LocationRow, access.workspace, chosen.location) is None
    ):
        faults.append(unknown_filter("location", chosen.location))
    if faults:
        raise invalid(faults)
