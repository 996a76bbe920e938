"""Japanese text breaks at phrases: after particles and punctuation, not within words."""

import pytest

from player.display.layout.text.japanese import has_kana, phrases


@pytest.mark.parametrize(
    "text",
    [
        "抹茶ラテ",
        "アップルシュトゥルーデル",
        "レンズ豆の|スープ",
        "焼き鳥",
        "揚げ出し豆腐",
        "お茶",
        "もも肉の|照り焼き",
        "かに玉",
        "ゆで卵",
        "豚の|生姜焼き定食",
        "海老と|アボカドの|サンドイッチ",
        "レモンと|クミンを|添えて、|焼きたての|パンと|一緒にどうぞ",
        "山の|チーズ、|揚げ玉ねぎ、|グリーンサラダ",
        "仔牛肉、|パセリポテトと|コケモモ添え",
        "温かい|バニラソース添え",
        "「特製」|チャーシュー麺|（大盛り）",
        "特製海老天|麩羅蕎麦定|食大盛のり",
        "2種の|ソース",
    ],
)
def test_a_line_breaks_between_phrases(text: str) -> None:
    parts = text.split("|")
    # As UAX #14 allows it: after each character, but not before punctuation that closes, nor after what opens.
    pieces: list[str] = []
    for letter in "".join(parts):
        closes = letter in "、。」）ー" or (letter in "ュッャョィゥェァ")
        if pieces and (closes or pieces[-1][-1] in "「（" or (pieces[-1][-1].isdigit() and letter.isdigit())):
            pieces[-1] += letter
        else:
            pieces.append(letter)
    assert phrases(pieces) == parts


def test_only_text_with_kana_is_japanese() -> None:
    assert has_kana("寿司と刺身")
    assert not has_kana("扁豆汤，配柠檬")
    assert not has_kana("Linsensuppe")
    assert not has_kana("김치찌개")
