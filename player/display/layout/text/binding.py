"""Finds the blanks of a text at which a person would not end a line, and replaces them; imports no Qt.

No line ends within quotes or brackets of two or three words, before a dash, between a number and what it counts, or,
where that costs nothing, after a preposition, an article or a conjunction; a name breaks after a comma first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import IntEnum
from itertools import pairwise

from player.display.layout.text.bidi import NO_BREAK_SPACE

NO_BREAK_HYPHEN = "\N{NON-BREAKING HYPHEN}"
MOST_QUOTED = 3
"""Words in quotes or brackets that stay together, and those of a noun after `2 ×`."""
_OPENING, _CLOSING = "„“”«»‹›‚‘'\"(", "“”»«›‹‘’'\")"
_BETWEEN = ("–", "—", "-", "/", "·", "•", "|")
"""Signs that never begin a line."""
_TIMES = ("×", "x")
_STOPS = ".,;:!?"
_LEADING_WORDS = """
der die das den dem des ein eine einen einem einer im in am an auf aus bei mit nach ohne vom von vor zu zum zur für
und oder the of on at to with from by for and or le la les un une du de au aux à en et ou sur sans avec pour il lo gli
uno una di del della dei alla al allo alle con ed su da nel nella el los las sin por para het een van met op uit voor
zonder os um uma do dos das com sem em no na ao με και σε στο στη από χωρίς & في من مع على أو بدون
"""
# Of the languages in which menus are written most, in one list: "alla" stands on German boards too.
_LEADING = frozenset(_LEADING_WORDS.split())
"""Prepositions, articles and conjunctions, which lead the word after them."""


class Bond(IntEnum):
    """Words that stay together: those that are one thing; also words that lead the next one, and a noun after `2 ×`;
    also all words between two commas."""

    TIGHT = 0
    LOOSE = 1
    CLAUSE = 2


def bind(text: str, bond: Bond, fits: Callable[[str], bool]) -> str:
    """Returns the text with no-break spaces where no line should end, but for phrases that do not fit in a line."""
    return "\n".join(" ".join(_phrases(part.split(" "), bond, fits)) for part in text.split("\n"))


def bind_last(text: str) -> str:
    """Returns the text with its last two words, or phrases, together; a last word with hyphens is whole instead."""
    head, blank, last = text.rstrip().rpartition(" ")
    if "-" in last.strip("-"):
        return head + blank + last.replace("-", NO_BREAK_HYPHEN)
    # Japanese, Chinese and Thai have no blanks between words.
    return head + NO_BREAK_SPACE + last if blank else text


def _phrases(words: list[str], bond: Bond, fits: Callable[[str], bool]) -> Iterator[str]:
    tight = {*_before_signs(words), *_after_numbers(words), *_within_quotes(words)}
    loose = {*tight, *_after_leading(words), *_after_times(words)}
    clause = {at for at, word in enumerate(words[:-1]) if not word.endswith(",")}
    joints = (tight, loose, clause)[: bond + 1]
    yield from _fitting(list(enumerate(words)), joints, fits)


def _fitting(words: list[tuple[int, str]], joints: Sequence[set[int]], fits: Callable[[str], bool]) -> Iterator[str]:
    """Joins numbered words at the last of the joints, and those that do not fit then at the ones before."""
    if not joints:
        yield from (word for _, word in words)
        return
    for phrase in _joined(words, joints[-1]):
        whole = NO_BREAK_SPACE.join(word for _, word in phrase)
        if fits(whole):
            yield whole
        else:
            yield from _fitting(phrase, joints[:-1], fits)


def _joined(words: list[tuple[int, str]], joints: set[int]) -> list[list[tuple[int, str]]]:
    """Divides numbered words into phrases; `joints` are the numbers of words that the next one belongs to."""
    found = [words[:1]]
    for before, after in pairwise(words):
        if before[0] in joints:
            found[-1].append(after)
        else:
            found.append([after])
    return found


def _before_signs(words: list[str]) -> Iterator[int]:
    return (at for at, word in enumerate(words[1:]) if word in _BETWEEN or word[:1] in _BETWEEN[:2])


def _after_numbers(words: list[str]) -> Iterator[int]:
    for at, (word, following) in enumerate(pairwise(words)):
        number = word.rstrip("".join(_TIMES)) or word
        counts = following[:1].isalpha() or following in _TIMES
        is_number = number[:1].isdecimal() and all(letter.isdecimal() or letter in ".,/-–" for letter in number)
        if (is_number and counts) or (word in _TIMES and at and words[at - 1][-1:].isdecimal()):
            yield at


def _within_quotes(words: list[str]) -> Iterator[int]:
    for at, word in enumerate(words):
        if word[:1] and word[0] in _OPENING:
            for end in range(at, min(at + MOST_QUOTED, len(words))):
                if words[end].rstrip(_STOPS).endswith(tuple(_CLOSING)) and (end > at or len(word) > 1):
                    yield from range(at, end)
                    break


def _after_leading(words: list[str]) -> Iterator[int]:
    return (
        at
        for at, word in enumerate(words[:-1])
        if word.lower() in _LEADING or (len(word) == 1 and word.isalpha() and word.islower() and word not in _TIMES)
    )


def _after_times(words: list[str]) -> Iterator[int]:
    """Finds the words of a noun after `2 ×`, up to a sign or the end of a clause."""
    for at, word in enumerate(words):
        # A combo's parts have no-break spaces there already.
        is_number = word[:1].isdecimal() and (word.endswith(_TIMES) or _TIMES[0] in word)
        if word in _TIMES or is_number:
            for further in range(at, min(at + MOST_QUOTED, len(words) - 1)):
                if words[further][-1:] in _STOPS or not words[further + 1][:1].isalpha():
                    break
                yield further
