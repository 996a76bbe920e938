"""What is read most often is read and written by a shorter way: with the same bytes, tags, problems and permissions."""

import random
from datetime import timedelta

import pytest

from service.core.clock import instant_text
from service.core.json_text import read_json, write_json
from service.core.permissions import Role
from service.schema.content.item import ItemResponse
from service.schema.devices.screen import ScreenResponse
from service.schema.lists import Listing
from service.services.shared.etags import tag_of
from tests.service.support.application import START, Cafe, Caller, Device, Service
from tests.service.support.some_items import some_item

ITEMS = "/v1/content/items"


async def test_items_are_written_as_their_declared_model_writes_them(owner: Caller, service: Service) -> None:
    chance = random.Random(192)
    plain: list[str] = []
    for number in range(60):
        body = some_item(chance, number, plain)
        made = await owner.make(ITEMS, body)
        if "parts" not in body:
            plain.append(made["id"])
    service.clock.set(START + timedelta(days=1))

    page = (await owner.get(f"{ITEMS}?limit=100")).content
    declared = Listing[ItemResponse].model_validate(read_json(page))
    assert write_json(declared) == page
    for item in declared.data:
        one = await owner.get(f"{ITEMS}/{item.id}")
        assert one.content == write_json(item)
        assert one.headers["ETag"] == f'"{tag_of(item)}"'


async def test_screens_are_written_as_their_declared_model_writes_them(
    owner: Caller, service: Service, device: Device
) -> None:
    await device.heartbeat(
        health={"temperatureCelsius": 51.5},
        errors=[{"code": "bad", "detail": "Zürich"}],
        presented={"kind": "scene", "since": instant_text(START)},
    )
    service.services.presence.flush()

    one = await owner.get(f"/v1/screens/{device.screen}")
    assert write_json(ScreenResponse.model_validate(read_json(one.content))) == one.content
    page = (await owner.get("/v1/screens")).content
    assert write_json(Listing[ScreenResponse].model_validate(read_json(page))) == page


async def test_a_read_that_is_known_is_allowed_to_nobody_else(owner: Caller, service: Service, cafe: Cafe) -> None:
    path = f"{ITEMS}/{cafe.coffee}"
    stranger = service.stranger()
    for _ in range(2):
        assert (await owner.get(path)).status_code == 200
        assert (await stranger.get(path)).status_code == 404
        assert (await Caller(service.client, "unknown").get(path)).status_code == 401
        assert (await service.caller(Role.VIEWER).get("/v1/keys")).status_code == 403
        assert (await owner.get("/v1/keys")).status_code == 200


@pytest.mark.long
async def test_a_read_that_is_known_has_its_own_query(owner: Caller) -> None:
    for number in range(3):
        await owner.make(ITEMS, {"name": f"{number}", "category": f"{number}", "price": number})
    for number in [*range(3), *range(3)]:
        names = [item["name"] for item in (await owner.get(f"{ITEMS}?category={number}")).json()["data"]]
        assert names == [f"{number}"]
        assert (await owner.get(f"{ITEMS}?limit=0")).status_code == 422
