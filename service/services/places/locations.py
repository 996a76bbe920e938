"""Locations of screens."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from menu.documents.manifest_reader import MAX_VALUES
from service.core.changes import ContentChanged
from service.core.clock import instant_text
from service.core.errors import Fault, in_use, invalid, narrowed, pointer_part
from service.core.ids import NewId
from service.schema.lists import Listing
from service.schema.places.live_value import LiveValue, LiveValueResponse, LiveValuesPatch, LiveValuesResponse
from service.schema.places.location import (
    LocationCreate,
    LocationPatch,
    LocationResponse,
    SecondCurrency,
    SecondCurrencyResponse,
    SpanScreens,
    hours_document,
)
from service.services.access.access import Access
from service.services.shared.etags import ALWAYS, Condition
from service.services.shared.listing import listing
from service.services.shared.lookup import find_many, get, read_page, unknown
from service.storage.database import Database, Unit
from service.storage.paging import Cursors, PageRequest
from service.storage.tables.menus import PosConnectionRow
from service.storage.tables.screens import ScreenRow
from service.storage.tables.workspaces import LocationRow


class LocationService:
    def __init__(self, *, database: Database, cursors: Cursors, new_id: NewId) -> None:
        self._database = database
        self._cursors = cursors
        self._new_id = new_id

    def list(self, access: Access, request: PageRequest) -> Listing[LocationResponse]:
        """Returns one page of the locations that the key may see."""
        conditions = [] if access.locations is None else [LocationRow.id.in_(sorted(access.locations))]
        with self._database.read() as session:
            page = read_page(session, self._cursors, LocationRow, access.workspace, request, *conditions)
            return listing(page, _view)

    def get(self, access: Access, location: str) -> LocationResponse:
        """Raises the 404 problem."""
        with self._database.read() as session:
            return _view(_get(session, access, location))

    def create(self, access: Access, body: LocationCreate) -> LocationResponse:
        """Raises the 403 problem for a key that is restricted to locations."""
        if access.locations is not None:
            raise narrowed("make locations")
        with self._database.write() as unit:
            return _view(self.add(unit, access.workspace, body))

    def add(self, unit: Unit, workspace: str, body: LocationCreate) -> LocationRow:
        """Adds a location in the caller's transaction."""
        row = LocationRow(
            id=self._new_id("loc"),
            workspace_id=workspace,
            created_at=unit.now,
            changed_at=unit.now,
            name=body.name,
            timezone=body.timezone,
            currency=body.currency,
            locale=body.locale,
            second_currency=_stored_second(body.second_currency),
            rotation=body.rotation,
            opening_hours=[hours_document(hours) for hours in body.opening_hours],
            spans=[],
            live_values={},
        )
        _check_currencies(row)
        unit.session.add(row)
        unit.session.flush()
        return row

    def change(
        self, access: Access, location: str, body: LocationPatch, expected: Condition = ALWAYS
    ) -> LocationResponse:
        """Changes some fields; the screens of the location follow at once. Raises the 404, 412 and 422
        problems."""
        with self._database.write() as unit:
            row = _get(unit.session, access, location)
            expected.check(_view(row))
            given = body.given()
            if "opening_hours" in given:
                given["opening_hours"] = [hours_document(hours) for hours in given["opening_hours"]]
            if "spans" in given:
                _check_spans(unit.session, row, body.spans)
                given["spans"] = [span.model_dump(by_alias=True) for span in given["spans"]]
            if "second_currency" in given:
                given["second_currency"] = _stored_second(body.second_currency)
            for name, value in given.items():
                setattr(row, name, value)
            _check_currencies(row)
            row.changed_at = unit.now
            unit.announce(ContentChanged(access.workspace, location=row.id))
            return _view(row)

    def remove(self, access: Access, location: str, expected: Condition = ALWAYS) -> None:
        """Removes a location. Raises the 404 and 412 problems, and 409 while it has screens or points of
        sale."""
        with self._database.write() as unit:
            row = _get(unit.session, access, location)
            expected.check(_view(row))
            if unit.session.scalar(select(exists().where(ScreenRow.location_id == row.id))):
                raise in_use("location", "its screens")
            if unit.session.scalar(select(exists().where(PosConnectionRow.location_id == row.id))):
                raise in_use("location", "its points of sale")
            unit.session.delete(row)

    def values(self, access: Access, location: str) -> LiveValuesResponse:
        """Returns the values of a location, including expired ones. Raises the 404 problem."""
        with self._database.read() as session:
            return _values_view(_get(session, access, location))

    def change_values(
        self, access: Access, location: str, body: LiveValuesPatch, expected: Condition = ALWAYS
    ) -> LiveValuesResponse:
        """Adds, replaces and removes values; the screens of the location follow at once. Raises the 404, 412 and 422
        problems."""
        with self._database.write() as unit:
            row = _get(unit.session, access, location)
            expected.check(_values_view(row))
            given = body.given().get("values", {})
            late = [
                Fault("expired", "This lies in the past.", f"/values/{pointer_part(name)}/expiresAt")
                for name, one in given.items()
                if one is not None and one.expires_at <= unit.now
            ]
            if late:
                raise invalid(late)
            told = {name: None if one is None else _stored_value(one) for name, one in given.items()}
            values = {name: one for name, one in {**row.live_values, **told}.items() if one is not None}
            if len(values) > MAX_VALUES:
                raise invalid([Fault("too_long", f"A location has at most {MAX_VALUES} values.", "/values")])
            if values != row.live_values:
                row.live_values, row.changed_at = values, unit.now
                unit.announce(ContentChanged(access.workspace, location=row.id))
            return _values_view(row)


def _get(session: Session, access: Access, location: str) -> LocationRow:
    access.reach(location)
    return get(session, LocationRow, access.workspace, location, kind="location")


def second_currency_of(row: LocationRow) -> SecondCurrencyResponse | None:
    """Currency in which boards show prices as well; None for none."""
    stored = row.second_currency
    if stored is None:
        return None
    return SecondCurrencyResponse(currency=stored["currency"], rate=Decimal(stored["rate"]))


def _stored_second(second: SecondCurrency | None) -> dict[str, str] | None:
    return None if second is None else {"currency": second.currency, "rate": f"{second.rate:f}"}


def _check_currencies(row: LocationRow) -> None:
    if row.second_currency is not None and row.second_currency["currency"] == row.currency:
        detail = f"{row.currency} is the location's first currency already."
        raise invalid([Fault("same_currency", detail, "/secondCurrency/currency")])


def _check_spans(session: Session, row: LocationRow, spans: Sequence[SpanScreens]) -> None:
    """Raises the 422 problem unless the screens of each span hang at this location, occur once, have the same shape and
    play one playlist."""
    screens = find_many(session, ScreenRow, row.workspace_id, (one for span in spans for one in span.screens))
    faults: list[Fault] = []
    seen: set[str] = set()
    for number, span in enumerate(spans):
        first = screens.get(span.screens[0])
        for position, one in enumerate(span.screens):
            pointer, screen = f"/spans/{number}/screens/{position}", screens.get(one)
            if screen is None or first is None:
                faults += [unknown("screen", one, pointer)] if screen is None else []
            elif one in seen:
                faults.append(Fault("duplicate", "This screen is in a span already.", pointer))
            elif screen.location_id != row.id:
                faults.append(Fault("other_location", "This screen hangs at another location.", pointer))
            elif _shape(screen, row) != _shape(first, row):
                detail = "This screen has another rotation or mode than the first one of the span."
                faults.append(Fault("other_shape", detail, pointer))
            elif (screen.playlist_id, screen.next_playlist_id) != (first.playlist_id, first.next_playlist_id):
                detail = "This screen plays another playlist than the first one of the span."
                faults.append(Fault("other_playlist", detail, pointer))
            seen.add(one)
    if faults:
        raise invalid(faults)


def _shape(screen: ScreenRow, location: LocationRow) -> tuple[bool, Fraction | None]:
    """Returns whether the screen hangs upright, and the aspect ratio of its mode, None without a mode."""
    rotation, mode = screen.display.get("rotation"), screen.display.get("mode")
    width, height = map(int, mode.partition("@")[0].split("x")) if mode else (0, 1)
    turned = (location.rotation if rotation is None else rotation) % 180 != 0
    return turned, Fraction(width, height) if mode else None


def _stored_value(value: LiveValue) -> dict[str, Any]:
    return {"value": value.value, "expiresAt": instant_text(value.expires_at)}


def _values_view(row: LocationRow) -> LiveValuesResponse:
    return LiveValuesResponse(
        values={
            name: LiveValueResponse(value=one["value"], expires_at=one["expiresAt"])
            for name, one in sorted(row.live_values.items())
        }
    )


def _view(row: LocationRow) -> LocationResponse:
    return LocationResponse(
        id=row.id,
        name=row.name,
        timezone=row.timezone,
        currency=row.currency,
        locale=row.locale,
        second_currency=second_currency_of(row),
        rotation=row.rotation,
        opening_hours=row.opening_hours,
        spans=row.spans,
        created_at=instant_text(row.created_at),
    )
