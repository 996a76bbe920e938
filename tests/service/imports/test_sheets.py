"""Pasted menus: tables with tabs, semicolons and commas, lines of a menu, and workbooks; what is bad is named."""

import io
import zipfile
from decimal import Decimal

import pytest
from openpyxl import Workbook

from service.services.imports.sheets import read_sheet
from service.services.imports.workbooks import (
    MAX_CELLS,
    MAX_PARTS,
    MAX_UNPACKED_BYTES,
    check_parts,
    lines_of,
    sheets_of,
)
from service.services.pos.feed import MAX_FEED_ROWS, FeedContent, FeedError, FeedFailure


def text_of_workbook(raw: bytes) -> str:
    return "\n".join(line for sheet in sheets_of(raw) for line in lines_of(sheet))


Read = list[tuple[str | None, str | None, Decimal | None]]


def read(text: str) -> FeedContent:
    found = read_sheet(text, category="Menu").content
    assert isinstance(found, FeedContent), found
    return found


def rows(text: str) -> Read:
    return [(row.category, row.name, row.price) for row in read(text).rows]


COFFEE: Read = [("Coffee", "Flat white", Decimal("3.4")), ("Coffee", "Espresso", Decimal("2.2"))]


@pytest.mark.parametrize(
    "text",
    [
        "Category\tName\tPrice\nCoffee\tFlat white\t3.40\nCoffee\tEspresso\t2,20\n",
        "Artikel;Kategorie;Preis\r\nFlat white;Coffee;3,40 €\r\nEspresso;Coffee;2.20\r\n",
        'Nom,Catégorie,Prix\nFlat white,Coffee,"3,40"\nEspresso,Coffee,"2,20"\n',
        "name,category,price\nFlat white,Coffee,3.40\nEspresso,Coffee,$2.20\n",
        "السعر\tالاسم\tالفئة\n٣٫٤٠\tFlat white\tCoffee\n٢٫٢٠\tEspresso\tCoffee",
        "Coffee\tFlat white\t3.40\nCoffee\tEspresso\t2.20",
        "Coffee\t\nFlat white\t3.40\nEspresso\tEUR 2.20",
        "Name\tPrice\tDescription\nCoffee\nFlat white\t3.40\tMild\nEspresso\t2.20",
        "Coffee:\n Flat white 3.40\n\n* Espresso ........ 2,20 €\n",
        "COFFEE\nFlat white – €3.40\nEspresso.....2.20".replace("COFFEE", "Coffee"),
    ],
)
def test_a_menu_is_read_however_it_is_pasted(text: str) -> None:
    assert rows(text) == COFFEE


@pytest.mark.parametrize(
    ("line", "name", "price"),
    [
        ("7 Up 2.50", "7 Up", "2.5"),
        ("Menu 1 12.90", "Menu 1", "12.9"),
        ("Mint .50", "Mint", "0.5"),
        ("Chips ....2", "Chips", "2"),
        ("Steak 250g 31", "Steak 250g", "31"),
        ("قهوة ٣٫٢٥", "قهوة", "3.25"),
    ],
)
def test_a_line_ends_with_its_price(line: str, name: str, price: str) -> None:
    assert rows(line) == [("Menu", name, Decimal(price))]


def test_bad_rows_are_named_by_their_lines_and_the_others_are_read() -> None:
    text = "Name\tCategory\tPrice\nTea\tDrinks\t3\nWine\tDrinks\tfree\n\nBeer\tDrinks\t1.250\n"
    text += "Cola\tDrinks\t-1\n\tDrinks\t3\n"
    found = read(text)
    assert [row.name for row in found.rows] == ["Tea"]
    assert [(one.row, one.field, one.code) for one in found.errors] == [
        (3, "price", "not_a_number"),
        (5, "price", "ambiguous_number"),
        (6, "price", "negative"),
        (7, "name", "no_name"),
    ]
    lines = read("Coffee\nFlat white 3.40 / 4.20\nEspresso 2.20\n9.90")
    assert [(one.row, one.code) for one in lines.errors] == [(2, "two_prices"), (4, "no_name")]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        ("Coffee\nTea", "empty"),
        ("Name\tCategory\nTea\tDrinks", "no_columns"),
        ("a\tb\tc\td\n1\t2\t3\t4", "no_columns"),
        ("Name\tPrice\nTea\tfree", "no_good_row"),
        ("\t".join(["Name", "Price", *"x" * 60]), "too_many_columns"),
        ("Name\tPrice\n" + "Tea\t3\n" * (MAX_FEED_ROWS + 1), "too_many_rows"),
    ],
)
def test_what_is_no_menu_is_told(text: str, reason: str) -> None:
    found = read_sheet(text, category="Menu").content
    assert isinstance(found, FeedFailure)
    assert found.reason == reason
    assert found.detail


def test_a_text_that_a_spreadsheet_would_calculate_comes_back_as_it_was() -> None:
    assert rows("Name;Price\n'=1+1;3\n'@home;4\n'n roll;5")[0][1] == "=1+1"
    assert [name for _, name, _ in rows("Name;Price\n'@home;4\n'n roll;5")] == ["@home", "'n roll"]
    assert [name for _, name, _ in rows("Name;Price\nChef's '-' plate;4\nl''été;5")] == ["Chef's '-' plate", "l''été"]


def workbook(*lines: tuple[object, ...]) -> bytes:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for line in lines:
        sheet.append(line)
    output = io.BytesIO()
    book.save(output)
    return output.getvalue()


def test_a_workbook_is_read_with_its_numbers() -> None:
    raw = workbook(("Name", "Category", "Price", "Tags"), ("Flat white", "Coffee", 3.4, "a, b"), (7, "Coffee", 1250))
    found = read(text_of_workbook(raw)).rows
    assert [(row.name, row.price) for row in found] == [("Flat white", Decimal("3.4")), ("7", Decimal(1250))]
    assert rows(text_of_workbook(workbook(("Name", "Price"), ("Gas", 1.259)))) == [("Menu", "Gas", Decimal("1.259"))]


def test_a_workbook_is_bounded() -> None:
    long = read_sheet(text_of_workbook(workbook(*[("Tea", 3)] * (MAX_FEED_ROWS + 42))), category="Menu").content
    assert isinstance(long, FeedFailure)
    assert long.reason == "too_many_rows"
    check_parts(packed(**{"xl/worksheets/sheet1.xml": b"<c/>" * MAX_CELLS}))
    with pytest.raises(FeedError) as wide:
        check_parts(packed(**{"xl/worksheets/sheet1.xml": b"<c/>" * (MAX_CELLS + 1)}))
    assert wide.value.failure.reason == "too_many_rows"
    assert MAX_CELLS == 200_000


def packed(**parts: bytes) -> bytes:
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in parts.items():
            file.writestr(name, content)
    return output.getvalue()


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (packed(sheet=b"\0" * (MAX_UNPACKED_BYTES + 1)), "too_large"),
        (packed(**{f"part{number}": b"" for number in range(MAX_PARTS + 1)}), "too_large"),
        (packed(sheet=b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'), "bad_workbook"),
        (packed(sheet='<?xml version="1.0"?><!DOCTYPE a><a/>'.encode("utf-16")), "bad_workbook"),
        (packed(sheet=b"x"), "bad_workbook"),
        (b"PK\x03\x04 and nothing more", "bad_workbook"),
        (workbook(("Name", "Price"))[:-100], "bad_workbook"),
        (b"PK\x03\x04" + b"\0" * (4 * 1024 * 1024), "too_large"),
    ],
    ids=["bomb", "parts", "entities", "entities in UTF-16", "no workbook", "no archive", "cut off", "large"],
)
def test_what_is_no_workbook_or_unpacks_to_too_much_is_refused(raw: bytes, reason: str) -> None:
    with pytest.raises(FeedError) as refused:
        text_of_workbook(raw)
    assert refused.value.failure.reason == reason
