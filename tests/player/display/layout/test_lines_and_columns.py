"""Line breaking and columns, as pure arithmetic."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from player.display.layout.columns import Block, fill, fits, height_of, joined
from player.display.layout.text.line_breaking import Segment, least_lines, wrap

heights = st.lists(st.floats(min_value=1, max_value=50), min_size=1, max_size=40)


def blocks(of: list[float], gap: float = 5.0) -> list[Block[str]]:
    return [Block.single(str(number), gap, height, str(number)) for number, height in enumerate(of)]


@given(heights, st.integers(1, 4), st.floats(min_value=60, max_value=400))
def test_columns_hold_everything_in_order_and_within_their_height(of: list[float], columns: int, room: float) -> None:
    filled = fill(blocks(of), columns=columns, room=room)

    if filled is None:
        assert not fits(blocks(of), columns=columns, room=room)
        return
    assert [block.key for column in filled for block in column] == [str(number) for number in range(len(of))]
    assert len(filled) <= columns
    assert all(height_of(column) <= room for column in filled)


def test_columns_are_even() -> None:
    filled = fill(blocks([10.0] * 9), columns=3, room=1000)

    assert filled is not None
    assert [len(column) for column in filled] == [3, 3, 3]


def test_a_joined_block_is_not_split() -> None:
    heading, first, second = blocks([4.0, 10.0, 10.0])
    filled = fill([joined([heading, first]), second], columns=3, room=100)

    assert filled is not None
    assert [[part for block in column for part, _ in block.parts] for column in filled] == [["0", "1"], ["2"]]


def test_the_gap_above_a_column_s_first_block_does_not_count() -> None:
    assert height_of(blocks([10.0, 10.0])) == 25.0
    assert fits(blocks([10.0, 10.0]), columns=1, room=25.0)
    assert not fits(blocks([10.0, 10.0]), columns=1, room=24.9)


def segments(text: str) -> list[Segment]:
    words = text.split(" ")
    last = len(words) - 1
    return [
        Segment(text=word, width=float(len(word.rstrip())), advance=float(len(word)))
        for word in (f"{word} " if number < last else word for number, word in enumerate(words))
    ]


def broken(text: str, width: float, limit: int) -> tuple[str, ...]:
    return wrap(
        [segments(part) for part in text.split("\n")],
        width=width,
        limit=limit,
        width_of=lambda t: float(len(t)),
        clusters_of=list,
    )


words = st.lists(st.text(alphabet="abcdef", min_size=1, max_size=12), min_size=1, max_size=20).map(" ".join)


@given(words, st.integers(3, 30), st.integers(1, 6))
def test_lines_are_never_too_wide_nor_too_many(text: str, width: int, limit: int) -> None:
    lines = broken(text, width, limit)

    assert 1 <= len(lines) <= limit
    assert all(len(line) <= width for line in lines)
    if not lines[-1].endswith("…"):
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")


@given(words, st.integers(3, 30))
def test_no_text_takes_fewer_lines_than_it_does_at_least(text: str, width: int) -> None:
    assert least_lines([segments(text)], width) <= len(broken(text, width, len(text)))


def test_lines_break_between_words_and_a_long_word_is_cut() -> None:
    assert broken("smoked trout on toast", 12, 5) == ("smoked trout", "on toast")
    assert broken("a donaudampfschiff b", 8, 5) == ("a", "donaudam", "pfschiff", "b")
    assert broken("one two three four", 9, 1) == ("one two…",)
    assert broken("one\ntwo", 9, 5) == ("one", "two")


def test_no_column_is_nearly_empty_where_others_can_be_lower() -> None:
    paged = fill(blocks([10.0] * 14), columns=3, pages=2, room=40)
    whole = fill(blocks([60.0, 50.0, 50.0, *[10.0] * 6]), columns=3, room=200)

    assert paged is not None
    assert whole is not None
    assert {len(column) for column in paged} == {2, 3}
    assert [round(height_of(column)) for column in whole] == [60, 105, 85]
