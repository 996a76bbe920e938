"""The command line of the service: runs the command. Only `serve` imports the API."""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from service.cli.card_images import ImageError, write_images
from service.cli.cards import run_cards_command
from service.cli.desk_link import print_desk_link
from service.cli.operator import OPERATOR_COMMANDS, UsageError, messages_of, run_operator_command
from service.cli.owner import become_owner
from service.cli.parser import build_parser
from service.cli.transfer import TRANSFER_COMMANDS, TRANSFER_ERRORS, run_transfer_command
from service.core import logs
from service.core.clock import SystemClock
from service.core.errors import ProblemError
from service.core.json_text import JsonTextError, write_json
from service.core.missing import MissingLibraryError
from service.run.listener import ListenError
from service.services.assets.bundled import BundledError
from service.services.registry import Services
from service.settings import Settings, SettingsFaults, read_settings, unknown_flags
from service.storage.full_disk import is_full_disk
from service.storage.key_file import KeyFileError
from service.storage.migrate import UnknownDatabaseError
from service.storage.sqlite import LostRowsError

AS_ROOT = frozenset({"backup", "cards", "restore"})
"""Commands that stay root: their files may be where only root may write or read. A backup leaves nothing in the folder;
a restored one is new, and the unit gives it to the service. `cards` uses the database as its owner."""

_OPTIONS = (
    *("role", "name", "email", "action", "key", "workspace", "location", "without_second_factor"),
    *("list", "to", "networks", "until", "confirm", "existing", "folder", "image", "only", "former", "revoke"),
)
"""Values of the command line that are no settings."""

EXIT_USAGE = 2
EXIT_FAILURE = 1
EXIT_INTERRUPTED = 130
"""After Ctrl-C, as of shells."""


def main(arguments: Sequence[str] | None = None, environment: Mapping[str, str] = os.environ) -> int:
    """Run a command; returns the exit status."""
    namespace, unknown = build_parser().parse_known_args(arguments)
    parsed = vars(namespace)
    command = parsed.pop("command")
    logs.configure(structured=command == "serve", stream=sys.stderr)
    options: dict[str, Any] = {name: parsed.pop(name) for name in _OPTIONS if name in parsed}
    file: Path | None = parsed.pop("file", None)
    unknown_faults = unknown_flags(unknown)
    if options.get("action") == "images":
        # No service is needed: the images may be made on another machine.
        return _refuse(*unknown_faults) if unknown_faults else _write_images(options)
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
        if command not in AS_ROOT:
            become_owner(settings.data)
        match command:
            case "serve":
                from service.run.mdns import announcement_fault
                from service.run.server import serve

                if settings.announce and (fault := announcement_fault(settings.public_url)) is not None:
                    return _refuse(fault)
                serve(settings, clock=SystemClock(offset_file=settings.clock_offset_file))
            case "demo-data":
                _load_sample(settings)
            case "desk-link":
                print_desk_link(settings, options)
            case command if command in OPERATOR_COMMANDS:
                run_operator_command(command, settings, options)
            case "cards":
                run_cards_command(settings, options)
            case command if command in TRANSFER_COMMANDS:
                run_transfer_command(command, settings, file, **options)
    except SQLAlchemyError as fault:
        if is_full_disk(fault):
            place = "the database" if settings.database is not None else settings.data
            sys.stderr.write(f"menu-service: there is no room on the disk of {place}: make some, and start again\n")
            return EXIT_FAILURE
        # Only the message of the driver: the rest may contain the data that was being written.
        sys.stderr.write(f"menu-service: the database cannot be used: {getattr(fault, 'orig', None) or fault}\n")
        return EXIT_FAILURE
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except OSError as fault:
        sys.stderr.write(f"menu-service: {_refused(fault)}\n")
        return EXIT_FAILURE
    except (
        ListenError,
        LostRowsError,
        UnknownDatabaseError,
        BundledError,
        JsonTextError,
        KeyFileError,
        *TRANSFER_ERRORS,
    ) as fault:
        sys.stderr.write(f"menu-service: {fault}\n")
        return EXIT_FAILURE
    except (UsageError, MissingLibraryError) as error:
        return _refuse(*error.args)
    except ProblemError as problem:
        for message in messages_of(problem):
            sys.stderr.write(f"menu-service: {message}\n")
        return EXIT_FAILURE
    return 0


def _write_images(options: Mapping[str, Any]) -> int:
    try:
        write_images(options["folder"], options["image"], only=options["only"])
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except OSError as fault:
        sys.stderr.write(f"menu-service: {_refused(fault)}\n")
        return EXIT_FAILURE
    except ImageError as fault:
        sys.stderr.write(f"menu-service: {fault}\n")
        return EXIT_FAILURE
    return 0


def _load_sample(settings: Settings) -> None:
    services = Services(settings, clock=SystemClock())
    loaded = services.sample.load()
    if not loaded.created:
        sys.stderr.write("menu-service: the sample café is there already\n")
    sys.stdout.write(write_json({**loaded.ids, "created": loaded.created}).decode() + "\n")
    services.database.close()


def _refused(error: OSError) -> str:
    """Describes a refusal of the system in words: the file, and why."""
    file = error.filename2 or error.filename
    if isinstance(error, FileExistsError) and file:
        return f"{file}: a file of this name is there, where a folder is needed"
    return f"{file}: {error.strerror}" if file else error.strerror or str(error)


def _refuse(*faults: str) -> int:
    for fault in faults:
        sys.stderr.write(f"menu-service: {fault}\n")
    return EXIT_USAGE
