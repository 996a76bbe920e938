"""Signing deliveries, so that a receiver knows who sent them and when (specification, webhook delivery signature)."""

import hashlib
import hmac
from collections.abc import Iterable
from datetime import datetime

from service.clock import instant_text

EVENT_HEADER = "X-Webhook-Event"
TIMESTAMP_HEADER = "X-Webhook-Timestamp"
SIGNATURE_HEADER = "X-Service-Signature"


def signed_headers(event: str, body: bytes, *, secrets: Iterable[str], at: datetime) -> dict[str, str]:
    """The three headers of a delivery; one signature for each secret that is good at the time."""
    seconds = int(at.timestamp())
    signatures = "".join(f",v1={_signature(secret, seconds, body)}" for secret in secrets)
    return {
        EVENT_HEADER: event,
        TIMESTAMP_HEADER: instant_text(at),
        SIGNATURE_HEADER: f"t={seconds}{signatures}",
    }


def _signature(secret: str, seconds: int, body: bytes) -> str:
    return hmac.new(secret.encode(), b"%d.%b" % (seconds, body), hashlib.sha256).hexdigest()
