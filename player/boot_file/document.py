"""Checks the text of a boot file, and says each mistake with its line and what to write instead; touches no system.

A flat list of settings: those of config.toml, and those of the machine below. Nothing is used of a file with a mistake.
"""

from __future__ import annotations

import ipaddress
import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from msgspec import Struct

from player.domain.address import AddressError, service_address
from player.domain.boot_file import FILE_NAME, MAX_NOTED
from player.domain.words.phrase import Phrase, phrase
from player.domain.words.redacted import Redacted
from player.settings import lines_of, place_in, read_ca_file, read_setting, setting_names

MAX_BOOT_FILE_BYTES = 64 * 1024
MAX_CERTIFICATES_BYTES = 1024 * 1024
MAX_WIFI_NAME_BYTES = 32
MAX_NAME_SERVERS = 3

TAKEN_OVER = "taken over by the board and deleted here"
"""Stands in the place of a secret that the board has; a new value takes its place."""

COUNTRIES = Path("/usr/share/zoneinfo/iso3166.tab")

NOT_FROM_HERE = frozenset({"state", "mode", "size", "snapshot", "clock_offset_file"})
"""Settings of config.toml that have no place in a boot file."""

SECRETS = ("wifi_password", "page_pin", "proxy", "enrolment_token")
OF_MACHINE = (
    "wifi_name",
    "wifi_password",
    "wifi_country",
    "wifi_hidden",
    "address",
    "gateway",
    "dns",
    "time_zone",
)
MEANT = {
    "country": "wifi_country",
    "ip": "address",
    "nameserver": "dns",
    "orientation": "rotate",
    "password": "wifi_password",
    "pin": "page_pin",
    "psk": "wifi_password",
    "router": "gateway",
    "server": "service",
    "ssid": "wifi_name",
    "timezone": "time_zone",
    "token": "enrolment_token",
    "url": "service",
    "wifi": "wifi_name",
    "wlan": "wifi_name",
}
"""What people write, and what they mean by it."""

EXAMPLES = {
    "address": '"192.168.1.20/24"',
    "dns": '["192.168.1.1"]',
    "gateway": '"192.168.1.1"',
    "service": '"https://menus.example.com"',
    "time_zone": '"Europe/Berlin"',
    "wifi_country": '"DE"',
    "wifi_hidden": "true",
}

_QUOTES = "\"'“”„‟‘’‚«»`´"


class Wifi(Redacted, frozen=True, kw_only=True):
    """A network to join; an empty password for an open one."""

    redacted_fields = ("password",)
    name: str
    password: str
    country: str
    hidden: bool = False


class Address(Struct, frozen=True, kw_only=True):
    """A fixed address, with the length of its network behind it."""

    address: str
    gateway: str
    name_servers: tuple[str, ...]


class BootFile(Redacted, frozen=True, kw_only=True):
    """A boot file without mistakes. `settings` are those of the player, as they are written; `certificates` is the file
    with them, on the boot partition."""

    redacted_fields = ("settings", "secrets")
    settings: Mapping[str, Any]
    certificates: Path | None = None
    wifi: Wifi | None = None
    address: Address | None = None
    time_zone: str | None = None
    secrets: Mapping[str, str]


class Kept(Redacted, frozen=True, kw_only=True):
    """The secrets that the board has, and the name of the Wi-Fi whose password is among them."""

    redacted_fields = ("secrets",)
    secrets: Mapping[str, str] = {}
    wifi_name: str = ""


class MistakesError(Exception):
    """A boot file that cannot be used; `faults` are phrases of `where`, `what` and sometimes `write`."""

    def __init__(self, faults: Sequence[Phrase]) -> None:
        super().__init__("\n".join(faults))
        self.faults = tuple(faults)[:MAX_NOTED]


def mistake(what: Phrase, *, key: str = "", line: int | None = None, write: str = "", file: str = FILE_NAME) -> Phrase:
    """What is wrong where, and the line to write in its place."""
    where = place_in(file, line)
    if key:
        where = phrase("{where}: {what}", where=where, what=key)
    if not write:
        return phrase("{where}: {what}", where=where, what=what)
    return phrase("{where}: {what}. Write:  {write}", where=where, what=what, write=write)


def text_of(raw: bytes) -> str:
    """The text of a file, also as Windows' editor writes it. Raises MistakesError."""
    if len(raw) > MAX_BOOT_FILE_BYTES:
        raise MistakesError([mistake(phrase("larger than {most} bytes", most=str(MAX_BOOT_FILE_BYTES)))])
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = None if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else raw.count(b"\n", 0, error.start) + 1
        what = phrase("not saved as UTF-8. Open the file in an editor, and save it with the encoding UTF-8")
        raise MistakesError([mistake(what, line=line)]) from None


def read_boot_file(text: str, *, folder: Path, kept: Kept) -> BootFile:
    """What the text asks for. `folder` is where the file with the certificates lies. Raises MistakesError."""
    faults: Mapping[int, Unread] = {}
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        document, faults = _line_by_line(text, str(error))
    check = _Check(document, lines_of(text), folder, kept, unread=faults)
    return check.boot_file()


def without_secrets(text: str) -> str:
    """The same file with TAKEN_OVER in the place of its secrets, also in comments."""
    document = tomllib.loads(text)
    secrets = secrets_in(document)
    if not secrets:
        return text
    wanted = {**document, **dict.fromkeys(secrets, TAKEN_OVER)}
    lines = []
    for line in text.splitlines(keepends=True):
        end = line[len(line.rstrip("\r\n")) :]
        key = re.match(r"[ \t]*[\"']?([\w-]+)[\"']?[ \t]*=", line)
        if key and key[1] in secrets:
            line = f'{key[1]} = "{TAKEN_OVER}"{end}'
        elif line.lstrip().startswith("#"):
            for secret in secrets.values():
                line = line.replace(secret, "…")
        lines.append(line)
    rewritten = "".join(lines)
    try:
        if tomllib.loads(rewritten) == wanted and not any(secret in rewritten for secret in secrets.values()):
            return rewritten
    except tomllib.TOMLDecodeError:
        pass
    # Written over several lines, or twice: the comments go.
    return written(wanted)


def secrets_in(document: Mapping[str, Any]) -> dict[str, str]:
    """The secrets that can be read in a document. A proxy without a password is none."""
    found = {key: str(document[key]) for key in SECRETS if document.get(key) not in (None, "", TAKEN_OVER)}
    if "@" not in found.get("proxy", ""):
        found.pop("proxy", None)
    return found


def written(document: Mapping[str, Any]) -> str:
    """A document as TOML: texts, numbers, flags, and lists of them."""
    # JSON writes all of these as TOML does. What it would escape otherwise is printable here.
    return "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in document.items())


class _Check:
    """One check of a document."""

    def __init__(
        self,
        document: Mapping[str, Any],
        lines: Mapping[str, int],
        folder: Path,
        kept: Kept,
        *,
        unread: Mapping[int, Unread],
    ) -> None:
        self._document = document
        self._lines = lines
        self._folder = folder
        self._kept = kept
        self._faults = [(line, each.fault) for line, each in unread.items()]
        self._unread = {each.key for each in unread.values()}

    def boot_file(self) -> BootFile:
        known = self._known()
        for key in [key for key, value in known.items() if value == TAKEN_OVER and key in SECRETS]:
            is_same = key != "wifi_password" or known.get("wifi_name") == self._kept.wifi_name
            if key in self._kept.secrets and is_same:
                known[key] = self._kept.secrets[key]
            else:
                self._fault(key, phrase("this board does not have it; write it here again"), f'{key} = "…"')
                del known[key]
        certificates = self._certificates(known)
        wifi, address = self._wifi(known), self._address(known)
        time_zone = self._read(known, "time_zone", _time_zone)
        settings = {key: value for key, value in known.items() if key not in OF_MACHINE and self._is_right(key, value)}
        self._check_service(settings)
        if self._faults:
            raise MistakesError([fault for _, fault in sorted(self._faults, key=lambda each: each[0])])
        return BootFile(
            settings=settings,
            certificates=certificates,
            wifi=wifi,
            address=address,
            time_zone=time_zone,
            secrets=secrets_in(known),
        )

    def _known(self) -> dict[str, Any]:
        """The settings that there are."""
        names = known_names()
        found = {}
        for key, value in self._document.items():
            if isinstance(value, dict) or (isinstance(value, list) and any(isinstance(each, dict) for each in value)):
                self._fault(key, phrase("this file has no sections: remove the line in [brackets]"))
            elif key in names:
                found[key] = value
            else:
                self._fault(key, unknown(key, names))
        return found

    def _read(self, known: Mapping[str, Any], key: str, reader: Callable[[Any], Any]) -> Any:
        """The value of a setting, None if there is none."""
        if key not in known:
            return None
        value = known[key]
        if isinstance(value, str) and re.search(r"[\x00-\x1f\x7f]", value):
            meant = phrase("a backslash means something else inside \"…\"; write '…' around the text")
            self._fault(key, meant, f"{key} = '…'")
            return None
        try:
            return reader(value)
        except ValueError as error:
            what = error.args[0]
            self._fault(key, what, f"{key} = {EXAMPLES[key]}" if key in EXAMPLES else "")
            return None

    def _is_right(self, key: str, value: Any) -> bool:
        faults = len(self._faults)
        self._read({key: value}, key, lambda raw: read_setting(key, raw))
        return len(self._faults) == faults

    def _check_service(self, settings: Mapping[str, Any]) -> None:
        if "service" not in settings:
            return
        is_allowed = "allow_plain_http" in settings and read_setting("allow_plain_http", settings["allow_plain_http"])
        try:
            service_address(settings["service"], allow_plain_http=is_allowed)
        except AddressError as error:
            encrypted = "https://" + settings["service"].strip().removeprefix("http://")
            self._fault("service", error.args[0], f'service = "{encrypted}"' if _is_service(encrypted) else "")

    def _certificates(self, known: dict[str, Any]) -> Path | None:
        name = known.pop("ca_file", None)
        if name is None:
            return None
        if not isinstance(name, str) or not name.strip() or re.search(r"[/\\]", name) or name in (".", ".."):
            self._fault("ca_file", phrase("there is no file {name} beside {file}", name=str(name)[:80], file=FILE_NAME))
            return None
        file = self._folder / name.strip()
        try:
            if file.stat().st_size > MAX_CERTIFICATES_BYTES:
                too_large = phrase("larger than {most} bytes", most=str(MAX_CERTIFICATES_BYTES))
                raise ValueError(phrase("{where}: {what}", where=name, what=too_large))
            return Path(read_ca_file(str(file)))
        except OSError:
            what = phrase("there is no file {name} beside {file}", name=name, file=FILE_NAME)
        except ValueError as error:
            what = error.args[0]
        self._fault("ca_file", what)
        return None

    def _wifi(self, known: Mapping[str, Any]) -> Wifi | None:
        name = self._read(known, "wifi_name", _wifi_name)
        password = self._read(known, "wifi_password", _wifi_password)
        country = self._read(known, "wifi_country", _country)
        hidden = self._read(known, "wifi_hidden", _flag)
        if "wifi_name" not in known and "wifi_name" not in self._unread:
            for key in ("wifi_password", "wifi_country", "wifi_hidden"):
                if key in known:
                    self._fault(key, phrase("{name} is missing", name="wifi_name"), 'wifi_name = "…"')
                    break
            return None
        for key, write in (("wifi_password", 'wifi_password = "…"'), ("wifi_country", 'wifi_country = "DE"')):
            if "wifi_name" in known and key not in self._document and key not in self._unread:
                self._fault("wifi_name", phrase("{name} is missing", name=key), write)
        if name is None or password is None or country is None:
            return None
        return Wifi(name=name, password=password, country=country, hidden=bool(hidden))

    def _address(self, known: Mapping[str, Any]) -> Address | None:
        own = self._read(known, "address", _own_address)
        gateway = self._read(known, "gateway", _one_address)
        name_servers = self._read(known, "dns", _addresses)
        given = [key for key in ("address", "gateway", "dns") if key in known]
        for key in ("address", "gateway", "dns"):
            if given and key not in given and key not in self._unread:
                self._fault(given[0], phrase("{name} is missing", name=key), f"{key} = {EXAMPLES[key]}")
        if own is None or gateway is None or name_servers is None:
            return None
        if ipaddress.IPv4Address(gateway) not in own.network or gateway == str(own.ip):
            what = phrase("{given} is not in the network of {address}", given=gateway, address=str(own))
            self._fault("gateway", what)
        return Address(address=str(own), gateway=gateway, name_servers=name_servers)

    def _fault(self, key: str, what: Phrase, write: str = "") -> None:
        line = self._lines.get(key)
        self._faults.append((line or 0, mistake(what, key=key, line=line, write=write)))


def known_names() -> tuple[str, ...]:
    """All settings that may stand in a boot file."""
    return (*(name for name in setting_names() if name not in NOT_FROM_HERE), *OF_MACHINE)


def unknown(key: str, names: Sequence[str]) -> Phrase:
    """That there is no such setting, and which one may be meant."""
    meant = _near(key, names)
    return phrase("unknown setting; did you mean {near}?", near=meant) if meant else phrase("unknown setting")


def _near(key: str, names: Sequence[str]) -> str:
    """The name that is meant; empty if that cannot be told."""
    import difflib  # for a mistake only

    spelled = key.lower().replace("-", "_")
    return MEANT.get(spelled) or next(iter(difflib.get_close_matches(spelled, names, n=1)), "")


class Unread(Struct, frozen=True):
    """A line that cannot be read, and the setting that it is about; empty where that cannot be told."""

    fault: Phrase
    key: str


def _line_by_line(text: str, error: str) -> tuple[dict[str, Any], dict[int, Unread]]:
    """What the lines say that can be read by themselves, and the others by their numbers. Where there are none: those
    that stand there twice, or else what the reader says of the whole."""
    document: dict[str, Any] = {}
    unread: dict[int, Unread] = {}
    twice: dict[int, Unread] = {}
    for number, line in enumerate(text.splitlines(), 1):
        found = re.match(r"\s*[\"']?([\w-]+)", line)
        key = found[1] if found else ""
        try:
            read = tomllib.loads(line)
        except tomllib.TOMLDecodeError:
            write = _meant(line)
            fault = mistake(phrase("this line cannot be understood"), key=key, line=number, write=write)
            unread[number] = Unread(fault, write.partition(" ")[0] or key)
            continue
        if key in document:
            fault = mistake(phrase("this setting is written twice"), key=key, line=number)
            twice[number] = Unread(fault, key)
        else:
            document.update(read)
    if not unread and not twice:
        place = re.search(r" \(at line (\d+), column \d+\)$", error)
        what = phrase("not TOML: {why}", why=error[: place.start()] if place else error)
        line_number = int(place[1]) if place else None
        unread[line_number or 0] = Unread(mistake(what, line=line_number), "")
    return document, unread | twice


def _meant(line: str) -> str:
    """The line as it was meant, if that can be told; empty otherwise."""
    found = re.match(r"\s*[\"']?([\w-]+)[\"']?\s*[=:]+\s*(.*?)[\s;,]*$", line)
    if not found:
        return ""
    key, value = _near(found[1], known_names()) or found[1].lower(), found[2].strip().strip(_QUOTES)
    quoted = f"'{value}'" if "\\" in value and "'" not in value else json.dumps(value, ensure_ascii=False)
    if key in SECRETS:
        quoted = "'…'" if "\\" in value else '"…"'
    elif not value:
        quoted = EXAMPLES.get(key, '"…"')
    elif re.fullmatch(r"true|false|[1-9]\d*|0", value.lower()):
        quoted = value.lower()
    meant = f"{key} = {quoted}"
    try:
        tomllib.loads(meant)
    except tomllib.TOMLDecodeError:
        return ""
    return meant


def _text(raw: Any) -> str:
    if not isinstance(raw, str) or not raw.strip():
        raise ValueError(phrase('not a text in quotation marks: "…"'))
    return raw.strip()


def _wifi_name(raw: Any) -> str:
    if isinstance(raw, int | float):
        raise ValueError(phrase('not a text in quotation marks: "…"'))
    if not isinstance(raw, str) or not 1 <= len(raw.encode()) <= MAX_WIFI_NAME_BYTES:
        raise ValueError(phrase("the name of a Wi-Fi has 1 to {most} characters", most=str(MAX_WIFI_NAME_BYTES)))
    return raw


def _wifi_password(raw: Any) -> str:
    if not isinstance(raw, str):
        raise ValueError(phrase('not a text in quotation marks: "…"'))
    if raw and not 8 <= len(raw.encode()) <= 63 and not re.fullmatch("[0-9A-Fa-f]{64}", raw):
        raise ValueError(phrase("the password of a Wi-Fi has 8 to 63 characters, and that of an open one is empty"))
    return raw


def _country(raw: Any) -> str:
    country = _text(raw).upper()
    try:
        lines = COUNTRIES.read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    known = {line[:2] for line in lines if not line.startswith("#")}
    if not re.fullmatch("[A-Z]{2}", country) or (known and country not in known):
        raise ValueError(phrase("{given} is not the code of a country, two letters", given=repr(raw)))
    return country


def _flag(raw: Any) -> bool:
    if not isinstance(raw, bool):
        raise ValueError(phrase("{given} is neither true nor false", given=repr(raw)))
    return raw


def _own_address(raw: Any) -> ipaddress.IPv4Interface:
    text = _text(raw)
    try:
        found = ipaddress.IPv4Interface(text)
    except ValueError:
        raise ValueError(phrase("{given} is not an address like 192.168.1.20/24", given=repr(raw))) from None
    if "/" not in text:
        what = phrase("write the length of the network after {given}, usually /24", given=text)
        raise ValueError(what)
    is_end = found.network.prefixlen < 31 and found.ip in (
        found.network.network_address,
        found.network.broadcast_address,
    )
    if is_end or found.is_loopback or found.is_multicast or found.is_unspecified:
        raise ValueError(phrase("{given} cannot be the address of a device", given=repr(raw)))
    return found


def _one_address(raw: Any) -> str:
    try:
        return str(ipaddress.IPv4Address(_text(raw)))
    except ipaddress.AddressValueError:
        raise ValueError(phrase("{given} is not an address like 192.168.1.1", given=repr(raw))) from None


def _addresses(raw: Any) -> tuple[str, ...]:
    each = raw if isinstance(raw, list) else re.split(r"[\s,;]+", _text(raw))
    if not 1 <= len(each) <= MAX_NAME_SERVERS:
        raise ValueError(phrase("write 1 to {most} name servers", most=str(MAX_NAME_SERVERS)))
    return tuple(_one_address(one) for one in each)


def _time_zone(raw: Any) -> str:
    zone = _text(raw)
    try:
        ZoneInfo(zone)
    except (OSError, ValueError, KeyError):
        import difflib  # for a mistake only

        cities = {name.rpartition("/")[2].lower(): name for name in available_timezones()}
        near = difflib.get_close_matches(zone.rpartition("/")[2].replace(" ", "_").lower(), cities, n=1)
        if near:
            what = phrase("there is no time zone {given}; did you mean {near}?", given=repr(raw), near=cities[near[0]])
        else:
            what = phrase("there is no time zone {given}", given=repr(raw))
        raise ValueError(what) from None
    return zone


def _is_service(address: str) -> bool:
    try:
        service_address(address)
    except AddressError:
        return False
    return True
