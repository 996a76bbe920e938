"""Writes connections for NetworkManager, one file each; pure."""

from __future__ import annotations

import uuid

from player.boot_file.document import Address, Wifi

WIFI, CABLE = "menu-player-wifi", "menu-player-cable"
SUFFIX = ".nmconnection"

_NAMESPACE = uuid.UUID("6f1c1f9e-2a3b-4d52-9a34-5f0a6f1d8c11")


def wifi_connection(wifi: Wifi, address: Address | None) -> str:
    """Returns a Wi-Fi connection with WPA2 or WPA3 and a password, or an open one."""
    # As numbers, no letter of the name has a meaning of its own.
    name = "".join(f"{byte};" for byte in wifi.name.encode())
    sections = [
        *_connection(WIFI, "wifi"),
        "\n[wifi]\nmode=infrastructure\n",
        f"ssid={name}\n",
        f"hidden={str(wifi.hidden).lower()}\n",
    ]
    if wifi.password:
        sections.append(f"\n[wifi-security]\nkey-mgmt=wpa-psk\npsk={_escaped(wifi.password)}\n")
    return "".join([*sections, *_internet(address)])


def cable_connection(address: Address) -> str:
    """Returns a cable connection with a fixed address."""
    return "".join([*_connection(CABLE, "ethernet"), "\n[ethernet]\n", *_internet(address)])


def _connection(name: str, kind: str) -> list[str]:
    return [
        "# Written by menu-player-boot-file.service from menu-player.toml on the boot partition.\n",
        f"[connection]\nid={name}\nuuid={uuid.uuid5(_NAMESPACE, name)}\ntype={kind}\n",
        # 0 retries are endless: a wrong password or a Wi-Fi that is off at the start must not end the trying.
        "autoconnect-priority=10\nautoconnect-retries=0\n",
    ]


def _internet(address: Address | None) -> list[str]:
    if address is None:
        return ["\n[ipv4]\nmethod=auto\n", "\n[ipv6]\nmethod=auto\n"]
    name_servers = "".join(f"{each};" for each in address.name_servers)
    fixed = f"address1={address.address}\ngateway={address.gateway}\ndns={name_servers}\n"
    return [f"\n[ipv4]\nmethod=manual\n{fixed}", "\n[ipv6]\nmethod=auto\n"]


def _escaped(text: str) -> str:
    """Escapes a value for GLib's key files: at its ends they would lose spaces."""
    return text.replace("\\", "\\\\").replace(" ", "\\s")
