"""Asks what draws on the screen, an X server or a Wayland compositor, for a sign of life; never fails."""

from __future__ import annotations

import socket
import struct
from collections.abc import Mapping
from enum import Enum, auto
from pathlib import Path

ANSWER_SECONDS = 2.0
"""The time that an answer may take."""

_X_SETUP = struct.pack("=BxHHHHxx", ord("l") if struct.pack("=H", 1)[0] else ord("B"), 11, 0, 0, 0)
"""A client of X11 without a cookie, which is answered, too."""
_WAYLAND_SYNC = struct.pack("=III", 1, 12 << 16, 2)
"""`wl_display.sync`, whose answer has the number 2."""


class DisplayServer(Enum):
    """The state of the display server."""

    UNKNOWN = auto()
    """None is named, or nobody can tell."""
    ANSWERS = auto()
    SILENT = auto()
    """It takes connections, and says nothing: it hangs."""
    GONE = auto()
    """It takes no connections."""


def ask_display(environment: Mapping[str, str], *, root: Path = Path("/")) -> DisplayServer:
    """Tests the display that this environment names. Waits for ANSWER_SECONDS at the most."""
    name, question = environment.get("WAYLAND_DISPLAY", ""), _WAYLAND_SYNC
    if name:
        places = [str(root / environment.get("XDG_RUNTIME_DIR", "").lstrip("/") / name)]
    else:
        host, _, rest = environment.get("DISPLAY", "").partition(":")
        number, question = rest.partition(".")[0], _X_SETUP
        if host or not number.isdecimal():
            return DisplayServer.UNKNOWN
        place = str(root / "tmp/.X11-unix" / f"X{number}")
        places = [place, f"\0{place}"]
    found = [_ask(place, question) for place in places]
    order = (DisplayServer.ANSWERS, DisplayServer.SILENT, DisplayServer.UNKNOWN, DisplayServer.GONE)
    return min(found, key=order.index)


def _ask(place: str, question: bytes) -> DisplayServer:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC) as line:
        line.settimeout(ANSWER_SECONDS)
        try:
            line.connect(place)
        except (FileNotFoundError, ConnectionRefusedError):
            return DisplayServer.GONE
        except (OSError, ValueError):
            return DisplayServer.UNKNOWN
        try:
            line.sendall(question)
            return DisplayServer.ANSWERS if line.recv(1) else DisplayServer.GONE
        except TimeoutError:
            return DisplayServer.SILENT
        except OSError:
            return DisplayServer.UNKNOWN
