"""Reports the state of a rollout's version at each screen, and which versions run."""

from collections import Counter
from datetime import datetime

from service.core.clock import instant_text
from service.core.errors import not_found
from service.schema.devices.rollout import PlayerVersionResponse, RolloutScreen, RolloutState
from service.schema.lists import Listing, whole
from service.services.access.access import Access
from service.services.devices.presence import Presence
from service.services.devices.rollouts import Look, rollouts_of, screens_of, taken_back, whole_workspace
from service.services.shared.listing import listing
from service.services.shared.lookup import get, read_page
from service.storage.database import Database
from service.storage.paging import Cursors, PageRequest
from service.storage.tables.screens import RolloutRow, ScreenRow

MAX_VERSIONS = 50
"""Versions that are listed, the most used first."""


class RolloutScreenService:
    def __init__(self, *, database: Database, cursors: Cursors, presence: Presence) -> None:
        self._database = database
        self._cursors = cursors
        self._presence = presence

    def list(
        self, access: Access, rollout: str, request: PageRequest, *, state: RolloutState | None = None, now: datetime
    ) -> Listing[RolloutScreen]:
        """Returns one page of the screens that a rollout is for. Raises the 403 and 404 problems."""
        whole_workspace(access)
        with self._database.read() as session:
            row = get(session, RolloutRow, access.workspace, rollout, kind="rollout")
            look = Look(self._presence, rollouts_of(session, access.workspace), ())
            state_of = look.states(row)

            def is_wanted(screen: ScreenRow) -> bool:
                found = state_of(screen)
                return found is not None and state in (None, found)

            filters = {"rollout": rollout, "state": state}
            page = read_page(
                session, self._cursors, ScreenRow, access.workspace, request, filters=filters, keep=is_wanted
            )
            return listing(page, lambda screen: self._view(look, row, screen, now=now))

    def of_screen(self, access: Access, screen: str, *, now: datetime) -> RolloutScreen:
        """Returns the rollout that counts for a screen: the newest that has chosen it, or else the newest that is for
        it. Raises the 403 problem, and 404 if there is none."""
        whole_workspace(access)
        with self._database.read() as session:
            row = get(session, ScreenRow, access.workspace, screen, kind="screen")
            rollouts = rollouts_of(session, access.workspace)
            look = Look(self._presence, rollouts, ())
            states = [(one, state) for one in rollouts if (state := look.states(one)(row)) is not None]
            chosen = [one for one, state in states if state != "notChosen" and not one.stopped]
            if not states:
                raise not_found("rollout of the screen", screen)
            return self._view(look, chosen[0] if chosen else states[0][0], row, now=now)

    def versions(self, access: Access) -> Listing[PlayerVersionResponse]:
        """Returns the versions that screens run, the most used first. Raises the 403 problem."""
        whole_workspace(access)
        with self._database.read() as session:
            screens = screens_of(session, access.workspace)
            look = Look(self._presence, (), screens)
            running = (look.report(one).get("appVersion") for one in screens)
            counted = Counter(str(version) for version in running if version)
        most = sorted(counted.items(), key=lambda one: (-one[1], one[0]))[:MAX_VERSIONS]
        return whole([PlayerVersionResponse(version=version, screens=number) for version, number in most])

    def _view(self, look: Look, row: RolloutRow, screen: ScreenRow, *, now: datetime) -> RolloutScreen:
        contact, report = self._presence.of(screen), look.report(screen)
        state = look.states(row)(screen) or "notChosen"
        back = taken_back(report) if state == "takenBack" else {}
        return RolloutScreen(
            rollout=row.id,
            version=row.version,
            screen=screen.id,
            name=screen.name,
            location=screen.location_id,
            state=state,
            why=back.get("why"),
            code=back.get("code"),
            app_version=report.get("appVersion"),
            status="online" if self._presence.online(screen, now=now) else "offline",
            last_seen=None if contact is None else instant_text(contact.last_seen),
        )
