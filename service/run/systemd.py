"""Notifies systemd (sd_notify(3)); imports no other part of the service."""

import os
import socket
from collections.abc import Mapping


def notify(state: str, *, environment: Mapping[str, str] = os.environ) -> None:
    """Sends a state such as `READY=1`. Does nothing without systemd, and ignores failures."""
    address = environment.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return
    if address.startswith("@"):
        address = "\0" + address[1:]
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as channel:
            channel.connect(address)
            channel.sendall(state.encode())
    except OSError:
        return
