"""Signs deliveries, and checks signatures (specification, webhook delivery signature)."""

import hashlib
import hmac
from collections.abc import Iterable
from datetime import datetime, timedelta

from service.core.clock import instant_text

EVENT_HEADER = "X-Webhook-Event"
TIMESTAMP_HEADER = "X-Webhook-Timestamp"
SIGNATURE_HEADER = "X-Service-Signature"
MAX_SIGNATURES = 4
"""Signatures in one header; two while a secret is rotated."""
MAX_TIME_DIGITS = 12


def signed_headers(event: str, body: bytes, *, secrets: Iterable[str], at: datetime) -> dict[str, str]:
    """Returns the three headers of a delivery, with one signature for each valid secret."""
    seconds = int(at.timestamp())
    signatures = "".join(f",v1={_signature(secret, seconds, body)}" for secret in secrets)
    return {
        EVENT_HEADER: event,
        TIMESTAMP_HEADER: instant_text(at),
        SIGNATURE_HEADER: f"t={seconds}{signatures}",
    }


def is_signed(header: str, body: bytes, *, secret: str, now: datetime, tolerance: timedelta) -> bool:
    """Returns whether the header has a signature of the body by this secret, made within `tolerance` of now."""
    parts = [part.partition("=") for part in header.split(",")]
    times = [value for name, _, value in parts if name.strip() == "t"]
    given = [value.strip() for name, _, value in parts if name.strip() == "v1"]
    if len(times) != 1 or not times[0].isascii() or not times[0].isdigit() or len(times[0]) > MAX_TIME_DIGITS:
        return False
    seconds = int(times[0])
    if abs(now.timestamp() - seconds) > tolerance.total_seconds():
        return False
    wanted = _signature(secret, seconds, body).encode()
    return any(hmac.compare_digest(one.encode(), wanted) for one in given[:MAX_SIGNATURES])


def _signature(secret: str, seconds: int, body: bytes) -> str:
    return hmac.new(secret.encode(), b"%d.%b" % (seconds, body), hashlib.sha256).hexdigest()
