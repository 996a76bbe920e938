"""Generates identifiers and secrets; imports no other part of the service.

Identifiers are opaque to clients. Secrets carry 256 random bits, so an unsalted SHA-256 of them is safe to store.
"""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Callable

SECRET_BYTES = 32
DEFAULT_WORKSPACE = "default"
"""The name of the workspace that is created on first use."""

NewId = Callable[[str], str]
"""Makes a unique identifier from a short prefix that names its kind."""


def random_id(prefix: str) -> str:
    """Returns `prefix_` and 80 random bits."""
    return f"{prefix}_{secrets.token_hex(10)}"


def new_secret(prefix: str = "") -> str:
    """Returns a new secret in base64url; a prefix lets leak scanners recognise it."""
    return prefix + secrets.token_urlsafe(SECRET_BYTES)


def secret_from(secret: str, *, purpose: str) -> str:
    """Derives another secret in base64url, always the same one for a purpose; it does not reveal the first
    (HMAC-SHA-256)."""
    derived = hmac.digest(secret.encode(), purpose.encode(), "sha256")
    return base64.urlsafe_b64encode(derived).rstrip(b"=").decode()


def masked(secret: str) -> str:
    """Masks the secret differently each time, for pages that are compressed: from the sizes of many pages with a
    repeated secret it could be guessed (BREACH, https://breachattack.com)."""
    plain = secret.encode()
    noise = secrets.token_bytes(len(plain))
    return base64.urlsafe_b64encode(noise + _mixed(plain, noise)).decode()


def unmasked(text: str) -> str:
    """Returns the secret of a masked form; for any other text a string that is no secret."""
    try:
        both = base64.b64decode(text, altchars=b"-_", validate=True)
    except ValueError:
        return ""
    half = len(both) // 2
    return _mixed(both[half:], both[:half]).decode("latin-1")


def _mixed(one: bytes, other: bytes) -> bytes:
    return bytes(left ^ right for left, right in zip(one, other, strict=False))


def digest_of(secret: str) -> str:
    """Returns the digest to store instead of the secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
