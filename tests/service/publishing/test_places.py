"""Items at places, on the boards: other boards keep their bytes and are not composed; an item is encoded once for all
places at which it is the same."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest

from service.services.publishing import board_menu
from service.services.publishing.composition import ManifestKey
from service.services.publishing.manifests import Manifest, Outcome
from service.services.publishing.pictures import scene_picture
from service.storage.tables.workspaces import LocationRow
from tests.service.support.application import Cafe, Caller, Device, Service, VirtualClock, pair_device, start

SHOP = {"timezone": "UTC", "currency": "EUR", "locale": "de-DE"}


async def shop(owner: Caller, name: str) -> str:
    return str((await owner.make("/v1/locations", SHOP | {"name": name}))["id"])


async def test_a_change_at_a_location_composes_and_wakes_no_other_board(
    service: Service, owner: Caller, cafe: Cafe, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = await shop(owner, "Elsewhere")
    group = (await owner.make("/v1/groups", {"name": "Here", "locations": [cafe.location]}))["id"]
    other = service.device("e" * 32)
    await pair_device(other, owner, Cafe(elsewhere, cafe.coffee, cafe.cake, cafe.scene, cafe.playlist))
    before = await other.manifest()
    composed = list[str]()
    compose = service.services.manifests.compose_many

    def counted(keys: Sequence[ManifestKey], *, now: datetime) -> Mapping[ManifestKey, Outcome]:
        composed.extend(key.location for key in keys)
        return compose(keys, now=now)

    there = start(other.held(before.headers["ETag"]))
    changes: list[tuple[str, str, Any]] = [
        ("PATCH", f"/v1/locations/{cafe.location}/items/{cafe.coffee}", {"eightySixed": True}),
        ("PATCH", f"/v1/groups/{group}/items/{cafe.cake}", {"price": 9}),
        ("POST", f"/v1/locations/{cafe.location}/items/bulk", [{"id": cafe.coffee, "hidden": True}]),
        ("PATCH", f"/v1/locations/{cafe.location}/items/{cafe.coffee}", {"eightySixed": None, "hidden": None}),
        ("DELETE", f"/v1/groups/{group}", None),
    ]
    for method, path, body in changes:
        call = start(device.held((await device.manifest()).headers["ETag"]))
        await service.holding(2)
        with monkeypatch.context() as counting:
            counting.setattr(service.services.manifests, "compose_many", counted)
            assert (await owner.send(method, path, body)).is_success
            assert (await call).status_code == 200, path
    assert not there.done()
    assert set(composed) == {cafe.location}
    after = await other.manifest()
    assert (after.headers["ETag"], after.content) == (before.headers["ETag"], before.content)
    there.cancel()
    await service.holding(0)


async def test_an_item_is_encoded_once_for_all_places_at_which_it_is_the_same(
    service: Service, owner: Caller, cafe: Cafe, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    shops = [await shop(owner, f"Shop {number}") for number in range(8)]
    group = (await owner.make("/v1/groups", {"name": "Half", "locations": shops[:4]}))["id"]
    await owner.patch(f"/v1/groups/{group}/items/{cafe.coffee}", {"price": 3})
    await owner.patch(f"/v1/locations/{shops[-1]}/items/{cafe.coffee}", {"price": 4})
    encoded = list[tuple[str, Any]]()
    document = board_menu.item_document

    def counted(row: Any, items: Any, **more: Any) -> dict[str, Any]:
        encoded.append((row.id, row.price))
        return document(row, items, **more)

    monkeypatch.setattr(board_menu, "item_document", counted)
    with service.services.database.read() as session:
        workspace = session.query(LocationRow.workspace_id).limit(1).scalar()
    boards = [ManifestKey(workspace, cafe.playlist, one) for one in shops]
    manifests = service.services.manifests.compose_many(boards, now=clock.now())

    at_the_group, at_one, everywhere = Decimal(3), Decimal(4), Decimal("3.4")
    assert sorted(price for item, price in encoded if item == cafe.coffee) == [at_the_group, everywhere, at_one]
    assert [item for item, _ in encoded if item != cafe.coffee] == [cafe.cake], "once for all eight"
    assert all(isinstance(one, Manifest) for one in manifests.values())


async def test_a_picture_of_a_scene_has_the_items_of_its_location(service: Service, owner: Caller, cafe: Cafe) -> None:
    elsewhere = await shop(owner, "Elsewhere")
    path = f"/v1/locations/{cafe.location}/items/{cafe.coffee}"
    access = service.services.keys.authenticate(owner.secret)

    def items(location: str) -> bytes:
        return service.services.previews.plan(access, scene_picture(cafe.scene), width=100, location=location).items

    before = items(elsewhere)
    await owner.patch(path, {"price": 7})
    assert b'"price":7' in items(cafe.location)
    await owner.patch(path, {"hidden": True})
    assert cafe.coffee.encode() not in items(cafe.location)
    assert items(elsewhere) == before
