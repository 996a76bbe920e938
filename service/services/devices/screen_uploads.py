"""Stores the last picture and the last log that each screen has sent; the next replaces it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import delete, select

from service.core.changes import ScreenReported
from service.core.errors import ProblemError
from service.services.access.access import Access
from service.services.devices.screens import visible_screen
from service.services.shared.lookup import batches
from service.storage.database import Database
from service.storage.tables.screens import ScreenRow, ScreenUploadRow

Kind = Literal["screenshot", "logs"]
MAX_SCREENSHOT_BYTES = 8 * 1024 * 1024
MAX_LOG_BYTES = 256 * 1024

_COMMANDS = {"screenshot": "screenshot", "logs": "sendLogs"}


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that a screen has sent."""

    media_type: str
    content: bytes
    received_at: datetime


class ScreenUploads:
    """Stores and finds uploads. Safe to use from any thread."""

    def __init__(self, *, database: Database) -> None:
        self._database = database

    def keep(self, screen: str, kind: Kind, *, token: str, media_type: str, content: bytes) -> None:
        """Stores an upload in place of the one before; nothing if the screen does not hold this token any more."""
        with self._database.write() as unit:
            holds = select(ScreenRow.workspace_id).where(ScreenRow.id == screen, ScreenRow.token_digest == token)
            workspace = unit.session.scalar(holds)
            if workspace is None:
                return
            unit.announce(ScreenReported(workspace, screen))
            unit.session.execute(
                delete(ScreenUploadRow).where(ScreenUploadRow.screen_id == screen, ScreenUploadRow.kind == kind)
            )
            unit.session.add(
                ScreenUploadRow(
                    screen_id=screen, kind=kind, media_type=media_type, content=content, received_at=unit.now
                )
            )

    def received_at(self, access: Access, screens: Sequence[str], kind: Kind) -> dict[str, datetime]:
        """Returns when each of these screens sent its last upload; unknown ones, and those without, are left out."""
        found: dict[str, datetime] = {}
        with self._database.read() as session:
            for some in batches(screens):
                rows = select(ScreenUploadRow.screen_id, ScreenUploadRow.received_at).join(
                    ScreenRow, ScreenRow.id == ScreenUploadRow.screen_id
                )
                own = ScreenRow.workspace_id == access.workspace, ScreenUploadRow.kind == kind
                sent = session.execute(rows.where(ScreenUploadRow.screen_id.in_(some), *own))
                found.update((screen, at) for screen, at in sent)
        return found

    def get(self, access: Access, screen: str, kind: Kind) -> Upload:
        """Returns the last upload of a screen. Raises the 404 problem."""
        with self._database.read() as session:
            visible_screen(session, access, screen)
            row = session.scalar(
                select(ScreenUploadRow).where(ScreenUploadRow.screen_id == screen, ScreenUploadRow.kind == kind)
            )
            if row is None:
                raise ProblemError(
                    404,
                    "not_sent",
                    "The screen has sent none yet",
                    f"Send it the command {_COMMANDS[kind]}, and ask again after some seconds.",
                )
            return Upload(media_type=row.media_type, content=row.content, received_at=row.received_at)
