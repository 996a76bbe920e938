"""Writes the support bundle: one zip with what remote support needs to understand a board, without secrets.

Every part has a bound, and all together are at most MAX_BUNDLE_BYTES. It knows no clock, disk or network: its contents
are given. It takes a moment: call it on a thread of its own.
"""

from __future__ import annotations

import base64
import io
import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from html.parser import HTMLParser
from typing import Any
from urllib.parse import quote, unquote

from msgspec import Struct

from player.domain.plain_line import plain_line, plain_lines
from player.page.document import state_document
from player.page.sections.facts import Facts
from player.page.sections.render import parts
from player.page.sections.words import size
from player.recent_log import HIDDEN, redact

MAX_BUNDLE_BYTES = 10 * 1024**2
"""Size of the zip; the bounds of its parts are so that it is never reached."""
MAX_STATE_BYTES = 2 * 1024**2
MAX_LOG_BYTES = 1024**2
MAX_TEXT_BYTES = 128 * 1024
"""Size of each of the other texts."""
_SECRET_KEY = re.compile(r"(?i)token|password|secret|cookie|csrf|^pin$")
_LEAST_SECRET = 4
"""Letters; whatever is shorter would be found everywhere."""

_SECTIONS = {
    "findings": "what is wrong, why, and what to do",
    "connection": "the last test of the way to the service",
    "timetable": "what may show today, and why each scene shows or not",
    "device": "the machine, its displays and its addresses",
}
"""Sections of the page that are in the bundle as texts."""


class Contents(Struct, frozen=True, kw_only=True):
    """Contents of a bundle. `picture` is a JPEG of the display, `missing` are sentences on what was unavailable.
    `secrets` are removed from every part."""

    facts: Facts
    settings: Sequence[tuple[str, str]] = ()
    packages: Sequence[tuple[str, str]] = ()
    picture: bytes | None = None
    missing: Sequence[str] = ()
    secrets: Sequence[str] = ()


class _Text(Struct, frozen=True):
    name: str
    about: str
    content: str
    most: int = MAX_TEXT_BYTES
    keep_end: bool = False
    is_clean: bool = False
    """Whether secrets have been taken out already."""


def file_name(contents: Contents) -> str:
    """Returns the name of the bundle, from the screen and the time."""
    state = contents.facts.state
    screen = f"{state.device.short_id}-" if state.device.device_id else ""
    return f"menu-player-{screen}{state.at.astimezone(UTC):%Y%m%d-%H%M}.zip"


def write_bundle(contents: Contents) -> bytes:
    hide, at = Redaction(contents.secrets), contents.facts.state.at
    notes, about = list(contents.missing), []
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for text in _texts(contents, hide):
            if not text.content:
                continue
            content = text.content if text.is_clean else hide.text(text.content)
            raw = plain_lines(content).encode(errors="replace")
            if len(raw) > text.most:
                notes.append(f"{text.name} is cut: it has {size(text.most)} of {size(len(raw))}.")
            about.append((text.name, text.about))
            _add(archive, at, text.name, _cut(raw, text.most, keep_end=text.keep_end))
        if contents.picture is not None:
            about.append(("glass.jpg", "what was on the screen when this was written"))
            _add(archive, at, "glass.jpg", contents.picture, stored=True)
        readme = hide.text(_readme(contents, about, notes)).encode(errors="replace")
        _add(archive, at, "README.txt", _cut(readme, MAX_TEXT_BYTES))
    return held.getvalue()


class Redaction:
    """Removes secrets from texts: known ones wherever and however they are written, and what looks like one."""

    def __init__(self, secrets: Iterable[str]) -> None:
        forms: set[str] = set()
        for secret in secrets:
            for one in {secret, unquote(secret), plain_line(secret)}:
                encoded = base64.b64encode(one.encode()).decode().rstrip("=")
                forms |= {one, quote(one, safe=""), json.dumps(one)[1:-1], encoded, repr(one)[1:-1]}
        # The longest first: one may be a part of another.
        self._forms = sorted((form for form in forms if len(form) >= _LEAST_SECRET), key=len, reverse=True)

    def text(self, text: str) -> str:
        for form in self._forms:
            text = text.replace(form, HIDDEN)
        # Line by line: the search holds up all other threads while it lasts.
        return "\n".join(map(redact, text.split("\n")))

    def document(self, value: Any) -> Any:
        """Returns a JSON document without secrets."""
        if isinstance(value, Mapping):
            return {
                self.text(str(key)): HIDDEN if _SECRET_KEY.search(str(key)) and each else self.document(each)
                for key, each in value.items()
            }
        if isinstance(value, list | tuple):
            return [self.document(each) for each in value]
        return self.text(value) if isinstance(value, str) else value


def _cut(raw: bytes, most: int, *, keep_end: bool = False) -> bytes:
    if len(raw) <= most:
        return raw
    note = b"[... cut here ...]\n"
    kept = most - 2 * len(note)
    if keep_end:
        return note + raw[-kept:].partition(b"\n")[2]
    return raw[:kept].decode(errors="ignore").encode() + b"\n" + note


def _add(archive: zipfile.ZipFile, at: datetime, name: str, content: bytes, *, stored: bool = False) -> None:
    at = max(at.astimezone(UTC), datetime(1980, 1, 1, tzinfo=UTC))
    entry = zipfile.ZipInfo(name, (at.year, at.month, at.day, at.hour, at.minute, at.second))
    entry.external_attr = 0o644 << 16
    archive.writestr(entry, content, zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED)


# The parts


def _texts(contents: Contents, hide: Redaction) -> Iterator[_Text]:
    facts = contents.facts
    for name, html in parts(facts, names=_SECTIONS).items():
        yield _Text(f"{name}.txt", _SECTIONS[name], _Section(html).text)
    log = "".join(f"{line}\n" for line in facts.log)
    yield _Text("log.txt", "the newest messages of the player", log, MAX_LOG_BYTES, keep_end=True)
    yield _Text("settings.txt", "how the player is set up", _lines(contents.settings))
    yield _Text("versions.txt", "the versions of the device's programs", _lines(contents.packages))
    about = "everything that the player knows of its state, for programmers"
    yield _Text("state.json", about, _state(facts, hide), MAX_STATE_BYTES, is_clean=True)


class _Section(HTMLParser):
    """Section of the page as text: a line for each of its rows."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self._text = ""
        self.feed(html)
        self.close()

    @property
    def text(self) -> str:
        lines = (" ".join(line.split()) for line in self._text.split("\n"))
        return "".join(f"{line}\n" for line in lines if line)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        self._text += {"p": "\n", "dt": "\n", "li": "\n- ", "dd": ": "}.get(tag, "")

    def handle_endtag(self, tag: str) -> None:
        self._text += " " if tag in ("span", "small", "strong") else ""

    def handle_data(self, data: str) -> None:
        # A name is in an element of its own, without white space around it.
        self._text += f"{' ' * data[0].isspace()}{plain_line(data)}{' ' * data[-1].isspace()}"


def _readme(contents: Contents, about: Sequence[tuple[str, str]], notes: Sequence[str]) -> str:
    state = contents.facts.state
    nameless = "(not known: the player does not run)" if state.standstill else "(not paired)"
    lines = [
        "This is the support bundle of a menu board: what somebody far away needs to understand what is wrong with it.",
        "",
        f"Written:   {state.at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC",
        f"Player:    {state.device.app_version}",
        f"Short id:  {state.device.short_id or '(not known)'}",
        f"Screen:    {plain_line(state.pairing.screen_name or nameless)}",
    ]
    if state.location:
        lines.append(f"Location:  {plain_line(state.location.name)}, {state.location.timezone}")
    lines += ["", "Files, the one to read first at the top:", ""]
    lines += [f"  {name:<16} {text}" for name, text in about]
    lines += ["", "Left out on purpose: tokens, pairing codes, PINs, passwords of proxies and keys."]
    lines.append(f"Where one stood in a text it says {HIDDEN}. Names, prices and pictures of the menu are in here.")
    if notes:
        lines += ["", "Not complete:", "", *(f"  - {plain_line(note)}" for note in notes)]
    return "\n".join(lines) + "\n"


def _state(facts: Facts, hide: Redaction) -> str:
    document = state_document(facts.state, monotonic=facts.monotonic)
    document["pairing"]["code"] = document["pairing"]["code"] and HIDDEN
    return json.dumps(hide.document(document), ensure_ascii=False, indent=1)


def _lines(pairs: Iterable[tuple[str, str]]) -> str:
    return "".join(f"{plain_line(name)}: {plain_line(text)}\n" for name, text in pairs)
