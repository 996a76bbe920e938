"""Certificates of a private authority, in a file that may be replaced at any time."""

from __future__ import annotations

import logging
import ssl
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from player.plain_file import read_plain

log = logging.getLogger(__name__)

MAX_BYTES = 4 * 1024**2
"""The largest file; the system's list has 0.2 MB."""

_NO_CHECK_TIME = 0x200000
"""X509_V_FLAG_NO_CHECK_TIME of OpenSSL, for which Python has no name."""

Told = Callable[[str | None], object]
"""Is told why the file cannot be used, and None once it can again."""


def system_certificates() -> ssl.SSLContext:
    """Trusts the authorities that the system trusts."""
    context = ssl.create_default_context()
    # Python 3.13 refuses certificates that lack an identifier of their issuer's key, as those of many shops' own
    # authorities do: an upgrade of Debian must not cut a board off.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    return context


Certificate = dict[str, Any]
"""A certificate as `ssl.SSLSocket.getpeercert` returns it."""


def trusted(certificates: ssl.SSLContext) -> ssl.SSLContext:
    """Returns the context that verifies connections from now on."""
    return getattr(certificates, "newest", certificates)


def unverified() -> ssl.SSLContext:
    """Trusts any certificate: only for a look at the one that is shown."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def alone(shown: bytes, *, any_name: bool = False) -> ssl.SSLContext:
    """Trusts only this certificate (DER), whoever has signed it, at any time; Python reads only verified ones."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = not any_name
    context.load_verify_locations(cadata=shown)
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN | _NO_CHECK_TIME
    return context


def whenever(certificates: ssl.SSLContext) -> ssl.SSLContext:
    """Trusts the same authorities, but ignores when their certificates are valid."""
    context = system_certificates()
    own = b"".join(trusted(certificates).get_ca_certs(binary_form=True))
    if own:
        context.load_verify_locations(cadata=own)
    context.verify_flags |= _NO_CHECK_TIME
    return context


class Authorities(ssl.SSLContext):
    """Trusts the certificates in a file beside the system's. Each new connection is verified by the file as it is then;
    if it cannot be used, the previous ones stay. Begins connections, and reports, on any thread."""

    def __new__(cls, *_: object) -> Self:
        """Creates the SSLContext itself."""
        return super().__new__(cls, ssl.PROTOCOL_TLS_CLIENT)

    def __init__(self, file: Path, told: Told) -> None:
        self._file = file
        self._told = told
        self._fault: str | None = None
        self._seen: object = None
        self._lock = threading.Lock()
        self.newest = system_certificates()
        """Verifies the connections that begin from now on."""

    def wrap_bio(self, *ends: Any, **more: Any) -> ssl.SSLObject:
        """Begins a connection; asyncio and httpx call this."""
        with self._lock:
            self._look()
        return self.newest.wrap_bio(*ends, **more)

    def set_alpn_protocols(self, alpn_protocols: Any) -> None:
        """Applies to the connection that follows."""
        self.newest.set_alpn_protocols(alpn_protocols)

    def _look(self) -> None:
        try:
            there = self._file.stat()
            seen = (there.st_ino, there.st_size, there.st_mtime_ns, there.st_ctime_ns)
            if seen == self._seen:
                return
            self._seen = seen
            context = system_certificates()
            context.load_verify_locations(cadata=read_plain(self._file, MAX_BYTES).decode("ascii", "replace"))
        except (ssl.SSLError, ValueError):
            self._tell(f"{self._file}: no whole certificates in PEM form")
            return
        except OSError as error:
            self._tell(f"{self._file}: {error.strerror or error}")
            return
        if self.newest.get_ca_certs() != context.get_ca_certs():
            log.info("the certificates in %s are used from now on", self._file)
        self.newest = context
        self._tell(None)

    def _tell(self, fault: str | None) -> None:
        if fault != self._fault:
            self._fault = fault
            if fault is not None:
                log.error("the certificates are not used: %s", fault)
            self._told(fault)
