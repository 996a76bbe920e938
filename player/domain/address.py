"""Validates the service's address: HTTPS, or plain HTTP on this machine or where it is allowed; pure."""

from __future__ import annotations

from urllib.parse import urlsplit

MAX_ADDRESS_LENGTH = 500


class AddressError(ValueError):
    """The address cannot be the service's; the text says why, and what is right."""


def service_address(text: str, *, allow_plain_http: bool = False) -> str:
    """The base URL as written, without a slash at its end. Raises AddressError."""
    text = text.strip()
    if len(text) > MAX_ADDRESS_LENGTH or not text.isprintable() or " " in text:
        raise AddressError(f"{text[:60]!r} is not a web address")
    try:
        parts = urlsplit(text)
        host = parts.hostname or ""
        parts.port  # noqa: B018  (raises ValueError when it is not a port)
    except ValueError as error:
        raise AddressError(f"{text!r} is not a web address: {error}") from None
    if parts.scheme not in ("https", "http") or not host:
        raise AddressError(f"{text!r} is not a web address: write it like https://menus.example.com")
    if parts.username is not None or parts.password is not None:
        raise AddressError(f"the address of {host} must not hold a user or a password")
    if parts.query or parts.fragment:
        raise AddressError(f"{text!r} must end with its path: leave out what follows ? or #")
    if parts.scheme == "http" and not allow_plain_http and not _is_loopback(host):
        raise AddressError(f"{text!r} is not encrypted: use https, or set allow_plain_http if you trust the network")
    return text.rstrip("/")


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    import ipaddress  # Slow to load, and needed for plain HTTP only.

    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
