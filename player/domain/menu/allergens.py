"""Names allergens: by letters in the rows of a menu, in words in its legend and in item widgets; pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from player.domain.view import LegendLine
from player.domain.words.wording import by_language, joined

LETTERS = {
    "gluten": "A",
    "crustaceans": "B",
    "eggs": "C",
    "fish": "D",
    "peanuts": "E",
    "soybeans": "F",
    "milk": "G",
    "nuts": "H",
    "celery": "L",
    "mustard": "M",
    "sesame": "N",
    "sulphites": "O",
    "lupin": "P",
    "molluscs": "R",
}
"""The fourteen of Regulation (EU) 1169/2011, Annex II, in its order, with the letters that Austria recommends."""

# "Allergens", then the fourteen in the order above.
_WORDS = {
    "ar": "مسببات الحساسية|غلوتين|قشريات|بيض|سمك|فول سوداني|صويا|حليب|مكسرات|كرفس|خردل|سمسم|كبريتيت|ترمس|رخويات",
    "de": "Allergene|Gluten|Krebstiere|Eier|Fisch|Erdnüsse|Soja|Milch|Schalenfrüchte|Sellerie|Senf|Sesam|Sulfite"
    "|Lupinen|Weichtiere",
    "el": "Αλλεργιογόνα|γλουτένη|καρκινοειδή|αυγά|ψάρι|αραχίδες|σόγια|γάλα|ξηροί καρποί|σέλινο|μουστάρδα|σουσάμι"
    "|θειώδη|λούπινο|μαλάκια",
    "en": "Allergens|gluten|crustaceans|eggs|fish|peanuts|soya|milk|nuts|celery|mustard|sesame|sulphites|lupin"
    "|molluscs",
    "es": "Alérgenos|gluten|crustáceos|huevos|pescado|cacahuetes|soja|leche|frutos de cáscara|apio|mostaza|sésamo"
    "|sulfitos|altramuces|moluscos",
    "fr": "Allergènes|gluten|crustacés|œufs|poisson|arachides|soja|lait|fruits à coque|céleri|moutarde|sésame|sulfites"
    "|lupin|mollusques",
    "he": "אלרגנים|גלוטן|סרטנאים|ביצים|דגים|בוטנים|סויה|חלב|אגוזים|סלרי|חרדל|שומשום|סולפיטים|תורמוס|רכיכות",
    "hi": "एलर्जी कारक|ग्लूटेन|क्रस्टेशियन|अंडे|मछली|मूंगफली|सोया|दूध|मेवे|अजवाइन|सरसों|तिल|सल्फाइट|ल्यूपिन|मोलस्क",
    "it": "Allergeni|glutine|crostacei|uova|pesce|arachidi|soia|latte|frutta a guscio|sedano|senape|sesamo|solfiti"
    "|lupini|molluschi",
    "ja": "アレルゲン|グルテン|甲殻類|卵|魚|落花生|大豆|乳|ナッツ類|セロリ|マスタード|ごま|亜硫酸塩|ルピナス|軟体動物",
    "ko": "알레르기 유발 식품|글루텐|갑각류|달걀|생선|땅콩|대두|우유|견과류|셀러리|겨자|참깨|아황산염|루핀|연체동물",
    "nl": "Allergenen|gluten|schaaldieren|eieren|vis|pinda|soja|melk|noten|selderij|mosterd|sesam|sulfiet|lupine"
    "|weekdieren",
    "pl": "Alergeny|gluten|skorupiaki|jaja|ryby|orzeszki ziemne|soja|mleko|orzechy|seler|gorczyca|sezam|siarczyny"
    "|łubin|mięczaki",
    "pt": "Alergénios|glúten|crustáceos|ovos|peixe|amendoins|soja|leite|frutos de casca rija|aipo|mostarda|sésamo"
    "|sulfitos|tremoço|moluscos",
    "ru": "Аллергены|глютен|ракообразные|яйца|рыба|арахис|соя|молоко|орехи|сельдерей|горчица|кунжут|сульфиты|люпин"
    "|моллюски",
    "th": "สารก่อภูมิแพ้|กลูเตน|กุ้งและปู|ไข่|ปลา|ถั่วลิสง|ถั่วเหลือง|นม|ถั่วเปลือกแข็ง|ขึ้นฉ่าย|มัสตาร์ด|งา|ซัลไฟต์|ลูพิน|หอยและหมึก",
    "tr": "Alerjenler|gluten|kabuklular|yumurta|balık|yer fıstığı|soya|süt|sert kabuklu yemişler|kereviz|hardal|susam"
    "|sülfitler|acı bakla|yumuşakçalar",
    "uk": "Алергени|глютен|ракоподібні|яйця|риба|арахіс|соя|молоко|горіхи|селера|гірчиця|кунжут|сульфіти|люпин|молюски",
    "zh": "过敏原|麸质|甲壳类|蛋|鱼|花生|大豆|奶|坚果|芹菜|芥末|芝麻|亚硫酸盐|羽扇豆|软体动物",
    "zh_Hant": "過敏原|麩質|甲殼類|蛋|魚|花生|大豆|奶|堅果|芹菜|芥末|芝麻|亞硫酸鹽|羽扇豆|軟體動物",
}
_COLONS = {"en": ":", "fr": "\u00a0:", "ja": "：", "zh": "："}
"""French has a space before it; the full-width one includes the space after it."""


MOST_UNKNOWN = 100
"""Words beside the fourteen that a legend explains; the mark of a further one has no explanation."""


def allergen_marks(items: Iterable[Sequence[str]]) -> Mapping[str, str]:
    """The mark of each allergen in these items (each item as a list of the API's words), in the order of a legend.

    A word that is none of the fourteen gets a number: a warning is never left out.
    """
    used = dict.fromkeys(allergen for allergens in items for allergen in allergens)
    known = {allergen: letter for allergen, letter in LETTERS.items() if allergen in used}
    others = (allergen for allergen in used if allergen not in LETTERS)
    return known | {other: str(number) for number, other in enumerate(others, start=1)}


def allergen_letters(allergens: Iterable[str], marks: Mapping[str, str]) -> tuple[str, ...]:
    """The marks of one item: letters in their order, then numbers."""
    return tuple(
        sorted({marks[each] for each in allergens if each in marks}, key=lambda mark: (mark.isdigit(), len(mark), mark))
    )


def allergen_legend(marks: Mapping[str, str], locale: str) -> tuple[LegendLine, ...]:
    """Explains the marks; a word that is none of the fourteen is listed as written."""
    words = _words(locale)
    return tuple(
        LegendLine(mark=mark, text=words.get(allergen, allergen))
        for allergen, mark in islice(marks.items(), len(LETTERS) + MOST_UNKNOWN)
    )


def allergen_names(allergens: Sequence[str], locale: str) -> tuple[str, ...]:
    """The allergens of one item in words, in the legend's order; an item widget needs no letters."""
    return tuple(line.text for line in allergen_legend(allergen_marks([allergens]), locale))


def allergens_title(*locales: str) -> str:
    """The title of a legend, or of an item widget's allergens, in one language or in two: `Allergens:`."""
    titles = (by_language(_WORDS, locale).partition("|")[0] for locale in locales)
    return joined(titles) + by_language(_COLONS, locales[0])


def _words(locale: str) -> Mapping[str, str]:
    return dict(zip(LETTERS, by_language(_WORDS, locale).split("|")[1:], strict=True))
