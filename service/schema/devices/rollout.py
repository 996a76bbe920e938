"""Rollouts of player versions to some screens."""

from typing import Annotated, Literal

from annotated_types import Ge, Le, MaxLen
from pydantic import AfterValidator, WithJsonSchema

from service.schema.base import ABSENT, Input, Patch, ResponseModel
from service.schema.fields import InstantText, Label, Whole, each_once, fault

MAX_TAGS = 20
MAX_VERSION_LENGTH = 100
VERSION_PATTERN = r"^[0-9][0-9A-Za-z.+~:-]*$"


def _version(text: str) -> str:
    allowed = set("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.+~:-")
    if not text or not text[0].isascii() or not text[0].isdigit() or not set(text) <= allowed:
        raise fault("bad_version", "A version begins with a digit and has letters, digits and . + ~ : - in it.")
    return text


Tags = Annotated[list[Label], MaxLen(MAX_TAGS), AfterValidator(each_once)]
Version = Annotated[
    str,
    MaxLen(MAX_VERSION_LENGTH),
    AfterValidator(_version),
    WithJsonSchema({"type": "string", "maxLength": MAX_VERSION_LENGTH, "pattern": VERSION_PATTERN}),
]
Percent = Annotated[Whole, Ge(0), Le(100)]
Threshold = Annotated[Whole, Ge(1), Le(100)]


class RolloutCreate(Input):
    """A version for the screens that have one of the tags, or for all screens without tags."""

    version: Version
    tags: Tags = []  # noqa: RUF012  (pydantic copies it)
    percent: Percent = 100
    stop_at_percent: Threshold = 5


class RolloutPatch(Patch):
    """Fields of a rollout to change. A rollout that has stopped goes on with `stopped` false."""

    percent: Percent = ABSENT
    stop_at_percent: Threshold = ABSENT
    stopped: bool = ABSENT


class RolloutScreens(ResponseModel):
    """Numbers of screens: those with the tags; those chosen among them; of these, those that run the version, that have
    taken it back, that a newer rollout has chosen as well, that wait for it, and that get none as it is stopped."""

    matched: int
    chosen: int
    running: int
    taken_back: int
    overruled: int
    waiting: int
    held: int


class RolloutResponse(ResponseModel):
    """A rollout, and how far it is."""

    volatile = frozenset({"screens"})

    id: str
    version: str
    tags: list[str]
    percent: int
    stop_at_percent: int
    status: Literal["running", "stopped"]
    screens: RolloutScreens
    created_at: InstantText


RolloutState = Literal["running", "takenBack", "waiting", "held", "overruled", "notChosen"]


class RolloutScreen(ResponseModel):
    """A screen for which a rollout is, and what has become of the version there. `why` and its `code` say why it was
    taken back.

    `overruled`: a newer rollout has chosen the screen as well, and that one counts.
    """

    volatile = frozenset({"rollout", "version", "state", "why", "code", "appVersion", "status", "lastSeen"})

    rollout: str
    version: str
    screen: str
    name: str
    location: str
    state: RolloutState
    why: str | None
    code: str | None
    app_version: str | None
    status: Literal["online", "offline"]
    last_seen: InstantText | None


class PlayerVersionResponse(ResponseModel):
    """A version of the player, and the number of screens that run it."""

    version: str
    screens: int
