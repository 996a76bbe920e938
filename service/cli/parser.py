"""The commands of `menu-service` and their flags. Loads next to nothing: man pages and completion are made from it."""

import argparse
from collections.abc import Callable
from pathlib import Path

from service.core.ids import DEFAULT_WORKSPACE
from service.core.permissions import Role
from service.version import VERSION

_Add = Callable[..., argparse.ArgumentParser]
"""`add_parser` of the commands."""


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        allow_abbrev=False,
        prog="menu-service",
        description="The menu display service. Every flag can be set by a MENU_SERVICE_* variable.",
    )
    parser.add_argument("--version", action="version", version=f"menu-service {VERSION}")
    add = parser.add_subparsers(dest="command", required=True).add_parser
    data = _data_flags()
    # In the order of `--help`.
    _add_serve(add, data)
    _add_keys(add, data)
    _add_workspaces(add, data)
    _add_desk_link(add, data)
    _add_cards(add, data)
    _add_demo_data(add, data)
    _add_moves(add, data)
    _add_backup(add, data)
    return parser


def _data_flags() -> argparse.ArgumentParser:
    """Returns the flags that say where everything is kept."""
    data = argparse.ArgumentParser(add_help=False)
    data.add_argument(
        "--data", metavar="DIR", help="the folder in which everything is kept; it is created if it does not exist"
    )
    data.add_argument(
        "--database",
        metavar="URL",
        help="PostgreSQL, instead of a file in DIR; a variable is safer, as it may contain a password",
    )
    data.add_argument(
        "--assets",
        metavar="URL",
        help="a bucket for images and films, instead of DIR: s3://BUCKET/PREFIX?endpoint=URL&region=NAME&links=yes",
    )
    return data


def _add_serve(add: _Add, data: argparse.ArgumentParser) -> None:
    server = add("serve", parents=[data], allow_abbrev=False, help="serve the API and the players")
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
    _add_mail_and_sign_in(server)
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


def _add_mail_and_sign_in(server: argparse.ArgumentParser) -> None:
    server.add_argument(
        "--smtp", metavar="URL", help="the mail server of alerts, such as smtps://user@mail.example.com"
    )
    server.add_argument("--smtp-password-file", metavar="FILE", help="a file with the password for the mail server")
    server.add_argument("--mail-from", metavar="ADDRESS", help="the sender of alerts")
    server.add_argument(
        "--oidc-issuer", metavar="URL", help="the OpenID Connect provider by which people sign in to the desk"
    )
    server.add_argument("--oidc-client-id", metavar="ID", help="the id of the service at the provider")
    server.add_argument("--oidc-client-secret-file", metavar="FILE", help="a file with its secret at the provider")
    server.add_argument("--oidc-name", metavar="NAME", help="the name of the provider on the button (its host)")


def _add_keys(add: _Add, data: argparse.ArgumentParser) -> None:
    keys = add("keys", help="manage API keys")
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


def _add_workspaces(add: _Add, data: argparse.ArgumentParser) -> None:
    workspaces = add("workspaces", help="manage workspaces")
    actions = workspaces.add_subparsers(dest="action", required=True)
    create = actions.add_parser(
        "create", parents=[data], allow_abbrev=False, help="create a workspace and print it as JSON"
    )
    create.add_argument("name", metavar="NAME")
    actions.add_parser("list", parents=[data], allow_abbrev=False, help="print the workspaces as JSON")


def _add_desk_link(add: _Add, data: argparse.ArgumentParser) -> None:
    link = add(
        "desk-link",
        parents=[data],
        allow_abbrev=False,
        help="print a link to the desk that works once: it signs a person in, or sets up the first owner",
    )
    link.add_argument("--email", metavar="ADDRESS", help="the person; they become a member if they are none")
    link.add_argument("--name", metavar="NAME", help="the name of a new member (their address)")
    link.add_argument("--role", default=Role.VIEWER.value, help="the role of a new member (Viewer): " + ", ".join(Role))
    link.add_argument(
        "--without-second-factor", action="store_true", help="turn the second factor of the person off: it is lost"
    )
    link.add_argument("--public-url", metavar="URL", help="the address of the service for people")
    link.add_argument(
        "--workspace", metavar="NAME", default=DEFAULT_WORKSPACE, help="the workspace of the person (default)"
    )


def _add_cards(add: _Add, data: argparse.ArgumentParser) -> None:
    cards = add("cards", help="make the boot files of many boards")
    actions = cards.add_subparsers(dest="action", required=True)
    workspace = argparse.ArgumentParser(add_help=False)
    workspace.add_argument("--workspace", metavar="NAME", default=DEFAULT_WORKSPACE, help="the workspace (default)")

    create = actions.add_parser(
        "create",
        parents=[data, workspace],
        allow_abbrev=False,
        help="write a boot file for each board of a list, with a token for that board alone",
    )
    create.add_argument("list", metavar="LIST", help="a CSV file: location, name, playlist and optionally network")
    create.add_argument("--to", metavar="FOLDER", required=True, help="a new folder for the boot files")
    create.add_argument("--public-url", metavar="URL", help="the address at which boards reach the service")
    create.add_argument("--networks", metavar="FILE", help="a TOML file with the networks that the list names")
    create.add_argument("--until", metavar="DATE", help="the last day on which the cards can be used (30 days on)")
    create.add_argument(
        "--confirm", action="store_true", help="boards get no menu until somebody confirms them in the service"
    )
    create.add_argument(
        "--existing",
        choices=("refuse", "skip", "replace"),
        default="refuse",
        help="boards that are screens or have an unused token: refuse the list, leave them out, or make new cards and "
        "revoke their unused tokens (refuse)",
    )

    actions.add_parser(
        "missing",
        parents=[data, workspace],
        allow_abbrev=False,
        help="print the enrolment tokens that wait for boards, as JSON",
    )
    images = actions.add_parser(
        "images", allow_abbrev=False, help="make an image for each boot file, which differs in the boot partition only"
    )
    images.add_argument("folder", metavar="FOLDER", type=Path, help="the folder that `cards create` made")
    images.add_argument("--image", metavar="FILE", type=Path, required=True, help="the image: .img or .img.xz")
    images.add_argument("--only", metavar="NAME", help="this board alone, by its name or that of its folder")


def _add_demo_data(add: _Add, data: argparse.ArgumentParser) -> None:
    add(
        "demo-data",
        parents=[data],
        allow_abbrev=False,
        help="load the sample café, if it is not loaded yet, and print its ids",
    )


def _add_moves(add: _Add, data: argparse.ArgumentParser) -> None:
    add(
        "migrate-to",
        parents=[data],
        allow_abbrev=False,
        help="copy the database in DIR into an empty PostgreSQL database; stop the service first",
    )
    add(
        "move-assets",
        parents=[data],
        allow_abbrev=False,
        help="copy the images and films in DIR into the bucket of --assets; it goes on where it stopped",
    )


def _add_backup(add: _Add, data: argparse.ArgumentParser) -> None:
    backup = add("backup", parents=[data], allow_abbrev=False, help="save DIR to a file; the service may be running")
    backup.add_argument("--to", dest="file", metavar="FILE", type=Path, required=True, help="the file to write")
    restore = add("restore", parents=[data], allow_abbrev=False, help="restore DIR from a backup")
    restore.add_argument("--from", dest="file", metavar="FILE", type=Path, required=True, help="the file to read")
    restore.add_argument(
        "--former",
        metavar="FOLDER",
        type=Path,
        help="the folder whose place DIR takes: keys, members and tokens that ended there since the backup are named",
    )
    restore.add_argument("--revoke", action="store_true", help="end again what --former names")
    add(
        "mark-restored",
        parents=[data],
        allow_abbrev=False,
        help="say that the database was restored with other tools, such as pg_restore, so that boards accept what is "
        "older than what they show; stop the service first",
    )
