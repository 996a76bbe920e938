"""Workbooks as spreadsheets really write them: what a person sees is read, and what one only says costs nothing."""

import io
import zipfile
from collections.abc import Callable

import pytest
from openpyxl import Workbook

from service.core.amounts import Notation
from service.services.imports.files import FileText, read_file
from service.services.pos.feed import FeedFailure
from tests.service.imports.test_tables import Items, items


def raw_of(book: Workbook) -> bytes:
    output = io.BytesIO()
    book.save(output)
    return output.getvalue()


def menu_book() -> Workbook:
    book = Workbook()
    for row in (("Name", "Preis"), *((f"Gericht {at}", 3.5) for at in range(40))):
        book.worksheets[0].append(row)
    return book


def text_of(raw: bytes) -> str:
    found = read_file(raw)
    assert isinstance(found, FileText), found
    return found.text


@pytest.mark.parametrize(
    ("value", "form", "shown"),
    [
        (12.5, "[$$-409]#,##0.00", "$12.50"),
        (12.5, '#,##0.00 "€"', "12.50 €"),
        (12.5, "_-* #,##0.00\\ [$€-407]_-", "12.50 €"),
        (24, '0".–"', "24.–"),
        (0.125, "0.0%", "12.5%"),
        (42, '"A-"000', "A-042"),
        (3.4, "# ##0.00", "3.40"),
        (1250000, "[>=10000000]##\\,##\\,##\\,##0;##,##0", "1250000"),
        (3.4, '"Nr. 5 "0.00', "3.40"),
        (1234.5, "0.00E+00", "1234.50"),
    ],
)
def test_a_number_is_shown_with_what_its_format_writes_beside_it(value: float, form: str, shown: str) -> None:
    book = menu_book()
    book.worksheets[0]["B2"] = value
    book.worksheets[0]["B2"].number_format = form
    assert text_of(raw_of(book)).splitlines()[1] == f"Gericht 0\t{shown}"


def _far(book: Workbook) -> None:
    book.worksheets[0].cell(1_048_576, 1).number_format = "0.00"


def _formatted(book: Workbook) -> None:
    for at in range(50, 12_000):
        book.worksheets[0].cell(at, 1).number_format = "0.00"


@pytest.mark.parametrize("change", [_far, _formatted])
def test_empty_rows_with_a_format_cost_no_menu(change: Callable[[Workbook], None]) -> None:
    book = menu_book()
    change(book)
    assert len(items(text_of(raw_of(book)))) == 40


def changed(before: bytes, after: bytes) -> bytes:
    """The workbook of a menu with another text in its sheet."""
    output = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw_of(menu_book()))) as parts, zipfile.ZipFile(output, "w") as file:
        for name in parts.namelist():
            content = parts.read(name)
            file.writestr(name, content.replace(before, after) if name.endswith("sheet1.xml") else content)
    return output.getvalue()


END = b"</sheetData>"
MERGED = END + b'<mergeCells><mergeCell ref="A50:XFD1048576"/></mergeCells>'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b'ref="A1:B41"', b'ref="A1:XFD1048576"'),
        (END, MERGED),
        (b"<sheetData>", b'<cols><col min="3" max="999999999" hidden="1"/></cols><sheetData>'),
    ],
    ids=["size", "merged", "columns"],
)
def test_what_a_workbook_only_says_of_its_size_costs_nothing(before: bytes, after: bytes) -> None:
    assert len(items(text_of(changed(before, after)))) == 40


@pytest.mark.long
def test_a_workbook_that_costs_too_much_is_told() -> None:
    found = read_file(changed(END, b'<row r="45" hidden="1"/>' + MERGED))
    assert isinstance(found, FeedFailure)
    # Its memory or its time ends first.
    assert found.reason in ("too_slow", "bad_workbook")


@pytest.mark.parametrize(
    ("encoding", "language", "currency", "text", "expected"),
    [
        (
            "cp1250",
            "hu",
            "HUF",
            "Név;Kategória;Ár\nTűzálló gulyás;Leves;2.490 Ft\nŐszi bőség;Főétel;3 490\n",
            [("Leves", "Tűzálló gulyás", "2490.00"), ("Főétel", "Őszi bőség", "3490.00")],
        ),
        (
            "shift_jis",
            "ja",
            "JPY",
            '品名,カテゴリー,価格\nラーメン,麺,"1,250"\n餃子,一品,480円\n',
            [("麺", "ラーメン", "1250.00"), ("一品", "餃子", "480.00")],
        ),
        (
            "cp1251",
            "ru",
            "RUB",
            "Название;Категория;Цена\nБорщ;Супы;350 руб\nПельмени;Горячее;420,50\n",
            [("Супы", "Борщ", "350.00"), ("Горячее", "Пельмени", "420.50")],
        ),
    ],
)
def test_files_in_the_encodings_of_other_countries_are_tables(
    encoding: str, language: str, currency: str, text: str, expected: Items
) -> None:
    found = read_file(text.encode(encoding), language=language)
    assert isinstance(found, FileText)
    assert items(found.text, notation=Notation(currency, (language,))) == expected
