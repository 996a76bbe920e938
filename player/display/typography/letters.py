"""Detects letters that no installed font has: they are drawn as boxes."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable

import msgspec
from PySide6.QtGui import QFont, QFontInfo, QTextLayout

from menu.text.phrase import phrase
from player.display.typography.theme import BODY_FAMILY, family_chain
from player.domain.events import WidgetDrawn, WidgetUndrawable
from player.domain.findings.finding import MAX_NAMED
from player.domain.view import SceneView, View

NO_FONT, LETTERS_MISSING = "no_font", "letters_missing"
_DRAWN = frozenset("LNSP")
"""Major categories of Unicode: marks and formats depend on what they stand beside."""


class Letters:
    """Checks each view's texts, and reports letters without a font. Each letter is looked up once."""

    def __init__(self, emit: Callable[[WidgetUndrawable | WidgetDrawn], None]) -> None:
        self._emit = emit
        self._known: set[str] = set()
        self._boxes: set[str] = set()
        self._told = False

    def look(self, view: View) -> None:
        """Reports letters of the view's texts that are drawn as boxes, or no longer are."""
        name: str = "card"
        texts: tuple[object, ...] = (view,)
        if isinstance(view, SceneView):
            name, texts = view.scene.id, (view.scene.widgets, view.menus, view.items, view.texts)
        letters = set(msgspec.json.encode(texts, enc_hook=str).decode())
        new = {letter for letter in letters - self._known if unicodedata.category(letter)[0] in _DRAWN}
        self._known |= letters
        self._boxes |= boxes(new)
        subject, found = f"{name}/letters", letters & self._boxes
        if "e" in self._boxes:
            self._emit(WidgetUndrawable(subject=subject, code=NO_FONT, detail="no font is installed"))
        elif found:
            detail = phrase("no font has {letters}", letters=" ".join(sorted(found)[:MAX_NAMED]))
            self._emit(WidgetUndrawable(subject=subject, code=LETTERS_MISSING, detail=detail))
        elif self._told:
            self._emit(WidgetDrawn(subject=subject, codes=frozenset({NO_FONT, LETTERS_MISSING})))
        self._told = self._told or bool(found)


def boxes(letters: Iterable[str]) -> set[str]:
    font = QFont()
    font.setFamilies(list(family_chain(BODY_FAMILY, locale="en")))
    letters = set(letters)
    if not QFontInfo(font).family():
        return letters  # There is none; Qt does not survive a look at its glyphs.
    # All of them at once: nearly always none is a box.
    some = _has_box(" ".join(sorted(letters)), font)
    return {letter for letter in letters if _has_box(letter, font)} if some else set()


def _has_box(text: str, font: QFont) -> bool:
    layout = QTextLayout(text, font)
    layout.beginLayout()
    layout.createLine()
    layout.endLayout()
    return any(0 in run.glyphIndexes() for run in layout.glyphRuns())
