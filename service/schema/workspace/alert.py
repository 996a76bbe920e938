"""Alerts: an e-mail address, and the faults that are reported to it."""

from enum import StrEnum
from typing import Annotated

from annotated_types import Ge, Le, MaxLen, MinLen
from pydantic import AfterValidator, Strict

from service.schema.base import ABSENT, Input, Patch, ResponseModel
from service.schema.fields import InstantText, Timezone, Whole, each_once
from service.schema.publishing.schedule import End, Start
from service.schema.workspace.team import Email

DEFAULT_OFFLINE_MINUTES = 10
LEAST_OFFLINE_MINUTES, MOST_OFFLINE_MINUTES = 2, 24 * 60
"""A screen is offline after two minutes (specification, states)."""
MAX_ALERT_LOCATIONS = 500


class AlertKind(StrEnum):
    """The kinds of trouble that an alert can tell of."""

    SCREEN_OFFLINE = "screen_offline"
    BOARD_FAULT = "board_fault"
    SYNC_FAILED = "sync_failed"
    APPROVAL_REQUESTED = "approval_requested"
    WEBHOOK_DISABLED = "webhook_disabled"


# By its word: a strict model takes no text for a member of an enumeration.
Kinds = Annotated[
    list[Annotated[AlertKind, Strict(strict=False)]], MinLen(1), MaxLen(2 * len(AlertKind)), AfterValidator(each_once)
]
OfflineMinutes = Annotated[Whole, Ge(LEAST_OFFLINE_MINUTES), Le(MOST_OFFLINE_MINUTES)]
AlertLocations = Annotated[list[str], MinLen(1), MaxLen(MAX_ALERT_LOCATIONS), AfterValidator(each_once)]


class QuietHours(Input):
    """A part of each day in which no mail is sent. It may end on the next day."""

    start: Start
    end: End
    timezone: Timezone


class AlertCreate(Input):
    """A new alert. Of screens it tells those at `locations`, or all; offline ones after `offlineMinutes` within the
    opening hours of their location."""

    email: Email
    kinds: Kinds
    offline_minutes: OfflineMinutes = DEFAULT_OFFLINE_MINUTES
    quiet: QuietHours | None = None
    locations: AlertLocations | None = None


class AlertPatch(Patch):
    """Fields of an alert to change."""

    email: Email = ABSENT
    kinds: Kinds = ABSENT
    offline_minutes: OfflineMinutes = ABSENT
    quiet: QuietHours | None = None
    locations: AlertLocations | None = None


class QuietHoursResponse(ResponseModel):
    """A part of each day in which no mail is sent."""

    start: str
    end: str
    timezone: str


class AlertResponse(ResponseModel):
    """An alert. `mailedAt` is when its last mail was accepted, `failure` why the last attempt has failed."""

    volatile = frozenset({"mailedAt", "failure"})

    id: str
    email: str
    kinds: list[AlertKind]
    offline_minutes: int
    quiet: QuietHoursResponse | None
    locations: list[str] | None
    mailed_at: InstantText | None
    failure: str | None
    created_at: InstantText
