"""Finds the field that a heading of a table names: in the languages of the desk, and in the exports of tills.

The exports are those that Square, Toast, SumUp, Loyverse, Shopify, WooCommerce, Lightspeed and Clover publish.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence

from service.core.currencies import in_use, is_sign, is_sign_of
from service.schema.content.pos import FEED_FIELDS

SIZE = "size"
"""A column of sizes: each row is one size of an item."""
SIZE_PRICE = "sizePrice"
"""A column of the prices of one size, which its heading names; a table may have several."""
OPTIONS = ("option1", "option2", "option3")
"""Columns of the parts of a size's name, where it has no column of its own."""
SHOWN = "shown"
"""A column that says whether a row is on sale; a table may have several. Rows that are not are not read."""
HIDDEN = "hidden"
"""A column that says whether a row is hidden or archived."""
PARENT = "parent"
"""A column with the SKU or the id of the row whose size a row is."""
NOTHING = ""
"""A column that is not read."""
SHEET_FIELDS = (
    "name",
    "category",
    SIZE,
    *OPTIONS,
    *(field for field in FEED_FIELDS if field not in ("name", "category")),
    PARENT,
    SHOWN,
    HIDDEN,
)
"""Fields that a column of a table may be of, beside names in other languages (`name:de`)."""

_WORDS: Mapping[str, str] = {
    "id": "",
    "name": "name itemname productname dishname item product dish title menuitem article artikelname "
    "artikelbezeichnung produktname artikel produkt gericht speise bezeichnung nomdelarticle nomduproduit nom produit "
    "plat nombredelarticulo nombredelproducto nombre producto plato articulo الاسم اسمالصنف اسمالمنتج الصنف المنتج "
    "nome piatto prodotto naam gerecht navn namn nimi nazwa danie nazev nev termek denumire urunadi название назва "
    "блюдо 品名 商品名 名前 メニュー 메뉴 菜名 菜品 名称",
    "category": "category categoryname categories menugroup group section reportingcategory "
    "department kategorie kategorien warengruppe artikelgruppe produktgruppe gruppe rubrik categorie categories "
    "famille rubrique categoria categorias familia seccion الفئة القسم التصنيف "
    "categorie kategori kategoria luokka категория категорія カテゴリー カテゴリ 分類 분류 分类 類別 "
    "type productcategory",
    "price": "price itemprice variantprice baseprice regularprice retailprice sellingprice unitprice salesprice "
    "defaultprice preis preise verkaufspreis bruttopreis vkpreis vk einzelpreis prix prixdevente prixttc precio "
    "preciodeventa pvp السعر سعرالبيع "
    "prezzo preco prijs pris hinta cena ar pret fiyat цена ціна 価格 値段 料金 가격 价格 價格",
    SIZE: "size variationname variantname variation variations portion größe portionsgröße taille tamaño الحجم",
    "option1": "option1value optionvalue1 variantoptiononevalue attribute1value",
    "option2": "option2value optionvalue2 variantoptiontwovalue attribute2value",
    "option3": "option3value optionvalue3 variantoptionthreevalue attribute3value",
    SHOWN: "published active status visibilityincatalog visible isvariationvisible availableforsale enabled available "
    "aktiv sichtbar verfügbar actif disponible activo متاح",
    HIDDEN: "archived archiviert ausgeblendet versteckt masque archivado oculto مخفي",
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

_NO_PRICE = (
    "cost costs costprice unitcost supplyprice purchaseprice wholesaleprice ek ekpreis einkauf einkaufspreis "
    "wareneinsatz tax taxes taxrate vat mwst ust steuer steuersatz tva iva quantity qty stock menge bestand "
    "lagerbestand anzahl quantite cantidad weight gewicht poids peso kcal kj calories kalorien barcode ean gtin "
    "no nr nummer number numero"
)
"""Headings of numbers that are no prices of guests."""

_LANGUAGE = re.compile(r"\s*name\s*[:_]\s*([A-Za-z0-9-]{2,10})\s*", re.IGNORECASE)
_ASIDE = re.compile(r"\([^)]*\)|\[[^]]*\]")
"""Parts beside the word itself: `Preis (€)`, `Price [Bistro]`."""
_WORD = re.compile(r"[^\W_]+")
_PART = re.compile(r"[^\s()\[\]/:,]+")
_BRACKETS = re.compile(r"[(\[]\s*([^)\]]{2,10}?)\s*[)\]]")
_KEYS = frozenset(("token", "handle", "cloverid", "itemid", "id"))
"""Headings of the keys of rows in exports."""


def plain(heading: str) -> str:
    """Strips accents, signs, currencies and text in brackets from the heading."""
    letters = unicodedata.normalize("NFKD", _ASIDE.sub("", heading).casefold())
    words = _WORD.findall("".join(one for one in letters if not unicodedata.combining(one)))
    told = [word for word in words if word.upper() not in in_use()] if len(words) > 1 else words
    return "".join(told[:-1] if told[-1:] == ["in"] else told)


_KNOWN: dict[str, tuple[str, int]] = {}
for _field, _words in _WORDS.items():
    for _rank, _heading in enumerate((_field, *_words.split())):
        _KNOWN.setdefault(plain(_heading), (_field, _rank))


_NEVER_PRICES = frozenset(map(plain, _NO_PRICE.split()))


def is_no_price(heading: str) -> bool:
    """Returns whether the heading names numbers other than guests' prices, such as costs and taxes."""
    return plain(heading) in _NEVER_PRICES


def field_of(heading: str) -> str | None:
    """Returns the field that a heading names by itself; None if unknown."""
    if language := _LANGUAGE.fullmatch(heading):
        return f"name:{language[1]}"
    return _known(heading)[0]


def currency_in(heading: str) -> str:
    """Returns the currency sign in a heading of prices: `Price (USD)`, `Preis €`; empty for none."""
    for told in _BRACKETS.findall(heading):
        if is_sign(told, ()):
            return str(told)
    for part in _PART.findall(heading):
        is_code = part.isupper() and part in in_use() and not heading.isupper()
        if is_code or (any(unicodedata.category(one) == "Sc" for one in part) and is_sign(part, ())):
            return str(part)
    return ""


def is_foreign(heading: str, currency: str) -> bool:
    """Returns whether the heading names a currency other than this one, which is empty if unknown."""
    sign = currency_in(heading) if currency else ""
    return bool(sign) and not is_sign_of(sign, currency, ())


def has_keys(headings: Sequence[str]) -> bool:
    """Returns whether these are the headings of an export, in which an empty cell does not repeat that of the row
    above."""
    return any(plain(heading) in _KEYS for heading in headings)


def fields_of(headings: Sequence[str], chosen: Mapping[str, str], currency: str = "") -> list[str | None]:
    """Returns the field of each column, as `chosen` by heading or else as it is known; of several columns of one field,
    the one whose heading is likeliest and names no other currency. `NOTHING` excludes a column."""
    fields: list[str | None] = []
    for heading in headings:
        wanted = chosen.get(heading.strip())
        fields.append(field_of(heading) if wanted is None else wanted or None)
    groups: dict[object, list[int]] = {}
    for at, one in enumerate(fields):
        if one is not None and one != SIZE_PRICE:
            # `Available for sale [Bistro]` is of one place, but `Published` and `Status` say different things.
            groups.setdefault((one, plain(headings[at])) if one in (SHOWN, HIDDEN) else one, []).append(at)
    for places in groups.values():
        for at in sorted(places, key=lambda at: _likelihood(headings[at], at, chosen, currency))[1:]:
            fields[at] = None
    return fields


def _likelihood(heading: str, at: int, chosen: Mapping[str, str], currency: str) -> tuple[object, ...]:
    return heading.strip() not in chosen, is_foreign(heading, currency), _known(heading)[1], at


def _known(heading: str) -> tuple[str | None, int]:
    return _KNOWN.get(plain(heading), (None, 0))
