"""Filters of lists, and the cursors of filtered lists."""

from datetime import timedelta
from typing import Any

from tests.service.support.application import Cafe, Caller, Service, VirtualClock, body_of, faults_in, pair

ITEMS = "/v1/content/items"
SCREENS = "/v1/screens"


async def ids(caller: Caller, path: str) -> list[str]:
    response = await caller.get(path)
    assert response.status_code == 200, response.text
    return [one["id"] for one in body_of(response)["data"]]


async def through(caller: Caller, path: str, limit: int) -> list[str]:
    """The ids on all pages."""
    found: list[str] = []
    cursor = ""
    while True:
        page = body_of(await caller.get(f"{path}&limit={limit}{cursor}"))
        found += [one["id"] for one in page["data"]]
        if not page["pagination"]["hasMore"]:
            return found
        assert len(page["data"]) == limit
        cursor = f"&cursor={page['pagination']['cursor']}"


async def test_items_are_filtered_by_category_and_86(owner: Caller, cafe: Cafe, clock: VirtualClock) -> None:
    until = (clock.now() + timedelta(hours=1)).isoformat()
    await owner.patch(f"{ITEMS}/{cafe.cake}", {"eightySixed": True})
    tea = (await owner.make(ITEMS, {"name": "Tea", "category": "Coffee", "price": 2}))["id"]
    await owner.patch(f"{ITEMS}/{tea}", {"eightySixed": True, "eightySixedUntil": until})

    assert await ids(owner, f"{ITEMS}?category=Coffee") == [cafe.coffee, tea]
    assert await ids(owner, f"{ITEMS}?category=Soup") == []
    assert await ids(owner, f"{ITEMS}?eightySixed=true") == [cafe.cake, tea]
    assert await ids(owner, f"{ITEMS}?eightySixed=false") == [cafe.coffee]
    assert await ids(owner, f"{ITEMS}?eightySixed=true&category=Coffee") == [tea]
    clock.set(clock.now() + timedelta(hours=1))
    assert await ids(owner, f"{ITEMS}?eightySixed=true") == [cafe.cake]
    assert await ids(owner, f"{ITEMS}?eightySixed=false") == [cafe.coffee, tea]


async def test_screens_are_filtered_by_what_they_find(service: Service, owner: Caller, cafe: Cafe) -> None:
    def found(*codes: str) -> list[dict[str, str]]:
        return [{"code": code, "severity": "warning", "what": "It is."} for code in codes]

    devices = [await pair(service, owner, cafe, device_id=f"{n:032x}") for n in range(4)]
    hot, full, both, well = (device.screen for device in devices)
    for device, codes in zip(devices, (("hot",), ("disk_low",), ("disk_low", "hot"), ()), strict=True):
        await device.heartbeat(findings=found(*codes))

    assert await ids(owner, f"{SCREENS}?finding=hot") == [hot, both]
    assert await through(owner, f"{SCREENS}?finding=disk_low", 1) == [full, both]
    assert await ids(owner, f"{SCREENS}?finding=hot&status=offline") == []
    assert await ids(owner, f"{SCREENS}?finding=unheard_of") == []
    refused = await owner.get(f"{SCREENS}?finding={'x' * 201}")
    assert (refused.status_code, faults_in(refused)) == (422, {"finding": "too_long"})
    assert well in await ids(owner, SCREENS)

    await devices[0].heartbeat(sequence=2)
    assert await ids(owner, f"{SCREENS}?finding=hot") == [both]


async def test_screens_are_filtered_by_location_playlist_and_status(
    service: Service, owner: Caller, cafe: Cafe, clock: VirtualClock
) -> None:
    other = await owner.make("/v1/locations", {"name": "B", "timezone": "UTC", "currency": "EUR", "locale": "de"})
    night = await owner.make("/v1/playlists", {"name": "Night"})
    devices = [await pair(service, owner, cafe, device_id=f"{n:032x}") for n in range(5)]
    screens = [device.screen for device in devices]
    await owner.patch(f"{SCREENS}/{screens[1]}", {"location": other["id"]})
    await owner.patch(f"{SCREENS}/{screens[2]}", {"playlist": night["id"]})
    for device in (devices[0], devices[2], devices[4]):
        await device.heartbeat()

    assert await ids(owner, f"{SCREENS}?location={other['id']}") == [screens[1]]
    assert await ids(owner, f"{SCREENS}?playlist={night['id']}") == [screens[2]]
    assert await ids(owner, f"{SCREENS}?status=online") == [screens[0], screens[2], screens[4]]
    assert await ids(owner, f"{SCREENS}?status=offline") == [screens[1], screens[3]]
    assert await ids(owner, f"{SCREENS}?status=online&playlist={cafe.playlist}") == [screens[0], screens[4]]
    clock.set(clock.now() + timedelta(minutes=2))
    assert await ids(owner, f"{SCREENS}?status=online") == []


async def test_pages_of_a_filtered_list_are_full_and_miss_nothing(
    service: Service, owner: Caller, cafe: Cafe, monkeypatch: Any
) -> None:
    monkeypatch.setattr("service.storage.paging.SCANNED_ROWS", 2)
    devices = [await pair(service, owner, cafe, device_id=f"{n:032x}") for n in range(7)]
    online = [device.screen for number, device in enumerate(devices) if number % 3 != 1]
    for device in devices:
        if device.screen in online:
            await device.heartbeat()

    for limit in (1, 2, 5):
        assert await through(owner, f"{SCREENS}?status=online", limit) == online


async def test_an_unknown_filter_value_is_a_422(service: Service, owner: Caller, cafe: Cafe) -> None:
    theirs = await service.stranger().make(
        "/v1/locations", {"name": "B", "timezone": "UTC", "currency": "EUR", "locale": "de"}
    )
    for path, parameter in (
        (f"{SCREENS}?status=asleep", "status"),
        (f"{SCREENS}?status=", "status"),
        (f"{SCREENS}?location=loc_none", "location"),
        (f"{SCREENS}?location={theirs['id']}", "location"),
        (f"{SCREENS}?playlist=pl_none", "playlist"),
        (f"{SCREENS}?playlist=%00", "playlist"),
        (f"{SCREENS}?playlist={'x' * 101}", "playlist"),
        (f"{ITEMS}?eightySixed=1", "eightySixed"),
        (f"{ITEMS}?category=", "category"),
        (f"{ITEMS}?category=%00", "category"),
    ):
        response = await owner.get(path)
        assert response.status_code == 422, (path, response.text)
        assert list(faults_in(response)) == [parameter], path


async def test_a_cursor_is_valid_only_for_its_filters(owner: Caller, cafe: Cafe) -> None:
    await owner.make(ITEMS, {"name": "Tea", "category": "Coffee", "price": 2})
    cursor = body_of(await owner.get(f"{ITEMS}?category=Coffee&limit=1"))["pagination"]["cursor"]

    assert len(await ids(owner, f"{ITEMS}?category=Coffee&cursor={cursor}")) == 1
    for other in ("", "category=Cake&", "category=Coffee&eightySixed=false&"):
        response = await owner.get(f"{ITEMS}?{other}cursor={cursor}")
        assert (response.status_code, response.json()["code"]) == (400, "bad_cursor"), other
