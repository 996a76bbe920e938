"""Commands: what an operator asks of a screen's player."""

from typing import Literal

from service.schema.base import Input, ResponseModel

CommandType = Literal["identify", "reload", "restart"]


class CommandCreate(Input):
    """What the player is to do: show which screen it is, ask for its manifest anew, or start again."""

    type: CommandType


class CommandResponse(ResponseModel):
    """A command that the screen is told with its next heartbeats."""

    id: str
    type: CommandType
