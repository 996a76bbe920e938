"""Files of menus as shops have them: a workbook and a text of owners, and exports as tills write them."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from docx import Document
from docx.shared import Pt
from openpyxl import Workbook

EXPORTS = Path(__file__).with_name("exports")
Price = str | Mapping[str, str]
"""A price, or those of the sizes; `from 4.50`, or `market`."""


@dataclass(frozen=True)
class MenuFile:
    """A file, the items that it has by category and name, and the beginnings of the rows that are none."""

    name: str
    raw: bytes
    rows: int
    items: Mapping[tuple[str, str], Price]
    named: Sequence[str]
    hidden: int = 0
    """Rows that are counted, as nobody sees them."""
    heads: int = 0
    """Rows that only hold the sizes below together."""


OWNER_ROWS: Sequence[tuple[object, ...]] = (
    ("Bistro Nordlicht", "", "", "", "", ""),
    ("Stand: Mai, alle Angaben ohne Gewähr", "", "", "", "", ""),
    (),
    ("Gruppe", "Bezeichnung", "Größe", "Preis (€)", "Allergene", "Notiz"),
    ("Kaffee", "Espresso", "klein", 2.2, "", ""),
    ("", "Espresso", "groß", 3.2, "", ""),
    ("", "Cappuccino", "", "3,40 €", "G", "beliebt"),
    ("", "Milchkaffee", "Tasse", 3.6, "G", ""),
    ("", "", "Schale", 4.2, "", ""),
    ("", "Eiskaffee", "", "ab 4,50", "G", "Sommer"),
    ("Summe Kaffee", "", "", "", "", ""),
    ("Tee", "Earl Grey", "", 2.9, "", ""),
    ("", "Minze\nfrisch", "", 3.1, "", ""),
    ("", "Chai", "", 3.9, "G", ""),
    (),
    ("Kuchen", "Apfelkuchen", "", "3,80", "A, C, G", ""),
    ("", "Käsekuchen", "", "3,90", "A,C,G", ""),
    ("", "Torte des Tages", "", "Tagespreis", "A C G", ""),
    ("", "Brownie", "", "3,-", "A", ""),
    ("", "Restposten", "", 1.0, "", "nur intern"),
    ("", "Zimtschnecke", "", "2,50 / 4,50", "A", ""),
    ("Frühstück", "Klein", "", 6.9, "A,G", ""),
    ("", "Groß", "", 11.9, "A,G", ""),
    ("", "Vegan", "", 10.5, "A,F", ""),
    ("", "Ei extra", "", 1.2, "C", ""),
    ("", "Sekt dazu", "", "n/a", "", ""),
    ("Suppen", "Gulaschsuppe", "", 6.8, "A,I", ""),
    ("", "Linsensuppe", "", 5.9, "I", ""),
    ("", "Tagessuppe", "", "", "", "Preis folgt"),
    (),
    ("Warm", "Käsespätzle", "klein", 9.5, "A,C,G", ""),
    ("", "Käsespätzle", "groß", 12.5, "A,C,G", ""),
    ("", "Schnitzel", "", 14.9, "A,C", ""),
    ("", "Wagyu", "", "1.250 g", "", ""),
    ("", "Lachs", "", "$18", "D", ""),
    ("", "Burger", "", 13.5, "A,Z", ""),
    ("", "Gästemenü", "", 1250, "", ""),
    ("Getränke", "Spezi", "0,3 l", 2.8, "", ""),
    ("", "Spezi", "0,5 l", 3.9, "", ""),
    ("", "Wasser", "0,25 l", 2.2, "", ""),
    ("", "Wasser", "0,75 l", 5.5, "", ""),
    ("", "Pils", "0,3 l", 3.2, "A", ""),
    ("", "Pils", "0,5 l", 4.6, "A", ""),
    ("", "Altbestand", "", 2.0, "", "gefiltert"),
    ("", "Hugo", "", 7.2, "", ""),
    ("", "", "", 4.4, "", ""),
    ("", "Zwischensumme", "", 118.4, "", ""),
    (),
    ("Alle Preise inkl. MwSt.", "", "", "", "", ""),
)
"""The sheet of an owner: titles, merged categories, sizes, amounts as text and number, and what is no item."""
_HIDDEN = ("Restposten", "Altbestand")


def owner() -> MenuFile:
    """The workbook of an owner: a cover, a hidden sheet, filtered rows, merged cells."""
    book = Workbook()
    cover = book.worksheets[0]
    cover.title = "Deckblatt"
    cover["B3"] = "Speisekarte"
    old = book.create_sheet("Alt")
    for row in (("Name", "Preis"), ("Verboten", 9)):
        old.append(row)
    old.sheet_state = "hidden"
    sheet = book.create_sheet("Karte")
    for number, row in enumerate(OWNER_ROWS, start=1):
        for column, value in enumerate(row, start=1):
            if value != "":
                sheet.cell(number, column, value)
        if len(row) > 1 and row[1] in _HIDDEN:
            sheet.row_dimensions[number].hidden = True
        if len(row) > 3 and isinstance(row[3], float):
            sheet.cell(number, 4).number_format = '#,##0.00\\ "€"'
    sheet.merge_cells("A1:F1")
    sheet.merge_cells("A5:A10")
    sheet.cell(1_000, 2).number_format = "0.00"
    output = io.BytesIO()
    book.save(output)
    return MenuFile(
        "Karte Sommer.xlsx",
        output.getvalue(),
        rows=sum(any(cell != "" for cell in row) for row in OWNER_ROWS) - 1,
        items={
            ("Kaffee", "Espresso"): {"klein": "2.20", "groß": "3.20"},
            ("Kaffee", "Cappuccino"): "3.40",
            ("Kaffee", "Milchkaffee"): {"Tasse": "3.60", "Schale": "4.20"},
            ("Kaffee", "Eiskaffee"): "from 4.50",
            ("Tee", "Earl Grey"): "2.90",
            ("Tee", "Minze frisch"): "3.10",
            ("Tee", "Chai"): "3.90",
            ("Kuchen", "Apfelkuchen"): "3.80",
            ("Kuchen", "Käsekuchen"): "3.90",
            ("Kuchen", "Torte des Tages"): "market",
            ("Kuchen", "Brownie"): "3.00",
            ("Frühstück", "Klein"): "6.90",
            ("Frühstück", "Groß"): "11.90",
            ("Frühstück", "Vegan"): "10.50",
            ("Frühstück", "Ei extra"): "1.20",
            ("Suppen", "Gulaschsuppe"): "6.80",
            ("Suppen", "Linsensuppe"): "5.90",
            ("Warm", "Käsespätzle"): {"klein": "9.50", "groß": "12.50"},
            ("Warm", "Schnitzel"): "14.90",
            ("Warm", "Burger"): "13.50",
            ("Warm", "Gästemenü"): "1250.00",
            ("Getränke", "Spezi"): {"0,3 l": "2.80", "0,5 l": "3.90"},
            ("Getränke", "Wasser"): {"0,25 l": "2.20", "0,75 l": "5.50"},
            ("Getränke", "Pils"): {"0,3 l": "3.20", "0,5 l": "4.60"},
            ("Getränke", "Hugo"): "7.20",
        },
        named=[
            *("Bistro Nordlicht", "Stand: Mai", "Summe Kaffee", "Zimtschnecke · 2,50 / 4,50", "Sekt dazu · n/a"),
            *("Tagessuppe · Preis folgt", "Wagyu · 1.250 g", "Lachs · $18", "4.40 €", "Zwischensumme"),
            "Alle Preise inkl. MwSt.",
        ],
        hidden=len(_HIDDEN),
    )


def word() -> MenuFile:
    """A text of Word: headings, leaders, small descriptions, a table, and a line that is no item."""
    document = Document()
    document.add_heading("Mittagskarte", 1)
    document.add_heading("Bowls", 2)
    lines = ("Falafel-Bowl ........ 9,80 €", "Lachs-Bowl\tab 12,50 €", "Saisonbowl Tagespreis", "Wahlbowl 8,50 / 9,50")
    for line in lines:
        document.add_paragraph(line).runs[0].font.size = Pt(11)
    small = document.add_paragraph().add_run("mit Kichererbsen")
    small.font.size = Pt(8)
    document.add_heading("Desserts", 2)
    document.add_paragraph("Mousse 5,-").runs[0].font.size = Pt(11)
    document.add_paragraph("Sorbet EUR 4.20").runs[0].font.size = Pt(11)
    output = io.BytesIO()
    document.save(output)
    return MenuFile(
        "Mittag.docx",
        output.getvalue(),
        rows=5 + 4,
        items={
            ("Bowls", "Falafel-Bowl"): "9.80",
            ("Bowls", "Lachs-Bowl"): "from 12.50",
            ("Bowls", "Saisonbowl"): "market",
            ("Desserts", "Mousse"): "5.00",
            ("Desserts", "Sorbet"): "4.20",
        },
        named=["Mittagskarte", "Wahlbowl 8,50 / 9,50"],
        heads=2,
    )


def _till(name: str, items: Mapping[tuple[str, str], Price], named: Sequence[str], *, heads: int = 0) -> MenuFile:
    raw = (EXPORTS / f"{name}.csv").read_bytes()
    return MenuFile(f"{name}.csv", raw, len(raw.splitlines()) - 1, items, named, heads=heads)


SQUARE = _till(
    "square",
    {("Barista", "Flat white"): {"Small": "3.50", "Large": "4.20"}, ("Bakery", "Cookie"): "2.00"},
    ["T4 · Pumpkin punch", "T5 · Catering"],
)
LOYVERSE = _till(
    "loyverse",
    {
        ("Loyverse drinks", "Mocha"): {"Small / Oat": "3.70", "Large / Oat": "4.40"},
        ("Menu", "Scone"): "2.60",
        ("Sets", "Set for two"): "9.50",
    },
    ["stale · 9004 · Stale bun", "set · 9003 · 2", "open · 9007 · Open item"],
)
SHOPIFY = _till(
    "shopify",
    {("Beans", "House beans"): {"250 g": "8.50", "1 kg": "29.00"}, ("Ware", "Mug"): "12.00"},
    ["beans · https://x.example/2.jpg", "gone · Old mug", "draft · Draft mug"],
)
WOO = _till(
    "woocommerce",
    {("Coolers", "Lemonade"): {"Half": "3.10", "Full": "4.10"}, ("Sweet", "Carrot cake"): "4.30"},
    ["9 · simple · DR · Draft cake", "10 · simple · HD · Hidden cake", "11 · grouped · Brunch set"],
    heads=1,
)
LIGHTSPEED = _till(
    "lightspeed",
    {("Dairy", "Shake"): {"Kids": "3.30", "Adult": "5.20"}, ("Baked", "Muffin"): "2.40"},
    ["a4 · old · 7013 · Old tart"],
)
CLOVER = _till(
    "clover",
    {("Menu", "Bagel"): "2.70", ("Menu", "Matcha"): "3.80"},
    ["X3 · Secret sauce", "X5 · Open food"],
)
TOAST = _till(
    "toast",
    {("Toast bar", "Americano"): {"Small": "3.10", "Large": "3.60"}, ("Toast bar", "Oat bar"): "2.20"},
    ["Airport · All day · Toast bar · Oat bar", "Corner · All day · Toast bar · Old bar"],
)
SUMUP = _till(
    "sumup",
    {
        ("SumUp bar", "Smoothie"): {"Small": "4.50", "Large": "5.90"},
        ("SumUp bar", "Quiche"): {"Slice": "4.00", "Whole": "30.00"},
    },
    ["Volume · Huge"],
)
TILLS = (SQUARE, LOYVERSE, SHOPIFY, WOO, LIGHTSPEED, CLOVER, TOAST, SUMUP)
