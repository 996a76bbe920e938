"""Collects the contents of a support bundle: from the running player, or from the disk if none runs or none can start.

Everything here waits for the disk: call it on a thread of its own.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import os
import re
import ssl
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from player.page.bundle import Contents
from player.page.picture import Picture
from player.page.sections.facts import Facts
from player.page.tool import NotRunningError, PageTool
from player.plain_file import read_plain
from player.recent_log import HIDDEN
from player.settings import Settings
from player.storage.credentials import stored_secrets

MAX_PACKAGES_BYTES = 16 * 1024**2
"""Size of Debian's list of packages."""
FETCH_SECONDS = 40.0
"""The time that the running player may take."""

_DPKG = Path("var/lib/dpkg/status")
_INSTALLED = re.compile(r"^Package: (.+)\nStatus: .* installed\n(?:.+\n)*?Version: (.+)$", re.MULTILINE)


def live_contents(
    facts: Facts, settings: Settings, *, picture: Picture | None, token: str | None, pin: str | None
) -> Contents:
    """Returns the bundle of the running player, with a picture of the display; `pin` is the page's that shows there."""
    code = facts.state.pairing.code
    missing: list[str] = []
    if picture is None:
        missing.append("There is no picture of the screen: the display gave none in time.")
    elif picture.secret:
        missing.append(f"There is no picture of the screen: it shows a {picture.secret}.")
    return Contents(
        facts=facts,
        settings=_settings(settings),
        packages=_packages(),
        picture=picture.content if picture is not None and not picture.secret else None,
        missing=missing,
        secrets=(
            *known_secrets(settings),
            *filter(None, (token, pin)),
            *((code.device_code, *_spellings(code.user_code)) if code else ()),
        ),
    )


def stored_contents(settings: Settings, *, facts: Facts, faults: tuple[str, ...] = ()) -> Contents:
    """Returns the bundle of a player that does not run, for the doctor; `faults` are the reasons why its settings
    cannot be used."""
    missing = ["The player did not run, or did not answer: this is what could be found without it.", *faults]
    missing += dict.fromkeys(facts.unknown.values())
    return Contents(
        facts=facts,
        settings=(*_settings(settings), *_files(settings.state)),
        packages=_packages(),
        missing=missing,
        secrets=known_secrets(settings),
    )


def fetch_bundle(port: int, *, seconds: float = FETCH_SECONDS) -> bytes | None:
    """Returns the bundle that the running player on this machine makes; None if none answers with one."""
    try:
        content = PageTool(port, seconds=seconds).get("/bundle.zip")
    except NotRunningError:
        return None
    return content if content.startswith(b"PK") else None


def _settings(settings: Settings) -> list[tuple[str, str]]:
    """Returns the settings that are set. Secrets in the address of a proxy are removed with all others."""
    values = [(name, getattr(settings, name)) for name in settings.__struct_fields__]
    return [(name, _shown(name, value)) for name, value in values if value not in (None, "", ())]


def _shown(name: str, value: object) -> str:
    match value:
        case str() if name in Settings.redacted_fields and name != "proxy":
            return HIDDEN
        case tuple():
            return "x".join(map(str, value)) if all(isinstance(part, int) for part in value) else "; ".join(value)
        case _:
            return str(value)


def known_secrets(settings: Settings) -> tuple[str, ...]:
    """Returns all known secrets, to be removed wherever they occur: also where the context does not identify them."""
    found = [spelling for secret in stored_secrets(settings.state) for spelling in _spellings(secret)]
    found += [settings.page_pin] if settings.page_pin else []
    proxies = [settings.proxy or ""]
    proxies += [text for name, text in os.environ.items() if name.lower().endswith("_proxy")]
    for proxy in proxies:
        try:
            parts = urlsplit(proxy)
        except ValueError:
            continue
        if parts.password:
            found += [f"{parts.username or ''}:{parts.password}", parts.password]
    return tuple(found)


def _spellings(code: str) -> tuple[str, ...]:
    """Splits a pairing code, which is shown in two halves."""
    whole = code.replace("-", "")
    return code, whole, f"{whole[:3]}-{whole[3:]}"


def _files(state: Path) -> Iterator[tuple[str, str]]:
    """Yields the state directory by names and sizes."""
    try:
        paths = sorted(state.iterdir())
    except OSError as error:
        yield f"file {state}", f"cannot be read: {error.strerror}"
        return
    for path in paths:
        # A player that runs replaces its files.
        with contextlib.suppress(FileNotFoundError):
            if path.name != "assets":
                yield f"file {path}", f"{path.lstat().st_size} bytes"


def _packages(root: Path = Path("/")) -> list[tuple[str, str]]:
    """Returns the programs of the player, and Debian's packages that are installed."""
    found = [("OpenSSL", ssl.OPENSSL_VERSION)]
    if core := sys.modules.get("PySide6.QtCore"):
        found.append(("Qt", str(core.qVersion())))
    found += sorted({(f"python: {each.name}", each.version) for each in importlib.metadata.distributions()})
    with contextlib.suppress(OSError):
        status = read_plain(root / _DPKG, MAX_PACKAGES_BYTES).decode(errors="replace")
        found += _INSTALLED.findall(status)
    return found
