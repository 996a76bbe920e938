"""Writes the settings of a boot file into the files of the machine and of the player; each one whole or not at all."""

from __future__ import annotations

import grp
import os
import shutil
import struct
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from player.boot_file.connections import CABLE, SUFFIX, WIFI, cable_connection, wifi_connection
from player.boot_file.document import MAX_CERTIFICATES_BYTES, BootFile, written
from player.plain_file import read_plain
from player.storage.durable import remove_durably, sync_folder, write_file

SETTINGS = Path("etc/menu-player/config.d/boot.toml")
CERTIFICATES = Path("etc/menu-player/boot-ca.pem")
CONNECTIONS = Path("etc/NetworkManager/system-connections")
COUNTRY = Path("etc/modprobe.d/menu-player-wifi.conf")
ZONE = Path("etc/localtime")
ZONES = Path("usr/share/zoneinfo")
NETWORK_MANAGER = Path("usr/sbin/NetworkManager")
RADIO = Path("dev/rfkill")
RADIO_KEPT = Path("var/lib/systemd/rfkill")
"""Files in which systemd stores the state of radios over a boot."""

GROUP = "menu-player"
"""May read the player's settings."""


RADIO_EVENT = struct.Struct("=IBBBB")
ALL_OF_A_KIND, WIRELESS_LAN, UNBLOCKED = 3, 1, 0
"""Values of <linux/rfkill.h>."""


def apply(boot_file: BootFile, *, root: Path, run: Callable[[Sequence[str]], object]) -> None:
    """Applies all of it; repeating does no harm. Raises OSError."""
    settings = dict(boot_file.settings)
    if boot_file.certificates is not None:
        settings["ca_file"] = f"/{CERTIFICATES}"
        _write(root / CERTIFICATES, read_plain(boot_file.certificates, MAX_CERTIFICATES_BYTES), mode=0o644)
    text = f"# Written from menu-player.toml on the boot partition: change it there.\n{written(settings)}"
    _write(root / SETTINGS, text.encode(), mode=0o640, group=GROUP)
    _apply_network(boot_file, root=root, run=run)
    if boot_file.time_zone is not None:
        _link_zone(boot_file.time_zone, root)


def run_command(command: Sequence[str]) -> None:
    """Runs a program of the system, if it is there; ignores whether it succeeds."""
    if shutil.which(command[0]) is not None:
        with suppress(OSError, subprocess.SubprocessError):
            subprocess.run(command, check=False, timeout=10.0, stdin=subprocess.DEVNULL)


def _apply_network(boot_file: BootFile, *, root: Path, run: Callable[[Sequence[str]], object]) -> None:
    wifi, address = boot_file.wifi, boot_file.address
    if wifi is not None:
        _write(root / CONNECTIONS / (WIFI + SUFFIX), wifi_connection(wifi, address).encode(), mode=0o600)
        _write(root / COUNTRY, f"options cfg80211 ieee80211_regdom={wifi.country}\n".encode("ascii"), mode=0o644)
        # The module may be there already; Raspberry Pi OS keeps the radio off until it knows the country.
        run(["iw", "reg", "set", wifi.country])
        with suppress(OSError), (root / RADIO).open("r+b", buffering=0) as radio:
            radio.write(RADIO_EVENT.pack(0, WIRELESS_LAN, ALL_OF_A_KIND, UNBLOCKED, 0))
        for kept in (root / RADIO_KEPT).glob("*:wlan"):
            with suppress(OSError):
                kept.write_text(f"{UNBLOCKED}\n", encoding="ascii")
    if wifi is None and address is not None:
        _write(root / CONNECTIONS / (CABLE + SUFFIX), cable_connection(address).encode(), mode=0o600)
    elif (root / CONNECTIONS).is_dir():
        # A Wi-Fi that is not named any more stays: without it the board might be out of reach.
        remove_durably(root / CONNECTIONS / (CABLE + SUFFIX))


def _write(file: Path, data: bytes, *, mode: int, group: str = "") -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    write_file(file, data)
    if group:
        with suppress(KeyError):
            os.chown(file, -1, grp.getgrnam(group).gr_gid)
    file.chmod(mode)


def _link_zone(zone: str, root: Path) -> None:
    link, target = root / ZONE, Path("..") / ZONES / zone
    with suppress(OSError):
        if link.readlink() == target:
            return
    fresh = link.with_name("localtime.new")
    fresh.unlink(missing_ok=True)
    fresh.symlink_to(target)
    fresh.replace(link)
    sync_folder(link.parent)
