"""Reads allergens as shops write them: words in the languages of the desk, or codes by the legend of the shop.

A code means nothing by itself: `L` is celery in Austria and sulphites in Germany, and numbers may be additives. The
legend is the workspace's own, or one of those below.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import get_args

from service.schema.content.item import Allergen

ALLERGENS: tuple[str, ...] = get_args(Allergen)
MAX_CODES = 60
MAX_CODE_LENGTH = 4

_NAMES: Mapping[str, str] = {
    "gluten": "gluten, wheat, cereals, cereals containing gluten, weizen, getreide, glutenhaltiges getreide, roggen, "
    "gerste, hafer, dinkel, rye, barley, oats, spelt, blé, céréales, céréales contenant du gluten, trigo, cereales, "
    "cereales con gluten, الغلوتين, غلوتين, جلوتين, قمح, القمح",
    "crustaceans": "crustaceans, shellfish, krebstiere, krustentiere, crustacés, crustáceos, القشريات, قشريات",
    "eggs": "eggs, egg, eier, ei, œufs, œuf, oeufs, oeuf, huevos, huevo, البيض, بيض",
    "fish": "fish, fisch, fische, poisson, poissons, pescado, السمك, سمك, الأسماك",
    "peanuts": "peanuts, peanut, erdnüsse, erdnuss, arachides, arachide, cacahuètes, cacahuetes, cacahuete, "
    "الفول السوداني, فول سوداني",
    "soybeans": "soybeans, soya, soy, soja, sojabohnen, الصويا, صويا, فول الصويا",
    "milk": "milk, dairy, lactose, milch, laktose, lait, lactosa, leche, lácteos, الحليب, حليب, اللبن",
    "nuts": "nuts, tree nuts, nut, nüsse, schalenfrüchte, fruits à coque, noix, frutos de cáscara, frutos secos, "
    "nueces, المكسرات, مكسرات",
    "celery": "celery, sellerie, céleri, apio, الكرفس, كرفس",
    "mustard": "mustard, senf, moutarde, mostaza, الخردل, خردل",
    "sesame": "sesame, sesame seeds, sesam, sésame, sésamo, السمسم, سمسم",
    "sulphites": "sulphites, sulfites, sulphur dioxide, sulfite, schwefeldioxid, schwefeldioxid und sulfite, "
    "anhydride sulfureux, sulfitos, الكبريتيت, كبريتيت, السلفيت",
    "lupin": "lupin, lupins, lupine, lupinen, altramuces, altramuz, الترمس, ترمس",
    "molluscs": "molluscs, mollusks, mollusques, weichtiere, moluscos, الرخويات, رخويات",
}
"""Words for each allergen in English, German, French, Spanish and Arabic."""

LEGENDS: Mapping[str, Mapping[str, str]] = {
    # Both follow regulation (EU) 1169/2011, annex II, in its order. Austria skips I, J, K and Q.
    "austria": dict(zip("ABCDEFGHLMNOPR", ALLERGENS, strict=True)),
    "germany": dict(zip("ABCDEFGHIJKLMN", ALLERGENS, strict=True)),
    "numbers": {str(number): one for number, one in enumerate(ALLERGENS, start=1)},
}
"""Legends that many shops of a country use: the allergen of each code."""

_SEPARATORS = re.compile(r"[،,;|/·•+&()\[\]\n]|\s(?:und|and|et|y|و)\s|\s-\s")
_PAIR = re.compile(r"\s*([A-Za-z0-9]{1,4})\s*[=:.)–-]?\s+(.+?)\s*")


def folded(text: str) -> str:
    """Folds a word, so that all its spellings are equal."""
    letters = unicodedata.normalize("NFKD", text.casefold().replace("œ", "oe"))
    return " ".join("".join(one for one in letters if not unicodedata.combining(one)).split())


_BY_WORD = {folded(word): one for one, words in _NAMES.items() for word in words.split(",")}
_BY_WORD = {word.strip(): one for word, one in _BY_WORD.items()}


def read_allergens(text: str, legend: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Parses the allergens in a cell, each once; returns also the unknown words or codes."""
    found: dict[str, None] = {}
    unknown: dict[str, None] = {}
    for part in filter(None, (part.strip(" .:") for part in _SEPARATORS.split(text))):
        known = [_BY_WORD[folded(part)]] if folded(part) in _BY_WORD else _coded(part, legend)
        if known is None:
            unknown[part[:60]] = None
        else:
            found.update(dict.fromkeys(known))
    return list(found), list(unknown)


def read_legend(text: str) -> tuple[dict[str, str], list[str]]:
    """Parses a legend such as `A Gluten, B Krebstiere`: returns the allergen of each code, and the unknown parts. A
    code whose word is no allergen, such as an additive's, means none: it is not reported as unknown later."""
    legend: dict[str, str] = {}
    unknown: list[str] = []
    for part in filter(None, (part.strip() for part in re.split(r"[،,;|\n]", text))):
        pair = _PAIR.fullmatch(part)
        if pair is None or len(legend) >= MAX_CODES:
            unknown.append(part[:60])
            continue
        legend[pair[1].upper()] = _BY_WORD.get(folded(pair[2]), "")
        if not legend[pair[1].upper()]:
            unknown.append(part[:60])
    return legend, unknown


def written(legend: Mapping[str, str]) -> str:
    """Writes a legend as text that `read_legend` reads."""
    return ", ".join(f"{code} {one}" for code, one in legend.items() if one)


def _coded(part: str, legend: Mapping[str, str]) -> list[str] | None:
    """Returns the allergens of codes; None if one of them is not in the legend."""
    codes: Iterable[str] = part.split()
    if any(len(code) > MAX_CODE_LENGTH and code.upper() not in legend for code in codes):
        # `ACGLM`
        codes = [one for code in codes for one in code] if part.isalpha() else codes
    elif part.isalpha() and part.upper() not in legend:
        codes = list(part)
    known = [legend.get(code.upper()) for code in codes]
    return None if not known or None in known else [one for one in known if one]
