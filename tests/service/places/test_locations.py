"""Locations: checked against the standards for zones, currencies and languages."""

from decimal import Decimal
from typing import Any

import pytest

from tests.service.support.application import (
    Cafe,
    Caller,
    Device,
    Service,
    body_of,
    faults_in,
    make_playlist,
    pair,
)

LOCATIONS = "/v1/locations"
BERLIN = {"name": "Corner", "timezone": "Europe/Berlin", "currency": "EUR", "locale": "de-DE"}

TOKYO = {"timezone": "Asia/Tokyo", "currency": "JPY", "locale": "ja-JP", "rotation": 270}


async def test_a_location_is_made_read_changed_and_removed(owner: Caller) -> None:
    made = await owner.make(LOCATIONS, BERLIN)
    path = f"{LOCATIONS}/{made['id']}"
    assert made | {"id": "", "createdAt": ""} == {
        "id": "",
        "createdAt": "",
        "secondCurrency": None,
        "rotation": 0,
        "openingHours": [],
        "spans": [],
        **BERLIN,
    }

    changed = body_of(await owner.patch(path, TOKYO))
    assert changed == made | TOKYO
    assert body_of(await owner.get(path)) == changed
    assert body_of(await owner.get(LOCATIONS)) == {"data": [changed], "pagination": {"cursor": None, "hasMore": False}}

    assert (await owner.delete(path)).status_code == 204
    assert (await owner.get(path)).status_code == 404


async def test_a_second_currency_is_kept_and_travels_with_the_manifest(
    owner: Caller, cafe: Cafe, device: Device
) -> None:
    path, lev = f"{LOCATIONS}/{cafe.location}", {"currency": "BGN", "rate": Decimal("1.95583")}
    assert "secondCurrency" not in body_of(await device.manifest())["location"]
    assert body_of(await owner.patch(path, {"secondCurrency": lev}))["secondCurrency"] == lev
    assert body_of(await device.manifest())["location"]["secondCurrency"] == lev
    assert faults_in(await owner.patch(path, {"currency": "BGN"})) == {"/secondCurrency/currency": "same_currency"}
    turned = {"currency": "BGN", "secondCurrency": {"currency": "EUR", "rate": Decimal("0.5112918812")}}
    assert body_of(await owner.patch(path, turned))["secondCurrency"] == turned["secondCurrency"]
    assert body_of(await owner.patch(path, {"secondCurrency": None}))["secondCurrency"] is None
    assert "secondCurrency" not in body_of(await device.manifest())["location"]


HOURS = [
    {"days": ["mon", "tue", "wed", "thu", "fri"], "except": ["2026-12-25"], "start": "08:00", "end": "20:00"},
    {"days": ["sat"], "start": "10:00", "end": "02:00"},
]


async def test_opening_hours_are_kept_and_travel_with_the_manifest(owner: Caller, cafe: Cafe, device: Device) -> None:
    path = f"{LOCATIONS}/{cafe.location}"
    before = (await device.manifest()).headers["ETag"]
    assert "openingHours" not in body_of(await device.manifest())["location"]

    assert body_of(await owner.patch(path, {"openingHours": HOURS}))["openingHours"] == HOURS
    fresh = await device.manifest(**{"If-None-Match": before})
    assert body_of(fresh)["location"]["openingHours"] == HOURS

    every_day = [{"start": "08:00", "end": "24:00"}]
    assert body_of(await owner.patch(path, {"openingHours": every_day}))["openingHours"] == [
        {"days": None, **every_day[0]}
    ]
    assert body_of(await owner.patch(path, {"openingHours": []}))["openingHours"] == []


NO_HOURS: list[tuple[Any, dict[str, str]]] = [
    ([{"start": "8:00", "end": "20:00"}], {"/openingHours/0/start": "not_a_time"}),
    ([{"start": "08:00", "end": "20:00", "except": ["Christmas"]}], {"/openingHours/0/except/0": "not_a_date"}),
    ([{"start": "08:00"}], {"/openingHours/0/end": "required"}),
    ([{"days": [], "start": "08:00", "end": "20:00"}], {"/openingHours/0/days": "too_short"}),
    ([{"start": "08:00", "end": "20:00"}] * 51, {"/openingHours": "too_long"}),
    (None, {"/openingHours": "wrong_type"}),
]


async def test_opening_hours_that_cannot_be_read_are_refused(owner: Caller, cafe: Cafe) -> None:
    for hours, faults in NO_HOURS:
        response = await owner.patch(f"{LOCATIONS}/{cafe.location}", {"openingHours": hours})
        assert (response.status_code, faults_in(response)) == (422, faults), hours


@pytest.mark.long
async def test_screens_that_draw_one_board_travel_with_the_manifest(
    service: Service, owner: Caller, cafe: Cafe, device: Device
) -> None:
    path = f"{LOCATIONS}/{cafe.location}"
    right = await pair(service, owner, cafe, device_id="b" * 32)
    before = (await device.manifest()).headers["ETag"]
    assert "spans" not in body_of(await device.manifest())["location"]

    spans = [{"screens": [device.screen, right.screen]}]
    assert body_of(await owner.patch(path, {"spans": spans}))["spans"] == spans
    assert body_of(await device.manifest(**{"If-None-Match": before}))["location"]["spans"] == spans
    assert body_of(await right.manifest())["location"]["spans"] == spans

    assert (await owner.delete(f"/v1/screens/{right.screen}")).status_code == 204
    assert body_of(await owner.get(path))["spans"] == spans, "the others keep their places"
    assert (await owner.patch(path, {"name": "Corner"})).status_code == 200
    assert faults_in(await owner.patch(path, {"spans": spans})) == {"/spans/0/screens/1": "unknown_screen"}
    assert body_of(await owner.patch(path, {"spans": []}))["spans"] == []
    assert "spans" not in body_of(await device.manifest())["location"]


async def test_screens_that_cannot_draw_one_board_are_refused(
    service: Service, owner: Caller, cafe: Cafe, device: Device
) -> None:
    path = f"{LOCATIONS}/{cafe.location}"
    others = [await pair(service, owner, cafe, device_id=f"{number}" * 32) for number in range(1, 5)]
    screens = [one.screen for one in (device, *others)]
    elsewhere = (await owner.make(LOCATIONS, BERLIN))["id"]
    playlist = await make_playlist(owner)
    first, turned, modern, other, far = screens
    for screen, change in (
        (first, {"display": {"mode": "1920x1080@60"}}),
        (turned, {"display": {"rotation": 90, "mode": "3840x2160"}}),
        (modern, {"display": {"mode": "2560x1080"}}),
        (other, {"display": {"rotation": 180, "mode": "3840x2160"}, "playlist": playlist}),
        (far, {"location": elsewhere}),
    ):
        assert (await owner.patch(f"/v1/screens/{screen}", change)).status_code == 200
    cases: list[tuple[Any, dict[str, str]]] = [
        ([[first, turned, modern]], dict.fromkeys(("/spans/0/screens/1", "/spans/0/screens/2"), "other_shape")),
        ([[first, other]], {"/spans/0/screens/1": "other_playlist"}),
        ([[first, far]], {"/spans/0/screens/1": "other_location"}),
        ([[far, far]], {"/spans/0/screens/0": "other_location", "/spans/0/screens/1": "duplicate"}),
        ([["scr_1", first]], {"/spans/0/screens/0": "unknown_screen"}),
        ([[first]], {"/spans/0/screens": "too_short"}),
        ([[*screens[:4]]], {"/spans/0/screens": "too_long"}),
    ]
    for spans, faults in cases:
        response = await owner.patch(path, {"spans": [{"screens": span} for span in spans]})
        assert (response.status_code, faults_in(response)) == (422, faults), spans
    response = await owner.patch(path, {"spans": [{"screens": [first, other]}] * 51})
    assert faults_in(response) == {"/spans": "too_long"}
    assert (await owner.patch(f"/v1/screens/{other}", {"playlist": cafe.playlist})).status_code == 200
    assert (await owner.patch(path, {"spans": [{"screens": [first, other]}]})).status_code == 200


LOCALES: list[tuple[str, str]] = [
    ("de-DE", "de-DE"),
    ("de-at", "de-AT"),
    ("zh-hant-tw", "zh-Hant-TW"),
    ("ar-EG", "ar-EG"),
]


async def test_a_locale_is_stored_in_its_usual_spelling(owner: Caller) -> None:
    for case in LOCALES:
        locale, kept = case
        assert (await owner.make(LOCATIONS, BERLIN | {"locale": locale}))["locale"] == kept, case


UNKNOWN_TO_STANDARDS: list[tuple[dict[str, Any], dict[str, str]]] = [
    ({"timezone": "Berlin"}, {"/timezone": "unknown_timezone"}),
    ({"timezone": "../../etc/passwd"}, {"/timezone": "unknown_timezone"}),
    ({"timezone": "location"}, {"/timezone": "unknown_timezone"}),
    ({"timezone": "localtime"}, {"/timezone": "unknown_timezone"}),
    ({"timezone": "Factory"}, {"/timezone": "unknown_timezone"}),
    *(({"currency": code}, {"/currency": "unknown_currency"}) for code in ("XXX", "XTS", "XAU", "DEM")),
    *(({"locale": name}, {"/locale": "unknown_locale"}) for name in ("und", "und-DE", "root", "ROOT")),
    ({"currency": "eur"}, {"/currency": "unknown_currency"}),
    ({"currency": "EURO"}, {"/currency": "unknown_currency"}),
    ({"locale": "xx"}, {"/locale": "unknown_locale"}),
    ({"locale": "de_DE"}, {"/locale": "unknown_locale"}),
    ({"locale": ""}, {"/locale": "unknown_locale"}),
    ({"secondCurrency": {"currency": "BGN", "rate": -1}}, {"/secondCurrency/rate": "out_of_range"}),
    ({"secondCurrency": {"currency": "BGN", "rate": 0}}, {"/secondCurrency/rate": "out_of_range"}),
    ({"secondCurrency": {"currency": "BGN", "rate": "1.95583"}}, {"/secondCurrency/rate": "not_a_number"}),
    ({"secondCurrency": {"currency": "BGN", "rate": Decimal("1e-11")}}, {"/secondCurrency/rate": "too_precise"}),
    (
        {"secondCurrency": {"currency": "LEV"}},
        {"/secondCurrency/currency": "unknown_currency", "/secondCurrency/rate": "required"},
    ),
    ({"secondCurrency": {"currency": "EUR", "rate": 1}}, {"/secondCurrency/currency": "same_currency"}),
    ({"rotation": 45}, {"/rotation": "out_of_range"}),
    ({"rotation": "90"}, {"/rotation": "not_a_number"}),
    ({"name": None, "timezone": 1}, {"/name": "wrong_type", "/timezone": "wrong_type"}),
]


async def test_unknown_zones_currencies_and_locales_are_refused(owner: Caller) -> None:
    made = await owner.make(LOCATIONS, BERLIN)
    for change, faults in UNKNOWN_TO_STANDARDS:
        created = await owner.post(LOCATIONS, BERLIN | change)
        patched = await owner.patch(f"{LOCATIONS}/{made['id']}", change)

        assert (created.status_code, faults_in(created)) == (422, faults), change
        assert (patched.status_code, faults_in(patched)) == (422, faults), change
    assert body_of(await owner.get(LOCATIONS))["data"] == [made]


async def test_a_location_with_a_screen_cannot_be_removed(owner: Caller, cafe: Cafe, device: Device) -> None:
    refused = await owner.delete(f"{LOCATIONS}/{cafe.location}")
    assert (refused.status_code, refused.json()["code"]) == (409, "in_use")

    await owner.delete(f"/v1/screens/{device.screen}")
    assert (await owner.delete(f"{LOCATIONS}/{cafe.location}")).status_code == 204
