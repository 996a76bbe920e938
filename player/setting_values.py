"""Readers of single settings: each takes a value as it was written, as text or as TOML, and raises ValueError with a
phrase."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from menu.text.phrase import LANGUAGES, Phrase, chosen_language, phrase
from menu.text.wording import FALLBACK_LOCALE
from player.domain.panel.panel import MAX_OVERSCAN, ROTATIONS, is_mode

MAX_PORT = 65535
LEAST_DIFFERENT = 3
"""Different digits that a PIN has at least."""
DIRECT = "none"
"""As `proxy`: no proxy, whatever the environment says."""

_FLAGS = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}

Choice = TypeVar("Choice", bound=StrEnum)


def text(raw: Any) -> str:
    """A text that is not blank."""
    if not isinstance(raw, str) or not raw.strip():
        raise ValueError(phrase("expected text, got {given}", given=repr(raw)))
    return raw.strip()


def path(raw: Any) -> Path:
    """A file or folder."""
    return Path(text(raw)).expanduser()


def flag(raw: Any) -> bool:
    """Yes or no."""
    found = raw if isinstance(raw, bool) else _FLAGS.get(raw.strip().lower()) if isinstance(raw, str) else None
    if found is None:
        raise ValueError(phrase("{given} is neither true nor false", given=repr(raw)))
    return found


def one_of(choices: type[Choice]) -> Callable[[Any], Choice]:
    """Returns the reader of one of these words."""

    def read(raw: Any) -> Choice:
        try:
            return choices(text(raw).lower())
        except ValueError:
            raise _none_of(raw, choices) from None

    return read


def _none_of(raw: Any, known: Iterable[object]) -> ValueError:
    return ValueError(phrase("{given} is none of {known}", given=repr(raw), known=", ".join(map(str, known))))


def language(raw: Any) -> str:
    """A language that the device speaks, also as part of a locale."""
    found = chosen_language(text(raw))
    if found is None:
        raise _none_of(raw, sorted((FALLBACK_LOCALE, *LANGUAGES)))
    return found


def size(raw: Any) -> tuple[int, int]:
    """A size in pixels, `1920x1080`."""
    found = re.fullmatch(r"(\d{2,5})x(\d{2,5})", text(raw))
    if not found or not all(64 <= int(side) <= 8192 for side in found.groups()):
        raise ValueError(phrase("{given} is not a size like 1920x1080 (64 to 8192 each)", given=repr(raw)))
    return int(found[1]), int(found[2])


def rotation(raw: Any) -> int:
    """One of ROTATIONS, in degrees."""
    written = str(raw).strip()
    if isinstance(raw, bool) or written not in map(str, ROTATIONS):
        raise _none_of(raw, ROTATIONS)
    return int(written)


def overscan(raw: Any) -> float:
    """Percent of a side."""
    written = str(raw).strip()
    if isinstance(raw, bool) or not re.fullmatch(r"\d{1,2}(\.\d{1,3})?", written) or float(written) > MAX_OVERSCAN:
        wanted = phrase("{given} is not a percentage from 0 to {most}", given=repr(raw), most=str(MAX_OVERSCAN))
        raise ValueError(wanted)
    return float(written)


def display_mode(raw: Any) -> str:
    """A mode of a screen, `1920x1080` or `1920x1080@60`."""
    mode = text(raw)
    if not is_mode(mode):
        raise ValueError(phrase("{given} is not a mode like 1920x1080 or 1920x1080@60", given=repr(raw)))
    return mode


def port(raw: Any) -> int:
    """A TCP port; 0 for any."""
    written = str(raw).strip()
    is_number = not isinstance(raw, bool) and re.fullmatch(r"\d{1,9}", written, re.ASCII)
    if not is_number or int(written) > MAX_PORT:
        raise ValueError(phrase("{given} is not a port (0 to 65535)", given=str(raw)))
    return int(written)


def page_pin(raw: Any) -> str:
    """A PIN for the page. The error does not repeat it."""
    written = str(raw).strip()
    if isinstance(raw, bool) or not re.fullmatch(r"[0-9]{6,12}", written) or len(set(written)) < LEAST_DIFFERENT:
        wanted = phrase(
            "not a PIN: write 6 to 12 digits in quotation marks, with {least} different ones",
            least=str(LEAST_DIFFERENT),
        )
        raise ValueError(wanted)
    return written


def enrolment_token(raw: Any) -> str:
    """A token that makes this device a screen. The error does not repeat it."""
    if not isinstance(raw, str) or not re.fullmatch(r"[A-Za-z0-9_-]{16,100}", raw.strip()):
        raise ValueError(phrase("not an enrolment token: copy all of it, from the first letter to the last"))
    return raw.strip()


def ca_file(raw: Any) -> Path:
    """A file with certificates in PEM form."""
    file = path(raw)
    import ssl  # Slow to load, and few boards have one.

    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cafile=file)
    except ssl.SSLError:
        wanted = phrase("{file} has no certificates in PEM form (-----BEGIN CERTIFICATE-----)", file=str(file))
        raise ValueError(wanted) from None
    except OSError as error:
        raise ValueError(phrase("{file} cannot be read: {why}", file=str(file), why=str(error.strerror))) from None
    return file


def proxy(raw: Any) -> str:
    """The URL of an HTTP proxy, or DIRECT. The error does not repeat the password."""
    written = text(raw)
    if written.lower() == DIRECT:
        return DIRECT
    try:
        parts = urlsplit(written if "://" in written else f"http://{written}")
        host, its_port = parts.hostname, parts.port
    except ValueError:
        host, its_port, parts = None, None, urlsplit("")
    is_http = parts.scheme in ("http", "https")
    if not is_http or not host or its_port is None or parts.path not in ("", "/") or parts.query or parts.fragment:
        raise ValueError(
            phrase("this is not the address of a proxy; write http://host:port, or http://user:password@host:port")
        )
    return parts._replace(path="").geturl()


def proxy_of_environment(service: str, environment: Mapping[str, str]) -> str | None:
    """Returns the proxy that HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY give for this address. Names in lower case
    come first, and an empty value counts as none. The error names the variable."""
    parts = urlsplit(service)
    names = [name for each in (f"{parts.scheme}_proxy", "all_proxy") for name in (each, each.upper())]
    spelling = next((name for name in names if name in environment), "")
    host = parts.hostname or ""
    if not environment.get(spelling, "").strip() or host in ("localhost", "::1") or host.startswith("127."):
        return None
    from urllib.request import proxy_bypass_environment  # type: ignore[attr-defined]  # Slow to load, and few boards have a proxy.

    if proxy_bypass_environment(parts.netloc, {"no": environment.get("no_proxy", environment.get("NO_PROXY", ""))}):
        return None
    try:
        return proxy(environment[spelling])
    except ValueError as error:
        raise ValueError(fault_at(spelling, error.args[0])) from None


def fault_at(where: str, what: str) -> Phrase:
    """A sentence on what is wrong, and where it was written."""
    return phrase("{where}: {what}", where=where, what=what)
