"""The layers of both programs: what each package holds, and what it may import.

`python -m tests.layers` prints the tables and writes them into docs/architecture.md; tests/test_import_rules.py holds
the imports and that page against them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "architecture.md"


@dataclass(frozen=True)
class Layer:
    """A package or module. `imports` names the layers below it that it may use, `packages` the third-party ones."""

    name: str
    holds: str
    imports: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()


MENU = (
    Layer("menu.sizes", "writes a number of bytes for people"),
    Layer("menu.exif", "reads from a picture how it is turned"),
    Layer("menu.fonts", "reads from a font's file its family, weights and scripts", (), ("msgspec",)),
    Layer("menu.log_limit", "cuts what repeats in the log"),
    Layer(
        "menu.documents", "manifest, scene and schedule: their types, bounds and readers", ("menu.sizes",), ("msgspec",)
    ),
    Layer(
        "menu.text",
        "prices, times, allergens and sentences in the languages of the place",
        ("menu.documents",),
        ("babel", "msgspec"),
    ),
    Layer(
        "menu.rules",
        "what shows when: eligibility, opening hours, countdowns, the timeline",
        ("menu.documents", "menu.text"),
        ("msgspec",),
    ),
)
"""What both programs share; pure."""

DOMAIN = Layer(
    "player.domain", "what a board does: playing, recovery, findings, pairing, clock; pure", (), ("msgspec",)
)
PLAIN_FILE = Layer("player.plain_file", "opens a file for reading, and never waits for what stands in its place")


def _stack(root: str, *rows: tuple[str, str, tuple[str, ...]], below: tuple[str, ...] = ()) -> tuple[Layer, ...]:
    """Layers that may each import all that stand before them."""
    layers: list[Layer] = []
    for name, holds, packages in rows:
        before = tuple(layer.name for layer in layers)
        layers.append(Layer(f"{root}.{name}", holds, (*below, *before), packages))
    return tuple(layers)


QT = ("PySide6", "msgspec")
DISPLAY = (
    Layer(
        "player.display.layout",
        "where everything stands: menus, rows, items, columns, lines, pages; no Qt",
        ("player.domain",),
        ("msgspec",),
    ),
    Layer("player.display.qt", "helpers for the binding: properties, slots, timers, threads", (), ("PySide6",)),
    *_stack(
        "player.display",
        ("typography", "themes, fonts, contrast", QT),
        ("media", "images, video frames, decoders, QR codes", (*QT, "segno")),
        ("widgets", "one module a widget type, named as in docs/scene.md", QT),
        ("views", "what fills the window: scenes and cards", QT),
        ("window", "window, stage, screenshots, the bridge between the threads", QT),
        below=("player.domain", "player.plain_file", "player.display.layout", "player.display.qt"),
    ),
)
PLAYER = (
    DOMAIN,
    PLAIN_FILE,
    Layer("player.broken", "says why a version cannot start, where a part of it is broken"),
    Layer("player.whole_second", "pauses that end together"),
    Layer("player.recent_log", "keeps the newest lines of the log, without secrets"),
    Layer(
        "player.storage",
        "the disk: durable writes, identity, manifests, assets by hash",
        ("player.domain", "player.plain_file"),
        ("msgspec",),
    ),
    Layer(
        "player.link",
        "the service: API client, pairing, poller, heartbeat, downloads, discovery",
        ("player.domain", "player.plain_file", "player.storage", "player.whole_second"),
        ("httpx", "msgspec", "zeroconf"),
    ),
    Layer(
        "player.device",
        "the machine: clocks, networks, systemd, temperature",
        ("player.domain", "player.plain_file", "player.whole_second"),
        ("msgspec",),
    ),
    *DISPLAY,
    Layer(
        "player.page",
        "the diagnostics page: renders the snapshot",
        ("player.domain", "player.recent_log"),
        ("h11", "jinja2", "starlette", "msgspec"),
    ),
    Layer("player.setting_values", "readers of single settings", ("player.domain",), ("msgspec",)),
    Layer(
        "player.settings",
        "the table of settings; flags, variables, config.toml and config.d",
        ("player.domain", "player.plain_file", "player.setting_values"),
        ("msgspec",),
    ),
    Layer(
        "player.boot_file",
        "reads menu-player.toml on the boot partition, as root and before the network",
        ("player.domain", "player.plain_file", "player.setting_values", "player.settings", "player.storage"),
        ("msgspec",),
    ),
    Layer(
        "player.preview",
        "one image from files, and what a manifest shows when: `menu-player preview`, `moment`",
        ("player.domain", "player.plain_file", "player.display"),
        QT,
    ),
    *_stack(
        "player.runtime",
        ("situation", "all that the conductor knows, as one frozen value; its view, order and snapshot", ("msgspec",)),
        ("conductor", "PlayerState: events in, decisions from the domain, actions out", ("msgspec",)),
        ("tasks", "tasks of the network thread that begin again after an error", ()),
        ("scheduler", "what is due when", ("apscheduler", "msgspec")),
        below=("player.domain",),
    ),
    Layer(
        "player.runtime.session",
        "starts the compositor with the player in it; needs no other library",
        ("player.device", "player.display.window"),
    ),
    Layer("player.runtime.demo_needs", "what the demo lacks on this system", (), ("PySide6",)),
    Layer(
        "player.runtime.demo",
        "service, sample café and player with one command",
        ("player.runtime.demo_needs",),
        ("httpx", "msgspec"),
    ),
    Layer(
        "player.runtime.support_bundle",
        "what a support bundle holds, from the running player or from the disk",
        ("player",),
    ),
    Layer(
        "player.runtime.receipts",
        "keeps what was on the glass, on the disk in batches and at the service",
        ("player",),
        ("msgspec",),
    ),
    Layer("player.runtime.uploads", "sends the service a picture of the glass or the log", ("player",)),
    Layer("player.runtime.open_page", "opens the page of the running player and announces it", ("player",)),
    Layer("player.runtime.link", "the parts that talk to the service, and when each runs", ("player",)),
    Layer(
        "player.runtime.display_watch",
        "reports what the display says of itself",
        ("player.domain", "player.whole_second"),
        ("msgspec",),
    ),
    Layer(
        "player.runtime.network_thread",
        "the asyncio thread: carries out actions, reports events",
        ("player",),
        ("msgspec",),
    ),
    Layer("player.runtime.starts", "counts the starts and runs that died", ("player",)),
    Layer("player.runtime.restore", "reads from the disk what the board begins with", ("player",)),
    Layer("player.runtime.app", "builds the player, starts and stops it", ("player",), ("PySide6",)),
    Layer(
        "player.standstill",
        "a player that cannot start or does not answer: `menu-player doctor`, and what to mend",
        ("player",),
        ("msgspec", "PySide6"),
    ),
    Layer("player.cli", "the command line", ("player",), ()),
)

SQL = ("sqlalchemy",)
SERVICES = _stack(
    "service.services",
    (
        "shared",
        "what several services need: lists, look-ups, entity tags, retries, calls to outside",
        (*SQL, "anyio", "cryptography", "httpx"),
    ),
    ("webhooks", "events, deliveries and their signatures", (*SQL, "cryptography", "starlette")),
    (
        "access",
        "workspaces, keys, team, people and their sessions, quotas, subscription",
        (*SQL, "argon2", "httpx", "joserfc", "pyotp"),
    ),
    ("assets", "images and videos, checked and kept", (*SQL, "av", "msgspec")),
    ("content", "items and their words, groups of locations", SQL),
    ("scenes", "scenes, the design kit and its templates", (*SQL, "pydantic")),
    ("places", "locations, and items as they are there", SQL),
    ("publishing", "playlists, versions, approvals, manifests, previews", (*SQL, "msgspec", "starlette")),
    (
        "devices",
        "pairing, screens, cards, held polls, presence, commands, receipts, moments",
        (*SQL, "msgspec", "pydantic", "starlette"),
    ),
    ("pos", "points of sale and their feeds", (*SQL, "charset_normalizer", "msgspec", "pydantic", "starlette")),
    (
        "imports",
        "menus that people paste or upload: tables, workbooks, documents",
        (*SQL, "docx", "msgspec", "openpyxl", "pydantic", "pypdf", "starlette"),
    ),
    ("alerts", "tells people by e-mail what is wrong", (*SQL, "aiosmtplib", "starlette")),
    ("operations", "backup, metrics, sample data, upkeep", (*SQL, "prometheus_client", "pydantic", "starlette")),
    below=("service.core", "service.schema", "service.storage"),
)
SERVICE = (
    Layer(
        "service.core", "clock, errors, ids, prices, permissions, events, logs", (), ("babel", "msgspec", "pydantic")
    ),
    Layer(
        "service.schema",
        "the documents of the API, and their bounds",
        ("service.core",),
        ("annotated_types", "babel", "msgspec", "pydantic", "pydantic_core"),
    ),
    Layer(
        "service.storage",
        "tables, transactions, files of assets; the only SQL dialects",
        ("service.core",),
        (*SQL, "alembic", "boto3", "botocore", "cryptography", "msgspec", "psycopg"),
    ),
    Layer("service.migrations", "the database's history", ("service.storage",), (*SQL, "alembic")),
    *SERVICES,
    Layer("service.settings", "flags and variables", ("service.core",), ()),
    Layer(
        "service.services.registry",
        "builds each service once, starts and stops them",
        ("service.core", "service.storage", "service.services", "service.settings"),
        ("starlette",),
    ),
    Layer(
        "service.api",
        "routes: read a request, call a service, write its answer",
        ("service.core", "service.schema", "service.storage", "service.services"),
        ("fastapi", "prometheus_client", "pydantic", "sqlalchemy", "starlette"),
    ),
    Layer(
        "service.desk",
        "the operator's web pages: routes, templates and static files",
        ("service.core", "service.schema", "service.storage", "service.services", "service.api"),
        ("babel", "fastapi", "jinja2", "markupsafe", "pydantic", "segno", "starlette"),
    ),
    Layer(
        "service.app",
        "builds the service, starts and stops its parts",
        (
            *("service.core", "service.storage", "service.services"),
            *("service.api", "service.desk", "service.settings"),
        ),
        ("fastapi", "starlette"),
    ),
    Layer(
        "service.run",
        "the process: socket, mDNS, systemd",
        ("service.core", "service.settings", "service.app"),
        ("starlette", "uvicorn", "uvloop", "zeroconf"),
    ),
    Layer("service.cli", "the command line", ("service",), ("pydantic", "sqlalchemy")),
)

ONLY_IN = {
    "httpx": (
        "player.link.api",
        "player.link.asset_links",
        "player.link.http_outcomes",
        "player.runtime.demo",
        "service.services.access.openid",
        "service.services.shared.outbound",
    ),
    "zeroconf": ("player.link.discovery", "service.run.mdns"),
    "apscheduler": ("player.runtime.scheduler",),
    "babel": (
        "menu.text.catalogue",
        "menu.text.combo",
        "menu.text.energy",
        "menu.text.languages",
        "menu.text.phrase",
        "menu.text.price",
        "menu.text.price_words",
        "menu.text.wording",
        "service.core.amounts",
        "service.core.currencies",
        "service.desk.formats",
        "service.desk.guesses",
        "service.desk.times",
        "service.schema.fields",
    ),
    "argon2": ("service.services.access.passwords",),
    "joserfc": ("service.services.access.openid",),
    "pyotp": ("service.services.access.second_factors",),
    "charset_normalizer": ("service.services.pos.encodings",),
    "openpyxl": ("service.services.imports.document_lines",),
    "docx": ("service.services.imports.document_lines",),
    "pypdf": ("service.services.imports.document_lines",),
    "jinja2": ("player.page.sections.render", "service.desk.rendering"),
    "segno": ("player.display.media.qr_image", "service.desk.people.qr"),
    "boto3": ("service.storage.asset_objects",),
    "av": ("service.services.assets.probe",),
    "cryptography": (
        "service.storage.paging",
        "service.services.shared.idempotency",
        "service.services.webhooks.sealed_secrets",
    ),
    "h11": ("player.page.exchange",),
    "uvicorn": (
        "service.run.connections",
        "service.run.fast_connection",
        "service.run.server",
    ),
    "uvloop": ("service.run.server",),
}
"""Third-party package: the modules that may import it."""


def tables() -> str:
    """The layers of what is shared and of both programs as Markdown, lowest first."""
    return "\n\n".join((_table("menu", MENU), _table("player", PLAYER), _table("service", SERVICE)))


def _table(program: str, layers: tuple[Layer, ...]) -> str:
    rows = [f"| layer of the {program} | holds | may import |", "|---|---|---|"]
    for layer in layers:
        others = ", ".join(layer.packages)
        rows.append(
            f"| `{layer.name}` | {layer.holds} | {'; '.join(filter(None, (_below(program, layer, layers), others)))} |"
        )
    return "\n".join(rows)


def _below(program: str, layer: Layer, layers: tuple[Layer, ...]) -> str:
    """The layers that it may import, those of its own package as one where it may import all that stand above it."""
    if layer.imports == (program,):
        return "anything of this program"
    package = layer.name.rpartition(".")[0]
    siblings = [other.name for other in layers if other.name.startswith(f"{package}.") and package != program]
    above = siblings[: siblings.index(layer.name)] if siblings else []
    names = [name.removeprefix(f"{program}.") for name in layer.imports]
    if len(above) > 1 and set(above) <= set(layer.imports):
        others = [f"`{name.removeprefix(f'{program}.')}`" for name in layer.imports if name not in above]
        return ", ".join((*others, f"the layers of `{package.removeprefix(f'{program}.')}` above it"))
    return ", ".join(f"`{name}`" for name in names)


BEGIN, END = "<!-- layers -->\n", "\n<!-- end of layers -->"


def main() -> None:
    text = tables()
    print(text)  # noqa: T201
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}{text}{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
