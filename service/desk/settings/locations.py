"""Locations: their names, time zones, currencies, languages and opening hours."""

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from menu.documents.manifest import ROTATIONS
from service.api.http.bodies import model_of
from service.core.errors import ProblemError
from service.desk.desk import Desk
from service.desk.documents import DocumentForm
from service.desk.forms import seen_in
from service.desk.guesses import zones
from service.desk.lists import Cursor, Pages
from service.desk.routing import desk_routes
from service.desk.said import Undo
from service.desk.settings.hours import HoursRow, form_rows, hours_in, packed_hours, typed_rows
from service.desk.settings.pages import LOCATIONS, settings_page
from service.desk.visits import MayEdit, MayEditEverywhere, MayRead, Visit
from service.desk.words import phrase
from service.schema.fields import CURRENCIES
from service.schema.lists import MAX_LIMIT
from service.schema.places.location import LocationCreate, LocationPatch, LocationResponse
from service.services.shared.etags import tag_of
from service.storage.paging import PageRequest

FORM = DocumentForm(LocationCreate, "name", "timezone", "currency", "locale", "rotation")
FIRST = {"name": "", "timezone": "Europe/Berlin", "currency": "EUR", "locale": "de-DE", "rotation": "0"}
"""The first location of a workspace; a further one begins with the zone, currency and language of the oldest."""
COMMON_LOCALES = (
    *("ar-AE", "ar-EG", "ar-MA", "ar-SA", "bg-BG", "ca-ES", "cs-CZ", "da-DK", "de-AT", "de-CH", "de-DE", "el-GR"),
    *("en-AU", "en-CA", "en-GB", "en-IE", "en-IN", "en-NZ", "en-US", "en-ZA", "es-AR", "es-CL", "es-CO", "es-ES"),
    *("es-MX", "et-EE", "fi-FI", "fr-BE", "fr-CA", "fr-CH", "fr-FR", "he-IL", "hr-HR", "hu-HU", "id-ID", "it-CH"),
    *("it-IT", "ja-JP", "ko-KR", "lt-LT", "lv-LV", "nb-NO", "nl-BE", "nl-NL", "pl-PL", "pt-BR", "pt-PT", "ro-RO"),
    *("ru-RU", "sk-SK", "sl-SI", "sr-RS", "sv-SE", "th-TH", "tr-TR", "uk-UA", "vi-VN", "zh-CN", "zh-TW"),
)
"""Locales that the form offers; any other that CLDR knows can be typed."""

routes = desk_routes(Desk, LOCATIONS)


@routes.get()
def list_locations(desk: Desk, visit: MayRead, cursor: Cursor = None) -> Response:
    """Returns the locations, oldest first."""
    found = desk.services.locations.list(visit.access, PageRequest(MAX_LIMIT, cursor))
    pages = Pages(LOCATIONS, {}, cursor, found.pagination.cursor)
    return settings_page(visit, "settings_locations", found=found.data, pages=pages)


@routes.get("/new")
def show_new(desk: Desk, visit: MayEditEverywhere) -> Response:
    """Returns the form of a new location."""
    oldest = next(iter(desk.locations(visit.access).values()), None)
    given = FIRST if oldest is None else {**FORM.shown(oldest), "name": "", "rotation": "0"}
    return _form(visit, None, given, form_rows([]))


@routes.post("/new")
def create(desk: Desk, visit: MayEditEverywhere) -> Response:
    """Makes a location; what is not valid shows the form again."""
    try:
        made = desk.services.locations.create(visit.access, model_of(LocationCreate, _given(visit)))
    except ProblemError as problem:
        return _form(visit, None, visit.form, typed_rows(visit.form), problem)
    return visit.done(phrase("{name} is made.", name=made.name), to=LOCATIONS)


@routes.get("/{location}")
def show_location(desk: Desk, location: str, visit: MayRead) -> Response:
    """Returns the form of a location; who may not change it reads it."""
    found = desk.services.locations.get(visit.access, location)
    return _form(visit, found, FORM.shown(found), form_rows(found.opening_hours))


@routes.post("/{location}")
def change(desk: Desk, location: str, visit: MayEdit) -> Response:
    """Changes a location; what is not valid shows the form again."""
    before = desk.services.locations.get(visit.access, location)
    try:
        after = desk.services.locations.change(
            visit.access, location, model_of(LocationPatch, _given(visit)), seen_in(visit.form)
        )
    except ProblemError as problem:
        return _form(visit, before, visit.form, typed_rows(visit.form), problem)
    fields = {**FORM.shown(before), "hours": packed_hours(before.opening_hours), "tag": tag_of(after)}
    at = f"{LOCATIONS}/{location}"
    return visit.done(phrase("{name} is changed.", name=after.name), to=at, undo=Undo(at, fields))


@routes.post("/{location}/remove")
def remove(desk: Desk, location: str, visit: MayEdit) -> Response:
    """Removes a location without screens."""
    name = desk.services.locations.get(visit.access, location).name
    desk.services.locations.remove(visit.access, location)
    return visit.done(phrase("{name} is removed.", name=name), to=LOCATIONS)


def _given(visit: Visit) -> dict[str, object]:
    return {**FORM.read(visit.form), "openingHours": hours_in(visit.form)}


def _form(
    visit: Visit,
    location: LocationResponse | None,
    given: Mapping[str, str],
    rows: list[HoursRow],
    problem: ProblemError | None = None,
) -> Response:
    offered: dict[str, Any] = {
        "zones": zones(),
        "currencies": sorted(CURRENCIES),
        "locales": COMMON_LOCALES,
        "rotations": ROTATIONS,
    }
    return settings_page(
        visit,
        "settings_location",
        problem=problem,
        location=location,
        form=FORM,
        of=location,
        given=given,
        rows=rows,
        **offered,
    )
