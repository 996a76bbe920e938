"""One exchange in a test of the connection to the service: HTTP by hand, because its faults are what is tested for."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import io
import ssl
from urllib.parse import SplitResult, urljoin, urlsplit

from msgspec import Struct

from menu.text.phrase import Phrase, phrase
from player.domain.link.fault import Fault
from player.link.http_outcomes import (
    MARK,
    NO_SUCH_PATH,
    PROBLEM_TYPE,
    certificate_fault,
    is_tls_fault,
    own_fault,
    proxy_fault,
    sign_ins,
    tls_fault,
)

MAX_BODY_BYTES = 16 * 1024
"""Bytes of an answer's body that are read."""
MAX_EVIDENCE = 300
"""Characters of what was seen."""


Line = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class StepFailed(Exception):  # noqa: N818 -- it ends a step, and is no error of the program
    """A step ended with this fault, and this evidence."""

    def __init__(self, fault: Fault, evidence: object = "") -> None:
        super().__init__(fault)
        self.fault = fault
        self.evidence = evidence if isinstance(evidence, str) else str(evidence)


class Answer(Struct, frozen=True, kw_only=True):
    """Head of an answer, and the beginning of its body."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def is_marked(self) -> bool:
        """True if the service gave it."""
        return MARK in self.headers or PROBLEM_TYPE.encode() in self.body

    @property
    def own_fault(self) -> Fault | None:
        """Fault that the service reports of itself."""
        return own_fault(self.status, is_nothing_there=NO_SUCH_PATH.encode() in self.body)

    @property
    def is_page(self) -> bool:
        """True if it is for a browser, which no answer of the service is."""
        return "html" in self.headers.get("content-type", "") or self.body.lstrip()[:1] == b"<"

    @property
    def proxy_failure(self) -> StepFailed:
        """Failure that a proxy reports by it."""
        asked = ", ".join(self.headers.get_all("proxy-authenticate", []))
        fault = proxy_fault(self.status, asked)
        if fault is Fault.PROXY_OTHER_SIGN_IN:
            return StepFailed(fault, phrase("it asks for {kinds}", kinds=", ".join(sign_ins(asked))))
        return StepFailed(fault, self)

    def target(self, asked: str) -> SplitResult | None:
        """Returns the redirect's target; None if it does not redirect."""
        location = self.headers.get("location")
        if not 300 <= self.status < 400 or not location:
            return None
        try:
            return urlsplit(urljoin(asked, location))
        except ValueError:
            return None

    @property
    def words(self) -> Phrase:
        """Description for a technician."""
        lower = self.body.lower()
        begin, end = lower.find(b"<title>"), lower.find(b"</title>")
        title = self.body[begin + 7 : end].decode("utf-8", "replace").strip() if 0 <= begin < end else ""
        return (
            phrase("it answers {status} with the page “{title}”", status=self.status, title=clean(title))
            if title
            else phrase("it answers {status}", status=self.status)
        )

    def __str__(self) -> str:
        return self.words


async def encrypt(line: Line, certificates: ssl.SSLContext, host: str) -> None:
    """Starts TLS on the connection, for this host. Raises StepFailed."""
    try:
        # Longer than a whole test, which ends the step in its own time.
        await line[1].start_tls(certificates, server_hostname=host, ssl_handshake_timeout=30.0)
    except ssl.SSLCertVerificationError as error:
        raise StepFailed(certificate_fault(error), phrase("its certificate is not accepted")) from None
    except (OSError, ValueError) as error:
        cut = Fault.TLS_FAILS, phrase("it was cut in the handshake")
        raise StepFailed(*(tls_fault(error) if is_tls_fault(error) else cut)) from None


async def exchange(line: Line, request: str, *, body: bool = True) -> Answer:
    """Sends a request and reads its answer, with the beginning of its body if `body`. Raises StepFailed."""
    reader, writer = line
    try:
        writer.write(request.encode("ascii", "replace"))
        await writer.drain()
        head = await reader.readuntil(b"\r\n\r\n")
        version, status = head[:12].split()[:2]
        if not version.startswith(b"HTTP/1.") or not 100 <= int(status) < 600:
            raise ValueError
        headers = http.client.parse_headers(io.BytesIO(head.partition(b"\r\n")[2]))
    except (OSError, EOFError, asyncio.LimitOverrunError, ValueError, http.client.HTTPException) as error:
        cut = isinstance(error, OSError | EOFError)
        raise StepFailed(Fault.HTTP_FAILS, phrase("it was cut") if cut else phrase("it does not speak HTTP")) from None
    return Answer(status=int(status), headers=headers, body=await _body(reader, headers) if body else b"")


async def _body(reader: asyncio.StreamReader, headers: http.client.HTTPMessage) -> bytes:
    """Reads as much of the body as comes in time, within the bound."""
    length = headers.get("content-length", "")
    left = min(int(length) if length.isdecimal() and len(length) < 16 else MAX_BODY_BYTES, MAX_BODY_BYTES)
    found = bytearray()
    with contextlib.suppress(OSError, TimeoutError):
        async with asyncio.timeout(1.0):  # The head says nearly all.
            while left > len(found) and (more := await reader.read(left - len(found))):
                found += more
    return bytes(found)


def clean(evidence: str) -> str:
    """Bounds the text, and puts it on one line, as phrases are."""
    if isinstance(evidence, Phrase) and evidence.isprintable() and len(evidence) <= MAX_EVIDENCE:
        return evidence
    return "".join(letter if letter.isprintable() else " " for letter in evidence)[:MAX_EVIDENCE]
