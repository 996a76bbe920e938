"""Groups of locations: a region, the shops of a franchisee."""

from typing import Annotated

from annotated_types import Ge, Le, MaxLen

from service.schema.base import ABSENT, Input, Patch, ResponseModel
from service.schema.fields import Identifier, InstantText, Name, Whole

MAX_GROUP_LOCATIONS = 1000
MAX_PRECEDENCE = 1000

GroupLocations = Annotated[list[Identifier], MaxLen(MAX_GROUP_LOCATIONS)]
Precedence = Annotated[Whole, Ge(0), Le(MAX_PRECEDENCE)]


class GroupCreate(Input):
    """A new group."""

    name: Name
    precedence: Precedence = 0
    locations: GroupLocations = []  # noqa: RUF012  (pydantic copies it)


class GroupPatch(Patch):
    """Fields of a group to change. `locations` are replaced as a whole."""

    name: Name = ABSENT
    precedence: Precedence = ABSENT
    locations: GroupLocations = ABSENT


class GroupResponse(ResponseModel):
    """A group of locations. Where a location is in two that set the same value, the one with the higher `precedence`
    counts, or the older one. A key that is narrowed to locations sees only its own among `locations`."""

    id: str
    name: str
    precedence: int
    locations: list[str]
    created_at: InstantText
