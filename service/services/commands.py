"""Commands for screens: kept in memory until the answers to heartbeats have carried them, and lost with a restart.

A command is of the moment: one that came late would surprise whoever stands at the screen by then. Every process is
told of each by a notice, as nobody knows which of them the screen calls next; players do what has the same id once.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import get_args

from service.errors import ProblemError
from service.identifiers import NewId
from service.notices import CommandGiven, Notice
from service.schema.command import CommandCreate, CommandType, CommandView
from service.services.access import Access
from service.services.screens import visible_screen
from service.storage.database import Database

LIFETIME = timedelta(minutes=5)
"""What no heartbeat has fetched by then is dropped."""
MAX_COMMANDS = 10
"""Commands that wait for one screen."""
SENDINGS: dict[CommandType, int] = {"identify": 3, "reload": 3, "restart": 1}
"""How many answers carry a command, as any may be lost on the way. A player that has started again knows no ids any
more: to send `restart` twice could be to start it twice."""


@dataclass(slots=True)
class _Waiting:
    view: CommandView
    sendings: int
    expires: datetime


class CommandService:
    """Takes commands and hands them to heartbeats. Safe to use from any thread."""

    def __init__(self, *, database: Database, new_id: NewId, now: Callable[[], datetime]) -> None:
        self._database = database
        self._new_id = new_id
        self._now = now
        self._lock = threading.Lock()
        self._waiting: dict[str, list[_Waiting]] = {}

    def give(self, access: Access, screen: str, body: CommandCreate) -> CommandView:
        """A command for the screen. Raises the 404 problem, and 409 while too many wait already."""
        with self._database.write() as unit:
            row = visible_screen(unit.session, access, screen)
            if self._count(row.id) >= MAX_COMMANDS:
                raise ProblemError(
                    409,
                    "too_many_commands",
                    "The screen has enough to do",
                    f"At most {MAX_COMMANDS} commands wait for a screen. It fetches them with its heartbeats.",
                )
            view = CommandView(id=self._new_id("cmd"), type=body.type)
            unit.announce(CommandGiven(access.workspace, row.id, command=view.id, type=view.type))
            return view

    def heed(self, notice: Notice) -> None:
        """A command was given, here or by another process."""
        match notice:
            # Of a later version, which knows more types, some cannot be told.
            case CommandGiven(screen=screen, command=command, type=kind) if kind in get_args(CommandType):
                view = CommandView.model_validate({"id": command, "type": kind})
                with self._lock:
                    self._drop_old()
                    waiting = self._waiting.setdefault(screen, [])
                    if len(waiting) < MAX_COMMANDS:
                        waiting.append(_Waiting(view, SENDINGS[view.type], self._now() + LIFETIME))
            case _:
                pass

    def fetch(self, screen: str) -> list[CommandView]:
        """What the answer to a heartbeat is to carry, oldest first."""
        with self._lock:
            if not self._waiting:
                return []
            self._drop_old()
            waiting = self._waiting.get(screen, [])
            for one in waiting:
                one.sendings -= 1
            return [one.view for one in waiting]

    def _count(self, screen: str) -> int:
        with self._lock:
            self._drop_old()
            return len(self._waiting.get(screen, []))

    def _drop_old(self) -> None:
        now = self._now()
        left = {
            screen: [one for one in waiting if one.sendings > 0 and one.expires > now]
            for screen, waiting in self._waiting.items()
        }
        self._waiting = {screen: waiting for screen, waiting in left.items() if waiting}
