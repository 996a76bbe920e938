"""Tables of unlucky owners: no price of another currency, column, size or row is taken, and none is lost unnamed."""

from decimal import Decimal
from typing import Any

import pytest

from service.core.amounts import Notation
from service.services.pos.feed import FeedContent
from tests.service.imports.test_tables import EURO, Items, items, look

DOLLAR = Notation("USD", ("en-US",))


def named(text: str, **more: Any) -> dict[int, str]:
    """Why the lines that are no items are not read."""
    found = look(text, **more)
    passed = {one.number: str(one.why) for one in found.passed}
    return passed | {one.row: one.code for one in found.content.errors}


def good(text: str, **more: Any) -> Items:
    """The items, beside rows that cannot be read."""
    content = look(text, **more).content
    assert isinstance(content, FeedContent), content
    return [(row.category, row.name, row.price if row.price is None else f"{row.price:.2f}") for row in content.rows]


@pytest.mark.parametrize(
    ("price", "expected"),
    [("ab 4,50", ("from", "4.50")), ("4,50+", ("from", "4.50")), ("Tagespreis", ("market", None))],
)
def test_a_price_in_words_is_read_in_a_table_as_in_a_line(price: str, expected: tuple[str, str | None]) -> None:
    content = look(f"Name\tPreis\nTee\t2,50\nLachs\t{price}\n").content
    assert isinstance(content, FeedContent)
    [_, row] = content.rows
    assert (row.price_kind, row.price if row.price is None else f"{row.price:.2f}") == expected


@pytest.mark.parametrize("price", ["2 for 5", "3,40/4,20", "-", "n/a", "free", "12,5 %", "03.04.", "00042", "3.50*"])
def test_what_is_no_price_is_named(price: str) -> None:
    text = f"Name\tPreis\nTee\t2,50\nLachs\t{price}\n"
    assert good(text) == [("Menu", "Tee", "2.50")]
    assert named(text) == {3: "not_a_number"}


@pytest.mark.parametrize("heading", ["Price (USD)", "Preis in USD", "Preis $", "Cena (zł)"])
def test_a_price_of_another_currency_is_not_taken(heading: str) -> None:
    text = f"Name\t{heading}\nTee\t2,50\nKaffee\t3,50\n"
    chosen = {"columns": {heading: "price"}}
    assert named(text, **chosen) == {2: "other_currency", 3: "other_currency"}


def test_of_prices_in_two_currencies_that_of_the_menu_is_read() -> None:
    text = "Name\tPrice USD\tPrice EUR\nTee\t2,50\t2,20\nKaffee\t3,50\t3,10\n"
    assert items(text) == [("Menu", "Tee", "2.20"), ("Menu", "Kaffee", "3.10")]
    assert items("NAME\tPRICE PER CUP\nTee\t2,50\n", columns={"PRICE PER CUP": "price"}) == [("Menu", "Tee", "2.50")]


def test_a_decimal_comma_without_quotation_marks_is_no_price() -> None:
    assert named("Name,Price\nTee,2,50\nCoffee,3,20\n", notation=DOLLAR) == {2: "too_many_cells", 3: "too_many_cells"}


def test_a_column_without_a_heading_is_shown() -> None:
    shown = look("\tGericht\tPreis\n1\tPho\t9,50\tneu\n2\tBun\t10,50\n").columns
    assert [(one.heading, one.field) for one in shown] == [
        ("A", None),
        ("Gericht", "name"),
        ("Preis", "price"),
        ("D", None),
    ]


def test_a_number_of_the_dish_is_no_category_and_no_price() -> None:
    expected = [("Menu", "Pho", "9.50"), ("Menu", "Bun", "10.50")]
    assert items("1\tPho\t9,50\n2\tBun\t10,50\n") == expected
    assert items("Nr.\tWas\tKostet\n1\tPho\t9,50\n2\tBun\t10,50\n") == expected


def test_each_of_several_columns_of_prices_is_a_size() -> None:
    assert items("Getränk\tklein\tgroß\nTee\t2,50\t3,50\nWasser\t2,00\t-\n") == [
        ("Menu", "Tee", {"klein": "2.50", "groß": "3.50"}),
        ("Menu", "Wasser", {"klein": "2.00"}),
    ]


def test_a_further_table_has_its_own_headings() -> None:
    assert items("Name\tPreis\nTee\t2,50\n\nWeine\t0,1 l\t0,75 l\nRiesling\t4,50\t28,00\nMerlot\t5,00\t30,00\n") == [
        ("Menu", "Tee", "2.50"),
        ("Menu", "Riesling", {"0,1 l": "4.50", "0,75 l": "28.00"}),
        ("Menu", "Merlot", {"0,1 l": "5.00", "0,75 l": "30.00"}),
    ]


def test_tables_beside_each_other_are_read_one_by_one() -> None:
    text = "Name\tPreis\t\tName\tPreis\nTee\t2,50\t\tBier\t4,50\nKaffee\t3,50\t\tWein\tviel\n"
    assert good(text) == [("Menu", "Tee", "2.50"), ("Menu", "Kaffee", "3.50"), ("Menu", "Bier", "4.50")]
    assert named(text) == {3: "not_a_number"}


def test_a_heading_that_stands_twice_is_two_columns() -> None:
    shown = look("Name\tKategorie\tPreis\tPreis\nTee\tX\t2,50\t3,00\n").columns
    assert [(one.heading, one.field) for one in shown][2:] == [("Preis", "price"), ("Preis (2)", None)]


def test_a_sum_is_no_item() -> None:
    text = "Name\tPreis\nTee\t2,50\nKaffee\t3,00\nZwischensumme\t5,50\nGesamt:\t5,50\n"
    assert good(text) == [("Menu", "Tee", "2.50"), ("Menu", "Kaffee", "3.00")]
    assert named(text) == {4: "total", 5: "total"}


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        ("".join(f"Tee\ts{at}\t{at},50\n" for at in range(1, 15)), "too_long"),
        ("Tee\tklein\t2,50\nTee\tklein\t3,50\n", "duplicate"),
        ("Tee\t\t2,50\nTee\tgroß\t3,50\n", "size_without_name"),
        ("Tee\t\t2,50\n\tgroß\t3,50\n", "size_without_name"),
        ("Tee\tgroß\t3,50\nTee\t\t2,50\n", "size_without_name"),
        ("Tee\tklein\t2,50\nTee\tgroß\tviel\n", "not_a_number"),
    ],
)
def test_each_size_of_a_refused_item_is_named(rows: str, code: str) -> None:
    found = named(f"Artikel\tGröße\tPreis\n{rows}")
    assert found == {2: code, **dict.fromkeys(range(3, 2 + rows.count("\n")), "size_of_refused")}


def test_where_no_column_is_known_each_can_be_chosen() -> None:
    found = look("Piatto\tCategoria\tPrezzo\nPizza\tPizze\t8,50\nPesce\tSecondi\ts.q.\n")
    assert [one.heading for one in found.columns] == ["Piatto", "Categoria", "Prezzo"]


SQUARE = (
    "Token,Item Name,Variation Name,SKU,Categories,Option Name 1,Option Value 1,Price,Archived,Modifier Set - Milk\n"
    "T1,Latte,Small,L-S,Coffee,Size,Small,3.50,N,Y\nT2,Latte,Large,L-L,Coffee,Size,Large,4.20,N,Y\n"
    "T3,Punch,Regular,P1,Coffee,,,5.00,Y,N\nT4,Water,Regular,00042,,,,1.00,N,N\n"
)
SHOPIFY = (
    "Handle,Title,Body (HTML),Product Category,Type,Published,Option1 Name,Option1 Value,Option2 Name,Option2 Value,"
    "Variant SKU,Variant Price,Status\n"
    "latte,Latte,<p>Milky &amp; <b>good</b></p>,Food > Drinks,Coffee,true,Size,Small,Milk,Oat,L-S,3.50,active\n"
    "latte,,,,,,,Large,,Oat,L-L,4.20,\ngone,Gone,,,Bakery,true,Title,Default Title,,,G,2.00,archived\n"
    "water,Water,,,,true,Title,Default Title,,,'00042,1.00,active\noff,Off,,,,false,Size,S,,,O1,1.00,active\n"
    "off,,,,,,,M,,,O2,2.00,\n"
)
LOYVERSE = (
    "Handle,SKU,Name,Category,Option 1 name,Option 1 value,Option 2 name,Option 2 value,Cost,"
    "Available for sale [Bistro],Price [Bistro],Available for sale [Kiosk],Price [Kiosk]\n"
    "latte,10,Latte,Coffee,Size,Small,Milk,Oat,0,Y,3.50,Y,3.90\nlatte,11,,,,Large,,Oat,0,Y,4.20,Y,4.60\n"
    "old,12,Old,Coffee,Size,Small,,,0,N,3.00,Y,3.00\nold,13,,,,Large,,,0,N,4.00,Y,4.00\nwater,14,Water,,,,,,0,Y,1.00,N,\n"
)
WOO = (
    "ID,Type,SKU,Name,Published,Visibility in catalog,Regular price,Categories,Parent,Attribute 1 value(s)\n"
    '5,variable,,Latte,1,visible,,Coffee,,"Small, Large"\n6,variation,L-S,Latte - Small,1,visible,3.50,,id:5,Small\n'
    "7,variation,L-L,Latte - Large,1,visible,4.20,,id:5,Large\n8,simple,W,Water,1,visible,1.00,,,\n"
    "9,simple,D,Draft,-1,visible,2.00,Bakery,,\n10,simple,H,Hidden,1,hidden,2.00,Bakery,,\n"
    '11,variable,,Off,0,visible,,Coffee,,"S, M"\n12,variation,O-S,Off - S,1,visible,3.50,,id:11,S\n'
)
LIGHTSPEED = (
    "id,handle,sku,name,product_category,variant_option_one_name,variant_option_one_value,retail_price,active\n"
    "a,latte,10,Latte,Coffee,Size,Small,3.50,1\nb,latte,11,Latte,Coffee,Size,Large,4.20,1\n"
    "c,old,13,Old,Bakery,,,2.00,0\nd,water,14,Water,,,,1.00,1\n"
)
CLOVER = (
    "Clover ID,Name,Price,Price Type,Price Unit,SKU,Modifier Groups,Hidden,Non-revenue item\n"
    'X1,Water,1.00,Fixed,,W,,No,No\nX2,Tea,3.50,Fixed,,T,"Milk, Syrup",No,No\nX3,Secret,3.50,Fixed,,S,,Yes,No\n'
)
SUMUP = (
    "Item name,Variations,Option set 1,Option 1,Is variation visible? (Yes/No),Price,SKU,Category,"
    "Item id (Do not change)\n"
    "Latte,,Size,Small,Yes,3.50,L-S,Coffee,a\n,,Size,Huge,No,9.20,L-H,,a\n,,Size,Large,Yes,4.20,L-L,,a\n"
    "Cake,Slice,,,No,3.00,K1,Coffee,g\n,Whole,,,Yes,30.00,K2,,g\nWater,,,,,1.00,W,,h\n"
)
SIZES = {"Small": "3.50", "Large": "4.20"}
OAT = {"Small / Oat": "3.50", "Large / Oat": "4.20"}
WATER = ("Menu", "Water", "1.00")


@pytest.mark.parametrize(
    ("text", "expected", "hidden"),
    [
        (SQUARE, [("Coffee", "Latte", SIZES), WATER], {4}),
        (SHOPIFY, [("Coffee", "Latte", OAT), WATER], {4, 6, 7}),
        (LOYVERSE, [("Coffee", "Latte", OAT), WATER], {4, 5}),
        (WOO, [("Coffee", "Latte", SIZES), WATER], {6, 7, 8, 9}),
        (LIGHTSPEED, [("Coffee", "Latte", SIZES), WATER], {4}),
        (CLOVER, [WATER, ("Menu", "Tea", "3.50")], {4}),
        (SUMUP, [("Coffee", "Latte", SIZES), ("Coffee", "Cake", {"Whole": "30.00"}), WATER], {3, 5}),
    ],
    ids=["square", "shopify", "loyverse", "woocommerce", "lightspeed", "clover", "sumup"],
)
def test_what_a_till_does_not_sell_is_named_and_not_read(text: str, expected: Items, hidden: set[int]) -> None:
    assert items(text, notation=DOLLAR) == expected
    assert named(text, notation=DOLLAR) == dict.fromkeys(hidden, "hidden")


def test_descriptions_and_codes_of_web_shops_are_plain() -> None:
    content = look(SHOPIFY, notation=DOLLAR).content
    assert isinstance(content, FeedContent)
    assert [(row.description, row.sku) for row in content.rows] == [("Milky & good", "L-S"), (None, "00042")]


def test_many_tables_below_each_other_are_read_in_time() -> None:
    # Each heading looked through all that is below it: minutes.
    content = look("Name\tPreis\nTee\t3\n" * 5_000).content
    assert isinstance(content, FeedContent)
    assert len(content.rows) == 5_000


def test_a_wide_table_is_read_whole() -> None:
    heading = "\t".join(["Name", "Preis", *(f"c{at}" for at in range(58))])
    lines = "\n".join("\t".join([f"Tee {at}", "3,50", *["x"] * 58]) for at in range(2_000))
    content = look(f"{heading}\n{lines}").content
    assert isinstance(content, FeedContent)
    assert (len(content.rows), content.rows[-1].price) == (2_000, Decimal("3.50"))


def test_a_price_in_the_way_of_india_is_read() -> None:
    rupee = Notation("INR", ("en-IN",))
    assert items('Item,Price\nChai,Rs. 20/-\nBanquet,"1,25,000"\n', notation=rupee) == [
        ("Menu", "Chai", "20.00"),
        ("Menu", "Banquet", "125000.00"),
    ]


def test_euro_is_read_under_its_own_sign() -> None:
    assert items("Name\tPreis (€)\nTee\t2,50\n", notation=EURO) == [("Menu", "Tee", "2.50")]


@pytest.mark.parametrize(
    ("currency", "locale", "text", "expected"),
    [
        (
            "JPY",
            "ja-JP",
            "品名\tカテゴリー\t価格\nラーメン\t麺\t1,250円\n餃子\t一品\t¥480\nビール\t飲み物\t６５０円\n刺身\t一品\t時価\n",
            [
                ("麺", "ラーメン", "1250.00"),
                ("一品", "餃子", "480.00"),
                ("飲み物", "ビール", "650.00"),
                ("一品", "刺身", None),
            ],
        ),
        (
            "KWD",
            "ar-KW",
            (
                "الصنف\tالقسم\tالسعر\nشاي\tمشروبات\t0.750\nقهوة\tمشروبات\t1.250\n"
                "كيك\tحلويات\t١٫٥٠٠\nسمك\tطعام\tسعر السوق\n"
            ),
            [("مشروبات", "شاي", "0.75"), ("مشروبات", "قهوة", "1.25"), ("حلويات", "كيك", "1.50"), ("طعام", "سمك", None)],
        ),
        (
            "CLP",
            "es-CL",
            "Producto;Categoría;Precio\nCafé;Bebidas;1.990\nLomo;Platos;$12.900\nMenú;Platos;9.990 CLP\n",
            [("Bebidas", "Café", "1990.00"), ("Platos", "Lomo", "12900.00"), ("Platos", "Menú", "9990.00")],
        ),
        (
            "HUF",
            "hu-HU",
            "Név\tKategória\tÁr\nGulyás\tLeves\t2.490 Ft\nHalászlé\tLeves\t3 490\nPalacsinta\tDesszert\t1290,-\n",
            [("Leves", "Gulyás", "2490.00"), ("Leves", "Halászlé", "3490.00"), ("Desszert", "Palacsinta", "1290.00")],
        ),
        (
            "CHF",
            "de-CH",
            (
                "Gericht\tGruppe\tPreis CHF\nRösti\tWarm\t24.–\nFondue\tWarm\t28.50\nBankett\tEvents\t1’250.–\n"
                "Wein\tBar\tFr. 7.50\n"
            ),
            [
                ("Warm", "Rösti", "24.00"),
                ("Warm", "Fondue", "28.50"),
                ("Events", "Bankett", "1250.00"),
                ("Bar", "Wein", "7.50"),
            ],
        ),
        (
            "SAR",
            "ar-SA",
            "اسم الصنف\tالفئة\tالسعر\nشاورما\tسندويتش\t١٥ ر.س\nفلافل\tسندويتش\t٨\nعصير\tمشروبات\tمن ١٠\n",
            [("سندويتش", "شاورما", "15.00"), ("سندويتش", "فلافل", "8.00"), ("مشروبات", "عصير", "10.00")],
        ),
    ],
    ids=["japan", "kuwait", "chile", "hungary", "switzerland", "arabia"],
)
def test_tables_of_many_countries(currency: str, locale: str, text: str, expected: Items) -> None:
    assert good(text, notation=Notation(currency, (locale,))) == expected
    assert named(text, notation=Notation(currency, (locale,))) == {}


@pytest.mark.parametrize("heading", ["MwSt", "kcal", "Einkauf", "Menge", "Punkte"])
def test_numbers_that_are_no_prices_of_guests_are_no_sizes(heading: str) -> None:
    number = "0,50" if heading == "Einkauf" else "19"
    expected = [("Menu", "Tee", "2.50"), ("Menu", "Bier", "3.20")]
    assert items(f"Was\t{heading}\tKostet\nTee\t{number}\t2,50\nBier\t{number}\t3,20\n") == expected


def test_sizes_in_a_cell_need_no_price_beside_them() -> None:
    assert items("Name\tGrößen\nTee\tklein = 2,50 | groß = 3,50\n") == [
        ("Menu", "Tee", {"klein": "2.50", "groß": "3.50"})
    ]


def test_a_price_may_stand_before_the_name() -> None:
    assert items("2,50\tTee\n3,20\tBier\n") == [("Menu", "Tee", "2.50"), ("Menu", "Bier", "3.20")]


def test_what_the_shop_says_is_not_active_is_not_read() -> None:
    text = "Name\tAktiv\tPreis\nTee\tja\t2,50\nBier\tnein\t3,20\n"
    assert (good(text), named(text)) == ([("Menu", "Tee", "2.50")], {3: "hidden"})
