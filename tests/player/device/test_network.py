"""The machine's own addresses, read in network namespaces of the tests' own."""

from __future__ import annotations

import json
import shutil
import socket
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from player.device.network import MAX_INTERFACES, networks, own_addresses

NAMESPACES = (
    shutil.which("unshare") is not None
    and shutil.which("ip") is not None
    and subprocess.run(["unshare", "-rn", "true"], capture_output=True, check=False).returncode == 0
)
SAY = "import json; from player.device.network import own_addresses; print(json.dumps(own_addresses()))"
needs_namespaces = pytest.mark.skipif(not NAMESPACES, reason="needs network namespaces and iproute2")


def seen_after(*commands: str) -> list[str]:
    """Reads a network that these commands of `ip` have made."""
    script = "\n".join(["set -e", *(f"ip {command}" for command in commands), 'exec "$0" -c "$1"'])
    done = subprocess.run(
        ["unshare", "-rn", "sh", "-c", script, sys.executable, SAY], capture_output=True, check=True, text=True
    )
    found = json.loads(done.stdout)
    assert isinstance(found, list)
    return found


def adapter(name: str) -> list[str]:
    """An adapter that is on, with a cable whose other end is on."""
    return [f"link add {name} type veth peer name {name}-end", f"link set {name} up", f"link set {name}-end up"]


@needs_namespaces
def test_without_a_network_there_is_no_address() -> None:
    assert seen_after("link set lo up") == []


@needs_namespaces
def test_the_adapter_that_leads_out_comes_first_and_ipv4_before_ipv6() -> None:
    assert seen_after(
        *adapter("other0"),
        "addr add 172.17.0.1/16 dev other0",
        *adapter("wall0"),
        "addr add 192.168.1.23/24 dev wall0",
        "addr add fd12::23/64 dev wall0 nodad",
        "route add default via 192.168.1.1",
    ) == ["192.168.1.23", "172.17.0.1", "fd12::23"]


@needs_namespaces
def test_an_address_that_nobody_else_can_reach_is_none() -> None:
    assert (
        seen_after(
            *adapter("self0"),
            "addr add 169.254.7.7/16 dev self0",
            *adapter("off0"),
            "addr add 10.0.0.7/24 dev off0",
            "link set off0 down",
            *adapter("cable0"),
            "addr add 10.1.0.7/24 dev cable0",
            "link set cable0-end down",
        )
        == []
    ), "self-assigned, switched off, and the other end of the cable is dead"


def test_a_machine_that_tells_nothing_has_what_its_adapters_say(tmp_path: Path) -> None:
    assert all(":" not in address for address in own_addresses(root=tmp_path))


def test_of_many_networks_the_first_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    many = [(number, f"lo{number}") for number in range(2 * MAX_INTERFACES)]
    monkeypatch.setattr("player.device.network.socket.if_nameindex", lambda: many)
    monkeypatch.setattr("player.device.network.fcntl.ioctl", lambda *_: struct.pack("=16sH22x", b"", 0x41))

    assert len(networks()) == MAX_INTERFACES


def test_this_machine_has_networks() -> None:
    for interface in networks():
        assert socket.if_indextoname(interface.index) == interface.name
        assert len(interface.address) == 4
