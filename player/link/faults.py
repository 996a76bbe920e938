"""The meaning of errors of a connection, and of a proxy's answers, as faults."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from http import HTTPStatus

from player.domain.connection import ConnectionFault

NO_SUCH_PATH = "no_such_path"
"""The code of the service's problem where there is nothing at a path."""


def own_fault(status: int, *, is_nothing_there: bool) -> ConnectionFault | None:
    """The service's own fault in an answer; `is_nothing_there` if it has the code of NO_SUCH_PATH."""
    if status == HTTPStatus.NOT_FOUND and is_nothing_there:
        return ConnectionFault.WRONG_PATH
    return ConnectionFault.SERVICE_FAILS if status >= HTTPStatus.INTERNAL_SERVER_ERROR else None


def certificate_fault(error: ssl.SSLCertVerificationError) -> ConnectionFault:
    """The fault of a certificate, by the number that OpenSSL gives it."""
    match error.verify_code:
        case 9:
            return ConnectionFault.CERTIFICATE_NOT_YET_VALID
        case 10:
            return ConnectionFault.CERTIFICATE_EXPIRED
        case 62 | 63 | 64:
            return ConnectionFault.CERTIFICATE_WRONG_NAME
        case _:
            return ConnectionFault.CERTIFICATE_UNKNOWN_CA


def is_tls_fault(error: BaseException) -> bool:
    """Whether the other side, or its certificate, is at fault: not where a handshake only waited, or was cut."""
    waited_or_cut = (ssl.SSLWantReadError, ssl.SSLWantWriteError, ssl.SSLEOFError, ssl.SSLZeroReturnError)
    return isinstance(error, ssl.SSLError) and not isinstance(error, waited_or_cut)


def proxy_fault(status: int) -> ConnectionFault:
    """The fault that a proxy tells by this status."""
    match status:
        case HTTPStatus.PROXY_AUTHENTICATION_REQUIRED:
            return ConnectionFault.PROXY_SIGN_IN
        case HTTPStatus.UNAUTHORIZED | HTTPStatus.FORBIDDEN | HTTPStatus.UNAVAILABLE_FOR_LEGAL_REASONS:
            return ConnectionFault.PROXY_FORBIDS
        case _:
            return ConnectionFault.PROXY_FAILS


def causes(error: BaseException) -> Iterator[BaseException]:
    """An error, what it was raised from, and so on."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__
