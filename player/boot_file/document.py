"""Checks the text of a boot file, and reports each mistake with its line and its correction; touches no system.

A flat list of settings: those of config.toml, and those of the machine below. Nothing is used of a file with a mistake.
"""

from __future__ import annotations

import ipaddress
import json
import re
import tomllib
from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from msgspec import Struct

from menu.text.phrase import Phrase, phrase
from player.domain.link.address import AddressError, service_address
from player.domain.pairing.boot_file import FILE_NAME, MAX_NOTED
from player.domain.redacted import Redacted
from player.setting_values import fault_at, flag, text
from player.settings import FORMER, SETTINGS, Setting, Settings, near, place_in, unknown_setting

MAX_BOOT_FILE_BYTES = 64 * 1024
MAX_CERTIFICATES_BYTES = 1024 * 1024
MAX_WIFI_NAME_BYTES = 32
MAX_NAME_SERVERS = 3

TAKEN_OVER = "taken over by the board and deleted here"
"""Stands in the place of a secret that the board has; a new value takes its place."""

COUNTRIES = Path("/usr/share/zoneinfo/iso3166.tab")

ENROLMENT = "enrolment_token"
SECRETS = ("wifi_password", *Settings.redacted_fields)

NAMED_WIFI, FIXED_ADDRESS = ("wifi_name", "wifi_password", "wifi_country"), ("address", "gateway", "dns")
"""Settings that stand together, or not at all."""

ANY_TEXT = '"…"'


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


class Taken(Redacted, frozen=True, kw_only=True):
    """File that was applied last: its digest as it stood there afterwards, whether its secrets are gone from there, the
    names of its Wi-Fi and of its certificates, and the secrets. For root alone."""

    redacted_fields = ("secrets",)
    digest: str = ""
    wiped: bool = False
    wifi_name: str = ""
    certificates: str = ""
    secrets: Mapping[str, str] = {}


class MistakesError(Exception):
    """A boot file that cannot be used; `faults` are phrases of `where`, `what` and sometimes `write`."""

    def __init__(self, faults: Sequence[Phrase]) -> None:
        super().__init__("\n".join(faults))
        self.faults = tuple(faults)[:MAX_NOTED]


CURLY = re.compile("[\u2018-\u201f\u00ab\u00bb\u2032\u2033]")
"""Quotation marks that editors put in the place of those that were typed."""


def mistake(what: Phrase, *, key: str = "", line: int | None = None, write: str = "", file: str = FILE_NAME) -> Phrase:
    """Returns a fault with its place, and the line to write there."""
    where = place_in(file, line)
    if key:
        where = phrase("{where}: {what}", where=where, what=key)
    if not write:
        return phrase("{where}: {what}", where=where, what=what)
    return phrase("{where}: {what}. Write:  {write}", where=where, what=what, write=write)


def text_of(raw: bytes) -> str:
    """Decodes the text of a file, also as Windows' editor writes it. Raises MistakesError."""
    if len(raw) > MAX_BOOT_FILE_BYTES:
        raise MistakesError([mistake(phrase("larger than {most} bytes", most=str(MAX_BOOT_FILE_BYTES)))])
    if raw.lstrip().startswith((rb"{\rtf", b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):  # RTF; .docx and .odt; .doc.
        what = phrase(
            "a document of a word processor, no plain text. Save it as plain text: in TextEdit by Format, Make Plain"
            " Text"
        )
        raise MistakesError([mistake(what)])
    try:
        # No text has a zero in it, but for UTF-16.
        return raw.replace(b"\0", b"\xff").decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = None if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else raw.count(b"\n", 0, error.start) + 1
        what = phrase("not saved as UTF-8. Open the file in an editor, and save it with the encoding UTF-8")
        raise MistakesError([mistake(what, line=line)]) from None


def read_boot_file(text: str, *, folder: Path, kept: Taken) -> BootFile:
    """Checks the text. `folder` has the file with the certificates. Raises MistakesError."""
    return _Check(folder, kept).boot_file(text)


def without_secrets(text: str) -> str:
    """Returns the same file with TAKEN_OVER in the place of its secrets; removes comments that repeat one."""
    secrets = secrets_in(tomllib.loads(text))
    lines = []
    for line in text.splitlines(keepends=True):
        if any(secret in line for secret in secrets.values()) or _key_of(line) in secrets:
            setting = tomllib.loads(line)
            setting |= dict.fromkeys(setting.keys() & secrets.keys(), TAKEN_OVER)
            line = written(setting).rstrip("\n") + line[len(line.rstrip("\r\n")) :]
        lines.append(line)
    return "".join(lines)


def without_tokens(text: str) -> str:
    """Returns the same settings without the lines that have an enrolment token, or repeat it."""
    for token in re.findall(rf"^\s*[\"']?{ENROLMENT}[\"']?\s*=\s*[\"']+([\w-]+)", text, re.MULTILINE):
        text = re.sub(rf"^.*{token}.*\n?", "", text, flags=re.MULTILINE)
    return text


def _key_of(line: str) -> str:
    found = re.match(r"\s*\[*\s*[\"']?([\w-]+)", line)
    return found[1] if found else ""


def secrets_in(document: Mapping[str, Any]) -> dict[str, str]:
    """Returns the secrets that can be read in a document. A proxy without a password is none."""
    found = {key: str(document[key]) for key in SECRETS if document.get(key) not in (None, "", TAKEN_OVER)}
    if "@" not in found.get("proxy", ""):
        found.pop("proxy", None)
    return found


def written(document: Mapping[str, Any]) -> str:
    """Formats a document as TOML: texts, numbers, flags, and lists of them."""
    # JSON writes all of these as TOML does. What it would escape otherwise is printable here.
    return "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in document.items())


class _Check:
    def __init__(self, folder: Path, kept: Taken) -> None:
        self._folder = folder
        self._kept = kept
        self._lines: dict[str, int] = {}
        self._faults: list[tuple[int, Phrase]] = []
        self._given: Container[str] = ()
        self._unread: set[str] = set()
        """Settings whose lines cannot be read."""

    def _read_lines(self, text: str) -> dict[str, Any]:
        """Returns the settings, each on a line of its own; notes the lines that cannot be read."""
        document: dict[str, Any] = {}
        for number, line in enumerate(text.splitlines(), 1):
            key = _key_of(line)
            try:
                if key in document:
                    self._fault(key, phrase("this setting is written twice"), line=number)
                else:
                    document |= tomllib.loads(line)
                    self._lines[key] = number
            except tomllib.TOMLDecodeError:
                meant = near(key, KNOWN)
                self._unread.add(meant)
                write = _in_other_quotes(expected(meant), line) if meant else ""
                what = phrase("this line cannot be understood")
                if CURLY.search(line):
                    what = phrase("the quotation marks are curly. Write straight ones, as in a plain text editor")
                self._fault(key, what, write, line=number)
        return document

    def boot_file(self, text: str) -> BootFile:
        known = self._known(self._read_lines(text))
        self._given = frozenset(known)
        for key in [key for key in SECRETS if known.get(key) == TAKEN_OVER]:
            is_same = key != "wifi_password" or known.get("wifi_name") == self._kept.wifi_name
            if key in self._kept.secrets and is_same:
                known[key] = self._kept.secrets[key]
                continue
            if key != ENROLMENT:  # One that has been used is deleted.
                self._fault(key, phrase("this board does not have it; write it here again"), f"{key} = {ANY_TEXT}")
            del known[key]
        certificates = self._certificates(known.pop("ca_file", None))
        values = {key: self._read(key, value) for key, value in known.items()}
        self._check_service(values)
        wifi, address = self._wifi(values), self._address(values)
        if self._faults:
            raise MistakesError([fault for _, fault in sorted(self._faults, key=lambda each: each[0])])
        return BootFile(
            settings={key: value for key, value in known.items() if key not in MACHINE},
            certificates=certificates,
            wifi=wifi,
            address=address,
            time_zone=values.get("time_zone"),
            secrets=secrets_in(known),
        )

    def _known(self, document: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the known settings of the document; notes the others."""
        found = {}
        for key, value in document.items():
            if isinstance(value, dict) or (isinstance(value, list) and any(isinstance(each, dict) for each in value)):
                self._fault(key, phrase("this file has no sections: remove the line in [brackets]"))
            elif key in KNOWN:
                found[key] = value
            elif key not in FORMER:
                self._fault(key, unknown_setting(key, KNOWN))
        return found

    def _read(self, key: str, value: Any) -> Any:
        """Returns the value of a setting; None with a fault."""
        if isinstance(value, str) and re.search(r"[\x00-\x1f\x7f]", value):
            meant = phrase("a backslash means something else inside \"…\"; write '…' around the text")
            self._fault(key, meant, f"{key} = '…'")
            return None
        try:
            return KNOWN[key].read(value)
        except ValueError as error:
            what, write, *_ = *error.args, expected(key)
            self._fault(key, what, write)
            return None

    def _check_service(self, values: Mapping[str, Any]) -> None:
        try:
            if values.get("service"):
                service_address(values["service"], allow_plain_http=bool(values.get("allow_plain_http")))
        except AddressError as error:
            self._fault("service", error.args[0], expected("service"))

    def _certificates(self, name: Any) -> Path | None:
        """Returns the file with them, beside the boot file."""
        if name is None:
            return None
        file = self._folder / str(name).strip()
        if file.parent != self._folder or not file.is_file():
            what = phrase("there is no file {name} beside {file}", name=str(name)[:80], file=FILE_NAME)
        elif file.stat().st_size > MAX_CERTIFICATES_BYTES:
            what = fault_at(file.name, phrase("larger than {most} bytes", most=str(MAX_CERTIFICATES_BYTES)))
        else:
            try:
                return Path(KNOWN["ca_file"].read(str(file)))
            except ValueError as error:
                what = error.args[0]
        self._fault("ca_file", what)
        return None

    def _wifi(self, values: Mapping[str, Any]) -> Wifi | None:
        if not self._is_whole(NAMED_WIFI, "wifi_hidden"):
            return None
        name, password, country = (values.get(key) for key in NAMED_WIFI)
        if name is None or password is None or country is None:
            return None
        return Wifi(name=name, password=password, country=country, hidden=bool(values.get("wifi_hidden")))

    def _address(self, values: Mapping[str, Any]) -> Address | None:
        own, gateway, name_servers = (values.get(key) for key in FIXED_ADDRESS)
        if not self._is_whole(FIXED_ADDRESS) or own is None or gateway is None or name_servers is None:
            return None
        if ipaddress.IPv4Address(gateway) not in own.network or gateway == str(own.ip):
            what = phrase("{given} is not in the network of {address}", given=gateway, address=str(own))
            self._fault("gateway", what)
        return Address(address=str(own), gateway=gateway, name_servers=name_servers)

    def _is_whole(self, needed: Sequence[str], *more: str) -> bool:
        """True if all that is needed is given, as soon as one of the group is."""
        given = [key for key in (*needed, *more) if key in self._given]
        if not given or not self._unread.isdisjoint(needed):
            return False
        lacking = [key for key in needed if key not in given]
        for key in lacking:
            self._fault(given[0], phrase("{name} is missing", name=key), expected(key))
        return not lacking

    def _fault(self, key: str, what: Phrase, write: str = "", *, line: int | None = None) -> None:
        line = self._lines.get(key) if line is None else line
        self._faults.append((line or 0, mistake(what, key=key, line=line or None, write=write)))


def expected(key: str) -> str:
    """Returns the form of the line that sets this."""
    return f"{key} = {KNOWN[key].example or ANY_TEXT}"


def _in_other_quotes(form: str, line: str) -> str:
    """Returns the form, in quotation marks that the text on this line does not have inside."""
    inside = line.partition("=")[2].strip()[1:-1]
    if '"' not in inside and "\\" not in inside:
        return form
    return form.replace(ANY_TEXT, "'''…'''" if "'" in inside else "'…'")


def _wifi_name(raw: Any) -> str:
    if not isinstance(raw, str) or not 1 <= len(raw.encode()) <= MAX_WIFI_NAME_BYTES:
        raise ValueError(phrase("the name of a Wi-Fi has 1 to {most} characters", most=str(MAX_WIFI_NAME_BYTES)))
    return raw


def _wifi_password(raw: Any) -> str:
    """Checks the password; the error does not repeat it."""
    if not isinstance(raw, str):
        raise ValueError(phrase('not a text in quotation marks: "…"'))
    if raw and not 8 <= len(raw.encode()) <= 63 and not re.fullmatch("[0-9A-Fa-f]{64}", raw):
        raise ValueError(phrase("the password of a Wi-Fi has 8 to 63 characters, and that of an open one is empty"))
    return raw


def _country(raw: Any) -> str:
    country = text(raw).upper()
    try:
        lines = COUNTRIES.read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    known = {line[:2] for line in lines if not line.startswith("#")}
    if not re.fullmatch("[A-Z]{2}", country) or (known and country not in known):
        raise ValueError(phrase("{given} is not the code of a country, two letters", given=repr(raw)))
    return country


def _own_address(raw: Any) -> ipaddress.IPv4Interface:
    written = text(raw)
    try:
        found = ipaddress.IPv4Interface(written)
    except ValueError:
        raise ValueError(phrase("{given} is not an address like 192.168.1.20/24", given=repr(raw))) from None
    if "/" not in written:
        raise ValueError(phrase("write the length of the network after {given}, usually /24", given=written))
    ends = (found.network.network_address, found.network.broadcast_address) if found.network.prefixlen < 31 else ()
    if found.ip in ends or found.is_loopback or found.is_multicast or found.is_unspecified:
        raise ValueError(phrase("{given} cannot be the address of a device", given=repr(raw)))
    return found


def _one_address(raw: Any) -> str:
    try:
        return str(ipaddress.IPv4Address(text(raw)))
    except ipaddress.AddressValueError:
        raise ValueError(phrase("{given} is not an address like 192.168.1.1", given=repr(raw))) from None


def _addresses(raw: Any) -> tuple[str, ...]:
    each = raw if isinstance(raw, list) else re.split(r"[\s,;]+", text(raw))
    if not 1 <= len(each) <= MAX_NAME_SERVERS:
        raise ValueError(phrase("write 1 to {most} name servers", most=str(MAX_NAME_SERVERS)))
    return tuple(_one_address(one) for one in each)


def _time_zone(raw: Any) -> str:
    zone = text(raw)
    try:
        ZoneInfo(zone)
    except (OSError, ValueError, KeyError):
        import difflib  # for a mistake only

        cities = {name.rpartition("/")[2].lower(): name for name in available_timezones()}
        near = difflib.get_close_matches(zone.rpartition("/")[2].replace(" ", "_").lower(), cities, n=1)
        if near:
            what = phrase("there is no time zone {given}; did you mean {near}?", given=repr(raw), near=cities[near[0]])
            raise ValueError(what, "") from None  # The question says what to write.
        raise ValueError(phrase("there is no time zone {given}", given=repr(raw))) from None
    return zone


MACHINE: Mapping[str, Setting] = {
    "wifi_name": Setting(_wifi_name, "Wi-Fi to join", also=("ssid", "wifi", "wlan")),
    "wifi_password": Setting(_wifi_password, "its password; empty for an open one", also=("password", "psk")),
    "wifi_country": Setting(_country, "country, which decides on its channels", example='"DE"', also=("country",)),
    "wifi_hidden": Setting(flag, "whether it hides its name (false)", example="true"),
    "address": Setting(
        _own_address, "fixed address, with the length of its network", example='"192.168.1.20/24"', also=("ip",)
    ),
    "gateway": Setting(_one_address, "the router", example='"192.168.1.1"', also=("router",)),
    "dns": Setting(
        _addresses, f"1 to {MAX_NAME_SERVERS} name servers", example='["192.168.1.1"]', also=("nameserver",)
    ),
    "time_zone": Setting(_time_zone, "time zone of the device", example='"Europe/Berlin"'),
}
"""Settings of the machine, which only the boot file has."""

KNOWN: Mapping[str, Setting] = {**{name: each for name, each in SETTINGS.items() if each.in_boot_file}, **MACHINE}
