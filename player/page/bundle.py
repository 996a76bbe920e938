"""Writes the support bundle: one zip with what somebody far away needs to understand a board, without secrets.

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
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any
from urllib.parse import quote, unquote

from msgspec import Struct, field

from player.domain.documents.schedule import zone_named
from player.domain.findings.texts import unshowable_text
from player.domain.machine import Machine
from player.domain.playing.timetable import Timetable, TimetableRow
from player.domain.state import Kind, PlayerState
from player.domain.time.timeline import Reason
from player.domain.words.plain_line import plain_line, plain_lines
from player.domain.words.short_id import short_id
from player.page.document import state_document
from player.page.sections.sections import WHO
from player.page.sections.words import duration, size
from player.recent_log import HIDDEN, redact

MAX_BUNDLE_BYTES = 10 * 1024**2
"""Size of the zip; the bounds of its parts are so that it is never reached."""
MAX_STATE_BYTES = 2 * 1024**2
MAX_LOG_BYTES = 1024**2
MAX_TEXT_BYTES = 128 * 1024
"""Size of each of the other texts."""
MAX_PICTURE_BYTES = 3 * 1024**2
MAX_PICTURES = 2
MAX_PACKAGES = 1000

_SECRET_KEY = re.compile(r"(?i)token|password|secret|cookie|csrf|^pin$")
_LEAST_SECRET = 4
"""Letters; whatever is shorter would be found everywhere."""


class Contents(Struct, frozen=True, kw_only=True):
    """The contents of a bundle. `state` is None where nothing is known. `pictures` are files by name, `missing`
    are sentences on what could not be had. `secrets` are left out wherever they stand."""

    at: datetime
    player_version: str
    device_id: str = ""
    state: PlayerState | None = None
    monotonic: float = 0.0
    timetable: Timetable | None = None
    zone: str = ""
    machine: Machine = field(default_factory=Machine)
    addresses: Sequence[str] = ()
    log: str = ""
    settings: Sequence[tuple[str, str]] = ()
    packages: Sequence[tuple[str, str]] = ()
    pictures: Mapping[str, bytes] = field(default_factory=dict)
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
    """The name of the bundle: which screen, and when."""
    who = f"{short_id(contents.device_id)}-" if contents.device_id else ""
    return f"menu-player-{who}{contents.at.astimezone(UTC):%Y%m%d-%H%M}.zip"


def write_bundle(contents: Contents) -> bytes:
    """The zip."""
    hide = Redaction(contents.secrets)
    notes = list(contents.missing)
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        texts = [text for text in _texts(contents, hide) if text.content]
        for text in texts:
            content = text.content
            if not text.is_clean:
                # Cut twice: what is dropped need not be read, and what hides a secret may be longer than it.
                most = 2 * text.most
                content = hide.text(content[-most:] if text.keep_end else content[:most])
            raw = plain_lines(content).encode(errors="replace")
            if len(raw) > text.most or len(content) < len(text.content) // 2:
                notes.append(f"{text.name} is cut: it has {size(text.most)} of {size(len(text.content))} or more.")
            _add(archive, contents.at, text.name, _cut(raw, text.most, keep_end=text.keep_end))
        pictures = []
        for name, picture in list(contents.pictures.items())[:MAX_PICTURES]:
            if len(picture) > MAX_PICTURE_BYTES:
                notes.append(f"{name} is left out: it is too large ({size(len(picture))}).")
            else:
                pictures.append(name)
                _add(archive, contents.at, name, picture, stored=True)
        about = [(text.name, text.about) for text in texts] + [(name, _ABOUT[name]) for name in pictures]
        readme = hide.text(_readme(contents, about, notes)).encode(errors="replace")
        _add(archive, contents.at, "README.txt", _cut(readme, MAX_TEXT_BYTES))
    return held.getvalue()


class Redaction:
    """Takes secrets out of texts: the known ones wherever and however they are written, and what looks like one."""

    def __init__(self, secrets: Iterable[str]) -> None:
        forms: set[str] = set()
        for secret in secrets:
            for one in {secret, unquote(secret), plain_line(secret)}:
                encoded = base64.b64encode(one.encode()).decode().rstrip("=")
                forms |= {one, quote(one, safe=""), json.dumps(one)[1:-1], encoded, repr(one)[1:-1]}
        # The longest first: one may be a part of another.
        self._forms = sorted((form for form in forms if len(form) >= _LEAST_SECRET), key=len, reverse=True)

    def text(self, text: str) -> str:
        """The text without secrets."""
        for form in self._forms:
            text = text.replace(form, HIDDEN)
        # Line by line: the search holds up all other threads while it lasts.
        return "\n".join(map(redact, text.split("\n")))

    def document(self, value: Any) -> Any:
        """A JSON document without secrets."""
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
    state = contents.state
    if state is not None:
        document = state_document(state, monotonic=contents.monotonic)
        yield _Text("findings.txt", "what is wrong, why, and what to do", _findings(document, _zone(contents)))
        yield _Text("connection.txt", "the last test of the way to the service", _connection(state, _zone(contents)))
    yield _Text("timetable.txt", "what may show today, and why each scene shows or not", _timetable(contents))
    yield _Text("log.txt", "the newest messages of the player", contents.log, MAX_LOG_BYTES, keep_end=True)
    yield _Text("settings.txt", "how the player is set up", _lines(contents.settings))
    yield _Text("versions.txt", "the device, and the versions of its programs", _versions(contents))
    if state is not None:
        about = "everything that the player knows of its state, for programmers"
        yield _Text("state.json", about, _state(document, hide), MAX_STATE_BYTES, is_clean=True)


_ABOUT = {
    "glass.png": "what was on the screen when this was written",
    "glass.jpg": "what was on the screen when this was written",
    "snapshot.png": "the newest picture that the player wrote to its snapshot file",
}


def _readme(contents: Contents, about: Sequence[tuple[str, str]], notes: Sequence[str]) -> str:
    state = contents.state
    lines = [
        "This is the support bundle of a menu board: what somebody far away needs to understand what is wrong with it.",
        "",
        f"Written:   {contents.at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC",
        f"Player:    {contents.player_version}",
    ]
    if contents.device_id:
        lines.append(f"Short id:  {short_id(contents.device_id)}")
    if state is not None:
        nameless = "(not known: the player does not run)" if state.standstill else "(not paired)"
        lines.append(f"Screen:    {plain_line(state.pairing.screen_name or nameless)}")
        if state.location:
            lines.append(f"Location:  {plain_line(state.location.name)}, {state.location.timezone}")
    lines += ["", "Files, the one to read first at the top:", ""]
    lines += [f"  {name:<16} {text}" for name, text in about]
    lines += ["", "Left out on purpose: tokens, pairing codes, PINs, passwords of proxies and keys."]
    lines.append(f"Where one stood in a text it says {HIDDEN}. Names, prices and pictures of the menu are in here.")
    if notes:
        lines += ["", "Not complete:", "", *(f"  - {plain_line(note)}" for note in notes)]
    return "\n".join(lines) + "\n"


def _findings(document: Mapping[str, Any], zone: tzinfo) -> str:
    found = document["findings"]
    if not found:
        return "Nothing is wrong.\n"
    lines = []
    for number, each in enumerate(found, 1):
        lines.append(f"{number}. {str(each['severity']).upper()}: {plain_line(each['what'])}")
        if each["why"]:
            lines.append(f"   Why:   {plain_line(each['why'])}")
        lines.append(f"   Do:    {plain_line(each['do'])}")
        if each.get("who"):
            lines.append(f"   Who:   {WHO[each['who']]}")
        if each.get("since"):
            lines.append(f"   Since: {datetime.fromisoformat(each['since']).astimezone(zone):%Y-%m-%d %H:%M:%S %Z}")
        lines += [f"   Code:  {each['code']}", ""]
    return "\n".join(lines)


def _connection(state: PlayerState, zone: tzinfo) -> str:
    test = state.connection
    if test is None:
        return f"The way to the service has not been tested{'' if state.standstill else ' since the player started'}.\n"
    lines = [f"Tested at {test.at.astimezone(zone):%Y-%m-%d %H:%M:%S %Z}. Each step needs the ones before it.", ""]
    for result in test.steps:
        word = {True: "good", False: "FAILED", None: "not done"}[result.passed]
        took = "" if result.milliseconds is None else f"{result.milliseconds:.0f} ms"
        lines.append(
            f"{result.step:<9} {word:<9} {took:>9}  {plain_line(result.evidence)} {result.fault or ''}".rstrip()
        )
    return "\n".join(lines) + "\n"


_REASONS = {
    Reason.WAITING: "waits for its turn",
    Reason.NOT_SCHEDULED: "is not scheduled now",
    Reason.SCHEDULE_UNREADABLE: "never shows",
    Reason.PASSED_OVER: "cannot be shown",
    Reason.CLOCK_UNKNOWN: "waits until the time is known",
}


def _timetable(contents: Contents) -> str:
    day, zone, state = contents.timetable, _zone(contents), contents.state
    if day is None:
        return "There is no timetable: nothing that was published for this screen is on the device.\n"
    now = contents.at.astimezone(zone)
    lines = [f"{day.start.astimezone(zone):%A, %d %B %Y}, {contents.zone or 'UTC'}. It is {now:%H:%M:%S}.", ""]
    others = {other.entry_id: other for other in state.showing.others} if state else {}
    for number, row in enumerate(day.rows, 1):
        each = duration(timedelta(seconds=row.duration_seconds))
        lines += [f"{number}. {plain_line(row.scene_name)}, {each} each time", f"   today: {_spans(row, day, zone)}"]
        if row.unshowable:
            lines.append(f"   cannot be shown: {plain_line(unshowable_text(row.unshowable))}")
        if state and state.showing.kind is Kind.SCENE and state.showing.entry_id == row.entry_id:
            lines.append("   now: shows")
        elif other := others.get(row.entry_id):
            again = f"next at {other.next_at.astimezone(zone):%a %H:%M:%S}" if other.next_at else ""
            lines.append(
                "   now: " + ", ".join(filter(None, (_REASONS[other.reason], plain_line(other.detail), again)))
            )
        lines.append("")
    return "\n".join(lines)


def _spans(row: TimetableRow, day: Timetable, zone: tzinfo) -> str:
    if not row.spans:
        return "not at all"
    if row.spans == ((day.start, day.end),):
        return "all day"
    faces = (
        tuple("24:00" if moment == day.end else f"{moment.astimezone(zone):%H:%M}" for moment in span)
        for span in row.spans
    )
    return ", ".join(f"{low}-{high}" for low, high in faces)


def _versions(contents: Contents) -> str:
    machine = contents.machine
    facts = [
        ("menu-player", contents.player_version),
        ("device", machine.model),
        ("system", machine.system),
        *machine.versions,
        ("memory", size(machine.memory_bytes) if machine.memory_bytes else ""),
        ("disk", size(machine.disk_bytes) if machine.disk_bytes else ""),
        ("switched on", f"{machine.started_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC" if machine.started_at else ""),
        ("addresses", ", ".join(contents.addresses)),
        *(
            (f"display {each.name}", f"connected, {each.mode}" if each.connected else "nothing is connected")
            for each in machine.displays
        ),
    ]
    packages = list(contents.packages)
    text = _lines([fact for fact in facts if fact[1]])
    if packages:
        text += "\nInstalled packages\n\n" + _lines(packages[:MAX_PACKAGES])
        text += f"and {len(packages) - MAX_PACKAGES} more\n" if len(packages) > MAX_PACKAGES else ""
    return text


def _state(document: dict[str, Any], hide: Redaction) -> str:
    pairing = document["pairing"]
    document = {**document, "pairing": {**pairing, "code": pairing["code"] and HIDDEN}}
    if len(_json(document)) > MAX_STATE_BYTES // 2:
        document["ordered"] = {**document["ordered"], "menus": "left out: too long"}
    return _json(hide.document(document))


def _json(document: Any) -> str:
    return json.dumps(document, ensure_ascii=False, indent=1)


def _lines(pairs: Iterable[tuple[str, str]]) -> str:
    return "".join(f"{plain_line(name)}: {plain_line(text)}\n" for name, text in pairs)


def _zone(contents: Contents) -> tzinfo:
    return (zone_named(contents.zone) if contents.zone else None) or UTC
