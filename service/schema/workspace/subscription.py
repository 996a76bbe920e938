"""Subscription of a workspace."""

from typing import Literal

from service.schema.base import ABSENT, Input, Patch, ResponseModel
from service.schema.fields import Identifier, InstantText, Label

SubscriptionStatus = Literal["trialing", "active", "past_due", "paused", "canceled"]


class SubscriptionPatch(Patch):
    """Fields of a subscription to change."""

    plan: Label = ABSENT
    status: SubscriptionStatus = ABSENT


class BillingNotice(Input):
    """The subscription of a workspace as its billing provider reports it."""

    workspace: Identifier
    plan: Label
    status: SubscriptionStatus


class SubscriptionResponse(ResponseModel):
    """The subscription of a workspace; `changedAt` is null until it first changes."""

    plan: str
    status: SubscriptionStatus
    changed_at: InstantText | None
