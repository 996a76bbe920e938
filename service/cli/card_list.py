"""Reads the list of boards of `menu-service cards create`, and the networks that it names.

Faults are collected, each with its line, so that all can be mended at once.
"""

import csv
import io
import ipaddress
import json
import re
import tomllib
from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError, model_validator

from service.services.devices.cards import CardFault, CardLine

MAX_LIST_BYTES = 1024 * 1024
NEEDED, OPTIONAL = ("location", "name", "playlist"), ("network",)

COUNTRIES = Path("/usr/share/zoneinfo/iso3166.tab")


def read_list(raw: bytes, networks: Container[str]) -> tuple[Sequence[CardLine], Sequence[CardFault]]:
    """Reads the boards of a CSV file, and its faults. A line is a record: no cell has a line break."""
    faults: list[CardFault] = []
    if len(raw) > MAX_LIST_BYTES:
        return (), [CardFault(0, f"larger than {MAX_LIST_BYTES} bytes")]
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        place = raw.count(b"\n", 0, error.start) + 1
        return (), [CardFault(place, "not saved as UTF-8; in Excel choose the file type “CSV UTF-8”")]
    lines = list(io.StringIO(text, newline=None))
    header = lines[0] if lines else ""
    delimiter = ";" if header.count(";") > header.count(",") else ","
    columns = [name.lower() for name in _cells(header, delimiter, 1, faults) or ()]
    faults += _faults_of_header(columns)
    if faults:
        return (), faults
    boards = []
    for number, line in enumerate(lines[1:], 2):
        cells = _cells(line, delimiter, number, faults)
        if not any(cells or ()):
            continue
        if len(cells) > len(columns):
            text = (
                f"{len(cells)} columns, and the first line has {len(columns)}; put a name with a {delimiter} in quotes"
            )
            faults.append(CardFault(number, text))
            continue
        given = dict.fromkeys(NEEDED, "") | dict(zip(columns, cells, strict=False))
        board = CardLine(line=number, **given)
        if board.network and board.network not in networks:
            faults.append(CardFault(number, f"there is no network {board.network!r} in the file of --networks"))
        boards.append(board)
    if not boards and not faults:
        faults.append(CardFault(0, "there is no board in it"))
    return boards, faults


def _cells(line: str, delimiter: str, number: int, faults: list[CardFault]) -> list[str]:
    """Splits a line into cells; none if it cannot be read, which is added to the faults."""
    if re.search(r"[\x00-\x1f\x7f]", line.rstrip("\n")):
        faults.append(CardFault(number, "this line holds a control character"))
        return []
    try:
        (cells,) = csv.reader([line.rstrip("\n")], delimiter=delimiter, strict=True)
    except csv.Error:
        faults.append(CardFault(number, "the quotation marks of this line do not match"))
        return []
    return [cell.strip() for cell in cells]


def _faults_of_header(columns: Sequence[str]) -> list[CardFault]:
    known = (*NEEDED, *OPTIONAL)
    named = f"the first line names the columns: {', '.join(known)}"
    found = [f"{name!r} is none" for name in columns if name not in known]
    found += [f"{name} is missing" for name in NEEDED if name not in columns]
    found += [f"{name} is there twice" for name in known if columns.count(name) > 1]
    return [CardFault(1, f"{named}; {one}") for one in found]


def read_networks(raw: bytes) -> Mapping[str, str]:
    """Returns the lines for the boot file of each network, by its name. Raises ValueError with a sentence for each
    fault."""
    try:
        document = tomllib.loads(raw.decode("utf-8-sig"))
    except ValueError as error:
        # A message of the parser names the line, and repeats nothing of it.
        raise ValueError(f"not TOML in UTF-8: {error}") from None
    faults, networks = [], {}
    for name, settings in document.items():
        try:
            networks[name] = Network.model_validate(settings).lines()
        except ValidationError as error:
            for one in error.errors(include_input=False, include_url=False):
                where = ": ".join((f"[{name}]", *map(str, one["loc"])))
                faults.append(f"{where}: {one['msg'].removeprefix('Value error, ')}")
    if faults:
        raise ValueError(*faults)
    return networks


def lines_of(settings: Mapping[str, object]) -> str:
    """Formats settings as lines of a boot file."""
    # JSON writes texts, flags and lists of them as TOML does.
    return "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in settings.items())


def _wifi_name(name: str) -> str:
    if not 1 <= len(name.encode()) <= 32:
        raise ValueError("the name of a Wi-Fi has 1 to 32 bytes")
    return name


def _wifi_password(password: str) -> str:
    if password and not 8 <= len(password.encode()) <= 63 and not re.fullmatch("[0-9A-Fa-f]{64}", password):
        raise ValueError("the password of a Wi-Fi has 8 to 63 characters, and that of an open one is empty")
    return password


def _country(code: str) -> str:
    lines = COUNTRIES.read_text(encoding="utf-8").splitlines() if COUNTRIES.exists() else []
    known = {line[:2] for line in lines if not line.startswith("#")}
    if not re.fullmatch("[A-Z]{2}", code) or (known and code not in known):
        raise ValueError("this is not the code of a country: two letters, such as DE or GB")
    return code


def _printable(text: str) -> str:
    if re.search(r"[\x00-\x1f\x7f]", text):
        raise ValueError("a backslash means something else inside \"…\"; write '…' around the text")
    return text


def _interface(text: str) -> str:
    interface = ipaddress.IPv4Interface(text)
    if "/" not in text or interface.ip in (interface.network.network_address, interface.network.broadcast_address):
        raise ValueError("this is not the address of a device with the length of its network: 192.168.1.20/24")
    return text


def _addresses(texts: list[str]) -> list[str]:
    if not 1 <= len(texts) <= 3:
        raise ValueError("write 1 to 3 name servers")
    return [str(ipaddress.IPv4Address(text)) for text in texts]


_Text = Annotated[str, AfterValidator(_printable)]


class Network(BaseModel):
    """A network that boards join, by the settings of the boot file. Without any, it is a cable with DHCP."""

    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)

    wifi_name: Annotated[_Text, AfterValidator(_wifi_name)] | None = None
    wifi_password: Annotated[_Text, AfterValidator(_wifi_password)] | None = None
    wifi_country: Annotated[str, AfterValidator(_country)] | None = None
    wifi_hidden: bool | None = None
    address: Annotated[str, AfterValidator(_interface)] | None = None
    gateway: Annotated[str, AfterValidator(lambda text: str(ipaddress.IPv4Address(text)))] | None = None
    dns: Annotated[list[str], AfterValidator(_addresses)] | None = None

    @model_validator(mode="after")
    def _whole(self) -> "Network":
        given = self.model_fields_set
        # These stand together, or not at all.
        for group in (("wifi_name", "wifi_password", "wifi_country"), ("address", "gateway", "dns")):
            if not given.isdisjoint(group) and (missing := [name for name in group if name not in given]):
                raise ValueError(f"{', '.join(missing)} is missing: {', '.join(group)} stand together")
        if self.wifi_hidden is not None and self.wifi_name is None:
            raise ValueError("wifi_hidden is about a Wi-Fi: wifi_name is missing")
        if self.address is not None and self.gateway is not None:
            own = ipaddress.IPv4Interface(self.address)
            if ipaddress.IPv4Address(self.gateway) not in own.network or self.gateway == str(own.ip):
                raise ValueError("the gateway is not in the network of the address")
        return self

    def lines(self) -> str:
        return lines_of(self.model_dump(exclude_none=True))
