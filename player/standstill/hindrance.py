"""Why the player cannot start, in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from player.domain.words.phrase import Phrase
    from player.settings import Settings, SettingsError
    from player.storage.durable import StorageError

DEFAULT_PORT = 8085
SETTINGS_WRONG = "settings_wrong"

SERVICE_LINE = 'service = "https://menus.example.com"'

NEEDED = ("PySide6", "msgspec", "babel", "httpx", "apscheduler", "zeroconf", "starlette", "uvicorn", "jinja2", "segno")
"""Packages of Python that the player imports."""

ZONES = Path("/usr/share/zoneinfo")
"""Where the system has no zones, the package tzdata has them."""


class Then(Enum):
    """What starts the player once it is mended, in English. The boot partition is read at a boot alone."""

    ITSELF = "The board starts by itself as soon as this is mended."
    BOOT = "Correct this file on the boot partition, and start the device again."
    EITHER = "After a change of a file on the device, the board starts by itself."


class Fault(NamedTuple):
    """Where it is, what it is, and a line to write there. The first two are phrases where phrases can be had."""

    where: str
    what: str
    line: str = ""


class Hindrance(NamedTuple):
    """Why the player cannot start: `code` is of the findings, `title` is a phrase. `page` says who can open the page:
    `network`, `device` or `off`."""

    code: str
    title: str
    faults: tuple[Fault, ...]
    rotation: int = 0
    port: int = DEFAULT_PORT
    page: str = "network"
    language: str = ""
    """That the settings name; empty for the system's."""
    then: Then = Then.ITSELF

    @property
    def text(self) -> str:
        """In one line."""
        told = (f"{fault.where}: {fault.what} {fault.line}" for fault in self.faults)
        return "; ".join(each.removeprefix(": ").rstrip() for each in told)


def wrong_settings(error: SettingsError) -> Hindrance:
    """Settings that cannot be used. The page is where those say that can be."""
    from player.domain.boot_file import FILE_NAME
    from player.domain.words.phrase import phrase, phrases

    faults = [_fault(fault) for fault in error.faults if "where" in fault.values]
    count = len(faults) + error.lacks_service
    title = phrases("A setting of this screen is wrong", "{count} settings of this screen are wrong", count=count)
    if error.lacks_service:
        faults += _lack_of_service(error.file)
        if count == 1:
            title = phrase("This screen is not set up yet")
    known = error.known
    then = Then.EITHER if any(fault.where == FILE_NAME for fault in faults) else Then.ITSELF
    return Hindrance(
        SETTINGS_WRONG,
        title,
        tuple(faults),
        rotation=known.get("rotate") or 0,
        port=known.get("diagnostics_port", DEFAULT_PORT),
        page=str(error.page),
        language=known.get("language") or "",
        then=Then.BOOT if error.of_boot_file else then,
    )


def _lack_of_service(file: Path) -> tuple[Fault, ...]:
    """Where the address of the service can be written. The boot file sets up the board that a device starts with, and
    no player with a configuration of its own."""
    from player.domain.boot_file import FILE_NAME
    from player.domain.words.phrase import phrase
    from player.settings import DEFAULT_CONFIG

    if file != DEFAULT_CONFIG:
        what = phrase("Write the address of the menu service into this file:")
        return (Fault(str(file), what, SERVICE_LINE),)
    on_boot_partition = phrase(
        "Write the address of the menu service into this file on the boot partition (the drive that a PC shows of the "
        "card or disk), and start the device again:"
    )
    on_device = phrase("Or write the same line into this file on the device.")
    return (Fault(FILE_NAME, on_boot_partition, SERVICE_LINE), Fault(str(file), on_device))


def _fault(fault: Phrase) -> Fault:
    return Fault(*(_str(fault.values.get(name)) for name in ("where", "what", "write")))


def _str(value: object) -> str:
    return value if isinstance(value, str) else ""


def state_in_use(error: StorageError, settings: Settings) -> Hindrance:
    """Another player uses the state directory."""
    from player.domain.words.phrase import phrase

    what = phrase("Another player on this device uses this folder. Stop it, or choose another folder with  state.")
    return Hindrance(
        "state_in_use",
        phrase("Another player is running on this device"),
        (Fault(error.subject, what),),
        rotation=settings.rotate or 0,
        port=settings.diagnostics_port,
        page=str(settings.page),
        language=settings.language or "",
    )


def not_whole(missing: Sequence[str]) -> Hindrance:
    """The installation lacks parts. In English: the translations may be among them."""
    faults = [Fault(name, "This part of the program cannot be found.") for name in missing]
    packages = " ".join(dict.fromkeys(_package(name) for name in missing))
    again = Fault("", "Install it again:", f"sudo apt install --reinstall {packages}")
    return Hindrance("player_incomplete", "Menu Player is not installed whole", (*faults, again))


def _package(name: str) -> str:
    """The package of Debian's that a module of Python comes in."""
    top, _, part = name.partition(".")
    if top == "PySide6":
        return f"python3-pyside6.{part.lower() or 'qtcore'}"
    if top == "tzdata":
        return top
    return f"python3-{top}" if top in NEEDED else "menu-player-core"


def lacking() -> tuple[str, ...]:
    """Packages of Python that the player needs and that cannot be found."""
    wanted = NEEDED if ZONES.is_dir() else (*NEEDED, "tzdata")
    return tuple(name for name in wanted if find_spec(name) is None)
