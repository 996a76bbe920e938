"""Locations of screens, and the zone, currency and language of their boards."""

from decimal import Decimal
from typing import Annotated, Any

from annotated_types import MaxLen, MinLen
from pydantic import AfterValidator, BeforeValidator, WithJsonSchema

from menu.documents.manifest import MAX_OPENING_HOURS, MAX_RATE, MAX_SPANS, ROTATIONS
from menu.documents.scene import MAX_PANELS, MIN_PANELS
from service.schema.base import ABSENT, Input, Patch, ResponseModel, SchemaOf
from service.schema.fields import (
    Currency,
    Identifier,
    InstantText,
    LocaleName,
    Name,
    Timezone,
    Whole,
    decimal_number,
    fault,
)
from service.schema.publishing.schedule import Days, End, Exceptions, Start


def _quarter_turn(degrees: int) -> int:
    if degrees not in ROTATIONS:
        raise fault("out_of_range", "A rotation is 0, 90, 180 or 270 degrees.")
    return degrees


Rotation = Annotated[Whole, AfterValidator(_quarter_turn), WithJsonSchema({"enum": list(ROTATIONS)})]


class OpeningHours(Input):
    """A part of the day in which the location is open, every day or on the days on which it starts. It may end on the
    next day. On the local dates of `except` it does not start."""

    days: Days | None = None
    except_: Exceptions | None = None
    start: Start
    end: End


def hours_document(hours: OpeningHours) -> dict[str, Any]:
    """Returns the hours as they are stored and sent to players: dates are omitted where there are none."""
    document = hours.model_dump(by_alias=True)
    return {name: value for name, value in document.items() if (name, value) != ("except", None)}


MAX_RATE_DECIMALS = 10


def _rate(value: Decimal) -> Decimal:
    if not 0 < value <= MAX_RATE:
        raise fault("out_of_range", f"A rate is above 0, and at most {MAX_RATE}.")
    if value != round(value, MAX_RATE_DECIMALS):
        raise fault("too_precise", f"A rate has at most {MAX_RATE_DECIMALS} decimal places.")
    return value


Rate = Annotated[
    Decimal,
    BeforeValidator(decimal_number),
    AfterValidator(_rate),
    WithJsonSchema({"type": "number", "exclusiveMinimum": 0, "maximum": MAX_RATE}),
]


class SecondCurrency(Input):
    """A currency in which boards tell prices as well; `rate` is what one unit of the first is worth in it."""

    currency: Currency
    rate: Rate


class SecondCurrencyResponse(ResponseModel):
    """A currency in which boards tell prices as well; `rate` is what one unit of the first is worth in it."""

    currency: str
    rate: Rate


class SpanScreens(Input):
    """Screens of the location that draw one board together, from the left to the right."""

    screens: Annotated[list[Identifier], MinLen(MIN_PANELS), MaxLen(MAX_PANELS)]


Spans = Annotated[list[SpanScreens], MaxLen(MAX_SPANS)]
Hours = Annotated[list[OpeningHours], MaxLen(MAX_OPENING_HOURS)]


class LocationCreate(Input):
    """A new location."""

    name: Name
    timezone: Timezone
    currency: Currency
    locale: LocaleName
    second_currency: SecondCurrency | None = None
    rotation: Rotation = 0
    opening_hours: Hours = []  # noqa: RUF012  (pydantic copies it)


class LocationPatch(Patch):
    """Fields of a location to change."""

    name: Name = ABSENT
    timezone: Timezone = ABSENT
    currency: Currency = ABSENT
    locale: LocaleName = ABSENT
    second_currency: SecondCurrency | None = None
    rotation: Rotation = ABSENT
    opening_hours: Hours = ABSENT
    spans: Spans = ABSENT


class LocationResponse(ResponseModel):
    """A location. Without `openingHours` its screens are always on; those of each of its `spans` draw one board."""

    id: str
    name: str
    timezone: str
    currency: str
    locale: str
    second_currency: SecondCurrencyResponse | None
    rotation: int
    opening_hours: Annotated[list[dict[str, Any]], SchemaOf(list[OpeningHours])]
    spans: Annotated[list[dict[str, Any]], SchemaOf(list[SpanScreens])]
    created_at: InstantText
