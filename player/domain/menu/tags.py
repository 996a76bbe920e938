"""Knows the usual tags of items by their names in five languages: which icon they have, and their words; pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from player.domain.words.wording import cldr_locale

_TAGS_CACHED = 1024
# By icon, then by language: what boards say, then what operators also write.
_NAMES: Mapping[str, Mapping[str, str]] = {
    "vegetarian": {
        "en": "vegetarian|veggie",
        "de": "vegetarisch|veggie",
        "es": "vegetariano|vegetariana",
        "fr": "végétarien|végétarienne",
        "ar": "نباتي",
    },
    "vegan": {
        "en": "vegan|plant based",
        "de": "vegan|pflanzlich|rein pflanzlich",
        "es": "vegano|vegana",
        "fr": "végan|vegan|végane|végétalien|végétalienne",
        "ar": "نباتي صرف|فيغان",
    },
    "spicy": {
        "en": "spicy|chilli|chili|slightly spicy|🌶|🌶️",
        "de": "scharf|pikant|leicht scharf|chili",
        "es": "picante|poco picante|chile",
        "fr": "épicé|épicée|piquant|piquante|relevé|relevée",
        "ar": "حار",
    },
    "spicy2": {
        "en": "very spicy|very hot|extra spicy|spicy 2|🌶🌶|🌶️🌶️",
        "de": "sehr scharf|extra scharf|scharf 2",
        "es": "muy picante|picante 2",
        "fr": "très épicé|très épicée|très piquant|épicé 2",
        "ar": "حار جدًا|حار جدا",
    },
    "spicy3": {
        "en": "extremely spicy|extremely hot|hottest|spicy 3|🌶🌶🌶|🌶️🌶️🌶️",
        "de": "extrem scharf|höllisch scharf|scharf 3",
        "es": "extremadamente picante|extra picante|picante 3",
        "fr": "extrêmement épicé|extrêmement épicée|épicé 3",
        "ar": "شديد الحرارة",
    },
    "gluten_free": {
        "en": "gluten-free|without gluten|no gluten|gf",
        "de": "glutenfrei|ohne gluten",
        "es": "sin gluten",
        "fr": "sans gluten",
        "ar": "خالٍ من الغلوتين|خال من الغلوتين|بدون غلوتين",
    },
    "lactose_free": {
        "en": "lactose-free|without lactose|no lactose",
        "de": "laktosefrei|lactosefrei|ohne laktose",
        "es": "sin lactosa",
        "fr": "sans lactose",
        "ar": "خالٍ من اللاكتوز|خال من اللاكتوز|بدون لاكتوز",
    },
    "new": {
        "en": "new",
        "de": "neu",
        "es": "nuevo|nueva|novedad",
        "fr": "nouveau|nouvelle|nouveauté",
        "ar": "جديد",
    },
    "special": {
        "en": "house special|house specialty|house speciality|special|speciality|recommended"
        "|chef’s choice|chef's choice|favourite|favorite|star",
        "de": "Spezialität des Hauses|hausspezialität|spezialität|empfehlung|empfehlung des hauses|empfohlen|tipp",
        "es": "especialidad de la casa|especialidad|recomendado|recomendada",
        "fr": "spécialité maison|spécialité de la maison|spécialité|recommandé|recommandée",
        "ar": "طبق مميز|تخصص المطعم|ننصح به",
    },
    "halal": {"en": "halal", "de": "halal", "es": "halal", "fr": "halal", "ar": "حلال"},
    "kosher": {
        "en": "kosher",
        "de": "koscher",
        "es": "kosher|casher",
        "fr": "casher|cacher|kasher",
        "ar": "كوشر|كوشير",
    },
    "nuts": {
        "en": "nuts|contains nuts|with nuts",
        "de": "Nüsse|mit nüssen|enthält nüsse",
        "es": "frutos secos|con frutos secos|nueces",
        "fr": "noix|aux noix|fruits à coque",
        "ar": "مكسرات|يحتوي على مكسرات",
    },
    "fish": {
        "en": "fish|contains fish|with fish",
        "de": "Fisch|mit fisch|enthält fisch",
        "es": "pescado|con pescado",
        "fr": "poisson|au poisson",
        "ar": "سمك|أسماك",
    },
    "organic": {
        "en": "organic",
        "de": "bio|biologisch|ökologisch",
        "es": "ecológico|ecológica|orgánico|orgánica|bio",
        "fr": "bio|biologique",
        "ar": "عضوي",
    },
    "alcohol_free": {
        "en": "alcohol-free|non-alcoholic|no alcohol|without alcohol",
        "de": "alkoholfrei|ohne alkohol",
        "es": "sin alcohol",
        "fr": "sans alcool",
        "ar": "خالٍ من الكحول|خال من الكحول|بدون كحول",
    },
}
ICONS = tuple(_NAMES)
"""The icons that tags can have, in the order of a legend."""


@lru_cache(maxsize=_TAGS_CACHED)
def icon_of(tag: str) -> str | None:
    """The icon of a tag, by its name in any of the languages."""
    return _BY_NAME.get(_plain(tag))


@lru_cache(maxsize=_TAGS_CACHED)
def tag_in(tag: str, language: str) -> str:
    """The word for a tag in a language; as it is written where it is that language's already, or is not known."""
    icon = icon_of(tag)
    names = _NAMES[icon].get(cldr_locale(language).language) if icon is not None else None
    if names is None or _plain(tag) in map(_plain, names.split("|")):
        return tag
    return names.partition("|")[0]


def _plain(tag: str) -> str:
    return re.sub(r"[\s_\-\u2010\u2011]+", " ", tag).strip().casefold()


_BY_NAME = {
    _plain(name): icon
    for icon, languages in _NAMES.items()
    for names in languages.values()
    for name in names.split("|")
}
