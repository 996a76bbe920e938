"""Finds the field that a heading of a table names: in the languages of the desk, and as tills name it in their exports.

The exports are those that Square, Toast, SumUp, Loyverse, Shopify, WooCommerce, Lightspeed and Clover publish.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence

from service.core.currencies import in_use
from service.schema.content.pos import FEED_FIELDS

SIZE = "size"
"""A column of sizes: each row is one size of an item."""
SIZE_PRICE = "sizePrice"
"""A column of the prices of one size, which its heading names; a table may have several."""
PARENT = "parent"
"""A column with the SKU or the id of the row whose size a row is."""
NOTHING = ""
"""A column that is not read."""
SHEET_FIELDS = (
    "name",
    "category",
    SIZE,
    *(field for field in FEED_FIELDS if field not in ("name", "category")),
    PARENT,
)
"""Fields that a column of a table may be of, beside names in other languages (`name:de`)."""

_WORDS: Mapping[str, str] = {
    "id": "",
    "name": "name itemname productname dishname item product dish title menuitem article artikelname "
    "artikelbezeichnung produktname artikel produkt gericht speise bezeichnung nomdelarticle nomduproduit nom produit "
    "plat nombredelarticulo nombredelproducto nombre producto plato articulo الاسم اسمالصنف اسمالمنتج الصنف المنتج",
    "category": "category categoryname categories productcategory menugroup group section reportingcategory "
    "department type kategorie kategorien warengruppe artikelgruppe produktgruppe gruppe rubrik categorie categories "
    "famille rubrique categoria categorias familia seccion الفئة القسم التصنيف",
    "price": "price itemprice variantprice baseprice regularprice retailprice sellingprice unitprice salesprice "
    "defaultprice preis preise verkaufspreis bruttopreis vkpreis vk einzelpreis prix prixdevente prixttc precio "
    "preciodeventa pvp السعر سعرالبيع",
    SIZE: "size variationname variantname variation variations option1value option1 optionvalue1 variantoptiononevalue "
    "attribute1value portion größe portionsgröße taille tamaño الحجم",
    PARENT: "parent parentsku",
    "description": "description itemdescription productdescription shortdescription body ingredients beschreibung "
    "zutaten ingredientes composition descripcion الوصف المكونات",
    "sku": "sku variantsku itemsku productcode plu articlenumber itemnumber artikelnummer artikelnr reference "
    "referencia code رمزالصنف",
    "variants": "variants sizes varianten größen tailles variantes tamaños الأحجام",
    "modifiers": "modifiers modifiergroups extras zusätze beilagen supplements suplementos الاضافات",
    "tags": "tags labels etiketten etiquettes etiquetas الوسوم",
    "allergens": "allergens allergen allergeninformation allergene allergenkennzeichnung allergenes alergenos "
    "alergeno مسبباتالحساسية",
    "soldOut": "86 ausverkauft epuise agotado نفد",
    "priceKind": "",
    "priceUnit": "preiseinheit",
    "sortIndex": "position reihenfolge",
}
"""Headings of each field, the likelier ones first: of several columns of a field, one is read."""

_LANGUAGE = re.compile(r"\s*name\s*[:_]\s*([A-Za-z0-9-]{2,10})\s*", re.IGNORECASE)
_ASIDE = re.compile(r"\([^)]*\)|\[[^]]*\]")
"""Parts beside the word itself: `Preis (€)`, `Price [Bistro]`."""
_WORD = re.compile(r"[^\W_]+")


def plain(heading: str) -> str:
    """The heading without accents, signs, currencies, and what stands beside it in brackets."""
    letters = unicodedata.normalize("NFKD", _ASIDE.sub("", heading).casefold())
    words = _WORD.findall("".join(one for one in letters if not unicodedata.combining(one)))
    told = [word for word in words if word.upper() not in in_use()] if len(words) > 1 else words
    return "".join(told[:-1] if told[-1:] == ["in"] else told)


_KNOWN: dict[str, tuple[str, int]] = {}
for _field, _words in _WORDS.items():
    for _rank, _heading in enumerate((_field, *_words.split())):
        _KNOWN.setdefault(plain(_heading), (_field, _rank))


def field_of(heading: str) -> str | None:
    """The field that a heading names by itself; None for one that is not known."""
    if language := _LANGUAGE.fullmatch(heading):
        return f"name:{language[1]}"
    return _known(heading)[0]


def fields_of(headings: Sequence[str], chosen: Mapping[str, str]) -> list[str | None]:
    """The field of each column, as `chosen` by heading or else as it is known; of several columns of one field, that
    whose heading is likeliest. `NOTHING` chooses that a column is not read."""
    fields: list[str | None] = []
    for heading in headings:
        wanted = chosen.get(heading.strip())
        fields.append(field_of(heading) if wanted is None else wanted or None)
    for field in {one for one in fields if one not in (None, SIZE_PRICE)}:
        places = [at for at, one in enumerate(fields) if one == field]
        best = min(places, key=lambda at: (headings[at].strip() not in chosen, _known(headings[at])[1], at))
        for at in places:
            if at != best:
                fields[at] = None
    return fields


def _known(heading: str) -> tuple[str | None, int]:
    return _KNOWN.get(plain(heading), (None, 0))
