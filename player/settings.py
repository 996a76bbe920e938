"""The player's settings, from flags, MENU_PLAYER_* variables, config.toml and config.d; reports every fault at once."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from player.domain.address import AddressError, service_address
from player.domain.boot_file import NOTHING_NOTED, BootFileNote
from player.domain.panel import MAX_OVERSCAN, ROTATIONS, PowerRule, is_mode
from player.domain.words.phrase import LANGUAGES, Phrase, chosen_language, phrase
from player.domain.words.redacted import Redacted
from player.domain.words.wording import FALLBACK_LOCALE
from player.plain_file import open_plain, read_plain

DEFAULT_CONFIG = Path("/etc/menu-player/config.toml")
DEFAULT_STATE = Path("/var/lib/menu-player")
DEFAULT_DIAGNOSTICS_PORT = 8085
PREFIX = "MENU_PLAYER_"
MAX_CONFIG_BYTES = 64 * 1024
MAX_CONFIG_FILES = 20
"""In config.d; the others are not read."""
MAX_DOWNLOAD_LIMIT = 10_000_000
"""Kbit/s; a faster line needs no limit."""
MAX_DOWNLOAD_SPREAD = 6 * 3600
"""Seconds; a version that comes later than that comes too late."""
LEAST_DIFFERENT = 3
"""Different digits that a PIN has at least."""
NOTHING_KNOWN: Mapping[str, Any] = {}
DIRECT = "none"
"""As `proxy`: no proxy, whatever the environment says."""


class Mode(StrEnum):
    """Where the board is drawn."""

    FULLSCREEN = "fullscreen"
    WINDOWED = "windowed"
    OFFSCREEN = "offscreen"


class PageAccess(StrEnum):
    """From where the player's page can be opened."""

    NETWORK = "network"
    """From this machine, and with the PIN on the screen from others."""
    DEVICE = "device"
    OFF = "off"


class Settings(Redacted, frozen=True, kw_only=True):
    """A player's settings, checked. `diagnostics_port` 0 lets the system choose one; `rotate` (degrees, clockwise) None
    leaves it to the service; so do the other settings of the panel: `overscan` (percent of each side), `display_mode`
    and `display_power`. `proxy` is a URL that may hold a password;
    `download_limit` is in kbit/s, 0 for none; `download_spread` is in seconds."""

    redacted_fields = ("proxy", "page_pin", "enrolment_token")

    service: str
    state: Path = DEFAULT_STATE
    mode: Mode = Mode.FULLSCREEN
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
    download_limit: int = 0
    download_spread: int = 0
    clock_offset_file: Path | None = None
    faults: tuple[str, ...] = ()
    """Sentences on what could not be used of the configuration file of a device that is paired."""
    boot_file: BootFileNote = NOTHING_NOTED


class SettingsError(Exception):
    """The settings are invalid; `faults` holds a phrase for each fault, `known` those settings that are right. `page`
    is closed to other machines if nobody knows what it was to be. `file` is the configuration file. `lacks_service`
    says that the address of the service is written nowhere, and no other fault explains that; the sentence about it is
    the only one that names no place. `of_boot_file` says that some faults, the first ones, are those of the boot file.
    """

    def __init__(
        self,
        faults: Sequence[Phrase],
        known: Mapping[str, Any] = NOTHING_KNOWN,
        page: PageAccess = PageAccess.DEVICE,
        *,
        file: Path = DEFAULT_CONFIG,
        lacks_service: bool = False,
        of_boot_file: bool = False,
    ) -> None:
        super().__init__("\n".join(faults))
        self.faults = tuple(faults)
        self.known = known
        self.page = page
        self.file = file
        self.lacks_service = lacks_service
        self.of_boot_file = of_boot_file


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of `menu-player run`; the configuration and the environment can set each too."""
    parser.add_argument("--service", metavar="URL", help="base address of the menu service")
    parser.add_argument("--state", metavar="DIR", help=f"state directory ({DEFAULT_STATE})")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument(
        "--windowed", action="store_const", const="windowed", dest="mode", help="in a window; Esc closes it"
    )
    mode.add_argument("--offscreen", action="store_const", const="offscreen", dest="mode", help="draw without a screen")
    parser.add_argument("--size", metavar="WxH", help="size of the window or of the offscreen image (1920x1080)")
    parser.add_argument(
        "--rotate",
        metavar="DEGREES",
        help="rotate the image clockwise by 0, 90, 180 or 270 (as the service says)",
    )
    parser.add_argument(
        "--overscan", metavar="PERCENT", help=f"leave a margin at each edge, 0 to {MAX_OVERSCAN} %% of the side (0)"
    )
    parser.add_argument(
        "--display-mode", metavar="WxH[@HZ]", help="drive the screen in this mode, such as 1920x1080@60 (its own)"
    )
    parser.add_argument(
        "--display-power",
        metavar="RULE",
        help="switch the screen off by the opening hours of its location (hours), or never (always) (as the service"
        " says)",
    )
    parser.add_argument("--snapshot", metavar="FILE", help="write what is on the screen into this PNG file")
    parser.add_argument(
        "--diagnostics-port",
        metavar="N",
        help=f"port of the diagnostics page ({DEFAULT_DIAGNOSTICS_PORT}; 0: any)",
    )
    parser.add_argument(
        "--page",
        metavar="FROM",
        help="who can open that page: network (with the PIN that the screen shows), device (this machine alone) or off"
        " (network)",
    )
    parser.add_argument(
        "--language",
        metavar="CODE",
        help="what the device speaks until it knows its location: en, ar, de, es or fr (as LANG says)",
    )
    parser.add_argument(
        "--no-announce",
        action="store_const",
        const="false",
        dest="announce",
        help="do not let menu-player discover find this screen",
    )
    parser.add_argument(
        "--allow-plain-http",
        action="store_const",
        const="true",
        help="allow http:// to machines other than this one",
    )
    parser.add_argument(
        "--proxy",
        metavar="URL",
        help="reach the service through this proxy, http://[user:password@]host:port (as HTTPS_PROXY says; "
        "none: directly)",
    )
    parser.add_argument("--ca-file", metavar="FILE", help="trust the certificates in this PEM file, too")
    parser.add_argument(
        "--download-limit", metavar="KBITS", help="download images and videos at this many kbit/s at most (0: no limit)"
    )
    parser.add_argument(
        "--download-spread",
        metavar="SECONDS",
        help="spread the downloads of a new version over this time, for many screens on one line (0)",
    )
    parser.add_argument(
        "--clock-offset-file", metavar="FILE", help="for rehearsals: add the seconds in this file to the clock"
    )
    parser.add_argument("--config", metavar="FILE", help=f"configuration file ({DEFAULT_CONFIG}, if it exists)")


def read_settings(
    flags: Mapping[str, str | None],
    environment: Mapping[str, str],
    *,
    paired_with: Callable[[Path], str | None] = lambda _: None,
    boot_file: BootFileNote = NOTHING_NOTED,
) -> Settings:
    """The settings: flags override variables, which override the configuration files, which override the defaults. Of
    those, the files in config.d override config.toml, each one those before it by name.

    Raises SettingsError with every fault and where it was written. Faults of the files end no device that is paired:
    `paired_with` gives the service's address by the state directory, and the rest of the settings holds. Faults of the
    boot file end no device that can start without it.
    """
    faults: list[Phrase] = []
    file_faults: list[Phrase] = []
    merged: dict[str, tuple[str, Any]] = {}
    config = flags.get("config") or environment.get(PREFIX + "CONFIG")
    file = Path(config) if config else None
    further = _further(file or DEFAULT_CONFIG, file_faults)
    is_explained = bool(file_faults)
    for path in (file or DEFAULT_CONFIG, *further):
        known_faults = len(file_faults)
        written, lines = _read_config(path, file_faults, is_needed=path == file)
        is_explained = is_explained or len(file_faults) > known_faults
        for key, value in written.items():
            place = phrase("{where}: {what}", where=place_in(str(path), lines.get(key)), what=key)
            _take(merged, key, value, place, file_faults)
    is_unread = is_explained or (bool(file_faults) and not merged)
    of_file = dict(merged)
    for name, text in sorted(environment.items()):
        if name.startswith(PREFIX) and name != PREFIX + "CONFIG":
            _take(merged, name.removeprefix(PREFIX).lower(), text, name, faults)
    for key, flag in flags.items():
        if flag is not None and key in _READERS:
            shown = f"--{flag}" if key == "mode" else f"--{key.replace('_', '-')}"
            _take(merged, key, flag, shown, faults)

    values: dict[str, Any] = {}
    for key, (where, raw) in merged.items():
        try:
            values[key] = _READERS[key](raw)
        except ValueError as error:
            (file_faults if merged[key] is of_file.get(key) else faults).append(_fault(where, error.args[0]))
    unset: Phrase | None = None
    if "service" not in merged:
        unset = phrase(
            "The address of the menu service is not set. Give --service URL, set MENU_PLAYER_SERVICE, or write "
            " {line}  into {file}",
            line='service = "https://…"',
            file=str(file or DEFAULT_CONFIG),
        )
        file_faults.append(unset)
    elif "service" in values:
        try:
            values["service"] = service_address(
                values["service"], allow_plain_http=values.get("allow_plain_http", False)
            )
        except AddressError as error:
            del values["service"]
            given_in_file = merged["service"] is of_file.get("service")
            (file_faults if given_in_file else faults).append(_fault(merged["service"][0], error.args[0]))
    _choose_proxy(values, environment, file_faults)
    if faults or file_faults:
        known = paired_with(values.get("state", DEFAULT_STATE))
        if faults or known is None:
            if unset is not None and known is not None:
                file_faults.remove(unset)
            is_closed = is_unread or bool({"page", "page_pin"} & (merged.keys() - values.keys()))
            page = PageAccess.DEVICE if is_closed else values.get("page", PageAccess.NETWORK)
            raise SettingsError(
                [*boot_file.faults, *file_faults, *faults],
                values,
                page,
                file=file or DEFAULT_CONFIG,
                lacks_service=unset is not None and known is None and not is_explained and not boot_file.faults,
                of_boot_file=bool(boot_file.faults),
            )
        if "service" not in values:
            values["service"] = known
            values["allow_plain_http"] = known.startswith("http:")  # It was allowed when the device was paired.
            _choose_proxy(values, environment, file_faults)
    return Settings(**values, faults=tuple(file_faults), boot_file=boot_file)


def setting_names() -> tuple[str, ...]:
    """All settings that there are."""
    return tuple(_READERS)


def read_setting(key: str, raw: Any) -> Any:
    """The value of a setting. Raises ValueError, with a phrase; KeyError if there is no such setting."""
    return _READERS[key](raw)


def hidden_config(flags: Mapping[str, str | None], environment: Mapping[str, str]) -> Path | None:
    """The configuration file, if this user may not read it."""
    config = Path(flags.get("config") or environment.get(PREFIX + "CONFIG") or DEFAULT_CONFIG)
    for path in (config, *_further(config, [])):
        try:
            open_plain(path).close()
        except PermissionError:
            return path
        except OSError:
            pass
    return None


def _choose_proxy(values: dict[str, Any], environment: Mapping[str, str], faults: list[Phrase]) -> None:
    """Put the environment's proxy for the service into the values, unless they say which one to use."""
    if values.get("proxy") == DIRECT:
        values["proxy"] = None
    elif "proxy" not in values and "service" in values:
        try:
            values["proxy"] = _proxy_of_environment(values["service"], environment)
        except ValueError as error:
            faults.append(error.args[0])


def _proxy_of_environment(service: str, environment: Mapping[str, str]) -> str | None:
    """What HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY say for this address; names in lower case come first, and an
    empty one counts as none. Raises ValueError."""
    parts = urlsplit(service)
    for name in (f"{parts.scheme}_proxy", "all_proxy"):
        for spelling in (name, name.upper()):
            text = environment.get(spelling)
            if text is None:
                continue
            if not text.strip() or _is_direct(parts.hostname or "", parts.port, environment):
                return None
            try:
                return read_proxy(text)
            except ValueError as error:
                raise ValueError(_fault(spelling, error.args[0])) from None
    return None


def _is_direct(host: str, port: int | None, environment: Mapping[str, str]) -> bool:
    """Whether NO_PROXY names the host: itself, a domain that it is in, or an address."""
    for entry in environment.get("no_proxy", environment.get("NO_PROXY", "")).split(","):
        named, its_port = entry.strip().lower(), ""
        if named.count(":") == 1:
            named, _, its_port = named.partition(":")
        named = named.removeprefix("*").removeprefix(".")
        if its_port and its_port != str(port):
            continue
        if entry.strip() == "*" or (named and (host == named or host.endswith(f".{named}"))):
            return True
    return host == "localhost" or host.startswith("127.") or host == "::1"


def _further(config: Path, faults: list[Phrase]) -> Sequence[Path]:
    """The files in config.d, beside config.toml."""
    try:
        found = sorted(path for path in config.with_suffix(".d").iterdir() if path.suffix == ".toml")
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except OSError as error:
        why = phrase("cannot be read: {why}", why=str(error.strerror))
        faults.append(_fault(str(config.with_suffix(".d")), why))
        return ()
    return found[:MAX_CONFIG_FILES]


def _read_config(path: Path, faults: list[Phrase], *, is_needed: bool) -> tuple[dict[str, Any], dict[str, int]]:
    """The settings in the file, and the line of each."""
    try:
        raw = read_plain(path, MAX_CONFIG_BYTES + 1)
    except FileNotFoundError:
        if is_needed:
            faults.append(_fault(str(path), phrase("no such file")))
        return {}, {}
    except OSError as error:
        faults.append(_fault(str(path), phrase("cannot be read: {why}", why=str(error.strerror))))
        return {}, {}
    import tomllib  # Slow to load, and most boards have no file.

    if len(raw) > MAX_CONFIG_BYTES:
        faults.append(_fault(str(path), phrase("larger than {most} bytes", most=str(MAX_CONFIG_BYTES))))
        return {}, {}
    try:
        text = raw.decode()
        return tomllib.loads(text), lines_of(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        found = re.search(r" \(at line (\d+), column \d+\)$", str(error))
        why = str(error)[: found.start()] if found else str(error)
        faults.append(_fault(place_in(str(path), int(found[1]) if found else None), phrase("not TOML: {why}", why=why)))
        return {}, {}


def lines_of(text: str) -> dict[str, int]:
    """The line of each key at the top of a TOML file; good enough for a person to find it."""
    found = (re.match(r"\s*\[*\s*[\"']?([\w-]+)", line) for line in text.splitlines())
    return {key[1]: number for number, key in reversed([*enumerate(found, 1)]) if key}


def _take(merged: dict[str, tuple[str, Any]], key: str, value: Any, where: str, faults: list[Phrase]) -> None:
    if key in _READERS:
        merged[key] = (where, value)
        return
    import difflib  # for a mistake only

    near = difflib.get_close_matches(key, _READERS, n=1)
    unknown = phrase("unknown setting; did you mean {near}?", near=near[0]) if near else phrase("unknown setting")
    faults.append(_fault(where, unknown))


def _fault(where: str, what: str) -> Phrase:
    """A sentence on what is wrong, and where it was written."""
    return phrase("{where}: {what}", where=where, what=what)


def place_in(file: str, line: int | None) -> str:
    """A place in a file."""
    return file if line is None else phrase("{file}, line {line}", file=file, line=str(line))


def _none_of(raw: Any, known: Iterable[object]) -> ValueError:
    return ValueError(phrase("{given} is none of {known}", given=repr(raw), known=", ".join(map(str, known))))


def _text(raw: Any) -> str:
    if not isinstance(raw, str) or not raw.strip():
        raise ValueError(phrase("expected text, got {given}", given=repr(raw)))
    return raw.strip()


def _path(raw: Any) -> Path:
    return Path(_text(raw)).expanduser()


def _mode(raw: Any) -> Mode:
    try:
        return Mode(_text(raw))
    except ValueError:
        raise _none_of(raw, Mode) from None


def read_language(raw: Any) -> str:
    """A language that the device speaks, also as part of a locale. Raises ValueError."""
    language = chosen_language(_text(raw))
    if language is None:
        raise _none_of(raw, sorted((FALLBACK_LOCALE, *LANGUAGES)))
    return language


def read_size(raw: Any) -> tuple[int, int]:
    """A size in pixels, `1920x1080`. Raises ValueError."""
    found = re.fullmatch(r"(\d{2,5})x(\d{2,5})", _text(raw))
    if not found or not all(64 <= int(side) <= 8192 for side in found.groups()):
        raise ValueError(phrase("{given} is not a size like 1920x1080 (64 to 8192 each)", given=repr(raw)))
    return int(found[1]), int(found[2])


def read_rotation(raw: Any) -> int:
    """One of ROTATIONS, in degrees. Raises ValueError."""
    text = str(raw).strip()
    if isinstance(raw, bool) or text not in map(str, ROTATIONS):
        raise _none_of(raw, ROTATIONS)
    return int(text)


def read_overscan(raw: Any) -> float:
    """Percent of a side. Raises ValueError."""
    text = str(raw).strip()
    if isinstance(raw, bool) or not re.fullmatch(r"\d{1,2}(\.\d{1,3})?", text) or float(text) > MAX_OVERSCAN:
        wanted = phrase("{given} is not a percentage from 0 to {most}", given=repr(raw), most=str(MAX_OVERSCAN))
        raise ValueError(wanted)
    return float(text)


def read_display_mode(raw: Any) -> str:
    """A mode of a screen, `1920x1080` or `1920x1080@60`. Raises ValueError."""
    text = _text(raw)
    if not is_mode(text):
        raise ValueError(phrase("{given} is not a mode like 1920x1080 or 1920x1080@60", given=repr(raw)))
    return text


def read_display_power(raw: Any) -> PowerRule:
    """What switches the screen. Raises ValueError."""
    try:
        return PowerRule(_text(raw).lower())
    except ValueError:
        raise _none_of(raw, PowerRule) from None


def read_proxy(raw: Any) -> str:
    """The URL of an HTTP proxy, or DIRECT. Raises ValueError, without the password."""
    text = _text(raw)
    if text.lower() == DIRECT:
        return DIRECT
    try:
        parts = urlsplit(text if "://" in text else f"http://{text}")
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port, parts = None, None, urlsplit("")
    if parts.scheme not in ("http", "https"):
        kind = parts.scheme or phrase("this")
        raise ValueError(phrase("{kind} is no kind of proxy that can be used; write http://host:port", kind=kind))
    if not host or port is None or parts.path not in ("", "/") or parts.query or parts.fragment:
        raise ValueError(
            phrase("this is not the address of a proxy; write http://host:port, or http://user:password@host:port")
        )
    return parts._replace(path="").geturl()


def read_page_access(raw: Any) -> PageAccess:
    """Who can open the page. Raises ValueError."""
    try:
        return PageAccess(_text(raw).lower())
    except ValueError:
        raise _none_of(raw, PageAccess) from None


def read_page_pin(raw: Any) -> str:
    """A PIN for the page. Raises ValueError, without the PIN."""
    text = str(raw).strip()
    if isinstance(raw, bool) or not re.fullmatch(r"[0-9]{6,12}", text) or len(set(text)) < LEAST_DIFFERENT:
        wanted = phrase(
            "not a PIN: write 6 to 12 digits in quotation marks, with {least} different ones",
            least=str(LEAST_DIFFERENT),
        )
        raise ValueError(wanted)
    return text


def read_enrolment_token(raw: Any) -> str:
    """A token that makes this device a screen. Raises ValueError, without the token."""
    if not isinstance(raw, str) or not re.fullmatch(r"[A-Za-z0-9_-]{16,100}", raw.strip()):
        raise ValueError(phrase("not an enrolment token: copy all of it, from the first letter to the last"))
    return raw.strip()


def read_ca_file(raw: Any) -> Path:
    """A file with certificates in PEM form. Raises ValueError."""
    path = _path(raw)
    import ssl  # Slow to load, and few boards have one.

    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cafile=path)
    except ssl.SSLError:
        wanted = phrase("{file} has no certificates in PEM form (-----BEGIN CERTIFICATE-----)", file=str(path))
        raise ValueError(wanted) from None
    except OSError as error:
        raise ValueError(phrase("{file} cannot be read: {why}", file=str(path), why=str(error.strerror))) from None
    return path


def _whole(most: int, unit: str) -> Callable[[Any], int]:
    def read(raw: Any) -> int:
        text = str(raw).strip()
        if isinstance(raw, bool) or not re.fullmatch(r"\d{1,9}", text) or int(text) > most:
            wanted = phrase(
                "{given} is not a number of {unit} from 0 to {most}", given=repr(raw), unit=unit, most=str(most)
            )
            raise ValueError(wanted)
        return int(text)

    return read


def read_port(raw: Any) -> int:
    """A port, as a number or in digits. Raises ValueError."""
    if isinstance(raw, int) and not isinstance(raw, bool):
        port = raw
    elif isinstance(raw, str) and re.fullmatch(r"\d{1,5}", raw.strip()):
        port = int(raw)
    else:
        raise ValueError(phrase("{given} is not a port", given=repr(raw)))
    if not 0 <= port <= 65535:
        raise ValueError(phrase("{given} is not a port (0 to 65535)", given=str(port)))
    return port


def _flag(raw: Any) -> bool:
    if isinstance(raw, bool):
        return raw
    words = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}
    if isinstance(raw, str) and raw.strip().lower() in words:
        return words[raw.strip().lower()]
    raise ValueError(phrase("{given} is neither true nor false", given=repr(raw)))


_READERS: dict[str, Callable[[Any], Any]] = {
    "service": _text,
    "state": _path,
    "mode": _mode,
    "size": read_size,
    "snapshot": _path,
    "rotate": read_rotation,
    "overscan": read_overscan,
    "display_mode": read_display_mode,
    "display_power": read_display_power,
    "diagnostics_port": read_port,
    "announce": _flag,
    "page": read_page_access,
    "page_pin": read_page_pin,
    "language": read_language,
    "allow_plain_http": _flag,
    "proxy": read_proxy,
    "enrolment_token": read_enrolment_token,
    "ca_file": read_ca_file,
    "download_limit": _whole(MAX_DOWNLOAD_LIMIT, "kbit/s"),
    "download_spread": _whole(MAX_DOWNLOAD_SPREAD, phrase("seconds")),
    "clock_offset_file": _path,
}
