"""The command line of `menu-player`. Each command imports its modules when called, so that a board starts fast."""

from __future__ import annotations

import argparse
import gc
import logging
import os
import stat
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, TypeVar

from player.device.systemd import is_kept
from player.log_limit import LogLimit
from player.recent_log import RECENT_LOG
from player.version import VERSION

if TYPE_CHECKING:
    from player.domain.connection import ConnectionTest
    from player.domain.words.phrase import Phrase
    from player.link.discovery import Found
    from player.settings import Settings, SettingsError
    from player.standstill.hindrance import Hindrance
    from player.standstill.stopped import Place

T = TypeVar("T")

WRONG_USE = 2
"""Exit code for invalid settings."""

INTERRUPTED = 130
"""Exit code after Ctrl-C, as of shells."""

FORBIDDEN = 403


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    try:
        parser = build_parser()
    except ImportError as error:
        return _not_whole(error)
    chosen = parser.parse_args(arguments)
    logging.basicConfig(
        level=logging.DEBUG if chosen.verbose else logging.INFO,
        format="%(levelname)s %(name)s: %(message)s" if "JOURNAL_STREAM" in os.environ else _LOG_FORMAT,
        stream=sys.stderr,
    )
    logging.getLogger().addHandler(RECENT_LOG)
    limit = LogLimit()
    for handler in logging.getLogger().handlers:
        handler.addFilter(limit)
    for chatty in ("httpx", "httpcore", "apscheduler", "uvicorn", "asyncio"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    if chosen.command == "run":
        try:
            return _run(chosen)
        finally:
            _drop_what_no_reader_took()
    try:
        code = _tool(chosen)
        if sys.stdout is not None:
            sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has gone, as `head` does.
        _drop_what_no_reader_took()
        return 1
    return code


def _tool(chosen: argparse.Namespace) -> int:
    match chosen.command:
        case "demo":
            return _demo(chosen)
        case "preview":
            return _preview(chosen)
        case "pin":
            return _pin(chosen)
        case "support-bundle":
            return _support_bundle(chosen)
        case "doctor":
            return _doctor(chosen)
        case _:
            return _discover(chosen)


_LOG_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def build_parser() -> argparse.ArgumentParser:
    """Every command and its flags."""
    from player.settings import add_flags

    parser = argparse.ArgumentParser(prog="menu-player", description="The device runtime of a digital menu board.")
    parser.add_argument("--version", action="version", version=f"menu-player {VERSION}")
    parser.add_argument("--verbose", action="store_true", help="log details")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    run = commands.add_parser("run", help="show the board", description="Show the board of this screen.")
    add_flags(run)
    demo = commands.add_parser(
        "demo",
        help="start a service with a sample café, and a board",
        description="Start a service with a sample café and a board that is paired with it. Ctrl-C ends both.",
    )
    demo.add_argument("--folder", type=Path, default=Path(".demo"), help="state directory of the demo (.demo)")
    demo.add_argument("--portrait", action="store_true", help="use a portrait board")
    demo.add_argument("--offscreen", action="store_true", help="write a PNG file even if there is a screen")
    preview = commands.add_parser(
        "preview",
        help="draw a scene or a playlist from files, without a service",
        description="Draw a scene, or what a playlist shows at a given time, from files, as a board would; see"
        " docs/preview.md. Opens a window; without a screen, or with --out, writes a PNG file.",
    )
    preview.add_argument("document", type=Path, metavar="SCENE.json|PLAYLIST.json")
    preview.add_argument("--items", type=Path, metavar="FILE", help="the items, and the location, in JSON")
    preview.add_argument("--size", metavar="WxH", help="size of the image in pixels (the scene's own)")
    preview.add_argument("--at", metavar="TIME", help="2026-11-20T08:00 or 08:00, in the location's time (now)")
    preview.add_argument("--language", metavar="TAG", help="show every scene in this language, such as en or ar")
    preview.add_argument("--out", type=Path, metavar="PNG", help="write the image into this file")
    preview.add_argument("--watch", action="store_true", help="draw again whenever a file that was read changes")
    preview.add_argument("--rotate", metavar="DEGREES", help="rotate the image, as a board's --rotate")
    preview.add_argument("--overscan", metavar="PERCENT", help="leave a margin at each edge, as a board's --overscan")
    pin = commands.add_parser(
        "pin",
        help="show the PIN of this screen's page on the screen",
        description="Have the player on this device show a PIN in a corner of its screen for two minutes. With it, a"
        " browser on another machine signs in to the screen's page.",
    )
    pin.add_argument("--diagnostics-port", metavar="N", help="port of the page (as the player's settings say)")
    pin.add_argument("--config", metavar="FILE", help="the player's configuration file")
    doctor = commands.add_parser(
        "doctor",
        help="say what is wrong with this device's player, and what to do",
        description="Say what is wrong with the player of this device, why, and what to do: as the running player finds"
        " it, or, if it does not run or cannot start, from its settings, its state directory and this device. Changes"
        " nothing. The exit status is 0 if nothing is wrong or there are only notes, 1 if there are warnings, 2 if"
        " there are faults. docs/field-guide.md lists the findings.",
    )
    add_flags(doctor)
    doctor.add_argument("--json", action="store_true", help="write the findings as JSON")
    doctor.add_argument(
        "--serve",
        action="store_true",
        help="where the player does not run: serve its page to a phone, with a PIN that stands here, until it runs",
    )
    discover = commands.add_parser(
        "discover",
        help="find screens and menu services on this network",
        description="Find the screens and the menu services that announce themselves on this network. A result is a"
        " suggestion: anybody on the network may announce anything, and a service's TLS certificate decides whether it"
        " is genuine. The exit status is 0 if there is any, 1 if there is none.",
    )
    discover.add_argument("--seconds", type=float, default=3.0, help="how long to listen, up to 60 (3)")
    discover.add_argument("--json", action="store_true", help="write JSON instead of a table")
    bundle = commands.add_parser(
        "support-bundle",
        help="write a file for support",
        description="Write one zip file with what somebody far away needs to understand a board: findings, state, log,"
        " settings and pictures, without passwords, tokens and codes. It comes from the running player, or from the"
        " disk where none runs; then run this as root, who may read the log.",
    )
    bundle.add_argument("--out", type=Path, metavar="FILE", help="the file (menu-player-….zip in this folder)")
    bundle.add_argument("--state", metavar="DIR", help="state directory of the player")
    bundle.add_argument("--diagnostics-port", metavar="N", help="port of its diagnostics page")
    bundle.add_argument("--config", metavar="FILE", help="its configuration file")
    return parser


def _run(chosen: argparse.Namespace) -> int:
    from player.boot_file.note import read_note
    from player.settings import SettingsError, read_settings
    from player.standstill.hindrance import lacking, not_whole, state_in_use, wrong_settings
    from player.storage.credentials import paired_with
    from player.storage.durable import StorageError

    began = time.monotonic()
    # The objects of a start stay, so a search for garbage finds nothing. The player enables it again later.
    gc.disable()
    _wait_for_no_reader()
    if is_kept() and (missing := lacking()):
        return _mend(not_whole(missing), chosen)
    try:
        settings = read_settings(vars(chosen), os.environ, paired_with=paired_with, boot_file=read_note())
    except SettingsError as error:
        if is_kept():
            return _mend(wrong_settings(error), chosen)
        return _wrong_settings(error)
    try:
        from player.display.qt.binding import load_binding

        load_binding()
        from player.runtime.app import run
    except ImportError as error:
        return _not_whole(error, chosen)
    try:
        return run(settings, loaded_in=time.monotonic() - began)
    except StorageError as error:
        if is_kept():
            return _mend(state_in_use(error, settings), chosen)
        logging.getLogger(__name__).critical("the state directory cannot be used: %s", error)
        return 1


def _wait_for_no_reader() -> None:
    """A journal that stands still, as on a card that is dying, must not stop the board: what it does not take is lost.
    This holds for what Qt and the libraries print, too."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # it may be closed, or none at all
            mode = os.fstat(stream.fileno()).st_mode
            if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
                os.set_blocking(stream.fileno(), False)


def _drop_what_no_reader_took() -> None:
    """Python writes it once more at its end, and where that fails, ends with a status of its own."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (BlockingIOError, BrokenPipeError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)


def _wrong_settings(error: SettingsError) -> int:
    """Settings that cannot be used, told at the terminal."""
    from player.domain.words.phrase import phrases

    count = len(error.faults)
    title = phrases("A setting of this screen is wrong", "{count} settings of this screen are wrong", count=count)
    _say(title, to=sys.stderr)
    for fault in error.faults:
        _say(fault, to=sys.stderr)
    return WRONG_USE


def _not_whole(error: ImportError, chosen: argparse.Namespace | None = None) -> int:
    """The installation lacks parts."""
    from player.standstill.hindrance import lacking, not_whole

    hindrance = not_whole(lacking() or (error.name or str(error),))
    if is_kept():
        return _mend(hindrance, chosen)
    print(f"menu-player: {hindrance.title}: {hindrance.text}", file=sys.stderr)  # noqa: T201
    return 1


def _mend(hindrance: Hindrance, chosen: argparse.Namespace | None) -> int:
    """Show what to mend until it is, and then start again."""
    from player.standstill.mend import mend, start_again

    gc.enable()
    flags = vars(chosen) if chosen is not None else {}
    mend(hindrance, lambda: _hindrance(chosen), place=lambda: _place(flags), again=start_again)
    return 0


def _hindrance(chosen: argparse.Namespace | None) -> Hindrance | None:
    """What keeps the player from starting now."""
    from player.standstill import hindrance

    if missing := hindrance.lacking():
        return hindrance.not_whole(missing)
    if chosen is None:
        return None
    from player.boot_file.note import read_note
    from player.settings import SettingsError, read_settings
    from player.storage.credentials import paired_with
    from player.storage.durable import StorageError
    from player.storage.lock import lock_readable

    try:
        settings = read_settings(vars(chosen), os.environ, paired_with=paired_with, boot_file=read_note())
        if (lock := lock_readable(settings.state)) is not None:
            lock.close()
    except SettingsError as error:
        return hindrance.wrong_settings(error)
    except StorageError as error:
        return hindrance.state_in_use(error, settings)
    return None


def _demo(chosen: argparse.Namespace) -> int:
    from player.runtime.demo import Demo, has_screen, run_demo

    return run_demo(
        Demo(
            folder=chosen.folder,
            portrait=chosen.portrait,
            windowed=has_screen() and not chosen.offscreen,
        )
    )


def _preview(chosen: argparse.Namespace) -> int:
    from player.display.window.panel import Panel
    from player.preview.times import read_at, read_language
    from player.runtime.demo import has_screen
    from player.settings import read_overscan, read_rotation, read_size

    faults: list[str] = []

    def read(flag: str, reader: Callable[[str], T]) -> T | None:
        written = getattr(chosen, flag)
        try:
            return None if written is None else reader(written)
        except ValueError as error:
            faults.append(f"--{flag}: {error}")
            return None

    size, at, language = read("size", read_size), read("at", read_at), read("language", read_language)
    panel = Panel(rotation=read("rotate", read_rotation), overscan=read("overscan", read_overscan))
    if faults:
        print("\n".join(f"menu-player preview: {fault}" for fault in faults), file=sys.stderr)  # noqa: T201
        return WRONG_USE
    out = chosen.out
    if out is None and not has_screen():
        out = Path(chosen.document.stem + ".png")
        print(f"no screen here: drawing into {out}", file=sys.stderr)  # noqa: T201
    from player.display.qt.binding import load_binding

    load_binding()
    from player.preview.show import Options, run_preview

    return run_preview(
        Options(
            document=chosen.document,
            items=chosen.items,
            size=size,
            at=at,
            language=language,
            out=out,
            watch=chosen.watch,
            panel=panel,
        )
    )


def _doctor(chosen: argparse.Namespace) -> int:
    from player.domain.words.phrase import language_of_terminal
    from player.domain.words.wording import FALLBACK_LOCALE
    from player.standstill.examine import examine

    place = _place(vars(chosen))
    if chosen.serve:
        from player.standstill.serve import run_serve

        return run_serve(place)
    locale = FALLBACK_LOCALE if chosen.json else language_of_terminal(os.environ)
    found = examine(place, connect=_try_connection, locale=locale)
    print(found.document().decode() if chosen.json else found.text(locale))  # noqa: T201
    return found.exit_code


def _place(flags: Mapping[str, str | None]) -> Place:
    """Where the doctor looks."""
    from player.boot_file.note import read_note
    from player.settings import DEFAULT_DIAGNOSTICS_PORT, DEFAULT_STATE, SettingsError, hidden_config, read_settings
    from player.standstill.stopped import Place
    from player.standstill.unit import unit_environment
    from player.storage.credentials import paired_with

    # The player's settings may be in its unit, which a shell knows nothing of.
    environment = {**unit_environment(), **os.environ}
    hidden = hidden_config(flags, environment)
    try:
        settings = read_settings(flags, environment, paired_with=paired_with, boot_file=read_note())
    except SettingsError as error:
        return Place(
            settings=None,
            folder=error.known.get("state", DEFAULT_STATE),
            port=error.known.get("diagnostics_port", DEFAULT_DIAGNOSTICS_PORT),
            page=error.page,
            page_pin=error.known.get("page_pin"),
            environment=environment,
            faults=error.faults,
            hidden=(str(hidden),) if hidden else (),
        )
    return Place(
        settings=settings,
        folder=settings.state,
        port=settings.diagnostics_port,
        page=settings.page,
        page_pin=settings.page_pin,
        environment=environment,
        hidden=(str(hidden),) if hidden else (),
    )


def _try_connection(settings: Settings) -> ConnectionTest:
    from player.standstill.connection import try_connection  # The network libraries, which may be what is missing.

    return try_connection(settings)


def _say(words: Phrase, *, to: TextIO | None = None) -> None:
    """Tell the person at the terminal, in their language."""
    from player.domain.words.phrase import in_language, language_of_terminal

    print(in_language(words, language_of_terminal(os.environ)), file=to)


def _pin(chosen: argparse.Namespace) -> int:
    from player.domain.words.phrase import phrase
    from player.page.tool import NotRunningError, PageTool
    from player.settings import PageAccess, SettingsError, read_settings

    try:
        settings = read_settings(vars(chosen), os.environ, paired_with=lambda _: "http://127.0.0.1")
    except SettingsError as error:
        return _wrong_settings(error)
    if settings.page is not PageAccess.NETWORK:
        _say(phrase("The page is closed to other machines (page in the settings), so there is no PIN."))
        return 1
    tool = PageTool(settings.diagnostics_port)
    try:
        status = tool.post("/pin")
    except NotRunningError as error:
        _say(error.words, to=sys.stderr)
        return 1
    finally:
        tool.close()
    if status == FORBIDDEN and settings.page_pin is not None:
        _say(phrase("This screen has a PIN of its own (page_pin in its settings), and shows none."))
        return 1
    if status != 200:
        _say(phrase("The player shows no PIN (its page answers {status}).", status=status), to=sys.stderr)
        return 1
    _say(phrase("The PIN stands in a corner of the screen, for two minutes."))
    return 0


def _discover(chosen: argparse.Namespace) -> int:
    import asyncio

    from player.domain.words.phrase import language_of_terminal, phrase, phrases
    from player.link.discovery import MAX_SEARCH_SECONDS, discover

    if not 0 <= chosen.seconds <= MAX_SEARCH_SECONDS:
        print(f"menu-player discover: --seconds is from 0 to {MAX_SEARCH_SECONDS:g}", file=sys.stderr)  # noqa: T201
        return WRONG_USE
    try:
        found = asyncio.run(discover(seconds=chosen.seconds))
    except OSError as error:
        _say(phrase("The network cannot be searched: {why}", why=error.strerror or str(error)), to=sys.stderr)
        return WRONG_USE
    if chosen.json:
        print(found.json)  # noqa: T201
    else:
        rows = _found_rows(found, language_of_terminal(os.environ))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows if len(rows) > 1 else ():
            cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            print("  ".join(cells).rstrip())  # noqa: T201
    if found.left_out:
        left = phrases(
            "{count} more announced itself and is not listed.",
            "{count} more announced themselves and are not listed.",
            count=found.left_out,
        )
        _say(left, to=sys.stderr)
    if found.services or found.players:
        return 0
    _say(phrase("No screen and no menu service announced itself on this network."), to=sys.stderr)
    return 1


def _found_rows(found: Found, locale: str) -> list[tuple[str, ...]]:
    """What was found, as a table."""
    from player.domain.words.phrase import in_language, phrase

    states = {
        "ok": phrase("ok"),
        "warning": phrase("warning"),
        "fault": phrase("fault"),
    }
    titles = (phrase("Name"), "ID", phrase("State"), phrase("Version"), phrase("Address"))
    rows: list[tuple[str, ...]] = [("", *(in_language(title, locale).upper() for title in titles))]
    service, screen = in_language(phrase("service"), locale), in_language(phrase("screen"), locale)
    nameless = in_language(phrase("(not paired)"), locale)
    rows += [(service, "", "", "", "", url) for url in found.services]
    rows += [
        (
            screen,
            each.name or nameless,
            each.short_id,
            in_language(states.get(each.state, each.state), locale),
            each.version,
            each.page or each.address,
        )
        for each in found.players
    ]
    return rows


def _support_bundle(chosen: argparse.Namespace) -> int:
    from player.domain.words.phrase import phrase
    from player.page.bundle import file_name, write_bundle
    from player.runtime.support_bundle import fetch_bundle, stored_contents
    from player.standstill.examine import look

    place = _place({name: getattr(chosen, name) for name in ("state", "diagnostics_port", "config")})
    found = fetch_bundle(place.port) if place.port else None
    if found is None:
        facts = look(place, connect=_try_connection)
        contents = stored_contents(place.settings, place.folder, facts=facts, faults=place.faults)
        found = file_name(contents), write_bundle(contents)
        _say(phrase("The player does not answer: the bundle has what can be found without it."), to=sys.stderr)
    name, content = found
    out = chosen.out or Path(name)
    try:
        # Readable by whoever writes it, and nobody else.
        descriptor = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
    except OSError as error:
        _say(phrase("{file} cannot be written: {why}", file=str(out), why=error.strerror or str(error)), to=sys.stderr)
        return WRONG_USE
    print(out)  # noqa: T201
    return 0
