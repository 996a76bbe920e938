"""The player's settings, from flags, MENU_PLAYER_* variables, config.toml and config.d; reports every fault at once.

SETTINGS is the table of all settings: flags, variables, files, the boot file's reader and the list in docs/install.md
(tests/settings_table.py) are made from it. Types and defaults are those of the class Settings.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

from menu.text.phrase import Phrase, phrase
from player import setting_values as read
from player.domain.link.address import AddressError, service_address
from player.domain.machine import WindowMode
from player.domain.pairing.boot_file import NOTHING_NOTED, BootFileNote
from player.domain.panel.panel import MAX_OVERSCAN, PowerRule
from player.domain.redacted import Redacted
from player.plain_file import read_plain
from player.setting_values import fault_at

DEFAULT_CONFIG = Path("/etc/menu-player/config.toml")
DEFAULT_STATE = Path("/var/lib/menu-player")
DEFAULT_DIAGNOSTICS_PORT = 8085
PREFIX = "MENU_PLAYER_"
MAX_CONFIG_BYTES = 64 * 1024
MAX_CONFIG_FILES = 20
"""In config.d; the others are not read."""


class PageAccess(StrEnum):
    """Places from which the player's page can be opened."""

    NETWORK = "network"
    """From this machine, and with the PIN on the screen from others."""
    DEVICE = "device"
    OFF = "off"


class Settings(Redacted, frozen=True, kw_only=True):
    """A player's settings, checked. None leaves a setting to the service, or to the device."""

    redacted_fields = ("proxy", "page_pin", "enrolment_token")

    service: str
    state: Path = DEFAULT_STATE
    mode: WindowMode = WindowMode.FULLSCREEN
    size: tuple[int, int] | None = None
    snapshot: Path | None = None
    rotate: int | None = None
    overscan: float | None = None
    display_mode: str | None = None
    display_power: PowerRule | None = None
    diagnostics_port: int = DEFAULT_DIAGNOSTICS_PORT
    announce: bool = True
    page: PageAccess = PageAccess.NETWORK
    page_pin: str | None = None
    language: str | None = None
    allow_plain_http: bool = False
    proxy: str | None = None
    enrolment_token: str | None = None
    ca_file: Path | None = None
    clock_offset_file: Path | None = None
    faults: tuple[str, ...] = ()
    """Sentences on what could not be used of the configuration file of a device that is paired."""
    boot_file: BootFileNote = NOTHING_NOTED


class Setting(NamedTuple):
    """A row of the table. `read` raises ValueError with a phrase. `help` ends with the default in brackets. Without a
    metavar there is no flag: lists of processes show flags. `example` is a value as TOML, `also` are names that people
    write instead."""

    read: Callable[[Any], Any]
    help: str
    metavar: str = ""
    example: str = ""
    also: tuple[str, ...] = ()
    in_boot_file: bool = True


SETTINGS: Mapping[str, Setting] = {
    "service": Setting(
        read.text, "base address of the menu service", "URL", '"https://menus.example.com"', ("server", "url")
    ),
    "state": Setting(read.path, f"state directory ({DEFAULT_STATE})", "DIR", in_boot_file=False),
    "mode": Setting(
        read.one_of(WindowMode), "fullscreen, windowed (Esc closes it) or offscreen (fullscreen)", in_boot_file=False
    ),
    "size": Setting(read.size, "size of the window or of the offscreen image (1920x1080)", "WxH", in_boot_file=False),
    "rotate": Setting(
        read.rotation,
        "rotate the image clockwise by 0, 90, 180 or 270 (as the service says)",
        "DEGREES",
        "90",
        ("orientation",),
    ),
    "overscan": Setting(
        read.overscan,
        f"leave a margin at each edge, 0 to {MAX_OVERSCAN} % of the side (as the service says)",
        "PERCENT",
        "2.5",
    ),
    "display_mode": Setting(
        read.display_mode, "drive the screen in this mode, such as 1920x1080@60 (its own)", "WxH[@HZ]", '"1920x1080@60"'
    ),
    "display_power": Setting(
        read.one_of(PowerRule),
        "switch the screen off by the opening hours of its location (hours), or never (always) (as the service says)",
        "RULE",
        '"always"',
    ),
    "snapshot": Setting(read.path, "write what is on the screen into this PNG file", "FILE", in_boot_file=False),
    "diagnostics_port": Setting(
        read.port, f"port of the diagnostics page ({DEFAULT_DIAGNOSTICS_PORT}; 0: any)", "N", "8085"
    ),
    "page": Setting(
        read.one_of(PageAccess),
        "who can open that page: network (with the PIN on the screen), device (only this machine) or off (network)",
        "FROM",
        '"device"',
    ),
    "page_pin": Setting(
        read.page_pin,
        "PIN of 6 to 12 digits for that page (one that the screen shows)",
        example='"271828"',
        also=("pin",),
    ),
    "language": Setting(
        read.language,
        "what the device speaks until it knows its location: en, ar, de, es or fr (as LANG says)",
        "CODE",
        '"de"',
    ),
    "announce": Setting(read.flag, "let menu-player discover find this screen (true)", example="false"),
    "allow_plain_http": Setting(read.flag, "allow http:// to machines other than this one (false)", example="true"),
    "proxy": Setting(
        read.proxy,
        "reach the service through this proxy, http://[user:password@]host:port; none: directly (as HTTPS_PROXY says)",
        "URL",
        '"http://10.0.0.1:3128"',
    ),
    "enrolment_token": Setting(
        read.enrolment_token, "token of the service that makes this device a screen without a code", also=("token",)
    ),
    "ca_file": Setting(read.ca_file, "trust the certificates in this PEM file, too", "FILE"),
    "clock_offset_file": Setting(
        read.path, "for rehearsals: add the seconds in this file to the clock", "FILE", in_boot_file=False
    ),
}


FORMER = ("download_limit", "download_spread")
"""Settings of players up to 0.5.0; passed over wherever they are written."""


class SettingsError(Exception):
    """Settings are invalid; `faults` holds a phrase for each fault, those of the boot file first. `settings` has the
    settings that are right. `file` is the configuration file. `lacks_service` says that the address of the service is
    written nowhere, and no other fault explains that; the sentence about it is the only one that names no place."""

    def __init__(
        self, faults: Sequence[Phrase], settings: Settings, *, file: Path = DEFAULT_CONFIG, lacks_service: bool = False
    ) -> None:
        super().__init__("\n".join(faults))
        self.faults = tuple(faults)
        self.settings = settings
        self.file = file
        self.lacks_service = lacks_service


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of `menu-player run`; the configuration and the environment can set each too."""
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument(
        "--windowed", action="store_const", const="windowed", dest="mode", help="in a window; Esc closes it"
    )
    mode.add_argument("--offscreen", action="store_const", const="offscreen", dest="mode", help="draw without a screen")
    for name, setting in SETTINGS.items():
        flag, told = f"--{name.replace('_', '-')}", setting.help.replace("%", "%%")
        if setting.read is read.flag:
            parser.add_argument(flag, action=argparse.BooleanOptionalAction, help=told)
        elif setting.metavar:
            parser.add_argument(flag, metavar=setting.metavar, help=told)
    for name in FORMER:
        parser.add_argument(f"--{name.replace('_', '-')}", help=argparse.SUPPRESS)
    parser.add_argument("--config", metavar="FILE", help=f"configuration file ({DEFAULT_CONFIG}, if it exists)")


def read_settings(
    flags: Mapping[str, Any],
    environment: Mapping[str, str],
    *,
    paired_with: Callable[[Path], str | None] = lambda _: None,
    boot_file: BootFileNote = NOTHING_NOTED,
) -> Settings:
    """Returns the settings: flags override variables, which override the configuration files, which override the
    defaults. Of those, the files in config.d override config.toml, each one those before it by name.

    Raises SettingsError with every fault and where it was written. Faults of the files end no device that is paired:
    `paired_with` gives the service's address by the state directory, and the rest of the settings holds. Faults of the
    boot file end no device that can start without it.
    """
    named = flags.get("config") or environment.get(PREFIX + "CONFIG")
    file = Path(named or DEFAULT_CONFIG)
    file_faults: list[Phrase] = []  # They end no device that is paired.
    faults: list[Phrase] = []
    written = list(_of_files(file, file_faults, is_needed=bool(named)))
    is_explained = bool(file_faults)  # A file that could not be read may hold all that is missing.
    merged = _merged([*written, *_of_variables(environment, faults), *_of_flags(flags, faults)])
    values = _values(merged)
    _choose_proxy(values, environment, file_faults)
    unset = () if "service" in merged else (_unset(file),)
    if not unset and not file_faults and not faults:
        return Settings(**values, boot_file=boot_file)
    known = paired_with(values.get("state", DEFAULT_STATE))
    if faults or known is None:
        lacking = unset if known is None else ()
        raise SettingsError(
            [*boot_file.faults, *file_faults, *lacking, *faults],
            Settings(**{"service": "", **values}, boot_file=boot_file),
            file=file,
            lacks_service=bool(lacking) and not is_explained and not boot_file.faults,
        )
    if "service" not in values:
        values["service"] = known
        values["allow_plain_http"] = known.startswith("http:")  # It was allowed when the device was paired.
        _choose_proxy(values, environment, file_faults)
    return Settings(**values, faults=(*file_faults, *unset), boot_file=boot_file)


def _unset(file: Path) -> Phrase:
    return phrase(
        "The address of the menu service is not set. Give --service URL, set MENU_PLAYER_SERVICE, or write "
        " {line}  into {file}",
        line='service = "https://…"',
        file=str(file),
    )


def near(key: str, settings: Mapping[str, Setting]) -> str:
    """Returns the setting that is meant; empty if that cannot be told."""
    import difflib  # for a mistake only

    spelled = key.lower().replace("-", "_")
    also = (name for name, setting in settings.items() if spelled in setting.also)
    return next(also, None) or next(iter(difflib.get_close_matches(spelled, settings, n=1)), "")


def unknown_setting(key: str, settings: Mapping[str, Setting]) -> Phrase:
    """Returns the fault of an unknown setting, with the one that may be meant."""
    meant = near(key, settings)
    return phrase("unknown setting; did you mean {near}?", near=meant) if meant else phrase("unknown setting")


def lines_of(text: str) -> dict[str, int]:
    """Returns the line of each key at the top of a TOML file; good enough for a person to find it."""
    found = (re.match(r"\s*\[*\s*[\"']?([\w-]+)", line) for line in text.splitlines())
    return {key[1]: number for number, key in reversed([*enumerate(found, 1)]) if key}


def not_toml(error: ValueError) -> tuple[int | None, Phrase]:
    """Returns the line of a mistake that the parser names, and why."""
    found = re.search(r" \(at line (\d+), column \d+\)$", str(error))
    why = str(error)[: found.start()] if found else str(error)
    return int(found[1]) if found else None, phrase("not TOML: {why}", why=why)


def place_in(file: str, line: int | None) -> str:
    """A place in a file."""
    return file if line is None else phrase("{file}, line {line}", file=file, line=str(line))


class _Given(NamedTuple):
    """A setting as it was written, its place, and the list for its faults."""

    key: str
    raw: Any
    where: str
    faults: list[Phrase]

    def fault(self, what: str) -> None:
        self.faults.append(fault_at(self.where, what))


def _of_files(file: Path, faults: list[Phrase], *, is_needed: bool) -> Iterator[_Given]:
    for path in (file, *_further(file, faults)):
        written, lines = _read_config(path, faults, is_needed=is_needed and path == file)
        for key, raw in written.items():
            yield _Given(key, raw, fault_at(place_in(str(path), lines.get(key)), key), faults)


def _of_variables(environment: Mapping[str, str], faults: list[Phrase]) -> Iterator[_Given]:
    for name, text in sorted(environment.items()):
        if name.startswith(PREFIX) and name != PREFIX + "CONFIG":
            yield _Given(name.removeprefix(PREFIX).lower(), text, name, faults)


def _of_flags(flags: Mapping[str, Any], faults: list[Phrase]) -> Iterator[_Given]:
    for key, flag in flags.items():
        if flag is not None and key in SETTINGS:
            yield _Given(key, flag, f"--{flag}" if key == "mode" else f"--{key.replace('_', '-')}", faults)


def _merged(written: Iterable[_Given]) -> dict[str, _Given]:
    """Returns the last one of each setting."""
    merged = {}
    for given in written:
        if given.key in SETTINGS:
            merged[given.key] = given
        elif given.key not in FORMER:
            given.fault(unknown_setting(given.key, SETTINGS))
    return merged


def _values(merged: Mapping[str, _Given]) -> dict[str, Any]:
    """Returns the settings that are right."""
    values: dict[str, Any] = {}
    for key, given in merged.items():
        try:
            values[key] = SETTINGS[key].read(given.raw)
        except ValueError as error:
            given.fault(error.args[0])
    if "service" in values:
        try:
            allowed = values.get("allow_plain_http", False)
            values["service"] = service_address(values["service"], allow_plain_http=allowed)
        except AddressError as error:
            del values["service"]
            merged["service"].fault(error.args[0])
    return values


def _choose_proxy(values: dict[str, Any], environment: Mapping[str, str], faults: list[Phrase]) -> None:
    """Put the environment's proxy for the service into the values, unless they say which one to use."""
    if values.get("proxy") == read.DIRECT:
        values["proxy"] = None
    elif "proxy" not in values and "service" in values:
        try:
            values["proxy"] = read.proxy_of_environment(values["service"], environment)
        except ValueError as error:
            faults.append(error.args[0])


def _further(config: Path, faults: list[Phrase]) -> Sequence[Path]:
    """Returns the files in config.d, beside config.toml."""
    try:
        found = sorted(path for path in config.with_suffix(".d").iterdir() if path.suffix == ".toml")
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except OSError as error:
        why = phrase("cannot be read: {why}", why=str(error.strerror))
        faults.append(fault_at(str(config.with_suffix(".d")), why))
        return ()
    return found[:MAX_CONFIG_FILES]


def _read_config(path: Path, faults: list[Phrase], *, is_needed: bool) -> tuple[dict[str, Any], dict[str, int]]:
    """Returns the settings in the file, and the line of each."""
    where, what = str(path), phrase("no such file")
    try:
        raw = read_plain(path, MAX_CONFIG_BYTES + 1)
        if len(raw) <= MAX_CONFIG_BYTES:
            import tomllib  # Slow to load, and most boards have no file.

            text = raw.decode()
            return tomllib.loads(text), lines_of(text)
        what = phrase("larger than {most} bytes", most=str(MAX_CONFIG_BYTES))
    except FileNotFoundError:
        if not is_needed:
            return {}, {}
    except OSError as error:
        what = phrase("cannot be read: {why}", why=str(error.strerror))
    except ValueError as error:
        line, what = not_toml(error)
        where = place_in(where, line)
    faults.append(fault_at(where, what))
    return {}, {}
