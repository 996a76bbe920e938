"""Device's network: adapters, addresses, routes, name servers; pure."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence

from msgspec import Struct

from menu.text.phrase import Phrase, phrase

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class Adapter(Struct, frozen=True, kw_only=True):
    """A network adapter: `is_on` as set on the device, `linked` to a live cable or to a Wi-Fi. `signal` is the Wi-Fi's,
    in dBm."""

    name: str
    wifi: bool
    is_on: bool
    linked: bool
    signal: int | None = None
    losses: int = 0
    """The number of times that it has lost its link, as far as the kernel counts that."""

    @property
    def words(self) -> Phrase:
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
    """A route: its destination addresses and its adapter."""

    to: Network
    adapter: str
    gateway: str = ""
    metric: int = 0
    """Priority among routes to the same addresses: the lowest is taken."""


class NetworkState(Struct, frozen=True, kw_only=True):
    adapters: Sequence[Adapter] = ()
    addresses: Sequence[Address] = ()
    routes: Sequence[WayOut] = ()
    name_servers: Sequence[str] = ()
    hosts: frozenset[str] = frozenset()
    """The names that a file of the device gives addresses."""

    @property
    def default(self) -> WayOut | None:
        """Default route."""
        return next((route for route in self.routes if route.to.prefixlen == 0), None)

    def lost_since(self, before: NetworkState) -> int:
        """Counts links lost since then, without those of adapters that were switched off or removed."""
        then = {adapter.name: adapter for adapter in before.adapters if adapter.is_on}
        pairs = [(then[now.name], now) for now in self.adapters if now.is_on and now.name in then]
        return sum(max(now.losses - old.losses, int(old.linked and not now.linked), 0) for old, now in pairs)


class Interface(Struct, frozen=True):
    """An adapter with an IPv4 address, as 4 bytes: a network that the device is on."""

    index: int
    name: str
    address: bytes
