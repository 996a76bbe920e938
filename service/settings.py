"""What the operator can set, by flag or by environment; every fault is told at once. Imports nothing of the service."""

import difflib
import ipaddress
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

ENVIRONMENT_PREFIX = "MENU_SERVICE_"
DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8080
RATE_CLASSES = ("reads", "writes", "bulk", "pairing")
MAX_RATE_LIMIT = 1_000_000
METRICS_TOKEN_CHARACTERS = (16, 200)
"""Fewer could be guessed; more are no bearer token to the service."""
DATABASE_SCHEME = "postgresql+psycopg"

_NAMES = (
    "data",
    "database",
    "host",
    "port",
    "public_url",
    "announce",
    "rate_limits",
    "clock_offset_file",
    "webhooks_allow_private",
    "billing_secret",
    "metrics_token_file",
)


@dataclass(frozen=True, slots=True)
class Settings:
    """A sound set of settings."""

    data: Path
    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT
    """0 lets the system choose one."""
    public_url: str | None = None
    """Where people and players reach the service, without a slash at the end."""
    announce: bool = False
    """Whether the public URL is announced on the network."""
    clock_offset_file: Path | None = None
    database: str | None = field(default=None, repr=False)
    """Where PostgreSQL is, if the data folder does not hold the database itself. It may hold a password."""
    rate_limits: Mapping[str, int] = field(default_factory=dict)
    """Calls that a key may make in a minute, for the classes that are not to have their defaults; 0 is no limit."""
    billing_secret: str | None = None
    """What a billing provider signs its calls with; None takes none."""
    metrics_token: str | None = field(default=None, repr=False)
    """What callers from other machines show to read the metrics; None lets none of them."""
    webhooks_allow_private: bool = False
    """Whether deliveries may go to the operator's own network, and over plain HTTP."""

    @property
    def database_file(self) -> Path:
        """The database's file, if it is in the data folder."""
        return self.data / "service.sqlite3"

    @property
    def assets(self) -> Path:
        """The folder of assets."""
        return self.data / "assets"

    @property
    def feeds(self) -> Path:
        """The folder of feeds that the operator puts there, to be imported by their names."""
        return self.data / "feeds"


@dataclass(frozen=True, slots=True)
class SettingsFaults:
    """What is wrong with the settings, each as a sentence."""

    faults: tuple[str, ...]


def read_settings(flags: Mapping[str, str | None], environment: Mapping[str, str]) -> Settings | SettingsFaults:
    """The settings; a flag goes before its variable, and an empty variable counts as unset."""
    faults = [_unknown(name) for name in sorted(environment) if _is_unknown(name)]
    given = {name: environment[_variable(name)] for name in _NAMES if environment.get(_variable(name))}
    given |= {name: value for name, value in flags.items() if value is not None}

    if "data" not in given:
        faults.append(f"--data or {_variable('data')} is needed: the folder in which everything is kept")
    port = _port(given.get("port", str(DEFAULT_PORT)), faults)
    public_url = _public_url(given.get("public_url"), faults)
    database = _database(given.get("database"), faults)
    announce = _switch("announce", given.get("announce", "no"), faults)
    allow_private = _switch("webhooks-allow-private", given.get("webhooks_allow_private", "no"), faults)
    rate_limits = _rate_limits(given.get("rate_limits", ""), faults)
    metrics_token = _metrics_token(given.get("metrics_token_file"), faults)
    if not given.get("host", DEFAULT_HOST):
        faults.append("the host is empty; 127.0.0.1 is this machine only, 0.0.0.0 is every network")
    if faults:
        return SettingsFaults(tuple(faults))
    offset_file = given.get("clock_offset_file")
    return Settings(
        data=Path(given["data"]),
        host=given.get("host", DEFAULT_HOST),
        port=port,
        public_url=public_url,
        announce=announce,
        clock_offset_file=None if offset_file is None else Path(offset_file),
        database=database,
        rate_limits=rate_limits,
        billing_secret=given.get("billing_secret"),
        metrics_token=metrics_token,
        webhooks_allow_private=allow_private,
    )


def unknown_flags(words: Sequence[str]) -> list[str]:
    """What to say about the words of a command line that belong to nothing."""
    flags = [word.partition("=")[0] for word in words if word.startswith("-")]
    known = {name: "--" + name for name in (name.replace("_", "-") for name in _NAMES)}
    return [_strange(flag, "a flag", known, "--") for flag in flags] or [
        f"{word!r} belongs to no flag" for word in words
    ]


def reachable_url(host: str, port: int) -> str:
    """The address to give to people when the operator has not said one."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return f"http://{host}:{port}"
    if address.is_unspecified:
        return f"http://{socket.gethostname()}:{port}"
    return f"http://[{host}]:{port}" if address.version == 6 else f"http://{host}:{port}"


def _variable(name: str) -> str:
    return ENVIRONMENT_PREFIX + name.upper()


def _is_unknown(variable: str) -> bool:
    return variable.startswith(ENVIRONMENT_PREFIX) and variable not in map(_variable, _NAMES)


def _unknown(variable: str) -> str:
    return _strange(variable, "a setting", {name.upper(): _variable(name) for name in _NAMES}, ENVIRONMENT_PREFIX)


def _strange(word: str, what: str, known: Mapping[str, str], prefix: str) -> str:
    # Without the prefix, which all have in common, as everything would be near to everything.
    near = difflib.get_close_matches(word.removeprefix(prefix), known, n=1)
    hint = f"; did you mean {known[near[0]]}?" if near else ""
    return f"{word} is not {what}{hint}"


def _port(text: str, faults: list[str]) -> int:
    if text.isascii() and text.isdigit() and int(text) <= 65_535:
        return int(text)
    faults.append(f"the port is a number from 0 to 65535, not {text!r}")
    return DEFAULT_PORT


def _database(text: str | None, faults: list[str]) -> str | None:
    if text is None:
        return None
    try:
        parts = urlsplit(text)
        good = parts.scheme == DATABASE_SCHEME and len(parts.path) > 1 and parts.port != 0
    except ValueError:
        good = False
    if not good:
        # What was given is not repeated: it may hold a password.
        faults.append(f"the database is such as {DATABASE_SCHEME}://menu@127.0.0.1/menu")
    return text


def _switch(name: str, text: str, faults: list[str]) -> bool:
    if text not in ("yes", "no"):
        faults.append(f"{name} is yes or no, not {text!r}")
    return text == "yes"


def _rate_limits(text: str, faults: list[str]) -> dict[str, int]:
    limits: dict[str, int] = {}
    for part in filter(None, text.split(",")):
        name, _, number = (piece.strip() for piece in part.partition("="))
        good = number.isascii() and number.isdigit() and len(number) < 8 and int(number) <= MAX_RATE_LIMIT
        if name in RATE_CLASSES and name not in limits and good:
            limits[name] = int(number)
        else:
            faults.append(
                f"the rate limits are such as reads=6000,writes=600: {', '.join(RATE_CLASSES)}, each once, in calls a "
                f"minute up to {MAX_RATE_LIMIT}, 0 for no limit; not {part.strip()!r}"
            )
    return limits


def _metrics_token(file: str | None, faults: list[str]) -> str | None:
    if file is None:
        return None
    try:
        token = Path(file).read_text(encoding="ascii").strip()
    except (OSError, ValueError) as fault:
        # Not the fault's own words where they could repeat what the file holds.
        reason = fault.strerror if isinstance(fault, OSError) else "it is not ASCII"
        faults.append(f"the metrics token cannot be read from {file!r}: {reason}")
        return None
    fewest, most = METRICS_TOKEN_CHARACTERS
    if not (fewest <= len(token) <= most and token.isprintable() and " " not in token):
        faults.append(f"the metrics token in {file!r} is not {fewest} to {most} characters without spaces")
    return token


def _public_url(text: str | None, faults: list[str]) -> str | None:
    if text is None:
        return None
    try:
        parts = urlsplit(text)
        good = parts.scheme in ("http", "https") and parts.hostname and not (parts.query or parts.fragment)
    except ValueError:
        good = False
    if not good:
        faults.append(f"the public URL is such as https://menu.example.com, not {text!r}")
    return text.rstrip("/")
