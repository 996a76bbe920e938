"""Importing a menu by paste or by a file, with a preview of what changes; and its export."""

from typing import Any

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from service.desk.menu.menu import MENU, Menu
from service.desk.problems import sentence_of_import
from service.desk.said import Said
from service.desk.visits import HEADERS, MayEditEverywhere, MayRead, Visit
from service.desk.words import Phrase, phrase, phrases
from service.schema.content.pos import PreviewResponse, SyncResponse
from service.schema.fields import LABEL_LENGTH
from service.services.pos.feed import FeedContent, FeedFailure
from service.services.pos.sheet_imports import SheetService
from service.services.pos.sheets import read_file, read_sheet

IMPORT = f"{MENU}/import"
COMMA_LANGUAGES = ("de", "es", "fr")
"""Languages whose spreadsheets expect semicolons, and commas in prices."""
PRICES = ("price", "regularPrice")


def menu_import_routes(*, menu: Menu, sheets: SheetService, route: type[APIRoute]) -> APIRouter:
    """The import and the export of the menu."""
    router = APIRouter(prefix=MENU, include_in_schema=False, route_class=route)

    @router.get("/import")
    def show_import(visit: MayEditEverywhere) -> Response:
        """The form for a pasted menu."""
        return _page(visit, menu, "")

    @router.post("/import")
    async def preview(visit: MayEditEverywhere) -> Response:
        """Shows the changes that an import of the text or the file would make; nothing is changed yet."""
        return await run_in_threadpool(_preview, visit, menu, sheets)

    @router.post("/import/apply")
    async def apply(visit: MayEditEverywhere) -> Response:
        """Imports the good rows, and says what was left."""
        return await run_in_threadpool(_apply, visit, menu, sheets)

    @router.get("/export")
    def export(visit: MayRead) -> Response:
        """The menu as a CSV file, as spreadsheets of the person's language expect it."""
        text = sheets.export(visit.access.workspace, delimiter=";" if visit.language in COMMA_LANGUAGES else ",")
        headers = {**HEADERS, "Content-Disposition": 'attachment; filename="menu.csv"'}
        # The mark tells spreadsheets that it is UTF-8.
        return Response(text.encode("utf-8-sig"), media_type="text/csv; charset=utf-8", headers=headers)

    return router


def read_given(visit: Visit) -> tuple[str, FeedContent | FeedFailure]:
    """The text of the form or of its file, and its rows."""
    text = visit.form.get("text", "")
    if visit.file:
        told = read_file(visit.file)
        if isinstance(told, FeedFailure):
            return text, told
        text = told
    return text, read_sheet(text, category=default_category(visit))


def default_category(visit: Visit) -> str:
    """The category of rows that have none."""
    return visit.form.get("category", "")[:LABEL_LENGTH] or "Menu"


def imported(result: SyncResponse) -> Phrase:
    """The result of an import, in a sentence."""
    counts = result.counts
    if counts is None:
        return sentence_of_import(result.reason or "", result.detail or "")
    new = phrases("{count} new item", "{count} new items", count=counts.created)
    changed = phrases("{count} changed", "{count} changed", count=counts.updated)
    if not counts.failed:
        return phrase("Imported: {new}, {changed}.", new=new, changed=changed)
    left = phrases("{count} row was left", "{count} rows were left", count=counts.failed)
    return phrase("Imported: {new}, {changed}; {left}.", new=new, changed=changed, left=left)


def _preview(visit: Visit, menu: Menu, sheets: SheetService) -> Response:
    text, rows = read_given(visit)
    return _page(visit, menu, text, sheets.preview(visit.access.workspace, rows))


def _apply(visit: Visit, menu: Menu, sheets: SheetService) -> Response:
    text, rows = read_given(visit)
    result = sheets.carry_out(visit.access.workspace, rows)
    said = imported(result)
    if result.counts is None:
        return _page(visit, menu, text, sheets.preview(visit.access.workspace, rows))
    if result.counts.failed:
        # What was left stays in the text, beside its reasons.
        preview = sheets.preview(visit.access.workspace, rows)
        return _page(visit, menu, text, preview, said=Said(said))
    return visit.done(said, to=MENU)


def _page(
    visit: Visit, menu: Menu, text: str, preview: PreviewResponse | None = None, *, said: Said | None = None
) -> Response:
    failed = preview is not None and preview.status == "failed"
    shown = {
        "text": text,
        "category": visit.form.get("category", ""),
        **preview_values(preview, menu.currency(visit.access)),
    }
    return visit.page("menu_import", status=422 if failed else 200, said=said, **shown)


def preview_values(preview: PreviewResponse | None, currency: str) -> dict[str, Any]:
    """The values of the part `import_preview`."""
    failed = preview is not None and preview.counts is None
    return {
        "preview": preview,
        "failure": sentence_of_import(preview.reason or "", preview.detail or "") if preview and failed else None,
        "sentence": sentence_of_import,
        "currency": currency,
        "prices": PRICES,
    }
