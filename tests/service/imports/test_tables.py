"""Tables of real owners and tills: headings wherever they stand, sizes, blocks; each line is an item or is named."""

import io
from decimal import Decimal
from typing import Any

import pytest
from openpyxl import Workbook

from service.core.amounts import Notation
from service.services.imports.files import FileText, read_file
from service.services.imports.headings import field_of
from service.services.imports.sheets import ImportSettings, SheetReading, read_sheet
from service.services.pos.feed import FeedContent, FeedFailure

EURO = Notation("EUR", ("de-DE",))
Items = list[tuple[str | None, str | None, Any]]


def look(text: str, *, notation: Notation = EURO, columns: dict[str, str] | None = None) -> SheetReading:
    settings = ImportSettings(columns or {})
    return read_sheet(text, category="Menu", notation=notation, settings=settings, guesses=True)


def items(text: str, **more: Any) -> Items:
    """Category, name, and the price, or the prices of the sizes."""
    found = look(text, **more).content
    assert isinstance(found, FeedContent), found
    assert found.errors == ()
    return [
        (
            row.category,
            row.name,
            {one.name: f"{one.price:.2f}" for one in row.variants} if row.variants else f"{row.price:.2f}",
        )
        for row in found.rows
    ]


BREAD: Items = [("Bread", "Roggen", "4.20"), ("Bread", "Dinkel", "5.10")]


@pytest.mark.parametrize(
    "text",
    [
        "Item name,Category,Price\nRoggen,Bread,4.20\nDinkel,Bread,5.10\n",
        "Unser Angebot\nStand: Mai\n\nBezeichnung\tKategorie\tPreis (€)\nRoggen\tBread\t4,20\nDinkel\tBread\t5,10\n",
        "sep=;\nName;Kategorie;Preis in EUR\nRoggen;Bread;4,20\nDinkel;Bread;5,10\n",
        "Kategorie\tName\tPreis\nBread\tRoggen\t4,20\n\tDinkel\t5,10\n",
        "Name\tVK-Preis\nBread\nRoggen\t4,20\nDinkel\t5,10\n",
        "Nr\tArtikel\tGruppe\tPreis EUR\tMwSt\n1\tRoggen\tBread\t4,20\t7\n2\tDinkel\tBread\t5,10\t7\n",
    ],
)
def test_headings_are_found_wherever_they_stand(text: str) -> None:
    assert items(text) == BREAD


def test_a_row_a_size_makes_one_item() -> None:
    text = "Artikel\tGröße\tPreis\nEspresso\tklein\t2,20\nEspresso\tgroß\t3,00\nTee\t\t2,80\n"
    assert items(text) == [("Menu", "Espresso", {"klein": "2.20", "groß": "3.00"}), ("Menu", "Tee", "2.80")]


def test_a_column_a_size_makes_one_item() -> None:
    text = "Pizza\t26 cm\t32 cm\nMargherita\t7,50\t9,50\nFunghi\t8,50\t\n"
    found = items(text, columns={"Pizza": "name"})
    assert found == [
        ("Menu", "Margherita", {"26 cm": "7.50", "32 cm": "9.50"}),
        ("Menu", "Funghi", {"26 cm": "8.50"}),
    ]
    assert [one.field for one in look(text, columns={"Pizza": "name"}).columns] == ["name", "sizePrice", "sizePrice"]


def test_an_unknown_heading_is_a_guess_that_is_shown_and_changed() -> None:
    text = "Was\tWo\tWieviel\nRoggen\tBread\t4,20\nDinkel\tBread\t5,10\n"
    shown = look(text)
    assert [(one.heading, one.field, tuple(one.samples)) for one in shown.columns] == [
        ("Was", "name", ("Roggen", "Dinkel")),
        ("Wo", "category", ("Bread", "Bread")),
        ("Wieviel", "price", ("4,20", "5,10")),
    ]
    changed = look(text, columns={"Was": "description", "Wo": "name", "Wieviel": "price"}).content
    assert isinstance(changed, FeedContent)
    assert [(row.name, row.description) for row in changed.rows] == [("Bread", "Roggen"), ("Bread", "Dinkel")]
    # Where nobody sees the guess, there is none.
    unseen = read_sheet(text, category="Menu", notation=EURO).content
    assert isinstance(unseen, FeedFailure)
    assert unseen.reason == "no_columns"


def test_each_line_that_is_no_item_is_named() -> None:
    text = "Winterkarte\nName\tKategorie\tPreis\nRoggen\tBrot\t4,20\nSnacks\n\t\t\tx\nBrezel\t\t1,20\nzzz\tBrot\tviel\n"
    found = look(text)
    assert [(one.number, one.text, one.why) for one in found.passed] == [
        (1, "Winterkarte", "above"),
        (4, "Snacks", "category"),
        (5, "x", "no_item"),
    ]
    assert isinstance(found.content, FeedContent)
    assert [(one.row, one.code, one.text) for one in found.content.errors] == [(7, "not_a_number", "zzz · Brot · viel")]
    assert found.content.rows[1].category == "Snacks"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('Name;Price\n"The Big" Burger;12,50\nTea;3,00\n', ['"The Big" Burger', "Tea"]),
        ('Name;Price\n"Tea;3,00\nWater;2,00\n', ['"Tea', "Water"]),
        ('Name\tPrice\n"Half ""and"" half"\t3,00\nTea\t3,00', ['Half "and" half', "Tea"]),
        ('Name;Price\n"Soup;\nof the day";3,00\nTea;3,00', ["Soup; of the day", "Tea"]),
    ],
)
def test_quotation_marks_cost_no_row(text: str, names: list[str]) -> None:
    assert [name for _, name, _ in items(text)] == names


@pytest.mark.parametrize(("told", "sold_out"), [("Y", True), ("WAHR", True), ("n", False), ("FALSCH", False)])
def test_yes_and_no_are_read_in_the_languages_of_the_desk(told: str, sold_out: bool) -> None:
    found = look(f"Name\tPreis\tAusverkauft\nTee\t3,00\t{told}").content
    assert isinstance(found, FeedContent)
    assert found.rows[0].sold_out is sold_out


SQUARE = (
    "Token,Item Name,Customer-facing Name,Variation Name,SKU,Description,Categories,Reporting Category,Price,Archived\n"
    "T1,Latte,,Small,L-S,Milky,Coffee,Drinks,3.50,N\nT2,Latte,,Large,L-L,Milky,Coffee,Drinks,4.20,N\n"
    "T3,Cookie,,Regular,C1,,Bakery,Food,2.00,N\n"
)
TOAST = "Menu,Menu Group,Item Name,Item Description,Base Price,PLU\nAll,Coffee,Cookie,,2.00,7\n"
SUMUP = (
    "Item name,Variations,Option set 1,Option 1,Price,Cost price,SKU,Category,Item id (Do not change)\n"
    "Latte,Small,Size,Small,3.50,,L-S,Coffee,a\n,Large,Size,Large,4.20,,L-L,Coffee,a\nCookie,,,,2.00,,C1,Bakery,b\n"
)
LOYVERSE = (
    "Handle,SKU,Name,Category,Description,Sold by weight,Option 1 name,Option 1 value,Cost,Barcode,"
    "Available for sale [Bistro],Price [Bistro],In stock [Bistro]\n"
    "latte,10,Latte,Coffee,,N,Size,Small,0,,Y,3.50,\nlatte,11,,,,,,Large,0,,Y,4.20,\ncookie,12,Cookie,Bakery,,N,,,0,,Y,2.00,\n"
)
SHOPIFY = (
    "Handle,Title,Body (HTML),Vendor,Product Category,Type,Tags,Published,Option1 Name,Option1 Value,Variant SKU,"
    "Variant Price,Variant Compare At Price,Image Src\n"
    "latte,Latte,Milky,Bar,,Coffee,,true,Size,Small,L-S,3.50,,\nlatte,,,,,,,,,Large,L-L,4.20,,\n"
    "latte,,,,,,,,,,,,,https://x.example/2.jpg\ncookie,Cookie,,Bar,,Bakery,,true,Title,Default Title,C1,2.00,,\n"
)
WOO = (
    "ID,Type,SKU,Name,Published,Short description,Regular price,Sale price,Categories,Parent,Attribute 1 value(s)\n"
    '5,variable,L,Latte,1,,,,Coffee,,"Small, Large"\n6,variation,L-S,Latte - Small,1,,3.50,,,L,Small\n'
    "7,variation,L-L,Latte - Large,1,,4.20,,,L,Large\n8,simple,C1,Cookie,1,,2.00,,Bakery,,\n"
)
LIGHTSPEED = (
    "id,handle,sku,name,product_category,variant_option_one_name,variant_option_one_value,supply_price,retail_price\n"
    "u1,latte,L-S,Latte,Coffee,Size,Small,1,3.50\nu2,latte,L-L,Latte,Coffee,Size,Large,1,4.20\nu3,cookie,C1,Cookie,Bakery,,,1,2.00\n"
)
CLOVER = "Clover ID,Name,Alternate Name,Price,Price Type,Tax Rates,SKU,Hidden\nX1,Cookie,,2.00,Fixed,DEFAULT,C1,No\n"
SIZES = {"Small": "3.50", "Large": "4.20"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (SQUARE, [("Coffee", "Latte", SIZES), ("Bakery", "Cookie", "2.00")]),
        (TOAST, [("Coffee", "Cookie", "2.00")]),
        (SUMUP, [("Coffee", "Latte", SIZES), ("Bakery", "Cookie", "2.00")]),
        (LOYVERSE, [("Coffee", "Latte", SIZES), ("Bakery", "Cookie", "2.00")]),
        (SHOPIFY, [("Coffee", "Latte", SIZES), ("Bakery", "Cookie", "2.00")]),
        (WOO, [("Coffee", "Latte", SIZES), ("Bakery", "Cookie", "2.00")]),
        (LIGHTSPEED, [("Coffee", "Latte", SIZES), ("Bakery", "Cookie", "2.00")]),
        (CLOVER, [("Menu", "Cookie", "2.00")]),
    ],
    ids=["square", "toast", "sumup", "loyverse", "shopify", "woocommerce", "lightspeed", "clover"],
)
def test_exports_of_tills_keep_their_sizes(text: str, expected: Items) -> None:
    assert items(text, notation=Notation("USD", ("en-US",))) == expected


def workbook(**sheets: Any) -> Workbook:
    book = Workbook()
    book.remove(book.worksheets[0])
    for name, rows in sheets.items():
        sheet = book.create_sheet(name.replace("_", " "))
        for row in rows:
            sheet.append(row)
    return book


def read_book(book: Workbook) -> FileText:
    output = io.BytesIO()
    book.save(output)
    found = read_file(output.getvalue())
    assert isinstance(found, FileText), found
    return found


HEADINGS = ("Name", "Kategorie", "Preis")


def test_what_a_person_sees_in_a_workbook_is_what_is_read() -> None:
    book = workbook(
        Cover=[("Winterkarte",), ("Bistro Nord",)],
        Alt=[HEADINGS, ("Verboten", "Brot", 9)],
        Karte=[HEADINGS, ("Roggen", "Brot", 4.2), ("Hafer", "Brot", 3.9), ("Dinkel", "Brot", 5.1)],
    )
    book["Alt"].sheet_state = "hidden"
    book["Karte"].row_dimensions[3].hidden = True
    found = read_book(book)
    assert items(found.text) == [("Brot", "Roggen", "4.20"), ("Brot", "Dinkel", "5.10")]
    assert (found.hidden, list(found.left)) == (1, [("Cover", 2)])


def test_each_of_several_sheets_is_a_category() -> None:
    rows = [("Name", "Preis")]
    book = workbook(Speisen=[*rows, ("Suppe", 4.2)], Getränke=[*rows, ("Tee", 2.8)])
    assert items(read_book(book).text) == [("Speisen", "Suppe", "4.20"), ("Getränke", "Tee", "2.80")]


def test_numbers_are_read_as_their_format_shows_them() -> None:
    book = workbook(Karte=[("SKU", "Name", "Preis"), (42, "Suppe", 1250), (7, "Tee", 2.804)])
    for row, form in ((2, '#,##0.00 "€"'), (3, "0.00")):
        book["Karte"].cell(row, 1).number_format = "00000"
        book["Karte"].cell(row, 3).number_format = form
    found = look(read_book(book).text).content
    assert isinstance(found, FeedContent)
    assert [(row.sku, row.price) for row in found.rows] == [("00042", Decimal(1250)), ("00007", Decimal("2.8"))]


def test_a_merged_category_is_that_of_all_its_rows() -> None:
    book = workbook(Karte=[("Kategorie", "Name", "Preis"), ("Brot", "Roggen", 4.2), (None, "Dinkel", 5.1)])
    book["Karte"].merge_cells("A2:A3")
    assert [category for category, _, _ in items(read_book(book).text)] == ["Brot", "Brot"]


@pytest.mark.parametrize(
    ("heading", "field"),
    [
        ("Preis (€)", "price"),
        ("Prix TTC", "price"),
        ("P.V.P.", "price"),
        ("Item SKU", "sku"),
        ("Größe", "size"),
        ("Größen", "variants"),
        ("name:de", "name:de"),
        ("السعر", "price"),
        ("Allergène(s)", "allergens"),
        ("Nr.", None),
    ],
)
def test_a_heading_names_its_field(heading: str, field: str | None) -> None:
    assert field_of(heading) == field


def test_the_sheets_of_clover_become_categories_and_modifiers() -> None:
    book = workbook(
        Items=[
            ("Clover ID", "Name", "Price", "Modifier Groups", "Hidden"),
            ("X1", "Latte", 3.5, "Milk, Syrup", "No"),
            ("X2", "Cookie", 2, "", "No"),
            ("X3", "Water", 1, "Ice", "No"),
        ],
        Modifier_Groups=[
            ("Modifier Group Name", "Pop-up Automatically", "Modifier", "Price"),
            ("Milk", "No", "Oat milk", 0.5),
            ("", "", "Soy milk", 0.4),
            ("Syrup", "No", "Vanilla", 0.6),
        ],
        Categories=[
            ("Category Name", "Coffee", "Sweets"),
            ("Items in Category", "Latte", "Cookie"),
            ("", "Water", ""),
        ],
    )
    file = read_book(book)
    found = look(file.text, notation=Notation("USD", ("en-US",))).content
    assert isinstance(found, FeedContent)
    assert [(row.name, row.category) for row in found.rows] == [
        ("Latte", "Coffee"),
        ("Cookie", "Sweets"),
        ("Water", "Coffee"),
    ]
    assert [(one.name, one.price_delta) for one in found.rows[0].modifiers or ()] == [
        ("Oat milk", Decimal("0.5")),
        ("Soy milk", Decimal("0.4")),
        ("Vanilla", Decimal("0.6")),
    ]
    assert not file.left
