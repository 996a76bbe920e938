"""What a workspace has subscribed to."""

from typing import Literal

from service.schema.base import ABSENT, Input, Patch, ResponseModel
from service.schema.fields import Identifier, InstantText, Label

SubscriptionStatus = Literal["trialing", "active", "past_due", "paused", "canceled"]


class SubscriptionPatch(Patch):
    """What to change."""

    plan: Label = ABSENT
    status: SubscriptionStatus = ABSENT


class BillingNotice(Input):
    """What a billing provider says of a workspace."""

    workspace: Identifier
    plan: Label
    status: SubscriptionStatus


class SubscriptionResponse(ResponseModel):
    """The subscription of a workspace; `changedAt` is null until it first changes."""

    plan: str
    status: SubscriptionStatus
    changed_at: InstantText | None
