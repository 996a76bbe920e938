"""Importing a menu at the desk: the preview, what is imported and what is left, files, and the export."""

import io
import re
from pathlib import Path
from typing import Any

import pytest
from docx import Document
from openpyxl import Workbook

from service.core.permissions import Role
from tests.service.support.application import Cafe, Caller, Service
from tests.service.support.desk import ORIGIN, Person, person, text_of, undo_of

ITEMS = "/v1/content/items"
PATH = "/desk/menu/import"
DATA = Path(__file__).parents[2] / "data"


async def upload(one: Person, path: str, raw: bytes = b"", **fields: str) -> Any:
    await one.open(PATH)
    files: dict[str, Any] = {"file": ("menu.bin", raw)}
    data = {"csrf": one.csrf, "text": "", **fields}
    return await one.client.post(path, data=data, files=files, headers={"Origin": ORIGIN})


async def test_a_preview_tells_what_changes_and_the_import_does_that(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    text = "Coffee\nFlat white 3.90\nCortado 3.10\n"
    async with person(service, Role.EDITOR) as one:
        shown = text_of(await upload(one, PATH, text=text))
        assert "1 new item 1 changed 0 are the same" in shown
        assert "€3.40 → €3.90" in shown
        assert "Cortado Coffee €3.10" in shown
        assert (await owner.get(f"{ITEMS}/{cafe.coffee}")).json()["price"] == 3.4
        answer = await upload(one, f"{PATH}/apply", text=text)
        assert "Imported: 1 new item, 1 changed." in text_of(await one.open(answer.headers["location"]))
        assert (await owner.get(f"{ITEMS}/{cafe.coffee}")).json()["price"] == 3.9
        again = text_of(await upload(one, PATH, text=text))
        assert "0 new items 0 changed 2 are the same" in again


async def test_bad_rows_are_named_and_the_good_ones_are_imported(service: Service, owner: Caller, cafe: Cafe) -> None:
    text = "Name;Category;Price\nLatte;Coffee;4,20\nWine;Drinks;free\nBeer;Drinks;1.250\nlatte;coffee;5"
    async with person(service, Role.EDITOR) as one:
        page = await upload(one, f"{PATH}/apply", text=text)
        shown = text_of(page)
        assert "Imported: 1 new item, 0 changed; 3 rows were left." in shown
        assert "Wine · Drinks · free Line 3 This must be a price, such as 3.40." in shown
        assert "Beer · Drinks · 1.250 Line 4 This may be 1250 or 1.25: write the one that is meant." in shown
        assert "latte · coffee · 5 Line 5 This item stands in the table twice." in shown
        assert "Wine;Drinks;free" in page.text
        names = [item["name"] for item in (await owner.get(ITEMS)).json()["data"]]
        assert "Latte" in names
        assert "Wine" not in names
        assert "There is no item with a price in it." in text_of(await upload(one, f"{PATH}/apply", text="Tea"))


@pytest.mark.parametrize("kind", ["xlsx", "csv", "windows", "docx"])
async def test_a_file_is_imported(service: Service, owner: Caller, cafe: Cafe, kind: str) -> None:
    raw = "Name;Kategorie;Preis\r\nKäsekuchen;Kuchen;4,20\r\n".encode("cp1252" if kind == "windows" else "utf-8-sig")
    if kind == "xlsx":
        book, output = Workbook(), io.BytesIO()
        assert book.active is not None
        book.active.append(("Name", "Kategorie", "Preis"))
        book.active.append(("Käsekuchen", "Kuchen", 4.2))
        book.save(output)
        raw = output.getvalue()
    if kind == "docx":
        document, output = Document(), io.BytesIO()
        document.add_heading("Kuchen", 1)
        document.add_paragraph("Käsekuchen\t4,20 €")
        document.save(output)
        raw = output.getvalue()
    async with person(service, Role.EDITOR) as one:
        page = await upload(one, PATH, raw)
        text = re.findall(r"<textarea[^>]*>\n(.*?)</textarea>", page.text, re.S)[0]
        assert "1 new item" in text_of(page)
        assert (await upload(one, f"{PATH}/apply", text=text)).status_code == 303
    found = (await owner.get(f"{ITEMS}?category=Kuchen")).json()["data"]
    assert [(item["name"], item["price"]) for item in found] == [("Käsekuchen", 4.2)]


async def test_a_form_that_breaks_off_is_refused(service: Service, owner: Caller, cafe: Cafe) -> None:
    async with person(service, Role.EDITOR) as one:
        await one.open(PATH)
        kind = {"Content-Type": "multipart/form-data; boundary=x", "Origin": ORIGIN}
        part = f'--x\r\nContent-Disposition: form-data; name="csrf"\r\n\r\n{one.csrf}\r\n'
        for broken in (part, "--x\r\nnothing\r\n\r\n\r\n--x--", "x"):
            assert (await one.client.post(PATH, content=broken, headers=kind)).status_code == 400
        bare = {"Content-Type": "multipart/form-data", "Origin": ORIGIN}
        assert (await one.client.post(PATH, content=part + "--x--", headers=bare)).status_code == 400
        assert (await one.client.post(PATH, content=part + "--x--", headers=kind)).status_code == 422
        large = await upload(one, PATH, b"x" * (4 * 1024 * 1024 + 1))
        assert "This file is too large" in text_of(large)
        assert (await upload(one, PATH, b"x" * (9 * 1024 * 1024))).status_code == 413


@pytest.mark.parametrize("language", ["en", "de"])
async def test_an_export_comes_back_unchanged(service: Service, owner: Caller, cafe: Cafe, language: str) -> None:
    offer = {"price": 3, "regularPrice": 4.125, "offerEndsAt": "2027-01-01T00:00:00Z", "sku": "007"}
    sizes = [{"name": "S = small", "price": 2}, {"name": "L", "price": 3, "regularPrice": 4}]
    texts = {"de": {"name": "Kuchen, groß", "description": "Mit Sahne"}}
    for body in (
        {"name": '=cmd|"x"', "category": '-Odd; & "quoted"', "price": 1250, "description": "Two\nlines", **offer},
        {"name": "Cake", "category": "Cake", "price": 1, "variants": sizes, "translations": texts},
        {"name": "Cake", "category": "More", "price": 2, "tags": ["a,b"], "allergens": ["milk", "nuts"]},
        {"name": "Lobster", "category": "Fish", "priceKind": "market", "modifiers": [{"name": "-", "priceDelta": -1}]},
        {"name": "Ham", "category": "Fish", "price": 2.1, "priceUnit": "100g", "priceKind": "from", "sortIndex": -7},
    ):
        body = {"description": "Cake", **body} if "translations" in body else body
        await owner.make(ITEMS, body)
    await owner.patch(f"{ITEMS}/{cafe.coffee}", {"eightySixed": True, "eightySixedUntil": "2027-01-01T00:00:00Z"})
    before = (await owner.get(ITEMS)).json()["data"]
    async with person(service, Role.EDITOR) as one:
        await one.submit("/desk/profile/language", {"language": language})
        exported = (await one.client.get("/desk/menu/export")).content
        await one.submit("/desk/profile/language", {"language": "en"})
        shown = text_of(await upload(one, PATH, exported))
        assert f"0 new items 0 changed {len(before)} are the same" in shown, shown
        assert (await upload(one, f"{PATH}/apply", exported)).status_code == 303
    assert (await owner.get(ITEMS)).json()["data"] == before


async def test_an_import_is_undone_by_the_button_that_the_act_offers(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    text = "Coffee\nFlat white 3.90\nCortado 3.10\nMocha 4\n"
    async with person(service, Role.EDITOR) as one:
        answer = await upload(one, f"{PATH}/apply", text=text)
        action, fields = undo_of(await one.open(answer.headers["location"]))
        assert fields == {}
        page = text_of(await one.open(PATH))
        assert "2 new items, 1 changed" in page
        assert "Undo this import" in page
        mocha = next(item for item in (await owner.get(ITEMS)).json()["data"] if item["name"] == "Mocha")
        await owner.patch(f"{ITEMS}/{mocha['id']}", {"name": "<b>Mocha</b>"})
        answer = await one.submit(action)
        shown = await one.open(answer.headers["location"])
        said = "The import is undone: 1 item is as it was, 1 new one is gone; 1 stays, changed since."
        assert said in text_of(shown)
        assert f'<a href="/desk/menu/{mocha["id"]}"><bdi>&lt;b&gt;Mocha&lt;/b&gt;</bdi></a>' in shown.text
        assert "Undo this import" not in text_of(await one.open(PATH))
        assert "1 item stays as it is" in text_of(await one.open(PATH))
        again = await one.submit(action)
        assert "This import was undone already." in text_of(again)
    assert {item["name"] for item in (await owner.get(ITEMS)).json()["data"]} >= {"Flat white", "<b>Mocha</b>"}
    assert (await owner.get(f"{ITEMS}/{cafe.coffee}")).json()["price"] == 3.4


async def test_good_rows_beside_bad_ones_are_undone_as_well(service: Service, owner: Caller, cafe: Cafe) -> None:
    async with person(service, Role.EDITOR) as one:
        page = await upload(one, f"{PATH}/apply", text="Name;Price\nLatte;4,20\nWine;free")
        action, fields = undo_of(page)
        await one.submit(action, fields)
    assert "Latte" not in [item["name"] for item in (await owner.get(ITEMS)).json()["data"]]


BARE = {
    "category": "Fish",
    "price": None,
    "priceKind": "exact",
    "priceUnit": None,
    "variants": [],
    "modifiers": [],
    "sku": None,
    "description": None,
    "tags": [],
    "allergens": [],
    "sortIndex": 0,
    "translations": {},
}
EXPORTED: list[dict[str, Any]] = [
    {"name": "Ham", "price": 2.125, "priceKind": "from", "priceUnit": "100g", "sortIndex": -7},
    {"name": "Flat white", "category": "Coffee", "price": 3.4, "modifiers": [("Oat milk", 0.5)]},
    {"name": "Carrot cake", "category": "Cake", "price": 4.2},
    {
        "name": '=cmd|"x"',
        "category": '-Odd; & "quoted"',
        "price": 1300.5,
        "sku": "007",
        "description": "Two\nlines",
    },
    {
        "name": "Cake",
        "category": "Cake",
        "price": 1,
        "variants": [("S = small", 2), ("L", 4)],
        "description": "Cake",
        "translations": {"de": "Kuchen, groß", "fr": "Gâteau"},
    },
    {"name": "Cake", "category": "More", "price": 2, "tags": ["vegan", "new"], "allergens": ["milk", "nuts"]},
    {"name": "Lobster", "priceKind": "market", "modifiers": [("Butter", 0.5), ("-", -1)]},
    {"name": "'n roll", "category": "'Sides'", "price": 0.0125},
]
"""What is in `tests/data/items-0.5.0*.csv`: exports of one menu by the first program that exported menus, which calls
itself 0.5.0; by the API, and at the desk in German."""


def exported_fields(item: dict[str, Any]) -> dict[str, Any]:
    """The fields of an item that a column of an export has."""
    return {name: item[name] for name in ("name", *BARE)} | {
        "variants": [(one["name"], one["price"]) for one in item["variants"]],
        "modifiers": [(one["name"], one["priceDelta"]) for one in item["modifiers"]],
        "translations": {language: one["name"] for language, one in item["translations"].items()},
    }


@pytest.mark.parametrize("at", ["api", "desk"])
async def test_an_export_of_0_5_0_is_read_with_every_column(service: Service, owner: Caller, at: str) -> None:
    if at == "api":
        text = (DATA / "items-0.5.0.csv").read_bytes().decode()
        done = (await owner.post(f"{ITEMS}/import", {"text": text})).json()
        assert (done["status"], done["badRows"]) == ("completed", [])
        again = (await owner.post(f"{ITEMS}/import/preview", {"text": text})).json()
        assert again["counts"]["unchanged"] == len(EXPORTED)
    else:
        raw = (DATA / "items-0.5.0-semicolons.csv").read_bytes()
        async with person(service, Role.EDITOR) as one:
            answer = await upload(one, f"{PATH}/apply", raw)
            assert f"Imported: {len(EXPORTED)} new items, 0 changed." in text_of(
                await one.open(answer.headers["location"])
            )
            again = text_of(await upload(one, PATH, raw))
            assert f"0 new items 0 changed {len(EXPORTED)} are the same" in again
    items = (await owner.get(f"{ITEMS}?limit=100")).json()["data"]
    found = {(one["name"], one["category"]): exported_fields(one) for one in items}
    assert found == {(one["name"], one["category"]): one for one in (BARE | told for told in EXPORTED)}


async def test_who_only_reads_exports_and_imports_nothing(service: Service, cafe: Cafe) -> None:
    async with person(service, Role.VIEWER) as one:
        assert "Flat white" in (await one.client.get("/desk/menu/export")).text
        assert (await one.open(PATH)).status_code == 403
        assert (await one.submit(f"{PATH}/imp_1/undo")).status_code == 403
        assert "Import" not in text_of(await one.open("/desk/menu"))


async def test_a_hundred_times_the_price_is_imported_after_a_question(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    text = "Name;Category;Price\nTea;Drinks;3\nFlat white;Coffee;340\n"
    async with person(service, Role.EDITOR) as one:
        shown = await upload(one, PATH, text=text)
        assert "A hundred times as much, or a hundredth Flat white €3.40 → €340.00" in text_of(shown)
        page = await upload(one, f"{PATH}/apply", text=text)
        assert "Nothing is imported yet" in text_of(page)
        assert 'name="sure"' in page.text
        assert (await owner.get(f"{ITEMS}/{cafe.coffee}")).json()["price"] == 3.4
        assert (await upload(one, f"{PATH}/apply", text=text, sure="1")).status_code == 303
    assert (await owner.get(f"{ITEMS}/{cafe.coffee}")).json()["price"] == 340


async def test_prices_are_read_by_the_currency_and_the_language(service: Service, owner: Caller, cafe: Cafe) -> None:
    await owner.patch(f"/v1/locations/{cafe.location}", {"currency": "JPY", "locale": "ja-JP"})
    async with person(service, Role.EDITOR) as one:
        text = 'Name,Category,Price\nWagyu set,Grill,"12,800"\nTea,Tea,12.8\n'
        shown = text_of(await upload(one, PATH, text=text))
        assert "Wagyu set Grill ¥12,800" in shown
        assert "Tea · Tea · 12.8 Line 3 This currency has no decimals: write a whole amount." in shown


UNKNOWN = "Was\tWo\tWieviel\nRoggen\tBrot\t4,20\nDinkel\tBrot\t5,10\n"


async def test_the_columns_are_shown_with_their_guess_changed_by_hand_and_remembered(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    async with person(service, Role.EDITOR) as one:
        shown = await upload(one, PATH, text=UNKNOWN)
        assert "Was Roggen · Dinkel" in text_of(shown)
        assert "2 new items" in text_of(shown)
        chosen = {"column.Was": "description", "column.Wo": "name", "column.Wieviel": "price"}
        changed = await upload(one, PATH, text=UNKNOWN.replace("Dinkel\tBrot", "Dinkel\tBrezel"), **chosen)
        assert "Brezel Menu €5.10" in text_of(changed)
        await upload(one, f"{PATH}/apply", text="Was\tWo\tWieviel\nSalzig\tBrezel\t1,20\n", **chosen)
        [brezel] = [item for item in (await owner.get(ITEMS)).json()["data"] if item["name"] == "Brezel"]
        assert (brezel["price"], brezel["description"]) == (1.2, "Salzig")
        # The next table of this kind needs no answer, by the API neither.
        again = await owner.post(f"{ITEMS}/import", {"text": "Was\tWo\tWieviel\nMild\tKnoten\t1,30\n"})
        assert again.json()["counts"]["created"] == 1


async def test_a_column_that_nobody_changed_is_not_remembered_as_not_read(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    first = "Name\tKategorie\tGruppe\tGröße\tPreis\nRoggen\tBrot\tBack\t\t4,20\n"
    chosen = dict(
        zip(("Name", "Kategorie", "Gruppe", "Größe", "Preis"), ("name", "category", "", "", "price"), strict=True)
    )
    async with person(service, Role.EDITOR) as one:
        await upload(one, f"{PATH}/apply", text=first, **{f"column.{name}": told for name, told in chosen.items()})
        # Another table has the columns that the first one had beside better ones, or empty.
        text = "Name\tGruppe\tGröße\tPreis\nKipferl\tBack\tklein\t1,20\nKipferl\tBack\tgroß\t2,20\n"
        shown = text_of(await upload(one, PATH, text=text))
        assert "1 new item" in shown
        assert "New Kipferl Back €1.20" in shown
        # What a person takes away stays away.
        await upload(one, f"{PATH}/apply", text=text, **{"column.Gruppe": ""})
        shown = text_of(await upload(one, PATH, text=text.replace("Kipferl", "Striezel")))
        assert "New Striezel Menu €1.20" in shown


async def test_a_table_that_nobody_saw_is_not_guessed(service: Service, owner: Caller, cafe: Cafe) -> None:
    async with person(service, Role.EDITOR) as one:
        answer = text_of(await upload(one, f"{PATH}/apply", text=UNKNOWN))
        assert "The first line has to name the columns: Name, Category, Price." in answer
    assert "Roggen" not in str((await owner.get(ITEMS)).json())


async def test_lines_that_are_no_items_are_shown(service: Service, cafe: Cafe) -> None:
    book, output = Workbook(), io.BytesIO()
    sheet = book.active
    assert sheet is not None
    for row in (("Winterkarte",), ("Name", "Preis"), ("Suppe", 4.5), ("Gulasch", 9.5)):
        sheet.append(row)
    sheet.row_dimensions[4].hidden = True
    cover = book.create_sheet("Deckblatt", 0)
    cover.append(("Bistro Nord",))
    book.save(output)
    async with person(service, Role.EDITOR) as one:
        shown = text_of(await upload(one, PATH, output.getvalue()))
        assert "1 new item" in shown
        assert "1 row that is hidden or filtered out" in shown
        assert "Deckblatt a sheet with 1 row" in shown
        assert "Line 1 Winterkarte above the headings" in shown


async def test_the_legend_of_allergens_is_asked_for_and_remembered(service: Service, owner: Caller, cafe: Cafe) -> None:
    text = "Name\tPreis\tAllergene\nSuppe\t4,50\tA, L\n"
    async with person(service, Role.EDITOR) as one:
        shown = text_of(await upload(one, PATH, text=text))
        assert "Suppe · 4,50 · A, L Line 2 An allergen here is not known, and was left out." in shown
        assert "What do the letters or numbers of your menu mean?" in shown
        assert "Read without some allergens" in shown
        assert "1 new item" in shown
        await upload(one, f"{PATH}/apply", text=text, legend="austria")
        await upload(one, f"{PATH}/apply", text=text.replace("Suppe", "Eintopf"))
    found = {item["name"]: item["allergens"] for item in (await owner.get(ITEMS)).json()["data"]}
    assert found["Suppe"] == found["Eintopf"] == ["gluten", "celery"]


async def test_a_file_in_doubt_asks_for_its_encoding(service: Service, cafe: Cafe) -> None:
    raw = "Nazwa;Cena\nŻurek z jajkiem;18,50\nŚledź w śmietanie;21,00\nKaczka z jabłkami;49,00\n".encode("cp1250")
    async with person(service, Role.EDITOR) as one:
        asked = text_of(await upload(one, PATH, raw))
        assert "The file was read as windows-1252." in asked
        chosen = text_of(await upload(one, PATH, raw, encoding="windows-1250", **{"column.Nazwa": "name"}))
        assert "Śledź w śmietanie" in chosen
