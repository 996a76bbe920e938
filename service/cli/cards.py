"""The command `cards`: boot files for a list of boards, their images, and the boards that have not come."""

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from service.cli.card_list import lines_of, read_list, read_networks
from service.cli.operator import UsageError, opened_services, print_json, refuse_other_folder, workspace_named
from service.cli.owner import as_caller, as_owner
from service.core.permissions import Role
from service.run.mdns import is_this_machine
from service.services.access.access import Access
from service.services.devices.cards import Card, CardFaultsError, CardOrder, Existing
from service.settings import Settings

BOOT_FILE = "menu-player.toml"
MAX_FOLDER_NAME = 120
"""Bytes. A file system takes 255."""


def run_cards_command(settings: Settings, given: Mapping[str, Any]) -> None:
    """Run `create` or `missing`. Raises UsageError, ProblemError with a detail for the operator, and OSError."""
    refuse_other_folder(settings)
    if given["action"] == "create":
        _create(settings, given)
        return
    with as_owner(settings.data), opened_services(settings) as services:
        for one in services.cards.missing(_access(workspace_named(services, given["workspace"]))):
            print_json(one)


def _create(settings: Settings, given: Mapping[str, Any]) -> None:
    service = _service(settings)
    source, target = Path(given["list"]), Path(given["to"])
    order = CardOrder(until=_day(given["until"]), confirm=given["confirm"], existing=Existing(given["existing"]))
    try:
        networks = read_networks(Path(given["networks"]).read_bytes()) if given["networks"] else {}
    except ValueError as error:
        raise UsageError(*(f"{given['networks']}: {fault}" for fault in error.args)) from None
    lines, faults = read_list(source.read_bytes(), networks)
    if target.exists() or not target.parent.is_dir():
        why = "is there already; name a new folder" if target.exists() else "lies in no folder that is there"
        raise UsageError(f"{target} {why}")
    # Of mode 0700. It takes its name once the tokens are in the database.
    staged = Path(tempfile.mkdtemp(prefix=".cards-", dir=target.parent))

    def write(cards: Sequence[Card]) -> None:
        with as_caller():
            _write(staged, cards, service, networks)

    try:
        with as_owner(settings.data), opened_services(settings) as services:
            access = _access(workspace_named(services, given["workspace"]))
            cards = services.cards.make(access, lines, order, faults=faults, write=write)
    except BaseException as error:
        shutil.rmtree(staged)
        if isinstance(error, CardFaultsError):
            raise UsageError(*(f"{_place(source, one.line)}: {one.text}" for one in error.faults)) from None
        raise
    staged.rename(target)
    sys.stderr.write(
        f"menu-service: {len(cards)} cards in {target}. Whoever has one can set up its board: delete the folder once "
        "they are written.\n"
    )


def _write(folder: Path, cards: Sequence[Card], service: str, networks: Mapping[str, str]) -> None:
    """Writes the boot files, each into a folder of the board's name."""
    taken: set[str] = set()
    for card in cards:
        name = _folder_name(f"{card.location} - {card.line.name}")
        if name.casefold() in taken:
            name = f"{name} ({card.line.line})"
        taken.add(name.casefold())
        (folder / name).mkdir(mode=0o700)
        text = lines_of({"service": service, "enrolment_token": card.token}) + networks.get(card.line.network, "")
        with open(folder / name / BOOT_FILE, "x", encoding="utf-8", opener=_for_owner_only) as file:
            file.write(text)


def _for_owner_only(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _folder_name(name: str) -> str:
    """Removes characters that Windows forbids in the name of a folder."""
    plain = re.sub(r'[\x00-\x1f<>:"/\\|?*]', "_", name)
    return plain.encode()[:MAX_FOLDER_NAME].decode(errors="ignore").strip(" .")


def _service(settings: Settings) -> str:
    """Returns the address that boards call. Raises UsageError."""
    address = settings.public_url
    if address is None:
        raise UsageError("--public-url is needed: the address at which boards reach the service")
    parts = urlsplit(address)
    if parts.scheme != "https" and not is_this_machine(parts.hostname or ""):
        raise UsageError(f"boards call by https://, and --public-url is {address}")
    return address


def _day(text: str | None) -> date | None:
    try:
        return None if text is None else date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"--until is a day such as 2027-01-31, not {text!r}") from None


def _place(source: Path, line: int) -> str:
    return f"{source}, line {line}" if line else str(source)


def _access(workspace: str) -> Access:
    return Access(workspace=workspace, role=Role.OWNER, key="")
