"""Queues commands for screens; answers to heartbeats deliver them.

A command expires soon, because a late one would surprise the people at the screen. The process that the screen calls
next takes its commands out of the table, so several processes deliver a command no more often than one does. The
screens that have commands are known in memory: a heartbeat of another screen costs no SQL.
"""

import logging
import threading
from collections.abc import Callable
from datetime import datetime, timedelta

from sqlalchemy import delete, func, select
from sqlalchemy.exc import SQLAlchemyError

from service.core.changes import Change, ChangesMissed, CommandGiven
from service.core.errors import ProblemError
from service.core.ids import NewId
from service.schema.command import CommandCreate, CommandResponse, CommandType
from service.services.access.access import Access
from service.services.devices.screens import visible_screen
from service.storage.database import Database
from service.storage.tables import CommandRow

LIFETIME = timedelta(minutes=5)
"""A command that no heartbeat has fetched by then is deleted."""
MAX_COMMANDS = 10
"""Commands that wait for one screen."""
SENDINGS: dict[CommandType, int] = {"identify": 3, "reload": 3, "restart": 1, "screenshot": 3, "sendLogs": 3}
"""How many answers carry a command, because an answer may be lost. A restarted player has forgotten the ids, so a
second `restart` could restart it twice."""

_log = logging.getLogger(__name__)


class CommandService:
    """Queues commands and gives them to heartbeats. Safe to use from any thread."""

    def __init__(self, *, database: Database, new_id: NewId, now: Callable[[], datetime]) -> None:
        self._database = database
        self._new_id = new_id
        self._now = now
        self._lock = threading.Lock()
        self._waiting: set[str] = set()
        """Every screen that has commands; some may have none any more."""

    def load(self) -> None:
        """Reads which screens have commands."""
        with self._database.read() as session:
            found = session.scalars(
                select(CommandRow.screen_id).where(CommandRow.expires_at > self._now()).distinct()
            ).all()
        # Added to, not replaced: a command may have been given since the query.
        with self._lock:
            self._waiting.update(found)

    def give(self, access: Access, screen: str, body: CommandCreate) -> CommandResponse:
        """Queues a command for the screen. Raises the 404 problem, and 409 while too many wait already."""
        with self._database.write() as unit:
            row = visible_screen(unit.session, access, screen)
            unit.session.execute(delete(CommandRow).where(CommandRow.expires_at <= unit.now))
            waiting = select(func.count()).select_from(CommandRow).where(CommandRow.screen_id == row.id)
            if (unit.session.scalar(waiting) or 0) >= MAX_COMMANDS:
                raise ProblemError(
                    409,
                    "too_many_commands",
                    "The screen has enough to do",
                    f"At most {MAX_COMMANDS} commands wait for a screen. It fetches them with its heartbeats.",
                )
            view = CommandResponse(id=self._new_id("cmd"), type=body.type)
            unit.session.add(
                CommandRow(
                    id=view.id,
                    screen_id=row.id,
                    type=view.type,
                    sendings=SENDINGS[view.type],
                    expires_at=unit.now + LIFETIME,
                )
            )
            unit.announce(CommandGiven(access.workspace, row.id))
            return view

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
        """Whether the screen may have commands to `fetch`. Costs no SQL."""
        return screen in self._waiting

    def fetch(self, screen: str) -> list[CommandResponse]:
        """The commands for the answer to a heartbeat, oldest first; none while the database cannot be used."""
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

    def _take(self, screen: str) -> tuple[list[CommandResponse], bool]:
        """The commands to deliver now, and whether any are left for the next heartbeat."""
        more = False
        with self._database.write_concurrently() as unit:
            # Locked: another process may be answering the same screen.
            rows = unit.session.scalars(
                select(CommandRow)
                .where(CommandRow.screen_id == screen, CommandRow.expires_at > unit.now)
                .order_by(CommandRow.number)
                .with_for_update()
            ).all()
            views = [CommandResponse.model_validate({"id": row.id, "type": row.type}) for row in rows]
            for row in rows:
                row.sendings -= 1
                if row.sendings > 0:
                    more = True
                else:
                    unit.session.delete(row)
        return views, more
