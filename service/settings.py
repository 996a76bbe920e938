"""Settings from flags and environment variables; reports all faults at once. Imports only `core`."""

import contextlib
import difflib
import ipaddress
import re
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from email.utils import parseaddr
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from service.core.asset_bucket import AssetBucket
from service.core.identity_provider import IdentityProvider
from service.core.mail_server import MailServer

ENVIRONMENT_PREFIX = "MENU_SERVICE_"
DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8080
RATE_CLASSES = ("reads", "writes", "bulk", "pairing")
MAX_RATE_LIMIT = 1_000_000
SMTP_PORTS = {"smtp": 587, "smtps": 465}
"""Submission with STARTTLS (RFC 6409), and over TLS (RFC 8314)."""
DATABASE_SCHEME = "postgresql+psycopg"
_BUCKET_NAME = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]", re.ASCII)

_NAMES = (
    "data",
    "database",
    "assets",
    "host",
    "port",
    "public_url",
    "announce",
    "rate_limits",
    "clock_offset_file",
    "webhooks_allow_private",
    "billing_secret",
    "metrics_token_file",
    "smtp",
    "smtp_password_file",
    "mail_from",
    "oidc_issuer",
    "oidc_client_id",
    "oidc_client_secret_file",
    "oidc_name",
)


@dataclass(frozen=True, slots=True)
class Settings:
    """Valid settings."""

    data: Path
    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT
    """0 lets the system choose one."""
    public_url: str | None = None
    """The address for people and players, without a trailing slash."""
    announce: bool = False
    """Whether the public URL is announced on the network."""
    clock_offset_file: Path | None = None
    database: str | None = field(default=None, repr=False)
    """The URL of PostgreSQL; None for SQLite in the data folder. May contain a password."""
    rate_limits: Mapping[str, int] = field(default_factory=dict)
    """Calls of a key per minute, by class, where they differ from the defaults; 0 is no limit."""
    billing_secret: str | None = None
    """The secret with which a billing provider signs its calls; None refuses them."""
    metrics_token: str | None = field(default=None, repr=False)
    """The token with which other machines read the metrics; None refuses them."""
    webhooks_allow_private: bool = False
    """Whether deliveries may go to private addresses, and over plain HTTP."""
    mail_server: MailServer | None = None
    """Sends alerts; without one there are none."""
    identity_provider: IdentityProvider | None = None
    """Signs people in at the desk, beside passwords."""
    bucket: AssetBucket | None = None
    """The bucket of assets; None for the data folder."""

    @property
    def database_file(self) -> Path:
        """File of the SQLite database."""
        return self.data / "service.sqlite3"

    @property
    def assets(self) -> Path:
        """Folder of assets; with a bucket, of unfinished uploads."""
        return self.data / "assets"

    @property
    def key_file(self) -> Path:
        """Key that encrypts secrets in the database."""
        return self.data / "secrets.key"


@dataclass(frozen=True, slots=True)
class SettingsFaults:
    """Faults of the settings, each as a sentence."""

    faults: tuple[str, ...]


def read_settings(flags: Mapping[str, str | None], environment: Mapping[str, str]) -> Settings | SettingsFaults:
    """Returns the settings. A flag overrides its variable; an empty variable counts as unset."""
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
    mail_server = _mail_server(given, faults)
    provider = _identity_provider(given, faults)
    bucket = _bucket(given.get("assets"), faults)
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
        mail_server=mail_server,
        identity_provider=provider,
        bucket=bucket,
    )


def unknown_flags(words: Sequence[str]) -> list[str]:
    """Messages about the unknown words of a command line."""
    flags = [word.partition("=")[0] for word in words if word.startswith("-")]
    known = {name: "--" + name for name in (name.replace("_", "-") for name in _NAMES)}
    return [_unknown_name(flag, "a flag", known, "--") for flag in flags] or [
        f"{word!r} belongs to no flag" for word in words
    ]


def reachable_url(host: str, port: int) -> str:
    """Returns the address of the service when no public URL is set."""
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
    return _unknown_name(variable, "a setting", {name.upper(): _variable(name) for name in _NAMES}, ENVIRONMENT_PREFIX)


def _unknown_name(word: str, what: str, known: Mapping[str, str], prefix: str) -> str:
    # Without the common prefix, which would make all names similar.
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
        # The message does not repeat the URL: it may contain a password.
        faults.append(f"the database is such as {DATABASE_SCHEME}://menu@127.0.0.1/menu")
    return text


def _bucket(text: str | None, faults: list[str]) -> AssetBucket | None:
    if text is None:
        return None
    found: AssetBucket | None = None
    with contextlib.suppress(ValueError):
        parts = urlsplit(text)
        given = dict(parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query)))
        links = given.pop("links", "yes")
        prefix = parts.path.strip("/")
        endpoint, region = given.pop("endpoint", None), given.pop("region", None)
        good = parts.scheme == "s3" and _BUCKET_NAME.fullmatch(parts.netloc) and not given and not parts.fragment
        if good and links in ("yes", "no") and region != "" and (endpoint is None or _is_address(endpoint)):
            prefix = f"{prefix}/" if prefix else ""
            found = AssetBucket(parts.netloc, prefix, endpoint, region, links=links == "yes")
    if found is None:
        # The message does not repeat the URL: somebody may have put a secret into it.
        faults.append(
            "the assets are in a bucket such as s3://menu-assets/prefix?endpoint=https://s3.example.com"
            "&region=eu-central-1&links=no; its credentials are in AWS_* variables or a file of boto3"
        )
    return found


def _is_address(text: str) -> bool:
    parts = urlsplit(text)
    plain = not (parts.username or parts.password or parts.query or parts.fragment)
    return parts.scheme in ("http", "https") and bool(parts.hostname) and plain and parts.port != 0


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


def _secret(what: str, file: str | None, faults: list[str]) -> str | None:
    if file is None:
        return None
    try:
        return Path(file).read_text(encoding="ascii").strip()
    except (OSError, ValueError) as fault:
        # A UnicodeDecodeError would repeat the content of the file.
        reason = fault.strerror if isinstance(fault, OSError) else "it is not ASCII"
        faults.append(f"the {what} cannot be read from {file!r}: {reason}")
        return None


def _metrics_token(file: str | None, faults: list[str]) -> str | None:
    token = _secret("metrics token", file, faults)
    if token is None:
        return None
    # Shorter tokens can be guessed; longer ones are no bearer tokens to the service.
    fewest, most = 16, 200
    if not (fewest <= len(token) <= most and token.isprintable() and " " not in token):
        faults.append(f"the metrics token in {file!r} is not {fewest} to {most} characters without spaces")
    return token


def _mail_server(given: Mapping[str, str], faults: list[str]) -> MailServer | None:
    url, sender, file = (given.get(name) for name in ("smtp", "mail_from", "smtp_password_file"))
    if url is None:
        faults += [
            f"{name} needs --smtp" for name, value in (("--mail-from", sender), ("--smtp-password-file", file)) if value
        ]
        return None
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port or SMTP_PORTS[parts.scheme]
        good = bool(host) and parts.password is None and not (parts.path or parts.query or parts.fragment)
    except (ValueError, KeyError):
        good = False
    if not good or host is None:
        # The message does not repeat the URL: it may contain a password.
        faults.append("the mail server is such as smtps://user@mail.example.com, its password in --smtp-password-file")
        return None
    address = parseaddr(sender or "")[1]
    if sender is None or not sender.isprintable() or not all(address.rpartition("@")[::2]):
        faults.append(f"--mail-from is such as 'Menu boards <boards@example.com>', not {sender!r}")
        return None
    user = None if parts.username is None else unquote(parts.username)
    password = _secret("mail server's password", file, faults)
    if (user is None) != (password is None):
        faults.append("the mail server needs a user in --smtp and --smtp-password-file, or neither")
    return MailServer(host, port, sender, user, password, tls=parts.scheme == "smtps")


def _identity_provider(given: Mapping[str, str], faults: list[str]) -> IdentityProvider | None:
    issuer, client, file, name = (
        given.get(part) for part in ("oidc_issuer", "oidc_client_id", "oidc_client_secret_file", "oidc_name")
    )
    if issuer is None:
        if client or file or name:
            faults.append("--oidc-client-id, --oidc-client-secret-file and --oidc-name need --oidc-issuer")
        return None
    try:
        parts = urlsplit(issuer)
        local = parts.hostname in ("localhost", "127.0.0.1", "::1")
        good = _is_address(issuer) and not parts.fragment and (parts.scheme == "https" or local)
    except ValueError:
        good = False
    if not good:
        # The message does not repeat the URL: it may contain a password.
        faults.append("the OpenID Connect issuer is such as https://login.example.com")
        return None
    secret = _secret("OpenID Connect client's secret", file, faults)
    if client is None or file is None:
        faults.append("--oidc-issuer needs --oidc-client-id and --oidc-client-secret-file")
    if client is None or secret is None:
        return None
    return IdentityProvider(issuer, client, secret, name or urlsplit(issuer).hostname or issuer)


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
    elif parts.path.strip("/"):
        faults.append(
            f"the public URL {text!r} has a path, under which the pages of the service do not work: give it a name of"
            " its own, such as https://menu.example.com, and let the proxy pass all of it on"
        )
    return text.rstrip("/")
