"""Imports a menu by paste or from a file, with a preview of the changes and an undo; and exports it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from service.desk.forms import Form
from service.desk.menu.menu import MENU, Menu
from service.desk.problems import sentence_of_import
from service.desk.routing import desk_routes
from service.desk.said import Said, Undo
from service.desk.visits import HEADERS, MayEditEverywhere, MayRead, Visit
from service.desk.words import COMMA_LANGUAGES, Phrase, phrase, phrases
from service.schema.content.item_import import ImportUndone
from service.schema.content.pos import FeedEncoding, PreviewResponse, SyncResponse
from service.schema.fields import LABEL_LENGTH
from service.services.content.price_leaps import PriceLeap, price_leaps
from service.services.imports.files import FileText, read_file
from service.services.imports.headings import SHEET_FIELDS
from service.services.imports.sheets import ImportSettings, SheetReading, read_sheet
from service.services.pos.allergens import LEGENDS, read_legend, written
from service.services.pos.csv_rows import UNKNOWN_ALLERGEN
from service.services.pos.feed import FeedFailure
from service.storage.paging import PageRequest

IMPORT = f"{MENU}/import"
PRICES = ("price", "regularPrice")
NOT_YET = phrase("Nothing is imported yet: look at the prices that change by a hundred times or more.")
SHOWN = 10
"""Imports that the page lists, of the last days."""
KEPT = {
    "changed": phrase("changed since"),
    "removed": phrase("removed since"),
    "sku_taken": phrase("another item has its SKU"),
}
"""Reasons why an undo leaves an item as it is."""


SHEET_FIELD_NAMES: Mapping[str, Phrase] = {
    "name": phrase("Name"),
    "category": phrase("Category"),
    "size": phrase("Size: a row is one size of an item"),
    "option1": phrase("First part of the size"),
    "option2": phrase("Second part of the size"),
    "option3": phrase("Third part of the size"),
    "price": phrase("Price"),
    "sizePrice": phrase("Price of the size that the heading names"),
    "description": phrase("Description"),
    "sku": phrase("SKU"),
    "variants": phrase("Sizes with prices, such as S = 3 | L = 4"),
    "modifiers": phrase("Extras with prices, such as Oat milk = 0.50"),
    "tags": phrase("Tags"),
    "allergens": phrase("Allergens"),
    "soldOut": phrase("Sold out"),
    "priceUnit": phrase("Unit of the price"),
    "id": phrase("Id"),
    "sortIndex": phrase("Position"),
    "priceKind": phrase("Kind of the price"),
    "parent": phrase("SKU of the item whose size it is"),
    "shown": phrase("Whether it is on sale"),
    "hidden": phrase("Whether it is hidden"),
}
WHYS = {
    "above": phrase("above the headings"),
    "category": phrase("the name of a category"),
    "no_item": phrase("no name and no price"),
    "hidden": phrase("not on sale by this table"),
    "total": phrase("adds up other rows"),
}
"""Reasons why a line is no row of an item."""
LEGEND_NAMES = {
    "austria": phrase("A to R, as in Austria"),
    "germany": phrase("A to N, as in Germany"),
    "numbers": phrase("1 to 14, in the order of the EU"),
}
OWN_LEGEND = "own"
ENCODINGS: tuple[FeedEncoding, ...] = get_args(FeedEncoding)
_COLUMN = "column."


@dataclass(frozen=True, slots=True)
class Given:
    """Pasted or uploaded text, and the result of reading it."""

    text: str
    reading: SheetReading
    settings: ImportSettings
    file: FileText | None = None

    @property
    def legend_text(self) -> str:
        """Legend of the shop, as it is typed."""
        return written(self.settings.legend)

    @property
    def asks_legend(self) -> bool:
        """Whether there are unknown allergen codes, or a legend to change."""
        unknown = any(one.code == UNKNOWN_ALLERGEN for one in self.reading.content.errors)
        return unknown or bool(self.settings.legend)


routes = desk_routes(Menu, MENU)


@routes.get("/import")
def show_import(menu: Menu, visit: MayEditEverywhere) -> Response:
    """Returns the form for a pasted menu, and the last imports."""
    return _page(visit, menu)


@routes.post("/import")
async def preview(menu: Menu, visit: MayEditEverywhere) -> Response:
    """Shows the changes that an import of the text or the file would make; nothing is changed yet."""
    return await run_in_threadpool(_preview, visit, menu)


@routes.post("/import/apply")
async def apply(menu: Menu, visit: MayEditEverywhere) -> Response:
    """Imports the good rows, and says what was left."""
    return await run_in_threadpool(_apply, visit, menu)


@routes.post("/import/{imported}/undo")
def undo(menu: Menu, imported: str, visit: MayEditEverywhere) -> Response:
    """Undoes an import; the page names the items that stay."""
    done = menu.services.imports.undo(visit.access, imported).undone
    return visit.done(undone(done) if done else phrase("Nothing was changed."), to=f"{IMPORT}#imports")


@routes.get("/export")
def export(menu: Menu, visit: MayRead) -> Response:
    """Returns the menu as a CSV file, as spreadsheets of the person's language expect it."""
    text = menu.services.sheets.export(
        visit.access.workspace, delimiter=";" if visit.language in COMMA_LANGUAGES else ","
    )
    headers = {**HEADERS, "Content-Disposition": 'attachment; filename="menu.csv"'}
    # The mark tells spreadsheets that it is UTF-8.
    return Response(text.encode("utf-8-sig"), media_type="text/csv; charset=utf-8", headers=headers)


def leaps_in(preview: PreviewResponse) -> dict[str, list[PriceLeap]]:
    """Returns the prices that an import would change by a factor of 100 or more, by the names of the items. A preview
    has them before other changes."""
    found: dict[str, list[PriceLeap]] = {}
    for one in preview.updated:
        before, after = ({change.field: getattr(change, end) for change in one.changes} for end in ("from_", "to"))
        if leaps := list(price_leaps(before, after)):
            found.setdefault(one.name, []).extend(leaps)
    return found


def read_given(visit: Visit, menu: Menu, *, guesses: bool) -> Given:
    """Reads the text of the form or of its file, and its rows. `guesses`: whether the user sees the columns first."""
    workspace, form = visit.access.workspace, visit.form
    notation = menu.services.sheets.notation(workspace, language=visit.language)
    settings = _settings(form, menu.services.sheets.settings(workspace))
    text, file = form.get("text", ""), None
    if visit.file:
        told = form.get("encoding", "")
        encoding = next((one for one in ENCODINGS if one == told), None)
        found = read_file(visit.file, encoding=encoding, language=notation.language)
        if isinstance(found, FeedFailure):
            return Given(text, SheetReading(found), settings)
        text, file = found.text, found
    reading = read_sheet(
        text, category=default_category(visit), notation=notation, settings=settings, guesses=guesses or _chosen(form)
    )
    return Given(text, reading, settings, file)


def _chosen(form: Form) -> bool:
    return any(name.startswith(_COLUMN) for name in form)


def _settings(form: Form, stored: ImportSettings) -> ImportSettings:
    """Merges the form's settings into the stored ones."""
    given = {
        name.removeprefix(_COLUMN): value
        for name, value in form.items()
        if name.startswith(_COLUMN) and (value in ("", *SHEET_FIELDS) or value.startswith("name:"))
    }
    columns = {name: value for name, value in stored.columns.items() if name not in given} | given
    legend: Mapping[str, str] = stored.legend
    if (chosen := form.get("legend", "")) in LEGENDS:
        legend = LEGENDS[chosen]
    elif chosen == OWN_LEGEND:
        legend = read_legend(form.get("legend_text", ""))[0]
    return ImportSettings(columns, legend)


def default_category(visit: Visit) -> str:
    """Returns the category of rows that have none."""
    return visit.form.get("category", "")[:LABEL_LENGTH] or "Menu"


def remembered(visit: Visit, menu: Menu, given: Given) -> ImportSettings:
    """Returns the settings to store: without columns that only have letters, and without unread columns that the user
    has not excluded."""
    stored = menu.services.sheets.settings(visit.access.workspace)
    found = read_sheet(given.text, category=default_category(visit), settings=stored, guesses=True)
    read = {one.heading for one in found.columns if one.field} | stored.columns.keys()
    columns = {name: one for name, one in given.settings.columns.items() if len(name) > 1 and (one or name in read)}
    return ImportSettings(columns, given.settings.legend)


def imported(result: SyncResponse) -> Phrase:
    """Describes the result of an import in a sentence."""
    counts = result.counts
    if counts is None:
        return sentence_of_import(result.reason or "", result.detail or "")
    new = phrases("{count} new item", "{count} new items", count=counts.created)
    changed = phrases("{count} changed", "{count} changed", count=counts.updated)
    if not counts.failed:
        return phrase("Imported: {new}, {changed}.", new=new, changed=changed)
    left = phrases("{count} row was left", "{count} rows were left", count=counts.failed)
    return phrase("Imported: {new}, {changed}; {left}.", new=new, changed=changed, left=left)


def undone(result: ImportUndone) -> Phrase:
    """Describes the result of an undo in a sentence."""
    restored = phrases("{count} item is as it was", "{count} items are as they were", count=result.restored)
    removed = phrases("{count} new one is gone", "{count} new ones are gone", count=result.removed)
    if not result.kept:
        return phrase("The import is undone: {restored}, {removed}.", restored=restored, removed=removed)
    kept = phrases("{count} stays, changed since", "{count} stay, changed since", count=result.kept)
    return phrase("The import is undone: {restored}, {removed}; {kept}.", restored=restored, removed=removed, kept=kept)


def _preview(visit: Visit, menu: Menu) -> Response:
    given = read_given(visit, menu, guesses=True)
    return _page(visit, menu, given, menu.services.sheets.preview(visit.access.workspace, given.reading.content))


def _apply(visit: Visit, menu: Menu) -> Response:
    given = read_given(visit, menu, guesses=False)
    preview = menu.services.sheets.preview(visit.access.workspace, given.reading.content)
    if leaps_in(preview) and not visit.is_sure:
        return _page(visit, menu, given, preview, said=Said(NOT_YET, kind="fault"))
    settings = remembered(visit, menu, given)
    result = menu.services.sheets.carry_out(visit.access, given.reading.content, settings)
    said = imported(result)
    undo = None if result.import_ is None else Undo(f"{IMPORT}/{result.import_.id}/undo")
    if result.counts is None or result.counts.failed:
        # What was left stays in the text, beside its reasons.
        preview = menu.services.sheets.preview(visit.access.workspace, given.reading.content)
        return _page(visit, menu, given, preview, said=None if result.counts is None else Said(said, undo))
    return visit.done(said, to=MENU, undo=undo)


def _page(
    visit: Visit,
    menu: Menu,
    given: Given | None = None,
    preview: PreviewResponse | None = None,
    *,
    said: Said | None = None,
) -> Response:
    access = visit.access
    failed = preview is not None and preview.status == "failed"
    last = menu.services.imports.list(access, PageRequest(SHOWN, newest_first=True)).data
    shown = {
        "category": visit.form.get("category", ""),
        "imports": [(one, menu.services.imports.can_undo(one)) for one in last],
        "names": menu.services.actors.names(access, [one.created_by for one in last]),
        "zone": menu.zone(access),
        "reasons": KEPT,
        **preview_values(preview, menu.currency(access)),
        **given_values(given),
    }
    return visit.page("menu_import", status=422 if failed else 200, said=said, **shown)


def given_values(given: Given | None) -> dict[str, Any]:
    """Returns the values of the parts `import_columns` and `import_left`."""
    return {
        "text": "" if given is None else given.text,
        "given": given,
        "fields": {name: SHEET_FIELD_NAMES[name] for name in SHEET_FIELDS if name in SHEET_FIELD_NAMES},
        "whys": WHYS,
        "legends": LEGEND_NAMES,
        "encodings": ENCODINGS,
    }


def _failure(preview: PreviewResponse) -> Phrase:
    if preview.reason == "no_good_row" and preview.bad_rows:
        return phrase("None of the rows can be read.")
    return sentence_of_import(preview.reason or "", preview.detail or "")


def preview_values(preview: PreviewResponse | None, currency: str) -> dict[str, Any]:
    """Returns the values of the part `import_preview`."""
    failed = preview is not None and preview.counts is None
    return {
        "preview": preview,
        "failure": _failure(preview) if preview and failed else None,
        "sentence": sentence_of_import,
        "leaps": {} if preview is None else leaps_in(preview),
        "currency": currency,
        "prices": PRICES,
        "note": UNKNOWN_ALLERGEN,
    }
