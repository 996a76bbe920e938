"""Reads how the device stands in its network: adapters, addresses, ways out, name servers; from the kernel's files."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from player.domain.phrase import Phrase, phrase

MAX_NAME_SERVERS = 3
"""Name servers that the system's resolver asks; it ignores the others."""

_IFF_UP = 0x1
_ETHERNET = "1"
_ROUTE_UP = 0x1
_LINK_SCOPE = 0x20
_LOCAL_STUB = "127.0.0.53"
"""systemd-resolved, which stands before the name servers of the network."""

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class Adapter(Struct, frozen=True, kw_only=True):
    """A network adapter: `is_on` as set on the device, `linked` to a cable that lives or to a Wi-Fi. `signal` is the
    Wi-Fi's, in dBm."""

    name: str
    wifi: bool
    is_on: bool
    linked: bool
    signal: int | None = None

    @property
    def words(self) -> Phrase:
        """How it is, for a technician."""
        if not self.is_on:
            return phrase("{adapter} is switched off", adapter=self.name)
        if self.linked and not self.wifi:
            return phrase("{adapter}, cable", adapter=self.name)
        if self.linked:
            signal = "" if self.signal is None else f", {self.signal} dBm"
            return phrase("{adapter}, Wi-Fi{signal}", adapter=self.name, signal=signal)
        if self.wifi:
            return phrase("{adapter} has joined no Wi-Fi", adapter=self.name)
        return phrase("{adapter} has no cable", adapter=self.name)


class WayOut(Struct, frozen=True, kw_only=True):
    """A route: to which addresses, and over which adapter."""

    to: Network
    adapter: str
    gateway: str = ""


class NetworkState(Struct, frozen=True, kw_only=True):
    """How the device stands in its network."""

    adapters: Sequence[Adapter] = ()
    addresses: Sequence[Address] = ()
    routes: Sequence[WayOut] = ()
    name_servers: Sequence[str] = ()
    hosts: frozenset[str] = frozenset()
    """The names that a file of the device gives addresses."""

    @property
    def default(self) -> WayOut | None:
        """The way to everywhere."""
        return next((route for route in self.routes if route.to.prefixlen == 0), None)


class NetworkFiles(Struct, frozen=True, kw_only=True):
    """Where the kernel and the system tell of the network."""

    adapters: Path = Path("/sys/class/net")
    proc: Path = Path("/proc/net")
    resolver: Path = Path("/etc/resolv.conf")
    behind_stub: Path = Path("/run/systemd/resolve/resolv.conf")
    hosts: Path = Path("/etc/hosts")

    def read(self) -> NetworkState:
        """The state of now. What cannot be read is left out."""
        return NetworkState(
            adapters=tuple(self._adapters()),
            addresses=tuple(self._addresses()),
            routes=tuple(self._routes()),
            name_servers=tuple(self._name_servers())[:MAX_NAME_SERVERS],
            hosts=frozenset(name.lower() for line in _lines(self.hosts) for name in line.partition("#")[0].split()[1:]),
        )

    def _adapters(self) -> Iterator[Adapter]:
        signals = {
            name.strip(): rest.split()
            for name, _, rest in (line.partition(":") for line in _lines(self.proc / "wireless")[2:])
        }
        for folder in sorted(self.adapters.iterdir()) if self.adapters.is_dir() else ():
            # Bridges and what hangs on them are the device's own, as are tunnels.
            if _word(folder / "type") != _ETHERNET or any((folder / own).exists() for own in _INNER):
                continue
            wifi = folder.name in signals or (folder / "wireless").exists() or (folder / "phy80211").exists()
            linked = _word(folder / "carrier") == "1" and _word(folder / "operstate") in ("up", "unknown")
            level = signals.get(folder.name, [])[2:3]
            yield Adapter(
                name=folder.name,
                wifi=wifi,
                is_on=bool(int(_word(folder / "flags") or "0", 16) & _IFF_UP),
                linked=linked,
                signal=int(float(level[0])) if wifi and linked and level else None,
            )

    def _addresses(self) -> Iterator[Address]:
        leaf, found = "", set[str]()
        for line in _lines(self.proc / "fib_trie"):
            leaf = line.partition("|-- ")[2].strip() or leaf
            if "/32 host LOCAL" in line and leaf not in found:
                found.add(leaf)  # Each stands in the main table and in the local one.
                if not (address := ipaddress.IPv4Address(leaf)).is_loopback:
                    yield address
        for line in _lines(self.proc / "if_inet6"):
            digits, _, _, scope, *_ = line.split()
            if int(scope, 16) == 0:
                yield ipaddress.IPv6Address(int(digits, 16))

    def _routes(self) -> Iterator[WayOut]:
        for line in _lines(self.proc / "route")[1:]:
            name, to, gateway, flags, _, _, _, mask, *_ = line.split()
            if int(flags, 16) & _ROUTE_UP:
                bits = int(mask, 16).bit_count()
                by = "" if int(gateway, 16) == 0 else _from_hex(gateway)
                yield WayOut(to=ipaddress.IPv4Network(f"{_from_hex(to)}/{bits}"), adapter=name, gateway=by)
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


_INNER = ("bridge", "brport", "tun_flags")


def _servers_of(path: Path) -> list[str]:
    words = [line.split() for line in _lines(path)]
    return [line[1] for line in words if line[:1] == ["nameserver"] and len(line) > 1]


def _from_hex(word: str) -> str:
    """An IPv4 address as /proc/net/route writes it: in the byte order of the machine."""
    return socket.inet_ntoa(int(word, 16).to_bytes(4, "little"))


def _word(path: Path) -> str:
    """The file's only word; empty where it cannot be read, as an adapter's carrier while it is off."""
    return (_lines(path) or [""])[0].strip()


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
