"""Removes control characters for terminals from text of others; pure."""

from __future__ import annotations

_OBEYED = dict.fromkeys((*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, *range(0x202A, 0x202F)), " ")
"""Control characters, breaks of lines, and what turns the direction of all that follows."""

_WITHIN_LINES = {code: instead for code, instead in _OBEYED.items() if chr(code) not in "\t\n"}


def plain_line(text: str) -> str:
    return " ".join(text.translate(_OBEYED).split())


def plain_lines(text: str) -> str:
    return text.translate(_WITHIN_LINES)
