"""Asks one name server for the addresses of a name, to know what it says: the system's resolver only says that it
failed. One packet and one answer (RFC 1035)."""

from __future__ import annotations

import asyncio
import secrets
import socket
from enum import StrEnum

PORT = 53
MAX_PACKET_BYTES = 4096
"""The longest answer; UDP cuts longer ones, and the rest is not needed."""

_RECURSE = 0x0100
_NO_SUCH_NAME = 3


class NameAnswer(StrEnum):
    """The answer of a name server."""

    ADDRESS = "address"
    """It knows an address, or another name to ask for."""
    UNKNOWN = "unknown"
    """The name does not exist, or has no address."""
    FAILS = "fails"
    """It cannot or will not say."""
    SILENT = "silent"
    """Nothing."""


async def ask(server: str, name: str, *, seconds: float, port: int = PORT) -> NameAnswer:
    """The server's answer within so many seconds."""
    number = secrets.token_bytes(2)
    try:
        packet = number + _RECURSE.to_bytes(2, "big") + b"\0\1\0\0\0\0\0\0" + _labels(name) + b"\0\1\0\1"
        family = socket.AF_INET6 if ":" in server else socket.AF_INET
        with socket.socket(family, socket.SOCK_DGRAM) as line:
            line.settimeout(0)
            loop = asyncio.get_running_loop()
            async with asyncio.timeout(seconds):
                # Connected: only its answers are heard, and that nobody listens there.
                await loop.sock_connect(line, (server, port))
                await loop.sock_sendall(line, packet)
                while (answer := await loop.sock_recv(line, MAX_PACKET_BYTES))[:2] != number:
                    pass
    except (OSError, UnicodeError, ValueError):
        return NameAnswer.SILENT
    return _meaning(answer)


def _labels(name: str) -> bytes:
    labels = name.rstrip(".").encode("idna").split(b".")
    return b"".join(bytes([len(label)]) + label for label in labels) + b"\0"


def _meaning(answer: bytes) -> NameAnswer:
    if len(answer) < 12:
        return NameAnswer.FAILS
    code, answers = answer[3] & 0x0F, int.from_bytes(answer[6:8], "big")
    if code == _NO_SUCH_NAME or (code == 0 and answers == 0):
        return NameAnswer.UNKNOWN
    return NameAnswer.ADDRESS if code == 0 else NameAnswer.FAILS
