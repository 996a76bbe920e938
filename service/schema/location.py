"""Locations: where screens hang, and the zone, currency and language of their boards."""

from typing import Annotated

from pydantic import AfterValidator, WithJsonSchema

from service.schema.base import ABSENT, Input, Patch, ResponseModel
from service.schema.fields import Currency, InstantText, LocaleName, Name, Timezone, Whole, fault

ROTATIONS = (0, 90, 180, 270)
"""Degrees by which the boards of a location are rotated clockwise, for panels that hang on their side."""


def _quarter_turn(degrees: int) -> int:
    if degrees not in ROTATIONS:
        raise fault("out_of_range", "A rotation is 0, 90, 180 or 270 degrees.")
    return degrees


Rotation = Annotated[Whole, AfterValidator(_quarter_turn), WithJsonSchema({"enum": list(ROTATIONS)})]


class LocationCreate(Input):
    """A new location."""

    name: Name
    timezone: Timezone
    currency: Currency
    locale: LocaleName
    rotation: Rotation = 0


class LocationPatch(Patch):
    """Fields of a location to change."""

    name: Name = ABSENT
    timezone: Timezone = ABSENT
    currency: Currency = ABSENT
    locale: LocaleName = ABSENT
    rotation: Rotation = ABSENT


class LocationResponse(ResponseModel):
    """A location."""

    id: str
    name: str
    timezone: str
    currency: str
    locale: str
    rotation: int
    created_at: InstantText
