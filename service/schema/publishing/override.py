"""Overrides: one scene or playlist now, until a time, in place of all else."""

from typing import Annotated, Any, Literal

from annotated_types import MaxLen, MinLen
from pydantic import AfterValidator, model_validator

from service.schema.base import Input, ResponseModel, SchemaOf
from service.schema.fields import Identifier, Instant, InstantText, Label, Name, each_once, fault

MAX_OVERRIDE_DAYS = 7
"""From now on to the end of an override, at most: one that is forgotten ends."""
MAX_OVERRIDE_SCREENS = 500
MAX_OVERRIDE_TAGS = 20


class OverrideTarget(Input):
    """The screens that an override is for: those of a list, those with one of the tags, those at a location or at
    the locations of a group, or all that the key sees. One of these."""

    screens: Annotated[list[Identifier], MinLen(1), MaxLen(MAX_OVERRIDE_SCREENS), AfterValidator(each_once)] | None = (
        None
    )
    tags: Annotated[list[Label], MinLen(1), MaxLen(MAX_OVERRIDE_TAGS), AfterValidator(each_once)] | None = None
    location: Identifier | None = None
    group: Identifier | None = None
    everything_: Literal[True] | None = None

    @model_validator(mode="after")
    def _one_of_them(self) -> "OverrideTarget":
        if [self.screens, self.tags, self.location, self.group, self.everything_].count(None) != 4:
            raise fault("ambiguous", "A target has one of screens, tags, location, group and everything.")
        return self


class OverrideCreate(Input):
    """A scene or a playlist, frozen as it is now, for some screens until a time. Without `startsAt` it starts now."""

    target: OverrideTarget
    scene: Identifier | None = None
    playlist: Identifier | None = None
    starts_at: Instant | None = None
    until: Instant
    reason: Name

    @model_validator(mode="after")
    def _one_of_them(self) -> "OverrideCreate":
        if (self.scene is None) == (self.playlist is None):
            raise fault("ambiguous", "An override has one of scene and playlist.")
        if self.starts_at is not None and self.until <= self.starts_at:
            raise fault("ends_before_start", "until lies after startsAt.")
        return self


class OverrideResponse(ResponseModel):
    """An override; `name` is that of its scene or playlist when it was made, `createdBy` the id of the key. One
    of a `plannedChange` has the first start and the last end; between these each location has its own."""

    volatile = frozenset({"status"})

    id: str
    target: Annotated[dict[str, Any], SchemaOf(OverrideTarget)]
    scene: str | None
    playlist: str | None
    name: str
    reason: str
    starts_at: InstantText
    until: InstantText
    status: Literal["waiting", "running", "ended"]
    planned_change: str | None = None
    created_by: str
    created_at: InstantText
