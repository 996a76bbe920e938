"""Japanese boards: lines end with a phrase, and the full-width currency sign hangs."""

from msgspec.structs import replace
from PySide6.QtGui import QColor, QImage

from player.domain.documents.scene import Box, ItemWidget, Theme
from player.domain.view import Locality
from tests.player.display.conftest import Glass
from tests.player.display.scenes import listing, one_menu, row, scene, showing

JAPANESE = Locality(timezone="Asia/Tokyo", locale="ja-JP")


def test_lines_of_a_menu_end_with_a_phrase(glass: Glass) -> None:
    soup = row("レンズ豆のスープ", "￥900", description="レモンとクミンを添えて、焼きたてのパンと一緒にどうぞ")
    strudel = row("アップルシュトゥルーデル", "￥750")
    glass.show(
        one_menu(
            listing(("", [soup, strudel])), locality=JAPANESE, box=Box(x=80, y=80, width=800, height=900), columns=1
        )
    )
    assert all(line[-1] in "、のとを" or line.endswith("どうぞ") for line in glass.texts("details")[0].split("\n"))
    assert "アップルシュトゥルーデル" in glass.texts("name")


def test_a_phrase_without_room_breaks_all_the_same(glass: Glass) -> None:
    strudel = row("アップルシュトゥルーデル", "￥750")
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


def test_the_full_width_sign_hangs_over_the_edge_of_the_name(glass: Glass) -> None:
    widget = ItemWidget(id="item", box=Box(x=200, y=100, width=900, height=700), item_id="x")
    white = Theme(text_color="#FFFFFF", accent_color="#FF0000")
    board = showing(scene(widget, theme=white), locality=JAPANESE)
    glass.show(replace(board, items={"item": row("Ramen", "￥1,200")}))
    [price], [name] = glass.find("price"), glass.find("itemName")
    assert price.x() < name.x()
    ink = left_of(glass.grab(), QColor("#FF0000"))
    assert abs(ink - left_of(glass.grab(), QColor("#FFFFFF"))) <= 4

    glass.show(replace(board, items={"item": row("Ramen", "¥1,200")}))
    assert glass.find("price")[0].x() == name.x()


def left_of(image: QImage, color: QColor) -> int:
    """The first column of the glass with so much of the colour."""
    for x in range(image.width()):
        for y in range(image.height()):
            pixel = image.pixelColor(x, y)
            if (
                abs(pixel.red() - color.red()) + abs(pixel.green() - color.green()) < 60
                and abs(pixel.blue() - color.blue()) < 60
            ):
                return x
    raise AssertionError("no such colour")
