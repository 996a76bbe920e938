"""Values that the operator's own programs keep current, from the API to the manifest."""

from typing import Any

import pytest

from menu.documents.manifest_reader import MAX_VALUES
from service.services.publishing import composition
from tests.service.support.application import Cafe, Caller, Device, Service, body_of, start

LATER = "2099-11-20T17:00:00Z"
TOLD = {"value": 21.5, "expiresAt": "2099-11-20T17:00:00.000Z"}


async def test_a_value_is_told_to_the_boards_of_its_location(owner: Caller, cafe: Cafe, device: Device) -> None:
    at = f"/v1/locations/{cafe.location}/values"
    assert body_of(await owner.get(at)) == {"values": {}}
    before = await device.manifest()
    assert "values" not in body_of(before)

    told = body_of(await owner.patch(at, {"values": {"temperature": {"value": 21.5, "expiresAt": LATER}}}))
    assert told == {"values": {"temperature": TOLD}}
    after = await device.manifest()
    assert body_of(after)["values"] == {"temperature": TOLD}
    assert body_of(after)["revision"] > body_of(before)["revision"]
    # A live fact, not another version.
    assert body_of(after)["playlist"] == body_of(before)["playlist"]

    soup = {"value": "Linsensuppe", "expiresAt": LATER}
    both = body_of(await owner.patch(at, {"values": {"soup": soup}}))["values"]
    assert list(both) == ["soup", "temperature"]
    left = body_of(await owner.patch(at, {"values": {"temperature": None, "never": None}}))["values"]
    assert list(left) == ["soup"]
    assert list(body_of(await device.manifest())["values"]) == ["soup"]

    other = body_of(
        await owner.post("/v1/locations", {"name": "Other", "timezone": "UTC", "currency": "EUR", "locale": "en-GB"})
    )
    assert body_of(await owner.get(f"/v1/locations/{other['id']}/values")) == {"values": {}}


async def test_a_held_request_is_answered_with_the_new_value(
    service: Service, owner: Caller, cafe: Cafe, device: Device
) -> None:
    call = start(device.held((await device.manifest()).headers["ETag"]))
    await service.holding()
    at = f"/v1/locations/{cafe.location}/values"
    await owner.patch(at, {"values": {"wait": {"value": 5, "expiresAt": LATER}}})
    answered = await call
    assert answered.status_code == 200
    assert body_of(answered)["values"]["wait"]["value"] == 5


async def test_an_etag_keeps_two_programs_apart(owner: Caller, cafe: Cafe) -> None:
    at = f"/v1/locations/{cafe.location}/values"
    seen = (await owner.get(at)).headers["ETag"]
    body = {"values": {"a": {"value": 1, "expiresAt": LATER}}}
    assert (await owner.send("PATCH", at, body, **{"If-Match": seen})).status_code == 200
    assert (await owner.send("PATCH", at, body, **{"If-Match": seen})).status_code == 412


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("values", "pointer", "code"),
    [
        ({"soup": {"value": "Lentil", "expiresAt": "2020-01-01T00:00:00Z"}}, "/values/soup/expiresAt", "expired"),
        ({"soup": {"value": "Lentil"}}, "/values/soup/expiresAt", "required"),
        ({"soup": {"value": "Lentil", "expiresAt": "tomorrow"}}, "/values/soup/expiresAt", "not_an_instant"),
        ({"soup": {"value": "", "expiresAt": LATER}}, "/values/soup/value", "blank"),
        ({"soup": {"value": "a\nb", "expiresAt": LATER}}, "/values/soup/value", "several_lines"),
        ({"soup": {"value": "x" * 201, "expiresAt": LATER}}, "/values/soup/value", "text_too_long"),
        ({"soup": {"value": True, "expiresAt": LATER}}, "/values/soup/value", "wrong_type"),
        ({"soup": {"value": None, "expiresAt": LATER}}, "/values/soup/value", "wrong_type"),
        ({"soup": {"value": 2e9, "expiresAt": LATER}}, "/values/soup/value", "out_of_range"),
        ({"soup of the day": {"value": 1, "expiresAt": LATER}}, "/values/soup of the day", "bad_name"),
        ({"": {"value": 1, "expiresAt": LATER}}, "/values/", "bad_name"),
        ({"a/b": {"value": 1, "expiresAt": LATER}}, "/values/a~1b", "bad_name"),
        ({f"v{n}": {"value": n, "expiresAt": LATER} for n in range(MAX_VALUES + 1)}, "/values", "too_long"),
        ([], "/values", "wrong_type"),
    ],
)
async def test_a_bad_value_is_refused_by_pointer(
    owner: Caller, cafe: Cafe, values: Any, pointer: str, code: str
) -> None:
    refused = await owner.patch(f"/v1/locations/{cafe.location}/values", {"values": values})
    assert refused.status_code == 422, refused.text
    assert [(one["pointer"], one["code"]) for one in refused.json()["errors"]] == [(pointer, code)]


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
async def test_what_is_no_number_of_json_is_refused(owner: Caller, cafe: Cafe, number: str) -> None:
    raw = f'{{"values": {{"soup": {{"value": {number}, "expiresAt": "{LATER}"}}}}}}'
    refused = await owner.raw("PATCH", f"/v1/locations/{cafe.location}/values", raw.encode())
    assert (refused.status_code, refused.json()["code"]) == (400, "malformed_json")
    assert refused.json()["detail"].startswith(number)


async def test_there_are_as_many_values_as_the_bound(owner: Caller, cafe: Cafe) -> None:
    at = f"/v1/locations/{cafe.location}/values"
    many = {f"v{n}": {"value": n, "expiresAt": LATER} for n in range(MAX_VALUES)}
    assert (await owner.patch(at, {"values": many})).status_code == 200
    refused = await owner.patch(at, {"values": {"more": {"value": 1, "expiresAt": LATER}}})
    assert [(one["pointer"], one["code"]) for one in refused.json()["errors"]] == [("/values", "too_long")]


async def test_values_for_which_there_is_no_room_cost_no_price(
    owner: Caller, cafe: Cafe, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    without = await device.manifest()
    monkeypatch.setattr(composition, "MAX_MANIFEST_BYTES", len(without.content) + 1500)
    at = f"/v1/locations/{cafe.location}/values"
    await owner.patch(at, {"values": {"short": {"value": 1, "expiresAt": LATER}}})
    assert "values" in body_of(await device.manifest())
    await owner.patch(at, {"values": {f"v{n}": {"value": "x" * 200, "expiresAt": LATER} for n in range(5)}})
    await owner.patch(f"/v1/content/items/{cafe.coffee}", {"price": 4})
    told = body_of(await device.manifest())
    assert "values" not in told
    assert {item["id"]: item["price"] for item in told["items"]}[cafe.coffee] == 4


@pytest.mark.parametrize("kind", ["text", "ticker"])
async def test_a_placeholder_that_names_no_value_is_refused(owner: Caller, kind: str) -> None:
    def scene(text: str) -> dict[str, Any]:
        box = {"x": 0, "y": 0, "width": 900, "height": 100}
        return {"name": "Weather", "widgets": [{"id": "w", "type": kind, **box, "text": text}]}

    for text in ("{{temperature}} °C", "{{ soup.of-the_day }}", "{ {{a}} }", "{{unclosed", "{time}"):
        assert (await owner.post("/v1/scenes", scene(text))).status_code == 201, text
    for text in ("{{}}", "{{two words}}", "{{a}} {{1st}}", "{{größe}}"):
        refused = await owner.post("/v1/scenes", scene(text))
        assert [(one["pointer"], one["code"]) for one in refused.json()["errors"]] == [
            ("/widgets/0/text", "bad_placeholder")
        ], text
