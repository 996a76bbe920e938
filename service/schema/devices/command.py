"""Commands: instructions of an operator to a screen's player."""

from typing import Literal

from service.schema.base import Input, ResponseModel
from service.schema.fields import InstantText

CommandType = Literal["identify", "reload", "restart", "screenshot", "sendLogs"]


class CommandCreate(Input):
    """The command: show which screen it is, fetch the manifest again, restart, send a picture or the log."""

    type: CommandType


class CommandResponse(ResponseModel):
    """A command, and what has become of it. `state` is `waiting`, `sent` or `expired`, or what the player has reported:
    `done`, `refused` or `failed`. `detail` says it in a sentence; `finishedAt` is by the player's clock."""

    id: str
    type: CommandType
    state: str
    detail: str | None
    created_at: InstantText
    expires_at: InstantText
    sent_at: InstantText | None
    finished_at: InstantText | None
