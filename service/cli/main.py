"""The command line of the service: `serve`, the operator's commands, and those that carry an installation elsewhere."""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from service.app import build_services
from service.cli.operator import ADMINISTERING, WrongUsageError, administer, words_of
from service.cli.transfer import CARRYING, FAULTS, carry
from service.core import logs
from service.core.clock import SystemClock
from service.core.errors import ProblemError
from service.core.json_text import JsonTextError, write_json
from service.core.permissions import Role
from service.run.mdns import announcement_fault
from service.run.server import serve
from service.services.access.workspaces import DEFAULT_WORKSPACE
from service.services.assets.bundled import BundledError
from service.settings import Settings, SettingsFaults, read_settings, unknown_flags
from service.storage.migrate import NewerDatabaseError
from service.version import VERSION

EXIT_USAGE = 2
EXIT_FAILURE = 1


def main(arguments: Sequence[str] | None = None, environment: Mapping[str, str] = os.environ) -> int:
    """Run a command; returns the exit status."""
    namespace, unknown = build_parser().parse_known_args(arguments)
    parsed = vars(namespace)
    command = parsed.pop("command")
    logs.configure(structured=command == "serve", stream=sys.stderr)
    extra: dict[str, Any] = {
        name: parsed.pop(name) for name in ("role", "name", "action", "key", "workspace", "location") if name in parsed
    }
    file: Path | None = parsed.pop("file", None)
    strange = unknown_flags(unknown)
    settings = read_settings(parsed, environment)
    match settings:
        case SettingsFaults(faults):
            return _refuse(*strange, *faults)
        case Settings() if strange:
            return _refuse(*strange)
        case Settings():
            return _run(command, settings, extra, file)


def _run(command: str, settings: Settings, extra: Mapping[str, Any], file: Path | None) -> int:
    try:
        match command:
            case "serve":
                if settings.announce and (fault := announcement_fault(settings.public_url)) is not None:
                    return _refuse(fault)
                serve(settings, clock=SystemClock(offset_file=settings.clock_offset_file))
            case "demo-data":
                _load_sample(settings)
            case command if command in ADMINISTERING:
                administer(command, settings, extra)
            case command if command in CARRYING:
                carry(command, settings, file)
    except SQLAlchemyError as fault:
        # Only what the driver says: the rest may hold what was being written.
        sys.stderr.write(f"menu-service: the database cannot be used: {getattr(fault, 'orig', None) or fault}\n")
        return EXIT_FAILURE
    except (OSError, NewerDatabaseError, BundledError, JsonTextError, *FAULTS) as fault:
        sys.stderr.write(f"menu-service: {fault}\n")
        return EXIT_FAILURE
    except WrongUsageError as wrong:
        return _refuse(*wrong.args)
    except ProblemError as problem:
        for words in words_of(problem):
            sys.stderr.write(f"menu-service: {words}\n")
        return EXIT_FAILURE
    return 0


def build_parser() -> argparse.ArgumentParser:
    """Every command and its flags."""
    parser = argparse.ArgumentParser(
        allow_abbrev=False,
        prog="menu-service",
        description="The menu display service. Every flag can be set by a MENU_SERVICE_* variable.",
    )
    parser.add_argument("--version", action="version", version=f"menu-service {VERSION}")
    commands = parser.add_subparsers(dest="command", required=True)

    data = argparse.ArgumentParser(add_help=False)
    data.add_argument("--data", metavar="DIR", help="the folder in which everything is kept; it is made if need be")
    data.add_argument("--database", metavar="URL", help="PostgreSQL, instead of a file in DIR; better as a variable")

    server = commands.add_parser("serve", parents=[data], allow_abbrev=False, help="serve the API and the players")
    server.add_argument("--host", metavar="ADDRESS", help="where to listen (127.0.0.1)")
    server.add_argument("--port", metavar="N", help="where to listen (8080); 0 lets the system choose")
    server.add_argument("--public-url", metavar="URL", help="where people and players reach the service")
    server.add_argument(
        "--rate-limits",
        metavar="CLASS=N,...",
        help="calls that a key may make in a minute: reads, writes, bulk, pairing; 0 is no limit",
    )
    server.add_argument(
        "--clock-offset-file",
        metavar="FILE",
        help="a file with seconds to add to the clock, read again when it changes: for rehearsals",
    )
    server.add_argument(
        "--metrics-token-file",
        metavar="FILE",
        help="a file with a token by which /metrics answers callers from other machines, too",
    )
    server.add_argument(
        "--announce",
        action="store_const",
        const="yes",
        help="announce the public URL on the network (mDNS), so that players suggest it when they are set up",
    )
    server.add_argument(
        "--webhooks-allow-private",
        action="store_const",
        const="yes",
        help="deliver to private addresses and over plain HTTP as well: for tests and closed networks",
    )

    keys = commands.add_parser("keys", help="manage API keys")
    actions = keys.add_subparsers(dest="action", required=True)
    create = actions.add_parser(
        "create", parents=[data], allow_abbrev=False, help="print a new key; it cannot be shown again"
    )
    create.add_argument("--role", required=True, help=", ".join(Role))
    create.add_argument("--name", default="command line", help="what the key is for")
    create.add_argument(
        "--location", metavar="ID", action="append", help="narrow the key to this location; may stand several times"
    )
    create.add_argument("--workspace", metavar="NAME", default=DEFAULT_WORKSPACE, help="whose key it is (default)")

    actions.add_parser(
        "list", parents=[data], allow_abbrev=False, help="print the keys, without their secrets, as JSON"
    )
    revoke = actions.add_parser("revoke", parents=[data], allow_abbrev=False, help="make a key worthless")
    revoke.add_argument("key", metavar="ID", help="the id that `keys list` prints")

    workspaces = commands.add_parser("workspaces", help="manage workspaces: each is a world of its own")
    actions = workspaces.add_subparsers(dest="action", required=True)
    add = actions.add_parser(
        "create", parents=[data], allow_abbrev=False, help="make a workspace, and print it as JSON"
    )
    add.add_argument("name", metavar="NAME")
    actions.add_parser("list", parents=[data], allow_abbrev=False, help="print the workspaces as JSON")

    commands.add_parser(
        "demo-data", parents=[data], allow_abbrev=False, help="load the sample café, once, and print its ids"
    )
    commands.add_parser(
        "migrate-to",
        parents=[data],
        allow_abbrev=False,
        help="copy what is in DIR into an empty PostgreSQL database; stop the service first",
    )
    backup = commands.add_parser(
        "backup", parents=[data], allow_abbrev=False, help="save DIR into a file; the service may run"
    )
    backup.add_argument("--to", dest="file", metavar="FILE", type=Path, required=True, help="the file to write")
    restore = commands.add_parser("restore", parents=[data], allow_abbrev=False, help="make DIR of a backup")
    restore.add_argument("--from", dest="file", metavar="FILE", type=Path, required=True, help="the file to read")
    return parser


def _load_sample(settings: Settings) -> None:
    services = build_services(settings, clock=SystemClock())
    loaded = services.sample.load()
    if not loaded.created:
        sys.stderr.write("menu-service: the sample café is there already\n")
    sys.stdout.write(write_json({**loaded.ids, "created": loaded.created}).decode() + "\n")
    services.database.close()


def _refuse(*faults: str) -> int:
    for fault in faults:
        sys.stderr.write(f"menu-service: {fault}\n")
    return EXIT_USAGE


if __name__ == "__main__":
    sys.exit(main())
