"""Contents of a manifest: the items of the versions that boards may still play."""

from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import update

from service.core.changes import ChangesMissed
from service.services.publishing import composition as manifests_module
from service.services.publishing.epochs import BELIEVED_EVERY
from service.services.publishing.playlists import MAX_STORED_VERSIONS
from service.storage.tables.menus import RevisionRow
from tests.service.support.application import (
    MENU,
    Cafe,
    Caller,
    Device,
    Service,
    VirtualClock,
    body_of,
    pair,
    png,
    start,
    until,
)

PLAYLISTS, ITEMS = "/v1/playlists", "/v1/content/items"


async def offer(owner: Caller, cafe: Cafe, *categories: str, playlist: str | None = None) -> str:
    """Publish a playlist whose only scene lists these categories; its id."""
    if playlist is None:
        playlist = (await owner.make(PLAYLISTS, {"name": "Other"}))["id"]
    for entry in body_of(await owner.get(f"{PLAYLISTS}/{playlist}"))["scenes"]:
        await owner.delete(f"{PLAYLISTS}/{playlist}/scenes/{entry['id']}")
    widgets = [MENU | {"categories": list(categories)}]
    scene = await owner.make("/v1/scenes", {"name": "Menu", "widgets": widgets})
    await owner.make(f"{PLAYLISTS}/{playlist}/scenes", {"sceneId": scene["id"], "durationSeconds": 5})
    assert (await owner.post(f"{PLAYLISTS}/{playlist}/publish")).status_code == 200
    return str(playlist)


async def manifest(device: Device) -> dict[str, Any]:
    return body_of(await device.manifest())


def names(items: list[dict[str, Any]]) -> list[str]:
    return [item["name"] for item in items]


async def test_items_that_only_earlier_versions_show_are_told_as_they_are(
    owner: Caller, cafe: Cafe, device: Device
) -> None:
    await offer(owner, cafe, "Cake", playlist=cafe.playlist)
    after = await manifest(device)
    assert (names(after["items"]), names(after["otherItems"])) == (["Carrot cake"], ["Flat white"])
    assert after["otherVersions"] == {cafe.playlist: [1]}

    await owner.patch(f"{ITEMS}/{cafe.coffee}", {"eightySixed": True, "price": Decimal("3.60")})
    told = await manifest(device)
    assert told["revision"] == after["revision"] + 1
    assert [(item["eightySixed"], item["price"]) for item in told["otherItems"]] == [(True, Decimal("3.60"))]
    await owner.delete(f"{ITEMS}/{cafe.coffee}")
    assert (await manifest(device))["otherItems"] == []


@pytest.mark.long
async def test_the_assets_of_a_slideshow_are_listed_as_any_other(owner: Caller, cafe: Cafe, device: Device) -> None:
    cup, tart = [(await owner.raw("POST", "/v1/assets", png(shade), "image/png")).json()["id"] for shade in (40, 200)]
    slides = [{"asset": asset, "durationSeconds": 5} for asset in (cup, tart, cup)]
    zone = {"id": "z", "type": "slideshow", "x": 0, "y": 0, "width": 100, "height": 100, "slides": slides}
    await owner.patch(f"/v1/scenes/{cafe.scene}", {"widgets": [MENU, zone]})
    await owner.post(f"{PLAYLISTS}/{cafe.playlist}/publish")

    told = await manifest(device)
    assert {f"sha256:{digest}" for digest in told["assets"]} == {cup, tart}
    assert told["scenes"][0]["widgets"][1] == zone


async def test_items_of_other_versions_say_where_they_stand(owner: Caller, cafe: Cafe, device: Device) -> None:
    for name, category in (("Tea", "Coffee"), ("Pie", "Cake"), ("Mocha", "Coffee")):
        await owner.make(ITEMS, {"name": name, "category": category, "price": Decimal(3)})
    await offer(owner, cafe, "Cake", playlist=cafe.playlist)
    told = await manifest(device)
    assert names(told["items"]) == ["Carrot cake", "Pie"]
    assert [(item["name"], item["position"]) for item in told["otherItems"]] == [
        ("Flat white", 0),
        ("Tea", 1),
        ("Mocha", 2),
    ]


async def test_items_are_told_for_every_version_that_is_stored(owner: Caller, cafe: Cafe, device: Device) -> None:
    for _ in range(MAX_STORED_VERSIONS - 1):
        await offer(owner, cafe, "Cake", playlist=cafe.playlist)
    oldest = await manifest(device)
    assert oldest["otherVersions"] == {cafe.playlist: list(range(1, MAX_STORED_VERSIONS))}
    assert names(oldest["otherItems"]) == ["Flat white"]
    await offer(owner, cafe, "Cake", playlist=cafe.playlist)
    told = await manifest(device)
    assert told["otherVersions"] == {cafe.playlist: list(range(2, MAX_STORED_VERSIONS + 1))}
    assert told["otherItems"] == []


async def test_a_screen_that_gets_another_playlist_hears_of_the_items_of_the_one_before(
    owner: Caller, cafe: Cafe, device: Device
) -> None:
    await manifest(device)
    other = await offer(owner, cafe, "Cake")
    screen = body_of(await owner.get("/v1/screens"))["data"][0]["id"]
    await owner.patch(f"/v1/screens/{screen}", {"playlist": other})
    moved = await manifest(device)
    assert names(moved["otherItems"]) == ["Flat white"]
    assert moved["otherVersions"] == {cafe.playlist: [1]}
    assert moved["revision"] == 1

    await owner.patch(f"/v1/screens/{screen}", {"playlist": cafe.playlist})
    back = await manifest(device)
    assert back["otherVersions"] == {other: [1]}, "and of the other one when it gets the first again"
    assert back["otherItems"] == []

    await owner.delete(f"{PLAYLISTS}/{other}")
    assert (await manifest(device))["otherVersions"] == {}


async def test_a_sold_out_item_says_until_when(
    service: Service, owner: Caller, cafe: Cafe, device: Device, clock: VirtualClock
) -> None:
    end = "2026-11-20T13:00:00.000Z"
    await owner.patch(f"{ITEMS}/{cafe.coffee}", {"eightySixed": True, "eightySixedUntil": end})
    assert [(item["eightySixed"], item.get("eightySixedUntil")) for item in (await manifest(device))["items"]] == [
        (True, end),
        (False, None),
    ]
    await clock.advance(3599)
    await service.pass_seconds(3)
    await until(lambda: service.services.due_values.next_at() is None)
    told = await manifest(device)
    assert [(item["eightySixed"], item.get("eightySixedUntil")) for item in told["items"]] == [(False, None)] * 2


async def test_what_does_not_fit_is_left_out(
    owner: Caller, cafe: Cafe, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    await offer(owner, cafe, "Cake", playlist=cafe.playlist)
    whole = (await device.manifest()).content
    monkeypatch.setattr(manifests_module, "MAX_MANIFEST_BYTES", len(whole) - 100)
    await owner.patch(f"{ITEMS}/{cafe.cake}", {"price": Decimal("4.30")})
    less = await manifest(device)
    assert names(less["items"]) == ["Carrot cake"]
    assert "otherItems" not in less
    assert "otherVersions" not in less


async def test_another_workspace_s_items_are_never_told(
    service: Service, owner: Caller, cafe: Cafe, device: Device
) -> None:
    stranger = service.stranger()
    await stranger.make(ITEMS, {"name": "Secret", "category": "Coffee", "price": 1})
    await offer(owner, cafe, "Cake", playlist=cafe.playlist)
    assert names((await manifest(device))["otherItems"]) == ["Flat white"]


async def put_back(service: Service, device: Device) -> dict[str, str]:
    """Put the database back behind what the device holds; the headers of its next poll, once it has refused that."""
    held = await manifest(device)
    with service.services.database.write() as unit:
        unit.session.execute(update(RevisionRow).values(revision=RevisionRow.revision - 1))
        unit.announce(ChangesMissed())
    older = await device.manifest()
    assert body_of(older)["revision"] < held["revision"]
    return {"If-None-Match": older.headers["ETag"], "Menu-Holds": f"{held['epoch']} {held['revision']}"}


@pytest.mark.proves("service-restored-backup")
async def test_a_database_that_was_put_back_is_told_by_the_first_board_and_takes_a_new_epoch(
    service: Service, owner: Caller, cafe: Cafe, device: Device, caplog: pytest.LogCaptureFixture
) -> None:
    other = await pair(service, owner, cafe, device_id="f" * 32)
    await owner.patch(f"{ITEMS}/{cafe.coffee}", {"price": 4})
    told = await put_back(service, device)
    assert (await service.client.get("/readyz")).json() == {"status": "ready"}
    held = start(other.held((await other.manifest()).headers["ETag"]))
    await service.holding()

    after = body_of(await device.manifest(**told, Prefer="wait=25"))

    assert after["epoch"] != told["Menu-Holds"].split()[0]
    assert body_of(await held)["epoch"] == after["epoch"], "every board follows"
    ready = await service.client.get("/readyz")
    assert (ready.status_code, ready.json()["status"]) == (200, "ready")
    assert ready.json()["putBack"]["noticedAt"] == "2026-11-20T12:00:00.000Z"
    [line] = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    assert device.screen in line
    assert "put back" in line
    service.services.epochs.begin_anew()
    assert (await service.client.get("/readyz")).json() == {"status": "ready"}, "somebody has said so"


async def test_a_forged_revision_costs_one_epoch_a_day_and_nothing_else(service: Service, device: Device) -> None:
    async def epoch_after(holds: str, etag: str | None = None) -> Any:
        etag = etag or (await device.manifest()).headers["ETag"]
        await device.manifest(**{"If-None-Match": etag, "Menu-Holds": holds})
        return (await manifest(device))["epoch"]

    first = (await manifest(device))["epoch"]
    for wrong in (f"{first} 1", f"{first} x", "999", f"{first} {'9' * 99}", "x" * 300, f"{first} -1"):
        assert await epoch_after(wrong) == first, wrong
    assert await epoch_after(f"{first} 999", etag='"another"') == first, "it has not seen the newest manifest"

    second = await epoch_after(f"{first} 999999999999999")
    assert second != first
    for _ in range(3):
        assert await epoch_after(f"{second} 999999999999999") == second
        assert await epoch_after("epoch_of_mine 1") == second
    service.clock.set(service.clock.now() + BELIEVED_EVERY)
    assert await epoch_after("epoch_of_mine 1") not in (first, second)
