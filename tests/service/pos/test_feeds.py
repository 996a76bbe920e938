"""Encodings, decimal signs and columns of feeds. What cannot be read for sure is refused and named."""

from decimal import Decimal

import pytest

from service.core.amounts import Notation
from service.schema.content.pos import FeedEncoding, FeedRow
from service.services.pos.feed import MAX_FEED_BYTES, FeedContent, FeedFailure
from service.services.pos.rows import read_feed, read_pushed

MENU = "id;name;category;price\n1;Käse;Brot;8,50\n2;Crème brûlée;Süßes;6,90\n"


def read(text: str | bytes, encoding: FeedEncoding | None = None, **columns: str) -> FeedContent:
    feed = read_feed(
        text if isinstance(text, bytes) else text.encode(), "csv", encoding=encoding, columns=columns.items()
    )
    assert isinstance(feed, FeedContent), feed
    return feed


def failure(raw: bytes, encoding: FeedEncoding | None = None, columns: dict[str, str] | None = None) -> FeedFailure:
    feed = read_feed(raw, "csv", encoding=encoding, columns=(columns or {}).items())
    assert isinstance(feed, FeedFailure), feed
    return feed


@pytest.mark.parametrize(
    ("codec", "declared", "read_as"),
    [
        ("utf-8", None, "utf-8"),
        ("utf-8-sig", None, "utf-8"),
        ("utf-8-sig", "windows-1252", "utf-8"),
        ("utf-16", None, "utf-16"),
        ("utf-16-le", "utf-16", "utf-16"),
        ("cp1252", None, "windows-1252"),
        ("cp1252", "windows-1252", "windows-1252"),
    ],
)
def test_encodings(codec: str, declared: FeedEncoding | None, read_as: str) -> None:
    feed = read(MENU.encode(codec), declared)
    assert [row.name for row in feed.rows] == ["Käse", "Crème brûlée"]
    assert feed.encoding == read_as
    big = b"\xfe\xff" + MENU.encode("utf-16-be")
    assert [row.name for row in read(big).rows] == ["Käse", "Crème brûlée"]


def test_capitals_before_quotation_marks_are_no_utf8() -> None:
    name = "CAFÉ’S “Weiß” «Â» PÂTÉ… Käse MAÇÃ”"
    raw = f"id;name;category;price\n1;{name};Brot;8,50\n".encode("cp1252")
    for declared in (None, "windows-1252"):
        feed = read_feed(raw, "csv", encoding=declared)
        assert isinstance(feed, FeedContent), feed
        assert feed.rows[0].name == name


@pytest.mark.parametrize(
    ("raw", "declared", "reason"),
    [
        # Read as Windows-1252, the first line would be `KÃ¤se`.
        (MENU.encode().replace("Süßes".encode(), "Süßes".encode("cp1252")), None, "mixed_encodings"),
        (MENU.encode(), "windows-1252", "bad_encoding"),
        (MENU.encode("cp1252"), "utf-8", "bad_encoding"),
        (MENU.encode("utf-16-le"), None, "bad_encoding"),
        (MENU.encode("utf-16")[:-1], None, "bad_encoding"),
        (b"id;name;category;price\n1;\x81;a;1\n", None, "bad_encoding"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", None, "bad_encoding"),
    ],
)
def test_no_text_is_garbled_silently(raw: bytes, declared: FeedEncoding | None, reason: str) -> None:
    found = failure(raw, declared)
    assert found.reason == reason
    if reason == "mixed_encodings":
        assert found.detail == "Line 2 of the feed is UTF-8, and line 3 is not. Export it in one encoding."


def priced(text: str, delimiter: str) -> str:
    rows = (("id", "name", "category", "price"), ("1", "Tea", "Tea", text), ("2", "Bun", "Cake", "2"))
    return "\n".join(delimiter.join(row) for row in rows)


@pytest.mark.parametrize(
    ("delimiter", "text", "price"),
    [
        (",", "8.50", "8.5"),
        (",", "1.250", "1.25"),
        (";", "8,50", "8.5"),
        (";", "8.50", "8.5"),
        # There is one way to read these, whatever is between the columns.
        (",", '"8,50"', "8.5"),
        (",", '"1,250.00"', "1250"),
        (";", "1,250.00", "1250"),
        (";", "1.250.000", "1250000"),
        ("\t", "1.250,00", "1250"),
        (";", "8,50 €", "8.5"),
        (";", "0.250", "0.25"),
        (";", "1.250,00", "1250"),
        (";", "12500", "12500"),
        ("\t", "8,50", "8.5"),
        ("\t", "8.50", "8.5"),
    ],
)
def test_the_separator_of_the_file_says_how_prices_are_written(delimiter: str, text: str, price: str) -> None:
    assert read(priced(text, delimiter)).rows[0].price == Decimal(price)


@pytest.mark.parametrize(
    ("delimiter", "text", "code"),
    [
        # Two cells, of which the first would be the price.
        (",", "8,50", "too_many_cells"),
        (";", "1.250", "ambiguous_number"),
        (";", "1,250", "ambiguous_number"),
        ("\t", "1.250", "ambiguous_number"),
        ("\t", "1,250", "ambiguous_number"),
        (";", "1_000", "not_a_number"),
        (";", "-1", "negative"),
        (";", "1e3", "not_a_number"),
    ],
)
def test_no_price_is_guessed(delimiter: str, text: str, code: str) -> None:
    feed = read(priced(text, delimiter))
    [error] = feed.errors
    assert (error.row, error.id, error.code) == (1, "1", code)
    assert error.column == (None if code == "too_many_cells" else "price")
    assert [row.id for row in feed.rows] == ["2"], "the others are imported"


YEN = Notation("JPY", ("ja-JP",))
EURO = Notation("EUR", ("de-DE",))


@pytest.mark.parametrize(
    ("delimiter", "text", "notation", "price"),
    [
        (",", '"12,800"', YEN, "12800"),
        (",", "12.900", Notation("CLP", ("es-CL",)), "12900"),
        ("\t", "1,250", YEN, "1250"),
        (";", "1,250", EURO, "1.25"),
        (",", "1.250", Notation("KWD", ("ar-KW",)), "1.25"),
        ("\t", "1.250", Notation("KWD", ("en-KW",)), "1.25"),
    ],
)
def test_the_currency_and_the_language_say_how_prices_are_written(
    delimiter: str, text: str, notation: Notation, price: str
) -> None:
    feed = read_feed(priced(text, delimiter).encode(), "csv", notation=notation)
    assert isinstance(feed, FeedContent), feed
    assert feed.rows[0].price == Decimal(price)


@pytest.mark.parametrize(
    ("delimiter", "text", "notation", "code"),
    [
        (",", "1.250", EURO, "ambiguous_number"),
        (";", "1.250", EURO, "ambiguous_number"),
        ("\t", "1,250", EURO, "ambiguous_number"),
        (";", "12,8", YEN, "no_decimals"),
        (";", "CHF 8,50", EURO, "other_currency"),
    ],
)
def test_no_price_is_guessed_by_the_currency(delimiter: str, text: str, notation: Notation, code: str) -> None:
    feed = read_feed(priced(text, delimiter).encode(), "csv", notation=notation)
    assert isinstance(feed, FeedContent), feed
    [error] = feed.errors
    assert error.code == code
    assert error.text == delimiter.join(("1", "Tea", "Tea", text))
    assert error.readings == ((Decimal(1250), Decimal("1.25")) if code == "ambiguous_number" else ())


def test_texts_in_json_are_read_as_in_a_table() -> None:
    parts = {
        "variants": [{"name": "S", "price": "¥1,250"}],
        "modifiers": [{"name": "Egg", "priceDelta": "+150"}, {"name": "Less", "priceDelta": -50}],
    }
    rows = [
        {"id": "1", "name": "Wagyu", "category": "Grill", "price": "12,800", **parts},
        {"id": "2", "name": "Tea", "category": "Tea", "price": "12.8"},
        {"id": "3", "name": "Bun", "category": "Cake", "price": 3, "modifiers": [{"name": "x", "priceDelta": "y"}]},
        {"id": "4", "name": "Pie", "category": "Cake", "price": Decimal("12.8")},
    ]
    feed = read_pushed(rows, FeedRow, YEN)
    assert isinstance(feed, FeedContent), feed
    wagyu, pie = feed.rows
    assert (wagyu.price, pie.price) == (12800, Decimal("12.8"))
    assert [one.price for one in wagyu.variants or ()] == [1250]
    assert [one.price_delta for one in wagyu.modifiers or ()] == [150, -50]
    assert [(one.row, one.field, one.code) for one in feed.errors] == [
        (2, "price", "no_decimals"),
        (3, "modifiers/0/priceDelta", "not_a_number"),
    ]


def test_a_cell_without_a_heading_is_no_price() -> None:
    feed = read("id,name,category,price,\n1,Tea,Tea,8,50\n2,Bun,Cake,2,\n3,Pie,Cake,3,,,\n")
    assert [error.code for error in feed.errors] == ["too_many_cells"]
    assert [row.id for row in feed.rows] == ["2", "3"]


def test_columns_have_the_headings_of_the_till() -> None:
    text = (
        "Art.-Nr;Bezeichnung;Englisch;Gruppe;Preis;price;Ausverkauft\n"
        "4711;Käse;Cheese;Brot;8,50;99;ja\n4712;Tee;;Tee;x;99;nein\n"
    )
    columns = {"id": "Art.-Nr", "sku": "art.-nr", "name": "Bezeichnung", "name:en": "Englisch", "category": "Gruppe"}
    feed = read(text, None, **columns, price="Preis", soldOut="Ausverkauft")
    [row] = feed.rows
    assert (row.id, row.sku, row.name, row.price, row.sold_out) == ("4711", "4711", "Käse", Decimal("8.5"), True)
    assert row.translations is not None
    assert row.translations["en"].name == "Cheese"
    [error] = feed.errors
    assert (error.row, error.id, error.field, error.column) == (2, "4712", "price", "Preis")

    missing = failure(text.encode(), columns=columns | {"price": "Betrag"})
    assert (missing.reason, "Betrag is missing" in missing.detail) == ("bad_csv", True)
    twice = failure(
        text.replace("Englisch", "Preis").encode(), columns=columns | {"name:en": "Gruppe", "price": "Preis"}
    )
    assert (twice.reason, "Preis of price twice" in twice.detail) == ("bad_csv", True)


def test_more_columns() -> None:
    feed = read(
        "id;name;category;price;sku;sortIndex;description;modifiers;tags;allergens;imageUrl;variants\n"
        "1;Latte;Coffee;3,50;L-1;20;With milk;Oat milk = +0,50 | Single = -0,20;vegan, new;Milk | nuts;"
        "https://till.example.com/l.png;S = 3,50 | L = 4,20\n"
        "2;Tea;Tea;2;;;;;;;;\n"
        "3;Bun;Cake;2;;1,5;;Butter;;sugar;;\n"
    )
    latte, tea = feed.rows
    assert latte.document() | {"category": "Coffee"} == {
        "id": "1",
        "name": "Latte",
        "category": "Coffee",
        "price": Decimal("3.5"),
        "variants": [
            {"name": "S", "price": Decimal("3.5")},
            {"name": "L", "price": Decimal("4.2")},
        ],
        "sku": "L-1",
        "sortIndex": 20,
        "description": "With milk",
        "modifiers": [
            {"name": "Oat milk", "priceDelta": Decimal("0.5")},
            {"name": "Single", "priceDelta": Decimal("-0.2")},
        ],
        "tags": ["vegan", "new"],
        "allergens": ["milk", "nuts"],
        "imageUrl": "https://till.example.com/l.png",
    }
    assert {name for name, value in tea.everything().items() if value is not None} == {
        "id",
        "name",
        "category",
        "price",
    }
    assert [(error.row, error.field, error.code, error.column) for error in feed.errors] == [
        (3, "sortIndex", "not_whole", "sortIndex")
    ]


def test_4_mib_in_one_cell_are_refused() -> None:
    start, end = b"id,name,category,price\n1,", b",Tea,2\n"
    found = failure(start + b"x" * (MAX_FEED_BYTES - len(start) - len(end)) + end)
    assert found.reason == "bad_csv"
    assert found.detail.startswith("Line 2: field larger than field limit")


def test_json_may_have_another_encoding_and_numbers_for_names() -> None:
    raw = '[{"id": 7, "sku": 4711, "name": "Käse", "category": "Brot", "price": 8.5}]'
    for codec, read_as in (("utf-8", "utf-8"), ("utf-16", "utf-16"), ("cp1252", "windows-1252")):
        feed = read_feed(raw.encode(codec), "json")
        assert isinstance(feed, FeedContent)
        assert [(row.id, row.sku, row.name) for row in feed.rows] == [("7", "4711", "Käse")]
        assert feed.encoding == read_as
