"""The command line of the service: parses the flags and runs the command."""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from service.app import build_services
from service.cli.operator import OPERATOR_COMMANDS, UsageError, messages_of, run_operator_command
from service.cli.transfer import TRANSFER_COMMANDS, TRANSFER_ERRORS, run_transfer_command
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
    options: dict[str, Any] = {
        name: parsed.pop(name) for name in ("role", "name", "action", "key", "workspace", "location") if name in parsed
    }
    file: Path | None = parsed.pop("file", None)
    unknown_faults = unknown_flags(unknown)
    settings = read_settings(parsed, environment)
    match settings:
        case SettingsFaults(faults):
            return _refuse(*unknown_faults, *faults)
        case Settings() if unknown_faults:
            return _refuse(*unknown_faults)
        case Settings():
            return _run(command, settings, options, file)


def _run(command: str, settings: Settings, options: Mapping[str, Any], file: Path | None) -> int:
    try:
        match command:
            case "serve":
                if settings.announce and (fault := announcement_fault(settings.public_url)) is not None:
                    return _refuse(fault)
                serve(settings, clock=SystemClock(offset_file=settings.clock_offset_file))
            case "demo-data":
                _load_sample(settings)
            case command if command in OPERATOR_COMMANDS:
                run_operator_command(command, settings, options)
            case command if command in TRANSFER_COMMANDS:
                run_transfer_command(command, settings, file)
    except SQLAlchemyError as fault:
        # Only the message of the driver: the rest may contain the data that was being written.
        sys.stderr.write(f"menu-service: the database cannot be used: {getattr(fault, 'orig', None) or fault}\n")
        return EXIT_FAILURE
    except (OSError, NewerDatabaseError, BundledError, JsonTextError, *TRANSFER_ERRORS) as fault:
        sys.stderr.write(f"menu-service: {fault}\n")
        return EXIT_FAILURE
    except UsageError as error:
        return _refuse(*error.args)
    except ProblemError as problem:
        for message in messages_of(problem):
            sys.stderr.write(f"menu-service: {message}\n")
        return EXIT_FAILURE
    return 0


def build_parser() -> argparse.ArgumentParser:
    """The parser, with every command and its flags."""
    parser = argparse.ArgumentParser(
        allow_abbrev=False,
        prog="menu-service",
        description="The menu display service. Every flag can be set by a MENU_SERVICE_* variable.",
    )
    parser.add_argument("--version", action="version", version=f"menu-service {VERSION}")
    commands = parser.add_subparsers(dest="command", required=True)

    data = argparse.ArgumentParser(add_help=False)
    data.add_argument(
        "--data", metavar="DIR", help="the folder in which everything is kept; it is created if it does not exist"
    )
    data.add_argument(
        "--database",
        metavar="URL",
        help="PostgreSQL, instead of a file in DIR; a variable is safer, as it may contain a password",
    )

    server = commands.add_parser("serve", parents=[data], allow_abbrev=False, help="serve the API and the players")
    server.add_argument("--host", metavar="ADDRESS", help="the address to listen on (127.0.0.1)")
    server.add_argument("--port", metavar="N", help="the port to listen on (8080); 0 lets the system choose")
    server.add_argument("--public-url", metavar="URL", help="the address for people and players")
    server.add_argument(
        "--rate-limits",
        metavar="CLASS=N,...",
        help="calls of a key per minute: reads, writes, bulk, pairing; 0 is no limit",
    )
    server.add_argument(
        "--clock-offset-file",
        metavar="FILE",
        help="a file with seconds to add to the clock, read again when it changes; for rehearsals",
    )
    server.add_argument(
        "--metrics-token-file",
        metavar="FILE",
        help="a file with a token that lets other machines read /metrics",
    )
    server.add_argument(
        "--announce",
        action="store_const",
        const="yes",
        help="announce the public URL on the network (mDNS), so that players suggest it during set-up",
    )
    server.add_argument(
        "--webhooks-allow-private",
        action="store_const",
        const="yes",
        help="also deliver to private addresses and over plain HTTP; for tests and closed networks",
    )

    keys = commands.add_parser("keys", help="manage API keys")
    actions = keys.add_subparsers(dest="action", required=True)
    create = actions.add_parser(
        "create", parents=[data], allow_abbrev=False, help="print a new key; it cannot be shown again"
    )
    create.add_argument("--role", required=True, help=", ".join(Role))
    create.add_argument("--name", default="command line", help="what the key is for")
    create.add_argument(
        "--location", metavar="ID", action="append", help="narrow the key to this location; can be repeated"
    )
    create.add_argument(
        "--workspace", metavar="NAME", default=DEFAULT_WORKSPACE, help="the workspace of the key (default)"
    )

    actions.add_parser(
        "list", parents=[data], allow_abbrev=False, help="print the keys, without their secrets, as JSON"
    )
    revoke = actions.add_parser("revoke", parents=[data], allow_abbrev=False, help="revoke a key")
    revoke.add_argument("key", metavar="ID", help="the id that `keys list` prints")

    workspaces = commands.add_parser("workspaces", help="manage workspaces")
    actions = workspaces.add_subparsers(dest="action", required=True)
    add = actions.add_parser(
        "create", parents=[data], allow_abbrev=False, help="create a workspace and print it as JSON"
    )
    add.add_argument("name", metavar="NAME")
    actions.add_parser("list", parents=[data], allow_abbrev=False, help="print the workspaces as JSON")

    commands.add_parser(
        "demo-data",
        parents=[data],
        allow_abbrev=False,
        help="load the sample café, if it is not loaded yet, and print its ids",
    )
    commands.add_parser(
        "migrate-to",
        parents=[data],
        allow_abbrev=False,
        help="copy the database in DIR into an empty PostgreSQL database; stop the service first",
    )
    backup = commands.add_parser(
        "backup", parents=[data], allow_abbrev=False, help="save DIR to a file; the service may be running"
    )
    backup.add_argument("--to", dest="file", metavar="FILE", type=Path, required=True, help="the file to write")
    restore = commands.add_parser("restore", parents=[data], allow_abbrev=False, help="restore DIR from a backup")
    restore.add_argument("--from", dest="file", metavar="FILE", type=Path, required=True, help="the file to read")
    commands.add_parser(
        "mark-restored",
        parents=[data],
        allow_abbrev=False,
        help="say that the database was restored with other tools, such as pg_restore, so that boards accept what is "
        "older than what they show; stop the service first",
    )
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
