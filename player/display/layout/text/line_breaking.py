"""Breaks text into lines from measured pieces, greedily, names evenly; pure, imports no Qt."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from msgspec import Struct

from player.display.layout.sizes import largest
from player.display.layout.text.bidi import NO_BREAK_SPACE
from player.display.layout.text.binding import NO_BREAK_HYPHEN, Bond, bind, bind_last
from player.display.layout.text.measuring import TextMeasurer

SHORT_LAST = 0.6
"""A single last word that is wider than this share of the line may stay alone."""


def described(measurer: TextMeasurer, text: str, width: float, limit: int) -> tuple[str, ...]:
    """Breaks a description into lines, its last one not a single word."""
    if not (text and limit):
        return ()

    def broken(bound: str) -> tuple[str, ...]:
        return measurer.lines(bound, width, limit)

    lines = broken(text)
    if len(lines) == 1 or ends_early(lines, text):
        return lines

    def is_better(joined: Sequence[str], before: Sequence[str]) -> bool:
        # A single word before the last line is worse than one in it.
        return _is_single(joined[-2]) <= _is_single(before[-2])

    # The word before a single last one moves down, and no more: evened out, a line could break far before its end.
    bonds = Bond.LOOSE, Bond.TIGHT
    return _best(measurer, text, lines, width, broken, lambda found: SHORT_LAST * width, is_better, bonds)


def name_lines(
    measurer: TextMeasurer, name: str, width: float, limit: int, tail: float = 0.0, below: float = 0.0
) -> tuple[str, ...]:
    """Breaks the name into lines of about equal length, so that no word or character stands alone on the last. After
    the last word there is room for `tail` ems, if one line more makes it, or a hyphen in a name of one word; it takes
    `below` of the room beside the lines, which the first one does not have."""

    def has_room(broken: Sequence[str]) -> bool:
        return measurer.width(broken[-1]) + tail <= width + (below if len(broken) > 1 else 0.0)

    def broken(bound: str) -> tuple[str, ...]:
        return _name_lines(measurer, bound, width, limit, has_room if tail else None)

    lines = broken(name)
    if len(lines) == 1 or ends_early(lines, name):
        return lines
    return _best(
        measurer,
        name,
        lines,
        width,
        broken,
        lambda found: SHORT_LAST * max(map(measurer.width, found)),
        lambda found, before: has_room(found) or not has_room(before),
        tuple(Bond)[::-1],
    )


def _best(
    measurer: TextMeasurer,
    text: str,
    lines: tuple[str, ...],
    width: float,
    broken: Callable[[str], tuple[str, ...]],
    short: Callable[[Sequence[str]], float],
    is_better: Callable[[Sequence[str], Sequence[str]], bool],
    bonds: Sequence[Bond],
) -> tuple[str, ...]:
    """Breaks the text so that no line ends where a person would not end one, nor a single word narrower than `short` is
    alone on the last line, as long as that takes no more lines than `lines`."""

    def tried(bound: str, before: tuple[str, ...]) -> tuple[str, ...]:
        found = broken(bound) if measurer.widest_piece(bound) <= width else before
        kept = len(found) == len(lines) and not ends_early(found, text)
        return found if kept and is_better(found, before) else before

    def is_short(found: Sequence[str]) -> bool:
        return "\n" not in text and _is_single(found[-1]) and measurer.width(found[-1]) < short(found)

    chosen = lines
    for bond in bonds:
        bound = bind(text, bond, lambda phrase: measurer.width(phrase) <= width)
        found = lines if bound == text else tried(bound, lines)
        if is_short(found) and bond is not Bond.CLAUSE:
            found = tried(bind_last(bound), found)
        if found is not lines and not is_short(found):
            chosen = found
            break
        if chosen is lines and bond is not Bond.CLAUSE:
            chosen = found
    return _with_blanks_of(text, chosen)


_BREAKING = {NO_BREAK_SPACE: " ", NO_BREAK_HYPHEN: "-"}


def _with_blanks_of(text: str, lines: Sequence[str]) -> tuple[str, ...]:
    """Returns the lines with the blanks and hyphens that the text has there."""
    found, at = list[str](), 0
    for line in lines:
        letters = list(line)
        for index, letter in enumerate(line):
            if text[at : at + 1] in (letter, _BREAKING.get(letter)):
                letters[index], at = text[at], at + 1
        at += len(text[at:]) - len(text[at:].lstrip(" \n"))
        found.append("".join(letters))
    return tuple(found)


def _is_single(line: str) -> bool:
    return not {" ", NO_BREAK_SPACE} & set(line.strip())


def _name_lines(
    measurer: TextMeasurer, name: str, width: float, limit: int, has_room: Callable[[Sequence[str]], bool] | None
) -> tuple[str, ...]:
    lines = measurer.lines(name, width, limit)
    if lines[-1].endswith(ELLIPSIS):
        return lines
    even = lines if len(lines) == 1 else _balanced(measurer, name, lines, width)
    if has_room is None or has_room(even):
        return even
    most = min(limit, len(lines) + 1)
    longer = [_balanced(measurer, name, lines, width, most)]
    head, *rest = measurer.lines(name, 0.99 * measurer.width(name), most)  # It has to break.
    if _is_single(name) and head.endswith(HYPHEN) and len(rest) == 1 and measurer.width(head) <= width:
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
