"""Planned changes: prices, availability and overrides that take effect at a local time of each location."""

from operator import attrgetter
from typing import Annotated, Any, Literal

from annotated_types import MaxLen
from pydantic import AfterValidator, model_validator

from service.schema.base import ABSENT, Input, Patch, ResponseModel, SchemaOf
from service.schema.fields import Identifier, InstantText, Name, differ, fault
from service.schema.places.local_item import LocalItemPatch, LocalItemResponse
from service.schema.publishing.override import OverrideTarget
from service.schema.publishing.schedule import WallTime

MAX_PLANNED_VALUES = 500
"""Items of one planned change, each counted once for each place."""
MAX_PLANNED_OVERRIDES = 5

FIRST_YEAR, LAST_YEAR = 2000, 9000
"""Years of a local time that are instants in every zone."""


def _in_a_plain_year(value: str) -> str:
    if not FIRST_YEAR <= int(value[:4]) <= LAST_YEAR:
        raise fault("out_of_range", f"A time lies in the years from {FIRST_YEAR} to {LAST_YEAR}.")
    return value


PlannedTime = Annotated[WallTime, AfterValidator(_in_a_plain_year)]
_MAY_BE_NULL_EVERYWHERE = ("regular_price", "eighty_sixed_until")


class PlannedValues(LocalItemPatch):
    """Values of an item to change: at a location, in a group or, without either, everywhere. At a place, null is the
    value of the wider place again."""

    item: Identifier
    location: Identifier | None = None
    group: Identifier | None = None

    @property
    def place(self) -> tuple[str, str | None, str | None]:
        """Item, and location or group."""
        return self.item, self.location, self.group

    def values(self) -> dict[str, Any]:
        """Returns the given values, by their Python names."""
        return {name: value for name, value in self.given().items() if name not in ("item", "location", "group")}

    @model_validator(mode="after")
    def _can_be_planned(self) -> "PlannedValues":
        if self.location is not None and self.group is not None:
            raise fault("ambiguous", "A change is at a location, in a group or everywhere.")
        values = self.values()
        if not values:
            raise fault("nothing_changes", "This changes nothing: name a value.")
        if isinstance(values.get("eighty_sixed_until"), str):
            raise fault("not_an_instant", "A planned 86 ends at an instant.")
        if values.get("eighty_sixed_until") is not None and values.get("eighty_sixed") is not True:
            raise fault("not_eighty_sixed", "Only what this change sells out can say until when.")
        if self.location is None and self.group is None:
            if "hidden" in values:
                raise fault("needs_a_place", "An item is hidden at a location or in a group.")
            if any(value is None and name not in _MAY_BE_NULL_EVERYWHERE for name, value in values.items()):
                raise fault("needs_a_place", "There is no wider place whose value null could give back.")
        return self


class PlannedOverride(Input):
    """A scene or a playlist in place of all else, from the time of the planned change to a local time of each
    location."""

    target: OverrideTarget
    scene: Identifier | None = None
    playlist: Identifier | None = None
    until: PlannedTime
    reason: Name

    @model_validator(mode="after")
    def _one_of_them(self) -> "PlannedOverride":
        if (self.scene is None) == (self.playlist is None):
            raise fault("ambiguous", "An override has one of scene and playlist.")
        return self


Changes = Annotated[
    list[PlannedValues],
    MaxLen(MAX_PLANNED_VALUES),
    differ("This item stands in the set already, at the same place.", at="/item", by=attrgetter("place")),
]
Overrides = Annotated[list[PlannedOverride], MaxLen(MAX_PLANNED_OVERRIDES)]


class PlannedChangeCreate(Input):
    """A set of changes that takes effect at a time of day of each location: `at` is local, without an offset."""

    name: Name
    at: PlannedTime
    changes: Changes = []  # noqa: RUF012  (pydantic copies it)
    overrides: Overrides = []  # noqa: RUF012  (pydantic copies it)


class PlannedChangePatch(Patch):
    """Fields of a planned change to change. Lists are replaced as a whole."""

    name: Name = ABSENT
    at: PlannedTime = ABSENT
    changes: Changes = ABSENT
    overrides: Overrides = ABSENT


class PlannedChangeResponse(ResponseModel):
    """A planned change. `beginsAt` and `endsAt` are the first and the last instant at which it takes effect
    at a location. It is `waiting`, from the first on `takingEffect`, and `done` when all of its values are stored."""

    volatile = frozenset({"status"})

    id: str
    name: str
    at: str
    changes: Annotated[list[dict[str, Any]], SchemaOf(list[PlannedValues])]
    overrides: Annotated[list[dict[str, Any]], SchemaOf(list[PlannedOverride])]
    begins_at: InstantText
    ends_at: InstantText
    status: Literal["waiting", "takingEffect", "done"]
    created_by: str
    created_at: InstantText


class PlannedItemResponse(ResponseModel):
    """An item at the location, just before and just after a planned change."""

    before: LocalItemResponse
    after: LocalItemResponse


class PlannedPreviewResponse(ResponseModel):
    """The items at a location that a planned change makes other ones, at the instant at which it takes effect there."""

    location: str
    at: InstantText
    items: list[PlannedItemResponse]
