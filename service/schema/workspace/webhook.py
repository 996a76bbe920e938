"""Webhooks: subscriptions to events, and their deliveries."""

from enum import StrEnum
from typing import Annotated, Literal

from annotated_types import MaxLen, MinLen
from pydantic import AfterValidator, WithJsonSchema

from service.core.events import NAMES
from service.schema.base import ABSENT, Input, Patch, ResponseModel
from service.schema.fields import InstantText, Text, each_once, fault

MAX_URL_LENGTH = 2000


class DeliveryStatus(StrEnum):
    """The status of a delivery."""

    PENDING = "pending"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


def _event_name(name: str) -> str:
    if name not in NAMES:
        raise fault("unknown_event", f"{name[:100]!r} is none of {', '.join(NAMES)}.")
    return name


# Which addresses are allowed depends on the installation: `services.webhooks` checks that.
Url = Annotated[
    Text,
    MaxLen(MAX_URL_LENGTH),
    WithJsonSchema({"type": "string", "format": "uri", "maxLength": MAX_URL_LENGTH}),
]
EventName = Annotated[str, AfterValidator(_event_name), WithJsonSchema({"type": "string", "enum": list(NAMES)})]
EventNames = Annotated[list[EventName], MinLen(1), MaxLen(2 * len(NAMES)), AfterValidator(each_once)]


class WebhookCreate(Input):
    """A new subscription."""

    url: Url
    events: EventNames


WebhookStatus = Literal["enabled", "disabled"]


class WebhookPatch(Patch):
    """Fields of a subscription to change. `enabled` and `status` say the same: one of them is enough."""

    url: Url = ABSENT
    events: EventNames = ABSENT
    enabled: bool = ABSENT
    status: WebhookStatus = ABSENT


class WebhookResponse(ResponseModel):
    """A subscription. `failures` counts the failed deliveries in a row."""

    volatile = frozenset({"failures"})

    id: str
    url: str
    events: list[str]
    status: WebhookStatus
    enabled: bool
    failures: int
    old_secret_until: InstantText | None
    created_at: InstantText


class WebhookSecretResponse(WebhookResponse):
    """A subscription with its secret, which is shown only in this answer."""

    volatile = WebhookResponse.volatile | {"secret"}

    secret: str


class AttemptResponse(ResponseModel):
    """One request to the endpoint: the status of its response, or the reason why there is none."""

    made_at: InstantText
    status: int | None
    reason: str | None
    milliseconds: int


class DeliveryResponse(ResponseModel):
    """The delivery of an event to an endpoint."""

    id: str
    event: str
    type: str
    status: DeliveryStatus
    created_at: InstantText
    next_attempt_at: InstantText | None
    attempts: list[AttemptResponse]
