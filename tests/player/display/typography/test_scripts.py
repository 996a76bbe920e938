"""Every script on the glass: glyphs from the fonts of the location's language, and line breaks where it allows them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFont, QFontDatabase, QGlyphRun, QTextLayout

from menu.documents.box import Box
from menu.text.allergens import LegendLine
from menu.text.price import delta_text, price_text
from menu.text.wording import Locality
from player.display.typography.theme import (
    BODY_FAMILY,
    EMOJI_FAMILY,
    SCRIPT_FAMILIES,
    TITLE_FAMILY,
    MeasuredFont,
    family_chain,
)
from player.domain.view import MenuListing, MenuSection, SceneView
from tests.player.display.conftest import Glass, descendants, text_width
from tests.player.display.scenes import one_menu, row

NO_STOP_BEFORE = "、。，．！？：；）」』】》〉ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ…％"
"""Closing marks and small letters, with which no line of Japanese or Chinese begins (JIS X 4051, GB/T 15834)."""
NO_STOP_AFTER = "（「『【《〈￥"


@dataclass(frozen=True)
class Script:
    """A menu in one language, and the families that may draw it beside the player's own."""

    locale: str
    families: frozenset[str]
    title: str
    heading: str
    names: tuple[str, ...]
    details: str
    currency: str = "EUR"
    right_to_left: bool = False


def han(region: str) -> frozenset[str]:
    return frozenset({f"Noto Sans CJK {region}"})


SCRIPTS = {
    "latin": Script(
        "pl-PL", frozenset(), "Dziś", "Zupy", ("Żurek z jajkiem", "Crème brûlée", "Kövérszőlő", "Bánh mì đặc biệt"),
        "Łosoś, ćwikła, źdźbło; Ærøskøbing, ßpätzle, İzmir, Þorskur",
    ),
    "greek": Script(
        "el-GR", frozenset(), "Σήμερα", "Ορεκτικά", ("Τζατζίκι", "Χωριάτικη σαλάτα", "Ψητό χταπόδι"),
        "Με ελαιόλαδο, ρίγανη και φέτα· ΐ ΰ ώ ή",
    ),
    "cyrillic": Script(
        "uk-UA", frozenset(), "Сьогодні", "Супи", ("Борщ із пампушками", "Щи", "Ґречана каша", "Їжа"),
        "Зі сметаною; Ёлка, Љубав, Ђевђелија, Ў",
        "UAH",
    ),
    "arabic": Script(
        "ar-KW", frozenset({"Noto Sans Arabic"}), "قائمة اليوم", "المشروبات",
        ("قهوة عربية", "شاي بالنعناع", "شاورما دجاج 2 قطعة", "چای و پنیر"), "محمصة يومياً مع الهيل (حار)؛ طازجة؟",
        "KWD", right_to_left=True,
    ),
    "hebrew": Script(
        "he-IL", frozenset({"Noto Sans Hebrew"}), "תפריט", "שתייה", ("קפה הפוך", "שקשוקה עם 2 ביצים", "חוּמוּס"),
        "קלוי בעיר, פעמיים בשבוע", "ILS", right_to_left=True,
    ),
    "thai": Script(
        "th-TH", frozenset({"Noto Sans Thai"}), "เมนูวันนี้", "อาหาร",
        ("ข้าวผัดกุ้งราดซอสมะขามกับผักสดตามฤดูกาล", "ต้มยำกุ้งน้ำข้น", "ผัดไทย ๒ จาน"), "ข้าวหอมมะลิผัดกับกุ้งแม่น้ำตัวใหญ่",
        "THB",
    ),
    "devanagari": Script(
        "hi-IN", frozenset({"Noto Sans Devanagari", "Noto Sans"}), "आज का मेनू", "मुख्य व्यंजन",
        ("पनीर बटर मसाला", "छोले भटूरे", "श्रीखंड क्षीर ज्ञान"), "टमाटर और काजू की मलाईदार ग्रेवी", "INR",
    ),
    "simplified": Script(
        "zh-CN", han("SC"), "街角咖啡馆", "咖啡", ("手冲咖啡，云南保山《水洗》", "直角骨入令", "小笼包（八只）"),
        "柑橘与红糖的香气，余韵悠长；每天早上新鲜烘焙。", "CNY",
    ),
    "traditional": Script(
        "zh-TW", han("TC"), "街角咖啡館", "咖啡", ("手沖咖啡", "直角骨入令", "小籠包（八隻）"),
        "柑橘與紅糖的香氣，餘韻悠長。", "TWD",
    ),
    "hong kong": Script("zh-HK", han("HK"), "茶餐廳", "飲品", ("鴛鴦", "菠蘿油", "嘢飲"), "凍檸茶、西多士", "HKD"),
    "japanese": Script(
        "ja-JP", han("JP"), "本日のメニュー", "お飲み物",
        ("抹茶ラテ", "「直角骨入令」特製チャーシュー麺（大盛り）", "ﾊｰﾌｻｲｽﾞ"),
        "北海道産の小豆と発酵バター。トーストは、毎朝。", "JPY",
    ),
    "korean": Script(
        "ko-KR", han("KR"), "오늘의 메뉴", "식사",
        ("김치찌개와 공기밥", "비빔밥", "뷁 쀍"), "국내산 돼지고기와 잘 익은 김치", "KRW",
    ),
}  # fmt: skip
OWN_FAMILIES = {BODY_FAMILY, TITLE_FAMILY}


def board(script: Script) -> SceneView:
    price = price_text(Decimal("1234.5"), currency=script.currency, locale=script.locale)
    deltas = [delta_text(Decimal(n), currency=script.currency, locale=script.locale) for n in ("3.5", "-2")]
    rows = [
        row(
            name,
            description=script.details,
            modifiers=[(script.heading, delta) for delta in deltas],
            tags=(script.heading,),
            allergens=("A",),
        )
        for name in script.names
    ]
    listed = MenuListing(
        sections=(MenuSection(heading=script.heading, rows=tuple(replace(one, price=price) for one in rows)),),
        legend=(LegendLine(mark="A", text=script.heading),),
        legend_title=script.title,
    )
    return one_menu(
        listed,
        title=script.title,
        locality=Locality(timezone="UTC", locale=script.locale, right_to_left=script.right_to_left),
    )


def glyph_runs(text: str, font: QFont) -> Iterator[QGlyphRun]:
    layout = QTextLayout(text.replace("\n", "\u2028"), font)
    layout.beginLayout()
    while layout.createLine().isValid():
        pass
    layout.endLayout()
    yield from layout.glyphRuns()


@pytest.mark.first_case
@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS)
def test_no_glyph_is_a_box_and_each_is_from_a_family_of_its_language(glass: Glass, script: Script) -> None:
    glass.show(board(script))
    drawn = [
        (str(item.property("text")), QFont(item.property("font")))
        for item in descendants(glass.root)
        if item.isVisible() and item.property("text") and item.property("font")
    ]
    runs = [(text, run) for text, font in drawn for run in glyph_runs(text, font)]
    visible_runs = [
        run for _, run in runs if any(not run.rawFont().boundingRect(glyph).isEmpty() for glyph in run.glyphIndexes())
    ]
    families = {run.rawFont().familyName() for run in visible_runs}

    assert len(drawn) >= 5 * len(script.names) + 3
    assert [text for text, run in runs if 0 in run.glyphIndexes()] == []
    assert families - OWN_FAMILIES == script.families


EMOJI = ("Diavola 🌶️🔥", "Bowl 🌱🥑", "Chips 🐟", "Mmh 😋", "Chef 👩‍🍳", "Cucina 🇮🇹")


def test_emoji_are_drawn_in_colour_and_take_the_place_that_was_measured(glass: Glass) -> None:
    glass.show(one_menu(MenuListing(sections=(MenuSection(heading="", rows=tuple(row(name) for name in EMOJI)),))))
    image, unit = glass.grab(), glass.size[0] / 1920
    [canvas] = glass.find("canvas")

    for line, name in zip(glass.find("name"), EMOJI, strict=True):
        at = line.mapToItem(canvas, QPointF(0, 0))
        seen = image.copy(QRectF(at.x() * unit, at.y() * unit, line.width() * unit, line.height() * unit).toRect())
        shades = [seen.pixelColor(x, y) for x in range(seen.width()) for y in range(seen.height())]
        assert sum(shade.hsvSaturationF() > 0.5 and shade.valueF() > 0.4 for shade in shades) > 40, "the text is white"
        runs = list(glyph_runs(name, QFont(line.property("font"))))
        assert EMOJI_FAMILY in {run.rawFont().familyName() for run in runs}
        assert not any(0 in run.glyphIndexes() for run in runs)
        assert text_width(line) <= line.width() + 1


@pytest.mark.parametrize("locale", [script.locale for script in SCRIPTS.values()])
def test_the_font_families_of_a_board_are_installed(glass: Glass, locale: str) -> None:
    del glass
    installed = set(QFontDatabase.families())

    assert set(family_chain(TITLE_FAMILY, locale=locale)) <= installed, "packaging/set-up installs them"
    assert set(SCRIPT_FAMILIES) <= installed


def test_han_characters_take_the_forms_of_the_location_s_language(glass: Glass) -> None:
    del glass
    drawn = {
        locale: tuple(
            (run.rawFont().familyName(), tuple(run.glyphIndexes()))
            for run in glyph_runs("直角骨入令", MeasuredFont(family_chain(BODY_FAMILY, locale=locale)).at_size(40))
        )
        for locale in ("ja-JP", "zh-CN", "zh-TW", "zh-HK", "ko-KR", "zh-Hant-MO", "de-DE")
    }

    assert len(set(drawn.values())) >= 5
    assert drawn["zh-Hant-MO"] == drawn["zh-TW"]


def test_figures_that_change_have_one_width_and_hyphens_keep_theirs(glass: Glass) -> None:
    del glass
    chain = family_chain(BODY_FAMILY, locale="en-IE")
    price, name = MeasuredFont(chain, tabular=True), MeasuredFont(chain)

    assert len({price.width(figure) for figure in "0123456789"}) == 1
    assert name.width("-") < 0.8 * name.width("0")


def broken(glass: Glass, locale: str, name: str, width: float) -> list[str]:
    glass.show(
        one_menu(
            MenuListing(sections=(MenuSection(heading="", rows=(row(name, "฿120", decimals=0),)),)),
            locality=Locality(timezone="UTC", locale=locale),
            box=Box(x=0, y=0, width=width, height=1000),
            min_text_size=40,
            max_text_size=40,
        )
    )
    return glass.texts("name")[0].split("\n")


@pytest.mark.parametrize("width", [330, 360, 400, 460])
def test_thai_breaks_between_words(glass: Glass, width: float) -> None:
    words = ["ข้าว", "ผัด", "กุ้ง", "ราด", "ซอส", "มะขาม"]

    lines = broken(glass, "th-TH", "".join(words), width)

    ends = {len("".join(words[:count])) for count in range(len(words) + 1)}
    at = 0
    assert "".join(lines) == "".join(words)
    assert len(lines) > 1
    for line in lines:
        at += len(line)
        assert at in ends, "libthai0 knows where Thai words end"


@pytest.mark.first_case
@pytest.mark.parametrize("width", [280, 300, 360, 420, 500])
@pytest.mark.parametrize(
    "words",
    [["สเต็ก", "เนื้อ", "วากิว", "ย่าง"], ["ข้าว", "กะเพรา", "ไข่ดาว"], ["คาปูชิโน่", "เย็น"], ["ชีสเค้ก ", "ไข่เจียว"]],
)
def test_thai_words_of_menus_are_whole(glass: Glass, words: list[str], width: float) -> None:
    lines = broken(glass, "th-TH", "".join(words), width)

    ends = {len("".join(words[:count]).replace(" ", "")) for count in range(len(words) + 1)}
    assert "".join(lines).replace(" ", "") == "".join(words).replace(" ", "")
    assert {len("".join(lines[:count]).replace(" ", "")) for count in range(len(lines))} <= ends, lines


@pytest.mark.parametrize("width", [300, 320, 350, 420])
@pytest.mark.parametrize(
    ("locale", "name"),
    [
        ("ja-JP", "「特製」チャーシューメン、キャラメル（大盛り）ー。"),
        ("zh-CN", "手冲咖啡，云南保山《水洗》！小笼包（八只）。"),
    ],
)
def test_no_line_begins_with_a_closing_mark(glass: Glass, locale: str, name: str, width: float) -> None:
    lines = broken(glass, locale, name, width)

    assert len(lines) > 1
    assert [line for line in lines[1:] if line[0] in NO_STOP_BEFORE] == []
    assert [line for line in lines[:-1] if line[-1] in NO_STOP_AFTER] == []


@pytest.mark.parametrize(
    ("locale", "word"),
    [("th-TH", "กุ้" * 16), ("hi-IN", "क्षि" * 10), ("en", "e\u0301" * 60), ("en", "👨‍👩‍👧" * 20)],
)  # fmt: skip
def test_a_word_that_must_be_cut_is_cut_between_letters_and_not_inside_one(
    glass: Glass, locale: str, word: str
) -> None:
    lines = broken(glass, locale, word, 300)
    letter = {"th-TH": "กุ้", "hi-IN": "क्षि"}.get(locale, "e\u0301" if "e" in word else "👨‍👩‍👧")

    assert len(lines) > 1
    assert all(line.rstrip("…").replace(letter, "") == "" for line in lines), lines


@pytest.mark.parametrize(
    ("locality", "name", "base"),
    [
        (Locality(timezone="UTC", locale="ar-KW", right_to_left=True), "Spanish latte سبانش لاتيه", "right"),
        (Locality(timezone="UTC", locale="ar-KW", right_to_left=True), "Cold brew!", "left"),
        (Locality(timezone="UTC", locale="en-GB"), "Falafel פלאפל", "left"),
    ],
)
def test_mixed_directions_are_read_from_the_board_s_side(
    glass: Glass, locality: Locality, name: str, base: str
) -> None:
    glass.show(one_menu(MenuListing(sections=(MenuSection(heading="", rows=(row(name, "1,00"),)),)), locality=locality))
    [item] = glass.find("name")
    text, font = str(item.property("text")), QFont(item.property("font"))
    first = min(glyph_runs(text, font), key=lambda run: run.positions()[0].x())

    assert glass.texts("name") == [name]
    assert first.isRightToLeft() is (base == "right")


@pytest.mark.parametrize(("locale", "currency"), [("ar-KW", "KWD"), ("he-IL", "ILS"), ("fa-IR", "IRR")])
def test_a_modifier_s_price_is_read_apart_from_its_name(glass: Glass, locale: str, currency: str) -> None:
    delta = delta_text(Decimal("-2"), currency=currency, locale=locale)
    modifiers = [("Latte 2", delta), ("قطن", delta)]
    listed = MenuListing(sections=(MenuSection(heading="", rows=(row("x", modifiers=modifiers),)),))
    glass.show(one_menu(listed, locality=Locality(timezone="UTC", locale=locale, right_to_left=True)))
    [details] = glass.find("details")

    assert str(details.property("text")).count(f"\u2068{delta}\u2069") == 2
    assert str(details.property("text")).count("\u2068Latte 2\u2069") == 1


@pytest.mark.parametrize(
    ("locale", "heading", "shown"),
    [
        ("el-GR", "Ορεκτικά", "ΟΡΕΚΤΙΚΑ"),
        ("el-GR", "Ρολά με μαΐδα", "ΡΟΛΑ ΜΕ ΜΑΪΔΑ"),
        ("tr-TR", "İçecekler sıcak", "İÇECEKLER SICAK"),
        ("de-DE", "Süßes", "SÜSSES"),
        ("nl-NL", "IJs", "IJS"),
    ],
)
def test_headings_are_in_the_language_s_capitals(glass: Glass, locale: str, heading: str, shown: str) -> None:
    listed = MenuListing(sections=(MenuSection(heading=heading, rows=(row("x"),)),))
    glass.show(one_menu(listed, locality=Locality(timezone="UTC", locale=locale)))

    assert glass.texts("headingText") == [shown]
