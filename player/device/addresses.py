"""The addresses of this machine, as a phone in the same network types them; never fails."""

from __future__ import annotations

import fcntl
import socket
import struct
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path

_SIOCGIFFLAGS, _SIOCGIFADDR = 0x8913, 0x8915
_UP, _LOOPBACK, _RUNNING = 0x1, 0x8, 0x40
_NAME_BYTES, _REQUEST_BYTES = 15, 40
_UNUSABLE = 0x08 | 0x20 | 0x40
"""An IPv6 address that another machine has, that is deprecated, or that is not certain yet."""


def own_addresses(*, root: Path = Path("/")) -> tuple[str, ...]:
    """The addresses of the network adapters that are on and connected: IPv4 first, and those of the adapter that leads
    out of the shop. Not those that only this machine or this cable knows (127.…, 169.254.…, fe80::…)."""
    names = _connected()
    leading = _leading(root)
    names.sort(key=lambda name: name != leading)
    found = [address for name in names if (address := _ipv4(name)) is not None]
    found += _ipv6(names, root)
    return tuple(dict.fromkeys(found))


def _connected() -> list[str]:
    try:
        names = [name for _, name in socket.if_nameindex()]
    except OSError:
        return []
    wanted = _UP | _RUNNING
    return [name for name in names if (_flags(name) & (wanted | _LOOPBACK)) == wanted]


def _flags(name: str) -> int:
    answer = _ask(name, _SIOCGIFFLAGS)
    return int(struct.unpack_from("=H", answer, 16)[0]) if answer else 0


def _ipv4(name: str) -> str | None:
    answer = _ask(name, _SIOCGIFADDR)
    if answer is None:
        return None
    address = IPv4Address(answer[20:24])
    return None if address.is_link_local or address.is_loopback or address.is_unspecified else str(address)


def _ask(name: str, request: int) -> bytes | None:
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as asker:
            asked = name.encode()[:_NAME_BYTES].ljust(_REQUEST_BYTES, b"\0")
            return bytes(fcntl.ioctl(asker, request, asked))
    except OSError:
        return None


def _ipv6(names: list[str], root: Path) -> list[str]:
    found: list[tuple[int, str]] = []
    for fields in _rows(root / "proc/net/if_inet6", 6):
        number, _, _, _, flags, name = fields
        try:
            address, bits = IPv6Address(bytes.fromhex(number)), int(flags, 16)
        except ValueError:
            continue
        if name in names and not bits & _UNUSABLE and not address.is_link_local and not address.is_loopback:
            found.append((names.index(name), str(address)))
    return [address for _, address in sorted(found, key=lambda pair: pair[0])]


def _leading(root: Path) -> str | None:
    """The adapter of the default route with the lowest metric."""
    routes = [
        (int(fields[6]), fields[0])
        for fields in _rows(root / "proc/net/route", 8)
        if fields[1] == fields[7] == "00000000" and fields[6].isdigit()
    ]
    return min(routes)[1] if routes else None


def _rows(path: Path, columns: int) -> list[list[str]]:
    try:
        text = path.read_text(encoding="ascii", errors="replace")
    except OSError:
        return []
    return [fields for line in text.splitlines() if len(fields := line.split()) >= columns]
