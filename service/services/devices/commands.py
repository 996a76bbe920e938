"""Queues commands for screens, and keeps their results; answers to heartbeats deliver them.

A command expires soon, because a late one would surprise the people at the screen. The process that the screen calls
next counts in the table how often its commands have been sent, so several processes deliver a command no more often
than one does. The screens that have commands are known in memory: a heartbeat of another screen costs no SQL.
"""

import logging
import threading
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from sqlalchemy import delete, func, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from service.core.changes import Change, ChangesMissed, CommandGiven
from service.core.clock import instant_text
from service.core.errors import ProblemError, not_found
from service.core.ids import NewId
from service.schema.devices.command import CommandCreate, CommandResponse, CommandType
from service.schema.devices.device import CommandResult, PlayerCommand
from service.schema.fields import instant_or_none
from service.schema.lists import Listing
from service.services.access.access import Access
from service.services.devices.presence import Presence
from service.services.devices.screens import visible_screen
from service.services.shared.listing import listing
from service.services.shared.lookup import page_of
from service.storage.database import Database
from service.storage.paging import Cursors, PageRequest
from service.storage.tables.screens import CommandRow, ScreenRow

LIFETIME = timedelta(minutes=5)
"""A command that no heartbeat has fetched by then is not sent any more."""
MAX_COMMANDS = 10
"""Commands that wait for one screen."""
MAX_KEPT = 50
"""Commands of one screen that can be looked up; the oldest goes first."""
KEPT = timedelta(days=30)
"""The time for which a command can be looked up."""
SENDINGS: dict[CommandType, int] = {"identify": 3, "reload": 3, "restart": 1, "screenshot": 3, "sendLogs": 3}
"""Answers that carry a command, because an answer may be lost. A restarted player has forgotten the ids, so
a second `restart` could restart it twice."""

_log = logging.getLogger(__name__)


class CommandService:
    """Queues commands and gives them to heartbeats. Safe to use from any thread."""

    def __init__(
        self,
        *,
        database: Database,
        cursors: Cursors,
        presence: Presence,
        new_id: NewId,
        now: Callable[[], datetime],
    ) -> None:
        self._database = database
        self._cursors = cursors
        self._presence = presence
        self._new_id = new_id
        self._now = now
        self._lock = threading.Lock()
        self._waiting: set[str] = set()
        """Every screen that has commands; some may have none any more."""

    def load(self) -> None:
        """Reads which screens have commands."""
        with self._database.read() as session:
            found = session.scalars(
                select(CommandRow.screen_id)
                .where(CommandRow.expires_at > self._now(), CommandRow.sendings > 0)
                .distinct()
            ).all()
        # Added to, not replaced: a command may have been given since the query.
        with self._lock:
            self._waiting.update(found)

    def give(self, access: Access, screen: str, body: CommandCreate) -> CommandResponse:
        """Queues a command for the screen. Raises the 404 problem, and 409 while too many wait already."""
        with self._database.write() as unit:
            row = visible_screen(unit.session, access, screen)
            pending = select(func.count()).where(
                CommandRow.screen_id == row.id, CommandRow.sendings > 0, CommandRow.expires_at > unit.now
            )
            if (unit.session.scalar(pending) or 0) >= MAX_COMMANDS:
                raise ProblemError(
                    409,
                    "too_many_commands",
                    "The screen has enough to do",
                    f"At most {MAX_COMMANDS} commands wait for a screen. It fetches them with its heartbeats.",
                )
            given = CommandRow(
                id=self._new_id("cmd"),
                screen_id=row.id,
                type=body.type,
                sendings=SENDINGS[body.type],
                expires_at=unit.now + LIFETIME,
                created_at=unit.now,
            )
            unit.session.add(given)
            unit.session.flush()
            numbers = select(CommandRow.number).where(CommandRow.screen_id == row.id)
            oldest = unit.session.scalar(numbers.order_by(CommandRow.number.desc()).offset(MAX_KEPT - 1).limit(1))
            if oldest is not None:
                unit.session.execute(
                    delete(CommandRow).where(CommandRow.screen_id == row.id, CommandRow.number < oldest)
                )
            unit.announce(CommandGiven(access.workspace, row.id))
            return self._view(given, row, now=unit.now)

    def list(self, access: Access, screen: str, request: PageRequest) -> Listing[CommandResponse]:
        """Returns one page of the commands to the screen, oldest first. Raises the 404 problem."""
        with self._database.read() as session:
            row = visible_screen(session, access, screen)
            commands = select(CommandRow).where(CommandRow.screen_id == row.id)
            page = page_of(session, self._cursors, commands, CommandRow.number, f"commands:{row.id}", request)
            now = self._now()
            return listing(page, lambda one: self._view(one, row, now=now))

    def get(self, access: Access, screen: str, command: str) -> CommandResponse:
        """Returns one command to the screen. Raises the 404 problem."""
        with self._database.read() as session:
            row = visible_screen(session, access, screen)
            return self._view(_find(session, row, command), row, now=self._now())

    def withdraw(self, access: Access, screen: str, command: str) -> None:
        """Takes a command back. Raises the 404 problem, and 409 once it was sent."""
        with self._database.write() as unit:
            # Locked: the screen may be fetching it.
            row = _find(unit.session, visible_screen(unit.session, access, screen), command, locked=True)
            if row.sent_at is not None:
                raise ProblemError(
                    409, "command_sent", "The screen has it already", "Only what the screen has not fetched goes back."
                )
            unit.session.delete(row)

    def finish(self, screen: str, results: Sequence[CommandResult]) -> None:
        """Stores the results of the player's commands; the first report of each counts."""
        told = {result.id: result for result in results}
        with self._database.write_concurrently() as unit:
            rows = unit.session.scalars(
                select(CommandRow)
                .where(CommandRow.screen_id == screen, CommandRow.id.in_(told), CommandRow.finished_at.is_(None))
                .order_by(CommandRow.number)
                .with_for_update()
            ).all()
            for row in rows:
                result = told[row.id]
                row.sendings = 0
                row.sent_at = row.sent_at or unit.now
                row.outcome, row.detail = result.outcome, result.detail
                # The player's clock may be wrong.
                row.finished_at = min(max(result.at or unit.now, row.created_at), unit.now)

    def prune(self) -> None:
        with self._database.write() as unit:
            unit.session.execute(delete(CommandRow).where(CommandRow.created_at <= unit.now - KEPT))

    def on_change(self, change: Change) -> None:
        """Notes that a command was given, here or by another process."""
        match change:
            case CommandGiven(screen=screen):
                with self._lock:
                    self._waiting.add(screen)
            case ChangesMissed():
                self.load()
            case _:
                pass

    def waiting(self, screen: str) -> bool:
        """True if the screen may have commands to `fetch`. Costs no SQL."""
        return screen in self._waiting

    def fetch(self, screen: str) -> Sequence[PlayerCommand]:
        """Returns the commands for the answer to a heartbeat, oldest first; none while the database cannot be used."""
        # Before the query, so that a command given meanwhile is noted again.
        with self._lock:
            self._waiting.discard(screen)
        try:
            carried, more = self._take(screen)
        except SQLAlchemyError as fault:
            _log.warning("cannot fetch the commands of a screen: %s", type(fault).__name__)
            carried, more = [], True
        if more:
            with self._lock:
                self._waiting.add(screen)
        return carried

    def _take(self, screen: str) -> tuple[Sequence[PlayerCommand], bool]:
        """Returns the commands to deliver now, and whether any are left for the next heartbeat."""
        more = False
        with self._database.write_concurrently() as unit:
            # Locked: another process may be answering the same screen.
            rows = unit.session.scalars(
                select(CommandRow)
                .where(CommandRow.screen_id == screen, CommandRow.expires_at > unit.now, CommandRow.sendings > 0)
                .order_by(CommandRow.number)
                .with_for_update()
            ).all()
            for row in rows:
                row.sendings -= 1
                row.sent_at = row.sent_at or unit.now
                more = more or row.sendings > 0
            return [PlayerCommand.model_validate({"id": row.id, "type": row.type}) for row in rows], more

    def _view(self, row: CommandRow, screen: ScreenRow, *, now: datetime) -> CommandResponse:
        if row.outcome is not None:
            state, detail = row.outcome, row.detail
        elif row.sent_at is not None:
            late = " Players before version 0.3.0 never do." if row.expires_at <= now else ""
            state, detail = "sent", f"The screen has it, and has not said yet what became of it.{late}"
        elif row.expires_at <= now:
            state, detail = "expired", "The screen did not call in time, so nothing was done."
        elif self._presence.online(screen, now=now):
            state, detail = "waiting", "The screen gets it with its next call."
        else:
            state, detail = "waiting", "The screen is offline. It gets this if it calls before it expires."
        return CommandResponse.model_validate(
            {
                "id": row.id,
                "type": row.type,
                "state": state,
                "detail": detail,
                "created_at": instant_text(row.created_at),
                "expires_at": instant_text(row.expires_at),
                "sent_at": instant_or_none(row.sent_at),
                "finished_at": instant_or_none(row.finished_at),
            }
        )


def _find(session: Session, screen: ScreenRow, command: str, *, locked: bool = False) -> CommandRow:
    found = select(CommandRow).where(CommandRow.screen_id == screen.id, CommandRow.id == command)
    row = session.scalar(found.with_for_update() if locked else found)
    if row is None:
        raise not_found("command", command)
    return row
