"""Japanese boards: lines end with a phrase."""

from menu.documents.box import Box
from menu.text.wording import Locality
from tests.player.display.conftest import Glass
from tests.player.display.scenes import listing, one_menu, row

JAPANESE = Locality(timezone="Asia/Tokyo", locale="ja-JP")


def test_lines_of_a_menu_end_with_a_phrase(glass: Glass) -> None:
    soup = row("レンズ豆のスープ", "¥900", description="レモンとクミンを添えて、焼きたてのパンと一緒にどうぞ")
    strudel = row("アップルシュトゥルーデル", "¥750")
    glass.show(
        one_menu(
            listing(("", [soup, strudel])), locality=JAPANESE, box=Box(x=80, y=80, width=800, height=900), columns=1
        )
    )
    assert all(line[-1] in "、のとを" or line.endswith("どうぞ") for line in glass.texts("details")[0].split("\n"))
    assert "アップルシュトゥルーデル" in glass.texts("name")


def test_a_bracket_at_a_line_s_begin_does_not_indent_it(glass: Glass) -> None:
    narrow = Box(x=80, y=80, width=560, height=900)
    soba = row("冷やし煮干しそば（夏季限定）", "￥1,200")
    shown = listing(("", [soba, row("「特製」麺", "￥900")]))
    glass.show(one_menu(shown, locality=JAPANESE, box=narrow, columns=1, min_text_size=40, max_text_size=40))
    lines = [line for name in glass.find("name") for line in name.childItems() if line.property("text")]
    texts = [line.property("text") for line in lines]
    assert texts == ["冷やし煮干しそば", "（夏季限定）", "「特製」麺"]
    # The blank half of the bracket, half an em, is left of where the others begin.
    assert [line.x() for line in lines] == [0, -20, -20]


def test_a_phrase_without_room_breaks_all_the_same(glass: Glass) -> None:
    strudel = row("アップルシュトゥルーデル", "¥750")
    glass.show(
        one_menu(
            listing(("", [strudel])),
            locality=JAPANESE,
            box=Box(x=80, y=80, width=260, height=900),
            columns=1,
            min_text_size=40,
            max_text_size=40,
        )
    )
    lines = glass.texts("name")[0].split("\n")
    assert len(lines) > 1
    assert "".join(lines) == "アップルシュトゥルーデル"
    # UAX #14: no small letter begins a line.
    assert not any(line[0] in "ュゥー" for line in lines)
