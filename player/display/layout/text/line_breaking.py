"""Breaks text into lines from measured pieces, greedily, names evenly; pure, imports no Qt."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from msgspec import Struct

from player.display.layout.sizes import largest
from player.display.layout.text.bidi import NO_BREAK_SPACE
from player.display.layout.text.measuring import TextMeasurer


def described(measurer: TextMeasurer, text: str, width: float, limit: int) -> tuple[str, ...]:
    """Breaks a description into lines, its last one not a single word."""
    if not (text and limit):
        return ()
    lines = measurer.lines(text, width, limit)
    # A single last word that is wider than 0.6 of the line may stay alone.
    is_single = len(lines) > 1 and " " not in lines[-1].strip() and measurer.width(lines[-1]) < 0.6 * width
    # The word before moves down to it, and no more: evened out, a line could break far before its end.
    head, _, last = text.rstrip().rpartition(" ")
    # Japanese, Chinese and Thai have no blanks between words.
    if not is_single or not head or "\n" in text or ends_early(lines, text):
        return lines
    joined = head + NO_BREAK_SPACE + last
    if measurer.widest_piece(joined) > width:
        return lines
    found = measurer.lines(joined, width, limit)
    # A single word before the last line is worse than one in it.
    if len(found) != len(lines) or (" " not in found[-2] and " " in lines[-2]):
        return lines
    return (*found[:-1], found[-1].replace(NO_BREAK_SPACE, " "))


def name_lines(
    measurer: TextMeasurer, name: str, width: float, limit: int, tail: float = 0.0, below: float = 0.0
) -> tuple[str, ...]:
    """Breaks the name into lines of about equal length, so that no word or character stands alone on the last. After
    the last word there is room for `tail` ems, if one line more makes it, or a hyphen in a name of one word; it takes
    `below` of the room beside the lines, which the first one does not have."""
    lines = measurer.lines(name, width, limit)
    if lines[-1].endswith(ELLIPSIS):
        return lines
    even = lines if len(lines) == 1 else _balanced(measurer, name, lines, width)

    def has_room(broken: Sequence[str]) -> bool:
        return measurer.width(broken[-1]) + tail <= width + (below if len(broken) > 1 else 0.0)

    if not tail or has_room(even):
        return even
    most = min(limit, len(lines) + 1)
    longer = [_balanced(measurer, name, lines, width, most)]
    head, *rest = measurer.lines(name, 0.99 * measurer.width(name), most)  # It has to break.
    if " " not in name and head.endswith(HYPHEN) and len(rest) == 1 and measurer.width(head) <= width:
        longer.append((head, *rest))
    return next((one for one in longer if has_room(one) and not ends_early(one, name)), even)


def _balanced(
    measurer: TextMeasurer, text: str, lines: tuple[str, ...], width: float, most: int = 0
) -> tuple[str, ...]:
    """Breaks the text into lines as narrow as `most` allow, else as many as there are."""
    if (low := measurer.widest_piece(text)) > width:
        return lines
    narrowest, high, most = lines, width, most or len(lines)
    for _ in range(6):  # Halvings.
        middle = (low + high) / 2
        if measurer.least_lines(text, middle) > most:
            low = middle
        elif max(map(measurer.width, narrowest)) <= middle:
            high = middle
        elif len(narrower := measurer.lines(text, middle, most + 1)) > most:
            low = middle
        else:
            narrowest, high = narrower, middle
    return narrowest


OPENING = "（「『【〔〖〈《［｛｟"
"""Full-width brackets, whose left half is blank."""


def hang(line: str) -> float:
    """Returns the ems by which a line begins further left, so that no blank half of a bracket indents it."""
    return 0.5 if line.startswith(tuple(OPENING)) else 0.0


ELLIPSIS = "…"
HYPHEN = "-"
LEAST_REST = 3
"""A word that is cut has at least so many letters on each line, where there is room."""
KERNING = 0.02
"""The share by which a line may be wider or narrower than its pieces together: closer to the edge it is measured."""


class Segment(Struct, frozen=True, kw_only=True):
    """An unbreakable piece with the blanks that follow it. In ems, `width` is without those blanks, `advance` with
    them."""

    text: str
    width: float
    advance: float


def wrap(
    paragraphs: Sequence[Sequence[Segment]],
    *,
    width: float,
    limit: int,
    width_of: Callable[[str], float],
    clusters_of: Callable[[str], Sequence[str]],
    hyphens_of: Callable[[str], Sequence[int]] = lambda _: (),
) -> tuple[str, ...]:
    """Breaks the paragraphs into at most `limit` lines of at most `width` ems.

    A piece wider than a line is hyphenated at the first place of `hyphens_of` that fits, or else cut between clusters
    (what a reader takes for one character, as a Thai consonant with its vowel); text that does not fit ends in an
    ellipsis.
    """
    lines: list[str] = []
    surely_fits, surely_wider = (1 - KERNING) * width, (1 + KERNING) * width
    for paragraph in paragraphs:
        line, advance = "", 0.0
        for segment in paragraph:
            if len(lines) > limit:
                break
            end = advance + segment.width
            # Measuring costs more than all else here.
            if line and end >= surely_fits and (end > surely_wider or width_of((line + segment.text).rstrip()) > width):
                lines.append(line.rstrip())
                line, advance = "", 0.0
            line, advance = line + segment.text, advance + segment.advance
            while segment.width > width and len(lines) <= limit and width_of(line.rstrip()) > width:
                head, hyphen = _head(line, width, width_of, clusters_of, hyphens_of)
                lines.append(head + hyphen)
                line = line[len(head) :]
                advance = width_of(line)
        lines.append(line.rstrip())
        if len(lines) > limit:
            break
    if len(lines) <= limit:
        return tuple(lines)
    return (*lines[: limit - 1], _elide(lines[limit - 1], width, width_of, clusters_of))


def least_lines(paragraphs: Sequence[Sequence[Segment]], width: float) -> int:
    """Returns the least number of lines that the paragraphs take, without measuring any."""
    count, most = 0, (1 + KERNING) * width
    for paragraph in paragraphs:
        count, advance = count + 1, 0.0
        for segment in paragraph:
            if segment.width > most:
                # A piece wider than a line breaks anywhere; a blank before it may end the line.
                advance = min(advance, most)
                further = math.ceil((advance + segment.width) / most) - 1
                count, advance = count + further, advance - further * most
            elif advance + segment.width > most:
                count, advance = count + 1, 0.0
            advance += segment.advance
    return count


def flow(measurer: TextMeasurer, parts: Sequence[str], joint: str, width: float, limit: int) -> tuple[str, ...]:
    """Sets the parts in at most `limit` lines of at most `width` ems, with `joint` between two parts of a line.

    Only a part that is wider than a line breaks; text that does not fit ends in an ellipsis.
    """
    rows: list[str] = []
    for part in parts:
        longer = rows[-1] + joint + part if rows else part
        if rows and measurer.width(longer) <= width:
            rows[-1] = longer
        else:
            rows.append(part)
    lines = [line for row in rows for line in measurer.lines(row, width, limit)]
    if len(lines) <= limit:
        return tuple(lines)
    return (*lines[: limit - 1], *measurer.lines(lines[limit - 1] + joint + lines[limit], width, 1))


def flow_evenly(measurer: TextMeasurer, parts: Sequence[str], joint: str, width: float, limit: int) -> tuple[str, ...]:
    """Sets the parts in as few lines as they need, of about equal length, so that none is alone in the last."""
    lines = flow(measurer, parts, joint, width, limit)
    if len(lines) < 2 or ends_early(lines, ""):
        return lines
    narrower = largest(
        0, int(width) - 1, lambda less: len(flow(measurer, parts, joint, width - less, limit + 1)) == len(lines)
    )
    return flow(measurer, parts, joint, width - narrower, limit)


def _head(
    line: str,
    width: float,
    width_of: Callable[[str], float],
    clusters_of: Callable[[str], Sequence[str]],
    hyphens_of: Callable[[str], Sequence[int]],
) -> tuple[str, str]:
    """Returns the beginning of a line that is too wide, and the hyphen after it, if any."""
    for at in hyphens_of(line):
        if width_of(line[:at] + HYPHEN) <= width:
            return line[:at], HYPHEN
    return _with_rest(line, _cut(line, width, width_of, clusters_of), clusters_of), ""


def _with_rest(word: str, head: str, clusters_of: Callable[[str], Sequence[str]]) -> str:
    """Shortens the head of a word that is cut a little where only a letter or two would be left of it."""
    rest = word[len(head) :].rstrip()
    if not rest or len(rest) >= LEAST_REST:
        return head
    clusters = clusters_of(head)
    short = LEAST_REST - len(clusters_of(rest))
    return "".join(clusters[:-short]) if len(clusters) - short >= LEAST_REST else head


def ends_early(lines: Sequence[str], text: str) -> bool:
    """Whether these lines of the text end in an ellipsis that is not in the text."""
    return bool(lines) and lines[-1].endswith(ELLIPSIS) and not text.rstrip().endswith(ELLIPSIS)


def _cut(text: str, width: float, width_of: Callable[[str], float], clusters_of: Callable[[str], Sequence[str]]) -> str:
    """Returns the beginning of the text that fits, at least a cluster."""
    # Of a long text only the beginning is measured, twice as much each time; its last cluster may not be whole.
    length = 64  # About as many as a line of a menu has.
    while True:
        clusters = clusters_of(text[:length])
        if length >= len(text):
            break
        clusters = clusters[:-1]
        if clusters and width_of("".join(clusters)) > width:
            break
        length *= 2
    count = largest(1, len(clusters), lambda tried: width_of("".join(clusters[:tried])) <= width)
    return "".join(clusters[:count])


def _elide(
    line: str, width: float, width_of: Callable[[str], float], clusters_of: Callable[[str], Sequence[str]]
) -> str:
    if width_of(line + ELLIPSIS) <= width:
        return line + ELLIPSIS
    return _cut(line, max(0.0, width - width_of(ELLIPSIS)), width_of, clusters_of).rstrip() + ELLIPSIS
