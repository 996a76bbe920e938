"""Reasons why the player cannot start, and the card with them in the language of the device and in English."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from player.standstill.libraries import debian_package

if TYPE_CHECKING:
    from menu.text.phrase import Phrase
    from player.display.window.card import Notice
    from player.settings import Settings, SettingsError
    from player.storage.durable import StorageError

SERVICE_LINE = 'service = "https://menus.example.com"'

ITSELF = "The board starts by itself as soon as this is mended."


class Fault(NamedTuple):
    """A place, the fault there, and a line to write there. The first two are phrases if phrases are available."""

    where: str
    what: str
    line: str = ""


class Hindrance(NamedTuple):
    """A reason why the player cannot start, and how it starts after the repair. The texts are phrases if phrases are
    available. `settings` is None if the program is not installed completely."""

    title: str
    faults: tuple[Fault, ...]
    then: str = ITSELF
    settings: Settings | None = None

    @property
    def text(self) -> str:
        """Text in one line."""
        told = (f"{fault.where}: {fault.what} {fault.line}" for fault in self.faults)
        return "; ".join(each.removeprefix(": ").rstrip() for each in told)


def wrong_settings(error: SettingsError) -> Hindrance:
    """Returns the hindrance of settings that cannot be used. The boot partition is read at a boot alone."""
    from menu.text.phrase import phrase, phrases
    from player.domain.pairing.boot_file import FILE_NAME

    faults = [_fault(fault) for fault in error.faults if "where" in fault.values]
    count = len(faults) + error.lacks_service
    title = phrases("A setting of this screen is wrong", "{count} settings of this screen are wrong", count=count)
    if error.lacks_service:
        faults += _lack_of_service(error.file)
        if count == 1:
            title = phrase("This screen is not set up yet")
    then = phrase("The board starts by itself as soon as this is mended.")
    if error.settings.boot_file.faults:
        then = phrase("Correct this file on the boot partition, and start the device again.")
    elif any(fault.where == FILE_NAME for fault in faults):
        then = phrase("After a change of a file on the device, the board starts by itself.")
    return Hindrance(title, tuple(faults), then, error.settings)


def _lack_of_service(file: Path) -> tuple[Fault, ...]:
    """Returns the files for the address of the service. The boot file sets up the board that a device starts with, and
    no player with a configuration of its own."""
    from menu.text.phrase import phrase
    from player.domain.pairing.boot_file import FILE_NAME
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
    """Splits a fault of the settings into its parts."""
    parts = (fault.values.get(name) for name in ("where", "what", "write"))
    return Fault(*(part if isinstance(part, str) else "" for part in parts))


def state_in_use(error: StorageError, settings: Settings) -> Hindrance:
    """Returns the hindrance if another player uses the state directory."""
    from menu.text.phrase import phrase

    what = phrase("Another player on this device uses this folder. Stop it, or choose another folder with  state.")
    then = phrase("The board starts by itself as soon as this is mended.")
    title = phrase("Another player is running on this device")
    return Hindrance(title, (Fault(error.subject, what),), then, settings)


def not_whole(missing: str) -> Hindrance:
    """Returns the hindrance of a missing Python module, in English: the translations may be missing, too."""
    faults = (
        Fault(missing, "This part of the program cannot be found."),
        Fault("", "Install it again:", f"sudo apt install --reinstall {debian_package(missing)}"),
    )
    return Hindrance("Menu Player is not installed whole", faults)


def notice(hindrance: Hindrance, *, environment: Mapping[str, str]) -> Notice:
    """Returns the card; in English alone if the translations cannot be read."""
    from player.display.window.card import Note, Notice

    said: Callable[[str], str] = str
    runs_left = False
    try:
        from menu.text.phrase import in_language, language_of_terminal
        from menu.text.wording import cldr_locale
    except ImportError:
        pass
    else:
        language = hindrance.settings.language if hindrance.settings is not None else None
        locale = language or language_of_terminal(environment)
        runs_left = cldr_locale(locale).text_direction == "rtl"

        def said(text: str) -> str:
            return in_language(text, locale)

    def english(text: str) -> str:
        return str(text) if said(text) != text else ""

    return Notice(
        title=said(hindrance.title),
        notes=tuple(
            Note(where=said(fault.where), what=said(fault.what), english=english(fault.what), line=fault.line)
            for fault in hindrance.faults
        ),
        then=said(hindrance.then),
        english_title=english(hindrance.title),
        english_then=english(hindrance.then),
        right_to_left=runs_left and bool(english(hindrance.then)),
    )
