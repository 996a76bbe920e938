"""Webhooks: where events are delivered, and how each delivery went."""

from enum import StrEnum
from typing import Annotated, Literal

from annotated_types import MaxLen, MinLen
from pydantic import AfterValidator, WithJsonSchema

from service.core.events import NAMES
from service.schema.base import ABSENT, Input, Patch, ResponseModel
from service.schema.fields import InstantText, Text, fault

MAX_URL_LENGTH = 2000


class DeliveryStatus(StrEnum):
    """How far a delivery is."""

    PENDING = "pending"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


def _event_name(name: str) -> str:
    if name not in NAMES:
        raise fault("unknown_event", f"{name[:100]!r} is none of {', '.join(NAMES)}.")
    return name


def _each_once(names: list[str]) -> list[str]:
    return list(dict.fromkeys(names))


# The rules of the address depend on the installation: `services.webhooks` knows them.
Url = Annotated[
    Text,
    MaxLen(MAX_URL_LENGTH),
    WithJsonSchema({"type": "string", "format": "uri", "maxLength": MAX_URL_LENGTH}),
]
EventName = Annotated[str, AfterValidator(_event_name), WithJsonSchema({"type": "string", "enum": list(NAMES)})]
EventNames = Annotated[list[EventName], MinLen(1), MaxLen(2 * len(NAMES)), AfterValidator(_each_once)]


class WebhookCreate(Input):
    """A new subscription."""

    url: Url
    events: EventNames


class WebhookPatch(Patch):
    """Fields of a subscription to change."""

    url: Url = ABSENT
    events: EventNames = ABSENT
    enabled: bool = ABSENT


class WebhookResponse(ResponseModel):
    """A subscription. `failures` counts the deliveries that have failed in a row."""

    passing = frozenset({"failures"})

    id: str
    url: str
    events: list[str]
    status: Literal["enabled", "disabled"]
    failures: int
    old_secret_until: InstantText | None
    created_at: InstantText


class WebhookSecretResponse(WebhookResponse):
    """A subscription with its secret, which is shown this once."""

    passing = WebhookResponse.passing | {"secret"}

    secret: str


class AttemptResponse(ResponseModel):
    """One call of the endpoint: the status of its answer, or the reason why there was none."""

    made_at: InstantText
    status: int | None
    reason: str | None
    milliseconds: int


class DeliveryResponse(ResponseModel):
    """An event on its way to an endpoint."""

    id: str
    event: str
    type: str
    status: DeliveryStatus
    created_at: InstantText
    next_attempt_at: InstantText | None
    attempts: list[AttemptResponse]
