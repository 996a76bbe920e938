"""Validates the service's address: HTTPS, or plain HTTP on this machine or where it is allowed; pure."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from menu.text.phrase import phrase

MAX_ADDRESS_LENGTH = 500


class AddressError(ValueError):
    """Raised for an invalid service address; the text states the reason and the correct form."""


DESK = "desk"
"""Where the pages for people begin: their addresses are what somebody finds in a browser."""


def service_address(text: str, *, allow_plain_http: bool = False) -> str:
    """Returns the base URL as written, without a slash at its end; for a page of the desk, that of its service. Raises
    AddressError."""
    text = text.strip()
    if len(text) > MAX_ADDRESS_LENGTH or not text.isprintable() or " " in text:
        raise AddressError(phrase("{given} is not a web address", given=repr(text[:60])))
    try:
        parts = urlsplit(text)
        host = parts.hostname or ""
        parts.port  # noqa: B018  (raises ValueError when it is not a port)
    except ValueError as error:
        raise AddressError(phrase("{given} is not a web address: {why}", given=repr(text), why=str(error))) from None
    if parts.scheme not in ("https", "http") or not host:
        wanted = phrase("{given} is not a web address: write it like https://menus.example.com", given=repr(text))
        raise AddressError(wanted)
    if parts.username is not None or parts.password is not None:
        raise AddressError(phrase("the address of {host} must not hold a user or a password", host=host))
    before, *behind = re.split(rf"/{DESK}(?=/|$)", parts.path, maxsplit=1)
    if behind:
        parts = parts._replace(path=before, query="", fragment="")
        text = parts.geturl()
    if parts.query or parts.fragment:
        wanted = phrase("{given} must end with its path: leave out what follows ? or #", given=repr(text))
        raise AddressError(wanted)
    if parts.scheme == "http" and not allow_plain_http and not _is_loopback(host):
        wanted = phrase(
            "{given} is not encrypted: use https, or set allow_plain_http if you trust the network", given=repr(text)
        )
        raise AddressError(wanted)
    return text.rstrip("/")


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    import ipaddress  # Slow to load, and needed for plain HTTP only.

    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
