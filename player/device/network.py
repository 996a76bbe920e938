"""Reads the state of the device's network from the kernel: adapters, addresses, routes out, name servers."""

from __future__ import annotations

import fcntl
import ipaddress
import socket
import struct
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from player.domain.link.network import Adapter, Address, Interface, NetworkState, WayOut

MAX_INTERFACES = 8
"""Networks that are told of the player."""

MAX_NAME_SERVERS = 3
"""Name servers that the system's resolver asks; it ignores the others."""

_GET_FLAGS, _GET_ADDRESS = 0x8913, 0x8915
"""ioctls of netdevice(7)."""
_UP, _LOOPBACK, _POINT_TO_POINT, _RUNNING = 0x1, 0x8, 0x10, 0x40
_REQUEST = struct.Struct("=16s24x")

_ETHERNET = "1"
_INNER = ("bridge", "brport", "tun_flags")
_ROUTE_UP = 0x1
_LOCAL_STUB = "127.0.0.53"
"""systemd-resolved, which stands before the name servers of the network."""


def own_addresses(*, root: Path = Path("/")) -> tuple[str, ...]:
    """Returns the addresses of the network adapters that are on and connected, as a phone in the same network types
    them: IPv4 first, and those of the adapter that leads out of the shop. Not those that only this machine or this
    cable knows (127.…, 169.254.…, fe80::…). Never fails."""
    files = NetworkFiles(proc=root / "proc/net")
    leading = files.leading
    connected = [each for each, flags in _adapters() if flags & (_UP | _RUNNING | _LOOPBACK) == _UP | _RUNNING]
    connected.sort(key=lambda each: each.name != leading)
    ipv4 = [ipaddress.IPv4Address(each.address) for each in connected if each.address]
    found = [str(one) for one in ipv4 if not (one.is_link_local or one.is_loopback or one.is_unspecified)]
    for adapter in connected:
        found += [str(row.address) for row in _ipv6_rows(files.proc) if row.name == adapter.name and row.is_usable]
    return tuple(dict.fromkeys(found))


def networks() -> tuple[Interface, ...]:
    """Returns the networks with other hosts on them; the loopback if there is none."""
    found = [
        (each, flags)
        for each, flags in _adapters()
        if each.address and flags & (_UP | _RUNNING | _POINT_TO_POINT) == _UP | _RUNNING
    ]
    others = [each for each, flags in found if not flags & _LOOPBACK]
    return tuple(others or [each for each, _ in found])[:MAX_INTERFACES]


def _adapters() -> list[tuple[Interface, int]]:
    """Returns the adapters with their flags, by the kernel; the address is empty if there is no IPv4 address."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as asker:
            names = sorted(socket.if_nameindex())
            told = [(_ioctl(asker, name, _GET_FLAGS), _ioctl(asker, name, _GET_ADDRESS)) for _, name in names]
    except OSError:
        return []
    return [
        (Interface(index, name, address[20:24]), int(struct.unpack_from("=H", flags, 16)[0]))
        for (index, name), (flags, address) in zip(names, told, strict=True)
        if flags
    ]


def _ioctl(asker: socket.socket, name: str, request: int) -> bytes:
    """Returns the kernel's answer; empty if it has none, or the adapter has gone in between."""
    try:
        return bytes(fcntl.ioctl(asker, request, _REQUEST.pack(name.encode())))
    except OSError:
        return b""


class NetworkFiles(Struct, frozen=True, kw_only=True):
    """Files in which the kernel and the system describe the network."""

    adapters: Path = Path("/sys/class/net")
    proc: Path = Path("/proc/net")
    resolver: Path = Path("/etc/resolv.conf")
    behind_stub: Path = Path("/run/systemd/resolve/resolv.conf")
    hosts: Path = Path("/etc/hosts")

    def read(self) -> NetworkState:
        """Returns the current state. What cannot be read is left out."""
        return NetworkState(
            adapters=tuple(self._adapters()),
            addresses=tuple(self._addresses()),
            routes=tuple(self._routes()),
            name_servers=tuple(self._name_servers())[:MAX_NAME_SERVERS],
            hosts=frozenset(name.lower() for line in _lines(self.hosts) for name in line.partition("#")[0].split()[1:]),
        )

    def _adapters(self) -> Iterator[Adapter]:
        signals = self._signals()
        for folder in sorted(self.adapters.iterdir()) if self.adapters.is_dir() else ():
            # Bridges and what hangs on them are the device's own, as are tunnels.
            if _word(folder / "type") != _ETHERNET or any((folder / own).exists() for own in _INNER):
                continue
            wifi = folder.name in signals or (folder / "wireless").exists() or (folder / "phy80211").exists()
            linked = _is_linked(folder)
            yield Adapter(
                name=folder.name,
                wifi=wifi,
                is_on=bool(int(_word(folder / "flags") or "0", 16) & _UP),
                linked=linked,
                signal=signals.get(folder.name) if linked else None,
                losses=int(_word(folder / "carrier_down_count") or 0),
            )

    def signal(self, adapter: str) -> int | None:
        """Returns the signal of an adapter, in dBm; None for a cable, without a link, and if it is not known."""
        return self._signals().get(adapter) if _is_linked(self.adapters / adapter) else None

    def _signals(self) -> dict[str, int | None]:
        """Returns the signals of the Wi-Fi adapters that are on."""
        rows = (line.partition(":") for line in _lines(self.proc / "wireless")[2:])
        levels = ((name.strip(), rest.split()[2:3]) for name, _, rest in rows)
        return {name: int(float(level[0])) if level else None for name, level in levels}

    def _addresses(self) -> Iterator[Address]:
        leaf, found = "", set[str]()
        for line in _lines(self.proc / "fib_trie"):
            leaf = line.partition("|-- ")[2].strip() or leaf
            if "/32 host LOCAL" in line and leaf not in found:
                found.add(leaf)  # Each stands in the main table and in the local one.
                if not (address := ipaddress.IPv4Address(leaf)).is_loopback:
                    yield address
        yield from (row.address for row in _ipv6_rows(self.proc) if row.scope == 0)

    def _routes(self) -> Iterator[WayOut]:
        for line in _lines(self.proc / "route")[1:]:
            name, to, gateway, flags, _, _, metric, mask, *_ = line.split()
            if int(flags, 16) & _ROUTE_UP:
                bits = int(mask, 16).bit_count()
                by = "" if int(gateway, 16) == 0 else _from_hex(gateway)
                network = ipaddress.IPv4Network(f"{_from_hex(to)}/{bits}")
                yield WayOut(to=network, adapter=name, gateway=by, metric=int(metric))
        for line in _lines(self.proc / "ipv6_route"):
            digits, bits_in_hex, *_, flags, name = line.split()
            if name != "lo" and int(flags, 16) & _ROUTE_UP:
                to6 = ipaddress.IPv6Network((int(digits, 16), int(bits_in_hex, 16)))
                if not to6.is_link_local and not to6.is_multicast:
                    yield WayOut(to=to6, adapter=name)

    def _name_servers(self) -> Iterator[str]:
        servers = _servers_of(self.resolver)
        if servers == [_LOCAL_STUB] and self.behind_stub.exists():
            servers = _servers_of(self.behind_stub)
        yield from servers

    @property
    def leading(self) -> str:
        """Adapter of the route out that is taken; empty if there is none."""
        ways = [route for route in self._routes() if route.to == _EVERYWHERE]
        return min(ways, key=lambda route: route.metric).adapter if ways else ""


_EVERYWHERE = ipaddress.IPv4Network("0.0.0.0/0")


class _Ipv6Row(Struct, frozen=True):
    """A row of /proc/net/if_inet6."""

    address: ipaddress.IPv6Address
    scope: int
    flags: int
    name: str

    @property
    def is_usable(self) -> bool:
        # Another machine has the IPv6 address, or it is deprecated, or not certain yet.
        return not (self.flags & (0x08 | 0x20 | 0x40) or self.address.is_link_local or self.address.is_loopback)


def _ipv6_rows(proc: Path) -> Iterator[_Ipv6Row]:
    rows = (line.split() for line in _lines(proc / "if_inet6"))
    for digits, _, _, scope, flags, name in (fields for fields in rows if len(fields) == 6):
        yield _Ipv6Row(ipaddress.IPv6Address(int(digits, 16)), int(scope, 16), int(flags, 16), name)


def _servers_of(path: Path) -> list[str]:
    words = [line.split() for line in _lines(path)]
    return [line[1] for line in words if line[:1] == ["nameserver"] and len(line) > 1]


def _from_hex(word: str) -> str:
    """Parses an IPv4 address as /proc/net/route writes it: in the byte order of the machine."""
    return socket.inet_ntoa(int(word, 16).to_bytes(4, "little"))


def _is_linked(folder: Path) -> bool:
    return _word(folder / "carrier") == "1" and _word(folder / "operstate") in ("up", "unknown")


def _word(path: Path) -> str:
    """Returns the file's only word; empty if it cannot be read, as an adapter's carrier while it is off."""
    return (_lines(path) or [""])[0].strip()


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
