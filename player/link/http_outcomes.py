"""Determines the outcome of a call, and its fault, from its HTTP answer or from the error that ended it."""

from __future__ import annotations

import hashlib
import json
import logging
import re
import ssl
import zlib
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any

import httpx
from msgspec.structs import replace

from menu.text.phrase import Phrase, phrase
from player.domain.link.fault import Fault
from player.domain.playing.sync import answered_in_between
from player.link.outcomes import Denied, Failed, Fresh, Refused, Unchanged

CONNECT_SECONDS = 4.0
"""The longest for a connection. A lost first packet is repeated after 1 and 3 s: a longer wait finds nothing that the
next attempt does not find sooner. A satellite takes 2 s with TLS."""
MAX_ANSWER_BYTES = 64 * 1024
"""The largest answer but manifests and assets, decompressed."""
MAX_RETRY_AFTER_SECONDS = 300.0
MAX_WORDS = 200
"""Characters of the service's own error text that are passed on."""

PROBLEM_TYPE = "urn:menu-display:problem:"
"""Problems of the service have this and their code as their type."""
NO_SUCH_PATH = "no_such_path"
"""The code of the service's problem where there is nothing at a path."""
MARK = "menu-display"
"""The header that the service puts into each of its answers. Services before 0.3.0 do not."""

_NOT_TLS = frozenset(
    {"WRONG_VERSION_NUMBER", "HTTP_REQUEST", "HTTPS_PROXY_REQUEST", "PACKET_LENGTH_TOO_LONG", "RECORD_LAYER_FAILURE"}
)
"""OpenSSL's reasons where what answers speaks something else."""

_SIGN_INS = ("Basic", "NTLM", "Negotiate", "Kerberos", "Digest", "Bearer")
"""Kinds of sign-in at a proxy; the player can do the first."""

log = logging.getLogger(__name__)


class BrokenError(Exception):
    """A call has failed; `failed` is its outcome."""

    def __init__(self, failed: Failed) -> None:
        super().__init__(failed.detail)
        self.failed = failed


def broken(fault: Fault, detail: str, *, cut: bool = False) -> BrokenError:
    return BrokenError(Failed(fault=fault, detail=detail, cut=cut))


def failed_by(error: Exception) -> Failed:
    """Returns the outcome of a call that an error of httpx has ended."""
    words = str(error).strip() or type(error).__name__
    # A handshake that waits for the other side raises an error of its own each time: none of them is why it took long.
    for cause in () if isinstance(error, httpx.TimeoutException) else causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            detail = phrase("its certificate is not accepted")
            return Failed(fault=certificate_fault(cause), detail=detail)
        if is_tls_fault(cause):
            fault, detail = tls_fault(cause)
            return Failed(fault=fault, detail=detail)
    match error:
        case httpx.ConnectTimeout() | httpx.PoolTimeout():
            return Failed(fault=Fault.SLOW, detail=f"no connection within {CONNECT_SECONDS:.0f} s")
        case httpx.TimeoutException():
            return Failed(fault=Fault.SLOW, detail="it fell silent before its answer was whole", cut=True)
        case httpx.ProxyError():
            return _by_proxy(words)
        case httpx.ConnectError() | httpx.InvalidURL() | httpx.UnsupportedProtocol():
            return Failed(fault=Fault.NO_CONNECTION, detail=f"no connection: {words}")
        case httpx.DecodingError():
            return Failed(fault=Fault.NOT_UNDERSTOOD, detail=f"its answer cannot be decoded: {words}")
        case _:
            return Failed(fault=Fault.NO_CONNECTION, detail=f"the connection broke: {words}", cut=True)


def _by_proxy(words: str) -> Failed:
    """Interprets a proxy's answer to CONNECT: its status and its words."""
    fault = proxy_fault(int(words[:3]) if words[:3].isdecimal() else 0)
    return Failed(fault=fault, detail=f"the proxy does not let it through: {words}")


async def fresh(response: httpx.Response, limit: int) -> Fresh | Failed:
    """Interprets a 200. Raises BrokenError for a body that cannot be read or is larger than the limit."""
    kind = _media_type(response)
    if kind != "application/json" and not kind.endswith("+json"):
        return portal(response, f"it answers with {kind or 'something of no type'} instead of JSON")
    body = await _read(response, limit)
    if body.lstrip()[:1] == b"<":
        return portal(response, "it answers with a web page that calls itself JSON")
    etag = response.headers.get("etag", "").removeprefix("W/").strip('"')
    return Fresh(body=body, etag=etag, marked=MARK in response.headers)


async def _read(response: httpx.Response, limit: int) -> bytes:
    """Returns the decompressed body. At most `limit` and one chunk are ever in memory."""
    coding = response.headers.get("content-encoding", "identity").strip().lower()
    if coding not in ("identity", "gzip", ""):
        raise broken(Fault.NOT_UNDERSTOOD, f"its answer is coded as {coding[:20]}, which was not asked for")
    gunzip = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS) if coding == "gzip" else None
    body = bytearray()
    async for chunk in response.aiter_raw():
        if gunzip is None:
            body += chunk
        elif gunzip.eof:
            break
        else:
            try:
                body += gunzip.decompress(chunk, limit + 1 - len(body))
            except zlib.error as error:
                raise broken(Fault.NOT_UNDERSTOOD, f"its answer cannot be decompressed: {error}") from error
        if len(body) > limit:
            raise broken(Fault.NOT_UNDERSTOOD, f"its answer is larger than {limit} bytes")
    if gunzip is not None and not gunzip.eof:
        raise broken(Fault.NOT_UNDERSTOOD, "its compressed answer ends too soon")
    return bytes(body)


async def refusal(response: httpx.Response) -> Refused | Failed:
    """Interprets a 401. Only a problem of the service counts: proxies and log-in pages answer 401 as well."""
    document = await _json_object(response) if _media_type(response) == "application/problem+json" else {}
    code, kind = document.get("code"), document.get("type")
    if not isinstance(code, str) or kind != PROBLEM_TYPE + code:
        return _by_something_else(response)
    token = response.request.headers.get("authorization", "").removeprefix("Bearer ")
    named = document.get("tokenDigest") == hashlib.sha256(token.encode()).hexdigest()
    return Refused(revoked=code == "token_revoked" and named)


async def failure(response: httpx.Response) -> Failed:
    """Interprets an answer that is neither success nor 401."""
    status, retry_after = response.status_code, _retry_after(response)
    if response.is_redirect or status == httpx.codes.NETWORK_AUTHENTICATION_REQUIRED:
        return _redirected(response)
    document = await _json_object(response)
    cut = status in (httpx.codes.REQUEST_TIMEOUT, httpx.codes.BAD_GATEWAY, httpx.codes.GATEWAY_TIMEOUT)
    if not is_of_service(response, document):
        return replace(_by_something_else(response), retry_after=retry_after, cut=cut)
    return Failed(
        fault=own_fault(status, is_nothing_there=document.get("code") == NO_SUCH_PATH) or Fault.SERVICE_DECLINES,
        detail=f"it answers {status}{_words(document)}",
        retry_after=retry_after,
        cut=cut,
        status=status,
    )


def is_of_service(response: httpx.Response, document: Mapping[str, Any]) -> bool:
    """True if the service itself gave this answer: it has its mark, or an error as written by services without one."""
    kind = document.get("type")
    oauth = isinstance(document.get("error"), str) and "error_description" in document
    return MARK in response.headers or oauth or (isinstance(kind, str) and kind.startswith(PROBLEM_TYPE))


def _by_something_else(response: httpx.Response) -> Failed:
    """Returns the failure of an answer that is not from the service."""
    status = response.status_code
    if status == httpx.codes.PROXY_AUTHENTICATION_REQUIRED:
        fault = proxy_fault(status, response.headers.get("proxy-authenticate", ""))
        detail = phrase("the proxy answers {status}: it asks for a user and a password", status=status)
    elif response.is_server_error:
        fault = Fault.GATEWAY
        detail = phrase("what stands before the service answers {status}: the service is down", status=status)
    else:
        fault, detail = Fault.NOT_THE_SERVICE, answered_in_between(status)
    return Failed(fault=fault, detail=detail)


def _redirected(response: httpx.Response) -> Failed:
    target = response.request.url.join(response.headers.get("location", ""))
    if target.host == response.request.url.host and response.is_redirect:
        detail = f"it redirects to {target.scheme}://{target.netloc.decode('ascii', 'replace')}: use its final address"
        return Failed(fault=Fault.MOVED, detail=detail)
    detail = f"it redirects to {target.host[:MAX_WORDS]}"
    failed = portal(response, detail)
    return replace(failed, fault=Fault.MOVED) if failed.fault is Fault.NOT_THE_SERVICE else failed


def portal(response: httpx.Response, detail: str) -> Failed:
    """Returns the failure for a page for people: the log-in page of a guest network, or another site if it has a
    certificate."""
    is_certified = response.request.url.scheme == "https"
    is_another_site = is_certified and response.status_code != httpx.codes.NETWORK_AUTHENTICATION_REQUIRED
    return Failed(fault=Fault.NOT_THE_SERVICE if is_another_site else Fault.PORTAL, detail=detail)


def _words(document: Mapping[str, Any]) -> str:
    """Returns the text of a problem document (RFC 9457), after a colon; empty if there is none."""
    said = [document[name] for name in ("title", "detail") if isinstance(document.get(name), str) and document[name]]
    text = " ".join(each if each[-1] in ".!?" else f"{each}." for each in said).removesuffix(".")
    printable = "".join(letter if letter.isprintable() else " " for letter in text or str(document.get("code", "")))
    return f": {printable[:MAX_WORDS]}" if printable else ""


async def _json_object(response: httpx.Response) -> dict[str, Any]:
    """Returns the JSON object of the body; empty if it is none."""
    try:
        document = json.loads(await _read(response, MAX_ANSWER_BYTES))
    except (BrokenError, httpx.HTTPError, ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def _media_type(response: httpx.Response) -> str:
    value: str = response.headers.get("content-type", "")
    return value.partition(";")[0].strip().lower()


async def denied(response: httpx.Response) -> Denied | Failed:
    """Interprets a 400."""
    document = await _json_object(response)
    if isinstance(error := document.get("error"), str):
        held = "wait" in response.headers.get("preference-applied", "").lower()
        return Denied(error=error[:MAX_WORDS], held=held)
    if not is_of_service(response, document):
        return _by_something_else(response)
    return Failed(fault=Fault.SERVICE_DECLINES, detail=f"it answers 400{_words(document)}")


def plain_400(denied: Denied) -> Failed:
    """Returns the failure of a call that is not one of pairing."""
    return Failed(fault=Fault.SERVICE_DECLINES, detail=f"it answers 400: {denied.error}")


def without(outcome: Fresh | Unchanged | Refused | Denied | Failed) -> Fresh | Failed:
    """Turns the outcomes that a call cannot have into failures."""
    match outcome:
        case Fresh() | Failed():
            return outcome
        case Denied():
            return plain_400(outcome)
        case Unchanged():
            detail = "it answers 304 to a call that nothing can be unchanged for"
            return Failed(fault=Fault.NOT_UNDERSTOOD, detail=detail)
        case Refused():
            return Failed(fault=Fault.SERVICE_DECLINES, detail="it answers 401 to a call that needs no token")


def _retry_after(response: httpx.Response) -> float | None:
    """Returns the seconds that the service wrote; ignores a date, which an intermediary may write."""
    value = response.headers.get("retry-after", "").strip()
    return min(float(value[:9]), MAX_RETRY_AFTER_SECONDS) if value.isdecimal() and value.isascii() else None


def start_of(response: httpx.Response) -> int | None:
    """Returns the offset of the body within the asset."""
    if response.status_code == httpx.codes.OK:
        return 0
    unit, _, rest = response.headers.get("content-range", "").partition(" ")
    start = rest.partition("-")[0]
    return int(start) if unit == "bytes" and start.isdecimal() and start.isascii() and len(start) < 16 else None


def own_fault(status: int, *, is_nothing_there: bool) -> Fault | None:
    """Returns the service's own fault in an answer; `is_nothing_there` if it has the code of NO_SUCH_PATH."""
    if status == HTTPStatus.NOT_FOUND and is_nothing_there:
        return Fault.WRONG_PATH
    return Fault.SERVICE_FAILS if status >= HTTPStatus.INTERNAL_SERVER_ERROR else None


def certificate_fault(error: ssl.SSLCertVerificationError) -> Fault:
    """Returns the fault of a certificate, by the number that OpenSSL gives it."""
    match error.verify_code:
        case 9:
            return Fault.CERTIFICATE_NOT_YET_VALID
        case 10:
            return Fault.CERTIFICATE_EXPIRED
        case 18:
            return Fault.CERTIFICATE_SELF_SIGNED
        case 62 | 63 | 64:
            return Fault.CERTIFICATE_WRONG_NAME
        case _:
            return Fault.CERTIFICATE_UNKNOWN_CA


def tls_fault(error: BaseException) -> tuple[Fault, Phrase]:
    """Explains why a handshake failed, in words for the phone; the log has OpenSSL's own."""
    reason = str(getattr(error, "reason", None) or error)
    log.info("a TLS handshake failed: %s", reason)
    if reason in _NOT_TLS:
        return Fault.NO_TLS, phrase("it does not answer with encryption")
    if any(word in reason for word in ("ALERT", "PROTOCOL", "CIPHER")):
        return Fault.TLS_FAILS, phrase("it refuses the kind of encryption that this device offers")
    return Fault.TLS_FAILS, phrase("it was cut in the handshake")


def is_tls_fault(error: BaseException) -> bool:
    """True if the other side, or its certificate, is at fault: not where a handshake only waited, or was cut."""
    waited_or_cut = (ssl.SSLWantReadError, ssl.SSLWantWriteError, ssl.SSLEOFError, ssl.SSLZeroReturnError)
    return isinstance(error, ssl.SSLError) and not isinstance(error, waited_or_cut)


def sign_ins(asked: str) -> list[str]:
    """Returns the named kinds of sign-in that a proxy asks for in its `Proxy-Authenticate`."""
    asked = re.sub(r'"[^"]*"', "", asked)
    return [kind for kind in _SIGN_INS if re.search(rf"(^|,)\s*{kind}\b(?!\s*=)", asked, re.IGNORECASE)]


def proxy_fault(status: int, asked: str = "") -> Fault:
    """Returns the fault that a proxy reports by this status, and by the sign-in that it asks for."""
    match status:
        case HTTPStatus.PROXY_AUTHENTICATION_REQUIRED:
            kinds = sign_ins(asked)
            other = kinds and "Basic" not in kinds
            return Fault.PROXY_OTHER_SIGN_IN if other else Fault.PROXY_SIGN_IN
        case HTTPStatus.UNAUTHORIZED | HTTPStatus.FORBIDDEN | HTTPStatus.UNAVAILABLE_FOR_LEGAL_REASONS:
            return Fault.PROXY_FORBIDS
        case _:
            return Fault.PROXY_FAILS


def causes(error: BaseException) -> Iterator[BaseException]:
    """Yields an error, what it was raised from, and so on."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__
