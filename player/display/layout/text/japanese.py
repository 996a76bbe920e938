"""Joins the pieces of Japanese text between which a line may break into phrases, which stay whole; imports no Qt.

The rules of Unicode (UAX #14) allow a break between almost any two characters. Readers expect one at blanks and
punctuation, before opening brackets, and after particles; within a word in one script, or before its endings, there is
none. Without a dictionary that cannot be decided for sure: in doubt, the pieces stay together.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_HIRAGANA = r"\u3041-\u3096\u309d\u309e"
_KATAKANA = r"\u30a1-\u30fa\u30fc-\u30fe\uff66-\uff9f"
_HAN = r"\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
# Patterns as text: most boards are not Japanese, and compiling them takes 5 ms of a start.
_KANA = f"[{_HIRAGANA}{_KATAKANA}]"
_RUN = f"[{_HIRAGANA}]+$"
_HAN_RUN = f"[{_HAN}]+$"
_LETTER = rf"[\w{_HIRAGANA}{_KATAKANA}{_HAN}]"
_PARTICLE = rf"(?<=[{_KATAKANA}{_HAN}A-Za-z0-9])[のとをがにはでもやへ]$"
"""One of these alone after a word in another script."""
_ENDING = rf"([{_HIRAGANA}](の|を|が|から|まで|した|って|たて|たっぷり|な)|かい|しい|ない|たい)$"
"""After which a word of several endings is over: `焼きたての`."""


def has_kana(text: str) -> bool:
    """Whether the text is Japanese: no other language is written with these letters."""
    return re.search(_KANA, text) is not None


def phrases(pieces: Sequence[str]) -> list[str]:
    """Joins the pieces where no line should break."""
    found: list[str] = []
    for piece in pieces:
        if found and _belong_together(found[-1], piece):
            found[-1] += piece
        else:
            found.append(piece)
    return found


def _belong_together(before: str, after: str) -> bool:
    if not (re.match(_LETTER, before[-1]) and re.match(_LETTER, after[0])):
        return False
    if before[-1].isdigit() and _is_in(after[0], _HAN):
        # A number and what it counts.
        return True
    if not (_is_japanese(before[-1]) and _is_japanese(after[0])):
        return False
    if _is_in(after[0], _HIRAGANA):
        # An ending or a particle belongs to the word; in a row of hiragana nobody can tell.
        return True
    if re.search(_RUN, before):
        return not (re.search(_PARTICLE, before) or re.search(_ENDING, before))
    run = re.search(_HAN_RUN, before)
    # More than five Chinese characters in a row are several words.
    return not (run and _is_in(after[0], _HAN) and len(run.group()) >= 5)


def _is_japanese(letter: str) -> bool:
    return _is_in(letter, _HIRAGANA + _KATAKANA + _HAN)


def _is_in(letter: str, letters: str) -> bool:
    return re.match(f"[{letters}]", letter) is not None
