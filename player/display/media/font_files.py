"""Loads the fonts of scenes into Qt, and removes those that no scene uses.

The files are untrusted. The bytes are compared with their hash and taken apart within bounds; Qt gets a copy without
hinting programs, under the name by which themes refer to it, so that no font stands in for an installed one. A font
over which players have died is not loaded, as with films.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path

from msgspec import Struct
from PySide6.QtCore import QByteArray, QObject
from PySide6.QtGui import QFontDatabase

from menu.documents.converters import ASSET_PREFIX
from menu.documents.references import scene_fonts
from menu.documents.scene import Scene
from menu.fonts import MAX_FONT_BYTES, FontError, renamed
from menu.text.phrase import phrase
from player.display.media.asset_format import fault_of
from player.display.media.crash_guard import HARMLESS_AFTER_SECONDS, MOST_CRASHES, CrashGuard
from player.display.qt.typed import single_shot_timer
from player.plain_file import read_plain

FONT_BAD = "font_bad"
MAX_FONTS = 12
"""Fonts that are loaded at a time: three each of four scenes."""
MAX_LOADED_BYTES = 24 * 1024 * 1024
"""Bytes of all loaded fonts together."""

Report = Callable[[str, str, str, str], None]
"""Reports a part, its file (hex SHA-256), the code and the detail of a fault."""


class _Loaded(Struct, kw_only=True):
    """A font in Qt; `users` counts the scenes that have it. `seen_since` is when it was first on the glass."""

    handle: int
    size: int
    users: int = 0
    seen_since: float | None = None
    harmless: bool = False


class FontFileError(Exception):
    """A font that cannot be loaded; `code` and `detail` say why."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail


class FontFiles(QObject):
    """Fonts by their hex SHA-256. Its calls belong to the thread of the display."""

    def __init__(self, *, asset_path: Callable[[str], Path], crash_guard: CrashGuard, parent: QObject) -> None:
        super().__init__(parent)
        self._asset_path = asset_path
        self._guard = crash_guard
        self._loaded: dict[str, _Loaded] = {}
        # In the next turn of the event loop: the items of the scene that has left are still there.
        self._cleaning = single_shot_timer(0, self.remove_unused, self)

    @property
    def loaded(self) -> tuple[str, ...]:
        """The fonts that Qt has."""
        return tuple(self._loaded)

    def hold(self, digest: str) -> None:
        """Loads the font, unless it is there, until it is released as often. Raises FontFileError."""
        if digest not in self._loaded:
            self._loaded[digest] = self._load(digest)
        self._loaded[digest].users += 1

    def release(self, digest: str) -> None:
        """Gives the font back; it is removed soon after the last scene has done so."""
        font = self._loaded[digest]
        font.users -= 1
        if not font.users:
            self._cleaning.start()

    def tick(self, digests: Iterable[str], monotonic: float) -> None:
        """Counts the seconds for which the fonts have been on the glass without harm."""
        for digest in digests:
            font = self._loaded[digest]
            if font.seen_since is None:
                font.seen_since = monotonic
            elif not font.harmless and monotonic - font.seen_since >= HARMLESS_AFTER_SECONDS:
                font.harmless = True
                self._guard.note(lambda log, digest=digest: log.mark_harmless(digest))  # type: ignore[misc]

    def is_on_trial(self, digest: str) -> bool:
        """Whether the font has not been on the glass for long enough to be harmless."""
        return not self._loaded[digest].harmless

    def remove_unused(self) -> None:
        """Removes the fonts that no scene uses."""
        for digest, font in list(self._loaded.items()):
            if not font.users:
                del self._loaded[digest]
                QFontDatabase.removeApplicationFont(font.handle)
                self._withdraw(digest)

    def close(self) -> None:
        """Removes all fonts, because the display closes."""
        for font in self._loaded.values():
            font.users = 0
        self.remove_unused()

    def _load(self, digest: str) -> _Loaded:
        content = self._read(digest)
        self.remove_unused()
        size = sum(font.size for font in self._loaded.values()) + len(content)
        if len(self._loaded) >= MAX_FONTS or size > MAX_LOADED_BYTES:
            detail = phrase("too many fonts are in use at a time, {count} at most", count=MAX_FONTS)
            raise FontFileError(FONT_BAD, detail)
        clearance = self._guard.request_at_once(_decoder(digest), digest)
        if not clearance:
            self._withdraw(digest)
            detail = phrase("the player has died {count} times while it drew with this font", count=MOST_CRASHES)
            if clearance is None:
                detail = phrase("another file over which the player has died is tried first")
            raise FontFileError(FONT_BAD, detail)
        handle = QFontDatabase.addApplicationFontFromData(QByteArray(content))
        if handle < 0:
            self._withdraw(digest)
            raise FontFileError(FONT_BAD, phrase("it cannot be read as a font here"))
        return _Loaded(handle=handle, size=len(content))

    def _read(self, digest: str) -> bytes:
        path = self._asset_path(digest)
        try:
            content = read_plain(path, MAX_FONT_BYTES + 1)
        except OSError as error:
            raise FontFileError(*fault_of(path, error)) from None
        try:
            if len(content) <= MAX_FONT_BYTES and hashlib.sha256(content).hexdigest() != digest:
                raise FontFileError(FONT_BAD, phrase("its file is damaged on this device"))
            return renamed(content, f"{ASSET_PREFIX}{digest}")
        except FontError:
            raise FontFileError(FONT_BAD, phrase("it is no TTF or OTF that can be used")) from None

    def _withdraw(self, digest: str) -> None:
        self._guard.note(lambda log: log.release(_decoder(digest)))


class SceneFonts:
    """The fonts of one scene, loaded for as long as it lives. What cannot be loaded is reported, and the usual family
    stands in."""

    def __init__(self, scene: Scene, files: FontFiles, *, report: Report) -> None:
        self._files = files
        self._held: list[str] = []
        for digest, part in scene_fonts(scene).items():
            try:
                files.hold(digest)
            except FontFileError as fault:
                report(part, digest, fault.code, fault.detail)
            else:
                self._held.append(digest)

    @property
    def is_on_trial(self) -> bool:
        """Whether the crash guard still watches one of them."""
        return any(map(self._files.is_on_trial, self._held))

    def tick(self, monotonic: float) -> None:
        """Counts a second on the glass."""
        self._files.tick(self._held, monotonic)

    def release(self) -> None:
        """Gives them back: the scene has left."""
        for digest in self._held:
            self._files.release(digest)
        self._held = []


def _decoder(digest: str) -> int:
    """Returns the number by which the crash guard knows a font."""
    return int(digest, 16)
