"""Locations: where screens hang, and the zone, currency and language of their boards."""

from service.schema.base import ABSENT, Input, Patch, View
from service.schema.fields import Currency, InstantText, LocaleName, Name, Timezone


class LocationCreate(Input):
    """A new location."""

    name: Name
    timezone: Timezone
    currency: Currency
    locale: LocaleName


class LocationPatch(Patch):
    """Fields of a location to change."""

    name: Name = ABSENT
    timezone: Timezone = ABSENT
    currency: Currency = ABSENT
    locale: LocaleName = ABSENT


class LocationView(View):
    """A location."""

    id: str
    name: str
    timezone: str
    currency: str
    locale: str
    created_at: InstantText
