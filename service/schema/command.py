"""Commands: instructions of an operator to a screen's player."""

from typing import Literal

from service.schema.base import Input, ResponseModel

CommandType = Literal["identify", "reload", "restart", "screenshot", "sendLogs"]


class CommandCreate(Input):
    """The command: show which screen it is, fetch the manifest again, restart, send a picture or the log."""

    type: CommandType


class CommandResponse(ResponseModel):
    """A command; the answers to the screen's next heartbeats carry it."""

    id: str
    type: CommandType
